"""`make container-check`: the install of the Dockerfile into a fresh environment, and its server, one line a check.

The build stage is followed with its paths below a temporary folder: the same files, the same commands. Then the
image's own CMD runs with its own ENV and that of docker-compose.yml, and HEALTHCHECK's own command waits for it.
"""

import argparse
import asyncio
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path

from mcp import Client
from mcp.types import TextContent

from tests.proofs.container.files import (
    REPOSITORY,
    SERVICE,
    Stage,
    compose_values,
    in_context,
    read,
    service_environment,
    stages,
)
from tests.support.server_process import ServerError, bare_environment, free_port, started

SAMPLES = REPOSITORY / 'examples' / 'crawl'

AUDIT = """
import os, sys

def audit(event, args, log=os.environ['AUDIT_LOG'], free=tuple(os.environ['AUDIT_FREE'].split(':'))):
    note = ''
    if event == 'open' and isinstance(args[0], str) and args[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
        note = '' if os.path.abspath(args[0]).startswith(free) else f'writes {args[0]}'
    elif event == 'socket.connect' and isinstance(args[1], tuple) and not args[1][0].startswith(('127.', '::1')):
        note = f'connects to {args[1][0]}'
    elif event == 'socket.getaddrinfo' and args[0] not in (None, '', '0.0.0.0', '127.0.0.1', 'localhost'):
        note = f'looks up {args[0]}'
    if note:
        with os.fdopen(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND), 'a') as file:
            file.write(note + '\\n')

sys.addaudithook(audit)
"""
"""As `sitecustomize`: notes what the server writes outside its volume and /tmp, and where it connects to."""


IMPORTS = """
import importlib, pkgutil
import summarizer_tool

names = ['trafilatura', 'openai', 'logfire']
found = pkgutil.walk_packages(summarizer_tool.__path__, 'summarizer_tool.')
names += [module.name for module in found if not module.name.endswith('.__main__')]
for name in names:
    importlib.import_module(name)
print(len(names))
"""
"""For the Python of the image: what a dependency has left out is found here rather than in the middle of a call."""


class CheckError(Exception):
    """A check that failed; the others depend on it."""


@dataclass(frozen=True, slots=True)
class Build:
    """The image as folders below `root`."""

    root: Path
    interpreter: Path
    """The Python that stands for the one of the base image."""

    def path(self, inside: str) -> Path:
        """Where a folder of the image is here."""
        return self.root / inside.removeprefix('/')

    def moved(self, text: str) -> str:
        """A command or a value with the image's own folders below `root`."""
        return re.sub(r'(?<![\w./])/(?=(?:src|opt|data)\b)', f'{self.root}/', text)

    def follow(self, stage: Stage) -> None:
        """Do what a build stage says: WORKDIR, COPY from the repository, RUN.

        Raises:
            CheckError: If a command fails, or an instruction is none of these.
        """
        folder = self.root
        # pip as configured on this machine: which index it asks is no matter of the image.
        environment = {**os.environ, 'PATH': f'{self.interpreter.parent}:{os.environ["PATH"]}'}
        environment.pop('VIRTUAL_ENV', None)
        for step in stage.steps:
            if step.name == 'WORKDIR':
                folder = self.path(step.arguments)
                folder.mkdir(parents=True)
            elif step.name == 'COPY':
                *sources, target = step.words
                for source in sources:
                    copy(source, folder / target)
            elif step.name == 'RUN':
                command = self.moved(step.without_flags)
                done = subprocess.run(
                    ['/bin/sh', '-e', '-c', command], env=environment, cwd=folder, capture_output=True, text=True
                )
                if done.returncode:
                    raise CheckError(f'{command}\n{(done.stdout + done.stderr)[-1500:]}')
            else:
                raise CheckError(f'{step.name} is not known here')

    def environment(self, stage: Stage, extra: Mapping[str, str]) -> dict[str, str]:
        """What a container of a stage has in its environment, with its folders below `root`."""
        values = {**stage.environment, **extra}
        values['PATH'] = values['PATH'].replace('$PATH', '/usr/bin:/bin')
        return {**bare_environment(self.path('/data')), **{name: self.moved(value) for name, value in values.items()}}


def copy(source: str, target: Path) -> None:
    """Copy a file, or what is in a folder, as far as `.dockerignore` lets it through."""
    ignore = read('.dockerignore').splitlines()
    root = REPOSITORY / source
    for file in [root] if root.is_file() else sorted(path for path in root.rglob('*') if path.is_file()):
        name = file.relative_to(REPOSITORY).as_posix()
        if in_context(name, ignore):
            place = target / file.relative_to(root.parent if root.is_file() else root)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(file, place)


def interpreter(version: str) -> Path:
    """A Python of the image's version that is on the path, else the one that runs this."""
    found = shutil.which(f'python{version}')
    for candidate in (found, sys.executable):
        if candidate and subprocess.run([candidate, '-c', ''], capture_output=True, check=False).returncode == 0:
            base = 'import sys; print(sys._base_executable)'
            return Path(
                subprocess.run([candidate, '-c', base], capture_output=True, text=True, check=True).stdout.strip()
            )
    raise CheckError('no Python runs here')


def prompts(folder: Path) -> dict[str, str]:
    """The texts of all prompts below a folder, by their paths."""
    return {file.relative_to(folder).as_posix(): file.read_text('utf-8') for file in sorted(folder.rglob('*.md'))}


def installed(build: Build) -> Iterator[str]:
    """Look at the installed package.

    Yields:
        What was found right.
    """
    [site] = build.path('/opt/venv').glob('lib/python*/site-packages')
    shipped, own = prompts(site / 'summarizer_tool' / 'prompts'), prompts(REPOSITORY / 'prompts')
    if shipped != own:
        raise CheckError(f'prompts missing or different: {sorted(shipped.items() ^ own.items())[:5]}')
    yield f'prompts: {len(own)}, {sum(1 for name in own if "/" in name)} of them in folders, beside the modules'
    if (site / 'pip').exists():
        raise CheckError('pip is in the environment')
    if not list(site.glob('summarizer_tool/__pycache__/*.pyc')):
        raise CheckError('the modules are not compiled, and nobody may write them at run time')
    imported = subprocess.run(
        [build.path('/opt/venv/bin/python'), '-I', '-c', IMPORTS], capture_output=True, text=True, check=False
    )
    if imported.returncode:
        raise CheckError(f'a module cannot be imported: {imported.stderr[-600:]}')
    yield f'imports: {imported.stdout.strip()} modules, and what they load only when they need it'
    size = sum(file.stat().st_size for file in site.rglob('*') if file.is_file())
    yield f'size: {size / 1e6:.0f} MB, compiled, without pip'


def is_healthy(command: list[str], environment: Mapping[str, str], folder: Path) -> bool:
    """Run the command of the health check."""
    program = shutil.which(command[0], path=environment['PATH'])
    if program is None:
        raise CheckError(f'{command[0]} is not on the PATH of the image')
    return subprocess.run([program, *command[1:]], env=environment, cwd=folder, capture_output=True).returncode == 0


async def call(url: str) -> str:
    """Summarize all samples, which is enough for the worker processes.

    Returns:
        The text of the answer.
    """
    async with Client(url) as client:
        content = '\n\n'.join(page.read_text('utf-8') for page in sorted(SAMPLES.glob('*.md')))
        arguments = {'content': content, 'max_output_tokens': 1000}
        result = await client.call_tool('summarize', arguments)
    text = ''.join(part.text for part in result.content if isinstance(part, TextContent))
    if result.is_error or not text.strip():
        raise CheckError(f'summarize answers {text[:300] or "nothing"!r}')
    return text


def status(port: int, host: str) -> int:
    """The HTTP status of an `initialize` with a Host header."""
    body = (
        '{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", '
        '"capabilities": {}, "clientInfo": {"name": "check", "version": "1"}}}'
    )
    headers = {'Host': host, 'Content-Type': 'application/json', 'Accept': 'application/json, text/event-stream'}
    connection = HTTPConnection('127.0.0.1', port, timeout=10)
    try:
        connection.request('POST', '/mcp', body, headers)
        return connection.getresponse().status
    finally:
        connection.close()


def served(build: Build, stage: Stage) -> Iterator[str]:
    """Start the server and use it.

    Yields:
        What was found right.
    """
    data, temporary = build.path('/data'), build.path('/tmp')
    for folder in (data, temporary, build.path('/audit')):
        folder.mkdir()
    compose = compose_values(read('docker-compose.yml'))
    port = free_port()
    set_there = service_environment(compose)
    published = set_there['MCP_SUMMARIZER_PORT']
    environment = build.environment(
        stage, {name: value.replace(published, str(port)) for name, value in set_there.items()}
    )
    audit = build.path('/audit')
    (audit / 'sitecustomize.py').write_text(AUDIT)
    environment |= {'TMPDIR': str(temporary), 'AUDIT_LOG': str(audit / 'log')}
    environment |= {'PYTHONPATH': str(audit), 'AUDIT_FREE': f'{data}:{temporary}:{audit}:/dev/'}
    command = stage.last('CMD').words
    program = shutil.which(command[0], path=environment['PATH'])
    if program is None or not program.startswith(str(build.root)):
        raise CheckError(f'{command[0]} is not in the environment that was built')
    with started([program, *command[1:]], environment, build.root) as server:
        probe = {**environment, 'PYTHONPATH': ''}
        seconds = server.wait(lambda: is_healthy(stage.health_command, probe, build.root))
        yield f'health: HEALTHCHECK succeeds after {seconds:.1f} s'
        text = asyncio.run(call(f'http://127.0.0.1:{port}/mcp'))
        yield f'call: summarize answers {len(text)} characters'
        answers = {name: status(port, name) for name in (f'{SERVICE}:{port}', f'localhost:{port}', 'rebound.example')}
        if list(answers.values()) not in ([200, 200, 421], [200, 200, 403]):
            raise CheckError(f'Host headers are answered {answers}')
        yield f'hosts: {answers}'
        limit = float(compose[f'services.{SERVICE}.stop_grace_period'].removesuffix('s'))
        code, seconds = server.stop()
        if code != 0 or seconds > limit or server.leaves_processes():
            raise CheckError(f'after SIGTERM: exit code {code}, {seconds:.1f} s, limit {limit:g} s\n{server.tail()}')
        yield f'stop: SIGTERM, exit code {code} after {seconds:.1f} s, no process left'
        if is_healthy(stage.health_command, probe, build.root):
            raise CheckError('HEALTHCHECK succeeds although there is no server')
    store = Path(environment['SUMMARIZER_STORE'])
    if not store.is_file():
        raise CheckError(f'no store at {store}')
    yield f'store: {store.stat().st_size / 1e3:.0f} kB in the volume'
    notes = (audit / 'log').read_text() if (audit / 'log').exists() else ''
    if notes:
        raise CheckError(f'the server does what a container may not:\n{notes[:1500]}')
    yield 'audit: writes only to its volume and /tmp, connects and looks up nothing outside'


def check(python: str | None) -> Iterator[str]:
    """Build, look and serve.

    Args:
        python: The interpreter; `None`: one of the image's version, if there is one.

    Yields:
        What was found right.

    Raises:
        CheckError: What was found wrong.
        ServerError: If the server does not start.
    """
    build_stage, final = stages(read('Dockerfile'))
    wanted = re.findall(r'python:(\d+\.\d+)', build_stage.base)[0]
    with tempfile.TemporaryDirectory(prefix='container-') as temporary:
        build = Build(Path(temporary).resolve(), Path(python) if python else interpreter(wanted))
        version = subprocess.run(
            [build.interpreter, '--version'], capture_output=True, text=True, check=True
        ).stdout.strip()
        before = time.monotonic()
        build.follow(build_stage)
        yield f'build: {version} (the image has {wanted}), {time.monotonic() - before:.0f} s'
        yield from installed(build)
        yield from served(build, final)


def main() -> int:
    """Run the checks and print them.

    Returns:
        The exit code: 0 if all passed, 1 if not.
    """
    parser = argparse.ArgumentParser(prog='python -m tests.proofs.container', description='Follow the Dockerfile.')
    parser.add_argument('--python', default=os.environ.get('CONTAINER_PYTHON'), help='the interpreter to build with')
    python = parser.parse_args().python
    # Told to end, the server is stopped first.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    passed = 0
    try:
        for line in check(python):
            passed += 1
            print(f'ok   {line}', flush=True)
    except (CheckError, ServerError) as error:
        print(f'FAIL {error}\n{passed} passed, 1 failed')
        return 1
    print(f'{passed} passed, 0 failed')
    return 0


if __name__ == '__main__':
    sys.exit(main())
