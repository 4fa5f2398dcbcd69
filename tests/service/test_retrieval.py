"""What a program gets of `Retriever`: evidence with figures, whatever goes wrong."""

import re

import anyio
import pytest

from summarizer_tool import ConfigurationError, Document, Settings, SourceStore
from summarizer_tool.errors import StoreError
from summarizer_tool.llm.options import Progress, RequestOptions
from summarizer_tool.runtime.deadline import Deadline
from summarizer_tool.service.retrieval import MAX_WHOLE, EvidenceBrief, Retriever
from summarizer_tool.store.collection import Collection
from summarizer_tool.text import tokens
from tests.support.asked_site import asking, heads, retriever_of, section
from tests.support.site import Site, site
from tests.support.texts import CHRONICLE, HARBOUR, chronicle

pytestmark = pytest.mark.anyio


async def test_sources_that_fit_come_whole_and_others_as_passages() -> None:
    with SourceStore() as store:
        retriever = retriever_of(store)
        for text in (HARBOUR, CHRONICLE):
            retriever.collection.add(Document(text))
        whole = await retriever.search('fires', max_tokens=8000)
        ranked = await retriever.search('fires', max_tokens=1000)
        one = await retriever.search('fires', source_ids=Document(HARBOUR).id, max_tokens=1000)
    assert [found.figures['full_context'] for found in (whole, ranked, one)] == [True, False, True]
    assert [found.figures['documents'] for found in (whole, ranked, one)] == [2, 2, 1]
    assert section(whole.text, 'EVIDENCE').count('whole source') == 2
    assert all(line in whole.text for line in CHRONICLE.splitlines() if line.strip())
    assert [found.tokens for found in (whole, ranked, one)] == [
        tokens.count(found.text) for found in (whole, ranked, one)
    ]
    assert 'relevance' in section(ranked.text, 'EVIDENCE').splitlines()[1]


@pytest.mark.parametrize(
    'question', ['Who leads the Silt Choir?', 'What do the Dykewardens fear?', 'What did Ysolde Harrow build?']
)
async def test_what_is_shown_first_is_the_most_relevant(question: str, crawl: dict[str, str]) -> None:
    with SourceStore() as store:
        retriever = retriever_of(store)
        for text in crawl.values():
            retriever.collection.add(Document(text))
        found = await retriever.search(question, max_tokens=1500)
    relevance = [float(value) for value in re.findall(r'relevance (\S+)', found.text)]
    assert len(relevance) > 1
    assert relevance == sorted(relevance, reverse=True)


async def test_lines_with_numbers_fit_or_come_as_passages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers take more than a text of many short lines itself; that is reckoned with, and if wrongly, seen."""
    text = '\n'.join(f'{n} gate' for n in range(300))
    with SourceStore() as store:
        retriever = retriever_of(store)
        retriever.collection.add(Document(text))

        async def whole() -> list[bool]:
            shown: list[bool] = []
            for budget in range(1000, 4000, 500):
                found = await retriever.search('gate 250', max_tokens=budget)
                assert found.tokens == tokens.count(found.text) <= budget
                assert '251| 250 gate' in found.text
                shown.append(bool(found.figures['full_context']))
                assert not shown[-1] or all(f'{n + 1}| {n} gate' in found.text for n in range(300))
            return shown

        reckoned = await whole()
        monkeypatch.setattr('summarizer_tool.service.retrieval.WHOLE_SHARE', 100)
        hoped_for = await whole()
    assert {*reckoned} == {*hoped_for} == {False, True}
    assert sum(hoped_for) >= sum(reckoned)


async def test_an_answer_that_is_too_long_as_a_whole_is_of_all_sources() -> None:
    with SourceStore() as store:
        retriever = retriever_of(store)
        for first in range(0, 1200, 100):
            retriever.collection.add(Document('\n'.join(f'{n} gate' for n in range(first, first + 25))))
        found = [await retriever.answer('', 'Which gates?', max_tokens=budget) for budget in (1000, 2000, 3000)]
        told = await retriever.answer('', 'Which gates?', constraints='gate 524', max_tokens=2000)
    assert [each.figures['full_context'] for each in found] == [False, False, True]
    assert [each.figures['documents'] for each in found] == [12, 12, 12]
    assert told.source_ids[0] == Document('\n'.join(f'{n} gate' for n in range(500, 525))).id


async def test_a_page_that_answers_at_two_urls_is_counted_once() -> None:
    with site() as web, asking(web) as retriever:
        pages = [web.url('/old-guide'), web.url('/guide/')]
        found = await retriever.answer(pages, 'bays with a turbine', research_mode='fast')
        assert found.figures['documents'] == 1
        fetched = len(web.hits)
        again = await retriever.answer(pages, 'bays with a turbine', research_mode='fast')
        assert (again.figures['documents'], len(web.hits)) == (1, fetched)


async def test_places_in_one_string() -> None:
    with site() as web, asking(web) as retriever:
        source = retriever.collection.add(Document(HARBOUR))
        commas = web.url('/guide/?bays=6,7,8')
        for url in (
            f'{commas} {source.id}',
            f'{commas}, {source.id}',
            f'["{commas}","source://{source.id}"]',
            f'{commas},{source.id}',
            f'{source.id},{commas}',
        ):
            found = await retriever.answer(url, 'bays', research_mode='fast')
            assert found.figures['documents'] == 2
        assert [hit for hit in web.hits if 'bays' in hit] == ['/guide/?bays=6,7,8']
        await retriever.service.add_page(web.url('/valley'))
        for apart in (',', ';', ',HTTP'):
            found = await retriever.search(
                'bays', source_urls=commas + apart + web.url('/valley')[4 * (apart == ',HTTP') :]
            )
            assert found.figures['documents'] == 2


async def test_a_stored_page_is_found_in_whichever_way_its_address_is_written() -> None:
    with site() as web, asking(web) as retriever:
        guide = web.url('/guide/?b=2&a=1')
        await retriever.service.add_page(guide)
        port = web.host.rpartition(':')[2]
        for place in (
            guide,
            guide + '#bays',
            web.url('/guide?b=2&a=1'),
            web.url('/guide/?a=1&b=2'),
            web.url('//guide/?b=2&a=1&utm_source=mail'),
            f'HTTP://127.0.0.1:{port}/guide/?a=1&b=2#bays',
        ):
            assert not (await retriever.search('bays', source_urls=place)).is_error, place
            assert not (await retriever.status(place)).is_error, place
            found = await retriever.answer(place, 'bays', research_mode='fast')
            assert not found.is_error, place
        assert (await retriever.search('bays', source_urls=web.url('/guide/?a=2&b=2'))).is_error
        assert web.hits == ['/guide/?b=2&a=1']


async def test_a_source_is_named_as_its_file_is_called() -> None:
    with SourceStore() as store:
        retriever = retriever_of(store)
        ids = [
            retriever.collection.add(Document(text, title=title, url=url)).id
            for text, title, url in ((HARBOUR, 'The harbour', 'The harbour.pdf'), (CHRONICLE, 'The years so far', ''))
        ]
        for places in (['The harbour.pdf', 'The years so far'], ['The years so far', ids[0]], [' '.join(ids)]):
            found = await retriever.search('fires', source_urls=places)
            assert found.figures['documents'] == 2, places
        assert (await retriever.search('fires', source_urls='The harbour.pdf')).source_ids == (ids[0],)


async def test_pages_are_fetched_at_the_same_time_and_never_twice() -> None:
    with site() as web, asking(web) as retriever:
        web.pause = 0.1
        pages = [web.url(path) for path in ('/guide/', '/guide/#bays', '/valley', '/partners', '/guide/')]
        found = await retriever.answer(pages, 'bays', research_mode='fast')
        assert found.figures['pages'] == 3
        assert web.concurrent_max == 2
        assert len(web.hits) == len(set(web.hits)) == 4  # and the robots.txt


async def test_a_deadline_leaves_what_there_is() -> None:
    with site() as web, asking(web) as retriever:
        web.slow(1.2)
        told = list[Progress]()
        call = RequestOptions(on_progress=told.append, deadline=Deadline(1.6))
        pages = [web.url('/guide/gallery'), web.url('/slow')]
        found = await retriever.answer(pages, 'Who opened all gates by hand?', options=call)
    assert not found.is_error
    assert 'Maud Ferrin and Joss Alder' in found.text
    assert (found.figures['partial'], found.figures['stop_reason']) == (True, 'deadline')
    assert heads(found.text)[0] == 'PARTIAL'
    assert [each.phase for each in told if each.phase == 'assemble']


async def test_the_failures_of_all_pages_are_told_though_the_time_is_over() -> None:
    with site() as web, asking(web) as retriever:
        web.slow(1.2)
        pages = [web.url('/gone'), web.url('/slow')]
        found = await retriever.answer(pages, 'bays', options=RequestOptions(deadline=Deadline(1.2)))
    assert found.is_error
    assert [found.text.splitlines()[0], 'HTTP 404' in found.text] == ['[ERROR] fetch failed', True]


async def test_a_search_in_haste_is_told_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    async def wait(*_: object, **__: object) -> None:
        await anyio.sleep_forever()

    monkeypatch.setattr('summarizer_tool.service.retrieval.search', wait)
    with SourceStore() as store:
        retriever = retriever_of(store)
        source = retriever.collection.add(Document(HARBOUR))
        for found in (
            await retriever.search('fire', options=RequestOptions(deadline=Deadline(0.05, grace=0))),
            await retriever.answer(source.id, 'fire', options=RequestOptions(deadline=Deadline(0.1, grace=0.1))),
        ):
            assert found.is_error
            assert found.text.startswith('[ERROR] timeout')


async def test_collections_are_apart() -> None:
    with SourceStore() as store:
        mine, other = retriever_of(store, 'mine'), retriever_of(store, 'other')
        source = mine.collection.add(Document(HARBOUR, url='https://marn.example/harbour'))
        other.collection.add(Document(chronicle(2)))

        async def asked(retriever: Retriever) -> list[EvidenceBrief]:
            return [
                await retriever.search('Ada Brook'),
                await retriever.search('Ada Brook', source_ids=source.id),
                await retriever.search('Ada Brook', source_urls=source.url),
                await retriever.answer((), 'Who founded the Tide Guild?', research_mode='fast'),
                await retriever.answer(source.id, 'Who founded the Tide Guild?'),
                await retriever.status(),
                await retriever.status(source.url),
            ]

        assert [found.is_error for found in await asked(mine)] == [False] * 7
        others = await asked(other)
    assert [found.is_error for found in others] == [False, True, True, False, True, False, True]
    assert not [found for found in others if 'Ada Brook founded' in found.text or 'Harbour' in found.text]


async def test_a_store_that_fails_is_told_and_a_wrong_setting_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise StoreError('the disk is full')

    with SourceStore() as store:
        retriever = retriever_of(store)
        monkeypatch.setattr(Collection, 'totals', fail)
        status = await retriever.status()
        assert status.is_error
        assert status.text.splitlines()[:3] == ['[ERROR] failed', '', 'Detail: the disk is full']

        def misconfigured(*_: object) -> None:
            raise ConfigurationError('EMBEDDING_MODEL=x is unknown')

        monkeypatch.setattr(Collection, 'totals', misconfigured)
        with pytest.raises(ConfigurationError, match='EMBEDDING_MODEL'):
            await retriever.status()


async def test_a_page_of_somebody_else_is_not_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    with site() as web:
        other = Site(web.canary.host, {})
        with asking(other) as retriever:
            found = await retriever.answer(web.url('/guide/'), 'bays')
            assert found.is_error
            assert web.hits == []
            free = Settings.load(fetch_allow_hosts=f'{web.host},{web.canary.host}', fetch_respect_robots=False)
        with asking(web, fetch_allow_hosts=free.fetch_allow_hosts, fetch_respect_robots=False) as retriever:
            found = await retriever.answer(web.url('/guide/draft'), 'What does the refit cost?', research_mode='fast')
            assert '31 million crowns' in found.text
            assert web.hits == ['/guide/draft']


async def test_sources_without_a_word_of_the_question_are_shown_as_they_begin() -> None:
    with SourceStore() as store:
        retriever = retriever_of(store)
        source = retriever.collection.add(Document(chronicle(600)))
        found = await retriever.search('xylophones', source_ids=source.id, max_tokens=800)
        assert 'No passage has any word of the question; the sources are shown as they begin.' in found.text
        assert (found.figures['hits'], found.is_error) == (20, False)
        assert section(found.text, 'EVIDENCE').splitlines()[1].startswith('[E1] source 1 · lines 3-7 · ')
        assert '[NO RESULTS]' in (await retriever.search('xylophones', max_tokens=800)).text


async def test_a_brief_is_filled_unless_a_number_of_passages_was_asked_for() -> None:
    with SourceStore() as store:
        retriever = retriever_of(store)
        told = '\n\n'.join(f'Then boat {n} of the fleet came home, {n} days late, and was tied up.' for n in range(400))
        retriever.collection.add(Document(f'The admiral spoke of the lighthouse.\n\n{told}'))
        few = await retriever.search('lighthouse', top_k=1, max_tokens=1500)
        many = await retriever.search('lighthouse', max_tokens=1500)
        assert few.tokens < 650 < 1000 < many.tokens <= 1500


async def test_sources_are_named_as_people_name_them() -> None:
    with SourceStore() as store:
        retriever = retriever_of(store)
        note = retriever.collection.add(Document('A note on salt.', title='notes.md'))
        page = retriever.collection.add(Document('A page of pepper.', title='Pepper', url='http://pepper.example/a'))
        file = retriever.collection.add(Document('A file of mace.', title='Mace', url='04-mace.md'))
        for place, source in (
            ('04-mace.md', file),
            ('spices/04-mace.md', file),
            ('notes.md', note),
            ('./docs/notes.md', note),
            ('file:///tmp/notes.md', note),
            ('https://pepper.example/a', page),
        ):
            assert (await retriever.status(place)).source_ids == (source.id,)
        assert (await retriever.search('pepper', source_urls='https://pepper.example/a')).source_ids == (page.id,)


async def test_a_number_of_passages_that_was_not_needed_is_told() -> None:
    with SourceStore() as store:
        retriever = retriever_of(store)
        retriever.collection.add(Document('A note on salt.', title='Salt'))
        for top_k in (0, 2):
            found = await retriever.search('salt', top_k=top_k)
            assert ('top_k was not used' in section(found.text, 'NOTICE')) is (top_k > 0)


async def test_many_sources_are_not_shown_whole_unless_they_are_named() -> None:
    with SourceStore() as store:
        retriever = retriever_of(store)
        added = [retriever.collection.add(Document(f'Note {number} on salt.')).id for number in range(MAX_WHOLE)]
        assert (await retriever.search('salt', top_k=2)).figures['full_context']
        retriever.collection.add(Document('A last note on salt.'))
        found = await retriever.search('salt', top_k=2)
        assert (found.figures['full_context'], found.figures['hits']) == (False, 2)
        assert (await retriever.search('salt', top_k=2, source_ids=added)).figures['full_context']


async def test_constraints_are_one_or_several() -> None:
    with SourceStore() as store:
        retriever = retriever_of(store)
        source = retriever.collection.add(Document('A note on salt.', title='Salt'))
        for constraints in ('site:salt.example', ['site:salt.example', 'not before 2019']):
            found = await retriever.answer(source.id, 'salt', constraints=constraints)
            assert 'A note on salt.' in found.text
        found = await retriever.answer(source.id, 'salt', constraints='only salt.example')
        assert 'constraints name salt.example without `site:`' in found.text


ARABIC = 'بنى البرج المهندس سالم الحداد في سنة ١٨٧٤ من حجر أبيض جلبه من الجبل.'


CHINESE = '钟楼由工程师李明于1874年建造，用的是从山上运来的白石。'


@pytest.mark.parametrize(
    ('question', 'answer', 'other'),
    [
        ('من بنى البرج؟', ARABIC, 'في اليوم {} من الشهر وصل القارب إلى المرسى وحمل معه صناديق من الملح والسمك والخبز.'),
        ('谁建造了钟楼？', CHINESE, '第{}天，船到达码头，运来了盐、鱼和面包，岛上的人都来帮忙搬运货物。'),
    ],
)
async def test_questions_in_other_scripts_get_their_quote(question: str, answer: str, other: str) -> None:
    lines = [other.format(number) for number in range(80)]
    with SourceStore() as store:
        retriever = retriever_of(store)
        retriever.collection.add(Document('\n\n'.join([*lines[:40], answer, *lines[40:]])))
        found = await retriever.search(question, max_tokens=1500)
    assert section(found.text, 'CITATIONS').splitlines()[1].endswith(f' · line 81 · "{answer}"')
