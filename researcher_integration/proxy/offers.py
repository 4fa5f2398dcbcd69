"""What the servers offer, under the names that clients see, and to which server each name belongs."""

import logging
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar, cast

import anyio
import mcp_types as types
from mcp import MCPError

from researcher_integration.proxy.connection import Connection, ServerDownError
from summarizer_tool import in_thread, load_prompt

QUESTION = 'question'  # the argument that tools get beside their own

LIST_SECONDS = 10.0
"""For each server, where there are others that should not wait for it. When it is there, clients are told."""

MAX_PAGES = 100  # of one list of one server: a list that never ends is cut there

_KNOWN = frozenset(
    {'type', 'properties', 'required', 'additionalProperties', 'title', 'description', '$schema', '$defs'}
)
"""Keywords of a schema that are no hindrance to one more property; others may say more of which there may be."""

_LISTS: Mapping[str, tuple[str, Callable[..., types.Request[Any, Any]], type[types.PaginatedResult]]] = {
    'tools': ('tools', types.ListToolsRequest, types.ListToolsResult),
    'prompts': ('prompts', types.ListPromptsRequest, types.ListPromptsResult),
    'resources': ('resources', types.ListResourcesRequest, types.ListResourcesResult),
    'resource_templates': ('resources', types.ListResourceTemplatesRequest, types.ListResourceTemplatesResult),
}
"""By kind, which is also the field of the answer: the capability that a server needs, request and answer."""

Item = TypeVar('Item', types.Tool, types.Prompt, types.Resource, types.ResourceTemplate)

_logger = logging.getLogger('researcher_integration')


@dataclass(frozen=True, slots=True)
class Route:
    """Where a name leads."""

    connection: Connection
    name: str
    has_question: bool = False
    """Whether the proxy has added the question, which the server does not know."""


@dataclass
class Offers:
    """The lists of all servers as one. Each list is asked for anew; that of a server that is down is the last known."""

    connections: Sequence[Connection]
    own_tools: Sequence[types.Tool]
    """What the proxy offers itself; a tool of a server with one of these names gets another one."""
    schemas: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    _routes: dict[str, dict[str, Route]] = field(default_factory=dict[str, dict[str, Route]])
    """By kind, then by the name of a tool or a prompt, or the address of a resource."""
    _known: dict[tuple[str, str], Sequence[Any]] = field(default_factory=dict[tuple[str, str], Sequence[Any]])

    def exposed(self, connection: Connection, name: str) -> str:
        """The name under which a tool or prompt is offered: with its server's before it where there are several."""
        return name if len(self.connections) == 1 else _prefixed(connection, name)

    async def list_tools(self) -> types.ListToolsResult:
        """All tools, with a question where their schema allows one, and without a schema of what they return.

        A digest could not keep to it, and clients take what does not for an error.
        """
        routes: dict[str, Route] = {}
        tools = list(self.own_tools)
        taken = {tool.name for tool in tools}
        for connection, tool in await self._all('tools', types.Tool):
            name = self.exposed(connection, tool.name)
            while name in taken:
                name = _prefixed(connection, name)
            taken.add(name)
            schema = with_question(tool.input_schema)
            routes[name] = Route(connection, tool.name, has_question=schema is not None)
            # What runs as a task of the server is called as any other tool.
            update = {
                'name': name,
                'input_schema': schema or tool.input_schema,
                'output_schema': None,
                'execution': None,
            }
            tools.append(tool.model_copy(update=update))
        self._routes['tools'] = routes
        self.schemas = {tool.name: tool.input_schema for tool in tools}
        return types.ListToolsResult(tools=tools)

    async def list_prompts(self) -> types.ListPromptsResult:
        """All prompts; of two with the same name the first."""
        found: dict[str, tuple[Connection, types.Prompt]] = {}
        for connection, prompt in await self._all('prompts', types.Prompt):
            found.setdefault(self.exposed(connection, prompt.name), (connection, prompt))
        self._routes['prompts'] = {name: Route(owner, prompt.name) for name, (owner, prompt) in found.items()}
        prompts = [prompt.model_copy(update={'name': name}) for name, (_, prompt) in found.items()]
        return types.ListPromptsResult(prompts=prompts)

    async def list_resources(self) -> types.ListResourcesResult:
        """All resources; of two with the same address the first."""
        found: dict[str, tuple[Connection, types.Resource]] = {}
        for connection, resource in await self._all('resources', types.Resource):
            found.setdefault(resource.uri, (connection, resource))
        self._routes['resources'] = {uri: Route(owner, uri) for uri, (owner, _) in found.items()}
        return types.ListResourcesResult(resources=[resource for _, resource in found.values()])

    async def list_templates(self) -> types.ListResourceTemplatesResult:
        """All templates of addresses."""
        return types.ListResourceTemplatesResult(resource_templates=[each for _, each in await self.templates()])

    async def templates(self) -> list[tuple[Connection, types.ResourceTemplate]]:
        """All templates of addresses, each with its server."""
        return await self._all('resource_templates', types.ResourceTemplate)

    async def named(self, kind: Literal['tools', 'prompts'], name: str) -> Route | None:
        """The tool or prompt of a name, looked for in new lists if it is in none yet.

        Raises `ServerDownError` if none has it, and a server whose it may be by its name cannot be reached.
        """
        if name not in self._routes.get(kind, ()):
            await (self.list_tools() if kind == 'tools' else self.list_prompts())
        if name not in self._routes[kind]:
            for connection in self.connections:
                if name.startswith(self.exposed(connection, '')):
                    await connection.connected()
        return self._routes[kind].get(name)

    async def owners(self, uri: str) -> list[Connection]:
        """The servers that may have a resource: the one that lists it, else all."""
        if uri not in self._routes.get('resources', ()):
            await self.list_resources()
        if route := self._routes['resources'].get(uri):
            return [route.connection]
        return [each for each in self.connections if each.capabilities.resources is not None]

    async def _all(self, kind: str, item: type[Item]) -> list[tuple[Connection, Item]]:
        """What all servers list of a kind, or have listed last; raises `MCPError` if none ever has, nor does now."""
        failures: list[MCPError] = []

        async def one(connection: Connection) -> None:
            about = {'server': connection.name, 'list': kind}
            try:
                with anyio.move_on_after(math.inf if len(self.connections) == 1 else LIST_SECONDS) as waiting:
                    await connection.connected()
                    pages = await _pages(connection, kind)
                    self._known[connection.name, kind] = await in_thread(_masked, connection, pages)
                if waiting.cancelled_caught:
                    _logger.warning('a server is slow to list what it has', extra=about)
            except MCPError as error:
                failures.append(error)
                if not isinstance(error, ServerDownError):  # which is logged where it is noticed
                    _logger.warning('a server does not list what it has', extra=about)

        async with anyio.create_task_group() as tasks:
            for connection in self.connections:
                tasks.start_soon(one, connection)
        if len(failures) == len(self.connections) and not any(kept == kind for _, kept in self._known):
            raise failures[0]
        return [
            (connection, cast('Item', each))
            for connection in self.connections
            for each in self._known.get((connection.name, kind), ())
        ]


async def _pages(connection: Connection, kind: str) -> Sequence[Any]:
    capability, request, answer = _LISTS[kind]
    found: list[Any] = []
    if getattr(connection.capabilities, capability) is None:
        return found
    cursor: str | None = None
    for _ in range(MAX_PAGES):
        page = await connection.request(request(params=types.PaginatedRequestParams(cursor=cursor)), answer)
        found += getattr(page, kind)
        cursor = page.next_cursor
        if not cursor:
            return found
    _logger.warning('a list is cut: it has too many pages', extra={'server': connection.name, 'pages': MAX_PAGES})
    return found


def _prefixed(connection: Connection, name: str) -> str:
    return f'{re.sub(r"[^A-Za-z0-9_-]", "_", connection.name)}_{name}'


def _masked(connection: Connection, items: Sequence[Item]) -> Sequence[Item]:
    """What a server lists without secrets: names and addresses stay, which are asked for."""
    results = connection.proxy.results
    return [results.without_secrets(connection.name, each, ('title', 'description')) for each in items]


def with_question(schema: Mapping[str, Any]) -> dict[str, Any] | None:
    """The schema of a tool's arguments with an optional question; none where it does not allow for one more.

    That a schema allows no additional properties is no hindrance: the question becomes one of its own, and is taken
    out before the server sees the arguments.
    """
    properties = schema.get('properties', {})
    is_plain = schema.get('type') == 'object' and isinstance(properties, dict) and schema.keys() <= _KNOWN
    if not is_plain or QUESTION in properties:
        return None
    question = {'type': 'string', 'description': load_prompt('proxy/question')}
    return {**schema, 'properties': {**cast('dict[str, Any]', properties), QUESTION: question}}
