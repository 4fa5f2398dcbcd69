"""Settings as people write them by hand (YAML, TOML, INI): objects and lists, as JSON would have them."""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from summarizer_tool.digests.json_reading import Json, Read
from summarizer_tool.digests.places import without_digits
from summarizer_tool.text.lines import is_written

_MOST = 1_000_000  # characters that are read; what is longer, nobody has written by hand
_DEEPEST = 100  # open brackets, or items that begin on one line
_GROWN = 20  # values for each line up to which what is said once and named again is told each time

_KEY = r'(?:[\w.$@/*+-]++|"[^"\n]++"|\'[^\'\n]++\')'
_YAML = re.compile(rf'(?>(?:- )*){_KEY}[ ]*:(?:\s|$)|-(?:\s|$)|---|\.\.\.|%YAML|[\]}}]')
_NESTED = re.compile(
    rf'^([ \t]*+)(?>(?:- )*){_KEY}[ ]*:[ \t]*(?:#.*)?\n(?:[ \t]*(?:#.*)?\n)*\1(?:[ \t]+|- )\S', re.MULTILINE
)
SECTION = re.compile(r'^\[\[?([^\[\]\n]++)\]\]?[ \t]*+(?:[#;].*)?$', re.MULTILINE)
_PAIR = re.compile(r'([\w.$@/*+-]+(?: [\w.$@/*+-]+)?)[ \t]*=[ \t]*(.*)')
_BRACKETS = re.compile(r'[\[\]{}]')
_ITEMS = re.compile(rf'(?:-[ \t]+){{{_DEEPEST}}}')
_PLAIN_WORDS: Mapping[str, Json] = {'true': True, 'false': False, 'null': None, '~': None, '': None}
_TEXT = 80  # characters from which a value of words is a text for readers
_TOLD_SHARE = 0.4
_PAIRS = 0.9  # share of the lines that must be settings where no parser knows the form
_NAMED = 0.5  # of these, how many have names of their own, numbers aside
_LEAST = 3


def read_settings(text: str) -> Read | None:
    """Read a text that is nothing but settings; None if it is not, or if it is broken."""
    lines = _without_comments(text).splitlines()
    if len(text) > _MOST or len(lines) < _LEAST:
        return None
    margin = [line for line in lines if not line[0].isspace()]
    value: Json = None
    if any(map(SECTION.fullmatch, margin)) and not is_deep(text):
        value = _typed(_toml(text) or _pairs(lines))
    elif margin and all(map(_YAML.match, margin)) and not is_deep(text) and _NESTED.search(text):
        value = _yaml(text, _GROWN * len(lines))
    elif (read := _pairs(lines)) and len({*(keys := [line.split('=')[0] for line in margin])}) > _PAIRS * len(lines):
        value = _typed(read) if len({*map(without_digits, keys)}) > _NAMED * len(lines) else None
    return Read(value) if value else None


def is_settings(text: str) -> bool:
    """Return whether a text is settings, and few of these are texts for readers, such as prompts."""
    read = read_settings(text)
    return read is not None and sum(map(len, _texts(read.value))) < _TOLD_SHARE * len(_without_comments(text))


def _texts(value: Json) -> Iterator[str]:
    if isinstance(value, Mapping | list):
        for each in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(each)
    elif isinstance(value, str) and len(value) >= _TEXT and is_written(value):
        yield value


def _without_comments(text: str) -> str:
    return '\n'.join(line for line in text.splitlines() if line.lstrip(' \t')[:1] not in ('', '#', ';'))


def is_deep(text: str) -> bool:
    """Return whether brackets stand so deep in each other that it takes long to lay them out."""
    depth = deepest = 0
    for bracket in _BRACKETS.findall(text):
        depth = depth + 1 if bracket in '[{' else max(0, depth - 1)
        deepest = max(deepest, depth)
    return deepest > _DEEPEST or _ITEMS.search(text) is not None


def _toml(text: str) -> Json:
    try:
        # Fractions stay as they are written.
        return cast('Json', tomllib.loads(text, parse_float=str))
    except ValueError:
        return None


def _yaml(text: str, most: int) -> Json:
    """The documents of YAML, every value as it is written; nothing if what they name again makes too much of them."""
    import yaml

    loader: type[yaml.BaseLoader] = getattr(yaml, 'CBaseLoader', yaml.BaseLoader)
    try:
        # No tag makes anything but objects, lists and strings.
        documents = [each for each in yaml.load_all(text, Loader=loader) if each]
        value = cast('Json', documents[0] if len(documents) == 1 else documents)
        return _typed(value) if _size(value, {}) <= most else None
    except (yaml.YAMLError, ValueError, RecursionError):
        return None


def _size(value: Json, known: dict[int, int]) -> int:
    """How many values a value has; one that stands in several places counts in each."""
    if not isinstance(value, Mapping | list):
        return 1
    if id(value) not in known:
        parts: Sequence[Json] = [*value.values()] if isinstance(value, Mapping) else value
        known[id(value)] = 1 + sum(_size(each, known) for each in parts)
    return known[id(value)]


def _typed(value: Json) -> Json:
    """A value whose plain words are what they are in JSON."""
    if isinstance(value, Mapping):
        return {str(key): _typed(each) for key, each in value.items()}
    if isinstance(value, str):
        return _PLAIN_WORDS.get(value, value)
    return [_typed(each) for each in value] if isinstance(value, list) else value


def _pairs(lines: Sequence[str]) -> Mapping[str, Json]:
    """Lines of `key = value` by section; a value goes on in lines that are farther in, what recurs is a list."""
    found: dict[tuple[str, str], list[str]] = {}
    section, told = '', 0
    values: list[str] | None = None
    for line in lines:
        if line[0].isspace() and values:
            values[-1] = f'{values[-1]} {line.strip()}'.strip()
        elif match := SECTION.fullmatch(line):
            section, values = match[1].strip(), None
        elif match := _PAIR.fullmatch(line):
            values = found.setdefault((section, match[1].strip()), [])
            values.append(match[2].strip())
        else:
            values = None
            continue
        told += 1
    if told < _PAIRS * len(lines):
        return {}
    root: dict[str, dict[str, Json]] = {}
    for (name, key), each in found.items():
        root.setdefault(name, {})[key] = each[0] if len(each) == 1 else each
    return {**root.pop('', {}), **root}
