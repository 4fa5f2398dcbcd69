"""Looking into stored results: by a text in them, and line by line."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from pydantic_ai import Agent, FunctionToolset, ToolCallPart

from researcher_integration.tool_results.capability import COLLECTION, SummarizeToolResults
from researcher_integration.tool_results.reading import find_lines
from summarizer_tool import Document, SourceStore
from summarizer_tool.text import tokens
from summarizer_tool.text.addressing import addresses_reader
from tests.proofs.tool_results.agents import SETTINGS, Script, agent, calling, returned

LOG = Document(
    '\n'.join(
        f'02:{number:02} {"ERROR berth B-7 is flooded" if number in (3, 41) else f"INFO boat {number} lies in"}'
        for number in range(60)
    )
)


def test_lines_with_a_text_and_their_numbers() -> None:
    assert find_lines(LOG, 'b-7') == snapshot("""\
4| 02:03 ERROR berth B-7 is flooded
42| 02:41 ERROR berth B-7 is flooded

[src_ad775e0c232e: 2 of 2 lines with this text, of 60 lines in all.]\
""")
    assert find_lines(LOG, ' lies in ', 60) == snapshot("""\
1| 02:00 INFO boat 0 lies in
2| 02:01 INFO boat 1 lies in

[src_ad775e0c232e: 2 of 58 lines with this text, of 60 lines in all.]\
""")
    assert find_lines(LOG, 'whale') == snapshot(
        '[src_ad775e0c232e has no line with this text, of 60. Try a shorter or another part of it.]'
    )
    assert find_lines(LOG, '  ') == find_lines(LOG, 'whale')


def test_the_text_is_taken_literally() -> None:
    document = Document('a.c\nabc\n[x]* (y)\nＫ and k')
    assert find_lines(document, 'a.c').splitlines()[0] == '1| a.c'
    assert find_lines(document, '[X]* (').splitlines()[0] == '3| [x]* (y)'


def test_of_long_lines_what_is_around_the_text() -> None:
    document = Document('{' + 'x' * 3000 + '"seal": "cb551c"' + 'y' * 3000 + '"seal": "dd12"' + 'z' * 3000 + '}')
    assert find_lines(document, 'cb551c').splitlines()[0] == (
        '1| (offset 2810) … ' + 'x' * 191 + '"seal": "cb551c"' + 'y' * 199 + ' …'
    )
    assert find_lines(document, 'seal').count('(offset ') == 2


@example(text='\ra\r\u2028"aa\r\r\u2028a\u2028 \r', wanted='a', limit=50)  # of which the room holds only a part
@given(
    text=st.text(alphabet='ab \n\r\t{"é漢\u2028', max_size=400),
    wanted=st.text(alphabet='ab{"é', min_size=1, max_size=3),
    limit=st.integers(50, 400),
)
def test_answers_are_bounded_and_lines_are_the_documents(text: str, wanted: str, limit: int) -> None:
    document = Document(text)
    found = find_lines(document, wanted, limit)
    assert tokens.count(found) <= limit + 5
    for line in found.splitlines():
        number, bar, rest = line.partition('| ')
        if bar and number.isdigit() and not line.startswith('['):
            part = re.match(r'\(offset (\d+)\) … (.*)', rest)
            offset, said = (int(part[1]), part[2].removesuffix(' …')) if part else (0, rest)
            assert text.split('\n')[int(number) - 1][offset:].startswith(said[:20].rstrip('\r'))


@pytest.mark.anyio
async def test_the_tools_as_a_model_has_them() -> None:
    store = SourceStore()
    source = store.collection(COLLECTION).add(LOG)
    capability: SummarizeToolResults[None] = SummarizeToolResults(settings=SETTINGS, store=store)

    async def read(tool: str, **arguments: object) -> str:
        script = calling(tool, **arguments)
        run = await Agent(script.model, capabilities=[capability]).run('Go')
        [part] = returned(run.all_messages())
        return f'{part.outcome}: {part.content}'

    assert await read('search_source', source_id=f'`{source.id}`', text='flooded', max_tokens=None) == snapshot("""\
success: 4| 02:03 ERROR berth B-7 is flooded
42| 02:41 ERROR berth B-7 is flooded

[src_ad775e0c232e: 2 of 2 lines with this text, of 60 lines in all.]\
""")
    assert await read('read_source', source_id=source.id, start_line=59) == snapshot("""\
success: 59| 02:58 INFO boat 58 lies in
60| 02:59 INFO boat 59 lies in
[src_ad775e0c232e, 59 to 60 of 60 lines: the end.]\
""")
    assert await read('read_source', source_id=source.id, start_line=99) == snapshot(
        'failed: src_ad775e0c232e has lines 1 to 60, not start_line=99'
    )
    unknown = await read('search_source', source_id='src_000000000000', text='B-7')
    assert not addresses_reader(unknown)  # our own words are not framed as those of a stranger
    assert unknown == snapshot(
        "failed: no stored result has the handle 'src_000000000000'; each (`src_…`) stands over its summary. Where this one does, it is no longer kept: an earlier program kept it, and only the tool it came from still has what is needed"
    )


@pytest.mark.anyio
async def test_what_the_model_is_told_of_them() -> None:
    capability: SummarizeToolResults[None] = SummarizeToolResults(settings=SETTINGS)
    toolset = capability.get_toolset()
    assert isinstance(toolset, FunctionToolset)
    assert {
        name: (tool.description, [*tool.function_schema.json_schema['properties']])
        for name, tool in toolset.tools.items()
    } == snapshot(
        {
            'search_source': (
                'Find the lines of a stored result that contain a text: an identifier, an error code, a name. Returns the lines with their numbers, each as it stands; of very long ones what is around the text. read_source shows what is before and after them.',
                ['source_id', 'text', 'max_tokens'],
            ),
            'read_source': (
                'Read lines of a stored result with their numbers, from one on. The last line of the answer says how to read on. To find something, search_source is quicker.',
                ['source_id', 'start_line', 'max_tokens', 'offset'],
            ),
            'query_source': (
                'Filter, count, sort or slice a stored result of JSON, CSV or lines with a JMESPath expression. JSON is queried as it is; CSV is a list of rows with the column names as keys, in which empty cells are null; a log is a list of lines with `line` and `text`, and the fields of lines that are JSON objects. The last line of the answer says as what the result was read, and how many matches were left out.',
                ['source_id', 'query', 'max_tokens'],
            ),
        }
    )


@pytest.mark.anyio
async def test_a_question_to_a_handle() -> None:
    store = SourceStore()
    kept = store.collection(COLLECTION).add(LOG)
    capability = SummarizeToolResults[None](settings=SETTINGS, store=store)
    script = Script(
        [
            [ToolCallPart('query_source', {'source_id': kept.id, 'query': "[?contains(text, 'ERROR')].line"})],
            [ToolCallPart('query_source', {'source_id': kept.id, 'query': '[?', 'max_tokens': None})],
            [ToolCallPart('query_source', {'source_id': 'src_0123456789ab', 'query': '@'})],
            [ToolCallPart('search_source', {'source_id': kept.id, 'text': 'which berth was flooded?'})],
            [ToolCallPart('search_source', {'source_id': kept.id, 'text': 'whale oil'})],
        ]
    )
    run = await agent(script, capability).run('Go')
    assert [part.content for part in returned(run.all_messages())] == snapshot(
        [
            """\
4
42
[src_ad775e0c232e, read as lines, 60 of them: 2 results.]\
""",
            'the query is no JMESPath that fits: Invalid jmespath expression: Incomplete expression: "[?" ^ (lines, 60 of them; text stands in \'single quotes\', a number in `backticks`)',
            "no stored result has the handle 'src_0123456789ab'; each (`src_…`) stands over its summary. Where this one does, it is no longer kept: an earlier program kept it, and only the tool it came from still has what is needed",
            """\
4| 02:03 ERROR berth B-7 is flooded
42| 02:41 ERROR berth B-7 is flooded

[src_ad775e0c232e has no line with this text word for word; these lines have most of its words.]\
""",
            '[src_ad775e0c232e has no line with this text, of 60. Try a shorter or another part of it.]',
        ]
    )


def test_what_was_looked_for_is_shown_where_a_line_is_cut() -> None:
    text = '\n'.join(f'{number} {"lorem ipsum " * 20}E{number} {"dolor sit " * 15}' for number in range(60))
    for room in (50, 60, 80):
        assert 'E42' in find_lines(Document(text), 'E42', room)
