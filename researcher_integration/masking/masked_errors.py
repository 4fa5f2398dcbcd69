"""Secrets in what a tool says when it fails: in the error, and in the errors that it came of."""

from collections.abc import Callable, Iterator
from typing import Any, cast

from pydantic import ValidationError
from pydantic_ai import ModelRetry
from pydantic_ai.exceptions import ToolFailedError, ToolRetryError

from researcher_integration.masking.masking import Masker, MaskingError

_WITH_TEXT = (str, bytes, list, dict, tuple)


class WithheldError(Exception):
    """Stands for an error whose message could not be freed of secrets."""


def without_secrets(error: Exception, masker: Masker, withheld: str) -> Exception:
    """An error that may be shown, traced and logged: itself, changed, as a rule.

    It keeps its type and its traceback, so that whoever waits for it still catches it. What cannot be changed is
    another error: a `ModelRetry` for a `ValidationError`, which would have become one; else a `WithheldError`. The
    message is `withheld` where secrets cannot be looked for.
    """
    unmasked = [each for each in list(_chain(error)) if not _is_masked(each, masker, withheld)]
    if error not in unmasked:
        if unmasked:
            error.__cause__, error.__context__, error.__suppress_context__ = None, None, True
        return error
    try:
        text = masker.mask(str(error)).text
    except MaskingError:
        text = withheld
    return ModelRetry(text) if isinstance(error, ValidationError) else WithheldError(f'{type(error).__name__}: {text}')


def _chain(error: BaseException) -> Iterator[BaseException]:
    """An error, what it was raised from or while, and the members of groups."""
    waiting, seen = [error], set[int]()
    while waiting:
        each = waiting.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        yield each
        waiting += [other for other in (each.__cause__, each.__context__) if other is not None]
        if isinstance(each, BaseExceptionGroup):
            waiting += cast('BaseExceptionGroup[BaseException]', each).exceptions


def _is_masked(error: BaseException, masker: Masker, withheld: str) -> bool:
    """Mask what an error says, where it stands; whether that was possible."""
    try:
        try:
            _change(error, lambda value: masker.mask_value(value)[0])
            return not masker.mask(str(error)).counts
        except MaskingError:
            # Other words, where its own could not be looked through.
            _change(error, lambda _: withheld)
            error.args = (withheld,)
            return str(error) == withheld
    except (AttributeError, TypeError, ValueError):  # fields that cannot be set
        return False


def failed_part(error: BaseException) -> Any:
    """What a model is to be told of a failed call, as a part of a message; None where an error is for the program."""
    if isinstance(error, ToolRetryError):
        return error.tool_retry
    return error.tool_failed if isinstance(error, ToolFailedError) else None


def _change(error: BaseException, change: Callable[[object], object]) -> None:
    """Change all that an error says: its arguments and fields, and what it tells a model."""
    if (part := failed_part(error)) is not None:
        part.content = cast('Any', change(part.content))  # of the same shape
    args = cast('tuple[object, ...]', error.args)
    changed = tuple(change(cast('object', arg)) if isinstance(arg, _WITH_TEXT) else arg for arg in args)
    if any(new is not old for new, old in zip(changed, args, strict=True)):
        error.args = changed
    # An `OSError` keeps its words elsewhere.
    own = ('strerror', 'filename', 'filename2') if isinstance(error, OSError) else ()
    for name, value in [*vars(error).items(), *((name, getattr(error, name)) for name in own)]:
        if isinstance(value, _WITH_TEXT) and (new := change(cast('object', value))) is not value:
            setattr(error, name, new)
