"""What `summarizer proxy` takes: a command, a URL, a file; and how the command is found."""

import json
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest
from inline_snapshot import snapshot
from typer.testing import CliRunner

import summarizer_tool
from researcher_integration.proxy.servers import ProxiedEntry, ProxiedServer, from_command, from_file, from_url
from summarizer_tool import ConfigurationError
from summarizer_tool.cli import main
from summarizer_tool.cli.main import app
from tests.support import forking, serving


def written(folder: Path, content: object) -> Path:
    path = folder / 'mcp.json'
    path.write_text(json.dumps(content))
    return path


def test_a_file_of_a_client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('KEY', 'hunter2')
    path = written(
        tmp_path,
        {
            'theme': 'dark',
            'mcpServers': {
                'files': {
                    'type': 'stdio',
                    'command': 'npx',
                    'args': ['-y', 'files', '${ROOT:-/srv}'],
                    'env': {'TOKEN': '${KEY}'},
                    'cwd': '/',
                    'alwaysAllow': ['read'],
                },
                'web': {'type': 'http', 'url': 'https://x.example/mcp', 'headers': {'A': '${KEY}'}, 'timeout': 5},
                'old': {'command': 'old', 'disabled': True},
            },
        },
    )
    files, web = from_file(path)
    assert files == ProxiedServer(
        'files',
        ProxiedEntry(type='stdio', command='npx', args=('-y', 'files', '/srv'), env={'TOKEN': 'hunter2'}, cwd='/'),
    )
    assert web == ProxiedServer(
        'web', ProxiedEntry(type='http', url='https://x.example/mcp', headers={'A': 'hunter2'}, timeout=5)
    )
    assert 'hunter2' not in f'{files}{web}'


@pytest.mark.parametrize(
    ('servers', 'problem'),
    [
        ({}, 'mcpServers names no server that is not disabled'),
        ({'a': {'command': 'x', 'url': 'https://x'}}, 'has a url and a command; give one'),
        ({'a': {'command': 'x', 'env': {'K': '${NOT_SET_4471}'}}}, 'the environment variable'),
        ({'a': {'url': 'https://x', 'type': 'sse'}}, "'sse' is not spoken here"),
        ({'a b': {'command': 'x'}}, 'must match pattern'),
    ],
)
def test_what_is_wrong_with_a_file(tmp_path: Path, servers: dict[str, Any], problem: str) -> None:
    with pytest.raises(ConfigurationError) as failed:
        from_file(written(tmp_path, {'mcpServers': servers}))
    assert problem in str(failed.value)


def test_a_command_gets_the_variables_of_the_proxy_but_not_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('GITHUB_TOKEN', 'meant for the server')
    monkeypatch.setenv('MCP_AUTH_TOKEN', 'of the proxy')
    monkeypatch.setenv('OPENROUTER_API_KEY', 'of the proxy')
    server = from_command(['/usr/bin/npx', 'some-server'])
    assert server.name == 'npx'
    env = server.entry.env or {}
    assert env['GITHUB_TOKEN'] == 'meant for the server'
    assert 'of the proxy' not in env.values()
    assert from_command(['npx'], 'files').name == 'files'


def test_a_url() -> None:
    assert from_url('https://x.example/mcp', ['X-Key:  1 ']) == ProxiedServer(
        'x.example', ProxiedEntry(url='https://x.example/mcp', headers={'X-Key': '1'})
    )
    for url, header in (('x.example', 'A: b'), ('https://x', 'no colon'), ('https://x', 'A: ${NOT_SET_4471}')):
        with pytest.raises(ConfigurationError, match=r'^--(url|header)'):
            from_url(url, [header])


@pytest.mark.parametrize(
    'arguments',
    [
        [],
        ['--url', 'https://x.example', '--', 'npx'],
        ['--header', 'A: b', '--', 'npx'],
        ['--config', 'nowhere.json', '--name', 'x'],
        ['--config', 'nowhere.json'],
        ['--rules', 'nowhere.yml', '--', 'npx'],
        ['--model', 'no-such-provider:x', '--', 'npx'],
    ],
    ids=' '.join,
)
def test_a_wrong_option_is_one_line_and_exit_code_2(arguments: list[str], tmp_path: Path) -> None:
    done = forking.run('summarizer_tool', 'proxy', *arguments, environment=serving.environment({}), cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, b'')
    [line] = done.stderr.decode().splitlines()
    assert line.startswith('summarizer: ')


@pytest.fixture
def entry(monkeypatch: pytest.MonkeyPatch) -> None:
    """The entry point, which a checkout that was not installed again does not have."""
    found = EntryPoint('proxy', 'researcher_integration.proxy.cli:proxy', main.GROUP)
    monkeypatch.setattr(main, 'entry_points', lambda group: [found] if group == main.GROUP else [])


@pytest.mark.usefixtures('entry')
def test_the_command_is_found_by_its_entry_point() -> None:
    ask = CliRunner().invoke
    assert [line.split()[0] for line in ask(app, ['--help']).output.splitlines() if '  proxy' in line] == ['proxy']
    shown = ask(app, ['proxy', '--help']).output
    assert ('--rules' in shown, '  Exit codes: 0 ' in shown) == (True, True)
    wrong = ask(app, ['proxy'])
    assert wrong.exit_code == 2
    assert wrong.output == snapshot(
        'summarizer: name what stands behind the proxy by one of: -- COMMAND, --url URL, --config FILE\n'
    )
    assert ask(app, ['proxies']).exit_code == 2


@pytest.mark.usefixtures('entry')
@pytest.mark.parametrize(
    ('rules', 'key'),
    [
        ('defaults: {model: foo/bar}', 'defaults.model'),
        ('defaults: {fallback_models: [foo/bar]}', 'defaults.fallback_models[0]'),
        ('mcp_servers: {npx: {summarization: {model: foo/bar}}}', 'mcp_servers.npx.summarization.model'),
    ],
)
def test_a_model_that_cannot_be_had_is_named_by_file_and_key(
    rules: str, key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv('OPENROUTER_API_KEY', raising=False)
    path = tmp_path / 'rules.yml'
    path.write_text(rules)
    wrong = CliRunner().invoke(app, ['proxy', '--rules', str(path), '--', 'npx'])
    assert wrong.exit_code == 2
    assert f'{path}: {key}=foo/bar goes to OpenRouter: set OPENROUTER_API_KEY' in wrong.output


@pytest.mark.usefixtures('entry')
def test_what_stands_in_the_env_file_of_the_proxy_goes_to_no_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv('LAMPS_TOKEN', 'given')
    monkeypatch.setenv('OTHER_PROVIDERS_KEY', '')
    monkeypatch.setenv('LLM_MODEL', '')
    Path('.env').write_text('OTHER_PROVIDERS_KEY=of-the-proxy\nLLM_MODEL=extractive\n')
    served: list[Any] = []
    monkeypatch.setattr(summarizer_tool, 'serve_mcp', lambda _, made: served.append(made))
    assert CliRunner().invoke(app, ['proxy', '--', 'npx']).exit_code == 0
    env = served[0].args[0][0].entry.env or {}
    assert env['LAMPS_TOKEN'] == 'given'
    assert 'of-the-proxy' not in env.values()


def test_our_own_commands_do_not_look_for_others(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(group: str) -> list[EntryPoint]:
        raise AssertionError('looked')

    monkeypatch.setattr(main, 'entry_points', fail)
    assert CliRunner().invoke(app, ['status', '--help']).exit_code == 0
