"""Which words are met: of headings, of neighbours, frequent ones, and those that only begin alike."""

import pytest
from inline_snapshot import snapshot

from summarizer_tool.documents.document import Document
from summarizer_tool.evidence.search import candidates
from summarizer_tool.evidence.search.results import Query
from summarizer_tool.evidence.search.search import search
from summarizer_tool.store.collection import Collection
from summarizer_tool.store.source_store import SourceStore
from tests.support.harbour_town import GUILD, HARBOUR, TALE, TOWN, town

pytestmark = pytest.mark.anyio


@pytest.fixture
def collection() -> Collection:
    return town()


async def test_other_collections_change_nothing() -> None:
    store = SourceStore()
    mine, yours = store.collection('mine'), store.collection('yours')
    for text in (GUILD, HARBOUR, TOWN):
        mine.add(Document(text))
    before = await search(mine, Query('Who founded the salt guild of the Grey Heron?'))
    for number in range(50):
        yours.add(Document(f'Salt guild number {number} was founded. The Grey Heron.'))
    after = await search(mine, Query('Who founded the salt guild of the Grey Heron?'))
    assert [(hit.passage, hit.score) for hit in after.hits] == [(hit.passage, hit.score) for hit in before.hits]
    assert (after.matched, after.passages) == (before.matched, before.passages)


async def test_words_that_are_nearly_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(candidates, 'GATHERED', 500)
    collection = SourceStore().collection()
    number = 4000
    needle = number - 3
    text = '\n'.join(
        f'# {place}\n\nsalt and wool{" and salt, salt tax" if place == needle else ""}' for place in range(number)
    )
    collection.add(Document(text))
    for question in ('salt', 'salt wool'):
        found = await search(collection, Query(question))
        assert len(found.hits) >= 1
        assert found.hits[0].score > 0.7
        assert found.matched < number  # not all of them were looked at
    found = await search(collection, Query('the tax on salt and wool'))
    assert found.hits[0].passage.path == (f'{needle}',)


async def test_frequent_words_that_never_meet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(candidates, 'GATHERED', 50)
    collection = SourceStore().collection()
    collection.add(
        Document(
            '\n\n'.join(f'# {place}\n\n{("salt wool", "wool tar")[place % 3 > 0]} {place}' for place in range(160))
        )
    )
    found = await search(collection, Query('salt wool tar'))
    assert {hit.passage.text[:9] for hit in found.hits} == {'salt wool', 'wool tar '}


async def test_words_of_headings_are_found_and_shown(collection: Collection) -> None:
    empty, text = '## 2.4.1 (14 March 1203) zephyrine support', '## 2.4.0 (1 March 1203)\n\nGeese.'
    collection.add(Document(f'# Changes\n\n{empty}\n\n{text}'))
    found = await search(collection, Query('When was zephyrine support released?'))
    assert found.hits[0].passage.text == empty
    assert found.hits[0].passage.path == ('Changes',)
    only = collection.add(Document('# The rotor has five blades\n\n## It is of bronze\n'))
    whole = await search(collection, Query('blades', source_ids=(only.id,), room=1000))
    assert [hit.passage.text for hit in whole.hits] == ['# The rotor has five blades\n\n## It is of bronze']


@pytest.mark.parametrize('question', ['ﷺ', 'What did the prophet ﷺ say?', 'ﷻ geese', '⑴⑵ geese'])
async def test_characters_that_stand_for_words(collection: Collection, question: str) -> None:
    collection.add(Document('The prophet ﷺ said: seek knowledge.'))
    found = await search(collection, Query(question))
    assert ('prophet' in found.hits[0].passage.text) == ('geese' not in question)


async def test_words_that_only_begin_alike() -> None:
    collection = SourceStore().collection()
    collection.add(Document('# Aim\n\nThe intention was to build a mill.\n\n# Geese\n\nGeese walked about all day.'))
    found = await search(collection, Query('intentionality'))
    assert [(hit.passage.path, round(hit.score, 2)) for hit in found.hits] == snapshot([(('Aim',), 0.38)])
    assert not (await search(collection, Query('intestate'))).hits


async def test_what_is_named_once_and_then_spoken_of() -> None:
    async def place(*texts: str) -> int:
        collection = SourceStore().collection()
        for text in texts:
            collection.add(Document(text))
        found = await search(collection, Query('Zanzibar tar'))
        return [hit.passage.text[:12] for hit in found.hits if not hit.is_adjacent].index(TALE[2][:12])

    _, named, spoken, *others = TALE[:5]
    tar = f'No more tar. {others[1]}'
    assert await place(tar, '\n\n'.join((named, spoken, others[0]))) == 1
    assert await place('\n\n'.join((named, tar)), '\n\n'.join((spoken, others[0]))) == 2


async def test_neighbours_of_strong_hits() -> None:
    collection = SourceStore().collection()
    clerks = ('weir', 'pans', 'toll', 'wool hall', 'mint', 'assize')
    before, after, *others = (
        ' '.join(f'The {verb} of the clerk of the {clerk} was {number} marks.' for number in range(12))
        for clerk, verb in zip(clerks, ('fee', 'debt', 'rent', 'loss', 'gift', 'fine'), strict=True)
    )
    here = 'Zanzibar sent a letter. ' + others[0]
    collection.add(Document(f'# One\n\n{before}\n\n{here}\n\n{after}\n\n# Two\n\n{others[1]}'))
    found = await search(collection, Query('Zanzibar'))
    assert [(hit.passage.number, hit.passage.path, hit.is_adjacent) for hit in found.hits] == snapshot(
        [(2, ('One',), False), (1, ('One',), True), (3, ('One',), True)]
    )
    _, *beside = found.hits
    assert [near.score for near in beside] == [0.0, 0.0]  # by their own words
    # Not over a heading, nor a copy of what is shown.
    collection.add(Document(f'# One\n\n{before}\n\n# Two\n\nMadagascar did. {others[2]}\n\n{others[2]}'))
    found = await search(collection, Query('Madagascar'))
    assert [(hit.passage.path, hit.is_adjacent) for hit in found.hits] == [(('Two',), False)]


async def test_what_further_room_brings_stands_in_the_section_of_the_hit_or_in_one_within_it() -> None:
    collection = SourceStore().collection()
    told = [
        ' '.join(f'The clerk of {place} kept {year} rolls.' for year in range(30)) for place in ['Ab', 'Bec', 'Cid']
    ]
    hit = f'Zanzibar sent a letter about cloves. {told[1]}'
    collection.add(
        Document(f'# T\n\n## One\n\n{told[0]}\n\n## Two\n\n{hit}\n\n### Three\n\n{told[2]}\n\n## Four\n\nNo.')
    )
    found = await search(collection, Query('Zanzibar', fill=2))
    assert [hit.passage.path for hit in found.hits] == snapshot([('T', 'Two'), ('T', 'Two', 'Three')])


async def test_how_far_a_hit_brings_what_is_beside_it() -> None:
    collection = SourceStore().collection()
    collection.add(Document('\n\n'.join(TALE)))
    found = await search(collection, Query('Zanzibar letter', top_k=1))
    assert [(hit.passage.number, round(hit.score / found.hits[0].score, 2)) for hit in found.hits] == snapshot(
        [(2, 1.0), (3, 0.0), (1, 0.0)]
    )
    # Hits and neighbours stand in the order of their values.
    found = await search(collection, Query('Zanzibar letter'))
    assert [(hit.passage.number, round(hit.score, 2), hit.is_adjacent) for hit in found.hits] == snapshot(
        [(2, 0.81, False), (6, 0.3, False), (3, 0.0, True), (1, 0.0, True), (5, 0.0, True)]
    )


async def test_what_alone_has_the_name_in_a_question_comes_before_what_has_its_other_words() -> None:
    collection = SourceStore().collection()
    collection.add(Document('La présidente rappelle que le siège sera à Villeurbanne le 15 septembre.'))
    for number in range(20):
        collection.add(Document(f'The move {number} begins when the head of a branch goes. Other heads move later.'))
    found = await search(collection, Query('When does the head office move to Villeurbanne?'))
    assert 'Villeurbanne' in found.hits[0].passage.text
