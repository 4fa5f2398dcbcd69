"""What the command line writes to a terminal does not steer it; what goes elsewhere is written as it is."""

import os
import pty
import subprocess
import sys
from pathlib import Path

from inline_snapshot import snapshot

from summarizer_tool.cli.terminal import harmless

TEXT = 'Title\x1b]0;gone\x07 \x1b[31mred \u202eback\tand on\nnext\x9b2J'


def shown(to_terminal: bool, path: Path) -> str:
    path.write_text(TEXT, encoding='utf-8')
    command = [sys.executable, '-m', 'summarizer_tool', 'run', str(path)]
    environment = {**os.environ, 'LLM_MODEL': 'extractive'}
    if not to_terminal:
        return subprocess.run(command, env=environment, capture_output=True, check=True, timeout=60).stdout.decode()
    leader, follower = pty.openpty()
    with subprocess.Popen(command, env=environment, stdout=follower, stderr=subprocess.DEVNULL) as process:
        assert process.wait(60) == 0
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
