"""A collection to search."""

from collections.abc import Generator

import pytest

from summarizer_tool.store.collection import Collection
from summarizer_tool.store.source_store import SourceStore


@pytest.fixture
def collection() -> Generator[Collection]:
    with SourceStore() as store:
        yield store.collection('a')
