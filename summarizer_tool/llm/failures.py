"""What a failed model call means: why it failed, in words fit for logs, and whether the next one can do better."""

from asyncio import CancelledError

from pydantic_ai import exceptions
from pydantic_ai.exceptions import (
    IncompleteToolCall,
    ModelAuthenticationError,
    ModelHTTPError,
    ModelQuotaExceededError,
    UnexpectedModelBehavior,
    UsageLimitExceeded,
)

DEADLINE = 'deadline'
"""The reason of a call that had no time, rather than failed."""

BAD_ANSWERS = frozenset({'invalid output', 'cut off'})
"""The reasons of calls whose answer is of no use."""


class OutOfTimeError(Exception):
    """The time for calls is over."""


class ModelRefusedError(Exception):
    """Whoever lends the model has said no, and would say so again."""


# pydantic-ai before 2.68 has no error of its own for all answers that are cut off.
_CUT_OFF: type[Exception] = getattr(exceptions, 'OutputTokenLimitExceeded', IncompleteToolCall)

_HOPELESS_STATUS = frozenset({401, 402, 403, 404})


def reason(error: BaseException) -> str:
    """Why a call failed, without content or secrets: a provider's message may quote both.

    Args:
        error: What the run of a sub-agent raised.

    Returns:
        `HTTP 429`, `timeout`, `deadline`, `cut off`, `invalid output`, `usage limit`, `cancelled`, `refused`, or the
        name of the error's type.
    """
    if isinstance(error, ExceptionGroup):  # all models of a fallback have failed
        return reason(first_of(error))  # pyright: ignore[reportUnknownArgumentType]
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, OutOfTimeError):
            return DEADLINE
        if isinstance(cause, ModelRefusedError):
            return 'refused'
        status = getattr(cause, 'status_code', None) or getattr(getattr(cause, 'response', None), 'status_code', None)
        if isinstance(status, int):
            return f'HTTP {status}'
        if isinstance(cause, TimeoutError) or 'Timeout' in type(cause).__name__:
            return 'timeout'
        cause = cause.__cause__
    if is_cut_off(error):
        return 'cut off'
    if isinstance(error, UnexpectedModelBehavior):
        return 'invalid output'
    if isinstance(error, UsageLimitExceeded):
        return 'usage limit'
    if isinstance(error, CancelledError):
        return 'cancelled'
    return type(error).__name__


def is_cut_off(error: BaseException) -> bool:
    """Say whether an answer reached the output token limit, which the next one would, too."""
    return isinstance(error, _CUT_OFF) or (
        isinstance(error, UnexpectedModelBehavior) and error.message.startswith('Model token limit')
    )


def is_hopeless(error: BaseException) -> bool:
    """Say whether every other call would fail the same way: a wrong key, no credit, no such model."""
    if isinstance(error, ExceptionGroup):
        return all(map(is_hopeless, error.exceptions))  # pyright: ignore[reportUnknownArgumentType, reportUnknownMemberType]
    return isinstance(error, ModelAuthenticationError | ModelQuotaExceededError | ModelRefusedError) or (
        isinstance(error, ModelHTTPError) and error.status_code in _HOPELESS_STATUS
    )


def first_of(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """The first error in a group, at any depth: what a caller wants to catch by its own type."""
    first: BaseException = group.exceptions[0]
    return first_of(first) if isinstance(first, BaseExceptionGroup) else first  # pyright: ignore[reportUnknownArgumentType]


def is_final(reason: str) -> bool:
    """Say whether a call failed for good, rather than lacking time or bringing an answer of no use."""
    return reason != DEADLINE and reason not in BAD_ANSWERS
