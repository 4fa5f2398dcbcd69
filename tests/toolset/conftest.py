"""What every test of the toolset has: a store, and settings with small chunks."""

from collections.abc import Iterator

import pytest

from summarizer_tool import Settings
from summarizer_tool.store.source_store import SourceStore


@pytest.fixture
def store() -> Iterator[SourceStore]:
    with SourceStore() as opened:
        yield opened


@pytest.fixture
def settings() -> Settings:
    return Settings.load(
        llm_model='extractive',
        default_chunk_size_tokens=500,
        default_chunk_overlap_tokens=50,
        max_concurrent_llm_calls=2,
    )
