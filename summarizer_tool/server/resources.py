"""The sources of a client's collection, as MCP resources."""

import logging
import re
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, TypeAlias

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError

from summarizer_tool import telemetry
from summarizer_tool.errors import SummarizerError
from summarizer_tool.server.http import arrival
from summarizer_tool.service.requests import ReadSourceRequest
from summarizer_tool.service.retrieval import Retriever
from summarizer_tool.service.setup import Setup
from summarizer_tool.store.source import DEFAULT_COLLECTION
from summarizer_tool.store.source_store import SourceStore

Context: TypeAlias = ServerRequestContext[Any, Any]

MAX_LISTED = 100
"""Sources in a list of resources, the last used first."""

RESOURCE_TOKENS = 5000
"""Of a source that one resource holds; the next begins where it ends."""

TEMPLATES = {
    'source://{id}': (
        'source',
        'A stored source',
        'The beginning of a stored source, as numbered lines; its end says how to read on.',
    ),
    'source://{id}/{start_line}': (
        'source_from_line',
        'A stored source from a line on',
        'The same, from a line on.',
    ),
    'source://{id}/{start_line}/{offset}': (
        'source_from_character',
        'A stored source from within a line on',
        'The same, from a character of a line on; for very long lines.',
    ),
}
"""How a source is read: URI, name, title, description."""

DEFECT = 'the request failed because of a defect in the server; its log names it'

_RESOURCE = re.compile(r'source://([^/]+)(?:/(\d{1,9}))?(?:/(\d{1,9}))?/?')

_logger = logging.getLogger('summarizer_tool')


def retriever_of(context: Context, setup: Setup, store: SourceStore) -> Retriever:
    """What works on the collection of the client that makes a request."""
    came = arrival(context.request)
    return setup.retriever(store.collection(came.collection if came else DEFAULT_COLLECTION))


class RefusedError(MCPError):
    """A request for a resource that is answered with an error; what it says may quote titles, which traces must not."""

    def __init__(self, reason: str) -> None:
        super().__init__(types.INVALID_PARAMS, 'refused')
        self.reason = reason


@contextmanager
def _refusing() -> Generator[None]:
    try:
        yield
    except SummarizerError as error:
        raise RefusedError(str(error)) from None
    except MCPError:
        raise
    except Exception as error:  # noqa: BLE001 - as for calls
        _logger.error('a request failed', extra=telemetry.defect(error))  # noqa: TRY400
        raise MCPError(types.INTERNAL_ERROR, DEFECT) from None


class Sources:
    """The handlers for resources, over all collections."""

    def __init__(self, setup: Setup, store: SourceStore) -> None:
        self._setup = setup
        self._store = store

    async def list_resources(
        self, context: Context, _params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        """The sources of the client's collection."""
        with _refusing():
            sources = await retriever_of(context, self._setup, self._store).service.sources(MAX_LISTED)
        return types.ListResourcesResult(
            resources=[
                types.Resource(
                    name=source.id,
                    title=source.title or None,
                    uri=f'source://{source.id}',
                    description=f'{source.tokens:,} tokens in {source.lines:,} lines',
                    mime_type='text/plain',
                    size=source.size,
                )
                for source in sources
            ]
        )

    async def list_resource_templates(
        self, _context: Context, _params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        """How a source is read."""
        return types.ListResourceTemplatesResult(
            resource_templates=[
                types.ResourceTemplate(
                    name=name, title=title, uri_template=uri, description=text, mime_type='text/plain'
                )
                for uri, (name, title, text) in TEMPLATES.items()
            ]
        )

    async def read_resource(
        self, context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        """Numbered lines of a source."""
        asked = _RESOURCE.fullmatch(params.uri)
        if asked is None:
            raise RefusedError(f'resources are {", ".join(TEMPLATES)}')
        source_id, start_line, offset = asked.groups()
        with _refusing():
            request = ReadSourceRequest(
                source_id=source_id,
                start_line=int(start_line or 1),
                offset=int(offset or 0),
                max_tokens=RESOURCE_TOKENS,
            )
            text = await retriever_of(context, self._setup, self._store).service.read_source(request)
        return types.ReadResourceResult(
            contents=[types.TextResourceContents(uri=params.uri, mime_type='text/plain', text=text)]
        )
