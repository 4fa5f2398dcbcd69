"""`make conformance`: the real server under the clients of npm, one line a check."""

import argparse
import json
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from summarizer_tool.service.operations import OPERATIONS
from tests.support.server_process import Server, ServerError, answers_ok, bare_environment, free_port, started

HERE = Path(__file__).parent
REPOSITORY = HERE.parents[2]
MODULES = HERE / 'node_modules'
SAMPLE = REPOSITORY / 'examples' / 'crawl' / '03-history-and-timeline.md'

NODE_VERSION = (22, 19)
"""What the inspector asks for."""

SCENARIOS = (
    'server-initialize',
    'ping',
    'tools-list',
    'resources-list',
    'prompts-list',
    'server-sse-multiple-streams',
    'dns-rebinding-protection',
)
TOOLS = {operation.name for operation in OPERATIONS}
ERAS = ('legacy', 'modern')
"""Protocol versions up to 2025-11-25, which begin with `initialize`, and from 2026-07-28 on."""

TIMEOUT = 120.0
"""Seconds for one run of a tool, above the deadline of a tool call."""

TIMED_OUT = 124
"""The exit code of a tool that was ended, as `timeout` has it."""


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the outcome."""

    name: str
    problem: str = ''
    """Empty if it passed."""
    detail: str = ''


@dataclass(frozen=True, slots=True)
class Tools:
    """The installed npm tools, and the Node that runs them."""

    node: Path
    folder: Path
    """For what they write; also the home folder they see."""

    def run(self, script: str, *args: str) -> subprocess.CompletedProcess[str]:
        """Run the command of an installed package, to its end."""
        environment = bare_environment(self.folder)
        environment |= {'PATH': f'{self.node.parent}:{environment["PATH"]}', 'NO_COLOR': '1'}
        command = [str(self.node), str((MODULES / '.bin' / script).resolve()), *args]
        try:
            return subprocess.run(
                command, env=environment, cwd=self.folder, capture_output=True, text=True, timeout=TIMEOUT, check=False
            )
        except subprocess.TimeoutExpired:
            return subprocess.CompletedProcess(command, TIMED_OUT, '', f'no end within {TIMEOUT:g} s')

    def scenario(self, name: str, url: str) -> Check:
        """Run one scenario of the conformance suite; each of its checks must succeed."""
        results = self.folder / name
        done = self.run('conformance', 'server', '--url', url, '--scenario', name, '--output-dir', str(results))
        checks = [check for file in results.glob('**/checks.json') for check in json.loads(file.read_text('utf-8'))]
        bad = [check for check in checks if check['status'] not in ('SUCCESS', 'INFO')]
        problem = '; '.join(f'{check["id"]} {check["status"]}: {_explained(check)}' for check in bad)
        if not problem and (done.returncode or not checks):
            problem = f'exit code {done.returncode}, {len(checks)} checks: {_last(done.stdout + done.stderr)}'
        return Check(f'conformance {name}', problem, ', '.join(check['id'] for check in checks))

    def inspect(self, target: Sequence[str], era: str, *args: str) -> dict[str, Any]:
        """Run the inspector on a server.

        Returns:
            The result of the method.

        Raises:
            InspectorError: If it does not end with 0, or prints no result.
        """
        options = ['--cli', '--format', 'json', '--protocol-era', era, *args]
        done = self.run('inspector', *options, *target)
        if done.returncode:
            raise InspectorError(f'exit code {done.returncode}: {_last(done.stderr or done.stdout)}')
        try:
            return json.loads(done.stdout)['result']
        except (json.JSONDecodeError, KeyError):
            raise InspectorError(f'no result: {_last(done.stdout)}') from None


class InspectorError(Exception):
    """A run of the inspector that failed."""


def _explained(check: Mapping[str, Any]) -> str:
    return check.get('errorMessage') or json.dumps(check.get('details', {}))[:400]


def _last(output: str) -> str:
    return ' / '.join(line.strip() for line in output.strip().splitlines()[-5:])[-600:] or 'no output'


def inspector_checks(tools: Tools, transport: str, target: Sequence[str]) -> Iterator[Check]:
    """`tools/list` and `tools/call`, in each era of the protocol."""
    for era in ERAS:
        for method, check in (('tools/list', check_tools), ('tools/call summarize', check_summarize)):
            name = f'inspector {transport} {era} {method}'
            try:
                yield Check(name, *check(tools, target, era))
            except InspectorError as error:
                yield Check(name, str(error))


def check_tools(tools: Tools, target: Sequence[str], era: str) -> tuple[str, str]:
    """All operations, with schemas that all clients can take.

    Returns:
        What is wrong, and what was seen.
    """
    listed = tools.inspect(target, era, '--method', 'tools/list', '--strict')['tools']
    names = {tool['name'] for tool in listed}
    return '' if names == TOOLS else f'the tools are {sorted(names)}', f'{len(names)} tools'


def check_summarize(tools: Tools, target: Sequence[str], era: str) -> tuple[str, str]:
    """A summary: shorter than its source, once in the result, and with the handle of what was stored.

    Returns:
        What is wrong, and what was seen.
    """
    source = SAMPLE.read_text('utf-8')
    arguments = json.dumps({'content': source, 'max_output_tokens': 300})
    call = ('--method', 'tools/call', '--tool-name', 'summarize', '--tool-args-json', arguments)
    result = tools.inspect(target, era, *call)
    texts = [part['text'] for part in result['content'] if part['type'] == 'text']
    text = ''.join(texts).strip()
    problems = {
        f'an error result: {text[:200]}': result.get('isError', False),
        f'{len(result["content"])} pieces of content rather than one text': len(texts) != 1
        or len(result['content']) != 1,
        'the text is empty': not text,
        f'{len(text)} characters of {len(source)}': len(text) > len(source) / 2,
        'structured content repeats the text': bool(result.get('structuredContent')),
        'no handle in the last line': 'src_' not in text.rpartition('\n')[2],
    }
    return '; '.join(problem for problem, is_true in problems.items() if is_true), f'{len(text)} characters'


def checks(tools: Tools, command: Sequence[str], folder: Path) -> Iterator[Check]:
    """All checks, with the server running for those over HTTP.

    Args:
        tools: The npm tools.
        command: What starts the server.
        folder: For what server and tools write.

    Raises:
        ServerError: If the server does not start.
    """
    settings = {'LLM_MODEL': 'extractive', 'SUMMARIZER_STORE': ':memory:'}
    port = free_port()
    environment = bare_environment(folder) | settings | {'MCP_SUMMARIZER_PORT': str(port)}
    with started(command, environment, folder) as server:
        seconds = server.wait(lambda: answers_ok(f'http://127.0.0.1:{port}/health'))
        yield Check('server start', detail=f'healthy after {seconds:.1f} s')
        url = f'http://127.0.0.1:{port}/mcp'
        for scenario in SCENARIOS:
            yield tools.scenario(scenario, url)
        yield from inspector_checks(tools, 'http', ['--transport', 'http', '--server-url', url])
        yield check_stop(server)
    on_stdio = [f'-e{name}={value}' for name, value in settings.items()]
    yield from inspector_checks(tools, 'stdio', [*on_stdio, '--', *command, '--transport', 'stdio'])


def check_stop(server: Server) -> Check:
    """An end by SIGTERM, with exit code 0 and without the server's processes living on."""
    name = 'server stop'
    if (code := server.process.poll()) is not None:
        return Check(name, f'it had ended before, with exit code {code}')
    code, seconds = server.stop()
    if code != 0:
        return Check(name, 'it goes on after SIGTERM' if code is None else f'exit code {code}')
    return Check(name, 'processes live on' if server.leaves_processes() else '', f'within {seconds:.1f} s')


def find_node() -> Path | None:
    """The pinned Node of this platform, else one on the path that is new enough."""
    for candidate in (MODULES / '.bin' / 'node', shutil.which('node')):
        if candidate is None or not Path(candidate).exists():
            continue
        done = subprocess.run([candidate, '--version'], capture_output=True, text=True, check=False)
        version = done.stdout.strip().removeprefix('v').split('.')
        if done.returncode == 0 and tuple(map(int, version[:2])) >= NODE_VERSION:
            return Path(candidate).resolve()
    return None


def main() -> int:
    """Run all checks and print them.

    Returns:
        The exit code: 0 if all passed, 1 if not, 2 if they cannot be run here.
    """
    parser = argparse.ArgumentParser(prog='python -m tests.proofs.conformance', description=__doc__)
    default = shlex.join([str(Path(sys.executable).parent / 'summarizer'), 'serve'])
    parser.add_argument('--command', default=default, help='what starts the server (%(default)s)')
    command = shlex.split(parser.parse_args().command)
    # Told to end, the server is stopped first.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    node = find_node()
    if node is None or not (MODULES / '.bin' / 'conformance').exists():
        wanted = '.'.join(map(str, NODE_VERSION))
        print(f'no npm tools here, or no Node {wanted} to run them; install them with `make conformance`')
        return 2
    outcome = {True: 0, False: 0}
    with tempfile.TemporaryDirectory(prefix='conformance-', ignore_cleanup_errors=True) as temporary:
        folder = Path(temporary)
        try:
            for check in checks(Tools(node, folder), command, folder):
                outcome[not check.problem] += 1
                print(
                    f'{"FAIL" if check.problem else "ok  "} {check.name}: {check.problem or check.detail}', flush=True
                )
            if outcome[False]:
                written = (folder / 'server.log').read_text('utf-8', 'replace')
                print('--- the last lines of the server', *written.splitlines()[-20:], sep='\n')
        except ServerError as error:
            outcome[False] += 1
            print(f'FAIL server start: {error}')
    print(f'{outcome[True]} passed, {outcome[False]} failed')
    return 1 if outcome[False] else 0


if __name__ == '__main__':
    sys.exit(main())
