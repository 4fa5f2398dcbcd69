"""Secrets in what a tool says when it fails: in the error, and in the errors that it came of."""

from collections.abc import Iterator
from typing import Any, cast

from pydantic import ValidationError
from pydantic_ai import ModelRetry
from pydantic_ai.exceptions import ToolFailedError, ToolRetryError
from pydantic_ai.messages import RetryFeedbackPart, ToolReturnPart

from researcher_integration.masking.masking import Masker, MaskingError

MAX_CHAIN = 50
"""Errors that one has come of. A longer chain is cut."""


class WithheldError(Exception):
    """Stands for an error whose message could not be freed of secrets."""


def without_secrets(error: Exception, masker: Masker, withheld: str) -> Exception:
    """An error that may be shown, traced and logged: itself, changed, as a rule.

    It keeps its type and its traceback, so that whoever waits for it still catches it. What cannot be changed is
    another error: a `ModelRetry` for a `ValidationError`, which would have become one; else a `WithheldError`.

    Args:
        error: What the tool has raised.
        masker: Finds the secrets.
        withheld: The message where they cannot be looked for.
    """
    chain = list(_chain(error))
    unmasked = [each for each in chain if not _is_masked(each, masker, withheld)]
    if not unmasked:
        return error
    if error in unmasked:
        return _instead(error, masker, withheld)
    error.__cause__, error.__context__, error.__suppress_context__ = None, None, True
    return error


def _chain(error: BaseException) -> Iterator[BaseException]:
    """An error, what it was raised from or while, and the members of groups."""
    waiting, seen = [error], set[int]()
    while waiting:
        each = waiting.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        if len(seen) == MAX_CHAIN:
            each.__cause__, each.__context__ = None, None
        yield each
        waiting += [other for other in (each.__cause__, each.__context__) if other is not None]
        if isinstance(each, BaseExceptionGroup):
            waiting += cast('BaseExceptionGroup[BaseException]', each).exceptions


def _is_masked(error: BaseException, masker: Masker, withheld: str) -> bool:
    """Mask what an error says, where it stands; whether that was possible."""
    try:
        _mask(error, masker)
        return not masker.mask(str(error)).counts
    except MaskingError:
        return _replaced(error, withheld)
    except (AttributeError, TypeError, ValueError):  # fields that cannot be set
        return False


def _mask(error: BaseException, masker: Masker) -> None:
    if isinstance(error, ToolRetryError):
        _mask_part(error.tool_retry, masker)
    elif isinstance(error, ToolFailedError):
        _mask_part(error.tool_failed, masker)
    args = tuple(_masked(arg, masker) for arg in cast('tuple[object, ...]', error.args))
    if any(new is not old for new, old in zip(args, error.args, strict=True)):
        error.args = args
    for name, value in list(vars(error).items()):
        if isinstance(value, str | bytes | list | dict | tuple):
            new = _masked(cast('object', value), masker)
            if new is not value:
                setattr(error, name, new)
    # An `OSError` keeps its words elsewhere.
    for name in ('strerror', 'filename', 'filename2') if isinstance(error, OSError) else ():
        value = getattr(error, name)
        new = _masked(value, masker)
        if new is not value:
            setattr(error, name, new)


def _masked(value: object, masker: Masker) -> object:
    if isinstance(value, str):
        masked = masker.mask(value)
        return masked.text if masked.counts else value
    return masker.mask_value(cast('object', value))[0] if isinstance(value, bytes | list | dict | tuple) else value


def _mask_part(part: ToolReturnPart | RetryFeedbackPart, masker: Masker) -> None:
    content, counts = masker.mask_value(part.content)
    if counts:
        part.content = cast('Any', content)  # of the same shape


def _replaced(error: BaseException, withheld: str) -> bool:
    """Put other words into an error whose own could not be looked through; whether that was possible."""
    if isinstance(error, ToolRetryError):
        error.tool_retry.content = withheld
    elif isinstance(error, ToolFailedError):
        error.tool_failed.content = withheld
    for name in vars(error):
        if name not in ('tool_retry', 'tool_failed'):
            setattr(error, name, withheld if name == 'message' else None)
    error.args = (withheld,)
    return str(error) == withheld


def _instead(error: Exception, masker: Masker, withheld: str) -> Exception:
    try:
        text = masker.mask(str(error)).text
    except MaskingError:
        text = withheld
    if isinstance(error, ValidationError):
        return ModelRetry(text)
    return WithheldError(f'{type(error).__name__}: {text}')
