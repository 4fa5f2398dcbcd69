"""Commands as processes of their own that need not start from nothing: forked from one that has imported all modules.

done = run('summarizer_tool', 'run', 'page.md', cwd=folder, environment={...})
assert (done.returncode, done.stdout) == (0, b'...')

What start-up does is tested with real starts.
"""

import atexit
import contextlib
import gc
import json
import os
import pkgutil
import runpy
import select
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import NotRequired, TypedDict

REPOSITORY = Path(__file__).parents[2]
PACKAGES = ('summarizer_tool', 'researcher_integration')
LAZY = ('anyio._backends._asyncio', 'genai_prices.data', 'pydantic_ai.models.openrouter', 'pydantic_ai.retries')
"""What they import only where it is needed, and which takes long."""
SECONDS = 60.0
"""A command that has not ended by then hangs."""
OFFERED = 'FORKING_ADDRESS'
"""The environment variable with the address of a forking process that others may use."""


class Command(TypedDict):
    """What to run."""

    module: str
    """Run as `__main__`, or, under a name, its function `main`."""
    name: NotRequired[str]
    arguments: list[str]
    environment: dict[str, str]
    cwd: str


class ForkedProcess:
    """A command that runs, with the methods that `subprocess.Popen` has for it."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._said = connection.makefile('r')
        self.pid = int(self._said.readline())
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """Its exit code; None while it runs."""
        if self.returncode is None and select.select([self._connection], [], [], 0)[0]:
            self._end()
        return self.returncode

    def wait(self, timeout: float = SECONDS) -> int:
        """Its exit code, once it has ended; what takes longer is killed."""
        if self.returncode is None:
            if not select.select([self._connection], [], [], timeout)[0]:
                self.send_signal(signal.SIGKILL)
                raise TimeoutError(f'the command has not ended within {timeout:g} s')
            self._end()
        assert self.returncode is not None
        return self.returncode

    def _end(self) -> None:
        self.returncode = int(self._said.readline())
        self._said.close()
        self._connection.close()

    def send_signal(self, number: int) -> None:
        if self.returncode is None:
            os.kill(self.pid, number)


def start(
    module: str,
    *arguments: str | Path | bytes,
    environment: Mapping[str, str],
    files: tuple[int, int, int],
    cwd: Path | None = None,
    name: str = '',
) -> ForkedProcess:
    """Start `python -m module`, or the program `name` that calls its `main`.

    Args:
        module: A module or package.
        arguments: What follows on its command line.
        environment: All of its environment variables.
        files: Its stdin, stdout and stderr, which stay the caller's to close.
        cwd: Its working directory.
        name: The program's name.
    """
    given = [argument if isinstance(argument, bytes) else os.fsencode(argument) for argument in arguments]
    command: Command = {
        'module': module,
        'arguments': [os.fsdecode(argument) for argument in given],
        'environment': dict(environment),
        'cwd': str(cwd or Path.cwd()),
        'name': name,
    }
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(address())
    socket.send_fds(connection, [json.dumps(command).encode() + b'\n'], files)
    return ForkedProcess(connection)


def run(
    module: str,
    *arguments: str | Path | bytes,
    environment: Mapping[str, str],
    cwd: Path | None = None,
    stdin: bytes = b'',
    name: str = '',
    seconds: float = SECONDS,
) -> subprocess.CompletedProcess[bytes]:
    """Run a command to its end, as `start` does.

    Args:
        module: As for `start`.
        arguments: As for `start`.
        environment: As for `start`.
        cwd: As for `start`.
        stdin: What it may read, which is a pipe: at most what one holds.
        name: As for `start`.
        seconds: After which it is killed.
    """
    source, pipe = os.pipe()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        os.set_blocking(pipe, False)
        assert os.write(pipe, stdin) == len(stdin)
        os.close(pipe)
        files = (source, out.fileno(), errors.fileno())
        process = start(module, *arguments, environment=environment, files=files, cwd=cwd, name=name)
        os.close(source)
        status = process.wait(seconds)
        out.seek(0)
        errors.seek(0)
        return subprocess.CompletedProcess([name or module, *arguments], status, out.read(), errors.read())


def program(folder: Path, name: str, module: str = '') -> Path:
    """Write an executable that has a command forked, for whoever starts a program himself.

    Args:
        folder: Where to.
        name: The program's name.
        module: As for `start`; without one it is started as Python is, with `-m` and a module before its arguments.
    """
    path = folder / name
    command = f'{module!r}, *sys.argv[1:], name={name!r}' if module else '*sys.argv[2:]'
    path.write_text(f"""#!{sys.executable} -S
import os, sys
sys.path.insert(0, {str(REPOSITORY)!r})
from tests.support import forking
os.environ[forking.OFFERED] = {address()!r}
sys.exit(forking.start({command}, environment=os.environ, files=(0, 1, 2)).wait())
""")
    path.chmod(0o755)
    return path


def address() -> str:
    """Where the process listens that forks, for this one and its children; the first to ask starts it, and ends it."""
    if not (found := os.environ.get(OFFERED)):
        found = os.environ[OFFERED] = _started()
    return found


def _started() -> str:
    folder = tempfile.mkdtemp(prefix='forking-')
    path = f'{folder}/socket'
    process = subprocess.Popen(
        [sys.executable, '-m', __name__, path], cwd=REPOSITORY, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout is not None

    def end() -> None:
        process.kill()
        process.communicate()
        Path(path).unlink(missing_ok=True)
        Path(folder).rmdir()

    atexit.register(end)
    assert process.stdout.readline() == b'ready\n', 'the process that forks commands did not start'
    return path


# In the process that forks.


_status: int | None = None
"""Of the command that has ended in this process."""


@atexit.register  # before any other, so after all others: they run from the last to the first
def _leave() -> None:
    """Leave the memory to the system: taking down all modules costs ten times what most commands do."""
    if _status is not None:
        with contextlib.suppress(OSError, ValueError):  # as at any end of a program whose reader has gone
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(_status)


def _import_all() -> None:
    for package in PACKAGES:
        for module in pkgutil.walk_packages([str(REPOSITORY / package)], f'{package}.'):
            if not module.name.endswith('.__main__'):
                import_module(module.name)
    for name in LAZY:
        import_module(name)
    import_module('summarizer_tool.text.tokens').encoding()
    # As the tests themselves: what is printed must not depend on what is installed.
    import_module('summarizer_tool.text.word_vectors').installed = lambda: None


def _serve(path: str) -> Command:
    """Fork whatever is asked for, until the parent has ended; the children return with their command."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    has_imported = False
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen()
        print('ready', flush=True)
        while listener in select.select([listener, sys.stdin], [], [])[0]:
            if not has_imported:
                gc.disable()
                _import_all()
                gc.freeze()
                gc.enable()
                has_imported = True
            connection, _ = listener.accept()
            with connection:
                if os.fork() == 0:
                    listener.close()
                    return _child(connection)
    sys.exit()


def _child(connection: socket.socket) -> Command:
    """Fork once more: wait for the command's end and tell it, in here, and return in there."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    message, files, _, _ = socket.recv_fds(connection, 65536, 3)
    while not message.endswith(b'\n'):
        message += connection.recv(65536)
    if pid := os.fork():
        connection.sendall(b'%d\n' % pid)
        _, status = os.waitpid(pid, 0)
        connection.sendall(b'%d\n' % os.waitstatus_to_exitcode(status))
        os._exit(0)
    for target, file in enumerate(files):
        os.dup2(file, target)
        os.close(file)
    return json.loads(message)


def _become(command: Command) -> None:
    os.chdir(command['cwd'])
    os.environ.clear()
    os.environ.update(command['environment'])
    sys.argv = [command.get('name') or command['module'], *command['arguments']]
    global _status
    try:
        if command.get('name'):
            sys.modules['__main__'].__package__ = None  # from which the name of a program is told
            import_module(command['module']).main()
        else:
            runpy.run_module(command['module'], run_name='__main__', alter_sys=True)
        _status = 0
    except SystemExit as ending:
        _status = ending.code if isinstance(ending.code, int) else None if ending.code else 0
        raise


if __name__ == '__main__':
    _become(_serve(sys.argv[1]))
