"""Which pages an answer fetches, and how."""

import anyio
import anyio.lowlevel
import pytest
from inline_snapshot import snapshot

from summarizer_tool.store.source import Source
from tests.support.small_answers import PAGES, START, ask, trace
from tests.support.small_web import ORIGIN, leaf, web

pytestmark = pytest.mark.anyio


async def test_pages_are_fetched_at_once_but_not_too_many_from_one_host() -> None:
    running: list[str] = []
    most: dict[str, int] = {}
    all_there = anyio.Event()

    async def add_page(url: str) -> Source:
        host = url.split('/')[2]
        running.append(host)
        most[host] = max(most.get(host, 0), running.count(host))
        most['all'] = max(most.get('all', 0), len(running))
        if len(running) == 5:
            all_there.set()
        # Opens only once five are in flight: one after the other they would wait for ever.
        with anyio.fail_after(30):
            await all_there.wait()
        await anyio.lowlevel.checkpoint()
        running.remove(host)
        return await small.add_page(url)

    places = [f'https://{host}.example/{number}' for host in ('marn', 'ness', 'holm') for number in range(4)]
    small = web({place: leaf(f'Text of {place}.') for place in places})
    answered = await ask(small, places, research_mode='fast', add_page=add_page)
    assert most.pop('all') == 5
    assert max(most.values()) == 2
    # The account is in the order of the question, whoever came first.
    assert [page.url for page in answered.pages] == places


async def test_a_page_counts_once_whatever_it_is_called() -> None:
    pages = {**PAGES, '/old': leaf('', moved_to=f'{ORIGIN}/guide/blades')}
    small = web(pages)
    blades = f'{ORIGIN}/guide/blades'
    places = [f'{ORIGIN}/old', blades, f'{blades}/', f'{blades}#x', f' {ORIGIN}/old ']
    answered = await ask(small, places, research_mode='fast')
    assert answered.source_ids == tuple(small.stored)
    assert len(answered.source_ids) == 1
    assert [page.url for page in answered.pages] == [f'{ORIGIN}/old', f'{ORIGIN}/guide/blades']


async def test_only_hosts_that_the_constraints_name_are_followed() -> None:
    pages = {
        '/': leaf('Nothing.', ('https://ness.example/kaplan', 'Kaplan turbine'), ('/kaplan', 'Kaplan turbine')),
        '/kaplan': leaf('A Kaplan turbine.'),
        'https://ness.example/kaplan': leaf('The runner of a Kaplan turbine has four blades.'),
    }
    for constraints, fetched in (
        ('site:ness.example', [START, 'https://ness.example/kaplan']),
        ('-site:ness.example', [START, f'{ORIGIN}/kaplan']),
    ):
        small = web(pages)
        await ask(small, constraints=constraints)
        assert small.fetched == fetched


async def test_a_host_that_gives_nothing_is_not_asked_again() -> None:
    links = [(f'https://gone.example/kaplan-{number}', f'Kaplan turbine {number}') for number in range(12)]
    small = web({'/': leaf('Nothing.', *links)})
    answered = await ask(small, answer_max_pages_per_round=2)
    assert len(answered.failures) == 2
    assert answered.stop_reason == 'no promising links'
    # One that has given something may fail now and then.
    small = web({'/': leaf('Nothing.', *links), **{f'https://gone.example/kaplan-{n}': leaf(f'{n}') for n in (0, 5)}})
    assert len((await ask(small, answer_max_pages_per_round=3, research_mode='deep')).failures) == 10


async def test_without_pages_all_of_the_collection_is_searched_and_followed_from_the_best() -> None:
    small = web(PAGES)
    await ask(small, [f'{ORIGIN}/guide/kaplan', f'{ORIGIN}/news'], research_mode='fast')
    answered = await ask(small, [])
    assert trace(answered) == snapshot(
        [
            '0 d0 /guide/kaplan 04',
            '1 d1 /guide/blades 05',
            '2 d1 http://169.254.169.254/data FAILED http://169.254.169.254/data answered HTTP 404',
            '1 rounds: enough evidence',
        ]
    )
    assert {query.source_ids for query in small.queries[1:]} == {()}


async def test_intent_and_constraints_choose_the_link() -> None:
    start = leaf('Nothing.', ('/a', 'Kaplan, the brewer'), ('/b', 'Kaplan, the engineer'))
    pages = {'/': start, '/a': leaf('He brewed.'), '/b': leaf('He drew.')}
    said = {'intent': 'a book on engineers', 'constraints': 'only engineers'}
    for name, words in said.items():
        small = web(pages)
        await ask(small, text='Who was Kaplan?', expansion_budget=1, answer_max_pages_per_round=1, **{name: words})
        assert small.fetched == [START, f'{ORIGIN}/b']


async def test_only_what_was_named_or_fetched_is_searched() -> None:
    small = web(PAGES)
    small.keep(f'{ORIGIN}/other', leaf('The runner of a Kaplan turbine has nine blades.'))
    answered = await ask(small, [f'{ORIGIN}/guide/bulb', f'{ORIGIN}/gone'])
    assert 'nine' not in str(answered.found.hits)
    assert answered.failures == tuple(page for page in answered.pages if page.url == f'{ORIGIN}/gone')
