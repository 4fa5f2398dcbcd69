"""Citations: which words of the evidence to quote, and the proof that they stand where they are said to stand."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, zip_longest

import regex

from summarizer_tool.evidence.brief.quoting import PLAIN_RUN, line_at
from summarizer_tool.text import names, normalize, scoring, tokens
from summarizer_tool.text.abbreviations import ends
from summarizer_tool.text.lines import is_heading
from summarizer_tool.text.stop_words import ENGLISH, FILLERS, stop_words
from summarizer_tool.text.terms import is_alike, stem

MAX_QUOTE = 300
"""Characters of a quote: a sentence or two."""

_MIN_QUOTE = 12
"""Characters below which a piece proves little, unless it is all there is on its line."""

_MAX_CITATIONS = 16
"""Of an answer: about 1,500 tokens, which a reader can still check."""

_FEW = 3
_STRONG = 0.5
"""The first blocks are quoted even where no word of the question stands in them, if they are worth so much: they were
found by their headings, or by their meaning."""

_MANY_LINES = 400
"""Lines of one block that are looked at for something to quote."""

_MUCH_OF_A_LINE = 20_000
"""Characters of a line that are looked at."""

_STOP = regex.compile(r'[.!?…]["\'”’»)\]*_]{0,3}\s+(?=\S)|[。！？；](?=\S)')
_UNDER = regex.compile(r'\s*+(?::\s|\|(?=[\s:|]*-)[\s:|-]*+$)')
"""What stands under its term, or the line under the names of a table's columns."""

_QUESTION = ('?', '？', '؟')

_MARKS = regex.compile(r'(?:\s|[#>|]|:\s|[-*+]\s|\d{1,3}[.)]\s)*+')
_WORD = regex.compile(r'[\p{L}\p{N}]')


@dataclass(frozen=True, slots=True)
class Citation:
    """Words of a source, and where they stand."""

    quote: str
    source_id: str
    line: int
    """From 1."""
    evidence: int | None = None
    """The index, in the brief, of the evidence it belongs to."""


@dataclass(frozen=True, slots=True)
class Quotable:
    """Lines that may be quoted."""

    source_id: str
    lines: Sequence[tuple[int, str]]
    """Number and text."""
    worth: float = 1.0
    """0 to 1: of two quotes that say as much, the one from here that is worth more is taken."""
    evidence: int | None = None


def verify(quote: str, text: str, line: int) -> bool:
    """Return whether a quote stands, character for character, in the line it names, counted from 1."""
    return bool(quote) and text.find(quote, *line_at(text, line)) >= 0


def terms_to_quote(question: str, parts: Sequence[str] = ()) -> frozenset[str]:
    """The words that an answer should have, each in its one form; filler words are left out, if there are others."""
    words = names.words('\n'.join((question, *parts)))
    forms = [
        form
        for word in words
        for form in normalize.asked(word)
        if len(form) > 1 or not form.isascii() or form.isdigit()
    ]
    idle = ENGLISH | FILLERS | stop_words([*words, *forms])
    said = [form for form in forms if form not in idle]
    return frozenset(map(stem, said or forms))


def quote_terms(text: str) -> frozenset[str]:
    """The words of a text in the forms that `terms_to_quote` has."""
    return frozenset(map(stem, normalize.stated(text)))


def choose(quotables: Sequence[Quotable], words: frozenset[str], limit: int = _MAX_CITATIONS) -> list[Citation]:
    """What to quote: of each block the piece that has most of the words, then second pieces with words that are new.

    A word counts the more, the fewer pieces have it. Of blocks, best first, those of the first come first; no citation
    says what another one says.
    """
    pieces = [[*_pieces(block, words)] for block in quotables]
    rare = scoring.rarity([list(has) for block in pieces for _, _, has in block])

    def said(piece: tuple[int, str, frozenset[str]]) -> tuple[bool, float]:
        _, quote, has = piece
        # What only asks, or names what is asked for, as a heading does, comes last.
        asks = quote.rstrip('"\'”’»)]*_| ').endswith(_QUESTION)
        tells = bool(has) and not asks and not quote_terms(quote) <= words
        # A word that stands in every piece has no rarity, but a piece with it is better than one without.
        return tells, sum(0.1 + rare.get(word, 0.0) for word in has)

    ranked = [sorted(block, key=said, reverse=True) for block in pieces]
    by_worth = sorted(range(len(ranked)), key=lambda index: -quotables[index].worth)
    chosen: dict[tuple[int, int], Citation] = {}
    quoted: set[str] = set()
    had: frozenset[str] = frozenset()
    for turn, order in enumerate((range(len(ranked)), by_worth)):
        for index in order:
            block = quotables[index]
            is_found = index < _FEW and block.worth >= _STRONG
            new = (each for each in ranked[index] if each[1] not in quoted)
            new = (each for each in new if (said(each)[0] and each[2] - had if turn else each[2] or is_found))
            if len(chosen) < limit and (piece := next(new, None)):
                line, quote, has = piece
                quoted.add(quote)
                chosen[index, turn] = Citation(quote, block.source_id, line, block.evidence)
                had |= has
    return [chosen[place] for place in sorted(chosen)]


def _pieces(block: Quotable, words: frozenset[str]) -> Iterator[tuple[int, str, frozenset[str]]]:
    """Line, quote, and which of the wanted words it has.

    A definition has those of its term, too, and a row those of its columns' names, which are nothing to quote: they say
    nothing by themselves.
    """
    lines = block.lines[:_MANY_LINES]
    of_term = frozenset[str]()
    for (number, text), (_, following) in zip_longest(lines, lines[1:], fillvalue=(0, '')):
        if _UNDER.match(text) is None:
            if _UNDER.match(following):
                of_term = _words_in(quote_terms(text), words)
                continue
            if text and not text[0].isspace() and text[0] != '|':
                of_term = frozenset[str]()
        for quote in quotes_in(text[:_MUCH_OF_A_LINE]):
            yield number, quote, of_term | _words_in(quote_terms(quote), words)


def _words_in(said: frozenset[str], words: frozenset[str]) -> frozenset[str]:
    """The wanted words that are said, or of which a word that is said only shares the beginning: `leader`, `leads`."""
    return frozenset(word for word in words if word in said or any(is_alike(each, (word,)) for each in said))


def quotes_in(line: str) -> list[str]:
    """The pieces of one line that can be quoted: sentences, or pieces of them that end between words.

    Each of them is a substring of the line without anything that could not be shown. List and table marks at their
    beginning are left out, headings are no pieces.
    """
    if is_heading(line):
        return []
    found: list[str] = []
    for run in PLAIN_RUN.finditer(line):
        for start, end in pairwise((0, *ends(run.group(), _STOP))):
            found += _short(run.group()[start:end])
    long_enough = [piece for piece in found if len(piece) >= _MIN_QUOTE]
    return long_enough or found[:1]


def _short(sentence: str) -> Iterator[str]:
    """A sentence in pieces of at most `MAX_QUOTE` characters, without white space around them."""
    marks = _MARKS.match(sentence)
    start = marks.end() if marks else 0
    end = len(sentence.rstrip().rstrip('|').rstrip())
    while start < end:
        stop = end
        if end - start > MAX_QUOTE:
            reach = start + MAX_QUOTE
            space = sentence.rfind(' ', start + 1, reach + 1)
            stop = space if space > start else tokens.safe_cut(sentence, reach, start)
        if (piece := sentence[start:stop].strip()) and _WORD.search(piece):
            yield piece
        start = stop
