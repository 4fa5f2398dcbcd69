"""The README tells the truth: its Python examples run, its commands exist, its settings are the real ones."""

import gc
import re
import runpy
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from inline_snapshot import snapshot

# Its frames are registered when it is imported, which has to be before the first frame is written, in any example.
from researcher_integration import LoreResearcher, ResearchSettings
from researcher_integration.lore.cli import ResearchExitCode

ROOT = Path(__file__).parents[1]
README = (ROOT / 'README.md').read_text(encoding='utf-8')
EXAMPLES = re.findall(r'```python\n(.*?)```', README, re.DOTALL)


@pytest.mark.parametrize('number', range(len(EXAMPLES)))
def test_python_examples_run(number: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv('LLM_MODEL', 'extractive')
    script = tmp_path / 'example.py'
    script.write_text(EXAMPLES[number], encoding='utf-8')
    runpy.run_path(str(script), run_name='__main__')
    gc.collect()  # what a script leaves to the end of its process is not left to the next test


def test_what_the_second_agent_example_prints(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    script = tmp_path / 'example.py'
    script.write_text(EXAMPLES[2], encoding='utf-8')
    runpy.run_path(str(script), run_name='__main__')
    assert capsys.readouterr().out == snapshot("complete degraded {'no supported facts'}\n")


def test_what_the_research_agent_prints(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    [example] = [example for example in EXAMPLES if LoreResearcher.__name__ in example]
    monkeypatch.chdir(ROOT)
    script = tmp_path / 'example.py'
    script.write_text(example, encoding='utf-8')
    runpy.run_path(str(script), run_name='__main__')
    said, figures = capsys.readouterr().out.splitlines()
    assert said == snapshot('Abbess Merrowen Sile leads the Silt Choir [1].')
    crawled, kept = figures.split()
    assert int(crawled) == snapshot(4392)
    assert int(kept.strip('[]')) <= 400


def test_every_setting_is_in_the_table_with_its_default() -> None:
    rows = dict(re.findall(r'^`([A-Z_]+)` \| ?([^|]*?) ?\|', README, re.MULTILINE))
    for field in ResearchSettings.model_fields.values():  # those of the summarizer, too
        variable = str(field.validation_alias)
        assert variable in rows, f'{variable} is not in the README'
        if isinstance(field.default, int | float) and not isinstance(field.default, bool):
            assert rows[variable].strip('`') == f'{field.default:g}', variable


def test_commands_of_the_readme_exist() -> None:
    makefile = (ROOT / 'Makefile').read_text(encoding='utf-8')
    for target in set(re.findall(r'\$ make ([\w-]+)', README)):
        assert re.search(rf'^{target}:', makefile, re.MULTILINE), target
    scripts = tomllib.loads((ROOT / 'pyproject.toml').read_text(encoding='utf-8'))['project']['scripts']
    consoles = re.findall(r'```console\n(.*?)```', README, re.DOTALL)
    programs = set(re.findall(r'(?:\$|\|) ([a-z-]+)', '\n'.join(consoles)))
    assert programs == {*scripts, 'make', 'cat', 'docker', 'export'}


def test_options_of_the_researcher_exist() -> None:
    shown = subprocess.run(
        [sys.executable, '-m', 'researcher_integration.lore.cli', '--help'], capture_output=True, text=True, check=True
    ).stdout
    commands = re.findall(r'^\$ lore-research (.*)$', README, re.MULTILINE)
    options = set(re.findall(r'--[a-z]+', ' '.join(command.partition('  #')[0] for command in commands)))
    assert options
    assert options <= set(re.findall(r'--[a-z]+', shown))
    codes = re.findall(r'(\d+) (?:there is a package|there is none|wrong option, setting or file|interrupted)', README)
    assert {int(code) for code in codes} >= set(ResearchExitCode)
