"""What `lore-research` refuses before any work is done, and what its arguments are taken for."""

import sys
from functools import partial
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from researcher_integration.config.files import FOLDER
from researcher_integration.lore.cli import _configuration
from researcher_integration.lore.package import Statistics
from summarizer_tool import ConfigurationError
from tests.support.lore_command import each, run
from tests.support.terminal import settled


def test_what_was_asked_for_in_a_wrong_way(tmp_path: Path, pages: list[Path]) -> None:
    weir = ('--pages', 'weir.md')
    asked: list[tuple[str | bytes, ...]] = [
        ('Mirefold',),
        ('Mirefold', '--pages'),
        ('\N{MATHEMATICAL DOUBLE-STRUCK CAPITAL A}' * 80,),
        ('--pages', 'tale.md', 'weir.md', 'Mirefold'),
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
            "Error: Option '--pages' requires an argument.",
            'there is nothing to read: name pages with --pages, or let the agent search (--search)',
            'ZONE is a page, weir.md; give the name of the zone first',
            "Error: Invalid value for '--way'",
            "Error: Invalid value for '--window'",
            '--resume goes on with what is in the folder, --fresh begins anew; give one of them',
            'ZONE has no letter or digit in it',
            "'Mirefold\\udcff' has characters that are no text; write it otherwise, or rename the file",
            'ZONE has 201 characters, over 200; give the name alone',
            "'\\udcff.md' has characters that are no text; write it otherwise, or rename the file",
        ]
    )
    assert not (tmp_path / 'research').exists()


def test_searching_needs_a_model_and_a_server(tmp_path: Path) -> None:
    for path in filter(Path.is_file, FOLDER.iterdir()):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / 'mcp_config.json').write_text('{"mcpServers": {"web": {"url": "http://127.0.0.1:9/mcp"}}}')
    ask = partial(run, 'Mirefold', '--search', cwd=tmp_path)
    without_model, without_server = each(partial(ask, '--config', '.'), partial(ask, RESEARCH_MODEL='ollama:qwen3'))
    assert (*without_model[:2], without_model[2][-1]) == snapshot(
        (
            2,
            '',
            'searching needs a model that calls tools, and the embedded one does not: set RESEARCH_MODEL or LLM_MODEL, or name pages with --pages',
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
                ['servers/mcp_config.json: mcpServers.web.timout: is none of the keys'],
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
            'warning: not crawled: 127.0.0.1:9/a leads to an address that is not public (loopback); SUMMARIZER_FETCH_ALLOW_HOSTS=127.0.0.1:9 would allow it',
        ]
    )
    # A package that is there stays, whatever is mistyped after it.
    assert ask('--pages', 'gone.md', '--out', 'some').returncode == 2
    assert Statistics.model_validate_json((tmp_path / 'some' / 'statistics.json').read_text()).pages == 1
    assert (none[0], none[1], none[2][-1].replace(str(tmp_path), 'HERE')) == snapshot(
        (
            2,
            '',
            '--pages: HERE/gone.md does not exist; name files that do, or URLs',
        )
    )


def test_pages_are_all_that_follow_the_zone(tmp_path: Path, pages: list[Path]) -> None:
    ask = partial(run, 'Mirefold', cwd=tmp_path)
    for arguments in (
        ('--pages', 'weir.md', 'tale.md', '--fresh'),
        ('--pages=weir.md', 'tale.md'),
        ('weir.md', 'tale.md'),
    ):
        assert ask(*arguments, '--out', 'package').returncode == 0
        statistics = Statistics.model_validate_json((tmp_path / 'package' / 'statistics.json').read_text())
        assert [Path(place).name for place in statistics.request.places] == ['weir.md', 'tale.md']


def test_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in [name for name in sys.modules if name.startswith(('fastmcp', 'researcher_integration.mcp'))]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, 'fastmcp', None)
    with pytest.raises(ConfigurationError) as error:
        _configuration(FOLDER, search=False)
    assert str(error.value) == snapshot('fastmcp is not installed: pip install "summarizer-tool[researcher]"')
