"""Read numbered lines as a person would: leave out the boilerplate, and take sentences, rows and items as they are.

Pure text work for the extractive model. A statement stands as it does in the text, but for marks; where it needs to be
said of whom it speaks, that stands before a colon: who is speaking, the heading of a sentence that begins with a
pronoun, the label or the lead-in of a list item.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import lru_cache
from itertools import islice

import regex

from summarizer_tool.prompts import NumberedLine
from summarizer_tool.text import boilerplate_lines, names
from summarizer_tool.text.references import is_reference, opens_references
from summarizer_tool.text.sentences import Sentence, is_whole, plain, sentences
from summarizer_tool.text.stop_words import language_of, stop_words

_SHORT_ITEM_WORDS = 6
"""A list item of fewer words says nothing alone; it is said together with its neighbours."""

_GROUP_WORDS = 24
"""Words of short items that are said together."""

_PAIR_WORDS = 12
"""The same of rows of labels and values, any of which may be what was asked for."""

_ASIDE_REACH = 60
"""Characters up to which a sentence within a paragraph may be boilerplate: "See Calendar."."""

_LABEL_WORDS = 8
"""Words of a label in bold, its aside included."""

_SPEAKER_TURNS = 3
"""Times that a label must begin a line to be somebody who speaks."""

_MANY_LINES = 200
"""Lines of a code block by which it is told whether it is one."""

_SAMPLE_WORDS = 2000
"""Words by which the language is told."""


class Kind(Enum):
    """The form of text that a statement was read from."""

    PROSE = 'prose'
    FRAGMENT = 'fragment'
    """Prose that has not the form of a sentence: a caption, a reference, a name in a line of its own."""
    LIST = 'list'
    """Short list items or labelled values, said together."""
    ROW = 'row'
    """A table row, or a line of a code block that is no code."""
    CODE = 'code'
    DECLARATION = 'declaration'
    """What source code declares, with what is said of it."""
    COMMENT = 'comment'
    """What else is said in source code."""
    REFERENCE = 'reference'
    """An entry of a list of references."""


@dataclass(frozen=True, slots=True)
class HeadingSection:
    """The headings that are open over some statements."""

    titles: tuple[str, ...] = ()
    """Outermost first."""
    numbers: tuple[int, ...] = ()
    """Their line numbers; 0 for a heading that stands before the lines."""


@dataclass(frozen=True, slots=True)
class Statement:
    """Something a line or a few of them say."""

    text: str
    """As it stands there."""
    evidence: tuple[int, ...]
    section: int
    """Index among the sections; statements of one section are about one thing."""
    paragraph: int = 0
    """Counts the paragraphs of the source."""
    kind: Kind = Kind.PROSE
    lead: str = ''
    """Who says it, or what it is about."""
    is_dangling: bool = False
    """Whether it begins with a pronoun, and nothing says what for."""

    def said(self, text: str) -> str:
        """A form of the text with what leads to it."""
        return f'{self.lead}: {text}' if self.lead else text


_FENCE = regex.compile(r'^ {0,3}(`{3,}|~{3,})\s*(\w*)')
_TEXT_LANGUAGES = frozenset(['', 'text', 'txt', 'plain', 'markdown', 'md'])
_HEADING = regex.compile(r'^ {0,3}(#{1,6})(?=[ \t]|$)')
_SETEXT = regex.compile(r'^ {0,3}(=+|-{2,})[ \t]*$')
_RULE = regex.compile(r'^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$')
# What opens a box in MkDocs, Sphinx and GitHub: `!!! note "Title"`, `:::{tip}`, `> [!NOTE]`.
_BOX = regex.compile(r'^\s*(?:!!!|\?\?\?\+?)\s+\w+|^:{3,}|^>\s*\[!\w+\]\s*$')
_BULLET = regex.compile(r'^[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?')
_SPEAKER = regex.compile(r"^(\p{Lu}[\p{L}\p{N} .'’()-]{0,40}):\s+(?=\S)")
_TIME = regex.compile(r'^\[?\d{4}-\d\d-\d\d|^\[?\d\d?:\d\d')
_LABELLED = regex.compile(r"^(\p{L}[\p{L}\d '’/-]{0,24}?)\s*:\s+(\S.{0,90})$")
_CODE = regex.compile(
    r'[{};]\s*$|\w\([^)\s]*[),]|[=!<>]=|[=-]>|::|\w_\w|</?\w+|^\s*(?:[$>]\s|//|#|--\s|/\*)|["\']\s*:'
    r'|^\s*(?:import|from|def|class|return|const|let|var|function|local|end|if|for|while)\b'
)
_BOLD = regex.compile(r'^(\*\*|__)(.{1,60}?)\1')
_COMMENT = regex.compile(r'^\s*(?:(?:#+|//+|--+|/\*+|\*+|;+)\s+)*')
_ROW = regex.compile(r'\|.*\|')
_OTHER_LETTER = regex.compile(r'[^\P{L}a-zA-Z]')
_NO_VALUE = frozenset(['', '-', '–', '—', 'none', 'n/a', '?', '…'])
# What a transcriber or an editor has put in: `{disfmarker}`, `[laughter]`; a whole line in brackets, too.
_MARK = regex.compile(r'\s*(?:\{\p{Ll}[\p{Ll} _]{1,20}\}|\[(?:\p{Ll}+ ?){1,2}\](?![(\[:]))')
_EDITORIAL = regex.compile(r'^\[[^\[\]]*\]?$|^[^\[\]]*\]$')
_PRONOUN = regex.compile(
    r'^(He|She|It|They|His|Her|Its|Their)\b'
    r'|^(?:In|On|At|By|After|Before|During|From|Since|Until|Upon|As|Later|Then)\b[^.;:]{0,80}?, (he|she|it|they)\b'
)
_POINTS_BACK = regex.compile(r'^(?:This|These|That|Those|Such)\b')
# What a definition calls what it defines.
_DEFINED = regex.compile(
    r'\b[Tt]his (?:argument|attribute|class|command|field|flag|function|key|keyword|macro|method|mode|option|parameter'
    r'|property|setting|type|value|variable)\b'
)
# What is written in small letters wherever it stands.
_IDENTIFIER = regex.compile(r'^\p{Ll}(?=\w*(?:[_.:(/-]\w|\d|\())')
_DEFINITION = regex.compile(r'^: +(?=\S)')
_GENDERS = {'he': 'm', 'his': 'm', 'she': 'f', 'her': 'f', 'it': 'n', 'its': 'n', 'they': 'p', 'their': 'p'}
_ASIDE = regex.compile(r' ?[(\[][^()\[\]]{0,200}[)\]]')
_NUMBERING = regex.compile(r'^(?:\d{1,3}(?:\.\d{1,3})*[.)]|[IVX]{1,5}[.)])\s+')
_LISTING = regex.compile(r'^(?:List|Outline|Index|Timeline|Table) of\b')


@lru_cache(maxsize=1024)
def subject_of(heading: str) -> str:
    """The subject of a section, if its heading is a name: `Mola di Bari (town)` is about Mola di Bari."""
    title = _NUMBERING.sub('', _ASIDE.sub('', heading)).strip(' :-–—')
    found = names.mentions(title)
    if not found or len(title.split()) > 8 or _LISTING.match(title):
        return ''
    words = [word for word in title.split() if len(word) > 3]
    return title if title[0].isupper() and sum(word[0].isupper() for word in words) * 2 > len(words) else ''


@dataclass(slots=True)
class _Reader:
    """Where the reading of one source stands."""

    sections: list[HeadingSection]
    language: str = 'en'
    speakers: frozenset[str] = frozenset()
    out: list[Statement] = field(default_factory=list[Statement])
    levels: list[int] = field(default_factory=list[int])
    paragraph_count: int = 0
    paragraph: list[NumberedLine] = field(default_factory=list[NumberedLine])
    items: list[NumberedLine] = field(default_factory=list[NumberedLine])
    columns: list[str] = field(default_factory=list[str])
    column_line: int = 0
    pairs: list[NumberedLine] = field(default_factory=list[NumberedLine])
    """The rows at hand of a table of labels and values."""
    leads_away: bool = False
    """Whether the list at hand is one of other pages."""
    references: int | None = None
    """The level of the heading over the list of references at hand, if any."""
    of_subject: int = -1
    """The paragraph in which the last name that began a sentence was the section's subject."""
    gender: str = ''
    """Of the section's subject, as far as its pronouns tell."""
    term: NumberedLine | None = None
    """What the definition at hand defines."""
    is_named: bool = False
    """Whether its first sentence, which needs the name, has been said."""

    def open_section(self, level: int, title: str, number: int) -> None:
        self.flush()
        depth = sum(open_level < level for open_level in self.levels)
        self.levels[depth:] = [level]
        above = self.sections[-1]
        self.sections.append(HeadingSection((*above.titles[:depth], title), (*above.numbers[:depth], number)))
        self.gender = ''
        self.term = None
        self.leads_away = boilerplate_lines.leads_away(title)
        if opens_references(title):
            self.references = level
        elif self.references is not None and level <= self.references:
            self.references = None

    def say(self, text: str, evidence: Iterable[int], kind: Kind = Kind.PROSE, lead: str = '') -> None:
        """Say something, with the heading it needs if it begins with a pronoun."""
        if not any(map(str.isalnum, text)) or (len(text) < _ASIDE_REACH and boilerplate_lines.is_boilerplate(text)):
            return
        lines, is_dangling = tuple(dict.fromkeys(evidence)), False
        if (
            self.term is not None
            and not lead
            and kind in (Kind.PROSE, Kind.FRAGMENT)
            and self._needs_term(text, self.term.text)
        ):
            lead, lines = self.term.text, (*lines, self.term.number)
            kind = Kind.PROSE if text.endswith(('.', '!')) else kind
        if kind is Kind.PROSE and not lead:
            lead = self._subject_for(text)
            is_dangling = not lead and (_PRONOUN.match(text) or _POINTS_BACK.match(text)) is not None
            lines = (*lines, *filter(None, self.sections[-1].numbers[-1:] if lead else ()))
        section = len(self.sections) - 1
        self.out.append(Statement(text, lines, section, self.paragraph_count, kind, lead, is_dangling))

    def _needs_term(self, text: str, term: str) -> bool:
        """Return whether a sentence of a definition needs its term: the first one does, and `This value …`."""
        is_first, self.is_named = not self.is_named, True
        return (is_first or _DEFINED.search(text) is not None) and term.split(maxsplit=1)[0] not in text

    def _subject_for(self, text: str) -> str:
        """The subject of the section, if the sentence begins with a pronoun that must stand for it.

        That is so while no sentence of the paragraph began with somebody else, and the pronoun is the one that the
        section has used for its subject before. A wrong subject is worse than none.
        """
        titles = self.sections[-1].titles
        subject = subject_of(titles[-1]) if titles else ''
        if match := _PRONOUN.match(text):
            gender = _GENDERS[(match.group(1) or match.group(2)).lower()]
            is_own = bool(subject) and self.of_subject == self.paragraph_count and self.gender in ('', gender)
            self.gender = gender if is_own else self.gender
            return subject if is_own else ''
        first = next(iter(names.mentions(text)), '')
        if first and text.removeprefix('The ').startswith(first):
            is_own = bool({*first.split()} & {*subject.split()})
            self.of_subject = self.paragraph_count if is_own else -1
        return ''

    def say_sentences(self, lines: Sequence[NumberedLine], label: str = '') -> None:
        """Say a paragraph or list item.

        Args:
            lines: Its lines.
            label: What is set in bold at its beginning; the sentences after the first are about that.
        """
        lead = ''
        if (match := _SPEAKER.match(lines[0].text)) and match.group(1) in self.speakers:
            lead = match.group(1)
            lines = [replace(lines[0], text=lines[0].text[match.end() :]), *lines[1:]]
        alone: Sentence | None = None
        for place, sentence in enumerate(sentences(lines, self.language)):
            begun = _IDENTIFIER.sub(_capitalized, sentence.text)
            kind = Kind.PROSE if is_whole(begun, self.language) else Kind.FRAGMENT
            if place == 0 and label and kind is Kind.FRAGMENT and len(sentence.text.split()) <= _LABEL_WORDS:
                alone = sentence
            else:
                alone = None
                self.say(sentence.text, sentence.evidence, kind, lead)
            lead = lead or label
        if alone is not None:
            self.say(alone.text, alone.evidence, Kind.FRAGMENT)

    def flush(self) -> None:
        """Say what was collected: the open paragraph, the open list, and forget the open table."""
        self.paragraph_count += 1
        if self.paragraph:
            if not _EDITORIAL.match(' '.join(line.text for line in self.paragraph)):
                self.say_sentences(self.paragraph)
            self.paragraph.clear()
        for group in _groups(self.items, _GROUP_WORDS):
            self._say_items(group)
        for group in _groups(self.pairs, _PAIR_WORDS):
            self._say_pairs(group)
        self.items.clear()
        self.pairs.clear()
        self.columns = []

    def _say_items(self, group: Sequence[NumberedLine]) -> None:
        above = self.sections[-1]
        lead = above.titles[-1] if above.titles and above.numbers[-1] else ''
        numbers = (*(item.number for item in group), *(above.numbers[-1:] if lead else ()))
        self.say('; '.join(item.text for item in group), numbers, Kind.LIST, lead)

    def _say_pairs(self, group: Sequence[NumberedLine]) -> None:
        above = self.sections[-1]
        about = subject_of(above.titles[-1]) if above.titles else ''
        cells = [*filter(None, [about]), *(pair.text for pair in group)]
        numbers = (*(pair.number for pair in group), *filter(None, above.numbers[-1:] if about else ()))
        self.say(f'| {" | ".join(cells)} |', numbers, Kind.ROW)


def _capitalized(match: regex.Match[str]) -> str:
    return match.group().upper()


def _groups(items: Sequence[NumberedLine], words: int) -> Iterator[list[NumberedLine]]:
    """Items that are said together: a few words each."""
    group: list[NumberedLine] = []
    for item in items:
        group.append(item)
        if sum(len(each.text.split()) for each in group) >= words:
            yield group
            group = []
    if group:
        yield group


def statements(lines: Sequence[NumberedLine], path: Sequence[str] = ()) -> tuple[list[Statement], list[HeadingSection]]:
    """Everything that the numbered lines of one source state, in order, without boilerplate."""
    texts = [line.text for line in lines]
    levels = range(1 - len(path), 1)
    reader = _Reader(
        [HeadingSection(tuple(path), (0,) * len(path))],
        language_of(islice((word for text in texts for word in names.words(text[:2000])), _SAMPLE_WORDS)),
        _speakers(texts),
        levels=[*levels],
        references=next((level for level, title in zip(levels, path, strict=True) if opens_references(title)), None),
    )
    common = boilerplate_lines.repeated(texts)
    said: set[str] = set()
    first = boilerplate_lines.before_content(texts)
    fence, is_code = '', False
    for index in range(first, len(lines)):
        line, text = lines[index], texts[index]
        mark = _FENCE.match(text)
        if fence:
            if mark and mark.group(1).startswith(fence) and not mark.group(2):
                fence = ''
            else:
                _read_code(reader, line, is_code=is_code)
        elif mark:
            reader.flush()
            fence = mark.group(1)
            is_code = mark.group(2).lower() not in _TEXT_LANGUAGES or not _reads_as_text(_fenced(texts, index, fence))
        elif heading := _HEADING.match(text):
            title = text[heading.end() :].strip().rstrip('#').rstrip()
            reader.open_section(len(heading.group(1)), plain(title), line.number)
        elif _SETEXT.match(text) and len(reader.paragraph) == 1 and not lines[index - 1].blank_after:
            title_line = reader.paragraph.pop()
            reader.open_section(1 if '=' in text else 2, plain(title_line.text), title_line.number)
        elif _is_row(text, following := texts[index + 1] if index + 1 < len(lines) else '', reader):
            _read_row(reader, line, following)
        elif _RULE.match(text) or _BOX.match(text) or text in said or boilerplate_lines.is_boilerplate(text):
            reader.flush()
            reader.leads_away = reader.leads_away or boilerplate_lines.leads_away(text)
        elif reader.references is not None or is_reference(text):
            reader.flush()
            reader.say(plain(text), (line.number,), Kind.REFERENCE)
        else:
            _read_text(reader, line)
        if text in common:
            said.add(text)
        if line.blank_after and (reader.paragraph or reader.columns or reader.pairs):
            reader.flush()
    reader.flush()
    return reader.out, reader.sections


def _speakers(texts: Sequence[str]) -> frozenset[str]:
    """The labels before a colon that begin several lines: those of a conversation."""
    turns = Counter(match.group(1) for text in texts if (match := _SPEAKER.match(text)))
    return frozenset(label for label, times in turns.items() if times >= _SPEAKER_TURNS)


def _fenced(texts: Sequence[str], opening: int, fence: str) -> Iterator[str]:
    """The lines of a code block that have any text."""
    for place in range(opening + 1, len(texts)):
        text = texts[place]
        mark = _FENCE.match(text)
        if mark and mark.group(1).startswith(fence) and not mark.group(2):
            return
        if text.strip():
            yield text


def _reads_as_text(block: Iterable[str]) -> bool:
    """Return whether a code block that names no language holds none: values with labels, rows, words of sentences.

    What a console shows and a configuration says are words, too, but few of those that join the others.
    """
    lines = list(islice(block, _MANY_LINES))
    joining = stop_words(word for line in lines for word in names.words(line))
    texts = sum(
        _CODE.search(line) is None
        and (
            _LABELLED.match(line) is not None
            or _ROW.search(line) is not None
            or _OTHER_LETTER.search(line) is not None
            or not joining.isdisjoint(names.words(line))
        )
        for line in lines
    )
    return 2 * texts > len(lines)


def _read_code(reader: _Reader, line: NumberedLine, *, is_code: bool) -> None:
    is_code = is_code or _CODE.search(line.text) is not None
    reader.say(_COMMENT.sub('', line.text).strip(), (line.number,), Kind.CODE if is_code else Kind.ROW)


def _read_text(reader: _Reader, line: NumberedLine) -> None:
    if bullet := _BULLET.match(line.text):
        if not reader.leads_away:
            _read_item(reader, line, line.text[bullet.end() :])
    elif (definition := _DEFINITION.match(line.text)) and (reader.paragraph or reader.term):
        _read_definition(reader, line, line.text[definition.end() :])
    else:
        reader.leads_away = False
        if not reader.paragraph and not line.text.startswith((' ', '\t')):
            reader.term = None
        _read_prose(reader, line)


def _is_delimiter(text: str) -> bool:
    """`|---|:--|`, which makes the row above it a table's head."""
    return '|' in text and '-' in text and not text.strip('|-: \t') and set(text) <= set('|-: \t')


def _is_row(text: str, following: str, reader: _Reader) -> bool:
    """Return whether a line is a table's: between bars, or with bars inside it above or below a delimiter row."""
    stripped = text.strip()
    if len(stripped) > 1 and stripped[0] == stripped[-1] == '|':
        return True
    return '|' in stripped and (bool(reader.columns) or _is_delimiter(stripped) or _is_delimiter(following))


def _read_row(reader: _Reader, line: NumberedLine, following: str) -> None:
    """Say a row with the names of its columns: `| Heron | Master: Ada Finn | Lost: 1872 |`."""
    cells = [plain(cell) for cell in line.text.strip().removeprefix('|').removesuffix('|').split('|')]
    if _is_delimiter(line.text):
        return
    if _is_delimiter(following):
        reader.flush()
        reader.columns, reader.column_line = cells, line.number
        return
    columns = reader.columns if any(reader.columns[1:]) else []
    head, *rest = cells
    if len(rest) == 1 and head and not columns:  # a box of labels and values
        if rest[0].lower() not in _NO_VALUE:
            reader.pairs.append(replace(line, text=f'{head.rstrip(":")}: {rest[0]}'))
        return
    named = [
        f'{column}: {cell}' if column and place and not cell.lower().startswith(column.lower()) else cell
        for place, (column, cell) in enumerate(zip([*columns, *[''] * len(cells)], cells, strict=False))
        if cell.lower() not in _NO_VALUE
    ]
    if len(named) > 1 or any(map(str.isalpha, ''.join(named))):
        reader.say(f'| {" | ".join(named)} |', (line.number, *([reader.column_line] if columns else ())), Kind.ROW)


def _read_item(reader: _Reader, line: NumberedLine, marked: str) -> None:
    text, bold = plain(marked), _BOLD.match(marked)
    if reader.paragraph:
        reader.flush()
    is_short = len(text.split()) < _SHORT_ITEM_WORDS and not text.endswith(('.', '!', '?'))
    if is_short or _is_labelled(text):
        reader.items.append(replace(line, text=text.rstrip('.:;,')))
        return
    if reader.items:
        reader.flush()
    reader.say_sentences([replace(line, text=text)], plain(bold.group(2)).rstrip(' .:,') if bold else '')


def _read_definition(reader: _Reader, line: NumberedLine, text: str) -> None:
    """Read `: What it is.` under a line that says of what."""
    if reader.term is None:
        reader.term = reader.paragraph.pop()
    reader.is_named = False
    reader.flush()
    reader.paragraph.append(replace(line, text=plain(text)))


def _is_labelled(text: str) -> bool:
    """`Seat: Vant Hold`: a label of up to three words and a short value, not a sentence of its own."""
    match = _LABELLED.match(text)
    return match is not None and len(match.group(1).split()) <= 3 and '. ' not in match.group(2)


def _read_prose(reader: _Reader, line: NumberedLine) -> None:
    text = _MARK.sub('', plain(line.text.lstrip('> \t')))
    if reader.items or reader.columns or reader.pairs:
        reader.flush()
    if reader.paragraph and not _continues(reader.paragraph[-1].text, text, reader.speakers):
        reader.flush()
    if text:
        reader.paragraph.append(replace(line, text=text))


def _continues(before: str, text: str, speakers: frozenset[str]) -> bool:
    """Return whether a line goes on with the paragraph of the line before, rather than being one of its own."""
    if not text or _TIME.match(text) or ((match := _SPEAKER.match(text)) and match.group(1) in speakers):
        return False
    return text[0].islower() or len(before) >= _ASIDE_REACH or not before.endswith(('.', '!', '?', ':'))
