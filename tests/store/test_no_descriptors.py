"""A store that cannot be opened once more fails as a store does, and no setting is blamed."""

from pathlib import Path

import pytest

from summarizer_tool.errors import StoreError
from summarizer_tool.store import sqlite_file
from summarizer_tool.store.database import Database


def test_one_more_connection_fails_as_a_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    database = Database(tmp_path / 'store.db', 10)

    def refuse(*_: object, **__: object) -> None:
        raise sqlite_file.sqlite3.OperationalError('unable to open database file')

    with database.read():
        monkeypatch.setattr(sqlite_file, '_connect', refuse)
        with pytest.raises(StoreError, match='unable to open'), database.read():
            pass
    database.close()
