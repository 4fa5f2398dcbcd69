"""Search with models: ranking by meaning beside words, and a judge of what was found."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import pytest
from inline_snapshot import snapshot

from summarizer_tool.documents.document import Document
from summarizer_tool.errors import ConfigurationError
from summarizer_tool.evidence.search.results import Query, SimilarityResult
from summarizer_tool.evidence.search.search import search
from summarizer_tool.store.collection import Collection
from summarizer_tool.store.source_store import SourceStore
from tests.support.harbour_town import shown, town

pytestmark = pytest.mark.anyio

TALE = [
    f'{beginning} Of this the chronicle of the {place} has {number} leaves, and each is signed by another hand than the '
    f'one before, so that nobody can say for certain what the {trade} of the {place} has seen with his own eyes, and what '
    f'he was told by the {other} in the winter after; the {number} seals are lost, and so is the box they were in.'
    for number, (beginning, place, trade, other) in enumerate(
        (
            ('The weir was dear.', 'mill', 'carter', 'abbot'),
            ('Zanzibar sent a letter.', 'port', 'pilot', 'notary'),
            ('It asked for tar.', 'kiln', 'potter', 'bailiff'),
            ('It was paid.', 'moor', 'shepherd', 'widow'),
            ('Geese came.', 'fair', 'juggler', 'hangman'),
            ('Zanzibar and tar were forgotten.', 'heath', 'piper', 'midwife'),
        ),
        11,
    )
]


@pytest.fixture
def collection() -> Collection:
    return town()


@dataclass
class Meaning:
    """Ranks by meaning, as it is told."""

    by_question: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    error: Exception | None = None
    warning: str = ''
    asked: list[tuple[list[str], list[str]]] = field(default_factory=list[tuple[list[str], list[str]]])
    limits: list[int] = field(default_factory=list[int])

    async def nearest(
        self, collection: Collection, queries: Sequence[str], source_ids: Sequence[str], limit: int
    ) -> SimilarityResult:
        """The passages that begin as told."""
        self.asked.append((list(queries), list(source_ids)))
        self.limits.append(limit)
        if self.error:
            raise self.error
        assert limit >= 50
        passages = [passage for source in collection.sources() for passage in collection.passages_of(source.id)]
        return SimilarityResult(
            [
                [
                    each.id
                    for start in self.by_question.get(query, [])
                    for each in passages
                    if each.text.startswith(start)
                ]
                for query in queries
            ],
            self.warning,
        )


@dataclass
class Judge:
    """Is sure of texts that have a word in them."""

    word: str
    error: BaseException | None = None
    texts: list[str] = field(default_factory=list[str])

    async def rerank(self, question: str, texts: Sequence[str]) -> list[float]:
        """Sure or not."""
        self.texts = list(texts)
        if self.error:
            raise self.error
        return [1.5 if self.word in text else 0.1 for text in texts]


async def test_ranking_by_meaning_beside_words(collection: Collection) -> None:
    meaning = Meaning({'shipwreck': ['In the ward', 'The harbour was dug']})
    ids = tuple(source.id for source in collection.sources())
    found = await search(collection, Query('shipwreck', source_ids=ids), similar=meaning)
    assert (shown(found), found.ranking) == snapshot(
        (
            [
                ('In the ward of Millgate there were 20 ho', 0.5, ''),
                ('The harbour was dug in 1203 and silted u', 0.48, ''),
                ('In the ward of Tannery there were 24 hou', 0.49, ''),
            ],
            'bm25+embeddings',
        )
    )
    assert meaning.asked == [(['shipwreck'], list(ids))]
    # What is near, but in no chosen source, is no answer.
    [town] = [source.id for source in collection.sources() if source.title == 'Town']
    found = await search(collection, Query('shipwreck', source_ids=(town,)), similar=meaning)
    assert {hit.passage.source_id for hit in found.hits} == {town}
    partly = await search(collection, Query('shipwreck'), similar=Meaning(warning='some have no vectors'))
    assert (partly.warnings, partly.ranking) == (('some have no vectors',), 'bm25+embeddings')
    both = Meaning({'who founded the guild': ['The harbour was dug', 'Ada Brook']})
    found = await search(collection, Query('who founded the guild'), similar=both)
    assert found.hits[0].passage.text.startswith('Ada Brook')  # first by words, second by meaning
    assert found.hits[1].passage.text.startswith('The harbour')


@pytest.mark.parametrize(
    ('error', 'warning'),
    [
        (ConfigurationError('no key for the embeddings'), 'ranking by meaning failed: no key for the embeddings'),
        (RuntimeError('who founded the guild'), 'ranking by meaning failed: RuntimeError'),
    ],
)
async def test_without_the_ranking_by_meaning(collection: Collection, error: Exception, warning: str) -> None:
    found = await search(collection, Query('who founded the guild'), similar=Meaning(error=error))
    assert (found.hits[0].passage.text[:9], found.warnings, found.ranking) == ('Ada Brook', (warning,), 'bm25')


async def test_a_judge(collection: Collection) -> None:
    judge = Judge('Grey Heron')
    found = await search(collection, Query('the salt guild'), reranker=judge)
    assert found.hits[0].passage.text.startswith('The guild owned')
    assert [hit.confidence for hit in found.hits if not hit.is_adjacent] == snapshot([1.0, 0.1, 0.1])
    assert found.ranking == 'bm25+rerank'
    assert judge.texts[0] == snapshot("""\
Salt guild > The guild > Origins
Ada Brook, a miller's daughter, founded the salt guild in 1203, after the second flood had taken the old pans.\
""")
    assert 0 < len(judge.texts) <= 30
    failing = await search(collection, Query('the salt guild'), reranker=Judge('', TimeoutError()))
    assert (failing.warnings, failing.hits[0].confidence) == (('reranking failed: TimeoutError',), None)


async def test_cancelled_while_a_model_works(collection: Collection) -> None:
    with pytest.raises(asyncio.CancelledError):
        await search(collection, Query('salt'), reranker=Judge('', asyncio.CancelledError()))


async def test_what_else_there_is_room_for() -> None:
    collection = SourceStore().collection()
    collection.add(Document('\n\n'.join((*TALE[:4], '# Later', *TALE[4:5], *TALE[2:4], '# Last', TALE[0]))))
    query = Query('letter')
    few = await search(collection, query)
    more = await search(collection, replace(query, fill=9))
    assert [[(hit.passage.number, round(hit.value, 2)) for hit in found.hits] for found in (few, more)] == snapshot(
        [[(2, 0.75), (1, 0.53), (3, 0.53)], [(2, 0.75), (1, 0.53), (3, 0.53), (4, 0.41), (5, 0.33)]]
    )
    assert all(hit.is_adjacent for hit in more.hits[1:])
