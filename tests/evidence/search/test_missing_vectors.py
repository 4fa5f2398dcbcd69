"""What of a collection is embedded before a search, and what becomes of failures and of time that runs out."""

import anyio
import anyio.lowlevel
import pytest
from inline_snapshot import snapshot
from pydantic_ai.exceptions import ModelHTTPError

from summarizer_tool.errors import SummarizerError
from summarizer_tool.evidence.search import embedded_passages
from summarizer_tool.evidence.search.embedded_passages import EmbeddedPassages
from summarizer_tool.evidence.search.results import Query
from summarizer_tool.evidence.search.search import search
from summarizer_tool.settings import Settings
from summarizer_tool.store.collection import Collection
from tests.support.meaning import HARBOUR, TOWN, Meaning, blobs, embedded, many, nearest

pytestmark = pytest.mark.anyio


async def test_what_one_search_embeds_is_bounded(
    collection: Collection, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(embedded_passages, 'MAX_PASSAGES', 5)
    monkeypatch.setattr(embedded_passages, 'BATCH', 2)
    collection.add(many(8))
    collection.add(TOWN)
    model = Meaning()
    passages = embedded(model)

    _, warning = await passages.nearest(collection, ['ship'], (), 99)
    assert warning == snapshot('some passages have no vectors yet and are ranked by words alone; search again')
    assert [len(batch) for batch in model.documents] == [2, 2, 1]
    assert 'healer' in model.documents[0][0]  # what was stored last comes first
    assert [(record.message, vars(record)['embedded']) for record in caplog.records] == [(warning, 5)]
    [found], warning = await passages.nearest(collection, ['ship'], (), 99)
    assert (len(found), warning) == (8, '')
    assert len(caplog.records) == 1
    assert sum(map(len, model.documents)) == 9


async def test_requests_at_once_are_bounded(collection: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded_passages, 'BATCH', 1)
    collection.add(many(12))
    for most in (1, 3):
        model = Meaning(f'at most {most}')
        await nearest(embedded(model, max_concurrent_llm_calls=most), collection, ['ship'], (), 9)
        assert model.most_running == most


async def test_a_search_that_is_cancelled_keeps_what_is_paid_for(
    collection: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedded_passages, 'BATCH', 2)
    collection.add(many(6))
    model = Meaning()
    passages = embedded(model, max_concurrent_llm_calls=1)
    third = anyio.Event()

    async def hang(_: list[str]) -> None:
        if len(model.documents) == 3:
            third.set()
            await anyio.sleep_forever()

    model.before = hang
    async with anyio.create_task_group() as group:
        group.start_soon(passages.nearest, collection, ['ship'], (), 9)
        await third.wait()
        group.cancel_scope.cancel()
    assert len(blobs(collection)) == 4

    model.before = None
    [found] = await nearest(passages, collection, ['ship'], (), 9)
    assert len(found) == 6
    assert model.documents[-1] == model.documents[2]


async def test_there_is_no_waiting_for_a_model_that_hangs(
    collection: Collection, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(embedded_passages, 'BATCH', 1)
    collection.add(many(4))
    model = Meaning()
    passages = EmbeddedPassages.of(Settings.load(llm_timeout_seconds=0.3), model=model)
    assert passages is not None

    async def hang(sent: list[str]) -> None:
        if 'number1' in sent[0]:
            await anyio.sleep_forever()

    model.before = hang
    monkeypatch.setattr(embedded_passages, 'SECONDS', 0.3)
    [found], warning = await passages.nearest(collection, ['ship'], (), 9)
    assert len(found) == 3
    assert warning == '1 passages have no vectors yet (deadline) and are ranked by words alone; search again'

    async def hang_always(_: list[str]) -> None:
        await anyio.sleep_forever()

    model.before = hang_always
    with pytest.raises(SummarizerError, match='meaning as embedder: no answer in time'):
        await nearest(passages, collection, ['a new query'], (), 9)


async def test_a_failure_of_a_query_names_its_reason_and_no_content(
    collection: Collection, caplog: pytest.LogCaptureFixture
) -> None:
    collection.add(HARBOUR)
    model = Meaning()

    async def fail(_: list[str]) -> None:
        raise ModelHTTPError(503, 'meaning', body='vessel')

    model.before = fail
    with pytest.raises(SummarizerError) as caught:
        await nearest(embedded(model), collection, ['vessel'], (), 9)
    assert str(caught.value) == 'meaning as embedder: HTTP 503'
    assert 'vessel' not in caplog.text
    assert model.documents == []  # nothing else is sent to a model that does not answer


async def test_a_batch_that_fails_does_not_fail_the_search(
    collection: Collection, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(embedded_passages, 'BATCH', 2)
    collection.add(many(6))
    model = Meaning()
    passages = embedded(model)

    async def fail(sent: list[str]) -> None:
        if 'number3' in ' '.join(sent):
            raise ModelHTTPError(503, 'meaning', body='number3')

    model.before = fail
    found = await search(collection, Query('number ship'), similar=passages)
    assert (found.warnings, found.ranking) == snapshot(
        (('2 passages have no vectors yet (HTTP 503) and are ranked by words alone; search again',), 'bm25+embeddings')
    )
    [found] = await nearest(passages, collection, ['ship'], (), 9)
    assert len(found) == 4
    assert 'number3' not in caplog.text

    model.before = None
    [found] = await nearest(passages, collection, ['ship'], (), 9)
    assert len(found) == 6
