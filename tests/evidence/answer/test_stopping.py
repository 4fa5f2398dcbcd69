"""Why an answer stops to follow links."""

import pytest
from inline_snapshot import snapshot

from tests.support.small_answers import PAGES, ask, trace
from tests.support.small_web import ORIGIN, leaf, web

pytestmark = pytest.mark.anyio


async def test_enough_is_stored_already() -> None:
    small = web(PAGES)
    await ask(small, [f'{ORIGIN}/guide/blades'], research_mode='fast')
    answered = await ask(small, [f'{ORIGIN}/guide/blades#top'], research_mode='auto')
    assert trace(answered) == snapshot(['0 d0 /guide/blades 05', '0 rounds: enough evidence'])
    assert small.fetched == [f'{ORIGIN}/guide/blades']


async def test_sources_that_fit_are_given_whole_but_are_not_enough_for_that() -> None:
    pages = {
        '/': leaf('The Kaplan turbine has a runner.', ('/kaplan', 'Kaplan turbine blades')),
        '/kaplan': leaf('More.'),
    }
    answered = await ask(web(pages), room=1000)
    assert trace(answered) == snapshot(['0 d0 / 01', '1 d1 /kaplan 02', '1 rounds: no promising links'])
    assert answered.found.is_full_context


async def test_plateau() -> None:
    pages = {'/': leaf('The runner of a Kaplan turbine.', *((f'/turbine-{n}', f'Blades {n}') for n in range(30)))}
    pages |= {f'/turbine-{n}': leaf(f'No word of it on page {n}.') for n in range(30)}
    for mode, rounds in (('auto', 2), ('deep', 4)):
        answered = await ask(web(pages), research_mode=mode, answer_max_pages=30, answer_max_pages_per_round=2)
        assert (answered.rounds, answered.stop_reason) == (rounds, 'plateau')


async def test_a_chain_that_names_what_is_asked_is_walked_to_its_end() -> None:
    pages = {
        f'/{n}': leaf(f'Nothing on page {n}.', (f'/{n + 1}', 'Kaplan turbine runner blades')) for n in range(9)
    } | {'/3': leaf('The runner of a Kaplan turbine has five blades.')}
    answered = await ask(web(pages), [f'{ORIGIN}/0'])
    assert (answered.rounds, answered.stop_reason) == (3, 'enough evidence')


async def test_without_evidence_there_is_no_plateau_before_the_budget_ends() -> None:
    pages = {'/': leaf('Nothing here.', *((f'/{n}', f'Part {n}') for n in range(30)))}
    pages |= {f'/{n}': leaf(f'No word of it on page {n}.') for n in range(30)}
    for mode in ('auto', 'deep'):
        answered = await ask(web(pages), research_mode=mode, answer_max_pages=9)
        assert (len(answered.pages), answered.stop_reason) == (10, 'expansion budget')


async def test_any_link_is_taken_where_none_is_promising() -> None:
    pages = {
        '/': leaf('Nothing here.', ('/boats', 'Boats'), ('/login', 'Log in'), ('https://ness.example/', 'Ness')),
        '/boats': leaf('The runner of a Kaplan turbine has five blades.', ('/news', 'News')),
        '/news': leaf('Rain.'),
    }
    for mode, more in (
        ('auto', ['1 rounds: enough evidence']),
        ('deep', ['2 d2 /news 03', '2 rounds: no promising links']),
    ):
        answered = await ask(web(pages), research_mode=mode)
        assert trace(answered) == ['0 d0 / 01', '1 d1 /boats 02', *more]


async def test_what_is_only_half_answered_is_looked_for_behind_any_link() -> None:
    pages = {
        '/': leaf('Nothing here.', ('/kaplan', 'Kaplan'), ('/boats', 'Boats')),
        '/kaplan': leaf('The blades of a Kaplan turbine are of bronze.'),
        '/boats': leaf('The runner of a Kaplan turbine has five blades.'),
    }
    assert trace(await ask(web(pages), research_mode='auto')) == [
        '0 d0 / 01',
        '1 d1 /kaplan 02',
        '2 d1 /boats 03',
        '2 rounds: enough evidence',
    ]


async def test_expansion_budget() -> None:
    for budget, most, fetched in ((None, 3, 3), (2, 12, 2), (9, 2, 2), (0, 12, 0)):
        small = web(PAGES)
        answered = await ask(small, expansion_budget=budget, answer_max_pages=most)
        assert answered.stop_reason == 'expansion budget'
        assert len(small.fetched) == 1 + fetched


async def test_nothing_fetched() -> None:
    small = web(PAGES)
    answered = await ask(small, [f'{ORIGIN}/gone', 'src_00000000ffff', 'no url'])
    assert trace(answered) == snapshot(
        [
            '0 d0 /gone FAILED marn.example/gone answered HTTP 404',
            '1 d0 src_00000000ffff FAILED there is no source "src_00000000ffff"',
            '2 d0 no url FAILED no url answered HTTP 404',
            '0 rounds: nothing fetched',
        ]
    )
    assert answered.found.hits == ()
    assert len(answered.failures) == 3
    assert small.queries == []
    assert (await ask(web({}), [])).stop_reason == 'nothing fetched'
