"""The `lore-research` command: what goes in, what comes out where, and how it ends."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from researcher_integration.config.files import FOLDER
from researcher_integration.lore.checkpoint import LOCK
from researcher_integration.lore.cli import _configuration, each_with_its_option
from researcher_integration.lore.extraction.records import NPCData
from researcher_integration.lore.package import Extracted, Statistics
from summarizer_tool import ConfigurationError
from tests.conftest import CRAWL
from tests.proofs.research.simulated import Researcher
from tests.support import forking
from tests.support.forking import ForkedProcess
from tests.support.provider import serve
from tests.support.replies import Behaviour, Error, Hang, Reply, Request
from tests.support.terminal import settled

PROGRAM, NAME = 'researcher_integration.lore.cli', 'lore-research'
MODEL = 'openai/gpt-4o-mini'

Done = subprocess.CompletedProcess[bytes]


def environment(**changes: str) -> dict[str, str]:
    """Keyless, unless the changes say otherwise."""
    return {**os.environ, 'LLM_MODEL': 'extractive', 'RESEARCH_MODEL': '', **changes}


def run(*arguments: str | Path | bytes, cwd: Path, **changes: str) -> Done:
    return forking.run(PROGRAM, *arguments, environment=environment(**changes), cwd=cwd, name=NAME)


def start(*arguments: str | Path, cwd: Path, out: tuple[int, int], **changes: str) -> ForkedProcess:
    """As `run`, with files for stdout and stderr, and without waiting."""
    given = environment(**changes)
    return forking.start(PROGRAM, *arguments, environment=given, files=(0, *out), cwd=cwd, name=NAME)


def each(*runs: Callable[[], Done]) -> list[tuple[int, str, list[str]]]:
    """Status, output and lines of stderr of several runs."""
    return [said(run()) for run in runs]


def said(done: Done) -> tuple[int, str, list[str]]:
    lines = done.stderr.decode().splitlines()
    return done.returncode, done.stdout.decode(), [line.removeprefix('lore-research: ') for line in lines]


@pytest.fixture
def pages(tmp_path: Path) -> list[Path]:
    """Two small pages and one that is larger than a small window has room for."""
    texts = {
        'weir.md': '# Hob’s Weir\n\nHob’s Weir is a village of the zone. Reeve Odile Sarn rules it since 412.\n',
        'circle.md': '# The Ash Circle\n\nThe Ash Circle is a faction. Odile Sarn leads the guild, whose seat is Pyre Hall.\n',
        'tale.md': '# The long history\n\n'
        + '\n\n'.join(
            f'In the year {year} the war came to the {year % 7}th dyke, and Captain Brannoc Tull of Hob’s Weir lost {year} ships.'
            for year in range(100, 340)
        ),
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding='utf-8')
    return [tmp_path / name for name in texts]


def test_help_waits_for_nothing_heavy() -> None:
    program = 'import sys; from researcher_integration.lore import cli; print({"pydantic", "httpx2", "rich"} & set(sys.modules))'
    command = str(Path(sys.executable).with_name(NAME))
    shown, loaded = (
        subprocess.run(arguments, capture_output=True, timeout=60, check=True, text=True).stdout
        for arguments in ([command, '--help'], [sys.executable, '-c', program])
    )
    assert loaded == 'set()\n'
    assert [line.split()[0] for line in shown.splitlines() if line.startswith('  --')] == snapshot(
        ['--pages', '--search', '--out', '--resume', '--fresh', '--way', '--window', '--model', '--config', '--help']
    )


def test_keyless_over_the_sample_crawl(tmp_path: Path) -> None:
    """The folder alone on stdout; on stderr who does what, progress, figures, and what was not done."""
    out = tmp_path / 'package'
    given = ('--pages', *sorted(CRAWL.glob('*.md')), '--window', '8000', '--out', out.name)
    code, stdout, lines = said(run('Kelderwick  Fen', *given, cwd=tmp_path))
    assert (code, stdout) == (0, 'package\n')
    first, *progress = lines
    assert first == snapshot(
        'agent and extraction: none, as there is no model for them; summaries: extractive, in process'
    )
    assert sorted(line.split(': ')[1] for line in progress if line.startswith('crawl')) == sorted(
        path.name for path in CRAWL.glob('*.md')
    )
    assert [re.sub(r'\d[\d,.]*', 'N', line) for line in progress if not line.startswith('crawl')] == snapshot(
        [
            'summarize: N pages for N topics',
            'package: writing package',
            'Zone overview: N pages, N tokens crawled, N kept (N : N); summarized, N calls',
            'Characters: N pages, N tokens crawled, N kept (N : N); summarized, N calls',
            'Factions: N pages, N tokens crawled, N kept (N : N); summarized, N calls',
            'Lore and history: N pages, N tokens crawled, N kept (N : N); summarized, N calls',
            'Items that tell a story: N pages, N tokens crawled, N kept (N : N); summarized, N calls',
            'together: N pages, N tokens crawled, N kept (N : N); N calls, N s',
            'nothing was searched for, and nothing extracted into fields: that needs a model (RESEARCH_MODEL)',
        ]
    )
    assert sorted(
        str(path.relative_to(out)) for path in out.rglob('*') if path.is_file() and path.name != LOCK
    ) == snapshot(
        [
            'briefs/01-zone-overview.md',
            'briefs/02-npcs.md',
            'briefs/03-factions.md',
            'briefs/04-lore.md',
            'briefs/05-narrative-items.md',
            'briefs/conflicts.md',
            'checkpoint.json',
            'extraction.json',
            'sources.sqlite3',
            'statistics.json',
        ]
    )


def test_with_a_model_of_ones_own(tmp_path: Path, pages: list[Path]) -> None:
    with serve(Behaviour(Researcher())) as provider:
        done = run(
            'Mirefold', '--out', 'package', '--pages', *pages, '--way', 'at-source', '--window', '6000',
            cwd=tmp_path, RESEARCH_MODEL=MODEL, OPENROUTER_BASE_URL=provider.base_url,
        )  # fmt: skip
        requests = len(provider.requests)
    code, stdout, lines = said(done)
    assert (code, stdout, lines[0]) == (
        0,
        'package\n',
        'agent and extraction: openai/gpt-4o-mini; summaries: extractive, in process',
    )
    statistics = Statistics.model_validate_json((tmp_path / 'package' / 'statistics.json').read_text())
    assert (statistics.request.zone, statistics.request.way, statistics.request.window_tokens, statistics.pages) == (
        'Mirefold',
        'at-source',
        6000,
        3,
    )
    assert [Path(place).name for place in statistics.request.places] == ['weir.md', 'circle.md', 'tale.md']
    extracted = Extracted.model_validate_json((tmp_path / 'package' / 'extraction.json').read_text())
    assert {category.state for category in extracted.categories.values()} == {'extracted'}
    assert all(isinstance(record, NPCData) for record in extracted.categories['npcs'].records)
    [together] = [line for line in lines if line.startswith('together: 3 pages')]
    assert f'{statistics.total.requests} calls' in together
    assert statistics.total.requests == requests + sum(
        statistics.steps[topic].summaries.requests for topic in statistics.steps
    )


def test_what_was_asked_for_in_a_wrong_way(tmp_path: Path, pages: list[Path]) -> None:
    weir = ('--pages', 'weir.md')
    asked: list[tuple[str | bytes, ...]] = [
        ('Mirefold',),
        ('Mirefold', '--pages', '--search'),
        ('--pages', 'weir.md', 'Mirefold'),
        ('Mirefold', 'weir.md'),
        ('Mirefold', *weir, '--way', 'sideways'),
        ('Mirefold', *weir, '--window', '100'),
        ('Mirefold', *weir, '--resume', '--fresh'),
        ('../..', *weir),
        (b'Mirefold\xff', *weir),
        ('M' * 201, *weir),
        ('Mirefold', *weir, b'\xff.md'),
    ]
    done = each(*(partial(run, *arguments, cwd=tmp_path) for arguments in asked))
    assert {(code, stdout) for code, stdout, _ in done} == {(2, '')}
    assert [settled(lines[-1]) for *_, lines in done] == snapshot(
        [
            'there is nothing to read: name pages with --pages, or let the agent search (--search)',
            '--pages needs a URL or a file after it',
            "Error: Missing argument 'ZONE'.",
            'Error: Got unexpected extra argument(s) (weir.md)',
            "Error: Invalid value for '--way'",
            "Error: Invalid value for '--window'",
            '--resume goes on with what is in the folder, --fresh begins anew; give one of them',
            'ZONE has no letter or digit in it',
            'ZONE has characters that are no text',
            'ZONE has 201 characters, over 200; give the name alone',
            "--pages '\\udcff.md' has characters that are no text; rename the file",
        ]
    )
    assert not (tmp_path / 'research').exists()


def test_searching_needs_a_model_and_a_server(tmp_path: Path) -> None:
    ask = partial(run, 'Mirefold', '--search', cwd=tmp_path)
    without_model, without_server = each(ask, partial(ask, RESEARCH_MODEL='ollama:qwen3'))
    assert without_model == snapshot(
        (
            2,
            '',
            [
                '--search needs a model that calls tools, and the embedded one does not; set RESEARCH_MODEL or LLM_MODEL, or name pages with --pages'
            ],
        )
    )
    code, stdout, [line] = without_server
    assert (code, stdout, line.replace(str(FOLDER), 'CONFIG')) == snapshot(
        (
            2,
            '',
            '--search needs a search server, and CONFIG/mcp_config.json names none; name one in a copy of that folder, and the copy with --config',
        )
    )


def test_models_and_settings_that_cannot_be(tmp_path: Path, pages: list[Path]) -> None:
    ask = partial(run, 'Mirefold', '--pages', 'weir.md', cwd=tmp_path)
    found = each(
        partial(ask, RESEARCH_MODEL='openai/gpt-4o-mini'),
        partial(ask, MCP_SUMMARIZER_URL='mcp-summarizer:8007/mcp'),
    )
    assert [(code, stdout, lines[-1]) for code, stdout, lines in found] == snapshot(
        [
            (
                2,
                '',
                'RESEARCH_MODEL=openai/gpt-4o-mini goes to OpenRouter: set OPENROUTER_API_KEY, or OPENROUTER_BASE_URL for an endpoint that needs no key, or RESEARCH_MODEL=extractive',
            ),
            (2, '', 'invalid settings: MCP_SUMMARIZER_URL must be a URL that begins with http:// or https://'),
        ]
    )


def test_configuration_files_that_are_wrong(tmp_path: Path, pages: list[Path]) -> None:
    """One line each: file, key, reason."""
    for folder in ('topics', 'servers'):
        (tmp_path / folder).mkdir()
        for path in filter(Path.is_file, FOLDER.iterdir()):
            (tmp_path / folder / path.name).write_bytes(path.read_bytes())
    topics = tmp_path / 'topics' / 'research_topics.yml'
    topics.write_text(topics.read_text().replace('share: 0.8', 'share: lots', 1))
    (tmp_path / 'servers' / 'mcp_config.json').write_text(
        '{"mcpServers": {"web": {"url": "https://x/mcp", "timout": 1}}}'
    )
    ask = partial(run, 'Mirefold', '--pages', 'weir.md', cwd=tmp_path)
    assert each(*(partial(ask, '--config', folder) for folder in ('topics', 'servers', 'nowhere'))) == snapshot(
        [
            (2, '', ['topics/research_topics.yml: topics[0].share: must be a valid number']),
            (
                2,
                '',
                [
                    "servers/mcp_config.json: mcpServers.web: 'timout' is no key of this; there are url, headers, command, args, env, cwd, timeout, retries"
                ],
            ),
            (2, '', ['nowhere/research_topics.yml: cannot be read: No such file or directory']),
        ]
    )


def test_pages_that_are_missing(tmp_path: Path, pages: list[Path]) -> None:
    """The others go on; without any there is no package."""
    ask = partial(run, 'Mirefold', cwd=tmp_path)
    some, none = each(
        partial(ask, '--pages', 'weir.md', 'gone.md', 'http://127.0.0.1:9/a', '--out', 'some'),
        partial(ask, '--pages', 'gone.md', '--out', 'none'),
    )
    assert some[:2] == (0, 'some\n')
    warnings = [line for line in some[2] if line.startswith('warning')]
    assert [line.replace(str(tmp_path), 'HERE') for line in warnings] == snapshot(
        [
            'warning: not crawled: HERE/gone.md does not exist',
            'warning: not crawled: http://127.0.0.1:9/a: 127.0.0.1:9/a leads to an address that is not public (loopback); SUMMARIZER_FETCH_ALLOW_HOSTS=127.0.0.1:9 would allow it',
        ]
    )
    assert Statistics.model_validate_json((tmp_path / 'some' / 'statistics.json').read_text()).pages == 1
    assert (none[0], none[1], none[2][-1].replace(str(tmp_path), 'HERE')) == snapshot(
        (
            1,
            '',
            'no page could be crawled: HERE/gone.md: HERE/gone.md does not exist',
        )
    )


def test_interrupted_and_gone_on_with(tmp_path: Path, pages: list[Path]) -> None:
    hanging, arrived = True, threading.Event()

    def answer(request: Request) -> Reply:
        arrived.set()
        return Hang(60) if hanging else Researcher()(request)

    with serve(Behaviour(answer)) as provider:
        model = {'RESEARCH_MODEL': MODEL, 'OPENROUTER_BASE_URL': provider.base_url}
        with (tmp_path / 'out').open('w+b') as out, (tmp_path / 'errors').open('w+b') as errors:
            files = (out.fileno(), errors.fileno())
            process = start('Mirefold', '--pages', *pages, '--out', 'package', cwd=tmp_path, out=files, **model)
            assert arrived.wait(30)
            process.send_signal(signal.SIGINT)
            code = process.wait()
        lines = (tmp_path / 'errors').read_text().splitlines()
        assert (code, (tmp_path / 'out').read_text(), lines[-1]) == (
            130,
            '',
            'lore-research: interrupted; go on with --resume',
        )
        assert all(line.startswith('lore-research: ') for line in lines), lines

        hanging = False
        for page in pages:
            page.unlink()  # they have been read, and are not read again
        again = partial(run, 'Mirefold', '--out', 'package', cwd=tmp_path, **model)
        refused, done = said(again('--pages', *pages)), said(again('--resume'))
    assert (refused[0], refused[1], refused[2][-1]) == snapshot(
        (
            1,
            '',
            'package holds an unfinished research of "Mirefold"; go on with --resume, begin anew with --fresh, or name another --out',
        )
    )
    assert done[:2] == (0, 'package\n')
    assert not [line for line in done[2] if line.startswith('crawl')]
    assert any(line.startswith('together: 3 pages') for line in done[2])
    assert not [line for line in done[2] if line.startswith('warning')]


def test_where_nothing_was_begun_that_is_all_that_is_said(tmp_path: Path) -> None:
    assert said(run('Mirefold', '--out', 'package', '--resume', cwd=tmp_path)) == snapshot(
        (1, '', ['package has no checkpoint to resume; leave --resume out to begin one'])
    )


def test_a_model_that_fails_ends_no_research(tmp_path: Path, pages: list[Path]) -> None:
    with serve(Behaviour(lambda _: Error(401))) as provider:
        code, stdout, lines = said(
            run('Mirefold', '--pages', *pages, '--out', 'package', cwd=tmp_path,
                RESEARCH_MODEL=MODEL, OPENROUTER_BASE_URL=provider.base_url, OPENROUTER_API_KEY='sk-or-secret')
        )  # fmt: skip
    assert (code, stdout) == (0, 'package\n')
    assert [line for line in lines if line.startswith('warning')] == snapshot(
        [
            'warning: Zone overview: the agent failed: HTTP 401',
            'warning: Characters: the agent failed: HTTP 401',
            'warning: Factions: the agent failed: HTTP 401',
            'warning: Lore and history: the agent failed: HTTP 401',
            'warning: Items that tell a story: the agent failed: HTTP 401',
            'warning: Zone overview: extraction: HTTP 401',
            'warning: Characters: extraction: HTTP 401',
            'warning: Factions: extraction: HTTP 401',
            'warning: Lore and history: extraction: HTTP 401',
            'warning: Items that tell a story: extraction: HTTP 401',
            'warning: cross-reference: HTTP 401',
        ]
    )
    assert not any('sk-or' in line for line in lines)


def test_zones_with_odd_names_stay_in_their_folder(tmp_path: Path, pages: list[Path]) -> None:
    names = ('../../etc/passwd', 'Überwald: “Ost” [2] {{zone}} <x>\u202e.gnp')
    found = each(*(partial(run, zone, '--pages', 'weir.md', cwd=tmp_path, LC_ALL='C') for zone in names))
    assert [(code, stdout) for code, stdout, _ in found] == snapshot(
        [(0, 'research/etc-passwd\n'), (0, 'research/überwald-ost-2-zone-x-gnp\n')]
    )
    assert sorted(path.name for path in (tmp_path / 'research').iterdir()) == sorted(
        stdout.strip().rpartition('/')[2] for _, stdout, _ in found
    )
    assert {path.name for path in tmp_path.iterdir()} == {'research', 'weir.md', 'circle.md', 'tale.md'}


def test_whoever_reads_may_go_away(tmp_path: Path, pages: list[Path]) -> None:
    """The package is written all the same."""
    reading, writing = os.pipe()
    os.close(reading)
    process = start('Mirefold', '--out', 'package', '--pages', *pages, cwd=tmp_path, out=(writing, writing))
    os.close(writing)
    assert process.wait() == 0
    assert (tmp_path / 'package' / 'statistics.json').exists()


def test_progress_for_a_terminal(tmp_path: Path, pages: list[Path]) -> None:
    ours, theirs = pty.openpty()
    with (tmp_path / 'out').open('wb') as out:
        files = (out.fileno(), theirs)
        process = start('Mirefold', '--window', '6000', '--pages', *pages, cwd=tmp_path, out=files, TERM='xterm')
    os.close(theirs)
    shown = b''
    while True:
        try:
            shown += os.read(ours, 65536)
        except OSError:  # the other end has closed
            break
    os.close(ours)
    assert (process.wait(), (tmp_path / 'out').read_text()) == (0, 'research/mirefold\n')
    assert b'\x1b[' in shown
    assert b'lore-research: crawl' not in shown


def test_logs_as_json_where_a_level_is_asked_for(tmp_path: Path, pages: list[Path]) -> None:
    done = run(
        'Mirefold', '--pages', *pages, '--window', '6000', '--out', 'package', cwd=tmp_path,
        MCP_SUMMARIZER_URL='http://127.0.0.1:9/mcp', SUMMARIZER_LOG_LEVEL='INFO',
    )  # fmt: skip
    code, stdout, lines = said(done)
    assert (code, stdout) == (0, 'package\n')
    assert lines[0] == snapshot('agent and extraction: none, as there is no model for them; summaries: the MCP server')
    logged = [json.loads(line) for line in lines if line.startswith('{')]
    assert {entry['service_id'] for entry in logged} == {'mcp_summarizer'}
    warnings = [line for line in lines if line.startswith('warning')]
    assert any('not summarized' in line for line in warnings), warnings


@pytest.mark.parametrize(
    ('arguments', 'expected'),
    [
        ('Zone --pages a b --out d', 'Zone --pages a --pages b --out d'),
        ('--pages a b --way at-source Zone', '--pages a --pages b --way at-source Zone'),
        ('--pages a b -- Zone', '--pages a --pages b -- Zone'),
        ('Zone --pages=a b --pages c', 'Zone --pages=a --pages b --pages c'),
        ('Zone --search', 'Zone --search'),
        ('Zone --pages https://x/a#b -', 'Zone --pages https://x/a#b --pages -'),
    ],
)
def test_pages_are_all_that_follow(arguments: str, expected: str) -> None:
    assert each_with_its_option(arguments.split()) == expected.split()


@given(
    pages=st.lists(st.text(min_size=1).filter(lambda text: not text.startswith('-')), min_size=1),
    zone=st.text().filter(lambda text: not text.startswith('-')),
)
def test_every_page_has_its_option(pages: list[str], zone: str) -> None:
    expanded = each_with_its_option([zone, '--pages', *pages, '--search'])
    assert expanded[0] == zone
    assert expanded[1:-1:2] == ['--pages'] * len(pages)
    assert expanded[2:-1:2] == pages
    assert expanded[-1] == '--search'


def test_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in [name for name in sys.modules if name.startswith(('fastmcp', 'researcher_integration.mcp'))]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, 'fastmcp', None)
    with pytest.raises(ConfigurationError) as error:
        _configuration(FOLDER, search=False)
    assert str(error.value) == snapshot('fastmcp is not installed: pip install "summarizer-tool[researcher]"')
