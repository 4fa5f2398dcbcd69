"""What becomes of an answer when its time is up."""

import anyio
import pytest
from inline_snapshot import snapshot

from summarizer_tool.evidence.answer.answering import RESERVED_SECONDS
from summarizer_tool.llm.options import RequestOptions
from summarizer_tool.runtime.deadline import Deadline
from summarizer_tool.store.source import Source
from tests.support.small_answers import PAGES, QUESTION, ask, trace
from tests.support.small_web import ORIGIN, leaf, web

pytestmark = pytest.mark.anyio


async def test_the_deadline_returns_what_there_is() -> None:
    small, deadline = web(PAGES), Deadline(3600)

    async def add_page(url: str) -> Source:
        if url.endswith('/guide/turbines'):
            deadline.bring_forward(0)
            await anyio.sleep(3600)
        return await small.add_page(url)

    answered = await ask(small, add_page=add_page, options=RequestOptions(deadline=deadline))
    assert trace(answered) == snapshot(
        [
            '0 d0 / 01',
            '1 d1 /guide 02',
            '2 d1 /news 07',
            '3 d2 /guide/turbines FAILED the deadline came before it was there; ask again, or give the call more time',
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

    async def add_page(url: str) -> Source:
        if url.endswith('/slow'):
            await quick_is_there.wait()
            deadline.bring_forward(0)
            await anyio.sleep(3600)
        added = await small.add_page(url)
        if url.endswith('/quick'):
            quick_is_there.set()
        return added

    answered = await ask(small, add_page=add_page, options=RequestOptions(deadline=deadline))
    assert [hit.passage.text for hit in answered.found.hits] == ['The runner of a Kaplan turbine has five blades.']
    assert [page.url for page in answered.failures] == [f'{ORIGIN}/slow']
    assert answered.stop_reason == 'deadline'


async def test_time_is_kept_for_what_follows() -> None:
    deadline = Deadline(3600)
    await ask(web(PAGES), research_mode='fast', options=RequestOptions(deadline=deadline))
    assert deadline.at - deadline.last_call == RESERVED_SECONDS


async def test_a_deadline_that_is_over() -> None:
    small = web(PAGES)
    answered = await ask(small, options=RequestOptions(deadline=Deadline(-1)))
    assert (answered.stop_reason, answered.is_partial, answered.found.hits) == ('deadline', True, ())
    assert answered.parts == (QUESTION,)
    assert small.fetched == []
