"""Passages are ranked by meaning: what is sent to the model, what is kept of it, and what becomes of failures."""

import math
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from inline_snapshot import snapshot
from pydantic_ai.embeddings import EmbeddingResult, EmbeddingSettings, TestEmbeddingModel
from pydantic_ai.embeddings.result import EmbedInputType
from pydantic_ai.exceptions import ModelHTTPError

from summarizer_tool.documents.document import Document
from summarizer_tool.errors import SummarizerError
from summarizer_tool.evidence.search.results import Query
from summarizer_tool.evidence.search.search import search
from summarizer_tool.store import vectors
from summarizer_tool.store.collection import Collection
from summarizer_tool.store.source_store import SourceStore
from tests.support.meaning import HARBOUR, TOWN, Meaning, blobs, embedded, many, nearest, texts
from tests.support.passages import passages_of
from tests.support.stores import make_room

pytestmark = pytest.mark.anyio


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
        assert [kind for kind, _ in model.sent] == ['query', 'document', 'query']

        collection.add(TOWN)
        await nearest(passages, collection, ['vessel'], (), 9)
        assert model.documents[1:] == [
            ['Town of Velm > Town\nThe healer Ada Brook kept the sickness out of the lower streets.']
        ]

    with SourceStore(path) as store:  # another process
        again = Meaning()
        await nearest(embedded(again), store.collection('a'), ['vessel'], (), 9)
        assert [kind for kind, _ in again.sent] == ['query']


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

    [found] = await nearest(passages, collection, ['vessel'], (), 9)
    assert found[0] == first[0][0]
    assert [kind for kind, _ in model.sent] == ['query', 'document'] * 2
    assert len(model.documents[-1]) == 3


async def test_vectors_go_with_their_source(collection: Collection) -> None:
    with SourceStore() as store:
        small = store.collection('a')
        small.add(HARBOUR)
        passages = embedded(model := Meaning())
        await nearest(passages, small, ['vessel'], (), 9)
        assert len(blobs(small)) == 2
        small.database.cap = store.size()
        small.add(Document('x'))
        assert not small.has(HARBOUR.id)
        assert blobs(small) == []

        async def evict(_: list[str]) -> None:
            make_room(small, to=0)

        small.add(HARBOUR)
        model.before = evict
        await nearest(passages, small, ['vessel'], (), 9)  # what is evicted while it is embedded is not written
        assert blobs(small) == []


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
    with pytest.raises(SummarizerError, match='test as embedder: ValueError'):
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
            places = sorted(kept.missing([source.id], 99))[: len(own)]
            if own:
                kept.keep(places, vectors.normalised(own))
            numbers |= dict(zip(places, own, strict=True))
        asked = [sources[at].id for at in chosen]
        found = kept.nearest(vectors.normalised(queries), asked, limit)

        allowed = {
            passage.id
            for at, source in enumerate(sources)
            if at in chosen or not chosen
            for passage in passages_of(collection, source.id)
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
