"""Ask a stored source of JSON, CSV or lines with a JMESPath expression, bounded in time and size. Pure computing."""

import csv
import json
import math
import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias, cast

from jmespath import exceptions, functions, parser, visitor

from summarizer_tool import prompts
from summarizer_tool.documents.document import Document
from summarizer_tool.documents.reading import MAX_READ_TOKENS, MIN_READ_TOKENS
from summarizer_tool.errors import RequestError
from summarizer_tool.text import tokens
from summarizer_tool.text.lines import one_line

Json: TypeAlias = 'bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None'


def _fraction(written: str) -> float | str:
    return value if math.isfinite(value := float(written)) else written


_DECODER = json.JSONDecoder(parse_float=_fraction)
_NEXT = re.compile(r'\ufeff?\s*+[\[{]')
_SAMPLE = 50
"""Rows by which a table is known."""
_EVEN_SHARE = 0.9
"""Share of them that have as many fields as the first one, at least."""
_NAME = re.compile(r'[^\W\d][\w .()/%#-]{0,59}')
"""The name of a column; a log has times where a table has names."""
_WHOLE = re.compile(r'-?(?:0|[1-9]\d{0,14})')
_FRACTION = re.compile(r'-?(?:0|[1-9]\d{0,14})\.(\d{1,15})(?:[eE][+-]?\d{1,2})?')
_PADDED = re.compile(r'0+[1-9]\d*')
_HASH = re.compile(r'(?=\d*[a-f])(?=[a-f]*\d)[\da-f]{7,64}')
_CODE = re.compile(r'(?i)(?<![^\W_])(?:versions?|ver|releases?|tags?|builds?)(?![^\W_])')


def read_records(text: str) -> tuple[Json, str]:
    """Read a text as JSON, else as CSV with a line of names, else as lines; with it comes which: `CSV, 20 rows`.

    JSON is what it says; of several values, one after another, a list, and where objects begin their `line`, from 1.
    CSV is a list of rows by the names of their columns, in which numbers, but for versions and codes, are numbers, and
    empty fields null; fields that no column has are under `more`. Lines are a list with `line`, from 1, and `text`; of
    a line that is a JSON object its fields are there, too.
    """
    try:
        value: Json = json.loads(text, parse_float=_fraction)
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, list | dict):
        members = f', {len(value):,} items' if isinstance(value, list) else ''
        return value, f'JSON{members}'
    if len(values := _stream(text)) > 1:
        is_lines = len(values) == sum(line.strip() != '' for line in text.split('\n'))
        return values, f'JSON {"lines" if is_lines else "values"}, {len(values):,}'
    lines = text.removeprefix('\ufeff').split('\n')
    if not lines[-1]:
        lines.pop()
    if (rows := _rows(lines)) is not None:
        return rows, f'CSV, {len(rows):,} rows'
    read = [(number, line.rstrip('\r'), _fields(line)) for number, line in enumerate(lines, 1)]
    return [{'line': number, 'text': line, **fields} for number, line, fields in read], f'lines, {len(read):,} of them'


def _rows(lines: Sequence[str]) -> list[Json] | None:
    """The rows of a table; none where a quotation mark is not closed, which would take all that follows."""
    found = {separator: names for separator in ',;\t|' if (names := _columns(lines[:_SAMPLE], separator))}
    if not found:
        return None
    separator = max(found, key=lambda each: len(found[each]))
    read = _parsed(lines, separator, strict=True) or _parsed(lines, separator, strict=False)
    if not read:
        return None
    names = found[separator]
    coded = {
        name for place, name in enumerate(names) if _is_coded(name, (row[place] for row in read[1:] if row[place:]))
    }
    rows: list[Json] = []
    for row in read[1:]:
        fields = {
            name: field if field and name in coded else _typed(field) for name, field in zip(names, row, strict=False)
        }
        rows.append({**fields, 'more': _typed(row[len(names) :])} if row[len(names) :] else fields)
    return rows


def _parsed(lines: Sequence[str], separator: str, *, strict: bool) -> list[list[str]]:
    """The fields of all rows; none if they are not written as they must be, or not one row a line where they may be."""
    try:
        rows = [row for row in csv.reader((f'{line}\n' for line in lines), delimiter=separator, strict=strict) if row]
    except csv.Error:
        return []
    even = sum(len(row) == len(rows[0]) for row in rows)
    is_even = even >= _EVEN_SHARE * len(rows) and not any('\n' in field for row in rows for field in row)
    return rows if strict or is_even else []


def _columns(lines: Sequence[str], separator: str) -> list[str]:
    try:
        rows = [row for row in csv.reader(lines, delimiter=separator) if row]
    except csv.Error:
        return []
    if len(rows) < 2:
        return []
    names = [name.strip() for name in rows[0]]
    even = sum(len(row) == len(names) for row in rows)
    is_table = len(names) > 1 and len(set(names)) == len(names) and all(map(_NAME.fullmatch, names))
    return names if is_table and even >= _EVEN_SHARE * len(rows) else []


def _is_coded(name: str, fields: Iterable[str]) -> bool:
    """Return whether digits name something, as `01234` beside `90210`, `12e4567` beside `1234567` and versions do."""
    written = {field.strip() for field in fields} - {''}
    if _CODE.search(name) and any(map(_FRACTION.fullmatch, written)):
        return True
    padded, hashed = (sum(map(bool, map(form.fullmatch, written))) for form in (_PADDED, _HASH))
    return padded > 1 or (padded == 1 and len({*map(len, written)}) == 1) or 2 * hashed > len(written)


def _typed(field: str | list[str]) -> Json:
    if isinstance(field, list):
        return [_typed(each) for each in field]
    written = field.strip()
    if _WHOLE.fullmatch(written):
        return int(written)
    return float(written) if _FRACTION.fullmatch(written) else field if written else None


def _stream(text: str) -> list[Json]:
    """Objects and lists that stand one after another; none if anything else does."""
    values: list[Json] = []
    number, counted, end = 1, 0, 0
    while begin := _NEXT.match(text, end):
        at = begin.end() - 1
        number, counted = number + text.count('\n', counted, at), at
        try:
            value, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            return []
        values.append({'line': number, **cast('dict[str, Json]', value)} if isinstance(value, dict) else value)
    return [] if text[end:].strip() else values


def _fields(line: str) -> dict[str, Json]:
    if not line.lstrip().startswith('{'):
        return {}
    try:
        value: object = json.loads(line, parse_float=_fraction)
    except (ValueError, RecursionError):
        return {}
    return cast('dict[str, Json]', value) if isinstance(value, dict) else {}


MAX_QUERY = 2000
"""Characters of an expression."""

MAX_CHARACTERS = 20_000_000
"""Of a source that is queried."""

MAX_SECONDS = 5.0
"""For one expression."""

_MAX_SIZE = 40_000_000
"""Characters of one value on the way, about: what is doubled again and again has no end."""

_LEAF = 8
"""What a value costs that is no text."""

_SHOWN_KEYS = 20
_SHOWN_KEY = 40

_TOO_LARGE = 'makes a value of over 40 MB; select fewer fields or records first'
_TOO_LONG = f'takes over {MAX_SECONDS:g} seconds; filter first, and sort or join what is left'


_QUOTING = "text stands in 'single quotes', a number in `backticks`"


class _LimitError(exceptions.JMESPathError):
    """An expression takes too long, or makes too much."""


def query(document: Document, expression: str, max_tokens: int) -> str:
    """What a JMESPath expression finds, a line for each member, as JSON; a last line says what was read and left out.

    `max_tokens` are those of the whole, brought between 50 and 20,000. An expression that is wrong, or goes over a
    limit, is a `RequestError`.
    """
    if len(expression) > MAX_QUERY:
        raise RequestError(f'the query has {len(expression):,} characters, over {MAX_QUERY:,}; ask for less at once')
    if len(document.text) > MAX_CHARACTERS:
        size = f'{len(document.text):,} characters, over the {MAX_CHARACTERS:,}'
        raise RequestError(f'{document.id} has {size} that can be queried; use read_source')
    records, form = read_records(document.text)
    try:
        found = _Interpreter().visit(parser.Parser().parse(expression).parsed, records)
    except (ValueError, TypeError, ArithmeticError, LookupError, AttributeError, RecursionError) as error:
        # jmespath lets some errors of Python through, such as of a slice with step 0.
        reason = one_line(str(error).partition(', for expression:')[0], 200)
        raise RequestError(f'the query is no JMESPath that fits: {reason} ({form}; {_QUOTING})') from None
    told = {'id': document.id, 'form': form}
    return _written(told, records, cast('Json', found), min(max(max_tokens, MIN_READ_TOKENS), MAX_READ_TOKENS))


def _written(told: Mapping[str, str], records: Json, found: Json, room: int) -> str:
    if found is None or (isinstance(found, list | dict) and not found):
        return prompts.render('answers/query_nothing', keys=' '.join(['', _keys(records)]).rstrip(), **told)
    is_list = isinstance(found, list)
    members = list(_members(found)) if is_list or not tokens.fits(_json(found), room // 2) else [_json(found)]
    count = f'{len(members):,} results' if is_list and len(members) > 1 else 'one result'
    whole = '\n'.join([*members, prompts.render('answers/query', found=count, left='', **told)])
    if tokens.fits(whole, room):
        return whole
    rest, total = f'answers/query_{"left" if is_list else "cut"}', str(len(members))
    everything = prompts.render(rest, shown=total, total=total)
    room -= tokens.count(prompts.render('answers/query', found=count, left=everything, **told)) + 1
    shown: list[str] = []
    for member in members:
        cost = tokens.count(member) + 1
        if cost > room:
            if not shown:
                shown.append(f'{_beginning(member, max(1, room - 2), needed=cost - room)} …')
            break
        shown.append(member)
        room -= cost
    left = prompts.render(rest, shown=str(len(shown)), total=total)
    return '\n'.join([*shown, prompts.render('answers/query', found=count, left=left, **told)])


def _beginning(member: str, room: int, needed: int) -> str:
    """As much of a result as there is room for, in which no value but a text is cut."""
    cut = tokens.truncate(member, room)
    cut = cut if member[:1] == member[-1:] == '"' else cut.rpartition(', ')[0]
    if not cut:
        raise RequestError(
            f'the result is longer than max_tokens by {needed:,} tokens; ask for more, or for less of it'
        )
    return cut


def _members(found: Json) -> Iterator[str]:
    if isinstance(found, Mapping):
        yield from (f'{json.dumps(key, ensure_ascii=False)}: {_json(member)}' for key, member in found.items())
    elif isinstance(found, Sequence) and not isinstance(found, str):
        yield from map(_json, found)
    else:
        yield _json(found)


def _json(value: Json) -> str:
    return prompts.encodable(json.dumps(value, ensure_ascii=False, separators=(', ', ': '), default=_refuse))


def _refuse(_: object) -> None:
    raise RequestError('the query gives an expression (`&…`), not a value; such a one is for functions, as in sort_by')


def _keys(value: Json) -> str:
    """The names there are at the top, for whoever has asked for others."""
    what = 'It'
    if isinstance(value, list) and value:
        what, value = 'Its first record', value[0]
    if not isinstance(value, Mapping) or not value:
        return ''
    keys = [one_line(str(key), _SHOWN_KEY) for key in list(value)[:_SHOWN_KEYS]]
    more = f' and {len(value) - len(keys)} more' if len(value) > len(keys) else ''
    return prompts.render('answers/query_keys', what=what, keys=', '.join(keys) + more)


class _Functions(functions.Functions):
    """Those of JMESPath, none of which makes more than there may be."""

    @functions.signature({'types': ['string']}, {'types': ['array-string']})
    def _func_join(self, separator: str, array: list[str]) -> str:
        if len(separator) * len(array) + sum(map(len, array)) > _MAX_SIZE:
            raise _LimitError(_TOO_LARGE)
        return separator.join(array)


class _Interpreter(visitor.TreeInterpreter):
    """Evaluates an expression, and looks at the clock and at what it makes."""

    def __init__(self) -> None:
        super().__init__(visitor.Options(custom_functions=_Functions()))
        self._end = time.monotonic() + MAX_SECONDS

    def visit(self, node: Any, *args: Any, **kwargs: Any) -> object:
        """The value of a part of the expression."""
        if time.monotonic() > self._end:
            raise _LimitError(_TOO_LONG)
        value: object = super().visit(node, *args, **kwargs)
        # Only these make values that are much larger than what they are made of.
        makes = node['type'] in ('multi_select_list', 'multi_select_dict')
        size = _size(value) if makes else _length(value) * _LEAF
        if size > _MAX_SIZE:
            raise _LimitError(_TOO_LARGE)
        return value

    def visit_comparator(self, node: Any, value: object) -> object:
        """What a comparison says; of a text and a number there is no order, so that is null."""
        try:
            return super().visit_comparator(node, value)
        except TypeError:
            return None


def _length(value: object) -> int:
    return len(cast('str | list[object]', value)) if isinstance(value, str | list) else 0


def _size(value: object) -> int:
    """About how many characters a value has; counted only as far as it matters."""
    size, left = 0, [value]
    while left and size <= _MAX_SIZE:
        each = left.pop()
        size += _LEAF + (len(each) if isinstance(each, str) else 0)
        if isinstance(each, dict):
            left.extend(cast('dict[str, object]', each).values())
        elif isinstance(each, list):
            left.extend(cast('list[object]', each))
    return size
