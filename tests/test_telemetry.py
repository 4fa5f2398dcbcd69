"""Traces and logs: what they show of a request, and what they must not show."""

import io
import json
import logging
import os
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
from dirty_equals import IsFloat, IsInt, IsStr
from inline_snapshot import snapshot
from logfire.testing import CaptureLogfire
from pydantic_ai.exceptions import ModelHTTPError
from pydantic_ai.messages import ModelMessage, ModelResponse, ToolCallPart
from pydantic_ai.models import Model
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.usage import RequestUsage

from summarizer_tool import Settings, Summarizer, telemetry
from tests.support import map_models
from tests.support.traces import own, tree

SECRET = 'Gannet Dyke'
"""A name that stands in the sources, and so must stand nowhere else."""

NOW = IsStr(regex=r'\d{4}-\d\d-\d\dT[\d:.]+\+00:00')
SOME = IsInt(gt=0)
"""A count that depends on how good the embedded model is, which other tests say."""

OWN = {'summarize', 'map chunk', 'degrade chunk', 'reduce group', 'fit'}


def attributes(capfire: CaptureLogfire) -> dict[str, dict[str, Any]]:
    """The attributes of the first span of each of our names."""
    first: dict[str, dict[str, Any]] = {}
    for span in sorted(capfire.exporter.exported_spans_as_dict(), key=lambda span: span['start_time']):
        if span['name'] in OWN:
            first.setdefault(span['name'], own(span))
    return first


def everything(capfire: CaptureLogfire) -> str:
    return json.dumps(capfire.exporter.exported_spans_as_dict(include_instrumentation_scope=True), default=str)


@pytest.fixture
def lines() -> Iterator[io.StringIO]:
    """What the JSON handler writes."""
    logger = telemetry.logger
    before = (list(logger.handlers), logger.level)
    handler = telemetry.json_lines()
    assert isinstance(handler, logging.StreamHandler)
    handler.setStream(written := io.StringIO())
    logger.handlers[:] = [handler]
    logger.setLevel('INFO')
    yield written
    logger.handlers[:], level = before
    logger.setLevel(level)


def summarize(crawl: dict[str, str], budget: int, model: Model | None = None, **settings: Any) -> None:
    # One call at a time, so that the first chunk is always the first to start.
    chosen = Settings.load(llm_model='extractive', max_concurrent_llm_calls=1, **settings)
    summarizer = Summarizer(chosen, model=model)
    summarizer.summarize_sync(list(crawl.values()), max_output_tokens=budget)


@pytest.mark.parametrize(
    ('name', 'cost', 'total'),
    [('gpt-4o-mini', None, 0.00195), ('unpriced', None, None), ('unpriced', Decimal('0.25'), 0.5)],
    ids=['by its price', 'unknown', 'as the provider says'],
)
def test_what_a_summary_has_cost_is_on_its_span(
    name: str, cost: Decimal | None, total: float | None, capfire: CaptureLogfire
) -> None:
    def answer(_: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        call = ToolCallPart(info.output_tools[0].name, {'facts': [{'text': 'The mill stands empty.', 'evidence': [1]}]})
        usage = RequestUsage(input_tokens=5000, output_tokens=375, cost=cost)
        return ModelResponse(parts=[call], usage=usage, model_name=name, provider_name='openai')

    text = 'The mill stands empty.\n\n' * 2 + 'Reeds grow by the water in summer.\n\n' * 100
    settings = Settings.load(llm_model='extractive', default_chunk_size_tokens=500)
    model = FunctionModel(answer, model_name=name)
    stats = Summarizer(settings, model=model).summarize_sync(text, max_output_tokens=100).stats
    assert (stats.map_calls, stats.cost) == (2, total)
    usage = {key: value for key, value in attributes(capfire)['summarize'].items() if key.startswith(('gen_ai', 'op'))}
    assert usage == {
        'gen_ai.request.model': name,
        'gen_ai.response.model': name,
        'gen_ai.usage.input_tokens': 10_000,
        'gen_ai.usage.output_tokens': 750,
        **({} if total is None else {'operation.cost': total}),
    }


def test_spans_of_a_summary(capfire: CaptureLogfire, crawl: dict[str, str]) -> None:
    summarize(crawl, 4000)
    assert tree(capfire.exporter.exported_spans_as_dict()) == snapshot(
        ['summarize', '  map chunk', '    invoke_agent chunk_summarizer', '      chat extractive', '  fit']
    )
    assert attributes(capfire) == snapshot(
        {
            'summarize': {
                'documents': 12,
                'tokens_in': SOME,
                'budget': 4000,
                'model': 'extractive',
                'for_extraction': False,
                'tokens_out': SOME,
                'ratio': IsFloat(gt=4),
                'chunks': 3,
                'cached_calls': 0,
                'from_cache': False,
                'state': 'complete',
                'degraded_parts': 0,
                'gen_ai.request.model': 'extractive',
                'operation.cost': 0.0,
                'gen_ai.response.model': 'extractive',
            },
            'map chunk': {
                'chunk': 1,
                'chunks': 3,
                'tokens_in': SOME,
                'target_tokens': SOME,
                'model': 'extractive',
                'facts': SOME,
                'tokens_out': SOME,
                'state': 'summarized',
                'reason': '',
            },
            'fit': {'facts': SOME, 'budget': 4000, 'tokens_out': SOME},
        }
    )
    assert SECRET not in everything(capfire)


def test_spans_of_a_merge(capfire: CaptureLogfire, crawl: dict[str, str]) -> None:
    summarize(crawl, 400, map_models.model_of(map_models.good), default_chunk_size_tokens=700)
    assert tree(capfire.exporter.exported_spans_as_dict()) == snapshot(
        [
            'summarize',
            '  map chunk',
            '    invoke_agent chunk_summarizer',
            '      chat scripted',
            '  reduce group',
            '    invoke_agent merger',
            '  degrade chunk',
            '  fit',
        ]
    )
    spans = attributes(capfire)
    assert {name: spans[name] for name in ('reduce group',)} == snapshot(
        {
            'reduce group': {
                'tokens_in': SOME,
                'facts': SOME,
                'target_tokens': 97,
                'model': 'scripted',
                'facts_out': SOME,
                'tokens_out': SOME,
            }
        }
    )


def test_content_only_where_it_is_wanted(capfire: CaptureLogfire, crawl: dict[str, str]) -> None:
    assert any(SECRET in text for text in crawl.values())
    summarize(crawl, 2000, trace_content=True)
    assert SECRET in everything(capfire)


def test_an_error_in_a_span_is_its_type(capfire: CaptureLogfire) -> None:
    with pytest.raises(ValueError, match='hunter2'), telemetry.span('work', size=3):
        raise ValueError('hunter2')
    [span] = capfire.exporter.exported_spans_as_dict()
    assert 'hunter2' not in everything(capfire)
    assert span['attributes'] == snapshot(
        {'size': 3, 'logfire.span_type': 'span', 'logfire.msg': 'work', 'logfire.level_num': 17}
    )
    raw = capfire.exporter.exported_spans[-1]  # the first is the pending span that Logfire shows while work goes on
    assert raw.status.description == 'ValueError'


def test_an_error_of_the_provider_that_quotes_the_content_is_not_traced(
    capfire: CaptureLogfire, crawl: dict[str, str], lines: io.StringIO
) -> None:
    def fail(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        raise ModelHTTPError(400, 'some-model', {'message': f'prompt not allowed: {SECRET}'})

    summarizer = Summarizer(Settings.load(on_failure='extractive'), model=FunctionModel(fail, model_name='some-model'))
    summarizer.summarize_sync(list(crawl.values()), max_output_tokens=1000)
    assert SECRET not in everything(capfire)
    assert SECRET not in lines.getvalue()
    assert 'HTTP 400' in lines.getvalue()


def test_logs_are_json_lines(crawl: dict[str, str], lines: io.StringIO) -> None:
    summarize(crawl, 2000)
    Summarizer(Settings.load(llm_model='extractive')).summarize_sync('Short.')
    records = [json.loads(line) for line in lines.getvalue().splitlines()]
    assert [record.pop('timestamp') for record in records] == [NOW] * 2
    assert [(record.pop('logger'), record.pop('service_id')) for record in records] == (
        [('summarizer_tool', 'mcp_summarizer')] * 2
    )
    counted = {'input_size', 'output_size', 'ratio', 'seconds'}
    assert all(counted <= record.keys() for record in records)
    assert [
        ' '.join(f'{name}={value}' for name, value in record.items() if name not in counted) for record in records
    ] == snapshot(
        [
            'message=summarized level=INFO state=complete chunks=3 from_cache=False model=extractive',
            'message=summarized level=INFO state=unchanged chunks=0 from_cache=False model=extractive',
        ]
    )
    assert SECRET not in lines.getvalue()


def test_a_program_without_traces_loads_no_logfire() -> None:
    """It takes a tenth of the time of a command; whoever asks for it later gets it."""
    program = """
        import sys
        from summarizer_tool import Settings, telemetry
        telemetry.configure(Settings.load())
        import pydantic_ai
        assert pydantic_ai.Agent and 'logfire' not in sys.modules
        import logfire
        assert logfire.configure
    """
    env = {name: value for name, value in os.environ.items() if not name.startswith(('LOGFIRE_', 'OTEL_'))}
    env['PYDANTIC_DISABLE_PLUGINS'] = 'logfire-plugin'
    subprocess.run([sys.executable, '-c', textwrap.dedent(program)], env=env, timeout=60, check=True)


def test_a_library_is_silent_until_a_program_configures_it() -> None:
    """Before, nothing on stdout or stderr, no warning, and no network; then logs on stderr, and nothing on stdout."""
    program = """
        import warnings
        warnings.simplefilter('error')
        from summarizer_tool import Settings, Summarizer, telemetry
        text = 'The Deadmines lie under Westfall, and 12 miners went in. ' * 200
        summary = Summarizer().summarize_sync(text, max_output_tokens=100)
        assert summary.text and summary.stats.model == 'extractive'
        warnings.simplefilter('default')
        telemetry.configure(Settings.load(log_level='info'))
        telemetry.logger.debug('not asked for')
        telemetry.logger.info('é', extra={'input_size': 3})
        with telemetry.span('work'):
            pass
    """
    done = subprocess.run(
        [sys.executable, '-c', textwrap.dedent(program)], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout) == (0, '')
    assert [json.loads(line) for line in done.stderr.splitlines()] == snapshot(
        [
            {
                'message': 'é',
                'level': 'INFO',
                'logger': 'summarizer_tool',
                'service_id': 'mcp_summarizer',
                'input_size': 3,
                'timestamp': NOW,
            }
        ]
    )
