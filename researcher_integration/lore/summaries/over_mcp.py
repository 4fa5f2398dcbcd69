"""Summaries by the MCP server of the summarizer, the same as in process for equal settings."""

from base64 import b64encode
from collections.abc import Callable, Generator, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import anyio
import httpx2
from fastmcp.client import Client
from fastmcp.client.transports import StreamableHttpTransport
from fastmcp.telemetry import suppress_fastmcp_telemetry
from mcp_types import TextContent
from pydantic import BaseModel, ConfigDict, SecretStr, ValidationError
from pydantic_ai.usage import RunUsage

from researcher_integration.lore.summaries.backends import (
    InProcess,
    SourceSummary,
    SummaryUnavailableError,
    source_summary,
)
from researcher_integration.mcp.failures import FAILURES, MAX_SHOWN, reason, refusal
from summarizer_tool import (
    ConfigurationError,
    Progress,
    RequestOptions,
    Stats,
    StoreError,
    SummaryTopic,
    UnknownSourceError,
    in_io_thread,
    is_http_address,
    one_line,
)

if TYPE_CHECKING:
    from fastmcp.client.progress import ProgressHandler

CONNECT_SECONDS = 5.0
"""A server that has not said hello by then is down, and every step of a research would wait for it."""

DEFAULT_TIMEOUT = 120.0
"""Seconds. A server answers within its `MCP_TOOL_TIMEOUT`, 110 by default, degraded if need be."""

_UNREADABLE = 'says of its answer nothing that can be read; is it a summarizer of this version?'

# A `ValidationError` means that something else than MCP has answered.
_FAILURES = (*FAILURES, httpx2.InvalidURL, ValidationError)

T = TypeVar('T')


class ServerAnswer(BaseModel):
    """The result of a tool of the server, with what it says of it as metadata."""

    model_config = ConfigDict(alias_generator=lambda name: f'summarizer/{name}')

    text: str
    is_error: bool
    state: str = ''
    stats: Stats | None = None
    warnings: tuple[str, ...] = ()
    degraded_parts: int = 0
    topics: list[dict[str, Any]] | None = None


class OverMCP:
    """Summaries by the MCP server of the summarizer.

    Handles mean the same here and there, being hashes of the text: the text of one is sent from the store of this
    process before the first call with it, and again where the server has lost it. It is connected while calls last,
    which share the connection, so a server may go and come back between them.
    """

    name = 'MCP server'

    def __init__(
        self, url: str, local: InProcess, *, token: SecretStr | None = None, timeout: float = DEFAULT_TIMEOUT
    ) -> None:
        """Prepare the connection.

        Args:
            url: Of the MCP endpoint, e.g. `http://127.0.0.1:8007/mcp`.
            local: The sources of this process.
            token: The bearer token, where the server asks for one.
            timeout: Seconds for one request.

        Raises:
            ConfigurationError: If the URL is not one of HTTP, or the token cannot stand in a header.
        """
        self._place = f'the MCP server at {_host(url)}'
        transport = StreamableHttpTransport(url, auth=_Access(token))
        self.client = Client[StreamableHttpTransport](
            transport, init_timeout=min(CONNECT_SECONDS, timeout), timeout=timeout
        )
        self._local = local
        self._timeout = timeout
        self._sent: set[str] = set()
        self._sending = anyio.Lock()

    async def condense(
        self, source_ids: Sequence[str], topics: Sequence[SummaryTopic], max_output_tokens: int, options: RequestOptions
    ) -> SourceSummary:
        """Compress sources for several topics, as `InProcess` does.

        Limits are checked before the server is asked, and usage is counted after it has answered: one call may go over
        a limit by what it needs itself.
        """
        usage = RunUsage() if options.usage is None else options.usage
        if options.usage_limits is not None:
            options.usage_limits.check_before_request(usage)
        arguments = {
            'content': '',
            'source_ids': [*source_ids],
            'schema_hint': '',
            'topics': [topic.model_dump(mode='json') for topic in topics],
            'max_output_tokens': max_output_tokens,
            'names_handles': False,
        }
        notify = None if options.on_progress is None else _telling(options.on_progress)
        name = 'summarize_for_extraction'
        async with self._sending:
            await self._send([handle for handle in source_ids if handle not in self._sent])
        answer = await self._call(name, arguments, notify)
        # An error names a handle only if something is wrong with it: the server may have lost it since.
        if answer.is_error and any(handle in answer.text for handle in source_ids) and await self._send(source_ids):
            answer = await self._call(name, arguments, notify)
        if answer.is_error:
            raise self._refusal(answer, source_ids)
        if answer.stats is None:
            raise SummaryUnavailableError(f'{self._place} {_UNREADABLE}')
        usage.incr(answer.stats.usage)
        texts = {topic.get('name', ''): topic.get('text', '') for topic in answer.topics or ()}
        return source_summary(texts, answer.state, answer.stats, answer.warnings, answer.degraded_parts)

    async def _send(self, source_ids: Sequence[str]) -> bool:
        """Send sources of this process to the server, with their titles and URLs; says whether it has got any."""
        is_sent = False
        for source_id in source_ids:
            try:
                document = await in_io_thread(self._local.service.collection.document, source_id)
            except UnknownSourceError:
                continue
            except StoreError as error:
                raise SummaryUnavailableError(str(error)) from error
            if not document.text.strip():  # the server would fetch the URL instead
                continue
            about = {'url': document.url, 'title': document.title}
            answer = await self._call('add_source', {'content': document.text, **about})
            if source_id not in answer.text and not answer.is_error:  # it looks like a page, and was read as one
                read = b64encode(document.text.encode()).decode()
                answer = await self._call('add_source', {'content': f'data:text/markdown;base64,{read}', **about})
            if answer.is_error:
                raise self._refusal(answer, [source_id])
            self._sent.add(source_id)
            is_sent = True
        return is_sent

    def _refusal(self, answer: ServerAnswer, source_ids: Sequence[str]) -> SummaryUnavailableError:
        # It would name other sources by their titles, which are what strangers wrote.
        unknown = min((each for each in source_ids if each in answer.text), key=answer.text.index, default='')
        why = f'lacks {unknown}, and so does this process' if unknown else f'says: {one_line(answer.text, MAX_SHOWN)}'
        return SummaryUnavailableError(f'{self._place} {why}')

    async def _call(
        self, name: str, arguments: dict[str, Any], notify: 'ProgressHandler | None' = None
    ) -> ServerAnswer:
        """Call a tool on the client, which is connected as long as any call lasts."""
        seconds = min(CONNECT_SECONDS, self._timeout)
        try:
            # Its spans would quote what a tool says has gone wrong, which names sources by their titles. Those of the
            # SDK stay, and the trace goes on in the server.
            with suppress_fastmcp_telemetry(), anyio.fail_after(self._timeout):
                async with self.client:
                    seconds = self._timeout
                    result = await self.client.call_tool(name, arguments, progress_handler=notify, raise_on_error=False)
        except _FAILURES as error:
            # What it is caused by may quote what was sent.
            raise SummaryUnavailableError(f'{self._place} cannot be used: {reason(error, seconds)}') from None
        text = '\n'.join(part.text for part in result.content if isinstance(part, TextContent))
        said = {'summarizer/text': text, 'summarizer/is_error': result.is_error}
        try:
            return ServerAnswer.model_validate({**(result.meta or {}), **said})
        except ValidationError:  # it quotes the server
            raise SummaryUnavailableError(f'{self._place} {_UNREADABLE}') from None


class _Access(httpx2.Auth):
    """Bearer authentication that fails the connection when the server refuses it.

    The client takes such an answer for that of an older server and would forget what it was.
    """

    def __init__(self, token: SecretStr | None) -> None:
        value = token.get_secret_value().strip() if token else ''
        if not (value.isascii() and value.isprintable()):
            raise ConfigurationError('the token of the MCP server has characters that no HTTP header may have')
        self._headers = {'Authorization': f'Bearer {value}'} if value else {}

    def auth_flow(self, request: httpx2.Request) -> Generator[httpx2.Request, httpx2.Response, None]:
        request.headers.update(self._headers)
        if error := refusal((yield request)):
            raise error


def _host(url: str) -> str:
    """The host and the port: the rest of a URL may hold secrets."""
    try:
        return httpx2.URL(is_http_address(url)).netloc.decode()
    except (ValueError, httpx2.InvalidURL) as error:
        raise ConfigurationError(f'the URL of the MCP server is wrong: {error}') from None


SummaryBackend: TypeAlias = InProcess | OverMCP


def _telling(on_progress: Callable[[Progress], None]) -> 'ProgressHandler':
    async def notify(progress: float, total: float | None, message: str | None) -> None:
        on_progress(Progress('map', int(progress), int(total or 0), message or ''))

    return notify
