"""Read what weak models write for a field: `null`, `"80%"`, `"[1, 3]"`, one value where a list is asked for."""

import json
from collections.abc import Iterator
from typing import Annotated, cast

import regex
from pydantic import BaseModel, BeforeValidator
from pydantic.config import JsonDict, JsonValue

from summarizer_tool import one_line

DEFAULT_CONFIDENCE = 0.5
"""The confidence of a record whose model gives none, or gives it in words that say nothing."""

MAX_RANGE = 20
"""Pages taken of one range such as `2-5`; what cites more cites everything."""

_CONFIDENCE_WORDS = {
    'certain': 1.0, 'very high': 0.95, 'high': 0.9, 'likely': 0.8, 'medium': 0.6, 'moderate': 0.6, 'probable': 0.6,
    'possible': 0.4, 'uncertain': 0.3, 'low': 0.3, 'very low': 0.1, 'none': 0.0,
}  # fmt: skip
_NOTHING = frozenset(
    {'', '-', '–', '—', '?', 'n/a', 'na', 'nil', 'none', 'not given', 'not known', 'not mentioned', 'not specified',
     'not stated', 'null', 'unknown', 'unspecified', 'unstated'}
)  # fmt: skip
_FRACTION = regex.compile(r'\s*(\d{1,9}(?:[.,]\d{1,9})?)\s*(?:(%)|/\s*(\d{1,3})|(?:out\s+)?of\s+(\d{1,3}))?')
_PAGES = regex.compile(r'(?<!\d)(\d{1,9})(?!\d)(?:\s*[-–—]\s*(\d{1,9})(?!\d))?')
_KIND_AND_TARGET = regex.compile(r'\s*(.{1,40}?)\s*(?::|->|=>|→)\s*(.+)', regex.DOTALL)
_KEYS = {
    'kind': ('kind', 'type', 'relation', 'relationship', 'predicate'),
    'target': ('target', 'object', 'name', 'entity', 'to'),
    'detail': ('detail', 'details', 'description', 'note'),
    'sources': ('sources', 'source', 'pages', 'page'),
}
"""What models call the parts of a relation."""

_LAST = ('relations', 'confidence', 'sources')
"""Asked for after what they speak of."""


def bare(schema: JsonDict) -> None:
    """The schema as a model should see it: every member asked for, without titles, defaults and docstrings.

    Validation is more tolerant than what is asked for, and the docstrings speak of the program.
    """
    schema.pop('description', None)
    schema.pop('title', None)
    properties = schema.get('properties')
    if not isinstance(properties, dict):
        return
    for name in _LAST:
        if name in properties:
            properties[name] = properties.pop(name)
    schema['required'] = list[JsonValue](properties)
    for field in properties.values():
        if isinstance(field, dict):
            for key in ('title', 'default', 'minimum', 'maximum'):  # not all providers take bounds
                field.pop(key, None)


def _as_name(value: object) -> object:
    """A name: also as a number, or as an object that has a `name`; anything else stays wrong."""
    if isinstance(value, dict):
        value = cast('dict[object, object]', value).get('name')
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value)
    return one_line(value.encode(errors='replace').decode()) if isinstance(value, str) else value


def _as_text(value: object) -> str:
    """Text, numbers and lists as one text; what means "not known" as none."""
    if isinstance(value, list):
        return ', '.join(text for text in map(_as_text, cast('list[object]', value)) if text)
    text = _as_name(value)
    return text if isinstance(text, str) and text.casefold().rstrip('.') not in _NOTHING else ''


def _as_texts(value: object) -> list[str]:
    """A list of texts, or one without a list around it; each text once."""
    items = cast('list[object]', value) if isinstance(value, list) else [value]
    return [*dict.fromkeys(text for text in map(_as_text, items) if text)]


def _as_confidence(value: object) -> float:
    """0 to 1, whatever the scale: above 10 it is per cent, above 1 it is out of ten, and words mean what they mean."""
    scale = 0.0
    if isinstance(value, str):
        word = value.strip().lower()
        number = _FRACTION.match(word)
        if number is None:
            return _CONFIDENCE_WORDS.get(word, DEFAULT_CONFIDENCE)
        value = float(number[1].replace(',', '.'))
        scale = 100.0 if number[2] else float(number[3] or number[4] or 0)
    if not isinstance(value, int | float) or isinstance(value, bool) or value != value:
        return DEFAULT_CONFIDENCE
    scale = scale or (1.0 if value <= 1 else 10.0 if value <= 10 else 100.0)
    return round(min(1.0, max(0.0, value / scale)), 4)


def _as_sources(value: object) -> list[int]:
    """Page numbers, as numbers or in text (`"[1]"`, `"1, 3"`, `"2-4"`), each once; the rest is left out."""
    return [*dict.fromkeys(_page_numbers(value))]


def _page_numbers(value: object) -> Iterator[int]:
    for item in cast('list[object]', value) if isinstance(value, list) else [value]:
        if isinstance(item, str):
            for first, last in _PAGES.findall(item):
                low, high = int(first), int(last or first)
                yield from range(low, min(high, low + MAX_RANGE) + 1) if low else ()
        elif isinstance(item, list):
            yield from _page_numbers(cast('object', item))
        elif isinstance(item, dict):
            yield from _page_numbers(_first_of(cast('dict[str, object]', item), ('number', 'page', 'source', 'id')))
        elif isinstance(item, int | float) and not isinstance(item, bool) and 0 < item < 10**9 and item == int(item):
            yield int(item)


def _first_of(found: dict[str, object], keys: tuple[str, ...]) -> object:
    return next((found[key] for key in keys if found.get(key) is not None), None)


def _as_relation(value: object) -> dict[str, object]:
    """A relation under whatever keys, or in a few words: `leads: Tide Guild`, or only its target."""
    if isinstance(value, str):
        parts = _KIND_AND_TARGET.fullmatch(value)
        return {'kind': parts[1], 'target': parts[2]} if parts else {'target': value}
    if isinstance(value, BaseModel):
        return value.model_dump()
    if not isinstance(value, dict):
        return {}
    given = cast('dict[str, object]', value)
    return {part: found for part, keys in _KEYS.items() if (found := _first_of(given, keys)) is not None}


def _related(value: object) -> list[object]:
    """The members of a list of relations, of one without a list around it, or of targets by kind."""
    if isinstance(value, list):
        return cast('list[object]', value)
    if not isinstance(value, dict):
        return [value]
    given = cast('dict[str, object]', value)
    if _first_of(given, _KEYS['target']) is not None:
        return [given]
    return [
        {'kind': kind, 'target': target}
        for kind, targets in given.items()
        for target in (cast('list[object]', targets) if isinstance(targets, list) else [targets])
    ]


def as_relations(value: object) -> list[dict[str, object]]:
    """Relations in whatever form; those that name nothing are left out, rather than the record they are in."""
    named = ((relation, _as_text(relation.get('target'))) for relation in map(_as_relation, _related(value)))
    return [{**relation, 'target': target} for relation, target in named if target]


def as_records(value: object, key: str, part: str) -> object:
    """The envelope around a list, where the model has left it out, or the list; `part` is a field of its members."""
    if value is None:
        return {key: []}
    if isinstance(value, list):
        return {key: cast('object', value)}
    if not isinstance(value, dict):
        return value
    given = cast('dict[str, object]', value)
    if key not in given:
        return {key: [given]} if part in given else given
    members = given[key]
    if isinstance(members, str):  # encoded once more
        try:
            members = json.loads(members)
        except (ValueError, RecursionError):
            return given
    if isinstance(members, dict):
        members = [cast('object', members)]
    return {key: [] if members is None else members}


Name = Annotated[str, BeforeValidator(_as_name)]
Text = Annotated[str, BeforeValidator(_as_text)]
Texts = Annotated[list[str], BeforeValidator(_as_texts)]
Confidence = Annotated[float, BeforeValidator(_as_confidence)]
Sources = Annotated[list[int], BeforeValidator(_as_sources)]
