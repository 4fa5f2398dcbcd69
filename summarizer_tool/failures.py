"""What a failed model call means: why it failed, in words fit for logs, and whether the next one can do better."""

from pydantic_ai.exceptions import (
    ModelAuthenticationError,
    ModelHTTPError,
    ModelQuotaExceededError,
    OutputTokenLimitExceeded,
    UnexpectedModelBehavior,
)

DEADLINE = 'deadline'
"""The reason where there was no time, rather than a failure."""

_HOPELESS_STATUS = frozenset({401, 402, 403, 404})


def reason(error: BaseException) -> str:
    """Why a call failed, without content or secrets: a provider's message may quote both.

    Args:
        error: What the run of a sub-agent raised.

    Returns:
        `HTTP 429`, `timeout`, `cut off`, `invalid output`, or the name of the error's type.
    """
    cause: BaseException | None = error
    while cause is not None:
        status = getattr(cause, 'status_code', None) or getattr(getattr(cause, 'response', None), 'status_code', None)
        if isinstance(status, int):
            return f'HTTP {status}'
        if isinstance(cause, TimeoutError) or 'Timeout' in type(cause).__name__:
            return 'timeout'
        cause = cause.__cause__
    if isinstance(error, OutputTokenLimitExceeded):
        return 'cut off'
    if isinstance(error, UnexpectedModelBehavior):
        return 'invalid output'
    return type(error).__name__


def is_hopeless(error: BaseException) -> bool:
    """Whether every other call would fail the same way: a wrong key, no credit, no such model."""
    return isinstance(error, ModelAuthenticationError | ModelQuotaExceededError) or (
        isinstance(error, ModelHTTPError) and error.status_code in _HOPELESS_STATUS
    )


def first_of(group: ExceptionGroup[Exception]) -> Exception:
    """The first error in a group, at any depth: what a caller wants to catch by its own type."""
    first: Exception = group.exceptions[0]
    return first_of(first) if isinstance(first, ExceptionGroup) else first  # pyright: ignore[reportUnknownArgumentType]
