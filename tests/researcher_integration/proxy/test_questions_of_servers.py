"""What a server asks while it works on a call (forms, addresses, samples, roots) goes to the client of that call."""

from typing import Any

import anyio
import pytest
from inline_snapshot import snapshot
from mcp import MCPError
from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.shared.message import ServerMessageMetadata
from mcp_types import (
    CreateMessageRequest,
    CreateMessageRequestParams,
    CreateMessageResult,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitRequestURLParams,
    ElicitResult,
    ListRootsRequest,
    ListRootsResult,
    Root,
    SamplingMessage,
    TextContent,
)

from tests.support.proxied import SECRET, on_one_line, proxied

pytestmark = pytest.mark.anyio


def desk(*questions: tuple[Any, type[Any]]) -> MCPServer:
    """A server with a tool that asks one of some questions, each with the type of its answer, and says what came."""
    mcp = MCPServer('desk')

    @mcp.tool()
    async def ask(context: Context[Any], which: int = 0) -> str:
        request, answer = questions[which]
        try:
            call = ServerMessageMetadata(related_request_id=context.request_id)
            found = await context.session.send_request(request, answer, metadata=call)
        except MCPError as error:
            return f'{error.code}: {error.message}'
        return found.model_dump_json(exclude_defaults=True)

    return mcp


async def test_questions_of_a_server_go_to_the_client_whose_call_it_works_on() -> None:
    text = TextContent(text=f'Which pier? {SECRET}')
    mcp = desk(
        (ElicitRequest(params=form_with(text.text)), ElicitResult),
        (CreateMessageRequest(params=sampling_of(text)), CreateMessageResult),
        (ListRootsRequest(), ListRootsResult),
    )
    heard: list[str] = []

    async def elicit(_context: Any, params: Any) -> ElicitResult:
        heard.append(params.message)
        return ElicitResult(action='accept', content={'pier': 4})

    async def sample(_context: Any, params: Any) -> CreateMessageResult:
        heard.append(params.messages[0].content.text)
        return CreateMessageResult(role='assistant', content=TextContent(text='Ada'), model='played')

    async def roots(_context: Any) -> ListRootsResult:
        return ListRootsResult(roots=[Root.model_validate({'uri': 'file:///srv'})])

    answers = {'elicitation_callback': elicit, 'sampling_callback': sample, 'list_roots_callback': roots}
    said: list[list[str]] = []
    for options in (answers, {}):
        async with proxied({'desk': mcp}, **options) as client:
            results = [await client.call_tool('ask', {'which': which}) for which in range(3)]
        said.append(
            [on_one_line(text.text) for each in results for text in each.content if isinstance(text, TextContent)]
        )
    assert said == snapshot(
        [
            [
                '<tool_output>{"action":"accept","content":{"pier":4}}</tool_output>',
                '<tool_output>{"role":"assistant","content":{"text":"Ada"},"model":"played"}</tool_output>',
                '<tool_output>-32600: List roots not supported</tool_output>',
            ],
            [
                '<tool_output>-32600: Elicitation not supported</tool_output>',
                '<tool_output>-32600: Sampling not supported</tool_output>',
                '<tool_output>-32600: List roots not supported</tool_output>',
            ],
        ]
    )
    assert heard == ['Which pier? [MASKED_GITHUB_TOKEN]'] * 2


async def test_a_client_may_think_longer_than_a_server_may_be_silent_and_sees_its_choices() -> None:
    ways = {'type': 'string', 'enum': ['basic', 'bearer', SECRET], 'default': SECRET}
    mcp = desk((ElicitRequest(params=form_with('How?', way=ways)), ElicitResult))
    heard: list[Any] = []

    async def elicit(_context: Any, params: Any) -> ElicitResult:
        heard.append(params.requested_schema['properties']['way'])
        await anyio.sleep(1.5)
        return ElicitResult(action='accept', content={'way': 'basic'})

    async with proxied({'desk': mcp}, tool_timeout=0.5, elicitation_callback=elicit) as client:
        result = await client.call_tool('ask', {})
    assert [on_one_line(text.text) for text in result.content if isinstance(text, TextContent)] == [
        '<tool_output>{"action":"accept","content":{"way":"basic"}}</tool_output>'
    ]
    assert heard[0]['enum'] == ['basic', 'bearer', '[MASKED_GITHUB_TOKEN]']
    assert SECRET not in str(heard)


async def test_an_address_to_open_leads_where_the_server_says() -> None:
    url = f'https://user:hunter2@desk.example/login?token={SECRET}'
    asked = ElicitRequestURLParams(message=f'Log in with {SECRET}', url=url, elicitation_id=SECRET)
    mcp = desk((ElicitRequest(params=asked), ElicitResult))
    heard: list[Any] = []

    async def elicit(_context: Any, params: Any) -> ElicitResult:
        heard.append(params)
        return ElicitResult(action='accept')

    async with proxied({'desk': mcp}, elicitation_callback=elicit) as client:
        await client.call_tool('ask', {})
    [params] = heard
    assert (params.url, params.elicitation_id) == (url, SECRET)
    assert params.message == 'Log in with [MASKED_GITHUB_TOKEN]'


async def test_what_only_looks_like_an_address_to_open_is_masked() -> None:
    shown = {'mode': 'url', 'url': f'https://desk.example/?token={SECRET}', 'elicitationId': SECRET}
    asked = sampling_of(TextContent(text='Hello')).model_copy(update={'metadata': shown})
    mcp = desk((CreateMessageRequest(params=asked), CreateMessageResult))
    heard: list[Any] = []

    async def sample(_context: Any, params: Any) -> CreateMessageResult:
        heard.append(params)
        return CreateMessageResult(role='assistant', content=TextContent(type='text', text='Hi'), model='m')

    async with proxied({'desk': mcp}, sampling_callback=sample) as client:
        await client.call_tool('ask', {})
    assert heard
    assert SECRET not in str(heard)


async def test_no_part_of_a_question_has_secrets() -> None:
    way = {'type': 'string', 'examples': [SECRET], 'pattern': SECRET}
    sampled = {
        'maxTokens': 9,
        'stopSequences': [SECRET],
        'modelPreferences': {'hints': [{'name': SECRET}]},
        'messages': [
            {
                'role': 'assistant',
                'content': {'type': 'tool_use', 'id': '1', 'name': 'log_in', 'input': {'password': 'Elke-1847'}},
            },
            {
                'role': 'user',
                'content': {
                    'type': 'tool_result',
                    'toolUseId': '1',
                    'content': [{'type': 'resource_link', 'uri': f'https://desk.example/{SECRET}', 'name': SECRET}],
                    'structuredContent': {'url': SECRET, 'password': 'Elke-1847'},
                },
            },
        ],
    }
    mcp = desk(
        (ElicitRequest(params=form_with('How?', way=way)), ElicitResult),
        (CreateMessageRequest(params=CreateMessageRequestParams.model_validate(sampled)), CreateMessageResult),
    )
    heard: list[str] = []

    async def elicit(_context: Any, params: Any) -> ElicitResult:
        heard.append(params.model_dump_json(by_alias=True))
        return ElicitResult(action='decline')

    async def sample(_context: Any, params: Any) -> CreateMessageResult:
        heard.append(params.model_dump_json(by_alias=True))
        return CreateMessageResult(role='assistant', content=TextContent(type='text', text='Hi'), model='m')

    async with proxied({'desk': mcp}, sampling_callback=sample, elicitation_callback=elicit) as client:
        for which in range(2):
            await client.call_tool('ask', {'which': which})
    assert len(heard) == 2
    assert 'Elke-1847' not in str(heard)
    assert SECRET not in str(heard)


def form_with(message: str, **properties: Any) -> ElicitRequestFormParams:
    return ElicitRequestFormParams(message=message, requested_schema={'type': 'object', 'properties': properties})


def sampling_of(text: TextContent) -> CreateMessageRequestParams:
    return CreateMessageRequestParams(messages=[SamplingMessage(role='user', content=text)], max_tokens=9)
