"""`summarizer search`, `answer`, `add` and `status`, with a site on loopback: what goes where, and how it ends."""

import json
import re
from pathlib import Path

import pytest
from inline_snapshot import snapshot
from typer.testing import CliRunner, Result

from summarizer_tool.cli.main import app
from summarizer_tool.text import tokens
from tests.support.site import Site
from tests.support.terminal import said

MILL = """\
# The mill of Ostrey

Perpetua Gann bought the mill of Ostrey in 1908 for ninety crowns.

The second stone broke in the frost of 1911, and Perpetua Gann had it bound with iron.
"""


def run(*arguments: str, stdin: bytes | None = None, **environment: str) -> Result:
    return CliRunner().invoke(app, arguments, stdin, environment, catch_exceptions=False)


def test_search_looks_in_what_is_named(station: Site) -> None:
    """The brief alone on stdout; no link is followed."""
    Path('mill.html').write_text(f'<nav>Menu of the mill</nav><article><p>{MILL}</p></article>')
    page = station.url('/guide/safety')
    done = run('search', 'What is a drowned start?', page, 'mill.html', '--max-tokens', '600', '--top-k', '20')
    brief = done.stdout.replace(station.host, 'SITE')
    assert (done.exit_code, done.stderr) == (0, '')
    assert 'A start against a closed gate, which is forbidden since the accident of 1961.' in brief
    assert 'http://SITE/guide/safety' in brief
    assert 'mill.html' in brief
    assert 'Menu of the mill' not in brief
    assert tokens.count(done.stdout.strip()) <= 600
    assert station.hits == ['/guide/safety']
    done = run('search', 'Who bought the mill?', '-', '--intent', 'a deed', '--top-k', '1', stdin=MILL.encode())
    assert done.exit_code == 0
    assert 'Perpetua Gann bought the mill of Ostrey' in done.stdout


def test_answer_follows_links_as_far_as_it_is_told(station: Site) -> None:
    def ask(*options: str) -> tuple[Result, list[str]]:
        station.hits.clear()
        question = 'What material are the runner blades of the Kaplan sets made of?'
        done = run('answer', question, station.url('/guide/'), *options)
        assert (done.exit_code, done.stderr) == (0, '')
        return done, [hit for hit in station.hits if hit not in ('/guide/', '/robots.txt')]

    done, followed = ask()
    assert 'nickel-aluminium bronze of grade NB-7' in done.stdout
    assert '/guide/turbines/kaplan/blades' in followed
    assert not {'/guide/draft', '/private/plans'} & set(followed)
    assert station.canary.hits == []
    done, followed = ask('--mode', 'fast')
    assert ('[E1]' in done.stdout, followed) == (True, [])
    done, followed = ask('--pages', '0')
    assert ('[E1]' in done.stdout, followed) == (True, [])
    done, followed = ask('--pages', '1', '--mode', 'deep')
    assert ('[E1]' in done.stdout, len(followed)) == (True, 1)


def test_what_a_store_keeps_serves_the_next_command(station: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('SUMMARIZER_STORE', 'kept.sqlite3')
    monkeypatch.setenv('LLM_MODEL', 'openai:gpt-4o')  # whose key is missing: no model is asked
    Path('mill.md').write_text(MILL)
    Path('binary.png').write_bytes(b'\x89PNG\0\0')
    Path('empty.md').write_text(' \n')
    safety = station.url('/guide/safety')
    added = run('add', safety, 'binary.png', 'empty.md', 'mill.md', 'missing.md', station.url('/nope?key=secret'))
    # What the other page says depends on the site's address.
    assert re.sub(r'src_\w+  \d+ tokens  Safety', 'Safety', said(added)).replace(station.host, 'SITE') == snapshot("""\
3|Safety
src_ef430c36dd30  51 tokens  The mill of Ostrey|summarizer: binary.png looks like a binary file; give it as text
summarizer: empty.md is empty; nothing of it is stored
summarizer: missing.md does not exist
summarizer: SITE/nope answered HTTP 404\
""")
    [safety_handle, mill_handle] = [line.split()[0] for line in added.stdout.splitlines()]
    station.hits.clear()
    done = run('status')
    assert done.exit_code == 0
    assert safety_handle in done.stdout
    assert mill_handle in done.stdout
    assert 'Words of the watch' in run('status', safety).stdout
    done = run('status', station.url('/other'))
    assert (done.exit_code, done.stdout) == (1, '')
    assert done.stderr.startswith('[ERROR] unknown source\n')
    assert 'bought the mill' in run('search', 'Who bought the mill of Ostrey?').stdout
    assert 'for ninety crowns' not in run('search', 'Who bought the mill of Ostrey?', safety).stdout
    assert 'for ninety crowns' in run('answer', 'Who bought it?', mill_handle, LLM_MODEL='extractive').stdout
    assert station.hits == []
    assert safety in run('status', safety_handle).stdout
    # To add a page again is to fetch it again.
    run('add', safety)
    assert station.hits == ['/guide/safety']


def test_where_nothing_is_found(station: Site) -> None:
    Path('mill.md').write_text(MILL * 40)
    begun = run('search', 'zyzzyva', 'mill.md', '--max-tokens', '500')
    assert (begun.exit_code, 'the sources are shown as they begin' in begun.stdout) == (1, True)
    told = run('search', 'zyzzyva', 'mill.md', '--max-tokens', '900', '--top-k', '1', '--json').stdout
    assert json.loads(told)['figures']['ranking'] == 'none'
    kept = {'SUMMARIZER_STORE': 'kept.sqlite3'}
    run('add', 'mill.md', **kept)
    nothing = run('search', 'zyzzyva', '--max-tokens', '500', **kept)
    assert (nothing.exit_code, nothing.stdout) == (1, '')
    assert nothing.stderr.startswith('[NO RESULTS]\n')
    as_json = run('search', 'zyzzyva', '--max-tokens', '500', '--json', **kept)
    assert (as_json.exit_code, as_json.stderr) == (1, '')
    told = json.loads(as_json.stdout)
    assert told.pop('figures')['hits'] == 0
    assert told == {
        'text': nothing.stderr.rstrip('\n'),
        'tokens': tokens.count(nothing.stderr.rstrip('\n')),
        'is_error': False,
        'source_ids': [],
    }
    forbidden = run('answer', 'How high is the dam?', station.url('/private/plans'))
    assert (forbidden.exit_code, forbidden.stdout) == (1, '')
    assert 'robots.txt' in forbidden.stderr
    assert '/private/plans' not in station.hits
    lost = run('search', 'zyzzyva', 'mill.md', station.url('/nope?key=secret'))
    assert said(lost) == f'3||summarizer: {station.host}/nope answered HTTP 404'


def test_what_a_newer_version_changes() -> None:
    kept = {'SUMMARIZER_STORE': 'kept.sqlite3'}
    for year in ('1908', '1909'):
        Path('mill.md').write_text(MILL.replace('1908', year))
        run('add', 'mill.md', **kept)
    shown = run('diff', 'mill.md', **kept)
    assert (shown.exit_code, '1909' in shown.stdout, '1908' in shown.stdout) == (0, True, True)
    assert run('diff', 'elsewhere/mill.md', **kept).stdout == shown.stdout
    assert said(run('diff', 'mill.md', '--max-tokens', '10', **kept)).startswith('2||Usage')
    Path('weir.md').write_text('The dam.')
    run('add', 'weir.md', **kept)
    assert said(run('diff', 'weir.md', **kept)) == snapshot(
        '1||summarizer: src_b50ddbd429e2 has no version before it here; add what has changed first, or name the source to compare it with'
    )
    assert said(run('diff', 'dam.md', **kept)).startswith('1||summarizer: there is no source "dam.md"')


def test_files_of_one_name_in_two_folders_are_two() -> None:
    """Each has versions of its own, and one is found by its path and by its text, not by another's name."""
    kept = {'SUMMARIZER_STORE': 'kept.sqlite3'}
    for folder, names in (('a', 'Alpha'), ('b', 'Beta'), ('c', 'Gamma'), ('a', 'Alpha is'), ('b', 'Beta is')):
        Path(folder).mkdir(exist_ok=True)
        Path(folder, 'README.md').write_text(f'# {names}\n\n{names} the mill of Ostrey.\n')
        if folder != 'c':
            run('add', f'{folder}/README.md', **kept)
    for folder, name in (('a', 'Alpha'), ('b', 'Beta')):
        assert f'{name} is' in run('status', f'{folder}/README.md', **kept).stdout
        changes = run('diff', f'{folder}/README.md', **kept).stdout
        assert [line for line in changes.splitlines() if line[:2] in ('- ', '+ ')] == [
            f'- 1| # {name}',
            f'- 3| {name} the mill of Ostrey.',
            f'+ 1| # {name} is',
            f'+ 3| {name} is the mill of Ostrey.',
        ]
    assert said(run('status', 'c/README.md', **kept)) == snapshot(
        '1||summarizer: nothing of c/README.md is stored; summarizer add c/README.md does so'
    )
    found = run('search', 'What is the mill of Ostrey?', **kept).stdout
    assert all(f'{name} is the mill' in found for name in ('Alpha', 'Beta'))
    # What stands elsewhere now is the same text.
    Path('a').rename('d')
    for path in ('a/README.md', 'd/README.md'):
        assert 'Alpha is' in run('status', path, **kept).stdout


def test_json_is_the_brief_and_its_figures() -> None:
    Path('mill.md').write_text(MILL)
    shown = json.loads(run('search', 'Who bought the mill?', 'mill.md', '--json').stdout)
    assert shown['text'].startswith('Collected from stored sources')
    assert shown['tokens'] == tokens.count(shown['text'])
    assert (shown['is_error'], shown['source_ids']) == (False, ['src_ef430c36dd30'])
    assert shown['figures'].items() >= {'documents': 1, 'hits': 1, 'full_context': True}.items()


def test_what_was_asked_for_in_a_wrong_way(station: Site) -> None:
    Path('mill.md').write_text(MILL)
    done = [
        run('search', 'mill'),
        run('answer', 'mill', SUMMARIZER_STORE=':memory:'),
        run('search', 'mill', 'src_0123456789ab'),
        run('status'),
        run('add', 'mill.md'),
        run('search', ' ', 'mill.md'),
        run('answer', 'mill', 'mill.md', '--max-tokens', '100'),
        run('answer', 'mill', 'mill.md', '--mode', 'slow'),
        run('search', 'mill', 'missing.md'),
    ]
    assert [said(each).replace(station.host, 'SITE') for each in done] == snapshot(
        [
            '2||summarizer: name files or URLs to search in; or, to look in kept sources, set SUMMARIZER_STORE to the file that keeps them, e.g. SUMMARIZER_STORE=sources.sqlite3',
            '2||summarizer: name URLs or files to begin with; or, to look in kept sources, set SUMMARIZER_STORE to the file that keeps them, e.g. SUMMARIZER_STORE=sources.sqlite3',
            '2||summarizer: src_0123456789ab is the handle of a kept source: set SUMMARIZER_STORE to the file that keeps them, e.g. SUMMARIZER_STORE=sources.sqlite3',
            '2||summarizer: status tells of kept sources: set SUMMARIZER_STORE to the file that keeps them, e.g. SUMMARIZER_STORE=sources.sqlite3',
            '2||summarizer: add keeps sources: set SUMMARIZER_STORE to the file that keeps them, e.g. SUMMARIZER_STORE=sources.sqlite3',
            '2||summarizer: the query is empty; ask a question',
            '2||summarizer: --max-tokens 100 is less than a brief needs; give at least 500',
            """\
2||Usage: root answer [OPTIONS] QUERY [URL|FILE|HANDLE|-]
Try 'root answer --help' for help.

Error: Invalid value for '--mode'\
""",
            '3||summarizer: missing.md does not exist',
        ]
    )
