"""Secrets that stand under their name: in CSV, in tables of Markdown, psql, kubectl and HTML, in the rows of SQL."""

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import islice, pairwise, zip_longest

from researcher_integration.masking import secret_names
from researcher_integration.masking.findings import Finding, line_end, lines_below
from researcher_integration.masking.secret_names import Kind

_RULE = re.compile(r'(?=[-+=|:_> \t\u2500-\u257f]*?[-=\u2500\u2501\u2550]{2})[-+=|:_> \t\u2500-\u257f]*$')
_NAME = re.compile(r'(?=.{1,40}$)[^\W\d](?:[\w.#/\-]|\([\w.#/ \-]*\))*(?: (?:[\w.#/\-]|\([\w.#/ \-]*\))+){0,2}(?<!\.)$')
_COUNT_LINE = re.compile(r'\(\d+ rows?\)')

_SPLIT: Mapping[str, re.Pattern[str]] = {
    sign: re.compile(rf'[ ]*(?:"((?>(?:[^"]++|"")*))"[ ]*(?={re.escape(sign)}|$)|([^{re.escape(sign)}]*))')
    for sign in ('\t', ',', ';', '|')
}
# What parts cells that are drawn, and what stands around names in the upper edge of a table.
_DRAWN = str.maketrans('│┃║┆┌┬┐┏┳┓─━', '||||||||||  ')
_MARKS = ' `*"\'[]>#'
_MAX_HEADER = 4000
_ALIGNED = re.compile(r'\S+(?: \S+)*')

_STATE, _OBJECT = secret_names.no_secret('states', re.IGNORECASE), secret_names.no_secret('objects')
_USER = re.compile(r'user|usr|uid|login|mail|account|host|server|^(?:name|id|db)$', re.IGNORECASE)
_ODD = re.compile(r'[A-Z]{16,}$|\w+!$')

_Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Columns:
    """Which columns of a table are secrets, the first of all being 0."""

    kinds: Mapping[int, Kind]
    sure: Set[int]
    """Those in which whatever may be a password is one."""
    width: int

    def secrets(self, row: Sequence[str], *, fits: bool = True) -> Iterator[tuple[int, Kind]]:
        """The places of secrets in a row; if it is not as wide as the table, or may be none, of what looks like one."""
        fits = fits and len(row) == self.width
        for index, kind in self.kinds.items():
            for at in {index, index - self.width + len(row)}:  # counted from its end, too
                if 0 <= at < len(row) and is_secret_cell(row[at], kind, certain=fits and index in self.sure):
                    yield at, kind


def find_in_columns(text: str, at: int, read: dict[object, int]) -> Iterator[Finding]:
    """Find the cells under the names in a line, given a place in it, should it be the header of a table.

    How far the same columns have been read is kept, so that lines that look like headers do not read them again.
    """
    start = text.rfind('\n', 0, at) + 1
    start = max(start, text.rfind('\0', start, at) + 1)
    end = line_end(text, start)
    below = [text[slice(*line)] for line in islice(lines_below(text, end), 2)]
    if not below or end - start > _MAX_HEADER:
        return
    header = text[start:end].translate(_DRAWN).replace('||', ' |')
    sign = next((sign for sign in _SPLIT if sign in header), '')
    ruled, is_row = _RULE.match(below[0]) is not None, False
    cells = _split(header, 0, sign)
    runs = [run.start() for run in re.finditer(r'\S+', below[0])] if ruled and not sign else []
    stops = runs[1:] if len(runs) >= len(cells) else []
    cells = _split(header, 0, sign, stops)
    if sign == '|' and not ruled:
        above = text[max(0, start - _MAX_HEADER) : start].rstrip('\r\n').rpartition('\n')[2]
        ruled = (re.search('[─━]|[|]{2}', text[start:end]) or _RULE.match(above)) is not None
        is_row = '|' in above  # under a rule that may be that of another header
    names = [header[slice(*cell)].strip(_MARKS) for cell in cells]
    row = [below[0][slice(*cell)].strip(_MARKS) for cell in _split(below[0], 0, sign, stops)]
    named = [(name, cell) for name, cell in zip_longest(names, row[: len(names)], fillvalue='') if name]
    if not (ruled or len(named) > 1) or not all(_NAME.match(name) for name, _ in named):
        return  # of one column, or no names
    if 2 * sum(name == cell for name, cell in named) > len(named):
        return  # a row like the next
    certain = not is_row and (ruled or sign not in ('', '\t') or not header.islower())
    columns = columns_of(names, certain=certain)
    if not columns or (header[0].isspace() and header.endswith(',')) or (sign == '|' and not ruled and '| ' in header):
        return  # of nothing secret, or code, or a drawing
    same = (sign, columns.width, bool(columns.sure), *(() if sign else cells[at] for at in columns.kinds))
    within = [each for each, stop in read.items() if start < stop]
    if same in within or len(within) > 8:  # as a row of tables whose headers may all be none
        return
    odd, apart = 0, False
    for begin, row in _rows(text, end, sign, stops, cells):
        read[same] = begin
        apart = apart or not row
        found = [*_found(text, row, columns, fits=not apart)]
        apart = apart and not found
        odd = 0 if found or (not apart and len(row) == len(cells)) else odd + 1
        if odd > 3:  # lines in turn without a secret, and with more cells than the header, or fewer
            return
        yield from found


def _found(text: str, row: Sequence[_Span], columns: Columns, *, fits: bool = True) -> Iterator[Finding]:
    for at, kind in columns.secrets([text[slice(*cell)] for cell in row], fits=fits):
        yield Finding(*row[at], kind)


def _rows(text: str, end: int, sign: str, stops: list[int], cells: list[_Span]) -> Iterator[tuple[int, list[_Span]]]:
    """The lines under a header, each with where it begins and where its cells stand, if it has any."""
    for begin, line_stop in _records(text, end, sign):
        if _RULE.match(text, begin, line_stop):
            continue
        line = text[begin:line_stop].translate(_DRAWN)
        is_empty = not line.strip() or line.startswith('#')
        row = _split(line, begin, sign, stops)
        is_below = (is_empty and (not sign or (sign == '|' and begin > end + 2))) or _COUNT_LINE.match(line)
        if is_below or (not is_empty and len(row) < min(len(cells), 1 if stops else 2)):
            return
        if not sign and len(row) != len(cells):
            row = [_under(cell, row, begin) for cell in cells]
        elif sign == '\t':  # what is empty at the end is left out
            row += [(begin, begin)] * (len(cells) - len(row))
        yield begin, [] if is_empty else row


_HTML_ROW = re.compile(r'<tr[\s>]')
_HTML_CELL = re.compile(r'<t(?P<of>[hd])\b[^<>]*>(?:\s*<(?!/?t[hdr]\b)[^<>]*>)*(?P<value>[^<>]*)', re.IGNORECASE)


def find_in_html(text: str, lower: str) -> Iterator[Finding]:
    """Find the cells of tables of HTML under the names in their first rows."""
    columns, after = None, 0
    for start, end in pairwise([*(row.start() for row in _HTML_ROW.finditer(lower)), len(lower)]):
        closed = lower.find('</table', start, end)
        cells = [*_HTML_CELL.finditer(text, start, closed if closed >= 0 else end)]
        row = [_stripped(text, *cell.span('value')) for cell in cells]
        is_head = all(cell['of'] in 'hH' for cell in cells)
        if is_head or lower.find('<table', after, start) >= 0:
            names = [name[0] if (name := _NAME.match(text[slice(*cell)])) else '' for cell in row]
            columns = columns_of(names, certain=is_head and any(map(_USER.search, names)))
        elif columns:
            yield from _found(text, row, columns)
        columns, after = columns if closed < 0 else None, start


def _stripped(text: str, start: int, end: int) -> _Span:
    cell = text[start:end]
    end = start + len(cell.rstrip())
    return end - len(cell.strip()), end


def _records(text: str, end: int, sign: str) -> Iterator[tuple[int, int]]:
    """Where the lines stand that follow one that ends there, those of a cell in quotes as one."""
    while (line := next(lines_below(text, end), None)) is not None:
        start, end = line
        if sign and text.count('"', start, end) % 2:
            for more, stop in islice(lines_below(text, end), 50):
                if text.count('"', more, stop) % 2:
                    end = stop
                    break
        yield start, end


def _split(line: str, begin: int, sign: str, stops: Sequence[int] = ()) -> list[_Span]:
    """Where the cells of a line stand, without quotes and spaces around them, in a text where it begins there.

    A sign parts them, or else they begin where the others do, if those are given and nothing stands across; or blanks.
    """
    spans: list[_Span] = []
    at = 0
    if stops and not any(line[stop - 1 : stop].strip() for stop in stops):
        spans = [_stripped(line, *cell) for cell in pairwise([0, *stops, len(line)])]
    elif not sign:
        spans = [match.span() for match in _ALIGNED.finditer(line)]
    elif '"' not in line:
        for cell in line.replace('\\|', '\\/').split(sign):
            spans.append(_stripped(line, at, at + len(cell)))
            at += len(cell) + 1
    else:
        while at <= len(line) and (match := _SPLIT[sign].match(line, at)):
            spans.append(_stripped(line, *match.span(1 if match[1] is not None else 2)))
            at = match.end() + 1
    return [(begin + start, begin + end) for start, end in spans]


def _under(name: _Span, row: Sequence[_Span], begin: int) -> _Span:
    """The cell under a name, be it set to its left or its right; an empty one if there is none."""
    return next((cell for cell in row if cell[0] - begin < name[1] and cell[1] - begin > name[0]), (begin, begin))


def columns_of(names: Sequence[str], *, certain: bool = True) -> Columns | None:
    """The columns that are secrets by their names, in a table that is certain to be one."""
    names = [name.strip(f'{_MARKS}_') for name in names]
    unclear = {index for index, name in enumerate(names) if secret_names.is_ambiguous(name)}
    left = () if any(map(_USER.search, names)) else unclear
    kinds: dict[int, Kind] = {
        index: kind for index, name in enumerate(names) if index not in left and (kind := secret_names.kind_of(name))
    }
    return Columns(kinds, kinds.keys() - unclear if certain else set(), len(names)) if kinds else None


def is_secret_cell(value: str, kind: str, *, certain: bool) -> bool:
    """Return whether a cell of a column for secrets holds one: not a number of them, a date, a name, or a state."""
    value = value.strip("`'*")
    if (
        secret_names.is_placeholder(value)
        or value.count(' ') > 3
        or _STATE.fullmatch(value)
        or secret_names.is_name(value)
    ):
        return False
    if kind == 'PASSWORD':
        if value.isdigit():
            return certain and not secret_names.is_count('password', value)
        return (certain and len(value) > 1) or secret_names.is_coded(value)
    number = len(value) < 14 and value.replace('.', '').isdigit()
    is_random = secret_names.is_coded(value) or secret_names.may_be_random(value) or _ODD.match(value) is not None
    return len(value) >= 6 and is_random and not number and not _OBJECT.fullmatch(value)


_NAMES = r'[\w.`"\[\]]{1,100}'
_INTO = re.compile(
    rf'(?:into|insert)\s+({_NAMES})\s*(?:\(([^()]{{1,4000}})\)\s*)?(?:(?:output|overriding)\s[^();\0]{{1,200}}?\s)?'
    r'values?\s*(?=\()'
)
_COPY = re.compile(rf'copy\s+({_NAMES})\s*\(([^()]{{1,4000}})\)\s*from\s+stdin[^\n\0]*')
_TABLE = re.compile(rf'create table\s(?:if not exists\s)?\s*({_NAMES})\s*\(')
_WITHIN = 8
"""Statements that may stand in the strings of another, or in one that never ends, and are read with it, too."""
_TOKEN = re.compile(
    r"""(?<![\w?])"(?P<double>(?>(?:[^"\\\0\n]++|""|\\.)*))"|\$\$(?P<dollar>[^$\0]*)\$\$"""
    r"""|'(?P<single>(?>(?:[^'\\\0]++|''|\\.)*))'|[(),;\0]|[^\s"'(),;\0]+"""
)


def find_in_sql(text: str, lower: str) -> Iterator[Finding]:
    """Find values by the names of their columns, in the rows that SQL inserts or copies."""
    tables: dict[str, Columns | None] = {}
    for table, limit in _statements(_TABLE, lower) if 'into' in lower else ():
        names: dict[int, str] = {}
        for index, word in _in_brackets(lower, table.end() - 1, limit):
            names.setdefault(index, word[0])
        tables[table[1]] = columns_of([*names.values()])
    for insert, limit in _statements(_INTO, lower):
        columns = columns_of(insert[2].split(',')) if insert[2] else tables.get(insert[1])
        if columns is None:
            continue
        for index, token in _in_brackets(text, insert.end(), limit):
            span = token.span(token.lastgroup or 0)
            kind, value = columns.kinds.get(index), text[slice(*span)]
            is_number = value[:1].isdigit() and is_secret_cell(value, kind or '', certain=index in columns.sure)
            if kind and (is_given(value) if token.lastgroup else is_number):
                yield Finding(*span, kind)
    for copied, limit in _statements(_COPY, lower) if 'from stdin' in lower else ():
        columns, sign = columns_of(copied[2].split(',')), ',' if 'csv' in copied[0] else '\t'
        for begin, end in lines_below(text, copied.end()):
            if columns is None or begin >= limit or text.startswith('\\.', begin):
                break
            row = _split(text[begin:end], begin, sign)
            cells = ((row[index], kind) for index, kind in columns.kinds.items() if index < len(row))
            yield from (Finding(*cell, kind) for cell, kind in cells if is_given(text[slice(*cell)]))


def is_given(value: str) -> bool:
    """Return whether a value is more than a placeholder, or none at all."""
    return value not in ('', '\\N') and not secret_names.is_placeholder(value)


def _statements(begin: re.Pattern[str], lower: str) -> Iterator[tuple[re.Match[str], int]]:
    """Where statements begin, each with where reading it ends at the latest: where some more have begun."""
    found = [*begin.finditer(lower)]
    starts = [*(match.start() for match in found), *(len(lower),) * _WITHIN]
    return zip(found, starts[_WITHIN:], strict=True)


def _in_brackets(text: str, at: int, limit: int) -> Iterator[tuple[int, re.Match[str]]]:
    """The words of lists in brackets that begin there, each with its place in its list."""
    depth = index = 0
    while token := _TOKEN.match(text, at, limit):
        word = token[0]
        if word == '(':
            depth += 1
            index = index if depth > 1 else 0
        elif word == ')':
            depth -= 1
        elif word in (';', '\0') or depth < 0 or (depth == 0 and word != ','):
            return
        elif word == ',':
            index += depth == 1
        else:
            yield index, token
        at = token.end()
        while text[at : at + 1].isspace():
            at += 1
