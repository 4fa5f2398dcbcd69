"""An HTTP client that repeats what failed by chance, for the SDKs of all providers."""

import re
import time
from collections.abc import AsyncIterator, Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from ssl import SSLContext
from typing import TYPE_CHECKING

import anyio
import httpx2
from pydantic_ai.exceptions import UserError

from summarizer_tool.llm import rate_headers
from summarizer_tool.llm.provider_limit import Share
from summarizer_tool.settings import Settings

if TYPE_CHECKING:
    from tenacity import RetryCallState

CONNECT_SECONDS = 5.0

RETRYABLE_STATUS = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529})
"""Statuses that may pass by themselves; every other error status will be the same the next time."""

_COMMENTS = re.compile(rb'(?:[\r\n]+|:[^\r\n]*[\r\n]+)*')

_ERROR = re.compile(rb'"error"\s*:\s*\{[^{}]*?"code"\s*:\s*([45]\d\d)\b')
"""An error with its status in an answer: in a text that the answer quotes, the quotes have backslashes."""

_ERROR_BYTES = 8_000
"""Of the beginning of an answer, in which it is looked for."""

_ERROR_DEPTH = 2
"""Objects within which it stands at most: the answer, and a choice in it. The arguments of a call stand deeper."""


def _status_in(begun: bytes) -> int:
    """The status of the error that an answer is, by its beginning; 0 of any other."""
    error = _ERROR.search(begun, 0, _ERROR_BYTES)
    if error is None or begun.count(b'{', 0, error.start()) - begun.count(b'}', 0, error.start()) > _ERROR_DEPTH:
        return 0
    return int(error[1])


@cache
def _certificates() -> SSLContext:
    """The trusted certificates, which take longer to load than all else a client needs."""
    return httpx2.create_ssl_context()


class _Events(httpx2.AsyncByteStream):
    """The body of an answer that is handed on while it is written, within the time of its attempt."""

    def __init__(self, body: httpx2.AsyncByteStream, in_time: Callable[[], AbstractContextManager[None]]) -> None:
        self._body, self._chunks, self._in_time = body, aiter(body), in_time
        self._first = b''

    async def begin(self) -> bytes:
        """Wait for the first of the answer; comments (`: …`) keep the line busy before there is any."""
        while chunk := await anext(self._chunks, b''):
            self._first = _COMMENTS.sub(b'', self._first + chunk, 1)
            if self._first and not self._first.startswith(b':'):
                break
            self._first = self._first[:1]  # of a comment that goes on
        return self._first

    async def __aiter__(self) -> AsyncIterator[bytes]:
        chunk = self._first
        while chunk:
            yield chunk
            with self._in_time():
                chunk = await anext(self._chunks, b'')

    async def aclose(self) -> None:
        await self._body.aclose()


class _Attempt(httpx2.AsyncBaseTransport):
    """One attempt at a request, read to its end; of an answer that is streamed, to its beginning.

    The client inside finds the proxies of the environment, which one with a transport of its own does not look for.
    Reading here makes an answer that stops in the middle count as a failed attempt, bounds the attempt as a whole
    where a server keeps the line busy with blanks, and leaves the body of an error for the provider's client.
    """

    def __init__(self, timeout: float, share: Share | None, *, hedging: bool) -> None:
        self._timeout, self._share, self._hedging = timeout, share, hedging
        # How many requests there are at once, the concurrency limit says.
        limits = httpx2.Limits(max_connections=None, max_keepalive_connections=100)
        self._client = httpx2.AsyncClient(limits=limits, verify=_certificates())

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        share = self._share
        if share is None:
            return await self._answer(request)
        size = int(request.headers.get('content-length', 0))
        await share.within_rates(size)
        sent = time.monotonic()
        response = await (self._first_answer(request, share) if self._hedging else self._answer(request))
        headers = {name.lower(): value for name, value in response.headers.items()}
        begins = isinstance(response.stream, _Events)
        share.heard(response.status_code, headers, sent=sent, size=size, begins=begins)
        return response

    async def _first_answer(self, request: httpx2.Request, share: Share) -> httpx2.Response:
        """The answer of the request, or of a second one like it, if that answers first; the other is given up."""
        found: list[httpx2.Response] = []
        errors: list[httpx2.TransportError] = []
        asked = 1

        async def ask() -> None:
            try:
                response = await self._answer(request)
            except httpx2.TransportError as error:
                errors.append(error)
            else:
                found.append(response)
            if found or len(errors) == asked:
                group.cancel_scope.cancel()

        async with anyio.create_task_group() as group:
            sent = anyio.current_time()
            group.start_soon(ask)
            # How long a call takes may be known only while this waits; after more calls one more may be asked again.
            while (  # noqa: ASYNC110 - both come of answers to others
                left := share.whole.straggles_after - (anyio.current_time() - sent)
            ) > 0 or not share.hedge():
                await anyio.sleep(max(min(left, 1), 0.25))
            asked = 2
            group.start_soon(ask)
        for late in found[1:]:
            await late.aclose()
        if not found:
            raise errors[0]
        return found[0]

    async def _answer(self, request: httpx2.Request) -> httpx2.Response:
        ends = anyio.current_time() + self._timeout

        @contextmanager
        def in_time() -> Generator[None]:
            try:
                with anyio.fail_after(ends - anyio.current_time()):
                    yield
            except TimeoutError:
                raise httpx2.ReadTimeout(f'no complete answer in {self._timeout:g} s', request=request) from None

        with in_time():
            response = await self._client.send(request, auth=None, stream=True)
            try:
                is_streamed = response.headers.get('content-type', '').startswith('text/event-stream')
                if is_streamed and response.is_success and isinstance(response.stream, httpx2.AsyncByteStream):
                    response.stream = events = _Events(response.stream, in_time)
                    begun = await events.begin()
                else:
                    begun = await response.aread()
                # A gateway that has answered 200 already says so of the provider behind it.
                if response.is_success and (status := _status_in(begun)):
                    await response.aread()
                    response.status_code = status
            except BaseException:
                await response.aclose()
                raise
        return response

    async def aclose(self) -> None:
        await self._client.aclose()


def retrying_client(settings: Settings, share: Share | None = None) -> httpx2.AsyncClient:
    """An HTTP client that repeats what failed by chance: exponential waits, and Retry-After where a server names one.

    An answer that is streamed is not repeated once it has begun. When every attempt has failed, the last answer is let
    through as it is, so that the provider's client makes of it what it makes of any error. A `share` is told of each
    answer, and its place is free while a request waits for another attempt.
    """
    from pydantic_ai.models import create_async_httpx2_client
    from pydantic_ai.retries import AsyncHTTPX2TenacityTransport, RetryConfig, wait_retry_after
    from tenacity import retry_if_exception, stop_after_attempt, wait_exponential, wait_random

    timeout = settings.llm_timeout_seconds
    transport = AsyncHTTPX2TenacityTransport(
        RetryConfig(
            retry=retry_if_exception(_may_pass),
            wait=wait_retry_after(
                wait_exponential(multiplier=0.5, max=20) + wait_random(0, 0.5), rate_headers.LONGEST_PAUSE
            ),
            stop=stop_after_attempt(settings.llm_max_retries + 1),
            retry_error_callback=_last_answer,
            sleep=anyio.sleep if share is None else share.rest,
        ),
        wrapped=_Attempt(timeout, share, hedging=settings.llm_hedging),
        validate_response=_raise_if_retryable,
    )
    return create_async_httpx2_client(
        timeout=httpx2.Timeout(timeout, connect=min(CONNECT_SECONDS, timeout)), transport=transport
    )


def _raise_if_retryable(response: httpx2.Response) -> None:
    """Let every other status through: the provider's own client turns it into a typed error with its body."""
    # The OpenAI and Anthropic SDKs heed the second header, too: it marks an exhausted quota.
    is_soon = rate_headers.retry_after(response.headers) <= rate_headers.LONGEST_PAUSE
    if response.status_code in RETRYABLE_STATUS and is_soon and response.headers.get('x-should-retry') != 'false':
        response.raise_for_status()


def _may_pass(error: BaseException) -> bool:
    return isinstance(error, httpx2.HTTPStatusError | httpx2.TransportError) and not isinstance(
        error, httpx2.UnsupportedProtocol | httpx2.LocalProtocolError
    )


def _last_answer(state: 'RetryCallState') -> httpx2.Response:
    error = state.outcome.exception() if state.outcome else None
    if isinstance(error, httpx2.HTTPStatusError):
        return error.response
    raise error or UserError('no attempt was made')
