"""Sampling: the client's own model does the work where it can."""

import json
from typing import Any

import anyio
import pytest
from mcp_types import CreateMessageRequestParams, CreateMessageResult, ErrorData, TextContent

from summarizer_tool import ConfigurationError, Settings
from summarizer_tool.server.main import make_tools
from summarizer_tool.text import tokens
from tests.support import replies, serving
from tests.support.replies import Body, Request
from tests.support.serving import Mode, Served, meta_of, text_of
from tests.support.texts import CHRONICLE

BUDGET = 600


class Lender:
    """A client's model, which answers as the simulated provider does."""

    def __init__(self) -> None:
        self.asked: list[CreateMessageRequestParams] = []

    async def sample(self, _context: Any, params: CreateMessageRequestParams) -> CreateMessageResult | ErrorData:
        self.asked.append(params)
        messages: list[dict[str, str]] = [{'role': 'system', 'content': params.system_prompt or ''}]
        for message in params.messages:
            assert isinstance(message.content, TextContent)
            messages.append({'role': message.role, 'content': message.content.text})
        body = Body.model_validate({'messages': messages, 'max_tokens': params.max_tokens})
        answer = replies.summarize(Request(1, body, {}, 0.0)).value
        return CreateMessageResult(role='assistant', content=TextContent(text=json.dumps(answer)), model='lent')


async def summary_of(server: Served, mode: Mode, **client: Any) -> Any:
    async with server.client(mode=mode, **client) as connected:
        return await connected.call_tool('summarize', {'content': CHRONICLE, 'max_output_tokens': BUDGET})


@pytest.mark.anyio
@pytest.mark.usefixtures('model_requests')
async def test_the_client_does_the_work() -> None:
    lender = Lender()
    with serving.serve(llm_model='sampling', default_chunk_size_tokens=900) as server:
        answer = await summary_of(server, 'legacy', sampling_callback=lender.sample)
    meta = meta_of(answer)
    assert (meta['state'], meta['model'], meta['warnings']) == ('complete', 'mcp-sampling', [])
    assert len(lender.asked) == meta['stats']['map_calls'] + meta['stats']['reduce_calls'] > 1
    assert tokens.count(text_of(answer)) <= BUDGET
    assert all('"evidence"' in (params.system_prompt or '') for params in lender.asked), 'the schema of the output'


@pytest.mark.anyio
@pytest.mark.parametrize(
    ('mode', 'lends', 'settings'),
    [('legacy', False, {}), ('auto', True, {}), ('legacy', True, {'mcp_stateless': True})],
    ids=['a client that lends nothing', 'a protocol without a way back', 'no session'],
)
async def test_else_the_extractive_model_does(mode: Mode, lends: bool, settings: dict[str, Any]) -> None:
    lender = Lender()
    with serving.serve(llm_model='sampling', default_chunk_size_tokens=900, **settings) as server:
        answer = await summary_of(server, mode, **({'sampling_callback': lender.sample} if lends else {}))
    meta = meta_of(answer)
    assert (meta['state'], meta['model'], lender.asked) == ('complete', 'extractive', [])
    assert meta['warnings'] == [
        'the client lets no model be sampled in this session, so the extractive model did the work'
    ]


@pytest.mark.anyio
@pytest.mark.usefixtures('model_requests')
async def test_a_client_that_refuses_is_no_failure_of_the_call() -> None:
    asked = 0

    async def refuse(_context: Any, _params: CreateMessageRequestParams) -> ErrorData:
        nonlocal asked
        asked += 1
        return ErrorData(code=-1, message='User rejected sampling request')

    with serving.serve(llm_model='sampling', max_concurrent_llm_calls=1, default_chunk_size_tokens=900) as server:
        answer = await summary_of(server, 'legacy', sampling_callback=refuse)
    assert (answer.is_error, meta_of(answer)['state']) == (False, 'degraded')
    assert tokens.count(text_of(answer)) <= BUDGET
    assert asked == 1, 'who has said no is not asked again'


@pytest.mark.anyio
@pytest.mark.usefixtures('model_requests')
async def test_the_work_of_one_client_is_not_passed_off_on_another() -> None:
    lenders = Lender(), Lender()
    with serving.serve(llm_model='sampling', default_chunk_size_tokens=900) as server:
        for lender in lenders:
            await summary_of(server, 'legacy', sampling_callback=lender.sample)
    assert len(lenders[0].asked) == len(lenders[1].asked) > 1


@pytest.mark.anyio
@pytest.mark.usefixtures('model_requests')
async def test_a_client_that_does_not_answer_is_not_waited_for() -> None:
    async def wait(_context: Any, _params: CreateMessageRequestParams) -> ErrorData:
        await anyio.sleep_forever()

    with serving.serve(llm_model='sampling', mcp_tool_timeout=3, default_chunk_size_tokens=900) as server:
        answer = await summary_of(server, 'legacy', sampling_callback=wait)
    assert (answer.is_error, meta_of(answer)['state']) == (False, 'degraded')


@pytest.mark.anyio
async def test_sampling_needs_a_client() -> None:
    async with make_tools(Settings.load(llm_model='sampling', store=':memory:', worker_processes=0)) as tools:
        assert tools.setup.summarizer.model_name == 'extractive'
    from summarizer_tool import Summarizer

    with pytest.raises(ConfigurationError):
        Summarizer(Settings.load(llm_model='sampling'))
