"""The documentation tells the truth: its examples run and print what it shows, its commands and settings are the real ones."""

import itertools
import json
import os
import re
import subprocess
import sys
import textwrap
import tomllib
from pathlib import Path
from types import ModuleType

import pytest
import typer
import yaml
from typer.core import TyperGroup

import researcher_integration
import summarizer_tool
from researcher_integration import ResearchSettings, load_rules
from researcher_integration.lore.cli import app as lore_research
from researcher_integration.proxy.cli import proxy
from summarizer_tool.cli.main import app as summarizer
from summarizer_tool.cli.terminal import ExitCode
from summarizer_tool.service.operations import operation
from summarizer_tool.store.database import FORMAT
from tests.support import forking
from tests.support.documentation import PAGES, ROOT, Command, blocks, commands, rebuilt

BLOCKS = {page: blocks(page) for page in PAGES}
COMMANDS = [
    (block, command)
    for found in BLOCKS.values()
    for block in found
    if block.language == 'console'
    for command in commands(block.code)
]
PROJECT = tomllib.loads((ROOT / 'pyproject.toml').read_text(encoding='utf-8'))
MAX_README_BYTES = 12_000

PROGRAMS = {'claude', 'codex', 'docker', 'echo', 'export', 'make', 'pip', 'python', *PROJECT['project']['scripts']}
"""What a console line may begin with."""


def text_of(*names: str) -> str:
    return '\n'.join((ROOT / name).read_text(encoding='utf-8') for name in names)


def test_the_readme_is_short() -> None:
    assert len((ROOT / 'README.md').read_bytes()) <= MAX_README_BYTES


@pytest.mark.slow  # `make lint` runs it
def test_every_example_type_checks(tmp_path: Path) -> None:
    """As in the editor of who copies it: what a model is given must fit its fields."""
    for found in BLOCKS.values():
        for number, block in enumerate(found):
            if block.language == 'python' and '--8<--' not in block.code:
                (tmp_path / f'{Path(block.page).stem}_{number}.py').write_text(block.code, encoding='utf-8')
    rules = {'typeCheckingMode': 'basic', 'extraPaths': [str(ROOT)]}
    (tmp_path / 'pyrightconfig.json').write_text(json.dumps(rules), encoding='utf-8')
    checked = [sys.executable, '-m', 'basedpyright', '--pythonpath', sys.executable]
    done = subprocess.run([*checked, '--level', 'error', '-p', tmp_path], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


@pytest.mark.timeout(300)  # fifty examples are one test
def test_every_example_prints_what_the_page_shows(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """All pages in one process of their own; `make snapshots` writes what is printed into the pages."""
    pages = [page for page, found in BLOCKS.items() if any(block.language in ('python', 'console') for block in found)]
    set_here = {'LLM_MODEL': 'extractive', 'PYTHONPATH': str(ROOT), 'TMPDIR': str(tmp_path), 'COLUMNS': '80'}
    done = forking.run(
        'tests.support.documentation',
        *(page.relative_to(ROOT) for page in pages),
        environment={**os.environ, **set_here},
        cwd=ROOT,
        seconds=280,
    )
    assert done.returncode == 0, done.stderr.decode()
    printed = json.loads(done.stdout)
    wrong = [
        (block, now)
        for page in pages
        for number, block in enumerate(BLOCKS[page])
        if (now := rebuilt(block, printed[str(page.relative_to(ROOT))], number)) != block.code
    ]
    if 'fix' in (request.config.getoption('inline_snapshot') or ''):
        for block, now in reversed(wrong):  # from the end of a page, so that the places of the others hold
            path = ROOT / block.page
            text = path.read_text(encoding='utf-8')
            path.write_text(
                text[: block.start] + textwrap.indent(now, block.indent) + text[block.end :], encoding='utf-8'
            )
    else:
        assert not wrong, '\n'.join(f'{block.name} is to show\n{now}' for block, now in wrong)


def test_the_script_for_the_command_line_runs(tmp_path: Path) -> None:
    folder = forking.program(tmp_path, 'summarizer', 'summarizer_tool.__main__').parent
    done = subprocess.run(
        ['bash', ROOT / 'examples' / 'command_line.sh'],
        env={**os.environ, 'PATH': f'{folder}:{os.environ["PATH"]}', 'TMPDIR': str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert 'Factions of Kelderwick Fen' in done.stdout
    assert '[CITATIONS]' in done.stdout
    assert not [*tmp_path.rglob('*.sqlite3')]


def test_every_script_is_shown() -> None:
    """What a page shows is run; see above."""
    shown = text_of(*(str(page) for page in PAGES))
    for script in (ROOT / 'examples').iterdir():
        assert script.is_dir() or f'--8<-- "examples/{script.name}"' in shown, script.name


def test_every_setting_is_in_the_table_with_its_default() -> None:
    rows = dict(re.findall(r'^`([A-Z_]+)` \| ?([^|]*?) ?\|', text_of('docs/settings.md'), re.MULTILINE))
    for field in ResearchSettings.model_fields.values():  # those of the summarizer, too
        variable = str(field.validation_alias)
        assert variable in rows, f'{variable} is not in docs/settings.md'
        shown = rows.pop(variable).strip('`')
        if isinstance(field.default, bool):
            assert shown == str(field.default).lower(), variable
        elif isinstance(field.default, int | float):
            assert shown == f'{field.default:g}', variable
    assert set(rows) == {'LOGFIRE_TOKEN'}


def test_commands_that_are_shown_exist() -> None:
    makefile = text_of('Makefile')
    for block, command in COMMANDS:
        program, *arguments = command.words
        assert program in PROGRAMS, f'{block.name}: {command.line}'
        if program == 'make':
            assert re.search(rf'^{arguments[0]}:', makefile, re.MULTILINE), f'{block.name}: {command.line}'


def test_options_that_are_shown_exist() -> None:
    """Also of commands that are not run here, since they go to the network or serve."""
    for block, command in COMMANDS:
        if command.words[0] in ('summarizer', 'lore-research'):
            own = itertools.takewhile(lambda word: word != '--', command.words)
            given = {word.partition('=')[0] for word in own if word.startswith('--')}
            assert given <= options_of(command), f'{block.name}: {command.line}'


def test_extras_that_are_named_exist() -> None:
    extras = PROJECT['project']['optional-dependencies'].keys()
    for page in PAGES:
        for named in re.findall(r'summarizer-tool\[([\w,-]+)\]', page.read_text(encoding='utf-8')):
            assert {*named.split(',')} <= extras, f'{page.name}: {named}'
    listed = re.findall(r'^(`[^|]*) \|', text_of('docs/install.md'), re.MULTILINE)
    assert {*re.findall(r'`([\w-]+)`', ' '.join(listed))} == extras - {'dev', 'docs', 'eval', 'injections', 'readers'}


def test_exit_codes_are_told() -> None:
    told = text_of('docs/command-line.md', 'docs/researcher.md')
    for code in ExitCode:
        assert re.search(rf'^`{code:d}` \| ', told, re.MULTILINE), code


def test_structured_examples_are_what_they_say() -> None:
    for block in (block for found in BLOCKS.values() for block in found):
        if block.language == 'json':
            json.loads(block.code)
        if block.language == 'toml':
            tomllib.loads(block.code)
        if block.language == 'yaml':
            assert yaml.safe_load(block.code), block.name


def test_the_schema_of_postgres_is_that_of_the_tables() -> None:
    text = (ROOT / 'docs' / 'mcp-server.md').read_text(encoding='utf-8')
    assert re.findall(r'`summarizer_store_(\d+)`', text) == [str(FORMAT.version)]


def test_the_rules_that_are_shown_are_valid(tmp_path: Path) -> None:
    [block] = [block for block in BLOCKS[ROOT / 'docs' / 'tool-results.md'] if block.language == 'yaml']
    (tmp_path / 'rules.yml').write_text(block.code, encoding='utf-8')
    assert load_rules(tmp_path / 'rules.yml').mcp_servers


@pytest.mark.parametrize('package', [summarizer_tool, researcher_integration], ids=lambda package: package.__name__)
def test_every_public_name_is_in_the_reference(package: ModuleType) -> None:
    reference = text_of(f'docs/api/{package.__name__}.md')
    named = re.findall(rf'^::: {package.__name__}\.(\w+)$', reference, re.MULTILINE)
    assert sorted(named) == sorted(name for name in package.__all__ if not name.startswith('__'))


def test_links_lead_somewhere() -> None:
    """Those to files; `make docs` looks at those to headings, too."""
    for page in (*PAGES, *(ROOT / name for name in ('ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md'))):
        for link in re.findall(r'\]\(([^)#\s]+)[^)]*\)', page.read_text(encoding='utf-8')):
            assert '://' in link or (page.parent / link).exists(), f'{page.name}: {link}'


def test_files_that_are_named_exist() -> None:
    """In what a newcomer is told about the repository; within a package its name may be left out."""
    rooms = (ROOT, ROOT / 'summarizer_tool', ROOT / 'researcher_integration')
    for name in ('ARCHITECTURE.md', 'CONTRIBUTING.md'):
        for path in re.findall(r'`([\w.-]+/[\w./-]*)`', text_of(name)):
            is_elsewhere = 'NAME' in path or path.startswith('../')
            assert is_elsewhere or any((room / path).exists() for room in rooms), f'{name}: {path}'


def options_of(command: Command) -> set[str]:
    """The options that its program has."""
    program = typer.main.get_command(summarizer if command.words[0] == 'summarizer' else lore_research)
    if isinstance(program, TyperGroup) and command.words[1] in program.commands:
        program = program.commands[command.words[1]]
    elif [*command.words[:2]] == ['summarizer', 'proxy']:  # is found by its entry point
        app = typer.Typer()
        app.command()(proxy)
        program = typer.main.get_command(app)
    if command.words[1] == 'call' and (asked := operation(command.words[2])):
        return {f'--{name}' for name in asked.request.model_fields} | {'--help', '--json'}
    return {option for parameter in program.params for option in parameter.opts} | {'--help'}
