"""URLs belong to a collection: what another has stored under one is not found, however equal the texts are."""

from pathlib import Path

import pytest

from summarizer_tool import Document, SourceStore
from summarizer_tool.store import page_details
from tests.support.stores import query, sound

HERE, THERE = 'https://marn.example/here', 'https://marn.example/there'
TEXT = 'Ada Brook founded the Tide Guild in 1840.'


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


def test_a_text_has_so_many_addresses_which_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a notice that a site shows in place of each of its pages: the last of them are known."""
    monkeypatch.setattr(page_details, 'MAX_ADDRESSES', 3)
    with SourceStore(path := tmp_path / 'store.db') as store:
        mine = store.collection()
        mine.add(Document(TEXT))
        before = store.size()
        sizes: list[int] = []
        for number in range(6):
            source = mine.add(Document(TEXT, url=f'{HERE}/{number}'), addresses=[f'{THERE}/{number}'] * (number == 5))
            sizes.append(store.size() - before)
        assert sizes[0] > 200
        assert sizes[1:3] == [2 * sizes[0] - len(source.url), 3 * sizes[0] - 2 * len(source.url)]
        assert sizes[3:5] == [sizes[2]] * 2
        known = [url for site in (HERE, THERE) for number in range(6) if mine.at(url := f'{site}/{number}')]
        assert known == [f'{HERE}/4', f'{HERE}/5', f'{THERE}/5']
        assert query(path, 'SELECT count(*) FROM addresses') == [(3,)]
    assert sound(path)
