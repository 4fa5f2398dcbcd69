"""Answers from a small web: what is fetched in which mode, why it stops, and what becomes of failures and deadlines."""

from collections.abc import Sequence
from dataclasses import replace

import anyio
import anyio.lowlevel
import pytest
from inline_snapshot import snapshot

from summarizer_tool import Settings
from summarizer_tool.errors import RequestError
from summarizer_tool.evidence.answer.answering import RESERVED_SECONDS, Answerer, GatheredEvidence
from summarizer_tool.evidence.answer.exploration import Split
from summarizer_tool.evidence.answer.page_loading import StoredPage
from summarizer_tool.evidence.question.question import Question, ResearchMode
from summarizer_tool.evidence.search.results import Query, SearchResult
from summarizer_tool.llm.options import Progress
from summarizer_tool.runtime.deadline import Deadline
from tests.support.small_web import ORIGIN, SmallWeb, leaf, web

pytestmark = pytest.mark.anyio

START = f'{ORIGIN}/'
QUESTION = 'How many blades has the runner of a Kaplan turbine?'

PAGES = {
    '/': leaf(
        'The tidal plant of Marn stands in the estuary of the Ness.\n\nIt opened in 1931.',
        ('/guide', 'Guide to the plant'),
        ('/news', 'News'),
        ('/login', 'Log in to see the Kaplan turbine'),
        ('/kaplan.zip', 'Kaplan turbine pictures'),
    ),
    '/guide': leaf('The guide tells of each part of the plant.', ('/guide/turbines', 'Turbines'), ('/', 'Home')),
    '/guide/turbines': leaf(
        'The hall has six turbines of two kinds.',
        ('/guide/kaplan', 'Kaplan turbines'),
        ('/guide/bulb', 'Bulb turbines'),
        ('/guide/turbines/', 'Turbines again'),
        ('/guide/log', 'Turbine log'),
    ),
    '/guide/kaplan': leaf(
        'A Kaplan turbine can turn its blades.',
        ('/guide/blades', 'Blades of the runner'),
        ('http://169.254.169.254/data', 'Kaplan runner data'),
    ),
    '/guide/blades': leaf('The runner of each Kaplan turbine has five blades.\n\nThe blades are of bronze.'),
    '/guide/bulb': leaf('The bulb turbine is fixed.'),
    '/news': leaf('Nothing new.'),
}


def answerer(small: SmallWeb, **more: object) -> Answerer:
    settings = Settings.load(**{name: more.pop(name) for name in list(more) if name.startswith('answer_')})
    more = {'add_page': small.add_page, 'search': small.search, **more}
    return Answerer(small, settings, **more)  # pyright: ignore[reportArgumentType]


async def ask(
    small: SmallWeb,
    places: Sequence[str] = (START,),
    text: str = QUESTION,
    question: Question | None = None,
    **more: object,
) -> GatheredEvidence:
    fields = {name: more.pop(name) for name in list(more) if name in Question.__dataclass_fields__}
    asked = replace(question or Question(text), **fields)  # pyright: ignore[reportArgumentType]
    return await answerer(small, **more).answer(places, asked)


def trace(answered: GatheredEvidence) -> list[str]:
    """The trace as lines: where from, depth, page, source, passages, scores, failure."""
    return [
        f'{"-" if page.parent is None else page.parent}>{index} d{page.depth} {page.url.removeprefix(ORIGIN)} '
        + (
            f'FAILED {page.failure}'
            if page.failure
            else f'{page.source_id[-2:]}{" stored" if page.was_stored else ""} +{page.passages} '
            f'{page.score_before:.2f}>{page.score_after:.2f}'
        )
        for index, page in enumerate(answered.trace.pages)
    ] + [f'{answered.trace.rounds} rounds: {answered.trace.stop_reason}']


# The three modes.


async def test_fast_follows_no_links() -> None:
    small = web(PAGES)
    answered = await ask(small, [START, f'{ORIGIN}/guide/kaplan'], mode='fast')
    assert trace(answered) == snapshot(
        ['->0 d0 / 01 +2 0.00>0.42', '->1 d0 /guide/kaplan 04 +1 0.00>0.42', '0 rounds: fast mode']
    )
    assert answered.iterations == 1
    assert not answered.is_partial
    assert [hit.passage.text for hit in answered.found.hits] == ['A Kaplan turbine can turn its blades.']


async def test_auto_goes_on_until_there_is_enough() -> None:
    small = web(PAGES)
    answered = await ask(small, mode='auto', answer_max_depth=4)
    assert trace(answered) == snapshot(
        [
            '->0 d0 / 01 +2 0.00>0.00',
            '0>1 d1 /guide 02 +1 0.00>0.00',
            '0>2 d1 /news 07 +1 0.00>0.00',
            '1>3 d2 /guide/turbines 03 +1 0.00>0.02',
            '3>4 d3 /guide/kaplan 04 +1 0.02>0.44',
            '3>5 d3 /guide/bulb 06 +1 0.02>0.44',
            '3>6 d3 /guide/log FAILED marn.example/guide/log answered HTTP 404',
            '4>7 d4 /guide/blades 05 +2 0.44>0.85',
            '4>8 d4 http://169.254.169.254/data FAILED http://169.254.169.254/data answered HTTP 404',
            '4 rounds: enough evidence',
        ]
    )
    assert answered.found.hits[0].passage.text == 'The runner of each Kaplan turbine has five blades.'
    assert answered.source_ids == tuple(page.source_id for page in answered.trace.pages if page.source_id)
    assert [page.url for page in answered.failures] == [f'{ORIGIN}/guide/log', 'http://169.254.169.254/data']
    assert answered.iterations == answered.trace.rounds + 1
    assert all(page.parent is None or page.parent < index for index, page in enumerate(answered.trace.pages))


async def test_deep_goes_on_though_there_is_enough() -> None:
    small = web(PAGES)
    blades = [f'{ORIGIN}/guide/kaplan', f'{ORIGIN}/guide/blades']
    assert (await ask(small, blades, mode='auto')).trace.stop_reason == 'enough evidence'
    leading = replace(PAGES['/guide/blades'], links=((f'{ORIGIN}/guide/bulb', 'Bulb turbines'),))
    answered = await ask(web(PAGES | {'/guide/blades': leading}), blades, mode='deep')
    assert trace(answered) == snapshot(
        [
            '->0 d0 /guide/kaplan 04 +1 0.00>0.84',
            '->1 d0 /guide/blades 05 +2 0.00>0.84',
            '1>2 d1 /guide/bulb 06 +1 0.84>0.84',
            '0>3 d1 http://169.254.169.254/data FAILED http://169.254.169.254/data answered HTTP 404',
            '1 rounds: no promising links',
        ]
    )


# Pages that have the words of the question, and lead to its answer.

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


@pytest.mark.parametrize('mode', ['auto', 'deep'])
@pytest.mark.parametrize(('text', 'shown'), TEASERS.values(), ids=TEASERS)
async def test_a_page_that_only_leads_to_the_answer_is_not_enough(text: str, shown: str, mode: ResearchMode) -> None:
    pages = {'/': leaf(text, ('/a', 'Turbine hall'), ('/7', shown), ('/b', 'Gallery')), '/7': leaf('Five, of bronze.')}
    small = web(pages)
    await ask(small, mode=mode)
    assert f'{ORIGIN}/7' in small.fetched


async def test_a_lead_that_fails_leaves_the_question_open() -> None:
    small = web({'/': leaf(*TEASERS['a pointer'][:1], ('/7', NAMED))})
    answered = await ask(small)
    assert trace(answered) == snapshot(
        [
            '->0 d0 / 01 +2 0.00>0.00',
            '0>1 d1 /7 FAILED marn.example/7 answered HTTP 404',
            '1 rounds: no promising links',
        ]
    )


async def test_where_there_is_enough_only_what_says_that_it_answers_is_followed() -> None:
    enough = 'The runner of a Kaplan turbine has five blades of bronze.'
    words = [('/k', 'Kaplan turbine'), ('/b', 'blades'), ('/c', 'bronze')]
    small = web({'/': leaf(enough, *words), '/k': leaf('More.')})
    answered = await ask(small)
    assert (small.fetched, answered.trace.stop_reason) == ([START], 'enough evidence')
    # A link of the question's own name may know better; once it was no use, the next of its kind is left.
    pages = {'/': leaf(enough, *words, ('/7', NAMED)), '/7': leaf('Nothing.', ('/8', NAMED)), '/8': leaf('Five.')}
    for given, fetched in (({}, [START, f'{ORIGIN}/7']), ({'expansion_budget': 0}, [START])):
        small = web(pages)
        answered = await ask(small, **given)
        assert (small.fetched, answered.trace.stop_reason) == (fetched, 'enough evidence')


async def test_a_stored_page_that_only_leads_to_the_answer_is_not_enough() -> None:
    small = web({'/': leaf(*TEASERS['a pointer'][:1], ('/7', NAMED)), '/7': leaf(NAMED + ': five.')})
    await ask(small, mode='fast')
    answered = await ask(small, [])
    assert trace(answered) == snapshot(
        ['->0 d0 / 01 stored +0 0.00>0.00', '0>1 d1 /7 02 +1 0.00>0.72', '1 rounds: enough evidence']
    )


# Each reason to stop that the modes above have not shown.


async def test_enough_is_stored_already() -> None:
    small = web(PAGES)
    await ask(small, [f'{ORIGIN}/guide/blades'], mode='fast')
    answered = await ask(small, [f'{ORIGIN}/guide/blades#top'], mode='auto')
    assert trace(answered) == snapshot(['->0 d0 /guide/blades 05 stored +0 0.00>0.73', '0 rounds: enough evidence'])
    assert small.fetched == [f'{ORIGIN}/guide/blades']


async def test_sources_that_fit_are_given_whole_but_are_not_enough_for_that() -> None:
    pages = {
        '/': leaf('The Kaplan turbine has a runner.', ('/kaplan', 'Kaplan turbine blades')),
        '/kaplan': leaf('More.'),
    }
    answered = await ask(web(pages), room=1000)
    assert trace(answered) == snapshot(
        ['->0 d0 / 01 +1 0.00>0.42', '0>1 d1 /kaplan 02 +1 0.42>0.42', '1 rounds: no promising links']
    )
    assert answered.found.is_full_context


async def test_plateau() -> None:
    pages = {'/': leaf('The runner of a Kaplan turbine.', *((f'/turbine-{n}', f'Blades {n}') for n in range(30)))}
    pages |= {f'/turbine-{n}': leaf(f'No word of it on page {n}.') for n in range(30)}
    for mode, rounds in (('auto', 2), ('deep', 4)):
        answered = await ask(web(pages), mode=mode, answer_max_pages=30, answer_max_pages_per_round=2)
        assert (answered.trace.rounds, answered.trace.stop_reason) == (rounds, 'plateau')


async def test_a_chain_that_names_what_is_asked_is_walked_to_its_end() -> None:
    pages = {
        f'/{n}': leaf(f'Nothing on page {n}.', (f'/{n + 1}', 'Kaplan turbine runner blades')) for n in range(9)
    } | {'/3': leaf('The runner of a Kaplan turbine has five blades.')}
    answered = await ask(web(pages), [f'{ORIGIN}/0'])
    assert (answered.trace.rounds, answered.trace.stop_reason) == (3, 'enough evidence')


async def test_without_evidence_there_is_no_plateau_before_the_budget_ends() -> None:
    pages = {'/': leaf('Nothing here.', *((f'/{n}', f'Part {n}') for n in range(30)))}
    pages |= {f'/{n}': leaf(f'No word of it on page {n}.') for n in range(30)}
    for mode in ('auto', 'deep'):
        answered = await ask(web(pages), mode=mode, answer_max_pages=9)
        assert (len(answered.trace.pages), answered.trace.stop_reason) == (10, 'expansion budget')


async def test_any_link_is_taken_where_none_is_promising() -> None:
    pages = {
        '/': leaf('Nothing here.', ('/boats', 'Boats'), ('/login', 'Log in'), ('https://ness.example/', 'Ness')),
        '/boats': leaf('The runner of a Kaplan turbine has five blades.', ('/news', 'News')),
    }
    for mode, reason in (('auto', 'enough evidence'), ('deep', 'no promising links')):
        answered = await ask(web(pages), mode=mode)
        assert trace(answered) == [
            '->0 d0 / 01 +1 0.00>0.00',
            '0>1 d1 /boats 02 +1 0.00>0.72',
            f'1 rounds: {reason}',
        ]


async def test_expansion_budget() -> None:
    for budget, most, fetched in ((None, 3, 3), (2, 12, 2), (9, 2, 2), (0, 12, 0)):
        small = web(PAGES)
        answered = await ask(small, expansion_budget=budget, answer_max_pages=most, answer_max_depth=5)
        assert answered.trace.stop_reason == 'expansion budget'
        assert len(small.fetched) == 1 + fetched


async def test_depth_limit() -> None:
    small = web(PAGES)
    answered = await ask(small, answer_max_depth=2)
    assert answered.trace.stop_reason == 'depth limit'
    assert max(page.depth for page in answered.trace.pages) == 2
    # A better link that is too deep does not keep from one that is not.
    pages = {
        '/': leaf('Nothing.', ('/a', 'Kaplan turbine'), ('/b', 'Turbine')),
        '/a': leaf('None.', ('/c', 'Blades of the Kaplan turbine runner')),
        '/b': leaf('No.'),
    }
    small = web(pages)
    answered = await ask(small, answer_max_depth=1, answer_max_pages_per_round=1)
    assert (small.fetched, answered.trace.stop_reason) == ([START, f'{ORIGIN}/a', f'{ORIGIN}/b'], 'depth limit')


async def test_nothing_fetched() -> None:
    small = web(PAGES)
    answered = await ask(small, [f'{ORIGIN}/gone', 'src_00000000ffff', 'no url'])
    assert trace(answered) == snapshot(
        [
            '->0 d0 /gone FAILED marn.example/gone answered HTTP 404',
            '->1 d0 src_00000000ffff FAILED there is no source "src_00000000ffff"',
            '->2 d0 no url FAILED no url answered HTTP 404',
            '0 rounds: nothing fetched',
        ]
    )
    assert answered.found.hits == ()
    assert len(answered.failures) == 3
    assert small.queries == []
    assert (await ask(web({}), [])).trace.stop_reason == 'nothing fetched'


async def test_the_deadline_returns_what_there_is() -> None:
    small, deadline = web(PAGES), Deadline(3600)

    async def add_page(url: str) -> StoredPage:
        if url.endswith('/guide/turbines'):
            deadline.bring_forward(0)
            await anyio.sleep(3600)
        return await small.add_page(url)

    answered = await ask(small, add_page=add_page, deadline=deadline)
    assert trace(answered) == snapshot(
        [
            '->0 d0 / 01 +2 0.00>0.00',
            '0>1 d1 /guide 02 +1 0.00>0.00',
            '0>2 d1 /news 07 +1 0.00>0.00',
            '1>3 d2 /guide/turbines FAILED the deadline came before it was there; ask again, or give the call more time',
            '2 rounds: deadline',
        ]
    )
    assert answered.is_partial
    # What had come by then was searched.
    assert small.queries[-1].source_ids == answered.source_ids
    assert answered.found.documents == 3


async def test_what_came_just_before_the_deadline_is_searched() -> None:
    pages = {
        '/': leaf('Nothing.', ('/quick', 'Kaplan turbine'), ('/slow', 'Kaplan turbine')),
        '/quick': leaf('The runner of a Kaplan turbine has five blades.'),
    }
    small, deadline, quick_is_there = web(pages), Deadline(3600), anyio.Event()

    async def add_page(url: str) -> StoredPage:
        if url.endswith('/slow'):
            await quick_is_there.wait()
            deadline.bring_forward(0)
            await anyio.sleep(3600)
        added = await small.add_page(url)
        if url.endswith('/quick'):
            quick_is_there.set()
        return added

    answered = await ask(small, add_page=add_page, deadline=deadline)
    assert [hit.passage.text for hit in answered.found.hits] == ['The runner of a Kaplan turbine has five blades.']
    assert [page.url for page in answered.failures] == [f'{ORIGIN}/slow']
    assert answered.trace.stop_reason == 'deadline'


async def test_time_is_kept_for_what_follows() -> None:
    deadline = Deadline(3600)
    await ask(web(PAGES), mode='fast', deadline=deadline)
    assert deadline.at - deadline.last_call == RESERVED_SECONDS


async def test_a_deadline_that_is_over() -> None:
    small = web(PAGES)
    answered = await ask(small, deadline=Deadline(-1))
    assert (answered.trace.stop_reason, answered.is_partial, answered.found.hits) == ('deadline', True, ())
    assert answered.parts == (QUESTION,)
    assert small.fetched == []


# What is fetched, and how.


async def test_pages_are_fetched_at_once_but_not_too_many_from_one_host() -> None:
    running: list[str] = []
    most: dict[str, int] = {}
    all_there = anyio.Event()

    async def add_page(url: str) -> StoredPage:
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
    answered = await ask(small, places, mode='fast', add_page=add_page)
    assert most.pop('all') == 5
    assert max(most.values()) == 2
    # The account is in the order of the question, whoever came first.
    assert [page.url for page in answered.trace.pages] == places


async def test_a_page_counts_once_whatever_it_is_called() -> None:
    pages = {**PAGES, '/old': leaf('', moved_to=f'{ORIGIN}/guide/blades')}
    small = web(pages)
    blades = f'{ORIGIN}/guide/blades'
    places = [f'{ORIGIN}/old', blades, f'{blades}/', f'{blades}#x', f' {ORIGIN}/old ']
    answered = await ask(small, places, mode='fast')
    assert answered.source_ids == tuple(small.stored)
    assert len(answered.source_ids) == 1
    assert [page.url for page in answered.trace.pages] == [f'{ORIGIN}/old', f'{ORIGIN}/guide/blades']
    # Whichever of the two comes first.
    assert sorted(page.passages for page in answered.trace.pages if not page.was_stored) in ([2], [0, 2])


async def test_only_hosts_that_the_constraints_name_are_followed() -> None:
    pages = {
        '/': leaf('Nothing.', ('https://ness.example/kaplan', 'Kaplan turbine'), ('/kaplan', 'Kaplan turbine')),
        '/kaplan': leaf('A Kaplan turbine.'),
        'https://ness.example/kaplan': leaf('The runner of a Kaplan turbine has four blades.'),
    }
    for constraints, fetched in (
        ('only ness.example', [START, 'https://ness.example/kaplan']),
        ('not ness.example', [START, f'{ORIGIN}/kaplan']),
    ):
        small = web(pages)
        await ask(small, constraints=constraints)
        assert small.fetched == fetched


async def test_a_host_that_gives_nothing_is_not_asked_again() -> None:
    links = [(f'https://gone.example/kaplan-{number}', f'Kaplan turbine {number}') for number in range(12)]
    small = web({'/': leaf('Nothing.', *links)})
    answered = await ask(small, answer_max_pages_per_round=2)
    assert len(answered.failures) == 2
    assert answered.trace.stop_reason == 'no promising links'
    # One that has given something may fail now and then.
    small = web({'/': leaf('Nothing.', *links), **{f'https://gone.example/kaplan-{n}': leaf(f'{n}') for n in (0, 5)}})
    assert len((await ask(small, answer_max_pages_per_round=3, mode='deep')).failures) == 10


async def test_without_pages_all_of_the_collection_is_searched_and_followed_from_the_best() -> None:
    small = web(PAGES)
    await ask(small, [f'{ORIGIN}/guide/kaplan', f'{ORIGIN}/news'], mode='fast')
    answered = await ask(small, [])
    assert trace(answered) == snapshot(
        [
            '->0 d0 /guide/kaplan 04 stored +0 0.00>0.42',
            '0>1 d1 /guide/blades 05 +2 0.42>0.84',
            '0>2 d1 http://169.254.169.254/data FAILED http://169.254.169.254/data answered HTTP 404',
            '1 rounds: enough evidence',
        ]
    )
    assert {query.source_ids for query in small.queries[1:]} == {()}


async def test_intent_and_what_is_known_choose_the_link() -> None:
    start = leaf('Nothing.', ('/a', 'Kaplan, the brewer'), ('/b', 'Kaplan, the engineer'))
    pages = {'/': start, '/a': leaf('He brewed.'), '/b': leaf('He drew.')}
    said = {'intent': 'a book on engineers', 'constraints': 'only engineers', 'known_context': 'An engineer.'}
    for name, words in said.items():
        small = web(pages)
        await ask(small, text='Who was Kaplan?', expansion_budget=1, answer_max_pages_per_round=1, **{name: words})
        assert small.fetched == [START, f'{ORIGIN}/b']


async def test_only_what_was_named_or_fetched_is_searched() -> None:
    small = web(PAGES)
    small.keep(f'{ORIGIN}/other', leaf('The runner of a Kaplan turbine has nine blades.'))
    answered = await ask(small, [f'{ORIGIN}/guide/bulb', f'{ORIGIN}/gone'])
    assert 'nine' not in str(answered.found.hits)
    assert answered.failures == tuple(page for page in answered.trace.pages if page.url == f'{ORIGIN}/gone')


# What is asked.


async def test_parts_are_searched_and_judged_one_by_one() -> None:
    small = web(
        {'/': leaf('The dam is 40 m high.', ('/mill', 'The mill')), '/mill': leaf('The mill is 90 years of age.')}
    )
    answered = await ask(small, text='How high is the dam? What is the age of the mill?')
    assert answered.parts == ('How high is the dam?', 'What is the age of the mill?')
    assert small.queries[0].parts == answered.parts
    assert small.fetched == [START, f'{ORIGIN}/mill']
    assert answered.trace.stop_reason == 'enough evidence'


async def test_a_model_splits_and_rules_do_where_it_fails() -> None:
    asked: list[tuple[str, ...]] = []

    async def split(*given: str) -> tuple[str, ...]:
        asked.append(given)
        return ('blades of the runner', ' ', 'kinds of turbine')

    async def failing(*_: str) -> tuple[str, ...]:
        raise ValueError('hunter2 is the question')

    async def empty(*_: str) -> tuple[str, ...]:
        return ()

    async def parts_of(split: Split) -> GatheredEvidence:
        return await ask(web(PAGES), split=split, mode='fast', intent='a book', constraints='since 1931')

    assert (await parts_of(split)).parts == ('blades of the runner', 'kinds of turbine')
    assert asked == [(QUESTION, 'a book', 'since 1931')]
    answered = await parts_of(failing)
    assert answered.parts == (QUESTION,)
    assert answered.warnings == snapshot(('the question was split by rules, since the model failed: ValueError',))
    assert (await parts_of(empty)).parts == (QUESTION,)


async def test_intent_constraints_and_what_is_known_reach_the_search() -> None:
    small = web(PAGES)
    known = 'A Kaplan turbine can turn its blades.'
    answered = await ask(
        small,
        [f'{ORIGIN}/guide/kaplan', f'{ORIGIN}/guide/bulb'],
        mode='fast',
        intent='a book on engines',
        constraints='only marn.example since 1931',
        known_context=known,
    )
    assert small.queries[0].intent == 'a book on engines only since 1931'
    assert [hit.passage.text for hit in answered.found.hits] == ['The bulb turbine is fixed.', known]


@pytest.mark.parametrize(
    ('places', 'question'),
    [
        ([START], Question(' ')),
        ([f'{START}{number}' for number in range(51)], Question(QUESTION)),
        ([START], Question(QUESTION, expansion_budget=-1)),
        ([START], Question(QUESTION, constraints='only x ' * 2000)),
    ],
)
async def test_what_cannot_be_asked(places: list[str], question: Question) -> None:
    with pytest.raises(
        RequestError, match=r'query is empty|51 URLs .* over 50|budget=-1 is negative|constraints has 14,000'
    ):
        await answerer(web(PAGES)).answer(places, question)


# Progress, warnings, cancellation.


async def test_progress_tells_numbers_but_no_content() -> None:
    told = list[Progress]()
    await ask(web(PAGES), [f'{START}?key=hunter2', START], on_progress=told.append, answer_max_depth=2)
    lines = [f'{each.phase} {each.done}/{each.total} {each.message}' for each in told]
    # The question is split beside the fetching.
    lines.remove('analyse 1/1 one question')
    assert lines == snapshot(
        [
            'fetch 0/2 2 pages to get',
            'fetch 1/2 1 of 2 pages done',
            'fetch 2/2 2 of 2 pages done',
            'index 1/1 2 new passages in the index',
            'search 1/1 0 passages found',
            'expand 1/12 round 1: 1 of 2 links followed',
            'expand 2/12 round 1: 2 of 2 links followed',
            'search 2/2 0 passages found',
            'expand 3/12 round 2: 1 of 1 links followed',
            'search 3/3 1 passages found',
            'assemble 0/1 1 passages found',
        ]
    )


async def test_warnings_of_the_search_and_seconds_by_phase() -> None:
    small = web(PAGES)

    async def warning(query: Query) -> SearchResult:
        return replace(await small.search(query), warnings=('no embeddings',))

    answered = await ask(small, search=warning, answer_max_depth=1)
    assert answered.warnings == ('no embeddings',)
    assert answered.timings.keys() == {'fetch', 'analyse', 'search', 'expand'}
    assert all(seconds >= 0 for seconds in answered.timings.values())


async def test_a_search_that_is_not_needed_is_not_made() -> None:
    small = web(PAGES)
    await ask(small, mode='fast')
    assert len(small.queries) == 1
    # The room is looked at only where the sources may have it.
    await ask(small, mode='fast', room=1)
    assert len(small.queries) == 2
    await ask(small, mode='fast', room=1000)
    assert len(small.queries) == 4


async def test_cancellation_passes_and_ends_what_runs() -> None:
    small = web(PAGES)
    both_started, running, ended = anyio.Event(), list[str](), list[str]()

    async def add_page(url: str) -> StoredPage:
        running.append(url)
        if len(running) == 2:
            both_started.set()
        try:
            await anyio.sleep(3600)
        finally:
            ended.append(url)
        raise AssertionError

    returned: list[GatheredEvidence] = []

    async def run() -> None:
        returned.append(await ask(small, [START, f'{ORIGIN}/news'], add_page=add_page))

    async with anyio.create_task_group() as group:
        group.start_soon(run)
        await both_started.wait()
        group.cancel_scope.cancel()
    assert returned == []
    assert sorted(ended) == [START, f'{ORIGIN}/news']
    assert small.queries == []
