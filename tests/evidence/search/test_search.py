"""Search: the passages that answer, from the chosen sources of one collection."""

from collections.abc import Sequence

import pytest
from inline_snapshot import snapshot

from summarizer_tool.documents.document import Document
from summarizer_tool.errors import UnknownSourceError
from summarizer_tool.evidence.search.results import Query, SearchResult
from summarizer_tool.evidence.search.search import search
from summarizer_tool.store.collection import Collection
from summarizer_tool.store.source_store import SourceStore
from tests.support.harbour_town import GUILD, Meaning, shown, town
from tests.support.passages import passages_of
from tests.support.stores import make_room

pytestmark = pytest.mark.anyio


@pytest.fixture
def collection() -> Collection:
    return town()


async def test_a_question(collection: Collection) -> None:
    found = await search(collection, Query('Who founded the salt guild?'))
    assert shown(found) == snapshot(
        [
            ("Ada Brook, a miller's daughter, founded ", 0.84, ''),
            ('The guild owned twelve ships. The larges', 0.43, ''),
            ('Each member paid a fee of three marks a ', 0.28, ''),
        ]
    )
    assert [source.title for source in found.sources] == snapshot(['Salt guild'])
    assert (found.documents, found.passages, found.matched, found.ranking, found.warnings) == snapshot(
        (3, 6, 3, 'bm25', ())
    )
    best = found.hits[0].passage
    assert best.text in GUILD
    assert (best.path, best.first_line) == (('The guild', 'Origins'), 5)


@pytest.mark.parametrize(
    ('question', 'best'),
    [
        ('What does E-4021 mean?', 'Each member'),
        ('e-4021', 'Each member'),
        ('lighthouses', 'The harbour was dug'),
        ('"Grey Heron" lost', 'The guild owned'),
        ('fees', 'Each member'),
    ],
)
async def test_the_best_passage(collection: Collection, question: str, best: str) -> None:
    found = await search(collection, Query(question))
    assert found.hits[0].passage.text.startswith(best)
    assert found.hits[0].score > 0.5


@pytest.mark.parametrize('question', ['', ' ', '?!', 'flurbish', '\0', '"', 'the', '\ud800'])
async def test_nothing_is_found(collection: Collection, question: str) -> None:
    found = await search(collection, Query(question))
    # `the` is looked for, since there is nothing else.
    assert bool(found.hits) == (question == 'the')
    assert (found.documents, found.passages) == (3, 6)
    empty = await search(SourceStore().collection(), Query(question, room=1000))
    assert empty == SearchResult(hits=(), sources=(), documents=0, passages=0, matched=0)


async def test_some_sources_alone(collection: Collection) -> None:
    ids = {source.title: source.id for source in collection.sources()}
    found = await search(
        collection, Query('the guild in 1203', source_ids=(f'[{ids["Harbour"].upper()}]', ids['Town']))
    )
    assert {hit.passage.source_id for hit in found.hits} <= {ids['Harbour'], ids['Town']}
    assert found.hits[0].passage.source_id == ids['Harbour']
    assert (found.documents, found.passages) == (2, 3)
    with pytest.raises(UnknownSourceError, match='there is no source "Guilds"'):
        await search(collection, Query('salt', source_ids=('Guilds',)))


async def test_all_of_it_where_it_fits(collection: Collection) -> None:
    ids = [source.id for source in reversed(collection.sources())]
    tokens = collection.totals().tokens
    found = await search(collection, Query('salt', room=tokens))
    assert found.is_full_context
    assert [hit.passage for hit in found.hits] == [passage for each in ids for passage in passages_of(collection, each)]
    assert [source.id for source in found.sources] == ids
    assert (found.ranking, found.matched, found.documents, found.passages) == ('none', 3, 3, 6)
    assert max(found.hits, key=lambda hit: hit.score).passage.path == ('The guild', 'Origins')
    assert not (await search(collection, Query('salt', room=tokens - 1))).is_full_context
    some = await search(collection, Query('salt', source_ids=(ids[2], ids[0]), room=tokens - 1))
    assert [source.id for source in some.sources] == [ids[2], ids[0]]


async def test_each_part_has_its_best(collection: Collection) -> None:
    parts = ('Who founded the salt guild?', 'When was the lighthouse lit?')
    found = await search(collection, Query('two things', parts=parts, top_k=2))
    assert shown(found) == snapshot(
        [
            ("Ada Brook, a miller's daughter, founded ", 0.84, 'Who founded the salt guild?'),
            ('The harbour was dug in 1203 and silted u', 0.81, 'When was the lighthouse lit?'),
        ]
    )


async def test_a_source_without_anything_in_it_is_whole_too(collection: Collection) -> None:
    blank = collection.add(Document('\n\n'))
    found = await search(collection, Query('salt', source_ids=(blank.id,), room=1000))
    assert (found.hits, found.sources, found.is_full_context) == ((), (blank,), True)
    assert (found.documents, found.passages) == (1, 0)


async def test_a_source_that_is_evicted_meanwhile(collection: Collection) -> None:
    class Evicting(Meaning):
        async def nearest(
            self, collection: Collection, queries: Sequence[str], source_ids: Sequence[str], limit: int
        ) -> tuple[list[list[int]], str]:
            ids = [passage.id for source in collection.sources() for passage in passages_of(collection, source.id)]
            make_room(collection, to=0)
            return [ids], ''

    found = await search(collection, Query('salt'), similar=Evicting())
    assert (found.hits, found.sources) == ((), ())


async def test_a_definition_is_found_by_its_term() -> None:
    collection = SourceStore().collection()
    terms = ('keel', 'mast', 'oar')
    options = '\n\n'.join(f'--{term}\n  : {"Old. " * 150}\n\n  : Fits it. {"New. " * 150}' for term in terms)
    collection.add(Document(f'# Options\n\n{options}', title='Ship'))
    found = await search(collection, Query('What fits --mast?'))
    assert [found.hits[0].passage.header, found.hits[0].passage.header_line] == ['--mast', 8]


async def test_a_table_of_contents_is_no_answer() -> None:
    parts = {
        'Installing the server': 'Run pip install gate. It needs Python 3.12.',
        'Configuring limits': 'In gate.toml set how many gates may be open at once; a limit of 0 means that none holds.',
        'Deploying with Docker': 'The image is published as gate/keeper; mount a volume at /data.',
        'Backing up the data': 'Copy the folder at night, when no gate is open.',
    }
    links = '\n'.join(f'- [{title}](#{number})' for number, title in enumerate(parts))
    more = 'More is told in the manual, which has a chapter for each of these things. ' * 6
    said = '\n\n'.join(f'## {title}\n\n{text}\n\n{more}' for title, text in parts.items())
    with SourceStore() as store:
        collection = store.collection()
        collection.add(Document(f'# Gate\n\n## Contents\n\n{links}\n\n{said}', title='Gate'))
        found = await search(collection, Query('How are the limits configured?'))
    assert found.hits[0].passage.path[-1:] == ('Configuring limits',)
