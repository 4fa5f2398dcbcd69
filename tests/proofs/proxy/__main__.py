"""`make proxy-proof`: `summarizer proxy` before three servers of npm, under clients that never heard of it."""

import argparse
import json
import os
import shlex
import shutil
import signal
import sys
import tempfile
import time
import uuid
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp_types import (
    CallToolResult,
    CreateMessageResult,
    ElicitResult,
    ImageContent,
    TextContent,
    TextResourceContents,
)

from summarizer_tool import count_tokens
from tests.proofs.conformance.__main__ import ERAS, MODULES, Check, InspectorError, Tools, find_node
from tests.support.server_process import answers_ok, bare_environment, free_port, started

MARK = 'PROXY_PROOF'
"""A variable that all that the proxy starts inherits, so that it is found."""

ENTITIES = 3000
"""In the graph of the memory server."""

RAW_GOAL, SEEN_GOAL = 1_200_000, 15_000
"""Tokens: what the servers return, at least, and what the client gets of it, at most."""

FACT = 'pump-house-17'
"""The one entity of the graph that something is wrong with."""

SETTINGS = {'LLM_MODEL': 'extractive', 'SUMMARIZER_STORE': ':memory:'}
_PATHS = {'PYTHONPATH': os.environ['PYTHONPATH']} if 'PYTHONPATH' in os.environ else {}


@dataclass(frozen=True, slots=True)
class Bench:
    """Where the proof runs."""

    node: Path
    folder: Path
    command: Sequence[str]
    """What starts the proxy."""
    mark: str

    @property
    def environment(self) -> dict[str, str]:
        return {**bare_environment(self.folder), **SETTINGS, **_PATHS}

    def server(self, script: str, *arguments: str) -> StdioServerParameters:
        """A server of npm."""
        path = str((MODULES / '.bin' / script).resolve())
        memory = str(self.folder / 'memory.jsonl')
        return StdioServerParameters(
            command=str(self.node), args=[path, *arguments], env={MARK: self.mark, 'MEMORY_FILE_PATH': memory}
        )

    @property
    def servers(self) -> Mapping[str, StdioServerParameters]:
        return {
            'everything': self.server('mcp-server-everything'),
            'files': self.server('mcp-server-filesystem', str(MODULES)),
            'memory': self.server('mcp-server-memory'),
        }

    def config(self) -> Path:
        """A client's file with all three."""
        path = self.folder / 'mcp.json'
        entries = {name: each.model_dump(include={'command', 'args', 'env'}) for name, each in self.servers.items()}
        path.write_text(json.dumps({'mcpServers': entries}))
        return path

    def left(self) -> list[int]:
        """The processes of the servers that run."""
        found: list[int] = []
        for process in Path('/proc').glob('[0-9]*'):
            try:
                if f'{MARK}={self.mark}'.encode() in (process / 'environ').read_bytes():
                    found.append(int(process.name))
            except OSError:
                continue
        return found


def calls() -> list[tuple[str, str, dict[str, Any], str]]:
    """Server, tool, arguments and question of each large call."""
    root = MODULES
    listed = sorted((path for path in root.rglob('*') if path.suffix in ('.md', '.json')), key=lambda path: str(path))
    sizes = {path: path.stat().st_size for path in listed if path.is_file()}
    largest = sorted((path for path in sizes if 150_000 < sizes[path] < 1_500_000), key=sizes.__getitem__)[-5:]
    packages = [str(path) for path in listed if path.name == 'package.json' and sizes[path] > 1_000]
    readmes = [str(path) for path in listed if path.name == 'README.md']
    return [
        ('files', 'directory_tree', {'path': str(root)}, 'Which packages bring their own zod?'),
        ('files', 'search_files', {'path': str(root), 'pattern': '**/*.md'}, 'Where are licences kept?'),
        ('files', 'search_files', {'path': str(root), 'pattern': '**/*.json'}, 'Which packages have a tsconfig?'),
        ('files', 'read_multiple_files', {'paths': packages}, 'Which packages ask for a newer Node?'),
        ('files', 'read_multiple_files', {'paths': readmes}, 'Which of them are no longer maintained?'),
        *(('files', 'read_text_file', {'path': str(path)}, 'What is deprecated?') for path in largest),
        ('memory', 'read_graph', {}, 'Is anything broken?'),
    ]


async def fill_memory(client: Client) -> None:
    """Put a graph into the memory server, by its own tool."""
    entities = [
        {
            'name': FACT if number == 1717 else f'station-{number}',
            'entityType': 'station',
            'observations': [
                f'lies at kilometre {number * 3}',
                'state: flooded, out of order since May' if number == 1717 else 'state: in order',
            ],
        }
        for number in range(ENTITIES)
    ]
    await client.call_tool('create_entities', {'entities': entities})


def text_of(result: CallToolResult) -> str:
    return '\n'.join(block.text for block in result.content if isinstance(block, TextContent))


async def large_results(bench: Bench) -> AsyncIterator[Check]:
    """The same calls straight and through the proxy, and all tokens that each gives its client."""
    raw = 0
    wanted = calls()
    with (bench.folder / 'stderr').open('w') as stderr:
        async with Client(stdio_client(bench.servers['memory'], errlog=stderr), mode='legacy') as client:
            await fill_memory(client)
        for name in ('files', 'memory'):
            async with Client(stdio_client(bench.servers[name], errlog=stderr), mode='legacy') as client:
                for _, tool, arguments, _ in (call for call in wanted if call[0] == name):
                    size = count_tokens(text_of(await client.call_tool(tool, arguments)))
                    print(f'     {name} {tool}: {size:,} tokens', flush=True)
                    raw += size
        command, *arguments = bench.command
        proxy = StdioServerParameters(
            command=command, args=[*arguments, '--config', str(bench.config())], env=bench.environment
        )
        seen, slowest = 0, 0.0
        async with Client(stdio_client(proxy, errlog=stderr)) as client:
            tools = (await client.list_tools()).tools
            listed = count_tokens('\n'.join(tool.model_dump_json(by_alias=True, exclude_none=True) for tool in tools))
            told = f'{len(tools)} tools, in {listed:,} tokens'
            yield Check('three servers as one', '' if len(tools) > 20 else 'tools are missing', told)
            for name, tool, given, question in wanted:
                begun = time.monotonic()
                result = await client.call_tool(f'{name}_{tool}', {**given, 'question': question})
                slowest = max(slowest, time.monotonic() - begun)
                # All of it, also what no model sees.
                size = count_tokens(result.model_dump_json(by_alias=True, exclude_none=True))
                print(f'     {name}_{tool}: {size:,} tokens, {time.monotonic() - begun:.1f} s', flush=True)
                seen += size
            yield Check(
                'large results',
                '' if raw >= RAW_GOAL and seen <= SEEN_GOAL else 'too few returned, or too many seen',
                f'{raw:,} tokens of results, {seen:,} seen; the slowest took {slowest:.1f} s',
            )
            shown = text_of(result)
            yield Check('what was asked for is shown', '' if FACT in shown else shown[:400], FACT)
            handle = (result.meta or {})['summarizer/source_id']
            found = text_of(await client.call_tool('search_source', {'source_id': handle, 'text': 'flooded'}))
            yield Check('the whole is there to read', '' if 'out of order since May' in found else found[:400], handle)
            async for check in other_traffic(client):
                yield check
            async for check in lost_server(bench, client):
                yield check
        yield left_over(bench, 'after the client has gone')


async def other_traffic(client: Client) -> AsyncIterator[Check]:
    """What else goes through."""
    heard: list[float] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        heard.append(progress)

    slow = {'duration': 1, 'steps': 4}
    await client.call_tool('everything_trigger-long-running-operation', slow, progress_callback=hear)
    yield Check('progress', '' if heard == [1, 2, 3, 4] else str(heard))
    image = (await client.call_tool('everything_get-tiny-image', {})).content
    yield Check('images', '' if any(isinstance(block, ImageContent) for block in image) else str(image)[:200])
    prompts = [prompt.name for prompt in (await client.list_prompts()).prompts]
    prompt = await client.get_prompt('everything_simple-prompt')
    yield Check('prompts', '' if prompts and prompt.messages else 'none', ', '.join(prompts))
    resources = (await client.list_resources()).resources
    [content] = (await client.read_resource(resources[0].uri)).contents
    is_read = isinstance(content, TextResourceContents) and bool(content.text)
    yield Check('resources', '' if is_read else str(content)[:200], f'{len(resources)} listed')
    with anyio.move_on_after(0.3):
        await client.call_tool('everything_trigger-long-running-operation', {'duration': 30, 'steps': 2})
    echo = text_of(await client.call_tool('everything_echo', {'message': 'still here'}))
    yield Check('cancellation', '' if 'still here' in echo else echo)


def command_of(pid: int) -> str:
    return Path(f'/proc/{pid}/cmdline').read_text('utf-8', 'replace')


async def lost_server(bench: Bench, client: Client) -> AsyncIterator[Check]:
    """One of three is killed: the others go on, and it comes back."""
    of_memory = [pid for pid in bench.left() if 'server-memory' in command_of(pid)]
    for pid in of_memory:
        os.kill(pid, signal.SIGKILL)
    echo = text_of(await client.call_tool('everything_echo', {'message': 'here'}))
    first = await client.call_tool('memory_open_nodes', {'names': [FACT]})
    second = await client.call_tool('memory_open_nodes', {'names': [FACT]})
    problem = '' if of_memory and 'here' in echo and FACT in text_of(second) else text_of(second)[:300]
    how = text_of(first)[:120] if first.is_error else 'at the first call'
    yield Check('a killed server comes back', problem, how)


async def questions(bench: Bench) -> Check:
    """What a server asks of its client, by way of the proxy."""
    heard: list[str] = []

    async def elicit(_context: object, _params: object) -> ElicitResult:
        heard.append('elicitation')
        return ElicitResult(action='decline')

    async def sample(_context: object, _params: object) -> CreateMessageResult:
        heard.append('sampling')
        return CreateMessageResult(role='assistant', content=TextContent(text='a lighthouse'), model='played')

    server = bench.servers['everything']
    command, *arguments = [*bench.command, '--', server.command, *server.args]
    proxy = StdioServerParameters(command=command, args=arguments, env={**bench.environment, **(server.env or {})})
    answers = {'elicitation_callback': elicit, 'sampling_callback': sample}
    async with Client(stdio_client(proxy), mode='legacy', **answers) as client:
        await client.call_tool('trigger-elicitation-request', {})
        await client.call_tool('trigger-sampling-request', {'prompt': 'What is it?', 'maxTokens': 20})
    wanted = ['elicitation', 'sampling']
    return Check('elicitation and sampling', '' if heard[:2] == wanted else str(heard))


def left_over(bench: Bench, when: str) -> Check:
    """Whether anything that was started still runs, some seconds later."""
    for _ in range(100):
        if not bench.left():
            return Check(f'no process is left {when}')
        time.sleep(0.1)
    return Check(f'no process is left {when}', f'{len(bench.left())} are')


def inspected(bench: Bench, tools: Tools) -> Iterator[Check]:
    """The inspector from npm, on stdin and stdout and over HTTP, in each era of the protocol."""
    port = free_port()
    config = str(bench.config())
    over_http = [*bench.command, '--http', '--port', str(port), '--config', config]
    work = bench.folder / 'http'
    work.mkdir()
    with started(over_http, bench.environment, work) as server:
        server.wait(lambda: answers_ok(f'http://127.0.0.1:{port}/health'))
        yield from _inspected(tools, 'http', ['--transport', 'http', '--server-url', f'http://127.0.0.1:{port}/mcp'])
        code, seconds = server.stop()
        yield Check('proxy over HTTP stops', '' if code == 0 else f'exit code {code}', f'within {seconds:.1f} s')
    yield left_over(bench, 'after SIGTERM')
    on_stdio = [f'-e{name}={value}' for name, value in {**SETTINGS, **_PATHS}.items()]
    yield from _inspected(tools, 'stdio', [*on_stdio, '--', *bench.command, '--config', config])
    yield left_over(bench, 'after the inspector')


def _inspected(tools: Tools, transport: str, target: Sequence[str]) -> Iterator[Check]:
    for era in ERAS:
        for method, arguments, wanted in (
            ('tools/list', (), 'read_source'),
            ('resources/list', (), 'demo://'),
            ('prompts/list', (), 'everything_simple-prompt'),
            (
                'tools/call',
                ('--tool-name', 'files_directory_tree', '--tool-args-json', json.dumps({'path': str(MODULES)})),
                'The whole result is src_',
            ),
        ):
            name = f'inspector {transport} {era} {method}'
            try:
                result = json.dumps(tools.inspect(target, era, '--method', method, *arguments))
                yield Check(name, '' if wanted in result else result[:300], f'{count_tokens(result):,} tokens')
            except InspectorError as error:
                yield Check(name, str(error))


async def _all(bench: Bench, tools: Tools) -> int:
    failed = 0

    def say(check: Check) -> int:
        print(f'{"FAIL" if check.problem else "ok  "} {check.name}: {check.problem or check.detail}', flush=True)
        return bool(check.problem)

    failed += say(await questions(bench))
    async for check in large_results(bench):
        failed += say(check)
    for check in inspected(bench, tools):
        failed += say(check)
    return failed


def main() -> int:
    """Run all checks and print them.

    Returns:
        The exit code: 0 if all passed, 1 if not, 2 if they cannot be run here.
    """
    parser = argparse.ArgumentParser(prog='python -m tests.proofs.proxy', description=__doc__)
    default = shlex.join([sys.executable, '-m', 'summarizer_tool', 'proxy'])
    parser.add_argument('--command', default=default, help='what starts the proxy (%(default)s)')
    program, *arguments = shlex.split(parser.parse_args().command)
    command = [str(Path(shutil.which(program) or program).absolute()), *arguments]
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    node = find_node()
    if node is None or not (MODULES / '.bin' / 'mcp-server-memory').exists():
        print('no npm tools here, or no Node to run them; install them with `make proxy-proof`')
        return 2
    with tempfile.TemporaryDirectory(prefix='proxy-proof-', ignore_cleanup_errors=True) as temporary:
        folder = Path(temporary)
        bench = Bench(node, folder, command, uuid.uuid4().hex)
        failed = anyio.run(_all, bench, Tools(node, folder))
        if failed:
            print('--- the last lines of the proxy', *(folder / 'stderr').read_text().splitlines()[-20:], sep='\n')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
