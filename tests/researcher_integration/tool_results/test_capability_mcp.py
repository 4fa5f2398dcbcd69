"""Results of MCP servers: a real one over HTTP, and no secret of it anywhere."""

import base64
import importlib.util
import json
import logging
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from dirty_equals import IsStr
from inline_snapshot import snapshot
from logfire.testing import CaptureLogfire
from pydantic_ai import Agent, UnexpectedModelBehavior
from pydantic_ai.capabilities import AbstractCapability, Instrumentation
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.messages import BinaryContent, ModelMessagesTypeAdapter, ToolCallPart
from pydantic_ai.models.instrumented import InstrumentationSettings

from researcher_integration.timeline.events import Draft, encoded
from researcher_integration.tool_results.called import masked_calls
from researcher_integration.tool_results.capability import COLLECTION
from researcher_integration.tool_results.rules import ToolResultRules
from summarizer_tool import SourceStore
from tests.proofs.tool_results import mcp_noise
from tests.proofs.tool_results.agents import agent, calling, returned, summarizing
from tests.proofs.tool_results.mcp_noise import LOG_FACTS, SECRETS, SHIPMENT_FACTS, Noise
from tests.proofs.tool_results.noise_forms import surviving

# The server of these tests runs in their process, and gets the trace of its client.
pytestmark = [pytest.mark.anyio, pytest.mark.filterwarnings('ignore:Found propagated trace context')]

OF_THE_SERVER = ('mcp.server', 'sse_starlette', 'uvicorn')
"""Loggers of what would be another process."""


@pytest.fixture(scope='module')
def noise() -> Iterator[Noise]:
    with mcp_noise.serve() as served:
        yield served


class Told:
    """Events, in order."""

    def __init__(self) -> None:
        self.drafts: list[Draft] = []

    async def emit(self, draft: Draft) -> None:
        self.drafts.append(draft)

    @property
    def text(self) -> str:
        return '\n'.join(encoded(draft).decode() for draft in self.drafts)


def stored(store: SourceStore) -> str:
    """All that is in a store: titles and texts."""
    collection = store.collection(COLLECTION)
    return '\n'.join(f'{source.title}\n{collection.document(source.id).text}' for source in collection.sources(1000))


def leaks(text: str) -> list[str]:
    """Which secrets stand in a text, also as JSON writes them."""
    return [kind for kind, secret in SECRETS.items() if secret in text or json.dumps(secret)[1:-1] in text]


async def test_what_a_model_sees_of_a_huge_log_and_a_huge_list(noise: Noise) -> None:
    script = calling('read_log', 'list_shipments')
    store = SourceStore()
    rules_ = ToolResultRules()
    run = await agent(script, summarizing(rules=rules_, store=store), toolsets=[noise.toolset()]).run('What is wrong?')
    log, shipments = returned(run.all_messages())
    assert log.content.splitlines()[:8] == snapshot(
        [
            '[harbour/read_log: 24,485 tokens, summarized in 995. The whole result is src_f65f418be550: search_source finds lines in it, read_source shows them.]',
            'log of 652 lines; 2026-03-14T02:00:01.521Z to 2026-03-14T02:25:59.834Z; INFO ×369, DEBUG ×171, WARN ×95, ERROR ×4, FATAL ×1; 21 templates',
            '567| 2026-03-14T02:22:56.886Z FATAL [tide-feed] lost connection to gauge X10127, giving up after 5 attempts',
            '173| 2026-03-14T02:07:05.418Z ERROR [manifest-store] write to volume R86693 failed: no space left on device',
            '258| 2026-03-14T02:10:48.954Z ERROR [berth-api] customs gateway rejected declaration 95907: tariff code unknown',
            '169| 2026-03-14T02:06:55.559Z ERROR [crane-scheduler] spreader lock of crane unit V85402 did not confirm within 30s',
            '573| 2026-03-14T02:23:19.255Z ERROR [berth-api] could not reserve berth for vessel 97835: quota of the operator is used up',
            '258| 2026-03-14T02:10:48.954Z ERROR [berth-api] customs gateway rejected declaration 95907: tariff code unknown | harbour.errors.DamagedError: 95907 [File "/srv/harbour/store.py", line 393, in step]',
        ]
    )
    assert {key: value if key != 'items' else value.splitlines()[:8] for key, value in shipments.content.items()} == (
        snapshot(
            {
                'cluster': 'kelder',
                'count': 500,
                'items': [
                    '[harbour/list_shipments: 52,891 tokens, summarized in 631. The whole result is src_245898c4bf03: search_source finds lines in it, read_source shows them.]',
                    'items.items: 500 items with 13 fields, named by id',
                    'shp-40215: carrier=Gull Line, from=Kelder, error=scanner refused tag T1827',
                    'shp-40067: carrier=Gull Line, from=Kelder, error=seal 40a1c4 does not match the bill of lading',
                    'shp-40224: status=in_transit, carrier=Skua Cargo, from=Kelder, error=no crane free in window 41',
                    'shp-40079: carrier=Petrel Freight, from=Kelder, error=seal 4172a1 does not match the bill of lading',
                    'shp-40215: error=scanner refused tag T1827 (usually null)',
                    'shp-40434: carrier=Charter 161',
                ],
            }
        )
    )
    assert surviving(LOG_FACTS, log.content) >= 0.9
    assert surviving(SHIPMENT_FACTS, shipments.content['items']) >= 0.9
    assert [source.title for source in store.collection(COLLECTION).sources()] == snapshot(
        ['harbour/list_shipments()', 'harbour/read_log()']
    )


SMALL, LARGE = 400, 10**6
"""Thresholds: what leaks is summarized, or goes on as it is."""


class Logged(AbstractCapability[Any]):
    """Logs what it sees of each tool call, as an operator's own capability may."""

    async def wrap_tool_execute(
        self, ctx: Any, *, call: ToolCallPart, tool_def: Any, args: dict[str, Any], handler: Callable[..., Any]
    ) -> Any:
        try:
            result = await handler(args)
        except Exception as error:
            logging.getLogger('harbour').debug('%s failed: %r', call.tool_name, error, exc_info=error)
            raise
        logging.getLogger('harbour').debug('%s returned %s', call.tool_name, result)
        return result

    async def after_tool_execute(
        self, ctx: Any, *, call: ToolCallPart, tool_def: Any, args: dict[str, Any], result: Any
    ) -> Any:
        logging.getLogger('harbour').debug('%s gave the agent %s', call.tool_name, result)
        return result


async def searched(
    noise: Noise,
    tool: str,
    capfire: CaptureLogfire,
    caplog: pytest.LogCaptureFixture,
    *,
    masks: bool = True,
    threshold: int = LARGE,
) -> dict[str, str]:
    """All that a run with a leaking tool has left, by place."""
    caplog.set_level(logging.INFO)
    for name in ('harbour', 'researcher_integration', 'summarizer_tool'):
        caplog.set_level(logging.DEBUG, name)
    told, store = Told(), SourceStore()
    script = calling(tool)
    of_masking = ToolResultRules.model_validate(
        {
            'defaults': {
                'summarization': {'size_threshold_tokens': threshold, 'summary_max_token_limit': 200},
                'data_masking': {'enabled': masks},
            }
        }
    )
    run = await agent(
        script,
        Instrumentation(settings=InstrumentationSettings(include_content=True)),
        Logged(),
        summarizing(rules=of_masking, store=store, timeline=told),
        toolsets=[noise.toolset()],
    ).run('What is wrong?')
    messages = ModelMessagesTypeAdapter.dump_json(run.all_messages()).decode()
    return {
        'messages': messages + str(script.requests) + str(script.prompts),
        'store': stored(store),
        'traces': json.dumps(capfire.exporter.exported_spans_as_dict(parse_json_attributes=False), default=str)
        + json.dumps(capfire.log_exporter.exported_logs_as_dicts(), default=str),
        'logs': '\n'.join(
            f'{record.getMessage()} {vars(record)}'
            for record in caplog.records
            if not record.name.startswith(OF_THE_SERVER)
        ),
        'events': told.text,
    }


@pytest.mark.parametrize(
    ('tool', 'threshold'),
    [
        ('leak_text', SMALL),
        ('leak_text', LARGE),
        ('leak_log', SMALL),
        ('leak_structure', SMALL),
        ('leak_structure', LARGE),
        ('leak_error', SMALL),
    ],
)
async def test_secrets_are_nowhere(
    noise: Noise, tool: str, threshold: int, capfire: CaptureLogfire, caplog: pytest.LogCaptureFixture
) -> None:
    places = await searched(noise, tool, capfire, caplog, threshold=threshold)
    assert {place: leaks(text) for place, text in places.items()} == {place: [] for place in places}
    # What is no secret is there.
    assert 'V-7731' in places['messages'] + places['store']
    assert tool in places['logs']
    assert 'execute_tool' in places['traces']


@pytest.mark.parametrize('tool', ['leak_text', 'leak_structure', 'leak_error'])
async def test_all_secrets_would_be_found_in_each_place(
    noise: Noise, tool: str, capfire: CaptureLogfire, caplog: pytest.LogCaptureFixture
) -> None:
    places = await searched(noise, tool, capfire, caplog, masks=False)
    empty = ('store',) if tool == 'leak_error' else ()  # errors are not stored
    assert {place: leaks(text) for place, text in places.items()} == {
        place: [] if place in empty else [*SECRETS] for place in places
    }


async def test_an_error_that_ends_the_run_says_no_secret_either(
    noise: Noise, capfire: CaptureLogfire, caplog: pytest.LogCaptureFixture
) -> None:
    async def leak() -> str:
        try:
            raise KeyError(SECRETS['aws'])
        except KeyError as error:
            raise ConnectionError(f'no access for {SECRETS["github"]}') from error

    script = calling('leak')
    with pytest.raises(ConnectionError) as raised:
        await agent(script, Instrumentation(), summarizing(), tools=[leak]).run('Go')
    assert str(raised.value) == snapshot('no access for [MASKED_GITHUB_TOKEN]')
    assert str(raised.value.__cause__) == snapshot("'[MASKED_AWS_KEY]'")
    assert leaks(json.dumps(capfire.exporter.exported_spans_as_dict(), default=str) + caplog.text) == []


async def test_retries_are_masked(noise: Noise) -> None:
    from pydantic_ai import ModelRetry

    async def shy(**_: Any) -> str:
        raise ModelRetry(f'again, not with {SECRETS["stripe"]}: ' + 'the berth is closed. ' * 200)

    script = calling('shy', 'shy')
    with pytest.raises(UnexpectedModelBehavior) as raised:
        await agent(script, summarizing(), tools=[shy]).run('Go')
    assert leaks(str(raised.value) + str(raised.value.__cause__)) == []
    [retry] = returned(script.requests[1])
    assert str(retry.content)[:80] == snapshot("""\
<tool_output tool="shy">
[shy: 1,013 tokens, summarized in 49. The whole result \
""")
    assert len(str(retry.content)) < 1000


async def test_files_pass_and_small_results_too(noise: Noise) -> None:
    script = calling('photo', 'status')
    run = await agent(script, summarizing(), toolsets=[noise.toolset()]).run('Go')
    photo, status = returned(run.all_messages())
    assert isinstance(photo.content, BinaryContent)
    assert photo.content.data == mcp_noise.PIXEL
    assert status.content == 'all berths are free'


def wrapped(noise: Noise) -> Sequence[tuple[str, Any]]:
    """The same server as agents have it."""
    return [
        ('read_log', noise.toolset()),
        ('quay_read_log', noise.toolset().prefixed('quay')),
        ('fetch', noise.toolset().renamed({'fetch': 'read_log'})),
        ('quay_read_log', noise.toolset().filtered(lambda ctx, tool: True).prefixed('quay')),
    ]


@pytest.mark.parametrize('way', range(4))
async def test_rules_go_by_the_server_however_its_tools_are_called(noise: Noise, way: int) -> None:
    name, toolset = wrapped(noise)[way]
    told = Told()
    of_server = ToolResultRules.model_validate(
        {'mcp_servers': {'harbour': {'summarization': {'summary_max_token_limit': 60}}}}
    )
    script = calling(name)
    capability = summarizing(rules=of_server, timeline=told)
    run = await agent(script, capability, toolsets=[toolset]).run('Go')
    [log] = returned(run.all_messages())
    assert log.content == IsStr(regex=rf'(?s)\[harbour/{name}: 24,\d+ tokens, summarized in (\d\d)\..*')
    assert [(draft.server, draft.tool) for draft in told.drafts if draft.type == 'tool_call'] == [('harbour', name)] * 2


async def test_a_server_without_an_id_goes_by_its_host(noise: Noise) -> None:
    script = calling('read_log')
    run = await agent(script, summarizing(), toolsets=[noise.toolset(None)]).run('Go')
    assert returned(run.all_messages())[0].content.startswith('[127.0.0.1/read_log: ')


async def test_what_a_front_end_is_told(noise: Noise) -> None:
    told = Told()
    script = calling('read_log', 'leak_error', service=SECRETS['github'])
    await agent(script, summarizing(timeline=lambda ctx: told), toolsets=[noise.toolset()]).run('Go')
    assert [
        (draft.type, *(getattr(draft, name, None) for name in ('status', 'is_error', 'arguments', 'size_tokens')))
        for draft in told.drafts
        if draft.type != 'summary.delta'
    ] == snapshot(
        [
            ('tool_call', 'started', False, {'service': '[MASKED_GITHUB_TOKEN]'}, None),
            ('tool_call', 'completed', False, None, 24485),
            ('tool_result', None, False, None, None),
            ('tool_call.summarizing', None, None, None, None),
            ('tool_summary', None, None, None, None),
            ('tool_call', 'started', False, {'service': '[MASKED_GITHUB_TOKEN]'}, None),
            ('tool_call', 'completed', True, None, 230),
            ('tool_result', None, True, None, None),
        ]
    )
    deltas = [draft for draft in told.drafts if draft.type == 'summary.delta']
    assert [draft.index for draft in deltas] == [*range(len(deltas))]
    assert deltas


async def test_the_span_of_a_summary_stands_under_its_tool_call(noise: Noise, capfire: CaptureLogfire) -> None:
    script = calling('read_log')
    await agent(script, Instrumentation(), summarizing(), toolsets=[noise.toolset()]).run('Go')
    spans = capfire.exporter.exported_spans_as_dict(parse_json_attributes=True)
    [summary] = [span for span in spans if span['name'] == 'summarize tool result']
    by_id = {span['context']['span_id']: span['name'] for span in spans}
    assert by_id[summary['parent']['span_id']] == snapshot('execute_tool read_log')
    assert {
        key: value for key, value in summary['attributes'].items() if not key.startswith(('logfire', 'code', 'gen_ai'))
    } == (
        snapshot(
            {
                'interaction.type': 'summarization',
                'server': 'harbour',
                'tool': 'read_log',
                'tokens_in': 24485,
                'threshold': 300,
                'model': 'scripted',
                'state': 'complete',
                'reason': '',
                'tokens_out': 117,
                'requests': 1,
                'input_tokens': 1404,
                'output_tokens': 36,
            }
        )
    )


async def test_the_agent_looks_things_up_in_what_was_kept(noise: Noise) -> None:
    script = calling('read_log')
    store = SourceStore()
    capability = summarizing(store=store)
    await agent(script, capability, toolsets=[noise.toolset()]).run('Go')
    [source] = store.collection(COLLECTION).sources()
    needle = LOG_FACTS[0].needles[0]
    later = calling('search_source', source_id=source.id, text=needle, max_tokens=400)
    run = await Agent(later.model, capabilities=[capability]).run('And?')
    [found] = returned(run.all_messages())
    assert needle in found.content
    assert found.metadata is None
    reader = calling('read_source', source_id=source.id, start_line=2, max_tokens=20_000)
    run = await Agent(reader.model, capabilities=[capability]).run('And?')
    assert len(returned(run.all_messages())[0].content) > 20_000
    assert reader.prompts == []


@pytest.mark.skipif(importlib.util.find_spec('dbos') is None, reason='dbos is not installed')
async def test_no_secret_is_in_the_journal_of_a_durable_run(noise: Noise, tmp_path: Path) -> None:
    from dbos import DBOS, DBOSConfig
    from pydantic_ai.durable_exec.dbos import DBOSDurability

    script = calling('leak_text', 'leak_structure', 'leak_error')
    masks = masked_calls(ToolResultRules(), 'harbour')
    toolset: MCPToolset[None] = MCPToolset(noise.url, id='harbour', process_tool_call=masks)
    DBOS(config=DBOSConfig(name='leaks', system_database_url=f'sqlite:///{tmp_path / "dbos.sqlite"}'))
    try:
        durable = Agent(script.model, name='leaks', capabilities=[summarizing(), DBOSDurability()], toolsets=[toolset])

        @DBOS.workflow()
        async def investigated(prompt: str) -> str:
            return (await durable.run(prompt)).output

        DBOS.launch()
        assert await investigated('What is broken?') == 'done'
    finally:
        DBOS.destroy()
    assert len(script.requests) == 4
    kept = journal(tmp_path)
    assert kept.count('V-7731') > 2
    assert leaks(kept) == []


def journal(folder: Path) -> str:
    """All that a durable engine has written down."""
    written = ''
    with closing(sqlite3.connect(folder / 'dbos.sqlite')) as db:
        for (table,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            for row in db.execute(f'SELECT * FROM "{table}"'):
                written += '\n'.join(_decoded(str(value)) for value in row)
    return written


def _decoded(value: str) -> str:
    """Pickles stand there in base64."""
    try:
        return base64.b64decode(value, validate=True).decode(errors='replace')
    except ValueError:
        return value
