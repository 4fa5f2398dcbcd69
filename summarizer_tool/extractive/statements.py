"""Read numbered lines as a person would: leave out the boilerplate, and take sentences, rows and items as they are.

Pure text work for the extractive model. A statement stands as it does in the text, but for marks; where it needs to be
said of whom it speaks, that stands before a colon: who is speaking, the heading of a sentence that begins with a
pronoun, the label or the lead-in of a list item. What points back, or denies, is said together with the sentence before
it.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice, takewhile

import regex

from summarizer_tool.extractive.labelled_values import BULLET, end_of_row, is_table_row, read_row
from summarizer_tool.extractive.printed import FENCE, code_blocks
from summarizer_tool.extractive.speakers import SPEAKER, speakers_of, talk
from summarizer_tool.extractive.statement import HeadingSection, Kind, Statement
from summarizer_tool.extractive.statement_reader import (
    ASIDE_REACH,
    LONGEST_LEAD,
    NOTHING,
    StatementReader,
    breaks_off,
)
from summarizer_tool.prompts import NumberedLine
from summarizer_tool.text import boilerplate_lines
from summarizer_tool.text.lines import word_count
from summarizer_tool.text.references import is_reference, opens_references
from summarizer_tool.text.scoring import language_of_texts
from summarizer_tool.text.sentences import (
    ENDS_AMID,
    VERB,
    Sentence,
    bare,
    plain,
    shown,
    with_indices,
    without_split_marks,
)
from summarizer_tool.text.structure import FIELD, front_matter
from summarizer_tool.text.superseding import depth

_SHORT_WORDS = 6
"""A list item of fewer words says nothing alone; it is said together with its neighbours."""

_SIGNATURE = 6
"""The most lines of one."""

_DEFINITION = regex.compile(r'^\s*: +(?=\S)')
_LOWEST = 7
"""The level of a heading that has no mark of one."""

_HEADING = regex.compile(r'^ {0,3}(#{1,6})(?=[ \t]|$)')
_SETEXT = regex.compile(r'^ {0,3}(=+|-{2,}|~{3,})[ \t]*$')
_BEGINS_FIELD = regex.compile(r'[ \t#\-\[\]}+]|[\w-]+(?::(?:\s|$)|\s*=)')
# What opens a box in MkDocs, MyST and GitHub: `!!! note "Title"`, `:::{tip}`, `> [!NOTE]`.
_BOX = regex.compile(r'^\s*(?:!!!|\?\?\?\+?)\s+\w+|^:{3,}|^>\s*\[!\w+\]\s*$')
# `limit: How many crates it holds. The default is 8.`
_ITEM_LABEL = regex.compile(r'^((?:[^\s:;!?]{1,40} ){0,5}[^\s:;!?]{1,40}):\s')
# A line of its own that is bold stands for a heading.
_BOLD_TITLE = regex.compile(r'^ {0,3}(\*\*|__)(?![\s*_])([^*_]{1,60})(?<![\s.:,;!])\1[ \t]*$')
_BOLD = regex.compile(r'^(\*\*|__)(.{1,60}?)\1')
# What a transcriber has put in: `{disfmarker}`; where it is no link, `[laughter]`, `[03:20]`.
_MARK_OF_CONVERSATIONS = regex.compile(
    r'(?<!\s)\s*\\?\[(?:\p{Ll}{1,20}+ ?){1,2}(?:\d\d?(?::\d\d){1,2}(?:\.\d+)?)?\\?\](?![(\[:])'
    r'|(?<=[:.!?] )\\?\[\d\d?(?::\d\d){1,2}(?:\.\d+)?\\?\]\s*'
    r'|(?<!\s)\s*(?<![^\s.,;!?-])\{\p{Ll}[\p{Ll} _]{1,20}\}(?!\})'
)
# `**Ada Orme:** The mill stood still.`
_BOLD_SPEAKER = regex.compile(r'^(\*{2,3}|__)([^*_:]{1,60})(?::\1|\1:)(?=\s)')


def statements(lines: Sequence[NumberedLine], path: Sequence[str] = ()) -> tuple[list[Statement], list[HeadingSection]]:
    """Everything that the numbered lines of one source state, in order, without boilerplate."""
    texts = with_indices(without_split_marks([line.text for line in lines]))
    texts = [_BOLD_SPEAKER.sub(r'\2:', text) if text[:1] in '*_' else text for text in texts]
    labelled = [_BOLD_SPEAKER.match(line.text) is not None for line in lines]
    lines = [
        line if line.text == text and not ends else replace(line, text=text, blank_after=line.blank_after or ends)
        for line, text, ends in zip(lines, texts, [*labelled[1:], False], strict=False)
    ]
    levels = range(1 - len(path), 1)
    reader = StatementReader(
        [HeadingSection(tuple(path), (0,) * len(path))],
        language_of_texts(texts),
        *speakers_of(texts),
        levels=[*levels],
        talk=talk(lines),
        references=next((level for level, title in zip(levels, path, strict=True) if opens_references(title)), None),
    )
    blocks = code_blocks(texts)
    begin, end = _bounds(lines, texts)
    if about := _about(lines[:begin]):
        reader.say_sentences(about)
        reader.flush()
    places = iter(range(begin, end))
    for index in places:
        line, text = lines[index], texts[index]
        if index in blocks:
            if index - 1 not in blocks:
                reader.flush()
            if block := blocks[index]:
                reader.say(block[1], (line.number,), block[0])
                reader.before = NOTHING
        elif heading := _heading(line, text, reader):
            reader.open_section(*heading, line.number)
        elif len(reader.paragraph) == 1 and not lines[index - 1].blank_after and _SETEXT.match(text):
            title_line = reader.paragraph.pop()
            reader.open_section(1 if '=' in text else 2, title_line.text, title_line.number)
        elif is_table_row(text, following := texts[index + 1] if index + 1 < len(lines) else '', reader):
            last = end_of_row(lines, index)
            following = ''.join(texts[last + 1 : last + 2])
            read_row(reader, lines[index : last + 1], following)
            line = lines[[index, *islice(places, last - index)][-1]]
        elif _BOX.match(text) or boilerplate_lines.is_boilerplate(text):
            reader.flush()
            reader.leads_away = reader.leads_away or boilerplate_lines.leads_away(text)
        elif reader.references is not None or is_reference(text):
            reader.flush()
            reader.say(plain(text), (line.number,), Kind.REFERENCE)
        else:
            last = _end_of_item(lines, index)
            _read_text(reader, lines[index : last + 1], ''.join(texts[last + 1 : last + 2]))
            line = lines[[index, *islice(places, last - index)][-1]]  # all of it has been read
        if line.blank_after and (reader.paragraph or reader.columns or reader.pairs):
            reader.flush()
    reader.flush()
    return reader.out, reader.sections


def _bounds(lines: Sequence[NumberedLine], texts: Sequence[str]) -> tuple[int, int]:
    """Where a text begins and ends, without the fields before it and what a site or a library has put around it."""
    # A long field is cut into several lines. Nothing is left out where there is nothing else.
    fields = front_matter('\n'.join(text if _BEGINS_FIELD.match(text) else f' {text}' for text in texts))
    if fields.endswith('\n') and lines[0].number == 1:
        return fields.count('\n'), len(texts)
    return boilerplate_lines.between_marks(texts)


def _about(lines: Sequence[NumberedLine]) -> list[NumberedLine]:
    """What a field before a text says that it is about, of which a long one is cut into several lines."""
    for place, line in enumerate(lines, 1):
        if (field := FIELD.match(line.text)) and field['about']:
            more = takewhile(lambda each: not _BEGINS_FIELD.match(each.text), lines[place:])
            return [replace(line, text=field['about']), *more]
    return []


def _heading(line: NumberedLine, text: str, reader: StatementReader) -> tuple[int, str] | None:
    """The level and title of a heading: after its signs, or of a line of its own that is bold."""
    if match := _HEADING.match(text):
        return len(match.group(1)), text[match.end() :].strip().rstrip('#').rstrip()
    if reader.paragraph or not line.blank_after:
        return None
    match = _BOLD_TITLE.match(text)
    return (_LOWEST, match.group(2)) if match else None


def _end_of_item(lines: Sequence[NumberedLine], first: int) -> int:
    """The last line of a list item, which goes on in lines that stand in deeper than its bullet, or in a sentence.

    Of two dashes it is that of who has signed below them.
    """
    last = first
    is_signed = lines[first].text.strip() == '--'
    while is_signed and last - first < _SIGNATURE and last + 1 < len(lines) and not lines[last].blank_after:
        last += 1
    while (
        BULLET.match(lines[first].text)
        and last + 1 < len(lines)
        and not lines[last].blank_after
        and (
            _indent(lines[last + 1].text) > _indent(lines[first].text)
            or breaks_off(lines[last].text, lines[last + 1].text.lstrip())
        )
        and not any(each.match(lines[last + 1].text.lstrip()) for each in (BULLET, FENCE, _DEFINITION, _HEADING))
    ):
        last += 1
    return last


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())


def _read_text(reader: StatementReader, lines: Sequence[NumberedLine], following: str) -> None:
    line = lines[0]
    if not reader.paragraph and _indent(line.text) <= reader.term_indent:
        reader.term = NOTHING
    if not any(map(str.isalnum, line.text)) and not _DEFINITION.match(following):
        reader.flush()
    elif bullet := BULLET.match(line.text):
        if not (reader.leads_away and boilerplate_lines.is_entry(' '.join(each.text for each in lines))):
            item = [replace(line, text=line.text[bullet.end() :]), *lines[1:]]
            leads = BULLET.match(following) is not None and _indent(following) > _indent(line.text)
            _read_item(reader, item, _indent(line.text), leads=leads)
    elif (definition := _DEFINITION.match(line.text)) and reader.paragraph:
        term = reader.paragraph.pop()
        label, value = f'{term.text.rstrip(" :-–")}:', bare(line.text[definition.end() :])
        if (
            not reader.paragraph
            and word_count(label) + word_count(value) < _SHORT_WORDS
            and value[-1:] not in '.!?。！？'
        ):
            reader.pairs.append(replace(line, text=f'{label} {value}'))
        else:
            if not reader.paragraph and any(map(str.isalpha, label)):
                reader.term, reader.term_indent = Sentence(shown(label[:-1]), (term.number,)), _indent(line.text)
            reader.paragraph += (replace(term, text=label), replace(line, text=value))
    else:
        reader.leads_away = False
        if not reader.paragraph and _BOLD_TITLE.match(line.text) and BULLET.match(following):
            line = replace(line, text=f'{line.text.rstrip()}:')  # it leads to the list, and to nothing after that
        _read_prose(reader, line)


def _read_item(reader: StatementReader, lines: Sequence[NumberedLine], indent: int, *, leads: bool) -> None:
    """Read an item, which may lead to others."""
    bold = _BOLD.match(lines[0].text)
    lines = [replace(line, text=text) for line in lines if (text := bare(line.text))]
    if reader.paragraph:
        reader.flush()
    if not lines:
        return
    reader.leave_lists(indent)
    text = lines[0].text
    words = word_count(text)
    is_short = words < _SHORT_WORDS or (words < 2 * _SHORT_WORDS and VERB.search(text) is None)
    is_short = is_short and not text.endswith(('.', '!', '?', '。', '！', '？'))
    if leads and len(text) <= LONGEST_LEAD and (text.endswith((':', ',')) or words < _SHORT_WORDS or is_short):
        reader.flush()
        reader.lead_ins.append((indent, Sentence(text, (lines[0].number,))))
    elif len(lines) == 1 and is_short:
        reader.items.append(replace(lines[0], text=text.rstrip('.:;,')))
    else:
        if reader.items:
            reader.flush()
        label = bold.group(2) if bold else labelled.group(1) if (labelled := _ITEM_LABEL.match(text)) else ''
        reader.is_item = True
        reader.say_sentences(lines, plain(label).rstrip(' .:,'), is_bold=bold is not None)
        reader.is_item = False


def _read_prose(reader: StatementReader, line: NumberedLine) -> None:
    is_talk = (reader.is_chat or reader.is_conversation) and '`' not in line.text
    text = _MARK_OF_CONVERSATIONS.sub('', line.text) if is_talk else line.text
    text = bare(text.lstrip('>: \t'))
    quoted = depth(line.text)
    bullet = BULLET.match(text) if quoted else None
    if bullet or reader.items or reader.columns or reader.pairs or quoted != reader.quoted:
        reader.flush()
    text = text[bullet.end() :] if bullet else text
    if reader.paragraph and not _continues(reader.paragraph[-1].text, text, reader):
        reader.flush()
    reader.quoted = quoted
    if text:
        reader.paragraph.append(replace(line, text=text))


def _continues(before: str, text: str, reader: StatementReader) -> bool:
    """Return whether a line goes on with the paragraph of the line before, rather than being one of its own."""
    turn = SPEAKER.match(text)
    if not text or (turn and reader.speaks(turn[1])) or any(map(reader.speaker_above, (before, text))):
        return False
    # A wrapped line is not half as long as the next one.
    is_apart = 2 * len(before) < len(text) and before[-1:] not in ',;:-–(' and not ENDS_AMID.search(before)
    is_ended = len(before) < ASIDE_REACH and before.endswith(('.', '!', '?', ':'))
    return text[0].islower() or not (is_apart or is_ended)
