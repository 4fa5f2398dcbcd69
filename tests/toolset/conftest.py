"""What every test of the toolset has: a store, settings with small chunks, and an agent that has both."""

from collections.abc import Iterator

import pytest
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage

from summarizer_tool import Settings
from summarizer_tool.store.source_store import SourceStore
from summarizer_tool.toolset import SummarizerToolset
from tests.support.scripted import Scripted, Talk, scripted


@pytest.fixture
def store() -> Iterator[SourceStore]:
    with SourceStore() as opened:
        yield opened


@pytest.fixture
def settings() -> Settings:
    return Settings.load(
        llm_model='extractive',
        default_chunk_size_tokens=500,
        max_concurrent_llm_calls=2,
    )


@pytest.fixture
def talk(settings: Settings, store: SourceStore) -> Talk:
    """Run an agent that takes steps with the toolset, and then is done; gives the messages."""

    async def run(*steps: Scripted) -> list[ModelMessage]:
        mounted = SummarizerToolset[None](settings=settings, store=store)
        return (await Agent(scripted(*steps, 'Done.'), toolsets=[mounted]).run('Read.')).all_messages()

    return run
