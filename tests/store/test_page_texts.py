"""What stands beside a page, the texts that its addresses had, and which of them are outdated."""

import pytest
from hypothesis import example, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from summarizer_tool.documents.document import Document
from summarizer_tool.evidence.search import candidates
from summarizer_tool.html.page import Link
from summarizer_tool.store import index, page_details
from summarizer_tool.store.collection import Collection
from summarizer_tool.store.source_store import SourceStore
from tests.support.stores import HARBOUR, make_room, rows, taken


def test_links_of_a_page(store: SourceStore) -> None:
    collection = store.collection()
    link = Link('https://wiki.example/salt', text='Salt \ud800', section='Trade')
    kept = Link(link.url, 'Salt ?', link.section)
    source = collection.add(HARBOUR, links=[link] * 4000)
    assert collection.links(source.id) == (kept,) * 3000
    collection.add(HARBOUR, links=[link])
    collection.add(HARBOUR)
    assert collection.links(source.id) == (kept,)
    assert collection.links('src_000000000000') == ()
    beside = rows(collection, 'SELECT length(links) FROM details')
    assert store.size() == taken(HARBOUR) + beside


def test_the_last_text_of_an_address(store: SourceStore) -> None:
    collection = store.collection()
    url = 'https://wiki.example/dyke?a=1#\ud800'
    old = collection.add(HARBOUR, addresses=[url, 'https://short.example/d', ''])
    new = collection.add(Document('The dyke was moved.', url=url.replace('\ud800', '\ufffd')), addresses=[url])
    assert [each and each.id for each in map(collection.at, (url, 'https://short.example/d', HARBOUR.url))] == [
        new.id,
        old.id,
        old.id,
    ]
    assert [each.id for each in collection.versions(url)] == [new.id, old.id]
    collection.add(HARBOUR, addresses=[url])  # as it was before
    assert [each.id for each in collection.versions(url)] == [old.id, new.id]
    assert (collection.at(''), collection.at('https://wiki.example/dyke/2')) == (None, None)


@pytest.mark.parametrize(
    'url',
    [
        'http://a.example/guide/?b=2&a=1',
        'http://a.example/guide?b=2&a=1',
        'http://a.example:80/guide/?b=2&a=1',
        'HTTP://A.Example/guide/?b=2&a=1',
        ' http://a.example/guide/?b=2&a=1#tides ',
        'http://a.example/guide/?a=1&b=2',
        'http://a.example/guide/?b=2&a=1&utm_source=mail',
    ],
)
def test_an_address_in_any_spelling(store: SourceStore, url: str) -> None:
    collection = store.collection()
    source = collection.add(Document('The guide.', url='http://a.example/guide/?b=2&a=1'))
    collection.add(Document('Another.', url='http://a.example/Guide/?b=2&a=1'))
    collection.add(Document('And another.', url='https://a.example/guide/?b=2&a=1'))
    assert collection.versions(url) == [source]
    # And the other way round.
    other = collection.add(Document('A guide.', url=url.strip()))
    assert collection.at('http://a.example/guide/?b=2&a=1') == other


def test_sections_that_are_stored_one_by_one(store: SourceStore) -> None:
    collection = store.collection()
    tides, keepers = (
        collection.add(Document(f'Of {name}.', url=f'http://a.example/guide#{name}')) for name in ('tides', 'keepers')
    )
    assert collection.versions('http://a.example/guide/#tides') == [tides]
    assert collection.versions('http://a.example/guide/#sluices') == [keepers, tides]
    assert collection.versions('http://a.example/guide') == [keepers, tides]
    assert outdated_ids(collection) == []


def outdated_ids(collection: Collection) -> list[str]:
    """The handles of the sources that a search leaves out."""
    with collection.database.read() as db:
        return [source_id for (source_id,) in db.execute(page_details.OUTDATED, (collection.name,))]


def spans_in(numbers: set[int]) -> list[index.Span]:
    """The runs of numbers, ascending."""
    starts = sorted(number for number in numbers if number - 1 not in numbers)
    return [(start, next(end for end in range(start, 100) if end + 1 not in numbers)) for start in starts]


NUMBERS = st.sets(st.integers(0, 40))


@given(NUMBERS, NUMBERS, NUMBERS)
def test_what_is_left_outside_of_spans(all_: set[int], holes: set[int], rows: set[int]) -> None:
    inside = spans_in(all_ & holes)
    assert candidates.outside(sorted(rows), inside) == sorted(rows - (all_ & holes))


PLACES = st.sampled_from(
    ['http://a.example/1', 'http://a.example/1/', 'http://a.example/2', 'http://a.example/2#end', '']
)


@hypothesis_settings(max_examples=50)
@example([('a', 'http://a.example/1', ''), ('b', '', 'http://a.example/1')])
@given(st.lists(st.tuples(st.sampled_from('abcd') | st.none(), PLACES, PLACES), max_size=12))
def test_a_text_is_outdated_where_each_of_its_own_pages_has_a_later_one(
    steps: list[tuple[str | None, str, str]],
) -> None:
    stored: dict[str, dict[str, int]] = {}
    """By text, when it was stored last under each of its own pages."""
    own_urls: dict[str, set[str]] = {}
    text_of: dict[str, str] = {}
    with SourceStore(max_mb=1) as store:
        collection = store.collection()
        for now, (text, own, other) in enumerate(steps):
            if text is None:  # the text used least recently goes
                [*kept] = collection.sources()
                if kept:
                    make_room(collection, to=store.size() - 1)
                    del stored[text_of[kept[-1].id]]
                    own_urls.pop(text_of[kept[-1].id], None)
                continue
            text_of[collection.add(Document(text, url=own), addresses=[other]).id] = text
            pages = stored.setdefault(text, {})
            if own:
                own_urls.setdefault(text, set()).add(own)
            # A URL of its own that leads to it once more, from elsewhere, is its own still.
            for url in {own, other} & own_urls.get(text, set()):
                pages[url.rstrip('/')] = now
        last = {
            page: max(pages.get(page, -1) for pages in stored.values()) for pages in stored.values() for page in pages
        }
        expected = {
            text for text, pages in stored.items() if pages and all(last[page] > now for page, now in pages.items())
        }
        assert {text_of[source_id] for source_id in outdated_ids(collection)} == expected
