"""Durable execution: results that survive JSON and pickles, and what it asks of a toolset."""

import json
import pickle

import pytest
from pydantic import TypeAdapter
from pydantic_ai import Agent, ToolReturn
from pydantic_ai.durable_exec._codec import JSON_CODEC
from pydantic_ai.messages import (
    ModelMessagesTypeAdapter,
)

from summarizer_tool import Settings, Summary
from summarizer_tool.store.source_store import SourceStore
from summarizer_tool.toolset import SummarizerToolset
from tests.support.scripted import call, returns, scripted
from tests.support.texts import CHRONICLE, HARBOUR


@pytest.mark.anyio
async def test_results_survive_serialization(settings: Settings, store: SourceStore) -> None:
    from pydantic_ai.durable_exec._toolset import CallToolResult, unwrap_tool_call_result, wrap_tool_call_result

    mounted = SummarizerToolset[None](settings=settings, store=store)
    model = scripted(
        call('summarize', content=CHRONICLE, max_output_tokens=200),
        call('add_source', content=HARBOUR),
        call('search', query='fire', max_tokens=600),
        'Done.',
    )
    messages = (await Agent(model, toolsets=[mounted]).run('Read.')).all_messages()
    [summarized, added, found] = returns(messages)

    for part in (summarized, added, found):
        result = ToolReturn(part.content, metadata=part.metadata)

        async def returned(result: ToolReturn = result) -> ToolReturn:
            return result

        recorded = await wrap_tool_call_result(returned())
        assert unwrap_tool_call_result(pickle.loads(pickle.dumps(recorded))) == result
        as_json = json.loads(json.dumps(JSON_CODEC.dump(CallToolResult, recorded)))
        read = unwrap_tool_call_result(JSON_CODEC.load(CallToolResult, as_json))
        assert read.return_value == part.content
        assert TypeAdapter(type(part.metadata)).validate_python(read.metadata) == part.metadata
    history = returns(ModelMessagesTypeAdapter.validate_json(ModelMessagesTypeAdapter.dump_json(messages)))
    assert [part.content for part in history] == [summarized.content, added.content, found.content]
    assert Summary.model_validate(history[0].metadata) == summarized.metadata


def test_what_durable_execution_asks_of_a_toolset(settings: Settings) -> None:
    mounted = SummarizerToolset[None](settings=settings, metadata={'temporal': {'start_to_close_timeout': 400}})

    assert mounted.id == 'summarizer'
    assert SummarizerToolset[None](settings=settings, id='lore').id == 'lore'
    for name, tool in mounted.tools.items():
        assert tool.function_schema.is_async
        assert tool.tool_def.metadata == {
            'summarize': 'never',
            'temporal': {'start_to_close_timeout': 400},
            'summarizer': name,
        }
