"""Read numbered lines as a person would: leave out the boilerplate, and turn prose, tables and lists into statements.

Pure text work for the extractive model. A statement can stand alone: a table row names its columns, short list items
are said together, and what names no subject takes it from its heading (`subjects`).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum

import regex

from summarizer_tool.prompts import NumberedLine
from summarizer_tool.text import boilerplate_lines
from summarizer_tool.text.sentences import MAX_WORDS, Sentence, is_abbreviated, plain, sentences

_SHORT_ITEM_WORDS = 6
"""A list item of fewer words says nothing alone; it is said together with its neighbours."""

_GROUP_WORDS = MAX_WORDS // 2
"""Words of short items that are said together."""

_ASIDE_REACH = 60
"""Characters up to which a sentence within a paragraph may be boilerplate: "See Calendar."."""

_LABEL_WORDS = 8
"""Words of a label in bold, its aside included."""


class Kind(Enum):
    """The form of text that a statement was read from."""

    PROSE = 'prose'
    PIECE = 'piece'
    """A later piece of a long sentence: its subject stands before it."""
    LIST = 'list'
    """Short list items or labelled values, said together."""
    ROW = 'row'
    """A table row, or a line of a code block that is no code."""
    CODE = 'code'


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
    evidence: tuple[int, ...]
    section: int
    """Index among the sections; statements of one section are about one thing."""
    position: int
    """From 0, within the section: what comes first usually matters most."""
    paragraph: int = 0
    """Counts the paragraphs of the source."""
    kind: Kind = Kind.PROSE
    is_dangling: bool = False
    """Whether it begins with a pronoun that nobody could resolve."""


_FENCE = regex.compile(r'^ {0,3}(`{3,}|~{3,})\s*(\w*)')
_TEXT_LANGUAGES = frozenset(['', 'text', 'txt', 'plain', 'markdown', 'md'])
_HEADING = regex.compile(r'^ {0,3}(#{1,6})(?=[ \t]|$)')
_SETEXT = regex.compile(r'^ {0,3}(=+|-{2,})[ \t]*$')
_RULE = regex.compile(r'^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$')
_BULLET = regex.compile(r'^[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?')
_SPEAKER = regex.compile(r"^[\p{Lu}][\w .'’()-]{0,40}:\s|^\[?\d{4}-\d\d-\d\d|^\[?\d\d?:\d\d")
_LABELLED = regex.compile(r"^(\p{L}[\p{L}\d '’/-]{0,24}?)\s*:\s+(\S.{0,90})$")
_CODE = regex.compile(
    r'[{};]\s*$|\w\([^)\s]*[),]|[=!<>]=|[=-]>|::|\w_\w|</?\w+|^\s*(?:[$>]\s|//|#|--\s|/\*)|["\']\s*:'
    r'|^\s*(?:import|from|def|class|return|const|let|var|function|local|end|if|for|while)\b'
)
_COMMENT = regex.compile(r'^\s*(?:(?:#+|//+|--+|/\*+|\*+|;+)\s+)*')
_NO_VALUE = frozenset(['', '-', '–', '—', 'none', 'n/a', '?', '…'])


@dataclass(slots=True)
class _Reader:
    """Where the reading of one source stands."""

    sections: list[HeadingSection]
    out: list[Statement] = field(default_factory=list[Statement])
    levels: list[int] = field(default_factory=list[int])
    position: int = 0
    paragraph_count: int = 0
    paragraph: list[NumberedLine] = field(default_factory=list[NumberedLine])
    items: list[NumberedLine] = field(default_factory=list[NumberedLine])
    columns: list[str] = field(default_factory=list[str])
    leads_away: bool = False
    """Whether the list at hand is one of other pages."""

    def open_section(self, level: int, title: str, number: int) -> None:
        self.flush()
        depth = sum(open_level < level for open_level in self.levels)
        self.levels[depth:] = [level]
        above = self.sections[-1]
        self.sections.append(HeadingSection((*above.titles[:depth], title), (*above.numbers[:depth], number)))
        self.position = 0
        self.leads_away = boilerplate_lines.leads_away(title)

    def say(self, text: str, evidence: Iterable[int], kind: Kind = Kind.PROSE) -> None:
        text = text.strip(' \t;,:·|>')
        if not any(map(str.isalnum, text)) or (len(text) < _ASIDE_REACH and boilerplate_lines.is_boilerplate(text)):
            return
        lines = tuple(dict.fromkeys(evidence))
        section = len(self.sections) - 1
        self.out.append(Statement(text, lines, section, self.position, self.paragraph_count, kind))
        self.position += 1

    def say_sentences(self, lines: Sequence[NumberedLine], *, has_label: bool = False) -> None:
        """Say a paragraph or list item; a few words in bold at its beginning are said with its first sentence."""
        label: Sentence | None = None
        for place, sentence in enumerate(sentences(lines)):
            if place == 0 and has_label and len(sentence.text.split()) <= _LABEL_WORDS:
                label = sentence
                continue
            text, evidence = sentence.text, sentence.evidence
            if label is not None:
                text, evidence = f'{label.text.rstrip(".")}: {text}', label.evidence + evidence
                label = None
            self.say(text, evidence, Kind.PIECE if sentence.continues else Kind.PROSE)
        if label is not None:
            self.say(label.text, label.evidence)

    def flush(self) -> None:
        """Say what was collected: the open paragraph, the open list, and forget the open table."""
        self.paragraph_count += 1
        if self.paragraph:
            self.say_sentences(self.paragraph)
            self.paragraph.clear()
        group: list[NumberedLine] = []
        words = 0
        for item in self.items:
            group.append(item)
            words += len(item.text.split())
            if words >= _GROUP_WORDS:
                self._say_items(group)
                group, words = [], 0
        self._say_items(group)
        self.items.clear()
        self.columns = []

    def _say_items(self, group: Sequence[NumberedLine]) -> None:
        if group:
            joint = '; ' if any(':' in item.text for item in group) else ', '
            self.say(joint.join(item.text for item in group), (item.number for item in group), Kind.LIST)


def statements(lines: Sequence[NumberedLine], path: Sequence[str] = ()) -> tuple[list[Statement], list[HeadingSection]]:
    """Everything that the numbered lines of one source state, in order, without boilerplate."""
    reader = _Reader([HeadingSection(tuple(path), (0,) * len(path))], levels=list(range(1 - len(path), 1)))
    texts = [line.text for line in lines]
    common = boilerplate_lines.repeated(texts)
    said: set[str] = set()
    first = boilerplate_lines.before_content(texts)
    fence = language = ''
    for index in range(first, len(lines)):
        line, text = lines[index], texts[index]
        mark = _FENCE.match(text)
        if fence:
            if mark and mark.group(1).startswith(fence) and not mark.group(2):
                fence = ''
            else:
                _read_code(reader, line, language)
        elif mark:
            reader.flush()
            fence, language = mark.group(1), mark.group(2).lower()
        elif heading := _HEADING.match(text):
            title = text[heading.end() :].strip().rstrip('#').rstrip()
            reader.open_section(len(heading.group(1)), plain(title), line.number)
        elif _SETEXT.match(text) and len(reader.paragraph) == 1 and not lines[index - 1].blank_after:
            title_line = reader.paragraph.pop()
            reader.open_section(1 if '=' in text else 2, plain(title_line.text), title_line.number)
        elif _is_row(text, following := texts[index + 1] if index + 1 < len(lines) else '', reader):
            _read_row(reader, line, following)
        elif _RULE.match(text) or text in said or boilerplate_lines.is_boilerplate(text):
            reader.flush()
            reader.leads_away = reader.leads_away or boilerplate_lines.leads_away(text)
        else:
            _read_text(reader, line)
        if text in common:
            said.add(text)
        if line.blank_after and (reader.paragraph or reader.columns):
            reader.flush()
    reader.flush()
    return reader.out, reader.sections


def _read_code(reader: _Reader, line: NumberedLine, language: str) -> None:
    is_code = language not in _TEXT_LANGUAGES or _CODE.search(line.text) is not None
    reader.say(_COMMENT.sub('', line.text), (line.number,), Kind.CODE if is_code else Kind.ROW)


def _read_text(reader: _Reader, line: NumberedLine) -> None:
    if bullet := _BULLET.match(line.text):
        if not reader.leads_away:
            _read_item(reader, line, line.text[bullet.end() :])
    else:
        reader.leads_away = False
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
    cells = [plain(cell) for cell in line.text.strip().removeprefix('|').removesuffix('|').split('|')]
    if _is_delimiter(line.text):
        return
    if _is_delimiter(following):
        reader.flush()
        reader.columns = cells
        return
    head, *rest = cells
    if len(rest) == 1 and head and not any(reader.columns[1:]) and len(rest[0].split()) < _GROUP_WORDS:
        # A box of labels and values.
        if rest[0].lower() not in _NO_VALUE:
            reader.items.append(replace(line, text=f'{head.rstrip(":")}: {rest[0].rstrip(".:;,")}'))
        return
    columns = reader.columns[1:] or [''] * len(rest)
    told = [
        f'{column.lower()} {cell}' if column and not cell.lower().startswith(column.lower()) else cell
        for column, cell in zip(columns, rest, strict=False)
        if cell.lower() not in _NO_VALUE
    ]
    reader.say(f'{head}: {", ".join(told)}' if told and head else head or ', '.join(told), (line.number,), Kind.ROW)


def _read_item(reader: _Reader, line: NumberedLine, marked: str) -> None:
    text = plain(marked)
    is_marked = marked.startswith(('**', '__'))
    if reader.paragraph:
        reader.flush()
    is_short = len(text.split()) < _SHORT_ITEM_WORDS and not text.endswith(('.', '!', '?'))
    if is_short or _is_labelled(text):
        reader.items.append(replace(line, text=text.rstrip('.:;,')))
        return
    if reader.items:
        reader.flush()
    reader.say_sentences([replace(line, text=text)], has_label=is_marked)


def _is_labelled(text: str) -> bool:
    """`Seat: Vant Hold`: a label of up to three words and a short value, not a sentence of its own."""
    match = _LABELLED.match(text)
    return match is not None and len(match.group(1).split()) <= 3 and '. ' not in match.group(2)


def _read_prose(reader: _Reader, line: NumberedLine) -> None:
    text = plain(line.text.lstrip('> \t'))
    if reader.items or reader.columns:
        reader.flush()
    if reader.paragraph and not _continues(reader.paragraph[-1].text, text):
        reader.flush()
    if text:
        reader.paragraph.append(replace(line, text=text))


def _continues(before: str, text: str) -> bool:
    """Return whether a line goes on with the sentence, or at least the paragraph, of the line before."""
    if not text or _SPEAKER.match(text):
        return False
    return text[0].islower() or len(before) >= 60 or is_abbreviated(before, len(before))
