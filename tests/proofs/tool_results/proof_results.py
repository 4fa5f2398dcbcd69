"""Twelve tools whose results are 100 to 300 kB, half of them on a real MCP server, with what is planted in them."""

import json
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from mcp.server import MCPServer
from pydantic_ai import FunctionToolset
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.toolsets import AbstractToolset

from tests.proofs.tool_results import noise, noise_held_out
from tests.proofs.tool_results.noise_forms import Fact, Noise
from tests.support.threaded_server import served


@dataclass(frozen=True, slots=True)
class Result:
    """What one tool returns."""

    tool: str
    text: str
    facts: Sequence[Fact]
    is_structured: bool = False
    """Whether the tool returns the object that the text is the JSON of."""

    @property
    def value(self) -> object:
        return json.loads(self.text) if self.is_structured else self.text


def results(share: float = 1.0) -> list[Result]:
    """Twelve results with 200 facts, of seeds that no other test has.

    Args:
        share: Of their full size and of the facts; the small ones are for quick tests.
    """

    def of(number: int) -> int:
        return max(1, round(number * share))

    held = noise_held_out
    made: list[tuple[str, Noise]] = [
        ('read_harbour_log', noise.logs(301, of(3000), of(18))),
        ('list_shipments', noise.json_list(302, of(700), of(18))),
        ('list_pods', noise.pods(303, of(2300), of(18))),
        ('list_tenants', noise.table(304, of(3500), of(18))),
        ('read_access_log', held.access_log(305, of(2400), of(16))),
        ('read_agent_log', held.logfmt(306, of(2200), of(16))),
        ('read_java_log', held.java_log(307, of(2600), of(16))),
        ('read_json_log', held.json_log(308, of(1700), of(16))),
        ('list_deployments', held.deployments(309, of(450), of(16))),
        ('list_issues', held.issues(310, of(480), of(16))),
        ('read_system_log', held.syslog(311, of(2400), of(16))),
        ('list_containers', held.containers(312, of(1700), of(16))),
    ]
    structured = {'list_shipments', 'list_issues'}
    return [Result(tool, text, facts, tool in structured) for tool, (text, facts) in made]


@contextmanager
def toolsets(all_results: Sequence[Result]) -> Generator[list[AbstractToolset[None]]]:
    """The tools: every second one is a function, the others are those of an MCP server, over streamable HTTP."""
    functions = FunctionToolset[None]()
    for result in all_results[1::2]:
        functions.add_function(_function(result), name=result.tool)
    with _served(all_results[::2]) as url:
        yield [MCPToolset(url, id='harbour'), functions]


def _function(result: Result) -> Callable[[], object]:
    def answer() -> object:
        """Whatever the tool knows."""
        return result.value

    return answer


@contextmanager
def _served(some: Sequence[Result]) -> Generator[str]:
    server = MCPServer('harbour')
    for result in some:
        server.tool(name=result.tool, description='Whatever the tool knows.', structured_output=False)(
            _function(result)
        )
    with served(server.streamable_http_app()) as running:
        yield f'{running.origin}/mcp'
