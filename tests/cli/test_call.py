"""`summarizer call`: the operations that agents have, by their parameters."""

import json

import pytest
from inline_snapshot import snapshot
from typer.testing import CliRunner, Result

from summarizer_tool.cli.main import app
from summarizer_tool.service.operations import OPERATIONS
from tests.support.terminal import said
from tests.support.texts import HARBOUR


@pytest.fixture(autouse=True)
def _kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('SUMMARIZER_STORE', 'store.sqlite3')


def call(*arguments: str, stdin: str = '') -> Result:
    return CliRunner().invoke(app, ['call', *arguments], stdin, catch_exceptions=False)


def test_all_operations_are_listed_and_described() -> None:
    listed = call('--help').stdout
    for each in OPERATIONS:
        assert f'  {each.name}  ' in listed
        described = call(each.name, '--help').stdout
        assert ' '.join(each.text().description.split()) in ' '.join(described.split())
        assert described.count('(required)') == len(each.schema()['required'])
        assert [f'--{name.replace("_", "-")}' in described for name in each.text().parameters] == (
            [True] * len(each.text().parameters)
        )


def test_a_source_is_added_searched_and_read() -> None:
    added = call('add_source', '--content', '-', '--title=Harbour', stdin=HARBOUR)
    handle = added.stdout[:16]
    assert (added.exit_code, added.stdout.splitlines()[0]) == snapshot(
        (
            0,
            'src_34d3d80a216a: "Harbour", 82 tokens, 11 lines. Pass src_34d3d80a216a in source_ids to summarize or summarize_for_extraction, or to read_source as source_id.',
        )
    )
    read = call('read_source', '--source-id', handle, '--start-line', '9')
    assert said(read) == snapshot(
        """\
0|9| ## The fire
10|
11| On 3 May 1852 a fire burned the Lower Quay. Morn Keld was accused of it by Ilse Quarry.
[src_34d3d80a216a, 9 to 11 of 11 lines: the end.]|\
"""
    )
    found = call('search', '--query', 'fire', '--source-ids', handle, '--source-ids', handle, '--json')
    told = json.loads(found.stdout)
    assert (found.exit_code, told['is_error'], told['figures']['source_ids']) == (0, False, [handle])


@pytest.mark.parametrize(
    ('operation', 'option', 'is_done'),
    [('add_source', '--content', False), ('read_source', '--source-id', False), ('summarize', '--content', True)],
)
def test_without_a_store_no_handle_is_given_that_would_be_of_no_use(
    operation: str, option: str, is_done: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv('SUMMARIZER_STORE')
    ended = said(call(operation, option, 'a fire'))
    assert ended.startswith(f'2||summarizer: {operation} works on kept sources: set SUMMARIZER_STORE') != is_done


def test_what_was_asked_for_in_a_wrong_way() -> None:
    assert [
        said(call('summarise')),
        said(call('read_source', 'src_0123456789ab')),
        said(call('read_source', '--source-id')),
        said(call('read_source', '--source-id', 'src_0123456789ab')),
        said(call('summarize', '--content', 'a', '--budget', '5')),
        said(call('summarize', '--content', 'a', '--max-output-tokens', '-5')),
        said(call('search', '--query', 'fire', '--source-ids', 'src_0123456789ab', '--max-tokens', '10')),
    ] == snapshot(
        [
            """\
2||Usage: root call [OPTIONS] COMMAND [ARGS]...
Try 'root call --help' for help.

Error: No such command 'summarise'.\
""",
            """\
2||Usage: root call read_source [OPTIONS]
Try 'root call read_source --help' for help.

Error: Got unexpected extra argument(s) (src_0123456789ab)\
""",
            "2||Error: Option '--source-id' requires an argument.",
            '1||summarizer: there is no source "src_0123456789ab", nor any other yet; add a text or a URL as a source, which gives a handle',
            """\
2||Usage: root call summarize [OPTIONS]
Try 'root call summarize --help' for help.

Error: No such option: --budget\
""",
            '2||summarizer: max_output_tokens=-5 is negative; 0 means the default',
            """\
1||[ERROR] bad request

Detail: max_tokens=10 is less than a brief needs; give at least 500, or 0 for 24000

Likely causes:
- A parameter is missing, is out of range, or goes with no other that was given.

What to do:
- Change what the detail names, and call again.

Do not answer this from memory: do what is advised above, or say what could not be found.\
""",
        ]
    )
