"""URLs belong to a collection: what another has stored under one is not found, however equal the texts are."""

from summarizer_tool import Document, SourceStore

HERE, THERE = 'https://marn.example/here', 'https://marn.example/there'
TEXT = 'Ada Brook founded the Tide Guild in 1840.'
LATER = 'Ada Brook founded the Tide Guild in 1841.'


def test_a_url_is_looked_up_in_one_collection() -> None:
    """Both have the text, and so its handle, each under a URL of its own."""
    with SourceStore() as store:
        mine, yours = store.collection('mine'), store.collection('yours')
        handle = mine.add(Document(TEXT, url=HERE)).id
        assert yours.add(Document(TEXT, url=THERE), addresses=[f'{THERE}/old']).id == handle
        found = {
            url: [one.id if (one := collection.at(url)) else None for collection in (mine, yours)]
            for url in (HERE, THERE, f'{THERE}/old')
        }
        assert found == {HERE: [handle, None], THERE: [None, handle], f'{THERE}/old': [None, handle]}
        assert (mine.versions(THERE), yours.versions(HERE)) == ([], [])


def test_what_one_collection_stores_later_outdates_nothing_in_another() -> None:
    with SourceStore() as store:
        mine, yours = store.collection('mine'), store.collection('yours')
        first = mine.add(Document(TEXT, url=HERE))
        yours.add(Document(TEXT, url=HERE))
        second = yours.add(Document(LATER, url=HERE))
        assert [source.id for source in mine.versions(HERE)] == [first.id]
        assert [source.id for source in yours.versions(HERE)] == [second.id, first.id]
