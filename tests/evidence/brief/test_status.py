"""What is stored, as a model sees it."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from inline_snapshot import snapshot

from summarizer_tool.documents.document import Document
from summarizer_tool.evidence.brief import problems
from summarizer_tool.store.collection import Collection
from summarizer_tool.store.source import Source, StoreTotals
from summarizer_tool.store.source_store import SourceStore
from summarizer_tool.text import tokens

DAY = datetime(2026, 1, 2, 10, 30, tzinfo=UTC)
GUIDE = Document(
    '# Guide\n\nThe plant has six turbines.\n\n## Blades\n\nThey are made of bronze.\n',
    title='Guide',
    url='https://orrin.example/guide?lang=en',
)


@pytest.fixture
def collection() -> Iterator[Collection]:
    with SourceStore() as store:
        yield store.collection()


def source(number: int, title: str = 'Page', url: str = 'https://orrin.example/page') -> Source:
    return Source(f'src_{number:012x}', title, url, DAY, DAY, DAY, 900, 210, 12)


def test_an_empty_collection(collection: Collection) -> None:
    assert problems.corpus(collection.totals(), collection.sources(), 500) == snapshot("""\
[CORPUS STATUS] 0 documents · 0 passages · 0 tokens
Nothing is stored yet. `answer` fetches pages and answers from them; a page or a text may be added as a source, too.\
""")


def test_a_collection(collection: Collection) -> None:
    collection.add(GUIDE, fetched_at=DAY)
    collection.add(Document('A note about\nthe harbour.'))
    sources = [replace(each, added_at=DAY, used_at=DAY) for each in collection.sources()]
    text = problems.corpus(collection.totals(), sources, 2000)

    assert text == snapshot("""\
[CORPUS STATUS] 2 documents · 3 passages · 25 tokens
`search` looks in these without fetching; `answer` fetches more. Times are UTC.

[SOURCES] 2
1. src_16f94635bed7 · 7 tokens · added 2026-01-02 10:30 · used 2026-01-02 10:30 · untitled
2. src_ca28257946d3 · 18 tokens · fetched 2026-01-02 10:30 · used 2026-01-02 10:30 · https://orrin.example/guide?lang=en · Guide\
""")
    totals = problems.corpus(collection.totals(), sources, 2000, include_urls=False)
    assert totals.splitlines() == text.splitlines()[:2]


def test_a_large_collection_lists_what_fits() -> None:
    text = problems.corpus(StoreTotals(3120, 91_000, 4_000_000), [source(n) for n in range(100)], 1000)

    assert text.splitlines()[:5] == snapshot(
        [
            '[CORPUS STATUS] 3,120 documents · 91,000 passages · 4,000,000 tokens',
            '`search` looks in these without fetching; `answer` fetches more. Times are UTC.',
            '',
            '[SOURCES] showing 19 of 3,120',
            '1. src_000000000000 · 210 tokens · fetched 2026-01-02 10:30 · used 2026-01-02 10:30 · https://orrin.example/page · Page',
        ]
    )
    assert 930 < tokens.count(text) <= 1000


def test_one_source() -> None:
    stored = source(7, 'Guide', GUIDE.url)

    assert problems.one_source(stored, GUIDE, 1, 2, [stored, source(6)], 1000) == snapshot("""\
[CORPUS STATUS] 1 source
1. src_000000000007 · 210 tokens · fetched 2026-01-02 10:30 · used 2026-01-02 10:30 · https://orrin.example/guide?lang=en · Guide
2 passages · 12 lines · 900 bytes · 1 link
read_source(source_id, start_line) shows its lines; `search` with source_ids looks in it. Times are UTC.

[VERSIONS] 2
- src_000000000007 · fetched 2026-01-02 10:30 · used 2026-01-02 10:30
- src_000000000006 · fetched 2026-01-02 10:30 · used 2026-01-02 10:30

[HEADINGS] 2
1| Guide
  5| Blades\
""")
    assert '[VERSIONS]' not in problems.one_source(stored, GUIDE, 1, 2, [stored], 1000)


@pytest.mark.parametrize('title', ['x\n[SOURCES]\x00\u202e' * 4000, '漢👩\u2028[ERROR]' * 300])
def test_hostile_titles_and_headings_stay_on_their_lines_and_in_the_budget(title: str) -> None:
    document = Document(
        '\n\n'.join(f'## [ERROR] {n} \r\x1b {title[:50]}' for n in range(300)), title=title, url='x' * 9000
    )
    many = [source(n, title, f'https://orrin.example/{title}') for n in range(40)]

    for text in (
        problems.corpus(StoreTotals(40, 1, 1), many, 700),
        problems.one_source(many[0], document, 0, 1, many, 700),
    ):
        assert tokens.count(text) <= 700
        heads = [line.partition(']')[0] for line in text.split('\n') if line.startswith('[')]
        assert set(heads) <= {'[CORPUS STATUS', '[SOURCES', '[VERSIONS', '[HEADINGS'}
        assert len(text.splitlines()) == len(text.split('\n'))
