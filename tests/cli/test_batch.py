"""`summarizer batch` and `summarizer worker`, as a person or a script meets them."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from inline_snapshot import snapshot
from typer.testing import CliRunner

from summarizer_tool.batch.batch import BatchProgress
from summarizer_tool.batch.folder import BatchFolder, BatchRecord
from summarizer_tool.batch.job import Asked
from summarizer_tool.cli.batch import _database, _tell_end
from summarizer_tool.cli.main import app
from summarizer_tool.cli.terminal import ExitCode
from summarizer_tool.errors import ConfigurationError
from summarizer_tool.settings import Settings
from tests.support import forking
from tests.support.terminal import said


def run(*arguments: str | Path, **environment: str) -> str:
    return said(forking.run('summarizer_tool', *map(str, arguments), environment={**os.environ, **environment}))


def test_what_is_asked_for_wrongly(tmp_path: Path) -> None:
    out = tmp_path / 'out'
    assert run('batch', '--out', out) == snapshot(
        '2||summarizer: give either a folder or a manifest, or one of --status, --resume and --cancel'
    )
    assert run('batch', '--out', out, '--status').replace(str(tmp_path), '…') == snapshot(
        '2||summarizer: there is no batch in …/out; name the folder that was its --out'
    )
    assert 'Got unexpected extra argument' in run('batch', 'a.md', 'b.md', '--out', out)
    assert run('batch', tmp_path / 'nothing', '--out', out).replace(str(tmp_path), '…') == snapshot(
        '3||summarizer: …/nothing does not exist'
    )
    assert not out.exists()
    assert run('worker') == snapshot(
        '2||summarizer: a worker needs the database of the batches: set SUMMARIZER_DATABASE_URL, e.g. to postgresql://user:password@host/name'
    )
    elsewhere = 'postgresql://someone:secret@127.0.0.1:1/batches'
    assert 'secret' not in run('worker', SUMMARIZER_DATABASE_URL=elsewhere)
    assert run('worker', SUMMARIZER_DATABASE_URL='mysql://host/name') == snapshot(
        '2||summarizer: invalid settings: SUMMARIZER_DATABASE_URL: must be a URL that begins with postgresql:// or sqlite:///'
    )


def test_a_password_that_an_earlier_version_has_kept_is_told_to_nobody(tmp_path: Path) -> None:
    folder, url = BatchFolder(tmp_path), 'postgresql://host/db?password=hunter2'
    folder.begin(BatchRecord(source='', asked=Asked(model='extractive'), database=url, per_worker=1))
    with pytest.raises(ConfigurationError, match='is kept in postgresql://host/db, and not in sqlite:'):
        _database(folder, Settings.load())


def test_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, 'dbos', None)
    for module in [name for name in sys.modules if name.startswith('summarizer_tool.batch')]:
        monkeypatch.delitem(sys.modules, module)
    done = CliRunner().invoke(app, ['batch', str(tmp_path), '--out', str(tmp_path / 'out')])
    assert (done.exit_code, done.stderr) == snapshot(
        (ExitCode.USAGE, 'summarizer: dbos is not installed: pip install "summarizer-tool[batch]"\n')
    )


def test_what_was_done_before_a_run_is_told_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    now = BatchProgress(documents=7, done=6, set_aside=1, tokens=900, cost=0.5, seconds=4)
    _tell_end(replace(now, set_aside=0), BatchFolder(tmp_path))
    _tell_end(replace(now, set_aside=0, done_before=4, tokens=200, cost=0.1), BatchFolder(tmp_path))
    _tell_end(replace(now, set_aside=0, warnings=['no room for 1'] * 2), BatchFolder(tmp_path))
    assert capsys.readouterr().err.replace(str(tmp_path), 'OUT') == snapshot("""\
summarizer: 6 of 7 done in 4 s · 900 tokens · 225 a second · $0.5000: OUT
summarizer: 6 of 7 done, 4 of them before this run of 4 s · 200 tokens · 50 a second · $0.1000: OUT
summarizer: 6 of 7 done in 4 s · 900 tokens · 225 a second · $0.5000: OUT
summarizer: warning: no room for 1
""")


GIVES_UP = """
import asyncio
from types import SimpleNamespace
from summarizer_tool.cli.batch import _work
from summarizer_tool.errors import ConfigurationError
from summarizer_tool.settings import Settings

async def give_up():
    await asyncio.sleep(0.2)  # by then the end of stdin is waited for
    raise SystemExit(1)

asyncio.run(_work(SimpleNamespace(run=give_up, stop=None), until_stdin_ends=True))
"""


def test_a_worker_that_gives_up_ends_by_itself_with_its_exit_code() -> None:
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, '-c', GIVES_UP], stdin=pipe, stderr=pipe) as worker:
        assert worker.stderr
        assert (worker.wait(30), worker.stderr.read()) == (ExitCode.FAILED, b'')


ENDS_SLOWLY = """
import asyncio
from types import SimpleNamespace
from summarizer_tool.cli.batch import _work

stopped = []

async def run():
    while not stopped:
        await asyncio.sleep(0.01)
    await asyncio.sleep(0.2)

asyncio.run(_work(SimpleNamespace(run=run, stop=lambda: stopped.append(1)), until_stdin_ends=True))
raise SystemExit(len(stopped))
"""


def test_a_worker_whose_stdin_has_ended_is_told_once() -> None:
    assert subprocess.run([sys.executable, '-c', ENDS_SLOWLY], input=b'', timeout=30, check=False).returncode == 1


@pytest.mark.slow
def test_a_folder_with_a_file_that_is_no_text(tmp_path: Path, crawl: dict[str, str]) -> None:
    source, out = tmp_path / 'in', tmp_path / 'out'
    source.mkdir()
    for name, text in list(crawl.items())[:2]:
        (source / name).write_text(text)
    (source / 'noise.bin').write_bytes(b'\0\1\2')
    (tmp_path / 'json.py').write_text('raise SystemExit(9)')  # nobody imports what lies about

    def summarizer(*arguments: str | Path) -> subprocess.CompletedProcess[bytes]:
        command = [sys.executable, '-P', '-m', 'summarizer_tool', 'batch', *map(str, arguments), '--out', str(out)]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=100, check=False)

    done = summarizer(source, '--max-output-tokens', '200', '--merge')
    assert done.returncode == 1
    assert done.stdout == b''
    assert b'1 set aside, see' in done.stderr
    lines = [json.loads(line) for line in (out / 'report.jsonl').read_text().splitlines()]
    assert [(line['document'], line['state']) for line in lines] == snapshot(
        [
            ('documents/noise.bin', 'set aside'),
            ('documents/01-zone-overview.md', 'complete'),
            ('documents/02-geography-and-creatures.md', 'complete'),
            ('merged', 'complete'),
        ]
    )
    shown = summarizer('--status')
    assert (shown.returncode, shown.stdout.decode()) == snapshot(
        (
            0,
            """\
2 done · 0 running · 0 waiting · 0 cancelled · 1 set aside
noise.bin: looks like a binary file; give it as text
""",
        )
    )
    assert summarizer('--cancel').stderr == b'summarizer: 0 documents cancelled; --resume goes on with them\n'
