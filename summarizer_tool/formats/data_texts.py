"""Texts that stand in data (JSON, a line of JSON each, feeds): as the texts they are. Pure computing."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias, cast

from summarizer_tool.digests.json_reading import read_json
from summarizer_tool.digests.xml_reading import read_xml
from summarizer_tool.text.lines import one_line

Record: TypeAlias = Mapping[str, object]

_SHARE = 0.8
"""Of the characters of some objects: what texts have of them, if they are made of texts."""
_LONG = 400
"""Characters over which a string is a text."""


def markdown(text: str) -> str:
    """The texts that some data is made of, below what else is said of each; empty where it is made of anything else."""
    first = text.lstrip()[:1]
    if first not in ('<', '{', '['):
        return ''
    data = read_xml(text) if first == '<' else read_json(text)
    if data is None or data.around or data.broken or not (read := texts_of(data.value, is_beside=False)):
        return ''
    return f'{read}\n'


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
