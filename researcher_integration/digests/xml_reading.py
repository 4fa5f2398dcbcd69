"""XML as objects and lists, as JSON would have them."""

from collections.abc import Sequence
from xml.etree import ElementTree as ET

from researcher_integration.digests.json_reading import Json, Read

_DEEPEST = 60


def read_xml(text: str) -> Read | None:
    """Read a text that is XML; None if it is not, if it is a page, or if it declares a type or entities."""
    start = text[:2000].lstrip('\ufeff \t\r\n')
    if not start.startswith('<') or '<!DOCTYPE' in text or '<!ENTITY' in text:
        return None
    try:
        root = ET.fromstring(text.strip())  # noqa: S314 without entities nothing grows
    except (ET.ParseError, ValueError):
        return None
    return None if _name(root.tag) == 'html' else Read({_name(root.tag): _value(root, 0)})


def _value(element: ET.Element, depth: int) -> Json:
    """Attributes and parts by name; parts of one name are a list, text alone is itself."""
    text = (element.text or '').strip()
    if (not len(element) and not element.attrib) or depth > _DEEPEST:
        return text
    parts: dict[str, list[Json]] = {}
    for part in element:
        parts.setdefault(_name(part.tag), []).append(_value(part, depth + 1))
    values: dict[str, Json] = {_name(name): value for name, value in element.attrib.items()}
    values |= {name: _one_or_all(found) for name, found in parts.items()}
    return values | ({'text': text} if text else {})


def _one_or_all(found: Sequence[Json]) -> Json:
    return found[0] if len(found) == 1 else found


def _name(tag: str) -> str:
    """A name without its namespace."""
    return tag.rpartition('}')[2]
