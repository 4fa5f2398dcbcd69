"""A store that holds the texts on the plant."""

from collections.abc import Iterator

import pytest

from summarizer_tool.store.collection import Collection
from summarizer_tool.store.source_store import SourceStore
from tests.support.power_plant import DAY, GUIDE, NOTE


@pytest.fixture
def collection() -> Iterator[Collection]:
    """Of both texts."""
    with SourceStore() as store:
        collection = store.collection()
        collection.add(GUIDE, fetched_at=DAY)
        collection.add(NOTE)
        yield collection
