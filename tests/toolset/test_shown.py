"""What the model is shown of the toolset: schemas, instructions, and names after all wrapping."""

from collections.abc import Callable
from typing import Any

import pytest
from inline_snapshot import snapshot
from pydantic_ai import Agent, RunContext
from pydantic_ai.messages import (
    ModelMessage,
    ModelResponse,
    TextPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.test import TestModel
from pydantic_ai.toolsets import AbstractToolset
from pydantic_ai.usage import RunUsage

from summarizer_tool import Settings
from summarizer_tool.service.operations import OPERATIONS
from summarizer_tool.store.source_store import SourceStore
from summarizer_tool.toolset import SummarizerToolset
from tests.support.scripted import ALL, call, instructions_of, last_handle, returns, scripted, tagged
from tests.support.texts import CHRONICLE


def test_the_schemas_are_described(settings: Settings) -> None:
    tools = SummarizerToolset(settings=settings).tools

    assert {name: [*tool.tool_def.parameters_json_schema['properties']] for name, tool in tools.items()} == {
        each.name: [*each.schema()['properties']] for each in OPERATIONS
    }
    assert tools['read_source'].tool_def.parameters_json_schema['required'] == ['source_id']
    assert tools['summarize'].tool_def.parameters_json_schema['properties']['max_output_tokens'] == snapshot(
        {
            'default': 0,
            'minimum': 0,
            'type': 'integer',
            'description': 'The most tokens to return; 0: 5,000. Clients may cut results at 25,000.',
        }
    )
    for tool in tools.values():
        assert all(schema['description'] for schema in tool.tool_def.parameters_json_schema['properties'].values())
        assert 'ctx' not in tool.tool_def.parameters_json_schema['properties']


@pytest.mark.anyio
async def test_instructions_say_when_to_use_the_tools(store: SourceStore) -> None:
    settings = Settings.load(llm_model='extractive', default_max_output_tokens=1000)
    model = scripted('Done.')

    told = await Agent(model, toolsets=[SummarizerToolset(settings=settings, store=store)]).run('Hi.')
    untold = await Agent(
        model, toolsets=[SummarizerToolset(settings=settings, store=store, include_instructions=False)]
    ).run('Hi.')

    assert 'up to about 4,000 characters' in instructions_of(told.all_messages())
    assert tagged(instructions_of(told.all_messages())) == ALL
    assert instructions_of(untold.all_messages()) == ''


@pytest.mark.anyio
async def test_instructions_may_stand_in_a_cached_prefix(settings: Settings, store: SourceStore) -> None:
    """Also where they are asked for outside a run."""
    context = RunContext(deps=None, model=TestModel(), usage=RunUsage())

    [part] = await SummarizerToolset[None](settings=settings, store=store).get_instructions(context) or []

    assert not part.dynamic
    assert tagged(part.content) == ALL


@pytest.mark.anyio
async def test_instructions_are_added_to_those_of_others(settings: Settings, store: SourceStore) -> None:
    mounted = SummarizerToolset[None](settings=settings, store=store)

    @mounted.instructions
    def more() -> str:
        return 'Answer in verse.'

    result = await Agent(scripted('Done.'), toolsets=[mounted], instructions='Be brief.').run('Hi.')

    text = instructions_of(result.all_messages())
    assert text.startswith('Be brief.')
    assert text.endswith('Answer in verse.')
    assert 'read_source' in text


@pytest.mark.parametrize(
    ('wrap', 'names'),
    [
        (
            lambda mounted: mounted.prefixed('lore'),
            [f'lore_{name}' for name in ALL],
        ),
        (
            lambda mounted: mounted.filtered(lambda ctx, tool: tool.name != 'add_source'),
            [name for name in ALL if name != 'add_source'],
        ),
        (
            lambda mounted: mounted.renamed({'condense': 'summarize', 'quote': 'read_source'}),
            [{'summarize': 'condense', 'read_source': 'quote'}.get(name, name) for name in ALL],
        ),
        (
            lambda mounted: (
                mounted.renamed({'condense': 'summarize'}).prefixed('a').filtered(lambda ctx, tool: 'con' in tool.name)
            ),
            ['a_condense'],
        ),
        (lambda mounted: mounted.filtered(lambda ctx, tool: False), []),
    ],
    ids=['prefixed', 'filtered', 'renamed', 'all', 'none left'],
)
@pytest.mark.anyio
async def test_wrapped(
    wrap: Callable[[AbstractToolset[Any]], AbstractToolset[Any]],
    names: list[str],
    settings: Settings,
    store: SourceStore,
) -> None:
    seen: list[str] = []

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        seen[:] = [tool.name for tool in info.function_tools]
        condense = next((name for name in seen if name.endswith(('summarize', 'condense'))), None)
        if condense is None or len(messages) > 1:
            return ModelResponse(parts=[TextPart('Done.')])
        return ModelResponse(parts=[call(condense, content=CHRONICLE, max_output_tokens=100)])

    wrapped = wrap(SummarizerToolset(settings=settings, store=store))
    result = await Agent(FunctionModel(answer), toolsets=[wrapped]).run('Read.')

    assert sorted(seen) == sorted(names)
    assert tagged(instructions_of(result.all_messages())) == names
    assert ('handle' in instructions_of(result.all_messages())) == bool(names)
    assert [part.outcome for part in returns(result.all_messages())] == (['success'] if names else [])


@pytest.mark.anyio
async def test_two_toolsets_in_one_agent(settings: Settings, store: SourceStore) -> None:
    lore = SummarizerToolset[None](settings=settings, store=store, collection='lore', id='lore')
    logs = SummarizerToolset[None](settings=settings, store=store, collection='logs', id='logs')
    model = scripted(
        call('lore_add_source', content=CHRONICLE),
        lambda messages: call('logs_read_source', source_id=last_handle(messages)),
        'Done.',
    )

    result = await Agent(model, toolsets=[lore.prefixed('lore'), logs.prefixed('logs')]).run('Read.')

    assert [part.outcome for part in returns(result.all_messages())] == ['success', 'failed']
    assert len(tagged(instructions_of(result.all_messages()))) == 2 * len(ALL)
