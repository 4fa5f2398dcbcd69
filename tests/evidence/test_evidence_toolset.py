"""`search`, `answer` and `status` in an agent's toolset."""

from collections.abc import Iterator

import pytest

from summarizer_tool.service.retrieval import EvidenceBrief
from summarizer_tool.text import tokens
from tests.support.scripted import agent_with, call, returns
from tests.support.site import Site, site
from tests.support.texts import HARBOUR

pytestmark = pytest.mark.anyio

FLOOD = 'Who opened the gates by hand in the night of the flood?'
MEMORY = 'Do not answer this from memory: do what is advised above, or say what could not be found.'


@pytest.fixture(scope='module')
def web() -> Iterator[Site]:
    with site() as served:
        yield served


async def test_an_agent_answers_from_pages_and_looks_up_details(web: Site) -> None:
    calls = (
        call('answer', url=web.url('/guide/gallery'), query=FLOOD, research_mode='fast', max_tokens=1500),
        call('search', query='quarry of the granite', source_urls=None, top_k=None, max_tokens=800),
        call('status', source_url=None, include_urls=None),
    )
    async with agent_with(web, *calls) as agent:
        result = await agent.run('Who?')
    answered, found, status = returns(result.all_messages())
    assert {part.outcome for part in (answered, found, status)} == {'success'}
    assert 'Maud Ferrin and Joss Alder opened all gates by hand' in answered.model_response_str()
    assert 'the quarry of Fenn Tor' in found.model_response_str()
    for part, budget in ((answered, 1500), (found, 800)):
        assert isinstance(part.metadata, EvidenceBrief)
        assert part.metadata.text == part.content
        assert part.metadata.tokens == tokens.count(part.model_response_str()) <= budget
        assert part.metadata.source_ids[0] in status.model_response_str()
    assert answered.metadata.figures['stop_reason'] == 'fast mode'


async def test_failed_tools_tell_the_model_what_to_do(web: Site) -> None:
    calls = (
        call('search', query='siren'),
        call('answer', url=web.url('/gone'), query='siren'),
        call('answer', url=web.canary.url('/tariff'), query='tariff'),
        call('answer', url='src_000000000000', query='siren'),
        call('status', source_url=web.url('/guide/')),
        call('answer', url=[], query=''),
    )
    async with agent_with(web, *calls) as agent:
        parts = returns((await agent.run('Who?')).all_messages())
    assert {part.outcome for part in parts} == {'failed'}
    told = [str(part.content) for part in parts]
    assert [text.splitlines()[0].removeprefix('[ERROR] ') for text in told] == [
        *('nothing stored', 'fetch failed', 'fetch failed', 'unknown source', 'unknown source', 'bad request')
    ]
    assert all(text.endswith(MEMORY) for text in told)
    assert web.canary.hits == []


async def test_nulls_lists_and_wrong_types_in_a_toolset(web: Site) -> None:
    guide, safety = web.url('/guide/'), web.url('/guide/safety')
    nothing = {'intent': None, 'constraints': None, 'expansion_budget': None, 'max_tokens': None}
    calls = (
        call('answer', url=guide, query='siren', research_mode='fast', **nothing),
        call('answer', url=[guide, safety], query='siren', research_mode='fast', **nothing),
        call('answer', url=None, query='siren', research_mode=None, **nothing),
        call('answer', url=guide, query='siren', research_mode='slow'),
        call('search', query='siren', top_k='many'),
        call('summarize', content=HARBOUR, format=None),
    )
    async with agent_with(web, *calls) as agent:
        parts = returns((await agent.run('Who?')).all_messages())
    assert [part.outcome for part in parts] == ['success'] * 3 + ['retried'] * 2 + ['success']
    assert [part.metadata.figures['documents'] for part in parts[:3]] == [1, 2, 2]
