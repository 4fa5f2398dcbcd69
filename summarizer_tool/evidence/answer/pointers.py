"""What a passage says itself, beside what it says is told elsewhere. Pure computing.

A table of contents, a teaser and a list of frequent questions have the words of a question and not its answer: these
stand in links, or beside links in sentences that send the reader on, or are the question once more.
"""

import re
from collections.abc import Iterable, Set
from dataclasses import dataclass

from summarizer_tool.documents.passage import Passage
from summarizer_tool.html.page import Link
from summarizer_tool.prompts import NumberedLine
from summarizer_tool.text import terms
from summarizer_tool.text.sentences import plain, sentences

NAMES = 0.75
"""Share of a part's terms from which a link's text is its name: a link that shares less may be a word of the answer."""

_REPEATS = 0.5
"""Share of a part's terms that another question must have to be the same."""

MAX_LINKS = 1000
"""Of one source that are looked at; a page of more is an index of everything."""

MAX_TEXT = 300
"""Characters of a link's text, heading or surroundings that count."""

_MAX_ALIKE = 50
"""Links that begin with one word; a page with more of these says little by it."""

_POINTING = frozenset(
    terms.terms_of(
        'see read more here page pages chapter article section details learn find click link visit answer told tells '
        'described describes explained explains '
        'siehe mehr hier seite kapitel artikel weiter weiterlesen erklärt beschrieben '
        'voir lire ici suite chapitre véase aquí leer más página capítulo vedi leggi pagina'
    )
)
"""Words with which a text sends its reader to another page."""

_HEADING = re.compile(r'#{1,6}\s+')
_MARKS = re.compile(r'(?>(?:(?:[-*+>:]|\d{1,9}[.)]|\[[ x]\])\s+)*)')
_CELLS = re.compile(r'(?<!\\)\|')
_QUESTION = re.compile(r'[?？؟][)\]"\'”’»*_]*$')
_DESCRIBED = re.compile(r'\s*[:：–—-]\s')

_Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Linked:
    """A link as it is found in a text."""

    words: _Words
    around: str
    """Its words and those beside it, as `_row` joins them; empty where it stands alone."""


class Pointers:
    """The links of one source, to be found in its passages."""

    def __init__(self, links: Iterable[Link]) -> None:
        """Take the links as the page has them; what is beyond `MAX_LINKS` is text like any other."""
        self._by_first: dict[str, dict[_Linked, None]] = {}
        for _, link in zip(range(MAX_LINKS), links, strict=False):
            if words := _words(plain(link.text[:MAX_TEXT])):
                around = _words(plain(link.around[:MAX_TEXT]))
                alike = self._by_first.setdefault(words[0], {})
                if len(alike) < _MAX_ALIKE:
                    alike[_Linked(words, _row(around) if around and around != words else '')] = None

    def within(self, words: _Words, row: str) -> list[tuple[int, int]]:
        """Where links stand in a piece of a passage, as numbers of words; `row` has all words of the passage."""
        spans: list[tuple[int, int]] = []
        for place, word in enumerate(words):
            for link in self._by_first.get(word, ()):
                end = place + len(link.words)
                # The same words may stand elsewhere, and be none.
                if words[place:end] == link.words and (link.around in row if link.around else words == link.words):
                    spans.append((place, end))
        return spans


NO_POINTERS = Pointers(())


@dataclass(frozen=True, slots=True)
class _Unit:
    """A sentence, a cell or a heading."""

    terms: tuple[tuple[str, ...], ...]
    """Of each word."""
    spans: tuple[tuple[int, int], ...]
    """The words that are links."""
    is_question: bool
    sends_on: bool
    """Whether it only says where something stands."""

    def without_names(self, asked: Set[str]) -> set[str]:
        """Its terms, without links that are what is asked for."""
        spans = [span for span in self.spans if share(_union(self.terms[span[0] : span[1]]), asked) >= NAMES]
        return _union(
            some for place, some in enumerate(self.terms) if not any(start <= place < end for start, end in spans)
        )


@dataclass(frozen=True, slots=True)
class PassageContent:
    """A passage, cut into what it says and what it points to."""

    terms: frozenset[str]
    """All there are, with those of the headings above it."""
    _above: frozenset[str]
    _units: tuple[_Unit, ...]

    @property
    def says_anything(self) -> bool:
        """Whether it has more than links."""
        return not all(unit.sends_on for unit in self._units)

    def of(self, asked: Set[str]) -> set[str]:
        """The terms of a question, or of a part of it, that the passage says something with.

        Without those that stand only in links by its name, in sentences that send the reader on, or in the question
        repeated and not answered there. The headings count where they stand over anything but such.
        """
        found: set[str] = set()
        repeated: set[str] = set()
        for unit in self._units:
            own = _union(unit.terms)
            if unit.sends_on:
                repeated = set()
            elif unit.is_question and share(own, asked) >= _REPEATS:
                repeated = own
            elif said := unit.without_names(asked):
                # What follows a question directly is its answer.
                found |= said if unit.is_question else said | repeated
                repeated = set()
        return found | self._above if found else found


def passage_content(passage: Passage, pointers: Pointers = NO_POINTERS) -> PassageContent:
    """Cut a passage into what it says and what it points to by the links of its source."""
    above = frozenset(terms.terms_of(' '.join((*passage.path, passage.header))))
    pieces = [piece for line in passage.text.split('\n') for piece in _pieces(line)]
    row = _row(word for _, words in pieces for word in words)
    units = tuple(_unit(piece, words, row, pointers) for piece, words in pieces)
    return PassageContent(above.union(*(_union(unit.terms) for unit in units)), above, units)


def _sends_on(words: Iterable[str]) -> bool:
    """Return whether a sentence of these words sends its reader to another page, if there is a link in it."""
    return any(not _POINTING.isdisjoint(terms.terms_of_word(word)) for word in words)


def link_terms(link: Link) -> set[str]:
    """The terms of what a link says that its page is about.

    That is its own text, what is said of it after a colon or dash, and the sentence that sends the reader there. Where
    that stands under a question, it is about the question, too.
    """
    found = terms.terms_of(link.text[:MAX_TEXT])
    around = link.around[:MAX_TEXT]
    if not around and not _is_question(link.section):
        return found
    is_described = around.startswith(link.text) and _DESCRIBED.match(around, len(link.text)) is not None
    is_pointing = _sends_on(terms.words_of(around or link.text))
    if is_described or is_pointing:
        found |= terms.terms_of(around)
    if is_pointing and _is_question(link.section):
        found |= terms.terms_of(link.section[:MAX_TEXT])
    return found


def _is_question(text: str) -> bool:
    """Return whether a sentence or heading asks."""
    return _QUESTION.search(text.rstrip()) is not None


def share(held: Set[str], asked: Set[str]) -> float:
    """How much of what is asked is held, 0 to 1."""
    return len(held & asked) / len(asked) if asked else 0.0


def _pieces(line: str) -> list[tuple[str, _Words]]:
    """The sentences, or the cells, of a line, each with its words; without what has none."""
    text = _MARKS.sub('', line.strip(), count=1)
    heading = _HEADING.match(text)
    if heading:
        pieces = [plain(text[heading.end() :])]
    elif text.startswith('|'):
        pieces = [plain(piece) for cell in _CELLS.split(text) for piece in cell.split('<br>')]
    else:
        pieces = [sentence.text for sentence in sentences([NumberedLine(1, plain(text))])]
    return [(piece, words) for piece in pieces if (words := _words(piece))]


def _unit(piece: str, words: _Words, row: str, pointers: Pointers) -> _Unit:
    spans = pointers.within(words, row)
    is_bare = len({place for start, end in spans for place in range(start, end)}) == len(words)
    return _Unit(
        tuple(terms.terms_of_word(word) for word in words),
        tuple(spans),
        _is_question(piece),
        is_bare or (bool(spans) and _sends_on(words)),
    )


def _words(text: str) -> _Words:
    return tuple(word.casefold() for word in terms.words_of(text))


def _row(words: Iterable[str]) -> str:
    """Words in a row, so that other words in a row can be found in them."""
    return f' {" ".join(words)} '


def _union(some: Iterable[Iterable[str]]) -> set[str]:
    return {term for each in some for term in each}
