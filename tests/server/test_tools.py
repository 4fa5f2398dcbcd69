"""What clients get of the server: its tools, their results and errors, and sources as resources."""

import base64
import json
from collections.abc import Iterator

import pytest
from inline_snapshot import snapshot
from mcp.shared.exceptions import MCPError
from mcp_types import TextResourceContents
from pydantic_ai import Agent
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from summarizer_tool import Document
from summarizer_tool.server.tools import DEFECT
from summarizer_tool.service.operations import OPERATIONS, operation
from summarizer_tool.service.service import Service
from summarizer_tool.text import tokens
from tests.support import serving
from tests.support.pdfs import lines, pdf
from tests.support.serving import Mode, Served, meta_of, text_of
from tests.support.texts import CHRONICLE

MODES: list[Mode] = ['auto', 'legacy']


@pytest.fixture(scope='module')
def server() -> Iterator[Served]:
    with serving.serve() as served:
        yield served


@pytest.mark.anyio
async def test_what_the_server_says_of_itself(server: Served) -> None:
    for mode in MODES:
        async with server.client(mode=mode) as client:
            assert client.server_info is not None
            assert (client.server_info.name, client.server_info.title) == ('summarizer', 'Summarizer')
            assert 'source_ids' in (client.instructions or '')
            capabilities = client.server_capabilities
            assert (capabilities.tools, capabilities.resources, capabilities.prompts) != (None, None, None)
            assert (await client.list_prompts()).prompts == []


@pytest.mark.anyio
@pytest.mark.parametrize('mode', MODES)
async def test_tools(server: Served, mode: Mode) -> None:
    async with server.client(mode=mode) as client:
        tools = (await client.list_tools()).tools
        for listing in (client.list_tools, client.list_resources):
            with pytest.raises(MCPError, match='no such cursor'):
                await listing(cursor='zzz')
    assert [tool.name for tool in tools] == [each.name for each in OPERATIONS]
    hinted = [(tool.name, tool.annotations) for tool in tools if tool.annotations]
    assert [name for name, hints in hinted if hints.read_only_hint] == [
        'search',
        'status',
        'read_source',
        'query_source',
        'diff_source',
    ]
    assert [name for name, hints in hinted if hints.open_world_hint] == ['answer', 'add_source']
    assert {(hints.destructive_hint, hints.idempotent_hint) for _, hints in hinted if not hints.read_only_hint} == {
        (False, True)
    }
    for tool in tools:
        asked = operation(tool.name)
        assert asked is not None
        assert (tool.title, tool.input_schema, tool.output_schema) == (asked.text().title, asked.schema(), None)
        assert tool.description
        assert all(field['description'] for field in tool.input_schema['properties'].values())
    assert tools[0].input_schema['properties']['focus_areas']['anyOf'] == snapshot(
        [{'type': 'string'}, {'items': {'type': 'string'}, 'type': 'array'}]
    )


@pytest.mark.anyio
@pytest.mark.parametrize('mode', MODES)
async def test_a_summary(server: Served, mode: Mode) -> None:
    async with server.client(mode=mode) as client:
        answer = await client.call_tool('summarize', {'content': CHRONICLE, 'max_output_tokens': 600})
        handle = Document(CHRONICLE).id
        assert not answer.is_error
        assert answer.structured_content is None
        assert tokens.count(text_of(answer)) <= 600
        assert handle in text_of(answer).splitlines()[-1]
        meta = meta_of(answer)
        assert {name: meta[name] for name in ('state', 'model', 'degraded_parts', 'source_ids', 'warnings')} == {
            'state': 'complete',
            'model': 'extractive',
            'degraded_parts': 0,
            'source_ids': [handle],
            'warnings': [],
        }
        assert meta['stats']['tokens_out'] == meta['tokens_out'] == tokens.count(text_of(answer))
        assert meta['coverage'].keys() == {'kept', 'total', 'share'}
        asked = {'schema_hint': 'people and their roles', 'source_ids': [handle], 'max_output_tokens': 300}
        again = await client.call_tool('summarize_for_extraction', asked)
        assert not again.is_error
        assert tokens.count(text_of(again)) <= 300
        assert meta_of(again)['source_ids'] == [handle]


@pytest.mark.anyio
@pytest.mark.parametrize('mode', MODES)
@pytest.mark.parametrize(
    'content', ['{"a": 1}', '123', 'null', '[1, 2]', 'true', '"quoted"', ' \n{"a":\t"\\u00e9 é"}\r\n ', '\0\x1f', '😀']
)
async def test_content_arrives_as_it_is(server: Served, mode: Mode, content: str) -> None:
    async with server.client(mode=mode) as client:
        answer = await client.call_tool('summarize', {'content': content})
        assert (text_of(answer), answer.is_error) == (content, False)
        hinted = {'content': content, 'schema_hint': '{"type": "object"}', 'max_output_tokens': 100}
        answer = await client.call_tool('summarize_for_extraction', hinted)
        assert (text_of(answer), answer.is_error) == (content, False)


@pytest.mark.anyio
@pytest.mark.parametrize('mode', MODES)
async def test_errors_say_what_to_change(server: Served, mode: Mode) -> None:
    calls = [
        ('summarise', {}),
        ('summarize', {}),
        ('summarize', {'content': 'a', 'source_ids': ['src_0123456789ab']}),
        ('summarize', {'content': 'a', 'max_tokens': 5}),
        ('summarize', {'content': 'a', 'max_output_tokens': 'many'}),
        ('summarize', {'content': 'a', 'max_output_tokens': -1}),
        ('summarize', {'content': 'a', 'source_ids': [], 'max_output_tokens': [1]}),
        ('summarize_for_extraction', {'content': 'a'}),
        ('read_source', {}),
        ('read_source', {'source_id': 'x' * 300}),
        ('add_source', {'url': 'http://127.0.0.1/secret?key=hunter2'}),
        ('add_source', {}),
    ]
    said: list[str] = []
    async with server.client(mode=mode) as client:
        for name, arguments in calls:
            answer = await client.call_tool(name, arguments)
            assert answer.is_error
            said.append(text_of(answer))
    assert said[:1] + said[2:9] == snapshot(
        [
            'there is no such tool; the tools are summarize, summarize_for_extraction, search, answer, status, add_source, read_source, query_source, diff_source',
            'give content or source_ids, not both; leave content empty to ask about stored sources',
            'max_tokens: is none of the parameters. The parameters are: content, max_output_tokens, focus_areas, source_ids',
            'max_output_tokens=many must be a valid integer. The parameters are: content, max_output_tokens, focus_areas, source_ids',
            'max_output_tokens=-1 is negative; 0 means the default',
            'max_output_tokens: must be a valid integer. The parameters are: content, max_output_tokens, focus_areas, source_ids',
            'schema_hint: is missing. The parameters are: content, schema_hint, max_output_tokens, source_ids',
            'source_id: is missing. The parameters are: source_id, start_line, max_tokens, offset',
        ]
    )
    assert all(len(text) < 600 and 'hunter2' not in text for text in said)


@pytest.mark.anyio
@pytest.mark.parametrize('mode', MODES)
async def test_sources_are_resources(server: Served, mode: Mode) -> None:
    text = '\n'.join(f'Line {number} of the {mode} ledger.' for number in range(1, 2001))
    async with server.client(mode=mode) as client:
        await client.call_tool('add_source', {'content': text, 'title': 'Ledger'})
        source_id = Document(text).id
        resource = (await client.list_resources()).resources[0]
        assert (resource.uri, resource.name, resource.title, resource.size) == (
            f'source://{source_id}',
            source_id,
            'Ledger',
            len(text),
        )
        templates = (await client.list_resource_templates()).resource_templates
        assert [template.uri_template for template in templates] == ['source://{id}']
        [content] = (await client.read_resource(resource.uri)).contents
        *lines, last = content.text.splitlines()  # pyright: ignore[reportAttributeAccessIssue]
        assert tokens.count('\n'.join(lines)) <= 5000
        assert text.startswith('\n'.join(line.partition('| ')[2] for line in lines))
        assert last.endswith(f'to read on: start_line={len(lines) + 1}.]')
        for wrong in ('source://', 'file:///etc/passwd', f'{resource.uri}/2', 'source://nope'):
            with pytest.raises(MCPError):
                await client.read_resource(wrong)


@pytest.mark.anyio
@pytest.mark.parametrize('mode', MODES)
async def test_a_defect_shows_nothing_of_the_content(
    server: Served, mode: Mode, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def fail(*_: object, **__: object) -> str:
        raise ValueError('hunter2')

    monkeypatch.setattr(Service, 'read_source', fail)
    async with server.client(mode=mode) as client:
        answer = await client.call_tool('read_source', {'source_id': 'src_0123456789ab'})
        assert (answer.is_error, text_of(answer)) == (True, DEFECT)
        with pytest.raises(MCPError, match=DEFECT):
            await client.read_resource('source://src_0123456789ab')
        assert (await client.list_tools()).tools
    errors = [vars(record) for record in caplog.records if record.levelname == 'ERROR']
    assert [error['error'] for error in errors] == ['ValueError', 'ValueError']
    assert all(error['places'].startswith('test_tools.py:') for error in errors)
    assert 'hunter2' not in caplog.text


@pytest.mark.anyio
async def test_an_agent_uses_the_server(server: Served) -> None:
    """As in an application: `MCPToolset` inside an agent's run, on a text that goes by its handle the second time."""

    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        assert {tool.name for tool in info.function_tools} >= {'summarize', 'read_source'}
        last = messages[-1]
        assert isinstance(last, ModelRequest)
        match [part for part in last.parts if isinstance(part, ToolReturnPart)]:
            case []:
                return ModelResponse([ToolCallPart('summarize', {'content': CHRONICLE, 'max_output_tokens': 400})])
            case [ToolReturnPart(tool_name='summarize') as part]:
                returned.append(part.model_response_str())
                handle = returned[0].rpartition('[')[2].partition(':')[0]
                arguments = {'source_ids': [handle], 'schema_hint': 'fires', 'content': '', 'max_output_tokens': 200}
                return ModelResponse([ToolCallPart('summarize_for_extraction', json.dumps(arguments))])
            case parts:
                returned.extend(part.model_response_str() for part in parts)
                return ModelResponse([TextPart('done')])

    returned: list[str] = []
    toolset = MCPToolset(server.url)
    agent = Agent(FunctionModel(model), toolsets=[toolset])
    result = await agent.run('Summarize the chronicle.')
    assert result.output == 'done'
    assert [tokens.count(text) <= budget for text, budget in zip(returned, (400, 200), strict=True)] == [True, True]


@pytest.mark.anyio
async def test_a_file_comes_as_bytes_and_is_a_resource_with_pages(server: Served) -> None:
    body = pdf([lines('The wall was raised in 1412.'), lines('It was breached in 1570.')], title='Gannet Dyke')
    content = f'data:application/pdf;base64,{base64.b64encode(body).decode()}'
    async with server.client() as client:
        added = await client.call_tool('add_source', {'content': content})
        [source_id] = meta_of(added)['source_ids']
        [shown] = (await client.read_resource(f'source://{source_id}')).contents
        found = await client.call_tool('search', {'query': 'When was it breached?', 'source_ids': source_id})
    assert isinstance(shown, TextResourceContents)
    assert shown.text.endswith(
        '5| It was breached in 1570.\n' + f'[{source_id}, 1 to 5 of 5 lines, p. 1-2 of 2: the end.]'
    )
    assert '· line 5 · p. 2 · "It was breached in 1570."' in text_of(found)
