"""The README tells the truth: its Python examples run, its commands exist, its settings are the real ones."""

import re
import runpy
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from summarizer_tool import Settings, settings

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


def test_what_the_second_agent_example_prints(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    script = tmp_path / 'example.py'
    script.write_text(EXAMPLES[2], encoding='utf-8')
    runpy.run_path(str(script), run_name='__main__')
    assert capsys.readouterr().out == snapshot("complete degraded {'no supported facts'}\n")


def test_every_setting_is_in_the_table_with_its_default() -> None:
    rows = dict(re.findall(r'^`([A-Z_]+)` \| ?([^|]*?) ?\|', README, re.MULTILINE))
    for name, field in Settings.model_fields.items():
        variable = settings.variable(name)
        assert variable in rows, f'{variable} is not in the README'
        if isinstance(field.default, int | float) and not isinstance(field.default, bool):
            assert rows[variable].strip('`') == f'{field.default:g}', variable


def test_commands_of_the_readme_exist() -> None:
    makefile = (ROOT / 'Makefile').read_text(encoding='utf-8')
    for target in set(re.findall(r'\$ make ([\w-]+)', README)):
        assert re.search(rf'^{target}:', makefile, re.MULTILINE), target
