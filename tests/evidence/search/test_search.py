"""Search: the passages that answer, from the chosen sources of one collection."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

import pytest
from inline_snapshot import snapshot

from summarizer_tool.documents.document import Document
from summarizer_tool.errors import ConfigurationError, UnknownSourceError
from summarizer_tool.evidence.search import candidates
from summarizer_tool.evidence.search import search as search_module
from summarizer_tool.evidence.search.results import Query, SearchResult, SimilarityResult
from summarizer_tool.evidence.search.search import search
from summarizer_tool.store.collection import Collection
from summarizer_tool.store.source_store import SourceStore

pytestmark = pytest.mark.anyio

GUILD = """\
# The guild

## Origins

Ada Brook, a miller's daughter, founded the salt guild in 1203, after the second flood had taken the old pans.

## Ships

The guild owned twelve ships. The largest of them, the Grey Heron, carried salt to the northern ports every spring.

The Grey Heron was lost in 1260 on the Teeth, with all hands.

## Fees

Each member paid a fee of three marks a year, which error E-4021 of the later ledger shows as thirty.
"""
HARBOUR = """\
# The harbour

The harbour was dug in 1203 and silted up twice. Its master was chosen by the town.

The lighthouse on the Teeth was lit first in 1262, two years after a great ship had been lost there.
"""
TOWN = '# The town\n\n' + '\n\n'.join(
    f'In the ward of {name} there were {number} houses, a well and a chapel, and its people kept geese.'
    for number, name in enumerate(('Millgate', 'Saltmarket', 'Northbridge', 'Underhill', 'Tannery', 'Weir'), 20)
)


@pytest.fixture
def collection() -> Collection:
    collection = SourceStore().collection()
    for text, title in ((GUILD, 'Salt guild'), (HARBOUR, 'Harbour'), (TOWN, 'Town')):
        collection.add(Document(text, title=title))
    return collection


def shown(found: SearchResult) -> list[tuple[str, float, str]]:
    """What is seen of hits: how they begin, their scores, and why they are there."""
    return [
        (hit.passage.text[:40], round(hit.score, 2), ('adjacent ' if hit.is_adjacent else '') + hit.query)
        for hit in found.hits
    ]


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
    assert [hit.passage for hit in found.hits] == [passage for each in ids for passage in collection.passages_of(each)]
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


async def test_copies_are_left_out(collection: Collection) -> None:
    collection.add(Document(GUILD.replace('twelve', 'a dozen') + '\nA copy.', title='Mirror'))
    found = await search(collection, Query('Ada Brook and the Grey Heron'))
    starts = [hit.passage.text[:20] for hit in found.hits]
    assert len(starts) == len(set(starts))
    assert collection.passage_count() == 9


YEAR = (
    'In the year {year} the tidal station at the mouth of the river gave {marks} marks of toll to the town, all of its '
    'wheels were at work on most days, no accident was told by the wardens, and the visitors who came to see the gallery '
    'under the piers were counted at the gate.'
)


async def test_passages_that_differ_in_a_number_are_no_copies() -> None:
    collection = SourceStore().collection()
    reports = '\n\n'.join(
        f'## Report {year}\n\n{YEAR.format(year=year, marks=year * 37 % 971)}' for year in range(1200, 1220)
    )
    collection.add(Document(f'# Reports\n\n{reports}\n\n# The town\n\n{TOWN}'))
    found = await search(collection, Query('How much toll did the tidal station give in each year?'))
    texts = [hit.passage.text for hit in found.hits if not hit.is_adjacent]
    assert sorted(texts) == [YEAR.format(year=year, marks=year * 37 % 971) for year in range(1200, 1220)]
    assert found.warnings == ()


async def test_near_copies_are_counted_and_the_newest_is_shown() -> None:
    collection = SourceStore().collection()
    text = YEAR.format(year=1203, marks=12)
    newer = text.replace('gallery', 'vault')
    times = {newer: 2026, text: 2020, text.replace('gallery', 'hall'): 2021, f'{text}\n': 2019}
    for each, year in times.items():
        collection.add(Document(each), fetched_at=datetime(year, 1, 1, tzinfo=UTC))
    found = await search(collection, Query('the toll of the tidal station in 1203'))
    assert [hit.passage.text for hit in found.hits] == [newer]
    assert found.warnings == snapshot(('near copies of passages that are shown, left out: 3',))
    # A word that is asked for tells them apart.
    found = await search(collection, Query('the gallery of the tidal station'))
    assert {hit.passage.text for hit in found.hits} == {text, newer}


FEES = '# Fees\n\nThe station gave {marks} marks of toll.\n\n# The rest\n\n{rest}'


@pytest.mark.parametrize('room', [0, 10_000])
async def test_of_a_page_the_last_version_is_searched(room: int) -> None:
    collection = SourceStore().collection()
    url = 'https://wiki.example/fees'
    for address, marks in ((url, 1500), (f'{url}/', 1700), ('https://wiki.example/mirror', 1600)):
        collection.add(Document(FEES.format(marks=marks, rest=TOWN), url=address))
    question = 'How many marks of toll did the station give?'

    async def marks(**options: Any) -> tuple[set[str], int, int]:
        found = await search(collection, Query(question, room=room, **options))
        told = {hit.passage.text.split()[3] for hit in found.hits if 'marks' in hit.passage.text}
        return told, found.documents, found.passages

    old, new = reversed(collection.versions(url))
    passages = collection.passage_count((old.id,))
    assert await marks() == ({'1700', '1600'}, 2, 2 * passages)
    # By name any version is there.
    assert await marks(source_ids=(old.id,)) == ({'1500'}, 1, passages)
    assert await marks(source_ids=(old.id, new.id)) == ({'1500', '1700'}, 2, 2 * passages)
    collection.add(Document(FEES.format(marks=1500, rest=TOWN), url=url))  # as it was before
    assert await marks() == ({'1500', '1600'}, 2, 2 * passages)


async def test_many_outdated_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(candidates, 'GATHERED', 50)  # so that words are frequent
    monkeypatch.setattr(search_module, '_MOST_SPANS', 4)
    collection = SourceStore().collection()
    for number in range(12):
        for version in range(5):
            collection.add(
                Document(
                    f'Page {number} in version {version} tells of salt and wool.', url=f'https://wiki.example/{number}'
                )
            )
    meaning = Meaning({'salt': ['Page'], 'of page 7': [], 'in version 2': ['Page 3 in version 2']})
    for question in ('salt', 'of page 7', 'in version 2'):
        found = await search(collection, Query(question), similar=meaning)
        texts = [hit.passage.text for hit in found.hits]
        assert texts
        assert all('version 4' in text for text in texts)
        assert (found.documents, found.passages) == (12, 12)
    assert meaning.limits == [400] * 3  # of 80 most are outdated


async def test_words_of_headings_are_found_and_shown(collection: Collection) -> None:
    empty, text = '## 2.4.1 (14 March 1203) zephyrine support', '## 2.4.0 (1 March 1203)\n\nGeese.'
    collection.add(Document(f'# Changes\n\n{empty}\n\n{text}'))
    found = await search(collection, Query('When was zephyrine support released?'))
    assert found.hits[0].passage.text == empty
    assert found.hits[0].passage.path == ('Changes',)
    only = collection.add(Document('# The rotor has five blades\n\n## It is of bronze\n'))
    whole = await search(collection, Query('blades', source_ids=(only.id,), room=1000))
    assert [hit.passage.text for hit in whole.hits] == ['# The rotor has five blades\n\n## It is of bronze']


async def test_a_source_without_anything_in_it_is_whole_too(collection: Collection) -> None:
    blank = collection.add(Document('\n\n'))
    found = await search(collection, Query('salt', source_ids=(blank.id,), room=1000))
    assert (found.hits, found.sources, found.is_full_context) == ((), (blank,), True)
    assert (found.documents, found.passages) == (1, 0)


async def test_a_source_under_another_title(collection: Collection) -> None:
    collection.add(Document(HARBOUR, title='Zephyr handbook'))
    found = await search(collection, Query('Zephyr handbook'))
    assert {source.title for source in found.sources} == {'Zephyr handbook'}


@pytest.mark.parametrize('question', ['ﷺ', 'What did the prophet ﷺ say?', 'ﷻ geese', '⑴⑵ geese'])
async def test_characters_that_stand_for_words(collection: Collection, question: str) -> None:
    collection.add(Document('The prophet ﷺ said: seek knowledge.'))
    found = await search(collection, Query(question))
    assert ('prophet' in found.hits[0].passage.text) == ('geese' not in question)


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
    hit, *beside = found.hits
    assert [near.score for near in beside] == [pytest.approx(0.7 * hit.score)] * 2
    # Not over a heading, nor a copy of what is shown.
    collection.add(Document(f'# One\n\n{before}\n\n# Two\n\nMadagascar did. {others[2]}\n\n{others[2]}'))
    found = await search(collection, Query('Madagascar'))
    assert [(hit.passage.path, hit.is_adjacent) for hit in found.hits] == [(('Two',), False)]


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


async def test_how_far_a_hit_brings_what_is_beside_it() -> None:
    collection = SourceStore().collection()
    collection.add(Document('\n\n'.join(TALE)))
    found = await search(collection, Query('Zanzibar letter', top_k=1))
    assert [(hit.passage.number, round(hit.score / found.hits[0].score, 2)) for hit in found.hits] == snapshot(
        [(2, 1.0), (1, 0.7), (3, 0.7)]
    )
    # A neighbour goes before hits that are worth less than it is.
    found = await search(collection, Query('Zanzibar letter'))
    assert [(hit.passage.number, round(hit.score, 2), hit.is_adjacent) for hit in found.hits] == snapshot(
        [(2, 0.81, False), (1, 0.57, True), (3, 0.57, True), (4, 0.4, True), (5, 0.21, True), (6, 0.3, False)]
    )


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


async def test_words_that_only_begin_alike() -> None:
    collection = SourceStore().collection()
    collection.add(Document('# Aim\n\nThe intention was to build a mill.\n\n# Geese\n\nGeese walked about all day.'))
    found = await search(collection, Query('intentionality'))
    assert [(hit.passage.path, round(hit.score, 2)) for hit in found.hits] == snapshot([(('Aim',), 0.38)])
    assert not (await search(collection, Query('intestate'))).hits


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
        Document('\n\n'.join(f'# {place}\n\n{("salt wool", "wool tar")[place % 2]} {place}' for place in range(160)))
    )
    found = await search(collection, Query('salt wool tar'))
    assert {hit.passage.text[:9] for hit in found.hits} == {'salt wool', 'wool tar '}


async def test_a_source_that_is_evicted_meanwhile(collection: Collection) -> None:
    class Evicting(Judge):
        async def rerank(self, question: str, texts: Sequence[str]) -> list[float]:
            with collection.database.write() as db:
                collection.database.make_room(db, int(collection.database.cap) - 1, collection.name)
            return [1.0 for _ in texts]

    found = await search(collection, Query('salt'), reranker=Evicting(''))
    assert (found.hits, found.sources) == ((), ())
