"""Answers of one time: what they share, and what none takes from another."""

import textwrap
import threading
from collections.abc import Awaitable, Callable
from typing import TypeVar

import anyio
import pytest

from summarizer_tool import ReadSourceRequest, Service, Settings, SourceStore, Summarizer, SummarizeRequest
from summarizer_tool.documents import reading
from summarizer_tool.formats import reading as formats
from summarizer_tool.runtime.executors import LIGHT_CHARACTERS, THREADS
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
