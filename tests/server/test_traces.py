"""The spans of a call through the server: names, nesting, attributes, and nothing of the content."""

import json
from typing import Any

import anyio
import pytest
from inline_snapshot import snapshot
from logfire.testing import CaptureLogfire
from mcp.shared.exceptions import MCPError

from tests.support import serving
from tests.support.serving import Mode, text_of
from tests.support.site import site
from tests.support.texts import CHRONICLE
from tests.support.traces import own, tree

# The client's trace goes on in the server, which is meant.
pytestmark = pytest.mark.filterwarnings('ignore:Found propagated trace context')

SECRET = 'Bellwater'
"""A name that stands in the source, and so must stand in no trace."""


def server_spans(capfire: CaptureLogfire) -> list[dict[str, Any]]:
    """All spans but those of the client, which is in the same process."""
    spans = capfire.exporter.exported_spans_as_dict(parse_json_attributes=True)
    return [span for span in spans if not span['name'].startswith('MCP send')]


def attributes(spans: list[dict[str, Any]], name: str) -> dict[str, Any]:
    """What the only span of a name says of itself."""
    [span] = [span for span in spans if span['name'] == name]
    return own(span)


@pytest.mark.parametrize('mode', ['auto', 'legacy'])
def test_one_call_is_one_trace(capfire: CaptureLogfire, mode: Mode) -> None:
    async def call() -> None:
        async with server.client(mode=mode) as client:
            await client.list_tools()
            capfire.exporter.clear()
            await client.call_tool('summarize', {'content': CHRONICLE, 'max_output_tokens': 400})

    with serving.serve(max_concurrent_llm_calls=1, default_chunk_size_tokens=2000) as server:
        anyio.run(call)
        spans = server_spans(capfire)
    assert tree(spans) == snapshot(
        [
            'tools/call summarize',
            '  summarize',
            '    map chunk',
            '      invoke_agent chunk_summarizer',
            '        chat extractive',
            '    fit',
        ]
    )
    outermost = next(span for span in spans if span['name'].startswith('tools/call'))
    said = own(outermost)
    said.pop('jsonrpc.request.id')
    assert said.pop('mcp.protocol.version') == {'auto': '2026-07-28', 'legacy': '2025-11-25'}[mode]
    assert said == snapshot(
        {'mcp.method.name': 'tools/call', 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'summarize'}
    )
    assert len({span['context']['trace_id'] for span in spans}) == 1
    assert SECRET not in json.dumps(capfire.exporter.exported_spans_as_dict(), default=str)


@pytest.mark.parametrize('mode', ['auto', 'legacy'])
def test_an_answer_is_one_trace_without_questions_pages_and_queries(capfire: CaptureLogfire, mode: Mode) -> None:
    async def call() -> None:
        async with server.client(mode=mode) as client:
            await client.list_tools()
            capfire.exporter.clear()
            pages = [web.url('/guide/gallery?secret=hunter2'), web.url('/gone?secret=hunter2')]
            asked = {'url': pages, 'query': 'Who opened the gates by hand, and when?', 'research_mode': 'fast'}
            answer = await client.call_tool('answer', {**asked, 'intent': 'Joss Alder'})
            assert 'Maud Ferrin and Joss Alder' in text_of(answer)
            await client.call_tool('search', {'query': 'keepers of the flood'})
            await client.call_tool('status', {})

    with site() as web, serving.serve(fetch_allow_hosts=web.host) as server:
        anyio.run(call)
        spans = server_spans(capfire)
    assert tree(spans) == snapshot(
        [
            'tools/call answer',
            '  answer',
            '    gather evidence',
            'tools/call search',
            '  search',
            'tools/call status',
            '  status',
        ]
    )
    answered = attributes(spans, 'answer')
    assert answered.pop('tokens_out') > 300
    assert answered == snapshot(
        {
            'is_error': False,
            'documents': 1,
            'passages': 3,
            'matched': 1,
            'hits': 3,
            'shown': 1,
            'citations': 1,
            'full_context': True,
            'ranking': 'none',
            'pages': 2,
            'failures': 1,
            'rounds': 0,
            'stop_reason': 'fast mode',
            'partial': False,
        }
    )
    assert attributes(spans, 'gather evidence') == snapshot({'mode': 'fast', 'named': 2})
    assert len({span['context']['trace_id'] for span in spans}) == 3
    # The client's spans are in the same process, with the page that it got; they are none of ours.
    traced = json.dumps(spans, default=str)
    assert not [word for word in ('hunter2', 'Ferrin', 'Alder', 'flood', 'gates', '/guide') if word in traced]


@pytest.mark.parametrize('mode', ['auto', 'legacy'])
def test_what_clients_make_up_is_not_traced(capfire: CaptureLogfire, mode: Mode) -> None:
    async def call() -> None:
        async with server.client(mode=mode) as client:
            await client.list_tools()
            await client.call_tool('add_source', {'content': 'a', 'title': SECRET})
            capfire.exporter.clear()
            assert (await client.call_tool(SECRET, {})).is_error
            with pytest.raises(MCPError, match=SECRET):
                await client.read_resource('source://src_0123456789ab')
            with pytest.raises(MCPError):
                await client.get_prompt(SECRET)

    with serving.serve() as server:
        anyio.run(call)
        spans = server_spans(capfire)
    assert tree(spans) == snapshot(['tools/call unknown', 'resources/read', 'prompts/get unknown'])
    assert SECRET not in json.dumps(spans, default=str)
