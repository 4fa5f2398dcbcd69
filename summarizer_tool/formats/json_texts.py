"""Texts that stand in JSON, as documents, messages and what servers return: as the texts they are. Pure computing."""

import json
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import TypeAlias, cast

from summarizer_tool.formats.chat import is_talk
from summarizer_tool.text import names
from summarizer_tool.text.lines import one_line

Record: TypeAlias = Mapping[str, object]

_SHARE = 0.8
"""Of the characters of some objects: what texts have of them, if they are made of texts."""
_TURN_SHARE = 0.5
"""The same of what people say, beside who and when."""
_LONG = 400
"""Characters over which a string is a text."""
_LEAST_TURNS = 4
_LONGEST_SPEAKER = 40
_MOST_SPEAKERS = 0.5
"""Of the turns: people say more than one thing each."""


def markdown(text: str) -> str:
    """What people say in JSON, or in a line of JSON each, turn by turn, or its texts; empty where it is other data."""
    if text.lstrip()[:1] not in ('{', '['):
        return ''
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        try:
            value = [json.loads(line) for line in text.splitlines() if line.strip()]
        except (ValueError, RecursionError):
            return ''
    read = _turns(_records(value)) or texts_of(value, is_beside=False)
    return f'{read}\n' if read else ''


def texts_of(value: object, shown: Callable[[str], str] = str, *, is_beside: bool = True) -> str:
    """The texts that an object or a list of objects is made of, below headings, with what else is said of each.

    One text alone, each as it is `shown`, has none where the rest of its object `is_beside` what is made of it. Empty
    where the value is made of anything else.
    """
    records = _records(value)
    texts = [
        {key: text for key, text in each.items() if isinstance(text, str) and len(text) > _LONG} for each in records
    ]
    written = sum(len(text) for each in texts for text in each.values())
    if not any(texts) or written < _SHARE * sum(map(_size, chain.from_iterable(map(_values, records)))):
        return ''
    if is_beside and len(texts) == len(texts[0]) == 1:
        return shown(*texts[0].values())
    return '\n\n'.join(
        f'{_heading(each, texts[index], key)}\n\n{shown(text)}'.rstrip()
        for index, each in enumerate(records)
        for key, text in (texts[index] or {'': ''}).items()
    )


def _records(value: object) -> list[Record]:
    """The objects that a value is, or has in a list that is nearly all of it; none where it is anything else."""
    if isinstance(value, dict):
        members = cast('dict[str, object]', value)
        largest = max(members.values(), key=_size, default=None)
        if not isinstance(largest, list) or _size(cast('object', largest)) < _SHARE * sum(map(_size, members.values())):
            return [members]
        value = cast('object', largest)
    items = cast('Sequence[object]', value) if isinstance(value, list) else ()
    records = [cast('Record', item) for item in items if isinstance(item, dict)]
    return records if len(records) == len(items) else []


def _values(record: Record) -> Sequence[object]:
    return [*record.values()]


def _size(value: object) -> int:
    return len(value) if isinstance(value, str) else len(_written(value))


def _written(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _heading(record: Record, texts: Record, key: str) -> str:
    """What a record calls its text, and below that what else it says."""
    said = {name: one_line(_written(member), _LONG) for name, member in record.items() if name not in texts}
    named = next((text for name, text in said.items() if isinstance(record[name], str)), str(key))
    lines = [f'{name}: {text}' for name, text in said.items()]
    return '\n'.join([f'# {named}', *lines, *([f'{key}:'] if len(texts) > 1 else [])])


def _turns(records: Sequence[Record]) -> str:
    """What people say: most of each object is one string, beside who says it."""
    if len(records) < _LEAST_TURNS:
        return ''
    strings = [{key: text for key, text in each.items() if isinstance(text, str)} for each in records]
    keys = dict.fromkeys(key for each in strings for key in each)
    sizes = {key: sum(len(each.get(key, '')) for each in strings) for key in keys}
    said = max(sizes, key=lambda key: sizes[key], default='')
    everything = sum(map(_size, chain.from_iterable(map(_values, records))))
    speaker = next((key for key in keys if key != said and _is_speaker([each.get(key, '') for each in strings])), None)
    if speaker is None or sizes[said] < _TURN_SHARE * everything:
        return ''
    if not is_talk([names.words(each.get(said, '')) for each in strings]):
        return ''
    turns = ((each.get(speaker, '?'), each.get(said, '').strip()) for each in strings)
    return '\n\n'.join(f'{name}: {text}' for name, text in turns if text)


def _is_speaker(values: Sequence[str]) -> bool:
    """Return whether these are short, recur, and are not all the same."""
    distinct = {*values} - {''}
    return 1 < len(distinct) <= max(2, _MOST_SPEAKERS * len(values)) and max(map(len, distinct)) <= _LONGEST_SPEAKER
