"""What a schema hint names: of a JSON schema, or an example of one, the properties and what is said of them."""

import json
from collections.abc import Iterator

from pydantic import JsonValue

_TYPES = frozenset({'string', 'number', 'integer', 'boolean', 'object', 'array', 'null', 'str', 'int', 'float', 'bool'})
_KEYWORDS = frozenset({'properties', 'items', 'anyOf', 'oneOf', 'allOf', '$ref', '$defs', 'enum', 'const'})
_HOLDS = ('items', 'prefixItems', 'anyOf', 'oneOf', 'allOf', 'additionalProperties')


def words(hint: str) -> str:
    """A hint with the names and descriptions of a JSON schema in its place: `string` or `required` is not asked for."""
    begin = min((place for place in map(hint.find, '{[') if place >= 0), default=-1)
    if begin < 0:
        return hint
    try:
        schema, end = json.JSONDecoder().raw_decode(hint, begin)
        named = dict.fromkeys(_named(schema))
    except (ValueError, RecursionError):
        return hint
    return f'{hint[:begin]}{", ".join(filter(None, named))}{hint[end:]}'


def _named(schema: JsonValue) -> Iterator[str]:
    if isinstance(schema, str) and not _is_type(schema):
        yield schema
    elif isinstance(schema, list):
        for each in schema:
            yield from _named(each)
    elif isinstance(schema, dict):
        properties = schema
        is_example = all(map(_is_type, schema.values())) and {*schema} != {'type'}
        if not is_example and (_is_type(schema.get('type')) or not _KEYWORDS.isdisjoint(schema)):
            yield from (text for key in ('title', 'description') if isinstance(text := schema.get(key), str))
            for key in _HOLDS:
                yield from _named(schema.get(key))
            for key in ('$defs', 'definitions'):
                defined = schema.get(key)
                yield from _named([*defined.values()] if isinstance(defined, dict) else None)
            found = schema.get('properties')
            properties = found if isinstance(found, dict) else {}
        for name, value in properties.items():
            yield name
            yield from _named(value)


def _is_type(value: JsonValue) -> bool:
    """Return whether it is the name of a type, or several of them."""
    if isinstance(value, str):
        return value.rstrip('?[]').lower() in _TYPES
    return isinstance(value, list) and bool(value) and all(map(_is_type, value))
