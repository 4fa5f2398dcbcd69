"""What is shipped: the container files, the example settings and the pinned npm tools. `make container-check` goes on."""

import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Generator
from contextlib import contextmanager
from fnmatch import fnmatch
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from runpy import run_path
from threading import Thread

import pytest
from inline_snapshot import snapshot

import researcher_integration
import summarizer_tool
from researcher_integration import ResearchSettings
from summarizer_tool import ConfigurationError, naming_extra
from summarizer_tool.extras import EXTRAS, MissingExtraError
from summarizer_tool.settings import Settings, variable
from tests.proofs.container.files import (
    REPOSITORY,
    SERVICE,
    Step,
    compose_values,
    in_context,
    read,
    service_environment,
    stages,
)
from tests.support.server_process import free_port

BUILD, FINAL = stages(read('Dockerfile'))
COMPOSE = compose_values(read('docker-compose.yml'))
IGNORE = read('.dockerignore').splitlines()
PROJECT = tomllib.loads(read('pyproject.toml'))
CONFORMANCE = REPOSITORY / 'tests' / 'proofs' / 'conformance'
EXAMPLE = re.findall(r'^#(\w+)=(.*)$', read('.env.example'), re.MULTILINE)


def service(name: str) -> str:
    return COMPOSE[f'services.{SERVICE}.{name}']


# Dockerfile


def test_the_image_holds_an_environment_and_nothing_else() -> None:
    assert (BUILD.base, FINAL.base, BUILD.name) == snapshot(('python:3.12-slim', 'python:3.12-slim', 'build'))
    assert [(step.flags, step.words) for step in FINAL.all('COPY')] == snapshot(
        [({'from': 'build'}, ['/opt/venv', '/opt/venv'])]
    )
    assert not re.search(r'\b(pip|apt-get|curl|wget)\b', ' '.join(step.arguments for step in FINAL.steps))
    assert FINAL.environment == snapshot(
        {
            'PATH': '/opt/venv/bin:$PATH',
            'PYTHONUNBUFFERED': '1',
            'PYTHONDONTWRITEBYTECODE': '1',
            'MCP_HOST': '0.0.0.0',
            'MCP_SUMMARIZER_PORT': '8007',
            'SUMMARIZER_STORE': '/data/store.sqlite3',
        }
    )


def test_the_image_runs_as_a_user_who_owns_only_the_store() -> None:
    user = FINAL.last('USER').arguments
    assert re.fullmatch(r'[1-9]\d{3,}:[1-9]\d{3,}', user)
    volume = FINAL.last('VOLUME').arguments
    [create] = FINAL.all('RUN')
    uid, gid = user.split(':')
    assert f'--owner {uid} --group {gid} --mode 0750 {volume}' in create.arguments
    assert FINAL.environment['SUMMARIZER_STORE'].startswith(f'{volume}/')
    order = [step.name for step in FINAL.steps]
    assert order.index('RUN') < order.index('USER') < order.index('VOLUME')


def test_what_the_image_starts() -> None:
    assert FINAL.last('CMD').arguments == '["summarizer", "serve"]'
    assert 'summarizer' in PROJECT['project']['scripts']
    assert FINAL.last('STOPSIGNAL').arguments == 'SIGTERM'
    assert FINAL.last('EXPOSE').arguments == FINAL.environment['MCP_SUMMARIZER_PORT']


def test_the_builder_gets_what_the_wheel_is_made_of_and_nothing_else() -> None:
    copied = {source for step in BUILD.all('COPY') for source in step.words[:-1]}
    wheel = PROJECT['tool']['hatch']['build']['targets']['wheel']
    needed = {'pyproject.toml', PROJECT['project']['readme'], *PROJECT['project']['license-files']}
    assert copied == needed | {*wheel['packages'], *wheel['force-include']}
    for source in copied:
        assert (REPOSITORY / source).exists()
        assert in_context(source, IGNORE)
        assert in_context(f'{source}/tools/summarize.md', IGNORE)
    for other in (
        '.env',
        '.git/config',
        '.venv/bin/python',
        'tests/conftest.py',
        'summarizer_tool/__pycache__/cli.pyc',
    ):
        assert not in_context(other, IGNORE), other


@contextmanager
def answering(status: int) -> Generator[int]:
    """The port of a server that answers everything with one status."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status if self.path == '/health' else 404)
            self.end_headers()

        def log_request(self, *args: object, **kwargs: object) -> None: ...

    with HTTPServer(('127.0.0.1', 0), Handler) as server:
        thread = Thread(target=server.serve_forever, kwargs={'poll_interval': 0.01})
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join()


def health_check(port: int) -> int:
    command = FINAL.health_command
    assert command[0] == 'python'
    # A proxy is not asked about the machine's own server.
    environment = {**os.environ, 'MCP_SUMMARIZER_PORT': str(port), 'http_proxy': 'http://127.0.0.1:9'}
    return subprocess.run([sys.executable, *command[1:]], env=environment, capture_output=True, check=False).returncode


def test_the_health_check_tells_a_healthy_server_from_others() -> None:
    with answering(200) as port:
        assert health_check(port) == 0
    with answering(503) as port:
        assert health_check(port) == 1
    assert health_check(free_port()) == 1


def test_a_dockerfile_is_read_as_docker_does() -> None:
    [stage] = stages(
        '# a\nFROM base\nENV A=1 \\\n    # between\n    B=2\n\nRUN --mount=type=cache,target=/x \\\n    a && b\n'
    )
    assert (stage.base, stage.environment, stage.last('RUN').without_flags) == ('base', {'A': '1', 'B': '2'}, 'a && b')
    assert Step('CMD', '["a b", "c"]').words == ['a b', 'c']


# docker-compose.yml


def test_the_service_of_the_compose_file() -> None:
    assert {
        name.removeprefix(f'services.{SERVICE}.'): value
        for name, value in COMPOSE.items()
        if 'healthcheck.test' not in name
    } == snapshot(
        {
            'build': '.',
            'image': 'summarizer-tool',
            'restart': 'unless-stopped',
            'init': 'true',
            'env_file.0.path': '.env',
            'env_file.0.required': 'false',
            'environment.MCP_TRANSPORT': 'streamable-http',
            'environment.MCP_HOST': '0.0.0.0',
            'environment.MCP_SUMMARIZER_PORT': '8007',
            'environment.MCP_ALLOWED_HOSTS': 'mcp-summarizer:8007,${MCP_ALLOWED_HOSTS:-}',
            'environment.SUMMARIZER_STORE': '/data/store.sqlite3',
            'ports.0': '127.0.0.1:${MCP_SUMMARIZER_PORT:-8007}:8007',
            'volumes.0': 'summarizer-store:/data',
            'read_only': 'true',
            'tmpfs.0': '/tmp',
            'cap_drop.0': 'ALL',
            'security_opt.0': 'no-new-privileges:true',
            'healthcheck.interval': '5s',
            'healthcheck.timeout': '3s',
            'healthcheck.start_period': '20s',
            'healthcheck.retries': '3',
            'stop_grace_period': '20s',
        }
    )


def test_others_can_wait_for_the_service() -> None:
    assert json.loads(service('healthcheck.test')) == ['CMD', *FINAL.health_command]
    flags = FINAL.last('HEALTHCHECK').flags
    assert {name.replace('-', '_'): value for name, value in flags.items()} == {
        name: service(f'healthcheck.{name}') for name in ('interval', 'timeout', 'start_period', 'retries')
    }


def test_the_service_fits_the_image_and_the_settings(env_file: Path) -> None:
    environment = service_environment(COMPOSE)
    assert environment.keys() <= {variable(field) for field in Settings.model_fields}
    for name in environment.keys() & FINAL.environment.keys():
        assert environment[name] == FINAL.environment[name]
    env_file.write_text('\n'.join(f'{name}={value}' for name, value in environment.items()))
    settings = Settings.load()
    port = settings.mcp_summarizer_port
    assert service('ports.0') == f'127.0.0.1:${{MCP_SUMMARIZER_PORT:-{port}}}:{port}'
    assert f'{SERVICE}:{port}' in settings.mcp_allowed_hosts
    assert service('volumes.0') == f'summarizer-store:{FINAL.last("VOLUME").arguments}'
    assert float(service('stop_grace_period').removesuffix('s')) > settings.mcp_shutdown_grace_seconds + 5


# .env.example


def test_the_example_names_every_setting_once_with_a_comment() -> None:
    names = [name for name, _ in EXAMPLE]
    fields = ResearchSettings.model_fields.values()  # those of the summarizer, too
    assert sorted(names) == sorted([*(str(field.validation_alias) for field in fields), 'LOGFIRE_TOKEN'])
    lines = read('.env.example').splitlines()
    for before, line in pairwise(lines):
        assert not line.startswith('#') or line.startswith('# ') or before.startswith('# '), line
        assert not line or line.startswith('#'), f'{line} would change something'


def test_the_values_of_the_example_are_the_defaults(env_file: Path) -> None:
    defaults = ResearchSettings.load()
    env_file.write_text(read('.env.example'))
    assert ResearchSettings.load() == defaults
    env_file.write_text('\n'.join(f'{name}={value}' for name, value in EXAMPLE))
    assert ResearchSettings.load() == defaults
    values = dict(EXAMPLE)
    for name, field in ResearchSettings.model_fields.items():
        has_default = field.default_factory is None and field.default not in (None, ())
        assert bool(values[str(field.validation_alias)]) == has_default, name


# What is read as a file


def test_files_that_are_read_are_shipped() -> None:
    """Prompts, configuration and pages lie where the wheel takes them from, and nothing keeps them out of it."""
    wheel = PROJECT['tool']['hatch']['build']['targets']['wheel']
    for folder in (
        'prompts/research',
        'prompts/research/extraction',
        'researcher_integration/config',
        'summarizer_tool/report',
    ):
        names = [path.name for path in (REPOSITORY / folder).iterdir() if path.is_file()]
        assert names, folder
        assert folder.split('/')[0] in {*wheel['packages'], *wheel['force-include']}
        for name in names:
            assert in_context(f'{folder}/{name}', IGNORE), name
            assert not kept_out(f'{folder}/{name}'), name
    assert kept_out('research/kelderwick-fen/checkpoint.json')
    assert not {'exclude', 'only-include', 'include'} & {*wheel, *PROJECT['tool']['hatch']['build']}
    assert wheel['force-include'] == {'prompts': 'summarizer_tool/prompts'}


def kept_out(path: str) -> bool:
    """Whether `.gitignore` names a file or a folder above it, which keeps it out of the wheel, too."""
    parts = Path(path).parts
    patterns = [line for line in read('.gitignore').splitlines() if line and not line.startswith('#')]
    return any(
        fnmatch(part, pattern.strip('/'))
        for pattern in patterns
        for part in (parts[:1] if pattern.startswith('/') else parts)
    )


def test_commands_are_functions() -> None:
    for target in PROJECT['project']['scripts'].values():
        module, _, name = target.partition(':')
        assert callable(getattr(import_module(module), name)), target


def test_a_worker_process_starts_no_second_program() -> None:
    # It loads the file of its program, under another name than `__main__`.
    for package in ('summarizer_tool', 'researcher_integration'):
        for file in (REPOSITORY / package).rglob('__main__.py'):
            run_path(str(file), run_name='__mp_main__')


def test_importing_a_package_does_not_look_for_its_names() -> None:
    code = (
        'import builtins\n'
        'opened, own = [], open\n'
        'builtins.open = lambda *given, **named: opened.append(given[0]) or own(*given, **named)\n'
        'import researcher_integration, summarizer_tool\n'
        'before = len(opened)\n'
        'summarizer_tool.ConfigurationError\n'
        'print(before, *opened)'
    )
    done = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == ['0', summarizer_tool.__file__]


# What is installed, and what is asked for by name


def test_every_package_of_an_extra_is_named_with_it() -> None:
    extras = PROJECT['project']['optional-dependencies']
    brought = {
        extra: {re.split(r'[\[>]', line)[0] for line in lines if not line.startswith('summarizer-tool[')}
        for extra, lines in extras.items()
    }
    distributions = {
        **dict.fromkeys(('anthropic', 'fastmcp', 'groq', 'mistralai', 'openai'), 'pydantic-ai-slim'),
        'mcp_types': 'mcp',
        'pythonjsonlogger': 'python-json-logger',
        'yaml': 'pyyaml',
    }
    for package, extra in EXTRAS.items():
        assert distributions.get(package, package.replace('_', '-')) in brought[extra], package
    core = {re.split(r'[\[>]', line)[0] for line in PROJECT['project']['dependencies']}
    named = {distributions.get(package, package.replace('_', '-')) for package in EXTRAS}
    own = set.union(
        *(
            names
            for extra, names in brought.items()
            if extra not in ('dev', 'docs', 'eval', 'google', 'injections', 'readers')
        )
    )
    assert own - named - core == set()
    for lines in (PROJECT['project']['dependencies'], *extras.values()):
        assert not [line for line in lines if '<' in line]


@pytest.mark.parametrize(
    ('package', 'known'), [('summarizer_tool', 'Summarizer'), ('researcher_integration', 'Masker')]
)
def test_all_names_are_imported_but_those_of_missing_extras(package: str, known: str) -> None:
    program = (
        'import sys; sys.modules.update(mcp_types=None, fastmcp=None, starlette=None)\n'
        f'from {package} import *\n'
        "print(sorted({'Summarizer', 'refuse_cursor', 'Masker', 'timeline_app'} & set(dir())))"
    )
    done = subprocess.run([sys.executable, '-c', program], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == (f'[{known!r}]\n', '')


def test_a_missing_package_is_told_with_its_extra() -> None:
    messages: list[str] = []
    for package, whole in (('lxml', ''), ('mcp_types', ''), ('logfire', 'server')):
        with pytest.raises(MissingExtraError) as raised, naming_extra(whole), naming_extra():
            raise ImportError('of another kind') from ModuleNotFoundError('gone', name=f'{package}.part')
        messages.append(str(raised.value))
        assert isinstance(raised.value, ConfigurationError)
    assert messages == snapshot(
        [
            'lxml is not installed: pip install "summarizer-tool[web]"',
            'mcp_types is not installed: pip install "summarizer-tool[server]"',
            'logfire is not installed: pip install "summarizer-tool[server]"',
        ]
    )
    with pytest.raises(ModuleNotFoundError, match='unknown'), naming_extra():
        raise ModuleNotFoundError('unknown', name='unknown')


def test_patterns_mean_the_same_on_every_python() -> None:
    """Before Python 3.11.5, `re` reads a group that is repeated possessively wrongly; an atomic group is read well."""
    repeated = re.compile(r'(?<!\\)\)(?:[*+?]|\{[\d,]+\})\+')
    sources = (
        path
        for package in (summarizer_tool, researcher_integration)
        for path in Path(package.__path__[0]).rglob('*.py')
    )
    lines = ((path, line) for path in sources for line in path.read_text().splitlines())
    assert not [(path.name, line) for path, line in lines if repeated.search(line) and 'regex.compile' not in line]


def test_types_and_version_are_there() -> None:
    for package in (summarizer_tool, researcher_integration):
        assert (Path(package.__path__[0]) / 'py.typed').is_file()
        assert package.__version__ == PROJECT['project']['version']


def test_the_entry_for_the_registry_of_mcp_servers() -> None:
    entry = json.loads(read('server.json'))
    assert re.fullmatch(r'[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+', entry['name'])
    # By this line of the README on PyPI the registry sees that both have the same owner.
    assert f'<!-- mcp-name: {entry["name"]} -->' in read('README.md')
    assert len(entry['description']) <= 100
    assert entry['repository']['url'] == PROJECT['project']['urls']['Homepage']
    [package] = entry['packages']
    version = PROJECT['project']['version']
    assert (entry['version'], package['version']) == (version, version)
    assert (package['registryType'], package['identifier']) == ('pypi', PROJECT['project']['name'])
    assert package['identifier'] in PROJECT['project']['scripts']
    assert [argument['value'] for argument in package['runtimeArguments']] == [
        f'summarizer-tool[openai,server]=={version}'
    ]
    assert [argument['value'] for argument in package['packageArguments']] == ['serve', 'stdio']
    fields = ResearchSettings.model_fields.values()
    known = {str(field.validation_alias) for field in fields}
    assert {setting['name'] for setting in package['environmentVariables']} <= known


# The npm tools


def test_the_npm_tools_are_pinned_and_name_no_registry() -> None:
    package = json.loads((CONFORMANCE / 'package.json').read_text())
    pinned = {**package['dependencies'], **package['optionalDependencies']}
    locked = json.loads((CONFORMANCE / 'package-lock.json').read_text())['packages']
    assert {name: locked[f'node_modules/{name}']['version'] for name in pinned} == pinned
    assert not [name for name, entry in locked.items() if 'resolved' in entry]
    assert all('integrity' in entry for name, entry in locked.items() if name)
    assert pinned['@modelcontextprotocol/conformance'] == '0.1.16'


def test_the_commands_of_the_makefile_are_described() -> None:
    makefile = read('Makefile')
    [phony] = re.findall(r'^\.PHONY: (.*)$', makefile, re.MULTILINE)
    assert set(re.findall(r'^([a-z][\w-]*):.*## ', makefile, re.MULTILINE)) <= set(phony.split())
    assert set(phony.split()) == set(re.findall(r'^([a-z][\w-]*):', makefile, re.MULTILINE))
