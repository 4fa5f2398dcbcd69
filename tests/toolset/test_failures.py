"""What goes wrong in a tool: what the model reads of it, and what ends the run."""

from pathlib import Path

import pytest
from inline_snapshot import snapshot
from pydantic_ai import Agent, UnexpectedModelBehavior

from summarizer_tool import ConfigurationError, Document, Settings, toolset
from summarizer_tool.errors import StoreError
from summarizer_tool.service.service import Service
from summarizer_tool.store.source_store import SourceStore
from summarizer_tool.toolset import SummarizerToolset
from tests.support.scripted import Talk, call, returns, scripted, shown
from tests.support.texts import CHRONICLE


@pytest.mark.anyio
async def test_wrong_handles_do_not_end_the_run(talk: Talk, store: SourceStore) -> None:
    handle = store.collection().add(Document(CHRONICLE, title='Chronicle')).id
    messages = await talk(
        call('read_source', source_id='src_000000000000'),
        call('read_source', source_id='the chronicle'),
        call('read_source', source_id='src_111111111111'),
        call('read_source', source_id='src_222222222222'),
        call('read_source', source_id=handle, max_tokens=50),
    )
    parts = returns(messages)
    assert [part.outcome for part in parts] == ['failed'] * 4 + ['success']
    assert handle in parts[0].model_response_str()


@pytest.mark.anyio
async def test_a_store_that_fails_is_a_failed_tool(
    settings: Settings, store: SourceStore, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def read_source(self: Service, *args: object, **more: object) -> str:
        raise StoreError('the disk is full')

    monkeypatch.setattr(Service, 'read_source', read_source)
    model = scripted(call('read_source', source_id='src_000000000000'), 'I cannot read it.')

    result = await Agent(model, toolsets=[SummarizerToolset(settings=settings, store=store)]).run('Read.')

    assert shown(result.all_messages()) == snapshot(
        [
            '-> read_source {"source_id": "src_000000000000"}',
            '<- read_source failed: {"error":"the disk is full"}',
            '== I cannot read it.',
        ]
    )
    assert [record.message for record in caplog.records] == ['a tool failed']


@pytest.mark.anyio
async def test_arguments_of_the_wrong_type_are_sent_back_a_few_times(settings: Settings, store: SourceStore) -> None:
    wrong = call('summarize', content=CHRONICLE, max_output_tokens='many')
    right = call('summarize', content=CHRONICLE, max_output_tokens='200')
    mounted = SummarizerToolset[None](settings=settings, store=store)

    result = await Agent(scripted(wrong, wrong, wrong, right, 'Done.'), toolsets=[mounted]).run('Read.')

    assert [part.outcome for part in returns(result.all_messages())] == ['retried', 'retried', 'retried', 'success']
    with pytest.raises(UnexpectedModelBehavior, match='exceeded max retries count of 3'):
        await Agent(scripted(*[wrong] * 5), toolsets=[mounted]).run('Read.')


def test_a_wrong_setting_shows_at_start_up(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigurationError, match='OPENROUTER_API_KEY'):
        SummarizerToolset(settings=Settings.load(llm_model='openai/gpt-4o-mini'))
    monkeypatch.setenv('DEFAULT_MAX_OUTPUT_TOKENS', 'many')
    with pytest.raises(ConfigurationError, match='DEFAULT_MAX_OUTPUT_TOKENS=many'):
        SummarizerToolset()


@pytest.mark.anyio
async def test_a_store_that_cannot_be_opened_is_for_the_developer(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(toolset, '_stores', {})
    (tmp_path / 'file').write_text('')
    wrong = settings.model_copy(update={'store': str(tmp_path / 'file' / 'store.sqlite3')})
    agent = Agent(scripted(call('summarize', content=CHRONICLE), 'Done.'), toolsets=[SummarizerToolset(settings=wrong)])

    with pytest.raises(ConfigurationError, match='SUMMARIZER_STORE'):
        await agent.run('Read.')
