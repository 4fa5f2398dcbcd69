"""What a schema hint names: of a JSON schema, or an example of one, the properties and what is said of them."""

import json
from collections.abc import Iterator

from pydantic import JsonValue

_TYPES = frozenset({'string', 'number', 'integer', 'boolean', 'object', 'array', 'null', 'str', 'int', 'float', 'bool'})
_SAYING = frozenset(('title', 'description', 'properties', 'items', 'anyOf', 'oneOf', 'allOf', '$defs', 'definitions'))


def words(hint: str) -> str:
    """A hint with the names and descriptions of a JSON schema in its place: `string` or `required` is not asked for."""
    begin = min(place % (len(hint) + 1) for place in map(hint.find, '{['))
    try:
        schema, end = json.JSONDecoder().raw_decode(hint, begin)
        return f'{hint[:begin]}{", ".join(dict.fromkeys(filter(None, _named(schema))))}{hint[end:]}'
    except (ValueError, RecursionError):
        return hint


def _named(schema: JsonValue) -> Iterator[str]:
    if isinstance(schema, str) and not _is_type(schema):
        yield schema
    elif isinstance(schema, list):
        yield from (named for each in schema for named in _named(each))
    elif isinstance(schema, dict):
        is_example = all(map(_is_type, schema.values())) and {*schema} != {'type'}
        is_schema = _is_type(schema.get('type', {})) or not {'$ref', '$defs', 'anyOf', 'properties'}.isdisjoint(schema)
        for name, value in schema.items():
            if is_example or not is_schema:
                yield name
            if is_example or not is_schema or name in _SAYING:
                yield from _named(value)


def _is_type(value: JsonValue) -> bool:
    return all(str(each).rstrip('?[]').lower() in _TYPES for each in (value if isinstance(value, list) else [value]))
