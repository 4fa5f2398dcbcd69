"""The command line, as a person or a script meets it: processes, pipes, a terminal."""

import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from inline_snapshot import snapshot

from summarizer_tool import Document, Summary
from summarizer_tool.cli.main import EXIT_CODES, app
from summarizer_tool.text import tokens
from tests.support import forking
from tests.support.provider import serve
from tests.support.replies import Behaviour, Error, Hang
from tests.support.terminal import interrupted, said, with_terminal

LONG = 'In {year} the miner Ada Thornby found {year} silver coins in the Deadmines below Westfall.\n'
TEXT = ''.join(LONG.format(year=1000 + index) for index in range(60))


def run(*arguments: str, stdin: bytes = b'', **environment: str) -> subprocess.CompletedProcess[bytes]:
    return forking.run('summarizer_tool', 'run', *arguments, environment={**os.environ, **environment}, stdin=stdin)


def test_help_and_version() -> None:
    script = str(Path(sys.executable).with_name('summarizer'))
    ask = partial(subprocess.run, capture_output=True, timeout=60, check=False)
    shown, version = said(ask([script, 'run', '--help'])), said(ask([script, '--version']))
    assert re.fullmatch(r'0\|Usage: summarizer run .*--max-output-tokens.*\|', shown, re.DOTALL)
    assert re.fullmatch(r'0\|\d+\.\d+\.\d+\|', version)


def test_every_command_names_its_exit_codes() -> None:
    assert {each.epilog for each in app.registered_commands} == {EXIT_CODES}


def test_an_input_without_a_command_is_told_which_one_it_is_for() -> None:
    Path('notes.txt').write_text(TEXT)
    for name in ('notes.txt', 'https://a.example/', '-'):
        done = forking.run('summarizer_tool', name, environment=dict(os.environ))
        assert done.stderr.decode().endswith(f'Error: {name} is no command; to summarize it: summarizer run {name}\n')
        assert done.returncode == 2


def test_several_files_with_statistics() -> None:
    """The summary alone on stdout, statistics on stderr."""
    Path('first.md').write_text(f'# The Deadmines\n\n{TEXT}')
    done = run('first.md', '-', '--max-output-tokens', '300', '--stats',
               stdin='# Überblick\n\nDer Müller heißt Jörg Öztürk.\n'.encode(), LC_ALL='C')  # fmt: skip
    assert done.returncode == 0
    summary = done.stdout.decode('utf-8')
    assert summary.endswith('\n')
    assert tokens.count(summary.strip()) <= 300
    assert 'Ada Thornby' in summary
    assert 'Jörg Öztürk' in summary
    title, *table = done.stderr.decode().splitlines()
    assert title.strip() == 'Summary'
    assert [name for line in table if line.startswith('│') and (name := line.split('│')[1].strip())] == snapshot(
        [
            'state',
            'tokens in',
            'tokens out',
            'budget',
            'chunks',
            'map calls',
            'reduce calls',
            'reduce levels',
            'repair calls',
            'cached calls',
            'from cache',
            'usage',
            'repeated tokens',
            'seconds',
            'model',
            'cut short',
            'facts in',
            'facts out',
            'facts repaired',
            'facts recovered',
            'dropped',
            'cost',
            'ratio',
            'degraded parts',
            'coverage',
        ]
    )


def test_json_is_a_summary() -> None:
    Path('first.md').write_text(TEXT)
    done = run('first.md', '--json', '--max-output-tokens', '200', '--schema-hint', 'coins', '--focus', 'miners')
    summary = Summary.model_validate_json(done.stdout)
    assert (done.returncode, done.stderr) == (0, b'')
    assert (summary.state, summary.parts[0].title, summary.stats.budget) == ('complete', 'first', 200)
    assert summary.coverage is not None


def test_a_report_beside_the_summary() -> None:
    """One page with all sources, of files and of handles; nothing is asked of a model where it could not be written."""
    Path('first.md').write_text(f'# The Deadmines\n\n{TEXT}')
    asked = {'SUMMARIZER_STORE': 'kept.sqlite3'}
    done = run('first.md', '--max-output-tokens', '100', '--report', 'page.html', **asked)
    page, handle = Path('page.html').read_text(), re.findall(r'src_[0-9a-f]{12}', done.stderr.decode())[0]
    assert (done.returncode, page.count(handle) > 1) == (0, True)
    assert all(line in page for line in TEXT.splitlines())
    again = run(handle, '--max-output-tokens', '100', '--report', 'again.html', **asked)
    assert (again.returncode, again.stdout) == (0, done.stdout)
    sources = re.compile('"sources":.*?"parts"')
    assert sources.findall(Path('again.html').read_text()) == [
        source.replace('"url":""', '"url":"first.md"') for source in sources.findall(page)
    ]
    assert [
        said(run('--report', name, stdin=b'Short.')) for name in ('none/page.html', '.', '/proc/page.html')
    ] == snapshot(
        [
            '2||summarizer: --report none/page.html cannot be written: No such file or directory',
            '2||summarizer: --report . cannot be written: Is a directory',
            '2||summarizer: --report /proc/page.html cannot be written: No such file or directory',
        ]
    )


def test_a_report_that_is_not_made_leaves_no_file_and_one_for_a_pipe_is_whole() -> None:
    assert run('missing.md', '--report', 'page.html').returncode == 3
    assert not Path('page.html').exists()
    os.mkfifo('pipe')
    with ThreadPoolExecutor(1) as readers:
        page = readers.submit(Path('pipe').read_text)
        assert run('--report', 'pipe', stdin=b'Short.').returncode == 0
        assert page.result(10).endswith('</html>\n')


def test_input_within_the_budget_comes_back_byte_for_byte() -> None:
    raw = '  # Jörg\r\n\r\n\ttabs \x0b and “quotes” \r\nno end'.encode()
    Path('file.txt').write_bytes(raw)
    done = run('file.txt')
    assert (done.returncode, done.stdout, done.stderr) == (0, raw + b'\n', b'')


def test_what_was_asked_for_in_a_wrong_way() -> None:
    Path('.env').write_text('OPENAI_API_KEY=sk-secret-from-the-file\n')
    Path('file.txt').write_text('Short.')
    ask = partial(run, 'file.txt')
    assert [
        said(ask('--max-output-tokens', '-1')),
        said(ask('--model', 'antropic:claude-sonnet-4-5')),
        said(ask('--model', 'meta/llama:free')),
        said(ask('--model', 'openai:gpt-4o')),  # its key is in .env
        said(ask(MAX_CONCURRENT_LLM_CALLS='0', OPENROUTER_API_KEY='sk-or-secret')),
    ] == snapshot(
        [
            """\
2||Usage: python -m summarizer_tool run [OPTIONS] [FILE|URL|HANDLE|-]
Try 'python -m summarizer_tool run --help' for help.

Error: Invalid value for '--max-output-tokens'\
""",
            "2||summarizer: --model=antropic:claude-sonnet-4-5: no such model; did you mean 'anthropic:…'?",
            '2||summarizer: --model=meta/llama:free goes to OpenRouter: set OPENROUTER_API_KEY, or OPENROUTER_BASE_URL for an endpoint that needs no key, or --model=extractive',
            '0|Short.|',
            '2||summarizer: invalid settings: MAX_CONCURRENT_LLM_CALLS=0 must be greater than or equal to 1',
        ]
    )


def test_stdin_within_the_budget_and_no_model_and_no_key() -> None:
    assert [
        said(run(stdin=b'Short.', LLM_MODEL='')),
        said(run('-', stdin=b'\xef\xbb\xbfWith a byte order mark.\n')),
    ] == snapshot(
        [
            '0|Short.|summarizer: warning: no LLM_MODEL and no OPENROUTER_API_KEY: using the embedded extractive model; set one of them, or LLM_MODEL=extractive to say that this is meant',
            '0|With a byte order mark.|',
        ]
    )


def test_whoever_reads_may_go_away(tmp_path: Path) -> None:
    Path('large.txt').write_text(TEXT * 100)
    program = forking.program(tmp_path, 'summarizer', 'summarizer_tool.__main__')
    shell = f'{program} run large.txt --max-output-tokens 100000000 | head -1; echo "exit ${{PIPESTATUS[*]}}" >&2'
    done = subprocess.run(['bash', '-c', shell], capture_output=True, text=True, timeout=60, check=False)
    assert (done.stdout, done.stderr) == (TEXT.splitlines(keepends=True)[0], 'exit 0 0\n')


def test_an_interrupt_ends_the_work() -> None:
    Path('file.txt').write_text(TEXT)
    with serve(Behaviour(answer=lambda _: Hang(60))) as provider:
        of_model = {'LLM_MODEL': 'openai/gpt-4o-mini', 'OPENROUTER_BASE_URL': provider.base_url}
        ended = interrupted(
            'run', 'file.txt', '--max-output-tokens', '100', when=lambda: bool(provider.requests), **of_model
        )
    assert ended == (130, b'', b'summarizer: interrupted\n')


def test_progress_is_for_a_terminal() -> None:
    Path('file.txt').write_text(TEXT)
    with serve(Behaviour(latency=0.3)) as provider:
        of_model = {'LLM_MODEL': 'openai/gpt-4o-mini', 'OPENROUTER_BASE_URL': provider.base_url}
        status, out, shown = with_terminal(
            'run', 'file.txt', '--max-output-tokens', '300', DEFAULT_CHUNK_SIZE_TOKENS='500', **of_model
        )
    assert status == 0
    assert b'summarized chunk' in shown
    assert b'\x1b' not in out
    assert b'Ada Thornby' in out


def test_a_provider_that_fails() -> None:
    """The original, an extractive summary or an error, as asked for; each with its warnings, none with a secret."""
    with serve(Behaviour(answer=lambda _: Error(500))) as provider:
        ask = partial(
            run,
            '--max-output-tokens',
            '150',
            stdin=TEXT.encode(),
            LLM_MODEL='openai/gpt-4o-mini',
            LLM_MAX_RETRIES='0',
            OPENROUTER_BASE_URL=provider.base_url,
            OPENROUTER_API_KEY='sk-or-secret',
        )
        original, extractive = ask(), ask(SUMMARIZER_ON_FAILURE='extractive')
        error = ask(SUMMARIZER_ON_FAILURE='error')
    assert (original.returncode, original.stdout.decode()) == (0, TEXT)
    assert original.stderr.decode().splitlines() == snapshot(
        [
            'summarizer: warning: model call failed (agent: chunk_summarizer; reason: HTTP 500)',
            'summarizer: warning: every model call failed; the original content is returned (reason: HTTP 500; output_size: 1440; budget: 150)',
            'summarizer: warning: every model call failed (HTTP 500): this is the original content, 1440 tokens for a budget of 150',
        ]
    )
    assert extractive.returncode == 0
    assert 0 < tokens.count(extractive.stdout.decode().strip()) <= 150
    assert extractive.stderr.decode().splitlines() == snapshot(
        [
            'summarizer: warning: model call failed (agent: chunk_summarizer; reason: HTTP 500)',
            'summarizer: warning: chunks summarized by the extractive model instead (chunks: 1; of: 1; reasons: HTTP 500)',
        ]
    )
    assert said(error) == snapshot("""\
1||summarizer: warning: model call failed (agent: chunk_summarizer; reason: HTTP 500)
summarizer: every call of openai/gpt-4o-mini failed (HTTP 500; chunks: 1); check the model and its key, or set SUMMARIZER_ON_FAILURE=extractive for a summary without it\
""")


def test_a_store_keeps_finished_work() -> None:
    Path('page.md').write_text(TEXT)
    again: list[tuple[str, bool]] = []
    for _ in range(2):
        done = run('page.md', '--max-output-tokens', '100', '--json', SUMMARIZER_STORE='work.sqlite3')
        summary = Summary.model_validate_json(done.stdout)
        again.append((summary.text, summary.stats.from_cache))
    assert [from_cache for _, from_cache in again] == [False, True]
    assert again[0][0] == again[1][0]
    handle = Document(TEXT).id
    assert done.stderr.decode() == (
        f'summarizer: stored as {handle}; name handles instead of files to ask about them again\n'
    )
    asked = (handle, '--max-output-tokens', '100')
    assert said(run(*asked, SUMMARIZER_STORE='work.sqlite3')).startswith(f'0|{again[0][0]}|')
    assert said(run('src_0123456789ab', SUMMARIZER_STORE='work.sqlite3')).startswith('1||')
    assert said(run(handle)).startswith('2||')
    done = run('page.md', SUMMARIZER_STORE='/proc/none/store')
    assert done.returncode == 2
    assert b'SUMMARIZER_STORE=/proc/none/store cannot be used' in done.stderr


def test_an_interruption_before_the_command_begins_has_no_traceback() -> None:
    program = (
        'import summarizer_tool.__main__, summarizer_tool.cli.main as cli\n'
        'def interrupted(): raise KeyboardInterrupt\n'
        'cli.main = interrupted; summarizer_tool.__main__.main()'
    )
    done = subprocess.run([sys.executable, '-c', program], capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (130, b'')
