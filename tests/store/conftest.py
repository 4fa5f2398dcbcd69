"""Stores in memory and in a file."""

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from summarizer_tool.store import database
from summarizer_tool.store.source_store import SourceStore
from tests.support.stores import KINDS, TODAY, place_of


@pytest.fixture(autouse=True)
def standing_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """However slow the machine is, no time passes for a store."""
    monkeypatch.setattr(database, 'time', SimpleNamespace(time_ns=lambda: round(TODAY.timestamp()) * 10**9))


@pytest.fixture(params=KINDS)
def path(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """All kinds of store do the same."""
    return place_of(request.param, tmp_path)


@pytest.fixture
def store(path: str) -> Iterator[SourceStore]:
    with SourceStore(path) as opened:
        yield opened


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / 'store.db'
