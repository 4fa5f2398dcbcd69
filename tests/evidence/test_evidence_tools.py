"""`search`, `answer`, `status` and briefs on the MCP server."""

import json
import logging
from collections.abc import Iterator

import pytest
from inline_snapshot import snapshot

from summarizer_tool import Document
from summarizer_tool.text import tokens
from tests.support import serving
from tests.support.serving import Mode, Served, meta_of, text_of
from tests.support.site import FORBIDDEN, Site, site
from tests.support.texts import HARBOUR

pytestmark = pytest.mark.anyio

MODES: list[Mode] = ['auto', 'legacy']
KAPLAN = 'From which barrage were the Kaplan sets bought?'
FLOOD = 'Who opened the gates by hand in the night of the flood?'
MEMORY = 'Do not answer this from memory: do what is advised above, or say what could not be found.'
ANSWER = 'The parameters are: url, query, intent, constraints, expansion_budget, research_mode, max_tokens'
SEARCH = 'The parameters are: query, source_urls, source_ids, intent, top_k, max_tokens'
STORED = (
    'the last used are src_34d3d80a216a ("Harbour of Marn"); a text or a URL that is added as a source gets a handle'
)
NO_PAGE = 'none of the pages that were asked for could be fetched.'
NO_URL = 'this is not fetched; give one that begins with http:// or https://'
FAILURES: list[tuple[str, dict[str, object], str, str]] = [
    ('answer', {'url': 'WEB/guide/'}, 'bad request', f'query: is missing. {ANSWER}'),
    (
        'answer',
        {'url': {'a': 1}, 'query': 'siren'},
        'fetch failed',
        f'{NO_PAGE}\n- {{"a":: {NO_URL}\n- 1}}: {NO_URL}',
    ),
    (
        'answer',
        {'query': 'siren', 'research_mode': 'slow'},
        'bad request',
        f"research_mode=slow must be 'fast', 'auto' or 'deep'. {ANSWER}",
    ),
    (
        'answer',
        {'query': 'siren', 'expansion_budget': -1},
        'bad request',
        f'expansion_budget=-1 must be greater than or equal to 0. {ANSWER}',
    ),
    (
        'answer',
        {'url': 'http://AWAY/tariff', 'query': 'tariff'},
        'fetch failed',
        f'{NO_PAGE}\n- http://AWAY/tariff: leads to an address that is not public (loopback); '
        'SUMMARIZER_FETCH_ALLOW_HOSTS=AWAY would allow it',
    ),
    (
        'answer',
        {'url': 'src_000000000000', 'query': 'siren'},
        'unknown source',
        f'there is no source "src_000000000000"; {STORED}',
    ),
    ('search', {'query': ' '}, 'bad request', 'query is empty; ask a question'),
    ('search', {'query': 'siren', 'top_k': -1}, 'bad request', 'top_k=-1 is negative; 0 means the default'),
    (
        'search',
        {'query': 'siren', 'top_k': 'many'},
        'bad request',
        f'top_k=many must be a valid integer. {SEARCH}',
    ),
    (
        'search',
        {'query': 'siren', 'max_tokens': 499},
        'bad request',
        'max_tokens=499 is less than a brief needs; give at least 500, or 0 for 24000',
    ),
    (
        'search',
        {'query': 'siren', 'source_urls': 'WEB/never?secret=hunter2'},
        'unknown source',
        f'there is no source "OURS/never"; {STORED}',
    ),
    ('search', {'query': 'siren', 'sources': 'all'}, 'bad request', f'sources: is none of the parameters. {SEARCH}'),
    ('status', {'source_url': 5}, 'unknown source', f'there is no source "5"; {STORED}'),
]


@pytest.fixture(scope='module')
def web() -> Iterator[Site]:
    with site() as served:
        yield served


@pytest.fixture(scope='module')
def server(web: Site) -> Iterator[Served]:
    with serving.serve(fetch_allow_hosts=web.host, mcp_auth_token='ours,theirs,others') as served:
        yield served


@pytest.mark.parametrize('mode', MODES)
async def test_answer_then_search_then_status(web: Site, server: Served, mode: Mode) -> None:
    guide = web.url(f'/guide/?{mode}')  # a page of its own for each session, as they share a store
    async with server.client(token='ours', mode=mode) as client:
        answered = await client.call_tool('answer', {'url': guide, 'query': KAPLAN, 'expansion_budget': 4})
        assert not answered.is_error
        assert answered.structured_content is None
        assert 'bought second-hand from the barrage at Hallin Ness' in text_of(answered)
        meta = meta_of(answered)
        assert meta['tokens_out'] == tokens.count(text_of(answered)) <= 24_000
        assert (meta['pages'], meta['failures'], meta['partial'], meta['stop_reason']) == (
            3,
            0,
            False,
            'enough evidence',
        )
        handles = meta['source_ids']
        assert all(f'. {handle} · ' in text_of(answered) for handle in handles)

        before = len(web.hits)
        for where in ({'source_urls': [guide]}, {'source_urls': guide}, {'source_ids': handles}, {}):
            found = await client.call_tool('search', {'query': 'Kaplan sets Hallin Ness', 'max_tokens': 900, **where})
            assert not found.is_error
            assert meta_of(found)['tokens_out'] == tokens.count(text_of(found)) <= 900
            assert ('Hallin Ness when that one silted up' in text_of(found)) == ('source_urls' not in where)
        again = await client.call_tool('answer', {'url': handles, 'query': KAPLAN, 'research_mode': 'fast'})
        assert meta_of(again)['documents'] == len(handles)
        assert len(web.hits) == before

        corpus = text_of(await client.call_tool('status', {}))
        assert corpus.startswith('[CORPUS STATUS] ')
        assert all(handle in corpus for handle in handles)
        totals = text_of(await client.call_tool('status', {'include_urls': False}))
        assert totals.splitlines()[0] == corpus.splitlines()[0]
        assert handles[0] not in totals
        one = text_of(await client.call_tool('status', {'source_url': guide}))
        assert one.startswith('[CORPUS STATUS] 1 source\n')
        assert '1| Guide to the station' in one


async def test_what_models_send_besides(web: Site, server: Served) -> None:
    guide, safety = web.url('/guide/'), web.url('/guide/safety')
    async with server.client(token='ours') as client:
        for url in (
            [guide, safety],
            f'{guide} {safety}',
            f'{guide}, {safety}',
            json.dumps([guide, safety], separators=(',', ':')),
            f'<{guide}>\n<{safety}>',
        ):
            nothing = {'intent': None, 'expansion_budget': None, 'max_tokens': None}
            asked = {'url': url, 'query': 'siren', 'research_mode': 'fast', 'constraints': None, **nothing}
            answer = await client.call_tool('answer', asked)
            assert not answer.is_error
            assert meta_of(answer)['pages'] == 2
        handles = meta_of(answer)['source_ids']
        for source_ids in (','.join(handles), f'["{handles[0]}", "{handles[1]}"]', handles):
            asked = {'query': 'siren', 'source_ids': source_ids, 'source_urls': None, 'top_k': None, 'intent': None}
            found = await client.call_tool('search', asked)
            assert meta_of(found)['documents'] == 2
        assert not (await client.call_tool('status', {'source_url': None, 'include_urls': None})).is_error


async def test_failures_say_what_to_do(web: Site) -> None:
    def here(text: str) -> str:
        return text.replace('AWAY', web.canary.host).replace('WEB', web.origin).replace('OURS', web.host)

    with serving.serve(fetch_allow_hosts=web.host) as server:
        async with server.client() as client:
            await client.call_tool('add_source', {'content': HARBOUR})
            for name, arguments, head, detail in FAILURES:
                answer = await client.call_tool(name, json.loads(here(json.dumps(arguments))))
                text = text_of(answer)
                assert answer.is_error
                assert text.startswith(f'[ERROR] {head}\n\nDetail: {here(detail)}\n\nLikely causes:\n')
                assert '\n\nWhat to do:\n' in text
                assert text.endswith(MEMORY)
                assert tokens.count(text) < 500
    assert web.canary.hits == []


async def test_collections_are_apart(web: Site, server: Served) -> None:
    secret = 'The vault of the bank opens with the word hunter2.'
    handle = Document(secret).id
    async with server.client(token='ours') as ours, server.client(token='theirs') as theirs:
        await ours.call_tool('add_source', {'content': secret})
        await theirs.call_tool('add_source', {'content': 'The vault of the mill has no door.'})
        asked: list[tuple[str, dict[str, object]]] = [
            ('search', {'query': 'vault word bank'}),  # their collection is small enough to come whole
            ('search', {'query': 'vault word bank', 'source_ids': handle}),
            ('answer', {'query': 'Which word opens the vault?'}),
            ('answer', {'query': 'Which word opens the vault?', 'url': handle}),
            ('status', {}),
            ('status', {'source_url': handle}),
            ('read_source', {'source_id': handle}),
        ]
        for name, arguments in asked:
            own = text_of(await ours.call_tool(name, arguments))
            assert ('hunter2' in own) == (name != 'status')
            assert handle in own
            other = await theirs.call_tool(name, arguments)
            assert 'hunter2' not in text_of(other)
            is_named = handle in json.dumps(arguments)
            assert other.is_error == is_named
            assert (handle in text_of(other)) <= is_named
        full = await theirs.call_tool('search', {'query': 'vault'})
        assert meta_of(full)['full_context']


async def test_progress_tells_each_phase(web: Site) -> None:
    told: list[tuple[float, float | None, str]] = []

    async def tell(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, total, message or ''))

    with serving.serve(fetch_allow_hosts=web.host) as server:
        async with server.client() as client:
            asked = {'url': web.url('/guide/'), 'query': KAPLAN, 'expansion_budget': 1}
            await client.call_tool('answer', asked, progress_callback=tell)
            answered = [message for progress, _, message in told if progress == int(progress)]
            await client.call_tool('search', {'query': KAPLAN}, progress_callback=tell)
    values = [progress for progress, _, _ in told[: len(answered)]]
    assert values == sorted(set(values))
    assert all(total is None or progress < total for progress, total, _ in told)
    assert answered == snapshot(
        [
            '0 of 1 pages done',
            '1 of 1 pages done',
            '1 sources in the index',
            '0 passages found',
            'round 1: 1 of 1 links followed',
            '4 passages found',
            '8 passages found',
        ]
    )
    assert [message for _, _, message in told[len(answered) :]] == snapshot(
        ['8 passages found', 'the brief is being written']
    )


async def test_logs_hold_no_content(web: Site, server: Served, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, 'summarizer_tool')
    pages = [web.url('/guide/gallery?secret=hunter2'), web.url('/gone?secret=hunter2'), web.canary.url('/x?k=hunter2')]
    async with server.client(token='others') as client:
        await client.call_tool('answer', {'url': pages, 'query': FLOOD, 'intent': 'Joss Alder'})
        await client.call_tool('answer', {'url': pages[1], 'query': FLOOD})
        await client.call_tool('search', {'query': FLOOD, 'source_urls': [pages[0]]})
        await client.call_tool('search', {'query': 'Ferrin', 'source_urls': pages[:2]})
        await client.call_tool('status', {'source_url': pages[0]})
    records = [vars(record) for record in caplog.records if record.name == 'summarizer_tool']
    logged = json.dumps(records, default=str)
    assert not [word for word in ('hunter2', 'Ferrin', 'Alder', 'flood', 'Gallery') if word in logged]
    calls = [record['tool'] for record in records if record['message'] == 'call']
    assert calls == ['answer', 'answer', 'search', 'search', 'status']


async def test_nobody_goes_where_nobody_may_go() -> None:
    with site() as web, serving.serve(fetch_allow_hosts=web.host, answer_max_pages=25) as server:
        web.slow(0)
        async with server.client() as client:
            asked = [
                {'query': each.query, 'url': web.url(each.path), 'research_mode': 'deep'} for each in web.temptations
            ]
            asked += [
                {'query': each.query, 'url': url, 'research_mode': 'fast'}
                for each in web.temptations[::2]
                for url in (web.url('/mirror'), [web.url(path) for path in FORBIDDEN])
            ]
            for arguments in asked:
                answer = await client.call_tool('answer', arguments)
                said = text_of(answer)
                assert answer.is_error == (arguments['research_mode'] == 'fast')
                assert not [words for words in ('31 million', 'nineteen metres', 'eleven crowns') if words in said]
        assert web.canary.hits == []
        assert not set(FORBIDDEN) & set(web.hits)
        assert web.hits.count('/robots.txt') >= 1
        assert {agent.partition('/')[0] for agent in web.user_agents} == {'summarizer-tool'}
