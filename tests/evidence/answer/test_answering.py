"""Answers from a small web: what is fetched in which mode, what leads to an answer, and what is asked."""

from dataclasses import replace

import pytest
from inline_snapshot import snapshot

from summarizer_tool.errors import RequestError
from summarizer_tool.evidence.question import AnswerRequest, ResearchMode
from summarizer_tool.evidence.search.results import Query, SearchResult
from summarizer_tool.llm.options import Progress, RequestOptions
from tests.support.small_answers import PAGES, QUESTION, START, answerer, ask, trace
from tests.support.small_web import ORIGIN, leaf, web

pytestmark = pytest.mark.anyio

NAMED = 'How many blades the runner of a Kaplan turbine has'


TEASERS = {
    'a list of chapters': (f'Turbine hall\n\n{NAMED}\n\nGallery', NAMED),
    'a table of chapters': (f'| Chapter | Page |\n| ------- | ---- |\n| {NAMED} | 7 |', NAMED),
    'a pointer': (f'The plant is old.\n\nSee "{NAMED}", and the history.', NAMED),
    'a chapter with a word on it': ('Theory: the blades of the runner of a Kaplan turbine, and its head.', 'Theory'),
    'another page tells': (f'A page of its own tells {NAMED.lower()}.', 'page of its own'),
    'a question with a link': (f'Often asked: {QUESTION} Answer', 'Answer'),
    'a question over a link': (f'## {QUESTION}\nThis is told on a page of its own.', 'a page of its own'),
}


async def test_fast_follows_no_links() -> None:
    small = web(PAGES)
    answered = await ask(small, [START, f'{ORIGIN}/guide/kaplan'], research_mode='fast')
    assert trace(answered) == snapshot(['0 d0 / 01', '1 d0 /guide/kaplan 04', '0 rounds: fast mode'])
    assert not answered.is_partial
    assert [hit.passage.text for hit in answered.found.hits] == ['A Kaplan turbine can turn its blades.']


async def test_auto_goes_on_until_there_is_enough() -> None:
    small = web(PAGES)
    answered = await ask(small, research_mode='auto')
    assert trace(answered) == snapshot(
        [
            '0 d0 / 01',
            '1 d1 /guide 02',
            '2 d1 /news 07',
            '3 d2 /guide/turbines 03',
            '4 d3 /guide/kaplan 04',
            '5 d4 /guide/blades 05',
            '6 d4 http://169.254.169.254/data FAILED http://169.254.169.254/data answered HTTP 404',
            '7 d3 /guide/bulb 06',
            '8 d3 /guide/log FAILED marn.example/guide/log answered HTTP 404',
            '4 rounds: enough evidence',
        ]
    )
    assert answered.found.hits[0].passage.text == 'The runner of each Kaplan turbine has five blades.'
    assert answered.source_ids == tuple(page.source_id for page in answered.pages if page.source_id)
    assert {page.url for page in answered.failures} == {f'{ORIGIN}/guide/log', 'http://169.254.169.254/data'}


async def test_deep_goes_on_though_there_is_enough() -> None:
    small = web(PAGES)
    blades = [f'{ORIGIN}/guide/kaplan', f'{ORIGIN}/guide/blades']
    assert (await ask(small, blades, research_mode='auto')).stop_reason == 'enough evidence'
    leading = replace(PAGES['/guide/blades'], links=((f'{ORIGIN}/guide/bulb', 'Bulb turbines'),))
    answered = await ask(web(PAGES | {'/guide/blades': leading}), blades, research_mode='deep')
    assert trace(answered) == snapshot(
        [
            '0 d0 /guide/kaplan 04',
            '1 d0 /guide/blades 05',
            '2 d1 /guide/bulb 06',
            '3 d1 http://169.254.169.254/data FAILED http://169.254.169.254/data answered HTTP 404',
            '1 rounds: no promising links',
        ]
    )


@pytest.mark.parametrize('mode', ['auto', 'deep'])
@pytest.mark.parametrize(('text', 'shown'), TEASERS.values(), ids=TEASERS)
async def test_a_page_that_only_leads_to_the_answer_is_not_enough(text: str, shown: str, mode: ResearchMode) -> None:
    pages = {'/': leaf(text, ('/a', 'Turbine hall'), ('/7', shown), ('/b', 'Gallery')), '/7': leaf('Five, of bronze.')}
    small = web(pages)
    await ask(small, research_mode=mode)
    assert f'{ORIGIN}/7' in small.fetched


async def test_where_there_is_enough_only_what_says_that_it_answers_is_followed() -> None:
    """A link of the question's own name may know better; once it was no use, the next of its kind is left."""
    enough = 'The runner of a Kaplan turbine has five blades of bronze.'
    pages = {'/': leaf(enough, ('/7', NAMED)), '/7': leaf('Nothing.', ('/8', NAMED)), '/8': leaf('Five.')}
    for given, fetched in (({}, [START, f'{ORIGIN}/7']), ({'expansion_budget': 0}, [START])):
        small = web(pages)
        answered = await ask(small, **given)
        assert (small.fetched, answered.stop_reason) == (fetched, 'enough evidence')


async def test_a_stored_page_that_only_leads_to_the_answer_is_not_enough() -> None:
    small = web({'/': leaf(*TEASERS['a pointer'][:1], ('/7', NAMED)), '/7': leaf(NAMED + ': five.')})
    await ask(small, research_mode='fast')
    answered = await ask(small, [])
    assert trace(answered) == snapshot(['0 d0 / 01', '1 d1 /7 02', '1 rounds: enough evidence'])


async def test_parts_are_searched_and_judged_one_by_one() -> None:
    small = web(
        {'/': leaf('The dam is 40 m high.', ('/mill', 'The mill')), '/mill': leaf('The mill is 90 years of age.')}
    )
    answered = await ask(small, text='How high is the dam? What is the age of the mill?')
    assert answered.parts == ('How high is the dam?', 'What is the age of the mill?')
    assert small.queries[0].parts == answered.parts
    assert small.fetched == [START, f'{ORIGIN}/mill']
    assert answered.stop_reason == 'enough evidence'


async def test_intent_and_constraints_reach_the_search() -> None:
    small = web(PAGES)
    await ask(
        small,
        [f'{ORIGIN}/guide/kaplan', f'{ORIGIN}/guide/bulb'],
        research_mode='fast',
        intent='a book on engines',
        constraints='site:marn.example since 1931',
    )
    assert small.queries[0].intent == 'a book on engines since 1931'


@pytest.mark.parametrize(
    ('places', 'asked'),
    [
        ([START], {'query': ' '}),
        ([f'{START}{number}' for number in range(51)], {'query': QUESTION}),
        ([START], {'query': QUESTION, 'constraints': 'only x ' * 2000}),
    ],
)
async def test_what_cannot_be_asked(places: list[str], asked: dict[str, object]) -> None:
    with pytest.raises(RequestError, match=r'query is empty|51 URLs .* over 50|constraints has 14,000'):
        await answerer(web(PAGES), AnswerRequest.of(asked)).answer(places)


async def test_progress_tells_numbers_but_no_content() -> None:
    told = list[Progress]()
    await ask(
        web(PAGES), [f'{START}?key=hunter2', START], options=RequestOptions(on_progress=told.append), expansion_budget=3
    )
    lines = [f'{each.phase} {each.done}/{each.total} {each.message}' for each in told]
    assert lines == snapshot(
        [
            'fetch 0/2 0 of 2 pages done',
            'fetch 1/2 1 of 2 pages done',
            'fetch 2/2 2 of 2 pages done',
            'index 1/1 1 sources in the index',
            'search 1/1 0 passages found',
            'expand 1/3 round 1: 1 of 2 links followed',
            'expand 2/3 round 1: 2 of 2 links followed',
            'search 2/2 0 passages found',
            'expand 3/3 round 2: 1 of 1 links followed',
            'search 3/3 1 passages found',
            'assemble 0/1 1 passages found',
        ]
    )


async def test_warnings_of_the_search_and_seconds_by_phase() -> None:
    small = web(PAGES)

    async def warning(query: Query) -> SearchResult:
        return replace(await small.search(query), warnings=('no embeddings',))

    answered = await ask(small, search=warning)
    assert answered.found.warnings == ('no embeddings',)


async def test_a_search_that_is_not_needed_is_not_made() -> None:
    small = web(PAGES)
    await ask(small, research_mode='fast')
    assert len(small.queries) == 1
    # The room is looked at only where the sources may have it.
    await ask(small, research_mode='fast', room=1)
    assert len(small.queries) == 2
    await ask(small, research_mode='fast', room=1000)
    assert len(small.queries) == 4
