"""Stores in memory and in a file."""

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from summarizer_tool.store import database
from summarizer_tool.store.source_store import SourceStore
from summarizer_tool.store.sqlite_file import MEMORY
from tests.support.stores import TODAY


@pytest.fixture(autouse=True)
def standing_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """However slow the machine is, no time passes for a store."""
    monkeypatch.setattr(database, 'time', SimpleNamespace(time_ns=lambda: round(TODAY.timestamp()) * 10**9))


@pytest.fixture(params=['memory', 'file'])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Both kinds of store do the same."""
    return MEMORY if request.param == 'memory' else str(tmp_path / 'store.db')


@pytest.fixture
def store(path: str) -> Iterator[SourceStore]:
    with SourceStore(path) as opened:
        yield opened


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / 'store.db'
