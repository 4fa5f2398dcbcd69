"""What an agent needs of machine output in a token budget, without a model: the same text, the same digest."""

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Literal

from summarizer_tool.digests import ranks
from summarizer_tool.digests.asked import (
    NamedRows,
    asked_of,
    asks_for_an_end,
    asks_how_many,
    counted,
    extremes,
    thing_parts,
)
from summarizer_tool.digests.blocks import LEAST, block_statements, line_names, read_blocks
from summarizer_tool.digests.changes import change_statements, read_changes
from summarizer_tool.digests.enclosing import enclosing
from summarizer_tool.digests.json_digest import json_statements
from summarizer_tool.digests.json_reading import Json, Read, read_json, read_literal
from summarizer_tool.digests.locating import located
from summarizer_tool.digests.logs import (
    LogTemplate,
    events,
    log_statements,
    log_templates,
    loose,
    measures,
    starts_like_log,
)
from summarizer_tool.digests.places import LONGEST_LINE, LONGEST_PART, OutputRecord, pieces
from summarizer_tool.digests.relevance import OutputPart, relevant
from summarizer_tool.digests.settings_reading import SECTION, is_settings, read_settings
from summarizer_tool.digests.statements import NOTED, DigestStatement, choose, focus_words, one_line
from summarizer_tool.digests.surprise import surprising
from summarizer_tool.digests.table_readers import Table, aligned, markdown, separated, tabbed
from summarizer_tool.digests.tables import read_tables, table_statements
from summarizer_tool.digests.written import has_headings, is_for_people, is_log, is_long, is_source, is_told, repeats
from summarizer_tool.digests.xml_reading import read_xml
from summarizer_tool.prompts import encodable
from summarizer_tool.text.addressing import addresses_reader
from summarizer_tool.text.lines import is_written, unsteered
from summarizer_tool.text.tokens import count as count_tokens
from summarizer_tool.text.tokens import fits as fits_tokens
from summarizer_tool.text.tokens import truncate as truncate_tokens

Kind = Literal['log', 'json', 'table', 'blocks', 'prose']

_LONG_SHARE = 0.3  # share of a text in long lines over which these are read in pieces, and not as they stand

_MOST_STATES = 3  # times that a line may begin anew; more often it shows how far something is
_LONG_STRING = re.compile(r'"(?>(?:[^"\\]|\\.){200,})"', re.DOTALL)
_LONG_ELEMENT = re.compile(r'>[^<>]{200,}<')
_TOLD_SHARE = 0.4  # share of data that is long strings of words, from which these are what it is about

_ROW_LENGTH = 160  # characters of a row of a table by which it is called

_MOST_OF_BUDGET = 0.4  # share of the budget that one statement may have
_ALWAYS = 80  # and tokens that it may have anyway
_HEAD = 0.35  # of a budget of less than two such that of an overview
_ALL = 0.3  # share of a text that things have from which it is theirs
_MUCH = 5  # a character for each so many tokens of the budget, and more


@dataclass(frozen=True, slots=True)
class Digest:
    """Machine output in short."""

    text: str
    """At most the budget; empty for prose."""
    kind: Kind
    lines: Sequence[DigestStatement]
    """What the text says, one after another, without the last line on what was left out."""


@dataclass(frozen=True, slots=True)
class MachineText:
    """A text as a digest reads it."""

    lines: Sequence[str]
    kind: Kind
    statements: Iterator[DigestStatement]
    """What may be said of it, made when it is asked for."""
    names: Sequence[str] = ()
    """What that is called which each line is a part of, where it has a name."""
    titles: Container[int] = ()
    """Numbers of lines that say nothing themselves."""
    is_of_lines: bool = True
    """Whether each line is a record of its own."""
    templates: Sequence[LogTemplate] = ()
    """What lines of a log are alike in."""
    things: Sequence[NamedRows] = ()
    """Lists of things with fields; of JSON they are there when the statements have been made."""


def digest(text: str, budget: int, *, focus: str = '') -> Digest:
    """Say what matters in machine output: errors, odd ones out, counts, settings, metrics.

    Args:
        text: Any text, of any length; if it has none of the other forms, the digest is `prose`, and empty.
        budget: cl100k tokens that the digest may have.
        focus: What the reader looks for; lines and items that mention it come first.
    """
    text, lines = _as_lines(text)
    read = _read(text, lines)
    # Pages have items of one form, too.
    if read.kind in ('blocks', 'json') and not (is_settings(text) or read.titles) and is_told(text):
        read = replace(read, kind='prose')
    return digest_of(read, budget, focus)


def digest_of(read: MachineText, budget: int, focus: str) -> Digest:
    """The digest of a text that has been read; it can be made once."""
    if read.kind == 'prose' or budget <= 0:
        return Digest('', read.kind, ())
    words = focus_words(focus)
    found = [*read.statements]
    if words:
        odd = {each.lines[0] for each in found if each.topic in NOTED and len(each.lines) == 1}
        found = [replace(each, rank=_rank(each, budget, words)) for each in found]
        # Where it is asked which has most errors, these are no small words.
        measured = tuple(dict.fromkeys([*words, *filter(str.isalpha, focus.lower().rstrip('?').split())]))
        things = [*read.things, *(_measured(read.templates) if asks_for_an_end(words) else ())]
        sizes = [sum(len(cell) for row in each.rows for cell in row.values()) for each in things]
        most = _ALL * max(len(read.lines), sum(map(len, read.lines)))
        for each, size in zip(things, sizes, strict=True):
            found += extremes(each, measured, are_all=size > most or each.are_lines)
        parts = _parts_of_values(read, found, focus.lower(), words) if _is_of_values(read) else _output_parts(read)
        found += relevant(parts, focus, odd, read.templates)
        lines = NamedRows(read.lines, [{'': line} for line in read.lines], what='lines')
        found += chain.from_iterable(counted(each, focus.lower(), words) for each in read.things or [lines])
    chosen, left_out = choose([_bounded(each, budget) for each in found], budget, words, is_of_lines=read.is_of_lines)
    told = [replace(each, text=encodable(each.text)) for each in located(chosen, read.lines)]
    # Values stand in the order of the text; what addresses the reader stays behind all else.
    in_order = sorted((each for each in told if _is_plain_value(each)), key=lambda each: min(each.lines, default=0))
    told = [in_order.pop(0) if _is_plain_value(each) else each for each in told]
    if not told and found:
        # Even the most important line is longer than the budget.
        first = max(found, key=lambda each: each.rank)
        told = [DigestStatement(truncate_tokens(one_line(first.text), budget), first.rank, first.topic, first.lines)]
    text = '\n'.join([*(each.text for each in told), *([left_out] if left_out else [])])
    if not fits_tokens(text, budget):
        text = truncate_tokens('\n'.join(each.text for each in told), budget)
    return Digest(text, read.kind, tuple(each for each in told if each.text))


def _rank(statement: DigestStatement, budget: int, words: Sequence[str]) -> float:
    """The rank of a statement where something is asked for: high only for what a field has that is asked for."""
    if statement.topic == 'fields' and asked_of(statement.text.partition(': ')[0], words):
        return ranks.ASKED_FIELD
    if statement.rank == ranks.TALLY and (asks_for_an_end(words) or asks_how_many(words)):
        return ranks.END
    if statement.topic != 'overview':
        return min(statement.rank, ranks.UNASKED)
    return min(statement.rank, ranks.UNASKED_OVERVIEW) if _MUCH * len(statement.text) > budget else statement.rank


def _measured(templates: Sequence[LogTemplate]) -> Iterator[NamedRows]:
    """The lines of a log with their numbers."""
    if found := [*measures(templates)]:
        names = [one_line(event.raw, _ROW_LENGTH) for event, _ in found]
        yield NamedRows(names, [row for _, row in found], [event.line for event, _ in found], are_lines=True)


def _bounded(statement: DigestStatement, budget: int) -> DigestStatement:
    """A statement that leaves room for others, though each of its characters costs a token."""
    share, always = _MOST_OF_BUDGET, _ALWAYS
    if budget < 2 * _ALWAYS:
        is_overview = statement.topic == 'overview'
        share, always = _HEAD if is_overview else 1 - _HEAD, 0
        statement = replace(statement, rank=min(statement.rank, ranks.SMALL_OVERVIEW)) if is_overview else statement
    most = max(always, int(share * budget))
    if len(statement.text) <= most or fits_tokens(statement.text, most):
        return statement
    return replace(statement, text=one_line(statement.text, most * len(statement.text) // count_tokens(statement.text)))


def _is_of_values(read: MachineText) -> bool:
    """Return whether its lines say less of what they are a part of than what was read of them."""
    return read.kind == 'json' and (bool(read.things) or _are_long(read.lines, LONGEST_PART))


def _parts_of_values(
    read: MachineText, told: Sequence[DigestStatement], focus: str, words: Sequence[str]
) -> list[OutputPart]:
    """What is told of values, and what things have."""
    values = (piece for each in told if each.topic == 'values' for piece in _pieces(each.text))
    parts = chain.from_iterable(thing_parts(things, focus, words) for things in read.things)
    return [*map(OutputPart, values), *parts]


def _output_parts(read: MachineText) -> list[OutputPart]:
    """The lines of a text, long ones in pieces, each with the name of what it is a part of."""
    names = read.names or enclosing(read.lines)
    skipped = read.titles if read.kind == 'table' else ()
    return [
        OutputPart(piece, name, (at,), len(line) - len(line.lstrip()))
        for at, (line, name) in enumerate(zip(read.lines, names, strict=True), 1)
        if at not in skipped
        for piece in _pieces(line.strip())
    ]


def _pieces(line: str) -> Sequence[str]:
    found = pieces(line, LONGEST_PART)
    last = len(found) - 1
    told = (f'{"… " * (at > 0)}{piece}{" …" * (at < last)}' for at, piece in enumerate(found))
    return [piece for piece in told if any(map(str.isalnum, piece))]


def _is_plain_value(statement: DigestStatement) -> bool:
    return statement.topic == 'values' and not addresses_reader(statement.text)


def machine_output(text: str) -> MachineText | None:
    """A text as it is read, if a machine wrote it, all of it: a log, data, a listing.

    What people write is none, be it a page with a table in it, source code or a string in JSON.
    """
    text, lines = _as_lines(text)
    if is_settings(text) or read_changes(lines):
        return _read(text, lines)
    if is_told(text) and (has_headings(text) or not is_log(lines)):
        return None
    is_logged = is_log(lines)
    read = _read(text, lines)
    if (
        is_logged
        or read.kind in ('table', 'blocks')
        or (read.kind == 'log' and len(lines) > 2 and not is_for_people(text, lines))
    ):
        return read
    long = _LONG_ELEMENT if text.lstrip()[:1] == '<' else _LONG_STRING
    told = sum(len(found[0]) for found in long.finditer(text) if is_written(found[0]))
    return read if read.kind == 'json' and told < _TOLD_SHARE * len(text) else None


def _as_lines(text: str) -> tuple[str, list[str]]:
    """A text without what colours it on a terminal, and its lines, as they are counted where it is stored."""
    text = unsteered(text)
    lines = text.replace('\r\n', '\n').removesuffix('\n').split('\n')
    if len(lines) == 1:
        return text, text.removesuffix('\n').split('\r')
    return text, [_last_state(line) if '\r' in line else line for line in lines]


def _last_state(line: str) -> str:
    """A line that begins anew, or of one that does so again and again, as progress is shown, what it came to."""
    states = [*filter(str.strip, line.split('\r'))]
    return states[-1] if len(states) > _MOST_STATES else ' '.join(states)


def _read(text: str, lines: Sequence[str]) -> MachineText:
    """The kind of a text, and what may be said of it: what is usual in it, and which records are unlike the others."""
    if read := read_json(text) or read_xml(text) or read_literal(text):
        return _of_values(lines, read)
    if tables := read_tables(lines, [markdown, tabbed, aligned, separated]):
        return _of_tables(lines, tables)
    if (changes := read_changes(lines)) is not None:
        statements = change_statements(changes, lines)
        return MachineText(lines, 'blocks', statements, names=changes.names(len(lines)), titles=changes.titles)
    is_logged = is_log(lines)
    is_code = not is_logged and is_source(lines)
    blocks = None if is_code else read_blocks(lines)
    # Commits and findings have times and words for what is bad, too, and a name each.
    if is_logged and not (blocks and not any(starts_like_log(lines[at]) for at in blocks.starts)):
        return _lines_of(lines)
    read = read_settings(text)
    if read and SECTION.search(text):
        # Lines of one key are told apart by their section.
        return _of_values(lines, read, line_names(blocks, lines) if blocks else ())
    if blocks and not (read and _lists_things(read.value)):
        names, things = line_names(blocks, lines), blocks.fields(lines)
        return MachineText(
            lines, 'blocks', block_statements(blocks, lines, names, things), names=names, things=[things]
        )
    if read:
        return _of_values(lines, read)
    if not is_code and (repeats(lines) or (is_long(text, lines) and not is_for_people(text, lines))):
        return replace(_lines_of(lines), is_of_lines=False)
    return MachineText(lines, 'prose', iter(()))


def _lists_things(value: Json) -> bool:
    """Return whether an object has a list of so many objects that these tell more as things than as blocks of lines."""
    lists = [each for each in value.values() if isinstance(each, list)] if isinstance(value, Mapping) else []
    return any(len(each) >= LEAST and all(isinstance(item, Mapping) for item in each) for each in lists)


def _of_values(lines: Sequence[str], read: Read, names: Sequence[str] = ()) -> MachineText:
    things: list[NamedRows] = []
    statements = json_statements(read, _inner, things)
    return MachineText(lines, 'json', statements, names=names, things=things)


def _of_tables(lines: Sequence[str], tables: Sequence[Table]) -> MachineText:
    told = {number for table in tables for number in (*table.lines, *(at for at, _ in table.beside))}
    titles = {*range(1, len(lines) + 1)} - told
    things = [
        NamedRows([one_line(lines[at - 1], _ROW_LENGTH) for at in each.lines], each.rows, each.lines, are_lines=True)
        for each in tables
    ]
    return MachineText(lines, 'table', table_statements(lines, tables, things), titles=titles, things=things)


def _lines_of(lines: Sequence[str]) -> MachineText:
    """A log, or other lines without a known form: their templates, and each event; long lines are read in pieces."""
    read = loose(lines) if _are_long(lines, LONGEST_LINE) else [*events(lines)]
    records = [OutputRecord(event.raw, event.line) for event in read]
    templates = log_templates(read)
    statements = chain(log_statements(read, templates, len(lines)), surprising(records))
    return MachineText(lines, 'log', statements, templates=templates)


def _are_long(lines: Sequence[str], most: int) -> bool:
    return sum(len(line) for line in lines if len(line) > most) > _LONG_SHARE * sum(map(len, lines))


def _inner(text: str) -> Iterator[DigestStatement]:
    """What a string inside JSON says; JSON that holds JSON as text is common, deeper than that it is not read."""
    return _read(text, text.splitlines()).statements
