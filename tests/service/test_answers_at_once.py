"""Answers of one time: what they share, and what none takes from another."""

import re
import textwrap
import threading
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeVar

import anyio
import pytest
from inline_snapshot import snapshot

from summarizer_tool import ReadSourceRequest, Service, Settings, SourceStore, Summarizer, SummarizeRequest
from summarizer_tool.documents import reading
from summarizer_tool.formats import reading as formats
from summarizer_tool.runtime.executors import LIGHT_CHARACTERS, THREADS
from tests.support.asked_site import asking
from tests.support.site import site
from tests.support.texts import CHRONICLE

pytestmark = pytest.mark.anyio


T = TypeVar('T')


async def all_of(*asked: Callable[[], Awaitable[T]]) -> list[T]:
    """What several calls give that are made at once, in their order."""
    found: dict[int, T] = {}

    async def ask(number: int) -> None:
        found[number] = await asked[number]()

    async with anyio.create_task_group() as group:
        for number in range(len(asked)):
            group.start_soon(ask, number)
    return [found[number] for number in range(len(asked))]


async def test_answers_of_one_time_fetch_a_page_once() -> None:
    with site() as web, asking(web) as retriever, asking(web) as other:
        web.pause = 0.05
        guide = partial(retriever.answer, query='bays with a turbine', research_mode='fast')
        spelled = (web.url('/guide/'), web.url('/guide/#bays'), web.url('/guide/?utm_source=mail'), web.url('/guide/'))
        found = await all_of(*(partial(guide, place) for place in spelled))
        # Whichever comes first fetches it, as it spells it.
        assert sorted(hit.partition('?')[0] for hit in web.hits) == ['/guide/', '/robots.txt']
        assert web.concurrent_max == 1
        assert sorted(re.findall(r'\+\d+ passages|stored before', '\n'.join(each.text for each in found))) == snapshot(
            ['+4 passages', 'stored before', 'stored before', 'stored before']
        )
        assert len({each.source_ids for each in found}) == 1
        # Another collection has pages of its own, but may know the same robots.txt.
        web.hits.clear()
        place, question = web.url('/valley'), 'Whose name is on the toll house?'
        found = await all_of(*(partial(each.answer, place, question) for each in (retriever, other)))
        assert [each.collection.at(place) is not None for each in (retriever, other)] == [True, True]
        assert ['Perrin Oake' in each.text for each in found] == [True, True]
        assert web.hits.count('/valley') == 2
        assert '/robots.txt' not in web.hits


async def test_answers_of_one_time_share_a_failure() -> None:
    with site() as web, asking(web) as retriever:
        web.pause = 0.05
        ask = partial(retriever.answer, web.url('/gone'), 'bays')
        found = await all_of(ask, ask, ask)
    assert web.hits == ['/robots.txt', '/gone']
    assert ['HTTP 404' in each.text for each in found] == [True] * 3


async def test_an_answer_that_is_cancelled_takes_nothing_from_the_others() -> None:
    with site() as web, asking(web) as retriever:
        web.slow(1.5)
        ask = partial(retriever.answer, web.url('/slow'), 'When is the highest tide?', research_mode='fast')

        scope = anyio.CancelScope()

        async def hurry() -> str:
            with scope:
                return (await ask()).text
            return 'cancelled'

        async def wait() -> str:
            return (await ask()).text

        async def cancel() -> str:
            with anyio.fail_after(30):
                while '/slow' not in web.hits:  # noqa: ASYNC110 - it is so in another thread
                    await anyio.sleep(0.01)
            scope.cancel()
            return ''

        hurried, waited, _ = await all_of(hurry, wait, cancel)
    assert hurried == 'cancelled'
    assert 'expected on the second of October' in waited
    assert web.hits.count('/slow') <= 2


async def test_a_text_that_two_answers_add_at_once_is_new_to_one() -> None:
    with site() as web, asking(web) as retriever:
        web.pause = 0.05
        web.replies['/copy'] = web.replies['/guide/gallery']
        places = (web.url('/copy'), web.url('/guide/gallery'))
        found = await all_of(*(partial(retriever.answer, place, 'flood', research_mode='fast') for place in places))
    assert sorted(re.findall(r'\+\d+ passages', '\n'.join(each.text for each in found))) == snapshot(
        ['+0 passages', '+3 passages']
    )


async def test_a_small_request_does_not_wait_for_the_reading_of_large_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    goes_on, plain_text, read = threading.Event(), formats.plain_text, reading.read

    def wait_where_large(text: str) -> None:
        if len(text) > LIGHT_CHARACTERS:
            goes_on.wait(20)

    monkeypatch.setattr(formats, 'plain_text', lambda text, name: wait_where_large(text) or plain_text(text, name))
    monkeypatch.setattr(reading, 'read', lambda given, *room: wait_where_large(given.text) or read(given, *room))
    with SourceStore() as store:
        service = Service(Summarizer(Settings.load(llm_model='extractive')), store.collection())
        goes_on.set()
        large = await service.summarize(SummarizeRequest(content='The barge left at dawn. ' * 2000))
        for ask in (
            lambda: service.summarize(SummarizeRequest(content='The ferry left at noon. ' * 2000)),
            lambda: service.read_source(ReadSourceRequest(source_id=large.source_ids[0])),
        ):
            goes_on.clear()
            async with anyio.create_task_group() as group:
                for _ in range(2 * THREADS):
                    group.start_soon(ask)
                await anyio.sleep(0.05)
                with anyio.fail_after(10):
                    reply = await service.summarize(SummarizeRequest(content='The gate opens at nine.'))
                goes_on.set()
            assert reply.text.startswith('The gate')


async def test_a_text_that_is_kept_as_it_is_is_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    plain_text = formats.plain_text
    monkeypatch.setattr(formats, 'plain_text', lambda text, name: seen.append(text) or plain_text(text, name))
    wrapped = '\n\n'.join(textwrap.fill(paragraph, 70) for paragraph in CHRONICLE.split('\n\n')[1:])
    with SourceStore() as store:
        service = Service(Summarizer(Settings.load(llm_model='extractive')), store.collection())
        for text in ('The gate opens at nine.', wrapped):
            once, again = [(await service.summarize(SummarizeRequest(content=text))).source_ids for _ in range(2)]
            assert once == again
    assert seen == ['The gate opens at nine.', wrapped, wrapped]
