"""What a failed model call means: why it failed, in words fit for logs, and whether the next one can do better."""

import re
from asyncio import CancelledError
from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import cast

from pydantic import ValidationError
from pydantic_ai import exceptions
from pydantic_ai.exceptions import (
    ContentFilterError,
    IncompleteToolCall,
    ModelAPIError,
    ModelAuthenticationError,
    ModelHTTPError,
    ModelQuotaExceededError,
    UnexpectedModelBehavior,
    UsageLimitExceeded,
)

from summarizer_tool.llm.rate_headers import LONGEST_PAUSE, retry_after

DEADLINE = 'deadline'
"""The reason of a call that had no time, rather than failed."""

CUT_OFF = 'cut off'
"""The reason of an answer that reached the output token limit, or ends amid its list otherwise."""

CONTEXT_LENGTH = 'context length'
"""The reason of a call whose request is too long for the model."""

EMPTY, UNSUPPORTED = 'empty answer', 'no supported facts'
"""The reasons of a chunk whose answer says nothing, or nothing that stands in the chunk."""

BAD_ANSWERS = frozenset({'invalid output', CUT_OFF, 'broken off', 'content filter', CONTEXT_LENGTH, EMPTY, UNSUPPORTED})
"""The reasons of calls that the content of their request has failed, or whose answer is of no use."""


class OutOfTimeError(Exception):
    """The time for calls is over."""


class BrokenOffError(Exception):
    """An answer had begun, and nothing of it can be used."""


class NoAnswerError(Exception):
    """What came back is no answer."""


# pydantic-ai before 2.68 has no error of its own for all answers that are cut off.
_CUT_OFF: type[Exception] = getattr(exceptions, 'OutputTokenLimitExceeded', IncompleteToolCall)

_HOPELESS_STATUS = frozenset({401, 402, 403, 404})

_TOO_LONG_STATUS = 413

# In the words of the providers and servers that have no code of their own for it.
_TOO_LONG = re.compile(
    r'(?i)context.length|context.window|context.size|prompt is too long|input is too long|too many (input )?tokens'
    r'|token count .{0,40}exceeds|reduce the length'
)
_FILTERED = re.compile(r'(?i)content.?filter|content management policy|content policy|was flagged|moderation')
_TOOLS = re.compile(r'(?i)\btools?\b|\btool_|function.?call')
_UNSUPPORTED = re.compile(r'(?i)support|requires?\b|enabled?\b')
_CODE = re.compile(r'[A-Za-z]{2,20}(?:[_.][A-Za-z]{1,20}){1,5}')
_NUMBER = re.compile(r'(?<![\w.])\d[\d,]{0,11}(?![\w.]*\w)')


_NAMES: dict[type[BaseException], str] = {
    BrokenOffError: 'broken off',
    NoAnswerError: 'invalid output',
    UnexpectedModelBehavior: 'invalid output',
    UsageLimitExceeded: 'usage limit',
    CancelledError: 'cancelled',
}


def reason(error: BaseException) -> str:
    """Why a call failed, without content or secrets: a provider's message may quote both.

    It is `HTTP 403 permission_denied` (with the provider's name for it, if there is one, and the time to wait, where
    that is long), `timeout`, `deadline`, `context length`, `content filter`, `cut off`, `broken off`, `invalid output`,
    `usage limit`, `cancelled`, `refused`, or the name of the error's type.
    """
    error = first_of(error)  # all models of a fallback have failed
    for is_it, name in ((is_too_long, CONTEXT_LENGTH), (is_filtered, 'content filter'), (is_cut_off, CUT_OFF)):
        if is_it(error):
            return name
    names = (name for kind, name in _NAMES.items() if isinstance(error, kind))
    return _of_cause(error) or next(names, type(error).__name__)


def _causes(error: BaseException) -> Iterator[BaseException]:
    """An error, and what it comes of."""
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        cause = cause.__cause__


def _of_cause(error: BaseException) -> str:
    """What kept an answer from coming."""
    for cause in _causes(error):
        if isinstance(cause, OutOfTimeError):
            return DEADLINE
        status = getattr(cause, 'status_code', None) or getattr(getattr(cause, 'response', None), 'status_code', None)
        if isinstance(status, int) and status >= 400:
            wait = _long_wait(error)
            code = _code(cause)
            return (
                f'HTTP {status}'
                + (f' {code}' if code else '')
                + (f', try again in {timedelta(seconds=round(wait))}' if wait else '')
            )
        if isinstance(cause, TimeoutError) or 'Timeout' in type(cause).__name__:
            return 'timeout'
    return ''


def _long_wait(error: BaseException) -> float:
    """Seconds for which a provider has asked to wait, if that is longer than any call does; else 0."""
    headers = (getattr(getattr(cause, 'response', None), 'headers', None) for cause in _causes(error))
    asked = max(
        (retry_after(cast('Mapping[str, str]', each)) for each in headers if isinstance(each, Mapping)), default=0.0
    )
    return asked if LONGEST_PAUSE < asked < timedelta.max.total_seconds() else 0.0


def is_cut_off(error: BaseException) -> bool:
    """Say whether an answer reached the output token limit, which the next one would, too."""
    return isinstance(error, _CUT_OFF) or (
        isinstance(error, UnexpectedModelBehavior) and error.message.startswith('Model token limit')
    )


def is_too_long(error: BaseException) -> bool:
    """Say whether a request is longer than the model's window."""
    return isinstance(error, ModelHTTPError | ModelAPIError) and (
        getattr(error, 'status_code', None) == _TOO_LONG_STATUS
        or (_is_rejection(error) and _TOO_LONG.search(str(error)) is not None)
    )


def over_window(error: BaseException) -> int:
    """Tokens that a request has too many, if the error names what was asked and what there may be; else 0.

    However it is worded, the largest number is what was asked, and the next smaller one the window.
    """
    numbers = sorted({int(number.replace(',', '')) for number in _NUMBER.findall(_message(error))})
    return numbers[-1] - numbers[-2] if len(numbers) > 1 else 0


def is_filtered(error: BaseException) -> bool:
    """Say whether a provider has refused what a request says, or what its answer would."""
    return isinstance(error, ContentFilterError) or (
        isinstance(error, ModelAPIError) and _is_rejection(error) and _FILTERED.search(str(error)) is not None
    )


def refuses_tools(error: BaseException) -> bool:
    """Say whether an endpoint or the model behind it takes no tools, by which an answer gets its type."""
    for each in _each_in(error):
        if isinstance(each, ModelHTTPError) and each.status_code in (400, 404, 422, 500, 501):
            message = _message(each)
            # A server that fails on tools it has is to be asked again.
            is_said = each.status_code != 500 or _UNSUPPORTED.search(message)
            if is_said and not is_too_long(each) and _TOOLS.search(message):
                return True
    return False


def is_unreadable(error: BaseException) -> bool:
    """Say whether what came back is no answer of a provider: no choices, half of its JSON, a gateway's page."""
    if isinstance(error, UnexpectedModelBehavior):
        return error.message.startswith(('Invalid response', 'Streamed response ended'))
    if type(error) is ModelAPIError and isinstance(error.__cause__, ValueError):
        return True
    return isinstance(error, IndexError | RecursionError | ValidationError)


def _is_rejection(error: ModelAPIError) -> bool:
    status = getattr(error, 'status_code', None)
    return status is None or (400 <= status < 500 and status not in (401, 402, 404, 429))


def _body(error: BaseException) -> dict[str, object]:
    """What a provider says of an error, out of its envelope."""
    body: object = getattr(error, 'body', None)
    if isinstance(body, dict):
        body = cast('dict[str, object]', body).get('error', cast('object', body))
    return cast('dict[str, object]', body) if isinstance(body, dict) else {'message': error if body is None else body}


def _code(error: BaseException) -> str:
    """The provider's name for what is wrong, such as `invalid_api_key`, which is no text that it repeats."""
    named = map(_body(error).get, ('code', 'status', 'type'))
    return next((each for each in named if isinstance(each, str) and _CODE.fullmatch(each)), '')


def _message(error: BaseException) -> str:
    """What a provider says, without the numbers of its codes."""
    return str(_body(error).get('message', ''))


def is_hopeless(error: BaseException) -> bool:
    """Say whether every other call would fail the same way: a wrong key, no credit, no such model, hours to wait."""
    return all(
        not (is_filtered(each) or is_too_long(each))
        and (
            isinstance(each, ModelAuthenticationError | ModelQuotaExceededError)
            or (isinstance(each, ModelHTTPError) and (each.status_code in _HOPELESS_STATUS or bool(_long_wait(each))))
        )
        for each in _each_in(error)
    )


def first_of(error: BaseException) -> BaseException:
    """The first error in a group, at any depth: what a caller wants to catch by its own type."""
    return next(_each_in(error))


def _each_in(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for each in cast('BaseExceptionGroup[BaseException]', error).exceptions:
            yield from _each_in(each)
    else:
        yield error


def is_final(reason: str) -> bool:
    """Say whether a call failed for good: the provider cannot be reached or refuses us, whatever it is asked."""
    return reason != DEADLINE and reason not in BAD_ANSWERS
