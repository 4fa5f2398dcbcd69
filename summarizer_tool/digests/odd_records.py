"""How a record that is unlike the others is shown: its line, or of a thing its name and the fields that are unlike."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from os.path import commonprefix

from summarizer_tool.digests.places import LONGEST_LINE, OF_LINES, OutputRecord, Place
from summarizer_tool.digests.statements import LONGEST, one_line

MISSING = '(missing)'
"""Stands for the value of a field that a thing does not have and others have."""

_SHOWN = 180
"""Characters of a line that are shown, if it is not unlike all others."""
_START = 60
"""Of a longer one, those at its beginning."""
_BEFORE, _BEHIND = 2 / 9, 1 / 3
"""And those before and behind the value that is surprising, for each that is shown."""
_CELL = 80
"""Characters of a field of a thing, and of several, without their names, from which no further one is shown."""
_SAME = 20
"""Characters of a path from which it is not said again."""
_SHORT = 16
"""Characters of a usual value that is shown beside an unusual one."""
_USUAL_SHARE = 0.8
"""Share of the things from which what they have in a field is usual."""


def usual_values(records: Sequence[OutputRecord]) -> Mapping[str, str]:
    """By field what nearly all things have there, if it is short."""
    values: dict[str, Counter[str]] = defaultdict(Counter)
    for each in records:
        for name, value in each.fields:
            values[name][value] += 1
    most = {name: counts.most_common(1)[0] for name, counts in values.items()}
    return {
        name: value
        for name, (value, count) in most.items()
        if count >= _USUAL_SHARE * len(records) and 0 < len(value) <= _SHORT and value != MISSING
    }


def shown_record(
    record: OutputRecord, values: Sequence[tuple[Place, str]], usual: Mapping[str, str], *, is_alone: bool
) -> str:
    """Show a record in short.

    Args:
        record: The record.
        values: Its surprising values with their places, the most surprising first.
        usual: By field what is usual.
        is_alone: Whether it is unlike all others, and may take more room.
    """
    value = next((value for place, value in values if place[0] not in OF_LINES), '')
    if record.text and (value in record.text or not record.fields):
        begins = record.name.partition(' … ')[0]
        if begins.endswith(record.text.strip()):
            return f'{record.line}| {record.name}'
        name = '' if begins in one_line(record.text, LONGEST_LINE) else f'{record.name}: '
        return f'{record.line}| {name}{_around(record.text, value, LONGEST if is_alone else _SHOWN)}'
    cells = dict(record.fields)
    fields: dict[str, str] = {}
    room, before = _CELL, ''
    for place, value in values:
        name = str(place[1]).removesuffix('=')
        own = (name, cells[name]) if name in cells else next((each for each in cells.items() if value in each[1]), None)
        if own is not None and own[0] not in fields and room > 0:
            name, cell = own
            room -= len(cell)
            at = max(0, cell.rfind(value) - _CELL // 4) if len(cell) > _CELL else 0
            shown = f'{"… " * (at > 0)}{one_line(cell[at : at + _CELL])}{" …" * (at + _CELL < len(cell))}'
            # A path that the one before begins with, too, is said once.
            same = commonprefix([name, before]).rfind('.')  # noqa: RUF071 paths of fields
            called, before = f'…{name[same:]}' if same > _SAME else name, name
            text = f'{called} missing' if cell == MISSING else f'{called}={shown}'
            fields[name] = f'{text} (usually {usual[name]})' if name in usual else text
    # A row that reaches over several lines is called what its first one says.
    name = f'{record.line}| {one_line(record.text, _START)}' if record.text else record.name
    return f'{name}: {", ".join(fields.values())}'


def _around(text: str, value: str, longest: int) -> str:
    """A line; of one that is longer its beginning and what is around a value."""
    text, value = one_line(text, LONGEST_LINE), one_line(value, LONGEST_LINE)
    at = text.rfind(value) if value else 0
    before, behind = round(_BEFORE * longest), round(_BEHIND * longest)
    if len(text) <= longest or at - before <= _START:
        end = max(longest if at < _START or longest > _SHOWN else 0, at + min(len(value), behind) + behind)
        return one_line(text[:end]) + (' …' if end < len(text) else '')
    begin = text.find(' ', at - before, at) + 1 or at - before
    end = at + min(len(value), behind) + behind
    return f'{one_line(text[:_START])} … {one_line(text[begin:end])}{" …" if end < len(text) else ""}'
