"""Passages are ranked by meaning: what is sent to the model, what is kept of it, and what becomes of failures."""

import json
import math
import struct
import sys
import threading
import zlib
from collections.abc import Awaitable, Callable, Generator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import anyio
import anyio.lowlevel
import logfire
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from inline_snapshot import snapshot
from logfire.testing import CaptureLogfire
from pydantic_ai import Agent
from pydantic_ai.embeddings import Embedder, EmbeddingModel, EmbeddingResult, EmbeddingSettings, TestEmbeddingModel
from pydantic_ai.embeddings.instrumented import InstrumentedEmbeddingModel
from pydantic_ai.embeddings.result import EmbedInputType
from pydantic_ai.exceptions import ModelHTTPError
from pydantic_ai.usage import RequestUsage

from summarizer_tool.documents.document import Document
from summarizer_tool.errors import ConfigurationError
from summarizer_tool.evidence.search import missing_vectors
from summarizer_tool.evidence.search.embedded_passages import EmbeddedPassages
from summarizer_tool.evidence.search.results import Query
from summarizer_tool.evidence.search.search import search
from summarizer_tool.llm.typed_query import UnansweredError
from summarizer_tool.runtime.concurrency_limits import ProcessLimiter
from summarizer_tool.settings import Settings
from summarizer_tool.store import vectors
from summarizer_tool.store.source_store import Collection, SourceStore

pytestmark = pytest.mark.anyio

SIZE = 64
SYNONYMS = {
    'vessel': 'boat', 'ship': 'boat', 'ferry': 'boat', 'sank': 'sink', 'foundered': 'sink', 'physician': 'doctor',
    'healer': 'doctor', 'illness': 'fever', 'sickness': 'fever', 'payment': 'wage', 'salary': 'wage', 'paid': 'wage',
}  # fmt: skip

HARBOUR = Document(
    '# Harbour\n\n## Losses\n\nThe ferry Marn foundered off the pier in the winter of 1871.\n\n'
    '## Crew\n\nDeckhands had a salary of nine crowns a month.\n',
    title='Harbour',
)
TOWN = Document('# Town\n\nThe healer Ada Brook kept the sickness out of the lower streets.\n', title='Town of Velm')


class Meaning(EmbeddingModel):
    """A model for which words of one meaning are one: a hashed bag of them."""

    def __init__(self, name: str = 'meaning', size: int = SIZE) -> None:
        super().__init__()
        self.name = name
        self.size = size
        self.sent: list[tuple[str, list[str]]] = []
        self.settings_seen: list[EmbeddingSettings | None] = []
        self.running = self.most_running = 0
        self.before: Callable[[list[str]], Awaitable[None]] | None = None

    @property
    def model_name(self) -> str:
        return self.name

    @property
    def system(self) -> str:
        return 'tests'

    async def embed(
        self, inputs: str | Sequence[str], *, input_type: EmbedInputType, settings: EmbeddingSettings | None = None
    ) -> EmbeddingResult:
        texts, settings = self.prepare_embed(inputs, settings)
        self.sent.append((input_type, texts))
        self.settings_seen.append(settings)
        self.running += 1
        self.most_running = max(self.most_running, self.running)
        try:
            await anyio.lowlevel.checkpoint()
            if self.before:
                await self.before(texts)
        finally:
            self.running -= 1
        return EmbeddingResult(
            embeddings=[self.vector(text) for text in texts],
            inputs=texts,
            input_type=input_type,
            model_name=self.name,
            provider_name=self.system,
            usage=RequestUsage(input_tokens=len(texts)),
        )

    def vector(self, text: str) -> list[float]:
        numbers = [0.0] * self.size
        for word in text.lower().replace('.', ' ').replace('?', ' ').split():
            if len(word) > 3:
                numbers[zlib.crc32(SYNONYMS.get(word, word).encode()) % self.size] += 3.0
        return numbers

    @property
    def documents(self) -> list[list[str]]:
        return [texts for kind, texts in self.sent if kind == 'document']


@pytest.fixture
def collection() -> Generator[Collection]:
    with SourceStore() as store:
        yield store.collection('a')


def embedded(model: EmbeddingModel, **settings: object) -> EmbeddedPassages:
    made = EmbeddedPassages.of(Settings.load(llm_timeout_seconds=5, **settings), model=model)
    assert made is not None
    return made


async def nearest(
    passages: EmbeddedPassages, collection: Collection, queries: Sequence[str], source_ids: Sequence[str], limit: int
) -> list[list[int]]:
    return (await passages.nearest(collection, queries, source_ids, limit)).rankings


def texts(collection: Collection, found: list[list[int]]) -> list[list[str]]:
    return [[passage.text for passage in collection.passages(ids)] for ids in found]


def many(count: int) -> Document:
    return Document(''.join(f'## Part {number}\n\nvessel number{number} sank\n\n' for number in range(count)))


def blobs(collection: Collection) -> list[tuple[str, int, bytes]]:
    with collection.database.read() as db:
        return db.execute('SELECT model, passage, vector FROM vectors ORDER BY model, passage').fetchall()


async def test_what_is_meant_is_found_whatever_the_words(collection: Collection) -> None:
    collection.add(HARBOUR)
    collection.add(TOWN)
    passages = embedded(Meaning())

    found = await nearest(passages, collection, ['Which vessel sank?', 'the physician and the illness', 'paid'], (), 1)

    assert texts(collection, found) == snapshot(
        [
            ['The ferry Marn foundered off the pier in the winter of 1871.'],
            ['The healer Ada Brook kept the sickness out of the lower streets.'],
            ['Deckhands had a salary of nine crowns a month.'],
        ]
    )


async def test_a_search_finds_what_is_meant_and_goes_on_without_the_model(collection: Collection) -> None:
    collection.add(HARBOUR)
    collection.add(TOWN)
    model = Meaning()
    passages = embedded(model)
    query = Query('Any physicians, or a physician for an illness?')

    assert (await search(collection, query)).hits == ()
    found = await search(collection, query, similar=passages)
    assert found.hits[0].passage.text == 'The healer Ada Brook kept the sickness out of the lower streets.'
    assert (found.ranking, found.warnings) == ('bm25+embeddings', ())

    async def fail(_: list[str]) -> None:
        raise ModelHTTPError(500, 'meaning', body='physician')

    model.before = fail
    found = await search(collection, Query('the healer'), similar=passages)
    assert 'healer' in found.hits[0].passage.text
    assert found.ranking == 'bm25'
    assert found.warnings == ('ranking by meaning failed: meaning as embedder: HTTP 500',)


async def test_what_is_sent(collection: Collection) -> None:
    collection.add(TOWN)
    collection.add(HARBOUR)
    model = Meaning()

    await nearest(embedded(model), collection, ['Which vessel sank?', ' ', 'Which vessel sank?'], (), 3)

    assert model.sent == snapshot(
        [
            ('query', ['Which vessel sank?']),
            (
                'document',
                [
                    """\
Harbour > Crew
Deckhands had a salary of nine crowns a month.\
""",
                    """\
Harbour > Losses
The ferry Marn foundered off the pier in the winter of 1871.\
""",
                    """\
Town of Velm > Town
The healer Ada Brook kept the sickness out of the lower streets.\
""",
                ],
            ),
        ]
    )
    assert model.settings_seen[0] == {'truncate': True}


async def test_a_blank_query_finds_nothing_and_costs_nothing(collection: Collection) -> None:
    collection.add(HARBOUR)
    model = Meaning()
    passages = embedded(model)

    assert await nearest(passages, collection, ['', ' \n'], (), 3) == [[], []]
    assert await nearest(passages, collection, [], (), 3) == []
    assert await nearest(passages, collection, ['vessel'], (), 0) == [[]]
    assert model.sent == []
    found = await nearest(passages, collection, ['vessel', '', 'vessel'], (), 3)
    assert found[0] == found[2] != []
    assert found[1] == []


async def test_an_empty_collection_finds_nothing(collection: Collection) -> None:
    assert await nearest(embedded(Meaning()), collection, ['vessel'], (), 3) == [[]]
    assert await nearest(embedded(Meaning()), collection, ['vessel'], ['src_000000000000'], 3) == [[]]


async def test_nothing_is_paid_for_twice(tmp_path: Path) -> None:
    path = tmp_path / 'store.db'
    model = Meaning()
    with SourceStore(path) as store:
        passages = embedded(model)
        collection = store.collection('a')
        collection.add(HARBOUR)
        first = await nearest(passages, collection, ['vessel'], (), 9)
        assert await nearest(passages, collection, ['vessel'], (), 9) == first
        assert [kind for kind, _ in model.sent] == ['query', 'document']

        collection.add(TOWN)
        await nearest(passages, collection, ['vessel'], (), 9)
        assert model.documents[1:] == [
            ['Town of Velm > Town\nThe healer Ada Brook kept the sickness out of the lower streets.']
        ]

    with SourceStore(path) as store:  # another process
        again = Meaning()
        await nearest(embedded(again), store.collection('a'), ['vessel'], (), 9)
        assert [kind for kind, _ in again.sent] == ['query']


async def test_equal_texts_are_sent_once(collection: Collection) -> None:
    for name in ('one', 'two', 'three'):
        collection.add(Document(f'Page {name} on boats.\n\n## Terms\n\nAll wages are paid in crowns.\n'))
    model = Meaning()
    found = await nearest(embedded(model), collection, ['salary'], (), 9)

    [sent] = model.documents
    assert sent.count('Terms\nAll wages are paid in crowns.') == 1
    assert len(sent) == 4
    assert texts(collection, found) == [['All wages are paid in crowns.'] * 3]


async def test_a_search_stays_in_its_sources_and_its_collection(collection: Collection) -> None:
    harbour, town = collection.add(HARBOUR), collection.add(TOWN)
    model = Meaning()
    passages = embedded(model)

    assert texts(collection, await nearest(passages, collection, ['physician'], [harbour.id], 9)) == [[]]
    assert len(model.documents) == 1
    assert 'healer' not in str(model.documents)
    [found] = texts(collection, await nearest(passages, collection, ['physician'], [harbour.id, town.id], 9))
    assert found == ['The healer Ada Brook kept the sickness out of the lower streets.']

    other = Collection(collection.database, 'b')
    assert await nearest(passages, other, ['physician'], (), 9) == [[]]
    assert await nearest(passages, other, ['physician'], [town.id], 9) == [[]]
    other.add(Document('A physician of another owner.'))
    [[mine]] = texts(other, await nearest(passages, other, ['physician'], (), 9))
    assert mine == 'A physician of another owner.'
    assert texts(collection, await nearest(passages, collection, ['physician'], (), 9)) == [found]


async def test_vectors_are_kept_as_normalised_floats(collection: Collection) -> None:
    collection.add(TOWN)
    await nearest(embedded(Meaning(size=8)), collection, ['doctor'], (), 9)

    [(model, _, blob)] = blobs(collection)
    numbers = struct.unpack('<8f', blob)
    assert model.startswith('tests:meaning ')
    assert math.isclose(sum(number**2 for number in numbers), 1, rel_tol=1e-6)
    [[row]] = [vectors.normalised([Meaning(size=8).vector('Town of Velm > Town\n' + TOWN.text.split('\n')[2])])]
    assert numbers == tuple(float(number) for number in row)


async def test_each_model_has_its_own_vectors(collection: Collection) -> None:
    collection.add(HARBOUR)
    first, second = Meaning('first'), Meaning('second')
    await nearest(embedded(first), collection, ['vessel'], (), 9)
    found = await nearest(embedded(second), collection, ['vessel'], (), 9)
    assert len(second.documents) == 1
    assert len(blobs(collection)) == 4

    back = Meaning('first')
    assert await nearest(embedded(back), collection, ['vessel'], (), 9) == found
    assert back.documents == []


async def test_a_model_whose_vectors_change_their_size_is_another_one(collection: Collection) -> None:
    collection.add(HARBOUR)
    model = Meaning()
    passages = embedded(model)
    first = await nearest(passages, collection, ['vessel'], (), 9)
    model.size = 128
    collection.add(TOWN)

    # The query's vector is remembered, and cannot be compared with the new ones: they are left out for once.
    assert await nearest(passages, collection, ['vessel'], (), 9) == first
    [found] = await nearest(passages, collection, ['vessel'], (), 9)
    assert found[0] == first[0][0]
    assert [kind for kind, _ in model.sent] == ['query', 'document', 'document', 'query', 'document']
    assert len(model.documents[-1]) == 3


async def test_vectors_go_with_their_source(collection: Collection) -> None:
    with SourceStore(max_mb=0.0003) as store:
        small = store.collection('a')
        small.add(HARBOUR)
        passages = embedded(model := Meaning())
        await nearest(passages, small, ['vessel'], (), 9)
        assert len(blobs(small)) == 2
        small.add(Document('x ' * 140))
        assert not small.has(HARBOUR.id)
        assert blobs(small) == []

        async def evict(_: list[str]) -> None:
            small.add(HARBOUR)

        model.before = evict
        await nearest(passages, small, ['vessel'], (), 9)  # what is evicted while it is embedded is not written
        assert blobs(small) == []


async def test_what_one_search_embeds_is_bounded(
    collection: Collection, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(missing_vectors, 'MAX_PASSAGES', 5)
    monkeypatch.setattr(missing_vectors, 'BATCH', 2)
    collection.add(many(8))
    collection.add(TOWN)
    model = Meaning()
    passages = embedded(model)

    first = await passages.nearest(collection, ['ship'], (), 99)
    assert first.warning == snapshot(
        '5 passages were embedded for this search; the others that have no vectors yet are ranked by words alone; search again'
    )
    assert [len(batch) for batch in model.documents] == [2, 2, 1]
    assert 'healer' in model.documents[0][0]  # what was stored last comes first
    assert [(record.message, vars(record)['embedded'], vars(record)['are_more']) for record in caplog.records] == [
        ('some passages are ranked by words alone, as they have no vectors yet', 5, True)
    ]
    rest = await passages.nearest(collection, ['ship'], (), 99)
    assert (len(rest.rankings[0]), rest.warning) == (8, '')
    assert len(caplog.records) == 1
    assert sum(map(len, model.documents)) == 9


async def test_requests_at_once_are_bounded(collection: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(missing_vectors, 'BATCH', 1)
    collection.add(many(12))
    for most in (1, 3):
        model = Meaning(f'at most {most}')
        await nearest(embedded(model, max_concurrent_llm_calls=most), collection, ['ship'], (), 9)
        assert model.most_running == most

    model = Meaning('shared')
    limiter = ProcessLimiter(2)
    passages = EmbeddedPassages.of(Settings.load(max_concurrent_llm_calls=9), model=model, limiter=limiter)
    assert passages is not None
    await nearest(passages, collection, ['ship'], (), 9)
    assert model.most_running == 2


async def test_searches_at_once_pay_once(collection: Collection) -> None:
    collection.add(many(6))
    model = Meaning()
    passages = embedded(model)
    found: list[list[list[int]]] = []

    async def search(query: str) -> None:
        found.append(await nearest(passages, collection, [query], (), 99))

    async with anyio.create_task_group() as group:
        for query in ('ship', 'ferry', 'vessel'):
            group.start_soon(search, query)
    assert sum(map(len, model.documents)) == 6
    assert [len(ids) for [ids] in found] == [6, 6, 6]


async def test_a_search_that_is_cancelled_keeps_what_is_paid_for(
    collection: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(missing_vectors, 'BATCH', 2)
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
    assert model.documents[3] == model.documents[2]


async def test_there_is_no_waiting_for_a_model_that_hangs(
    collection: Collection, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(missing_vectors, 'BATCH', 1)
    collection.add(many(4))
    model = Meaning()
    passages = EmbeddedPassages.of(Settings.load(llm_timeout_seconds=0.3), model=model)
    assert passages is not None

    async def hang(sent: list[str]) -> None:
        if 'number1' in sent[0]:
            await anyio.sleep_forever()

    model.before = hang
    monkeypatch.setattr(missing_vectors, 'START_SECONDS', 0.0)
    [found] = await nearest(passages, collection, ['ship'], (), 9)
    assert len(found) < 4
    assert vars(caplog.records[-1])['reasons'] == ['deadline']

    monkeypatch.setattr(missing_vectors, 'START_SECONDS', 0.3)
    [found] = await nearest(passages, collection, ['ship'], (), 9)
    assert len(found) == 3

    async def hang_always(_: list[str]) -> None:
        await anyio.sleep_forever()

    model.before = hang_always
    with pytest.raises(UnansweredError, match='meaning as embedder: no answer in time'):
        await nearest(passages, collection, ['a new query'], (), 9)


async def test_a_failure_of_a_query_names_its_reason_and_no_content(
    collection: Collection, caplog: pytest.LogCaptureFixture
) -> None:
    collection.add(HARBOUR)
    model = Meaning()

    async def fail(_: list[str]) -> None:
        raise ModelHTTPError(503, 'meaning', body='vessel')

    model.before = fail
    with pytest.raises(UnansweredError) as caught:
        await nearest(embedded(model), collection, ['vessel'], (), 9)
    assert str(caught.value) == 'meaning as embedder: HTTP 503'
    assert 'vessel' not in caplog.text
    assert model.documents == []  # nothing else is sent to a model that does not answer


async def test_a_batch_that_fails_does_not_fail_the_search(
    collection: Collection, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(missing_vectors, 'BATCH', 2)
    collection.add(many(6))
    model = Meaning()
    passages = embedded(model)

    async def fail(sent: list[str]) -> None:
        if 'number3' in ' '.join(sent):
            raise ModelHTTPError(503, 'meaning', body='number3')

    model.before = fail
    found = await search(collection, Query('number ship'), similar=passages)
    assert (found.warnings, found.ranking) == snapshot(
        (('2 passages have no vectors (HTTP 503) and are ranked by words alone; search again',), 'bm25+embeddings')
    )
    [found] = await nearest(passages, collection, ['ship'], (), 9)
    assert len(found) == 4
    assert {(vars(record)['failed'], *vars(record)['reasons']) for record in caplog.records} == {(2, 'HTTP 503')}
    assert 'number3' not in caplog.text

    model.before = None
    [found] = await nearest(passages, collection, ['ship'], (), 9)
    assert len(found) == 6


async def test_a_text_that_the_model_refuses_is_left_out_alone(
    collection: Collection, caplog: pytest.LogCaptureFixture
) -> None:
    collection.add(many(9))
    model = Meaning()
    passages = embedded(model)

    async def refuse(sent: list[str]) -> None:
        if len(sent) > 4 or 'number3' in ' '.join(sent):
            raise ModelHTTPError(413, 'meaning')

    model.before = refuse
    [found] = await nearest(passages, collection, ['ship'], (), 9)
    assert len(found) == 8
    assert vars(caplog.records[-1])['failed'] == 1

    sent = len(model.sent)
    again = await passages.nearest(collection, ['ship'], (), 9)
    assert (len(again.rankings[0]), len(model.sent), len(caplog.records)) == (8, sent, 1)  # it is not sent again
    assert again.warning == '1 passages, which the embedding model refuses, are ranked by words alone'


async def test_a_wrong_key_is_tried_once(collection: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(missing_vectors, 'BATCH', 1)
    collection.add(many(6))
    model = Meaning()

    async def fail(sent: list[str]) -> None:
        if 'ship' not in sent:
            raise ModelHTTPError(402, 'meaning')

    model.before = fail
    assert await nearest(embedded(model, max_concurrent_llm_calls=1), collection, ['ship'], (), 9) == [[]]
    assert len(model.documents) == 1


@pytest.mark.parametrize(
    'wrong', [[], [[1.0, 2.0], [1.0, 2.0]], [[math.nan, 1.0]], [[]], [[math.inf, 0.0]], [[1.0], [1.0, 2.0]]]
)
async def test_what_is_no_vector_is_a_failure(collection: Collection, wrong: list[list[float]]) -> None:
    class Wrong(TestEmbeddingModel):
        async def embed(
            self, inputs: str | Sequence[str], *, input_type: EmbedInputType, settings: EmbeddingSettings | None = None
        ) -> EmbeddingResult:
            result = await super().embed(inputs, input_type=input_type, settings=settings)
            result.embeddings = wrong
            return result

    collection.add(HARBOUR)
    with pytest.raises(UnansweredError, match='test as embedder: ValueError'):
        await nearest(embedded(Wrong()), collection, ['vessel'], (), 9)


async def test_equal_passages_come_in_the_order_of_their_ids(
    collection: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors, 'BLOCK_BYTES', 3 * 4 * 8)
    collection.add(many(11))
    passages = embedded(TestEmbeddingModel())

    [found] = await nearest(passages, collection, ['anything'], (), 7)
    assert found == sorted(found)
    assert [passage.number for passage in collection.passages(found)] == [1, 2, 3, 4, 5, 6, 7]
    # One request for the query, one for the passages; pydantic-ai's test model says what they took.
    assert (passages.usage.requests, passages.usage.input_tokens > 0) == (2, True)


@hypothesis_settings(max_examples=40)
@given(
    st.lists(st.tuples(st.integers(0, 2), st.lists(st.integers(-3, 3), min_size=4, max_size=4)), max_size=30),
    st.lists(st.lists(st.integers(-3, 3), min_size=4, max_size=4), min_size=1, max_size=3),
    st.sets(st.integers(0, 2)),
    st.integers(1, 12),
    st.integers(1, 7),
)
def test_the_nearest_are_exact_in_blocks_of_any_size(
    rows: list[tuple[int, list[int]]], queries: list[list[int]], chosen: set[int], limit: int, block: int
) -> None:
    with SourceStore() as store, pytest.MonkeyPatch.context() as patch:
        patch.setattr(vectors, 'BLOCK_BYTES', block * 16)
        collection = store.collection('a')
        kept = vectors.Vectors(collection.database, 'a', 'm')
        sources = [collection.add(many_of(source, [row for row in rows if row[0] == source])) for source in range(3)]
        numbers: dict[int, list[int]] = {}
        for source in sources:
            own = [row for at, row in rows if sources[at].id == source.id]
            places = sorted(kept.missing([source.id], 99), key=lambda place: place.id)[: len(own)]
            if own:
                kept.keep(places, vectors.normalised(own))
            numbers |= {place.id: row for place, row in zip(places, own, strict=True)}
        asked = [sources[at].id for at in chosen]
        found = kept.nearest(vectors.normalised(queries), asked, limit)

        allowed = {
            passage.id
            for at, source in enumerate(sources)
            if at in chosen or not chosen
            for passage in collection.passages_of(source.id)
        }
        for query, ids in zip(queries, found, strict=True):
            scored = {passage: cosine(query, row) for passage, row in numbers.items() if passage in allowed}
            expected = sorted((place for place, score in scored.items() if score > 1e-6), key=lambda i: (-scored[i], i))
            assert [round(scored[i], 5) for i in ids] == [round(scored[i], 5) for i in expected[:limit]]
            assert len(set(ids)) == len(ids)


def many_of(source: int, rows: list[tuple[int, list[int]]]) -> Document:
    return Document(''.join(f'## Part {number}\n\nsource{source} text\n\n' for number in range(len(rows) + 1)))


def cosine(one: Sequence[float], other: Sequence[float]) -> float:
    lengths = math.hypot(*one) * math.hypot(*other)
    return sum(a * b for a, b in zip(one, other, strict=True)) / lengths if lengths else 0.0


# Which model.


def test_without_a_model_there_is_no_ranking_by_meaning() -> None:
    assert EmbeddedPassages.of(Settings.load()) is None
    assert EmbeddedPassages.of(Settings.load(embedding_model='  ')) is None


def test_a_mistake_shows_at_start_up(monkeypatch: pytest.MonkeyPatch) -> None:
    for package in ('sentence_transformers', 'cohere'):
        monkeypatch.setitem(sys.modules, package, None)

    def problem(name: str) -> str:
        with pytest.raises(ConfigurationError) as caught:
            EmbeddedPassages.of(Settings.load(embedding_model=name))
        return str(caught.value)

    assert [
        problem('openai:text-embedding-3-small'),
        problem('openai/text-embedding-3-small'),
        problem('text-embedding-3-small'),
        problem('opnai:text-embedding-3-small'),
        problem('sk-proj-123'),
        problem('ollama:nomic-embed-text'),
        problem('sentence-transformers:all-MiniLM-L6-v2'),
        problem('cohere:embed-v4.0'),
    ] == snapshot(
        [
            'SUMMARIZER_EMBEDDING_MODEL=openai:text-embedding-3-small: Set the OPENAI_API_KEY environment variable',
            'SUMMARIZER_EMBEDDING_MODEL=openai/text-embedding-3-small goes to OpenRouter: set OPENROUTER_API_KEY, or OPENROUTER_BASE_URL for an endpoint that needs no key, or leave it unset to rank by words alone',
            'SUMMARIZER_EMBEDDING_MODEL=text-embedding-3-small: no such model; give provider:model (openai:text-embedding-3-small) or an OpenRouter model (openai/text-embedding-3-small)',
            'SUMMARIZER_EMBEDDING_MODEL=opnai:text-embedding-3-small: no such model; give provider:model (openai:text-embedding-3-small) or an OpenRouter model (openai/text-embedding-3-small)',
            'SUMMARIZER_EMBEDDING_MODEL looks like an API key, not like a model: name the model there, and put the key into its own variable, e.g. OPENROUTER_API_KEY',
            'SUMMARIZER_EMBEDDING_MODEL=ollama:nomic-embed-text: Set the OLLAMA_BASE_URL environment variable',
            'SUMMARIZER_EMBEDDING_MODEL=sentence-transformers:all-MiniLM-L6-v2 needs a package that is not installed: pip install "pydantic-ai-slim[sentence-transformers]"',
            'SUMMARIZER_EMBEDDING_MODEL=cohere:embed-v4.0 needs a package that is not installed: pip install "pydantic-ai-slim[cohere]"',
        ]
    )
    monkeypatch.setitem(sys.modules, 'numpy', None)
    assert problem('openai:text-embedding-3-small') == snapshot(
        'SUMMARIZER_EMBEDDING_MODEL needs numpy, which is not installed: pip install "summarizer-tool[embeddings]"'
    )


def test_models_that_can_be_built(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('OPENAI_API_KEY', 'sk-secret')
    monkeypatch.setenv('OLLAMA_BASE_URL', 'http://127.0.0.1:11434/v1')
    for settings in (
        Settings.load(embedding_model='openai:text-embedding-3-small'),
        Settings.load(embedding_model='ollama:nomic-embed-text'),
        Settings.load(embedding_model='openai/text-embedding-3-small', openrouter_api_key='k'),
        Settings.load(embedding_model='openrouter:openai/text-embedding-3-small', openrouter_api_key='k'),
        Settings.load(embedding_model='nomic/local', openrouter_base_url='http://127.0.0.1:8000/v1'),
    ):
        passages = EmbeddedPassages.of(settings)
        assert passages is not None
        assert passages.model_name == settings.embedding_model


# Over the wire.


class Endpoint:
    """An OpenAI-compatible server of embeddings, which fails as often as it is told."""

    def __init__(self) -> None:
        self.failing: list[int] = []
        self.requests: list[tuple[str, str | None, dict[str, object]]] = []
        self.base_url = ''

    def answer(self, path: str, key: str | None, body: dict[str, object]) -> tuple[int, dict[str, object]]:
        self.requests.append((path, key, body))
        if self.failing:
            return self.failing.pop(0), {'error': {'message': 'no'}}
        inputs = body['input']
        assert isinstance(inputs, list)
        data = [
            {'object': 'embedding', 'index': index, 'embedding': Meaning().vector(str(text))}
            for index, text in enumerate(inputs)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
        ]
        return 200, {'object': 'list', 'model': 'local', 'data': data}  # without usage, as local servers do


@contextmanager
def serve() -> Generator[Endpoint]:
    endpoint = Endpoint()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers['Content-Length'])))
            status, answer = endpoint.answer(self.path, self.headers['Authorization'], body)
            raw = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header('Content-Type', 'application/json')
            self.send_header('Content-Length', str(len(raw)))
            self.send_header('Retry-After', '0')
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(('127.0.0.1', 0), Handler) as server:
        endpoint.base_url = f'http://127.0.0.1:{server.server_port}/v1'
        thread = threading.Thread(target=server.serve_forever, kwargs={'poll_interval': 0.01})
        thread.start()
        try:
            yield endpoint
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.usefixtures('model_requests')
@pytest.mark.parametrize('form', ['openai:local', 'nomic/local'])
async def test_a_local_server_over_the_wire(collection: Collection, monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    collection.add(HARBOUR)
    with serve() as endpoint:
        if form == 'openai:local':
            monkeypatch.setenv('OPENAI_BASE_URL', endpoint.base_url)
            monkeypatch.setenv('OPENAI_API_KEY', 'secret')
            settings = Settings.load(embedding_model=form, llm_max_retries=2)
        else:
            settings = Settings.load(embedding_model=form, openrouter_base_url=endpoint.base_url, llm_max_retries=2)
        passages = EmbeddedPassages.of(settings)
        assert passages is not None
        endpoint.failing = [503, 429]
        found = await nearest(passages, collection, ['Which vessel sank?'], (), 1)
        assert 'foundered' in texts(collection, found)[0][0]
        assert [(path, key) for path, key, _ in endpoint.requests] == [
            ('/v1/embeddings', 'Bearer secret' if form == 'openai:local' else 'Bearer not-needed')
        ] * 4
        assert {body['model'] for _, _, body in endpoint.requests} == {form.removeprefix('openai:')}

        # Attempts do not multiply: neither the SDK's nor ours are repeated by the other.
        endpoint.failing = [503] * 9
        with pytest.raises(UnansweredError, match='as embedder: HTTP 503'):
            await nearest(passages, collection, ['another'], (), 1)
        assert len(endpoint.requests) == 4 + 3

        endpoint.failing = [401]
        with pytest.raises(UnansweredError, match='as embedder: HTTP 401'):
            await nearest(passages, collection, ['another'], (), 1)
        assert len(endpoint.requests) == 4 + 3 + 1


# Traces.


async def test_no_content_is_in_any_span_whatever_the_application_instruments(
    collection: Collection, capfire: CaptureLogfire
) -> None:
    collection.add(HARBOUR)
    logfire.instrument_pydantic_ai()
    Embedder.instrument_all()
    try:
        await nearest(embedded(InstrumentedEmbeddingModel(Meaning())), collection, ['vessel'], (), 9)
    finally:
        Embedder.instrument_all(False)
        Agent.instrument_all(False)
    spans = capfire.exporter.exported_spans_as_dict()
    [own] = [span for span in spans if span['name'] == 'rank by meaning']
    assert {name: value for name, value in own['attributes'].items() if '.' not in name} == snapshot(
        {'queries': 1, 'model': 'meaning', 'embedded': 2, 'failed': 0}
    )
    assert 'embeddings meaning' in {span['name'] for span in spans}
    for content in ('vessel', 'ferry', 'Harbour'):
        assert content not in json.dumps(spans, default=str)
