"""Texts that stand in data (JSON, a line of JSON each, CSV, feeds): as the texts they are. Pure computing."""

import csv
import io
import json
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from typing import TypeAlias, cast

from summarizer_tool.digests.json_reading import read_json
from summarizer_tool.digests.xml_reading import read_xml
from summarizer_tool.formats.chat import Turn, is_talk, written
from summarizer_tool.html.page import TAG
from summarizer_tool.text import names
from summarizer_tool.text.lines import one_line

Record: TypeAlias = Mapping[str, object]

_SHARE = 0.8
"""Of the characters of some objects: what texts have of them, if they are made of texts."""
_WRITTEN_SHARE = 0.5
"""The same of what people write in a list of objects, beside who and when."""
_LONG = 400
"""Characters over which a string is a text."""
_LEAST_RECORDS = 4
_LEAST_WRITTEN = 25
"""Characters of what people write, on the average."""
_SAMPLE = 200
"""Records by which it is told whether somebody has written them."""
_LONGEST_SPEAKER = 40
_MOST_SPEAKERS = 0.5
"""Of the turns: people say more than one thing each."""


def markdown(text: str) -> str:
    """What people say in some data, turn by turn, or its texts below what else is said of each; else empty."""
    value = _parsed(text)
    records, around = _records(value)
    if said := _listed(records):
        return '\n\n'.join([*around, said]) + '\n'
    read = texts_of(value, is_beside=False)
    return f'{read}\n' if read else ''


def texts_of(value: object, shown: Callable[[str], str] = str, *, is_beside: bool = True) -> str:
    """The texts that an object or a list of objects is made of, below headings, with what else is said of each.

    One text alone, each as it is `shown`, has none where the rest of its object `is_beside` what is made of it; else
    nothing of the value is left out. Empty where the value is made of anything else.
    """
    records, around = _records(value)
    texts = [
        {key: text for key, text in each.items() if isinstance(text, str) and len(text) > _LONG} for each in records
    ]
    size = sum(len(text) for each in texts for text in each.values())
    if not any(texts) or size < _SHARE * sum(map(_size, records)):
        return ''
    if is_beside and len(texts) == len(texts[0]) == 1:
        return shown(*texts[0].values())
    found = (
        f'{_heading(each, texts[index], key)}\n\n{shown(text)}'.rstrip()
        for index, each in enumerate(records)
        for key, text in (texts[index] or {'': ''}).items()
    )
    return '\n\n'.join([*([] if is_beside else around), *found])


def _parsed(text: str) -> object:
    first = text.lstrip()[:1]
    if first not in ('<', '{', '['):
        return _rows(text)
    read = read_xml(text) if first == '<' else read_json(text)
    return None if read is None or read.around or read.broken else read.value


def _rows(text: str) -> list[Record]:
    """The rows of a table with a head and one sign between its fields; none of anything else."""
    text = text.removeprefix('\ufeff')
    head = text.partition('\n')[0]
    delimiter = max(',;\t', key=head.count)
    try:
        columns = next(csv.reader([head or ' '], delimiter=delimiter))
        if len(columns) < 2 or not all(name[:1].isalpha() for name in columns):
            return []
        rows = [row for row in csv.reader(io.StringIO(text), delimiter=delimiter) if row][1:]
    except csv.Error:
        return []
    if any(len(row) != len(columns) for row in rows):
        return []
    return [dict(zip(columns, row, strict=True)) for row in rows]


def _records(value: object) -> tuple[list[Record], list[str]]:
    """The objects that a value is, or has in a list that is nearly all of it, and what else it says, in lines.

    None where it is anything else.
    """
    around: list[str] = []
    while isinstance(value, dict):
        members = cast('dict[str, object]', value)
        largest = max(members.values(), key=_size, default=None)
        if not isinstance(largest, list | dict) or _size(cast('object', largest)) < _SHARE * _size(members):
            return [members], around
        around += [f'{name}: {one_line(_written(each))}' for name, each in members.items() if each is not largest]
        value = cast('object', largest)
    items = cast('Sequence[object]', value) if isinstance(value, list) else ()
    records = [cast('Record', item) for item in items if isinstance(item, dict)]
    return (records, around) if len(records) == len(items) else ([], [])


def _size(value: object) -> int:
    """Characters of what it says, names of members and signs aside."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, dict):
        return sum(map(_size, cast('dict[str, object]', value).values()))
    return sum(map(_size, cast('list[object]', value))) if isinstance(value, list) else len(str(value))


def _written(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _heading(record: Record, texts: Record, key: str) -> str:
    """What a record calls its text, and below that what else it says."""
    said = {name: one_line(_written(member)) for name, member in record.items() if name not in texts}
    named = next((text for name, text in said.items() if isinstance(record[name], str) and text), str(key))[:_LONG]
    lines = [f'{name}: {text}' for name, text in said.items() if text and text != named]
    return '\n'.join([f'# {named}', *lines, *([f'{key}:'] if len(texts) > 1 else [])])


def _listed(records: Sequence[Record]) -> str:
    """What people have written in a list of objects: turn by turn where it is said who did, else below headings."""
    if len(records) < _LEAST_RECORDS:
        return ''
    keys = dict.fromkeys(key for each in records for key in each)
    columns = {key: [said if isinstance(said := each.get(key), str) else '' for each in records] for key in keys}
    sizes = {key: sum(map(len, said)) for key, said in columns.items() if _is_written(said)}
    if not sizes or sum(sizes.values()) < _WRITTEN_SHARE * sum(map(_size, records)):
        return ''
    text = max(sizes, key=lambda key: sizes[key])
    speaker = next((key for key, said in columns.items() if key != text and _is_speaker(said)), None)
    if speaker is not None and len(sizes) == 1 and len(columns) <= _MOST_OF_A_TURN:
        others = {key: [one_line(_written(each.get(key) or '')) for each in records] for key in columns}
        del others[text], others[speaker]
        counted = [[*map(_stamp, said)] for key, said in others.items() if _TIME.search(key)]
        stamps = [said for said in (*others.values(), *counted) if all(map(_DAY.match, said))][:1]
        beside = [*stamps, *filter(_is_place, others.values())] or [[''] * len(records)]
        turns = (
            Turn(
                name or '?', ', '.join(filter(None, at)), ' '.join(_DAY.sub(r'\1', each) for each in at), [_shown(said)]
            )
            for name, said, *at in zip(columns[speaker], columns[text], *beside, strict=True)
            if said.strip()
        )
        return '\n\n'.join(written(turns))
    return '\n\n'.join(
        f'{_heading(each, {text: said}, "")}\n\n{_shown(said)}'.rstrip()
        for each, said in zip(records, columns[text], strict=True)
    )


_DAY = re.compile(r'(\d{1,4}[./-]\d{1,2}[./-]\d{1,4})(?![./-]?\d).*')
_TIME = re.compile(r'time|date|epoch|created|posted|(?:^|_)(?:ts|sent|when|at)(?:$|_|at$|on$)', re.IGNORECASE)
"""What members are called that say when."""
_SECONDS = re.compile(r'1\d{9}(?:\d{3}|\.\d+)?')
_MOST_OF_A_TURN = 6
"""Members of what somebody says: who, when, what kind it is of."""


def _stamp(text: str) -> str:
    """What a member of a turn says: of a time in seconds, or in thousandths of them, when that is (UTC)."""
    seconds = float(text[:10]) if _SECONDS.fullmatch(text) else 0.0
    return f'{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M}' if seconds else text


def _is_place(values: Sequence[str]) -> bool:
    """Return whether turns stand in these, one after the other, and not each in another."""
    return _is_speaker(values) and sum(here != after for here, after in pairwise(values)) <= len(values) / 2


def _is_written(said: Sequence[str]) -> bool:
    said = said[:_SAMPLE]
    is_long = sum(map(len, said)) >= _LEAST_WRITTEN * len(said)
    return is_long and is_talk([names.words(TAG.sub(' ', text[:_LONG])) for text in said])


def _shown(text: str) -> str:
    """A text, of HTML as markdown."""
    if TAG.search(text):
        from summarizer_tool.html.convert import to_markdown

        text = to_markdown(f'<html><body>{text}</body></html>', is_document=True).markdown
    return text.strip()


def _is_speaker(values: Sequence[str]) -> bool:
    """Return whether these are short words that recur, and are not all the same."""
    distinct = {*values} - {''}
    if not 1 < len(distinct) <= max(2, _MOST_SPEAKERS * len(values)) or max(map(len, distinct)) > _LONGEST_SPEAKER:
        return False
    return all(any(map(str.isalpha, each)) for each in distinct)
