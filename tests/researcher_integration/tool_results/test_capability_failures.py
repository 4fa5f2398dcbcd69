"""Summaries that cannot be had: models that are down, slow, empty or talk nonsense; stores and masks that fail."""

import asyncio
import base64
import random
from collections.abc import Callable
from typing import Any

import anyio
import pytest
from inline_snapshot import snapshot
from pydantic_ai import Tool, ToolReturn, UsageLimits
from pydantic_ai.exceptions import ModelHTTPError
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models import Model
from pydantic_ai.models.function import AgentInfo, FunctionModel

from researcher_integration.masking.masking import Masker, MaskingError
from researcher_integration.timeline.events import Draft
from researcher_integration.tool_results import observation
from researcher_integration.tool_results import rules as rules_module
from researcher_integration.tool_results.capability import COLLECTION, SummarizeToolResults
from researcher_integration.tool_results.rules import ToolResultRules
from researcher_integration.tool_results.summarizing import ResultSummarizer
from summarizer_tool import ConfigurationError, Settings, SourceStore, StoreError
from summarizer_tool.llm import models
from summarizer_tool.text import tokens
from tests.proofs.tool_results.agents import Script, agent, calling, facts, first_line, returned, rules, summarizing
from tests.researcher_integration.tool_results.test_capability import ROWS, STORY

pytestmark = pytest.mark.anyio

Answer = Callable[[str, AgentInfo], ModelResponse]


def down(prompt: str, info: AgentInfo) -> ModelResponse:
    raise ModelHTTPError(503, 'scripted', {'message': 'the harbour is closed'})


def empty(prompt: str, info: AgentInfo) -> ModelResponse:
    return facts(info)


def garbage(prompt: str, info: AgentInfo) -> ModelResponse:
    return ModelResponse([TextPart('Ahoy! <tool_call>{"facts": [[[')])


def invented(prompt: str, info: AgentInfo) -> ModelResponse:
    return facts(info, ('The dragon Vhaal ate 7,000 sailors of Morrowfell.', 1))


def broken(prompt: str, info: AgentInfo) -> ModelResponse:
    raise RuntimeError('a mistake in the code of the provider')


FAILURES: dict[str, Answer] = {'down': down, 'empty': empty, 'garbage': garbage, 'invented': invented, 'broken': broken}


async def looked(
    answer: Answer, *, result: object = STORY, **options: Any
) -> tuple[ToolReturn[Any], SummarizeToolResults[Any]]:
    """What is seen of a result when the summarizer answers in some way."""
    script = calling('look')
    script.summarize = answer
    capability = summarizing(**options)
    run = await agent(script, capability, tools=[Tool(lambda: result, name='look')]).run('What is broken?')
    assert run.output == 'done'
    [part] = returned(run.all_messages())
    return ToolReturn(part.content, metadata=part.metadata), capability


@pytest.mark.parametrize('failure', FAILURES)
async def test_open_lets_the_result_go_on(failure: str, caplog: pytest.LogCaptureFixture) -> None:
    seen, _ = await looked(FAILURES[failure])
    assert (seen.return_value, seen.metadata) == (STORY, None)
    assert (
        'the result of look goes on as it is, with all its 1,500 tokens: it could not be summarized' in caplog.messages
    )
    assert 'northern pier' not in caplog.text


@pytest.mark.parametrize('failure', FAILURES)
async def test_closed_keeps_it_back(failure: str) -> None:
    store = SourceStore()
    seen, _ = await looked(FAILURES[failure], rules=rules(on_failure='closed'), store=store)
    assert seen.return_value.startswith('[look: the result has 1,500 tokens, too many for this conversation')
    assert (seen.metadata['summarization']['state'], 'lamp 7' in seen.return_value) == ('withheld', False)
    kept = store.collection(COLLECTION).document(seen.metadata['summarization']['source_id'])
    assert kept.text == STORY


@pytest.mark.parametrize('failure', FAILURES)
async def test_extractive_stands_in(failure: str) -> None:
    seen, _ = await looked(FAILURES[failure], rules=rules(on_failure='extractive'))
    told = seen.metadata['summarization']
    assert (told['state'], told['model']) == ('degraded', 'extractive')
    assert tokens.count(seen.return_value.partition('\n')[2]) <= 120
    assert 'lamp' in seen.return_value


async def test_what_is_said_instead() -> None:
    closed, _ = await looked(down, rules=rules(on_failure='closed'))
    assert closed.return_value == snapshot(
        '[look: the result has 1,500 tokens, too many for this conversation, and could not be summarized (HTTP 503). It is kept as src_38dc4ecafbf4: search_source finds lines in it, read_source shows them. Or ask the tool for less: a filter, a shorter time, fewer items.]'
    )


@pytest.mark.parametrize('policy', ['open', 'closed', 'extractive'])
async def test_a_slow_model_is_not_waited_for(policy: str) -> None:
    class Slow(FunctionModel):
        async def request(self, messages: list[ModelMessage], *rest: Any, **options: Any) -> ModelResponse:
            response = await super().request(messages, *rest, **options)
            if isinstance(response.parts[0], ToolCallPart) and 'facts' in str(response.parts[0].args):
                await anyio.sleep(60)
            return response

    script = calling('look')
    settings = Settings(llm_model='extractive', deadline_seconds=0.4)
    capability = summarizing(rules=rules(on_failure=policy), settings=settings)
    slow = Slow(script.model.function, model_name='slow')
    told = agent(script, capability, tools=[Tool(lambda: STORY, name='look')])
    with anyio.fail_after(30):
        run = await told.run('Go', model=slow)
    [part] = returned(run.all_messages())
    states = {'open': None, 'closed': 'withheld', 'extractive': 'degraded'}
    assert (part.metadata or {'summarization': {'state': None}})['summarization']['state'] == states[policy]


async def test_machine_output_loses_nothing_without_a_model() -> None:
    script = calling('look')
    script.summarize = down
    of_few = rules(summary_max_token_limit=60, on_failure='extractive')
    run = await agent(script, summarizing(rules=of_few), tools=[Tool(lambda: ROWS, name='look')]).run('Go')
    assert 'B-041: state=sunk' in str(returned(run.all_messages())[0].content)


@pytest.fixture
def named(monkeypatch: pytest.MonkeyPatch) -> dict[str, Script]:
    """Models that can be had by name, and what they were asked."""
    scripts = {name: Script([], name=name) for name in ('test:first', 'test:second', 'test:third')}

    def build(settings: Settings, name: str, *_: object, **__: object) -> Model:
        if name not in scripts:
            raise ConfigurationError(f'LLM_MODEL={name}: no such model')
        return scripts[name].model

    monkeypatch.setattr(models, 'build', build)
    monkeypatch.setattr(rules_module, 'build_model', build)
    return scripts


def with_models(model: str | None = None, *fallback: str, **servers: Any) -> ToolResultRules:
    sizes = {'size_threshold_tokens': 300, 'summary_max_token_limit': 120}
    return ToolResultRules.model_validate(
        {
            'defaults': {'summarization': sizes, 'model': model, 'fallback_models': fallback},
            'mcp_servers': servers,
        }
    )


async def test_the_first_that_answers_is_kept_to_for_the_run(named: dict[str, Script]) -> None:
    named['test:first'].summarize = down
    script = calling('look', 'look', 'look')
    capability = summarizing(rules=with_models('test:first', 'test:second', 'test:third'))
    stories = iter([STORY, f'{STORY} It rained.', f'{STORY} It snowed.'])
    harbour = agent(script, capability, tools=[Tool(lambda: next(stories), name='look')])
    run = await harbour.run('Go')
    assert {name: len(asked.prompts) for name, asked in named.items()} == snapshot(
        {'test:first': 1, 'test:second': 3, 'test:third': 0}
    )
    assert [part.metadata['summarization']['model'] for part in returned(run.all_messages())] == ['test:second'] * 3
    # The agent's own model has summarized nothing, and stays what it was.
    assert (script.prompts, {m.model_name for m in run.all_messages() if isinstance(m, ModelResponse)}) == (
        [],
        {'scripted'},
    )
    stories = iter([f'{STORY} It hailed.'] * 3)
    await harbour.run('Again')
    assert len(named['test:first'].prompts) == 2


async def test_a_server_has_a_model_of_its_own(named: dict[str, Script]) -> None:
    from pydantic_ai import FunctionToolset

    toolset: FunctionToolset[None] = FunctionToolset([Tool(lambda: STORY, name='look')], id='logs')
    own = with_models('test:first', logs={'summarization': {'model': 'test:third'}})
    script = calling('look')
    await agent(script, summarizing(rules=own), toolsets=[toolset]).run('Go')
    assert {name: len(asked.prompts) for name, asked in named.items()} == {
        'test:first': 0,
        'test:second': 0,
        'test:third': 1,
    }


async def test_a_wrong_name_shows_when_it_is_made(named: dict[str, Script]) -> None:
    with pytest.raises(ConfigurationError, match='test:wrong'):
        summarizing(rules=with_models('test:first', 'test:wrong'))


async def test_summaries_do_not_use_up_the_limits_of_the_run() -> None:
    script = calling('look', 'look', 'look')
    told = agent(script, summarizing(), tools=[Tool(lambda: STORY + str(len(script.requests)), name='look')])
    run = await told.run('Go', usage_limits=UsageLimits(request_limit=4))
    assert (len(script.requests), len(script.prompts), run.usage.requests) == (4, 2, 6)


async def test_a_limit_ends_no_run_and_says_what_raises_it(caplog: pytest.LogCaptureFixture) -> None:
    script = calling('look', 'look')
    limits = UsageLimits(request_limit=1)
    capability = summarizing(rules=rules(on_failure='closed'), usage_limits=limits)
    told = agent(script, capability, tools=[Tool(lambda: STORY + str(len(script.requests)), name='look')])
    first, second = returned((await told.run('Go')).all_messages())
    assert (first.metadata['summarization']['state'], second.metadata['summarization']['state']) == snapshot(
        ('complete', 'degraded')
    )
    assert second.metadata['summarization']['reason'] == snapshot(
        "The next request would exceed the request_limit of 1; SummarizeToolResults(usage_limits=...) raises it, or the run's own limits, of which summaries have half"
    )
    assert 'keeper of lamp' in str(second.content)
    assert [message for message in caplog.messages if 'limit' in message] == snapshot(
        [
            "a limit has stopped the summary of a tool result: The next request would exceed the request_limit of 1; SummarizeToolResults(usage_limits=...) raises it, or the run's own limits, of which summaries have half"
        ]
    )


async def test_results_at_once_count_together() -> None:
    script = Script([[ToolCallPart('look', {'at': at}) for at in range(6)]])
    capability = summarizing(usage_limits=UsageLimits(request_limit=4))
    told = agent(script, capability, tools=[Tool(lambda at: f'{STORY}\n{at}', name='look')])
    run = await told.run('Go')
    assert (len(script.prompts), capability.usage.requests, run.usage.requests) == (4, 4, 6)


PEOPLE = ' '.join(
    f'The keeper of pier {number} wrote that nothing was wrong, and that he was tired.' for number in range(1000)
)
MACHINES = {
    'xml cut': '<berths>' + ''.join(f'<b id="{n}"><s>{"sunk" if n == 77 else "free"}</s></b>' for n in range(1000)),
    'packed': ''.join(f'function a{n}(b){{return b[{n}]?"k{n}":null}};' for n in range(1000)),
    'literal': str([{'berth': n, 'state': 'sunk' if n == 77 else 'free'} for n in range(1000)]),
    'bytes': base64.b64encode(random.Random(1).randbytes(45_000)).decode(),
    'words': PEOPLE,
}


@pytest.mark.parametrize('form', MACHINES)
async def test_a_result_of_any_size_and_form_is_one_request_at_most(form: str) -> None:
    script = calling('look')
    told = agent(script, summarizing(), tools=[Tool(lambda: MACHINES[form], name='look')])
    run = await told.run('Go', usage_limits=UsageLimits(request_limit=4, total_tokens_limit=40_000))
    [seen] = returned(run.all_messages())
    assert tokens.count(str(seen.content)) < 250
    assert len(script.prompts) <= 1
    assert all(tokens.count(prompt) <= 7000 for prompt in script.prompts)
    assert form not in ('xml cut', 'literal') or 'sunk' in str(seen.content)


async def test_a_store_that_fails_costs_the_handle_only(monkeypatch: pytest.MonkeyPatch) -> None:
    store = SourceStore()

    def fails(*_: object, **__: object) -> None:
        raise StoreError('no space left')

    monkeypatch.setattr(type(store.collection()), 'add', fails)
    seen, _ = await looked(first_line, store=store)
    assert seen.return_value.splitlines()[0] == snapshot(
        '[look: 1,500 tokens, summarized in 100. The whole result could not be stored.]'
    )
    assert seen.metadata['summarization']['source_id'] == ''
    closed, _ = await looked(down, store=store, rules=rules(on_failure='closed'))
    assert closed.return_value == snapshot("""\
[look: 1,500 tokens, summarized in 100. The whole result could not be stored.]
The keeper of lamp 0 at Kelder wrote that the northern pier was calm, and that 3 boats lay in. The keeper of lamp 1 at Kelder wrote that the northern pier was calm, and that 4 boats lay in.
The keeper of lamp 2 at Kelder wrote that the northern pier was calm, and that 5 boats lay in.
The keeper of lamp 59 at Kelder wrote that the northern pier was calm, and that 62 boats lay in.\
""")


async def test_what_cannot_be_masked_is_withheld(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fails(self: Masker, value: object) -> Any:
        if 'northern pier' in str(value):
            raise MaskingError('could not be searched for secrets: TimeoutError')
        return value, {}

    monkeypatch.setattr(Masker, 'mask_value', fails)
    store = SourceStore()
    seen, _ = await looked(first_line, store=store)
    assert (seen.return_value, seen.metadata) == snapshot(
        (
            '[look: the result is withheld, because it could not be searched for secrets; the tool itself has worked.]',
            None,
        )
    )
    assert store.collection(COLLECTION).sources() == []
    assert 'northern pier' not in caplog.text


async def test_errors_that_cannot_be_masked_say_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(self: Masker, text: str) -> Any:
        raise MaskingError('could not be searched for secrets: TimeoutError')

    def look() -> str:
        raise ValueError('the northern pier is gone')

    monkeypatch.setattr(Masker, 'mask', fails)
    with pytest.raises(ValueError, match='withheld') as raised:
        await agent(calling('look'), summarizing(), tools=[look]).run('Go')
    assert str(raised.value) == snapshot(
        '[look: the message of an error is withheld, because it could not be searched for secrets.]'
    )


async def test_lost_events_do_no_harm(caplog: pytest.LogCaptureFixture) -> None:
    class Gone:
        async def emit(self, draft: Draft) -> None:
            raise OSError('the front end is gone')

    seen, _ = await looked(first_line, timeline=Gone())
    assert seen.metadata['summarization']['state'] == 'complete'
    assert caplog.messages.count('an event was lost') >= 4


async def test_a_run_that_is_cancelled_ends_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    started = asyncio.Event()

    async def stuck(*_: object, **__: object) -> Any:
        started.set()
        await asyncio.sleep(60)

    script = calling('look')
    capability = summarizing()
    monkeypatch.setattr(ResultSummarizer, 'summarize', stuck)
    task = asyncio.create_task(agent(script, capability, tools=[Tool(lambda: STORY, name='look')]).run('Go'))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_results_are_stored_up_to_a_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(observation, 'MAX_STORED_CHARACTERS', 100)
    store = SourceStore()
    seen, _ = await looked(first_line, store=store)
    text = store.collection(COLLECTION).document(seen.metadata['summarization']['source_id']).text
    assert text == snapshot("""\
The keeper of lamp 0 at Kelder wrote that the northern pier was calm, and that 3 boats lay in. The k
[cut here: 100 of 5,802 characters are stored]\
""")
    # What is summarized is the whole of it.
    assert seen.metadata['summarization']['original_tokens'] == 1500
