"""The clock is set forwards and back: what was used last stays last, whatever time it was."""

from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
from inline_snapshot import snapshot

from summarizer_tool.documents.document import Document
from summarizer_tool.store import database
from summarizer_tool.store.source_store import SourceStore
from tests.support.stores import TODAY, ids, taken

YEAR = timedelta(days=365)


def jump(monkeypatch: pytest.MonkeyPatch, to: timedelta) -> None:
    """Set the clock, against the time that tests begin with."""
    moment = round((TODAY + to).timestamp()) * 10**9
    monkeypatch.setattr(database, 'time', SimpleNamespace(time_ns=lambda: moment))


@pytest.mark.parametrize('is_reopened', [False, True])
def test_the_order_of_uses_and_versions(file: Path, monkeypatch: pytest.MonkeyPatch, is_reopened: bool) -> None:
    store = SourceStore(file, max_mb=3 * taken(Document('1', url='http://a.example/')) / 1e6)
    url = 'http://a.example/'
    for number, by in enumerate((YEAR, -YEAR, timedelta(0), 50 * YEAR, timedelta(seconds=-1))):
        jump(monkeypatch, by)
        if is_reopened:
            store.close()
            store = SourceStore(file, max_mb=store._database.max_mb)
        collection = store.collection()
        collection.add(Document(f'{number}', url=url))
        wanted = [Document(f'{kept}').id for kept in range(number, max(-1, number - 3), -1)]
        assert (ids(collection), [version.id for version in collection.versions(url)]) == (wanted, wanted)
        assert collection.answer('key', least=0, most=1) is None
    store.close()


def test_the_times_that_are_told(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with SourceStore(file) as store:
        told = []
        for by in (timedelta(0), YEAR, timedelta(0)):
            jump(monkeypatch, by)
            told.append(f'{store.collection().add(Document(f"{len(told)}")).added_at:%Y-%m-%d}')
    assert told == snapshot(['2026-11-01', '2027-11-01', '2027-11-01'])
