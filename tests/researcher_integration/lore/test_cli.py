"""The `lore-research` command: what goes in, what comes out where, and how it ends."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
from functools import partial
from pathlib import Path

from inline_snapshot import snapshot

from researcher_integration.lore.extraction.records import NPCData
from researcher_integration.lore.package import Extracted, Statistics
from researcher_integration.lore.pipeline import LOCK
from tests.conftest import CRAWL
from tests.proofs.research.simulated import Researcher
from tests.support.lore_command import MODEL, NAME, each, run, said, start
from tests.support.provider import serve
from tests.support.replies import Behaviour, Error, Hang, Reply, Request


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
    assert statistics.total.requests == requests


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
