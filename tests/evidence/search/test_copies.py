"""Of copies and of versions of a page a search shows one."""

from typing import Any

import pytest

from summarizer_tool.documents.document import Document
from summarizer_tool.evidence.search import candidates
from summarizer_tool.evidence.search.results import Query
from summarizer_tool.evidence.search.search import search
from summarizer_tool.store.collection import Collection
from summarizer_tool.store.source_store import SourceStore
from tests.support.harbour_town import GUILD, TOWN, Meaning, town

pytestmark = pytest.mark.anyio

YEAR = (
    'In the year {year} the tidal station at the mouth of the river gave {marks} marks of toll to the town, all of its '
    'wheels were at work on most days, no accident was told by the wardens, and the visitors who came to see the gallery '
    'under the piers were counted at the gate.'
)
FEES = '# Fees\n\nThe station gave {marks} marks of toll.\n\n# The rest\n\n{rest}'


@pytest.fixture
def collection() -> Collection:
    return town()


async def test_copies_are_left_out(collection: Collection) -> None:
    collection.add(Document(GUILD.replace('twelve', 'a dozen') + '\nA copy.', title='Mirror'))
    found = await search(collection, Query('Ada Brook and the Grey Heron'))
    starts = [hit.passage.text[:20] for hit in found.hits]
    assert len(starts) == len(set(starts))
    assert collection.passage_count() == 9


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
    assert meaning.limits == [800] * 3  # of 80 most are outdated
