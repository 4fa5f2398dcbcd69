"""What the command line writes to a terminal does not steer it; what goes elsewhere is written as it is."""

import os
import pty
import subprocess
import sys
from pathlib import Path

from inline_snapshot import snapshot

from summarizer_tool.cli.terminal import harmless
from tests.support import forking

TEXT = 'Title\x1b]0;gone\x07 \x1b[31mred \u202eback\tand on\nnext\x9b2J'


def shown(to_terminal: bool, path: Path) -> str:
    path.write_text(TEXT, encoding='utf-8')
    environment = {**os.environ, 'LLM_MODEL': 'extractive'}
    if not to_terminal:
        return forking.run('summarizer_tool', 'run', path, environment=environment).stdout.decode()
    leader, follower = pty.openpty()
    with Path(os.devnull).open('r+b') as nothing:
        files = (nothing.fileno(), follower, nothing.fileno())
        assert forking.start('summarizer_tool', 'run', path, environment=environment, files=files).wait() == 0
    os.close(follower)
    with os.fdopen(leader, 'rb', buffering=0) as terminal:
        return terminal.read(10_000).decode()


def test_a_terminal_is_not_steered(tmp_path: Path) -> None:
    assert harmless(TEXT) == snapshot("""\
Title\\u001b]0;gone\\u0007 \\u001b[31mred \\u202eback	and on
next\\u009b2J\
""")
    assert shown(True, tmp_path / 'page.txt').replace('\r\n', '\n').rstrip() == harmless(TEXT)
    assert shown(False, tmp_path / 'page.txt').rstrip() == TEXT


def test_a_terminal_shows_progress_and_no_advertisement(tmp_path: Path) -> None:
    (path := tmp_path / 'page.txt').write_text('The gate is of oak. It was built in 1871. ' * 40, encoding='utf-8')
    leader, follower = pty.openpty()
    environment = {key: value for key, value in os.environ.items() if key != 'PYDANTIC_AI_NO_BANNER'}
    arguments = ('run', path, '--max-output-tokens', '30', '--model', 'extractive')
    with Path(os.devnull).open('r+b') as nothing:
        files = (nothing.fileno(), nothing.fileno(), follower)
        assert forking.start('summarizer_tool', *arguments, environment=environment, files=files).wait() == 0
    os.close(follower)
    with os.fdopen(leader, 'rb', buffering=0) as terminal:
        said = terminal.read(10_000).decode()
    assert said
    assert 'pydantic' not in said


def test_a_closed_stdout_or_stderr_is_no_defect(tmp_path: Path) -> None:
    (path := tmp_path / 'page.txt').write_text('The gate is of oak.', encoding='utf-8')
    environment = {**os.environ, 'LLM_MODEL': 'extractive'}
    ended: list[tuple[int, bytes, bytes]] = []
    for closed in ('>&-', '2>&-'):
        line = f'exec "$0" -m summarizer_tool run "$1" {closed}'
        command = ['/bin/sh', '-c', line, sys.executable, str(path)]
        done = subprocess.run(command, env=environment, capture_output=True, check=False, timeout=60)
        ended.append((done.returncode, done.stdout, done.stderr))
    assert ended == snapshot(
        [(1, b'', b'summarizer: the result cannot be written: stdout is closed\n'), (0, b'The gate is of oak.\n', b'')]
    )
