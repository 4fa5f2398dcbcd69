"""Search with a model: ranking by meaning beside words."""

from dataclasses import replace

import pytest
from inline_snapshot import snapshot

from summarizer_tool.documents.document import Document
from summarizer_tool.errors import ConfigurationError
from summarizer_tool.evidence.search.results import Query
from summarizer_tool.evidence.search.search import search
from summarizer_tool.store.collection import Collection
from summarizer_tool.store.source_store import SourceStore
from tests.support.harbour_town import TALE, Meaning, shown, town

pytestmark = pytest.mark.anyio


@pytest.fixture
def collection() -> Collection:
    return town()


async def test_ranking_by_meaning_beside_words(collection: Collection) -> None:
    meaning = Meaning({'shipwreck': ['In the ward', 'The harbour was dug']})
    ids = tuple(source.id for source in collection.sources())
    found = await search(collection, Query('shipwreck', source_ids=ids), similar=meaning)
    assert (shown(found), found.ranking) == snapshot(
        (
            [
                ('In the ward of Millgate there were 20 ho', 0.5, ''),
                ('In the ward of Tannery there were 24 hou', 0.49, ''),
                ('The harbour was dug in 1203 and silted u', 0.48, ''),
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


async def test_what_else_there_is_room_for() -> None:
    collection = SourceStore().collection()
    collection.add(Document('\n\n'.join((*TALE[:4], '# Later', *TALE[4:5], *TALE[2:4], '# Last', TALE[0]))))
    query = Query('letter')
    few = await search(collection, query)
    more = await search(collection, replace(query, fill=9))
    assert [[(hit.passage.number, round(hit.value, 2)) for hit in found.hits] for found in (few, more)] == snapshot(
        [[(2, 0.75), (3, 0.07), (1, 0.06)], [(2, 0.75), (3, 0.07), (1, 0.06), (4, 0.06), (5, 0.04)]]
    )
    assert all(hit.is_adjacent for hit in more.hits[1:])
