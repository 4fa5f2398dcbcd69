"""Whose sources a toolset sees: stores that are shared, kept in a file, or apart."""

from pathlib import Path
from typing import Any

import pytest
from pydantic_ai import Agent

from summarizer_tool import Settings, toolset
from summarizer_tool.store.source_store import SourceStore
from summarizer_tool.toolset import SummarizerToolset
from tests.support.scripted import call, last_handle, returns, scripted
from tests.support.texts import CHRONICLE


@pytest.mark.anyio
async def test_toolsets_without_stores_of_their_own_share_one(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(toolset, '_stores', {})
    first = Agent(
        scripted(call('add_source', content=CHRONICLE), 'Done.'), toolsets=[SummarizerToolset(settings=settings)]
    )
    handle = last_handle((await first.run('Read.')).all_messages())
    read = scripted(call('read_source', source_id=handle), 'Done.')

    async def outcome(mounted: SummarizerToolset[None]) -> str:
        [part] = returns((await Agent(read, toolsets=[mounted]).run('Read.')).all_messages())
        return part.outcome

    assert await outcome(SummarizerToolset(settings=settings)) == 'success'
    assert await outcome(SummarizerToolset(settings=settings, collection='other')) == 'failed'
    assert await outcome(SummarizerToolset(settings=settings.model_copy(update={'store_max_mb': 7.0}))) == 'failed'
    with SourceStore() as own:
        assert await outcome(SummarizerToolset(settings=settings, store=own)) == 'failed'
    for opened in toolset._stores.values():
        opened.close()


def test_the_path_of_a_store_is_no_store(settings: Settings, tmp_path: Path) -> None:
    path: Any = tmp_path / 'store.sqlite3'
    with pytest.raises(TypeError, match='store is SourceStore or None, not PosixPath'):
        SummarizerToolset(settings=settings, store=path)
