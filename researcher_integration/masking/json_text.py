"""Secrets that the structure of JSON shows, in texts that begin as JSON does, whole or cut off."""

import re
from collections.abc import Iterator
from typing import Any, Self, cast

import regex

from researcher_integration.masking import secret_names
from researcher_integration.masking.findings import END, Finding, Masked
from researcher_integration.masking.masked_values import ValuePlace, Values
from researcher_integration.masking.structured_secrets import KUBERNETES

MAX_NESTED = 100
"""Objects and lists in each other; what is deeper counts as lying side by side."""

_OPENS = regex.compile(r'(?:\A|\0\n?)\s*(?=[{\[]\s*["{\[])')
_TOKEN = re.compile(
    r'(?P<text>"(?>(?:[^"\\\0]++|\\.)*)(?:"|\\?\Z|(?=\0)))(?P<colon>\s*:)?|[{}\[\]\0]|[^\s{}\[\],:"\0]++', re.DOTALL
)
# What only the structure tells: the rest is found by the names beside it.
_WORTH = re.compile(
    r'"kind"\s*:\s*"secret|"value"\s*:'
    r'|(?P<name>[\w.\- ]{0,40}(?:secret|token|key|pass|pwd|creds?|credential)\w{0,8})"\s*(?::\s*[{\[]|[,\]}])'
)
_SCALAR = re.compile(r'"|-?\d|(?:true|false|null|None|True|False|NaN|-?Infinity)$|MASKED_')
_SAME_KEYS = END
"""The key under which stands what has the key of something else in its object."""
_IS_SECRET = re.compile(r'"kind"\s*:\s*"Secret')


class _Located(str):
    """A string or a number of JSON, with where it stands."""

    __slots__ = ('bare', 'start')
    start: int
    bare: bool

    @classmethod
    def at(cls, text: str, start: int, *, bare: bool) -> Self:
        found = cls(text)
        found.start, found.bare = start, bare
        return found


class _LocatedValues(Values):
    """Finds the secrets in JSON that has been read into located strings; changes nothing."""

    def __init__(self) -> None:
        super().__init__(lambda text: Masked(text, {}))
        self.findings: list[Finding] = []

    def _text(self, value: str, place: ValuePlace) -> str:
        if isinstance(value, _Located) and place.kind and place.is_secret(value, is_number=value.bare):
            self.findings.append(Finding(value.start, value.start + len(value), place.kind, value.bare))
        return value


def find_in_json(text: str, lower: str) -> Iterator[Finding]:
    """Find values by the names over them, and those of a Secret."""
    if (END not in text and text.lstrip()[:1] not in ('{', '[')) or not _is_worth_it(text, lower):
        return
    for opening in _OPENS.finditer(text):
        yield from _find(text, opening.end())


def _is_worth_it(text: str, lower: str) -> bool:
    names = (match.span('name') for match in _WORTH.finditer(lower))
    return any(start < 0 or secret_names.kind_of(text[start:end]) for start, end in names)


def _find(text: str, start: int) -> list[Finding]:
    values = _LocatedValues()
    top: list[Any] = []
    stack: list[dict[str, Any] | list[Any]] = [top]
    key = ''
    document = start
    for token in _TOKEN.finditer(text, start):
        word = token[0]
        if token['colon']:
            key = token['text'].strip('"')
        elif word in ('{', '['):
            document = token.start() if len(stack) == 1 else document
            new: dict[str, Any] | list[Any] = {} if word == '{' else []
            if len(stack) < MAX_NESTED:
                _put(stack[-1], key, new)
            stack.append(new if len(stack) < MAX_NESTED else stack[-1])
            key = ''
        elif word in ('}', ']'):
            if len(stack) > 1:
                stack.pop()
        elif word == END:
            break
        elif len(stack) > 1 and not _SCALAR.match(word):
            end = _string_end(text, document)
            if _IS_SECRET.search(text, document, end):  # broken: no quote tells where a value ends
                values.findings.append(Finding(document, end, KUBERNETES))
                break
        else:
            quoted = word.startswith('"')
            content = word[1 : -1 if len(word) > 1 and word.endswith('"') else None] if quoted else word
            is_number = word[:1] in '-0123456789'
            at = token.start() + quoted
            _put(stack[-1], key, _Located.at(content, at, bare=not quoted) if quoted or is_number else None)
            key = ''
    values.masked(top)
    return values.findings


def _string_end(text: str, start: int) -> int:
    end = text.find(END, start)
    return end if end >= 0 else len(text)


def _put(container: dict[str, Any] | list[Any], key: str, value: object) -> None:
    if isinstance(container, list):
        container.append(value)
    elif key in container:  # twice in one object
        cast('list[Any]', container.setdefault(_SAME_KEYS, [])).append({key: value})
    else:
        container[key] = value
