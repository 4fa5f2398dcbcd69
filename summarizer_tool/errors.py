"""The errors of this package: each error names the input, the limit and the way out."""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic import ValidationError

MAX_SHOWN = 60  # characters of a key or a wrong value that an error repeats

_WORDS = {
    'missing': 'is missing',
    'model_type': 'must be a mapping',
    'dict_type': 'must be a mapping',
    'tuple_type': 'must be a list',
    'string_type': 'must be text, in quotes where it looks like something else',
    'string_too_short': 'is empty',
    'too_short': 'is empty',
}
"""Of pydantic's kinds of errors, those whose own words speak of Python."""

_PLAIN_KEY = re.compile(r'[A-Za-z_][\w-]*')


def shown(value: object) -> str:
    """What was given as an error repeats it: short, and on one line."""
    text = repr(value)
    return text if len(text) <= MAX_SHOWN else f'{text[: MAX_SHOWN - 1]}…'


def key_path(*parts: object) -> str:
    """`topics[2].instructions.report`: where in what was given something stands."""
    text = ''
    for part in parts:
        if isinstance(part, int):
            text += f'[{part}]'
        elif isinstance(part, str) and _PLAIN_KEY.fullmatch(part) and len(part) <= MAX_SHOWN:
            text += f'.{part}'
        elif part != '[key]':  # pydantic's word for "the key itself"
            text += f'[{shown(part)}]'
    return text.removeprefix('.')


def wrong_values(
    error: 'ValidationError',
    *,
    called: Callable[..., str] = key_path,
    hides: Callable[[str], bool],
    keys: str = 'parameters',
) -> list[str]:
    """What is wrong, each with its name, its value, and what it may be.

    Args:
        error: What pydantic says.
        called: The name of a value, from the keys that lead to it.
        hides: Whether a value, by its name, may be a secret, and is not repeated.
        keys: What the names of values are called.
    """
    words = {**_WORDS, 'extra_forbidden': f'is none of the {keys}'}
    told: list[str] = []
    for detail in error.errors(include_url=False, include_context=False):
        name, kind, value = called(*detail['loc']), detail['type'], detail['input']
        said = words.get(kind) or detail['msg'].removeprefix('Value error, ').split(', unable')[0]
        said = ' '.join(said.replace('Input should be', 'must be').replace('String should', 'must').split())
        is_shown = kind not in words and isinstance(value, str | int | float) and name and not hides(name)
        if is_shown:
            text = str(value)[: MAX_SHOWN + 1]
            is_plain = text.isprintable() and text.strip() == text and len(text) <= MAX_SHOWN
            told.append(f'{name}={text if is_plain else shown(value)} {said}')
        else:
            told.append(f'{name}: {said}' if name else said)
    return [*dict.fromkeys(told)]


class SummarizerError(Exception):
    """Base of every error this package raises on purpose."""


def check_type(name: str, value: object, *kinds: type) -> None:
    """Check what is given under a name; a `TypeError` names it, what it may be, and what it is."""
    if not isinstance(value, kinds):
        may_be = ' or '.join('None' if kind is type(None) else kind.__name__ for kind in kinds)
        raise TypeError(f'{name} is {may_be}, not {type(value).__name__}')


class ConfigurationError(SummarizerError):
    """A setting is wrong, or a key or package that the chosen model needs is missing."""


class InputTooLargeError(SummarizerError):
    """The input is larger than `SUMMARIZER_MAX_INPUT_MB`."""


class SummarizationFailedError(SummarizerError):
    """Every model call failed for good, and `on_failure` is `error`."""


class RequestError(SummarizerError, ValueError):
    """What was asked for cannot be done as it was asked; names the parameter and what to change."""


class ArgumentsError(RequestError):
    """An argument is unknown, missing or of the wrong type; names it and the parameters that there are."""


class UnknownSourceError(SummarizerError):
    """No source has this handle in the collection, or it has been evicted; names the near ones."""


class StoreError(SummarizerError):
    """The store cannot be read or written."""


class FetchError(SummarizerError):
    """A URL is refused, or cannot be fetched, or holds no text."""

    def __init__(self, message: str, *, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status
        """The HTTP status of the answer, where that was the reason."""
