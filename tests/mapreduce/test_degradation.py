"""A provider that fails for one chunk, over a real socket; `test_fault_matrix.py` has what fails for all or once."""

import pytest

from summarizer_tool import Settings, Summarizer, Summary
from tests.support.provider import Provider, serve
from tests.support.replies import Behaviour, Cut, Drop, Error, Hang, Request, by_prompt, summarize
from tests.support.texts import CHRONICLE

pytestmark = pytest.mark.usefixtures('model_requests')

BUDGET = 400


def run(provider: Provider, **overrides: object) -> Summary:
    settings = Settings.load(
        **{
            'llm_model': 'openai/gpt-4o-mini',
            'openrouter_base_url': provider.base_url,
            'default_chunk_size_tokens': 900,
            'llm_max_retries': 1,
            'llm_timeout_seconds': 30,
            'max_concurrent_llm_calls': 2,
        }
        | overrides
    )
    return Summarizer(settings).summarize_sync(CHRONICLE, max_output_tokens=BUDGET)


def is_third_year(prompt: str) -> bool:
    """Whether a map request holds the section of the year 603; merge requests hold facts only."""
    return '\n## Year 603 ' in prompt


@pytest.mark.parametrize(
    ('reply', 'reason', 'attempts'),
    [
        (Error(500, {'Retry-After': '0'}), 'HTTP 500', 2),
        (Hang(60), 'timeout', 1),
        (Drop(), 'ModelConnectionError', 1),
        (Error(400), 'HTTP 400', 1),
    ],
    ids=['500', 'hang', 'drop', '400'],
)
def test_a_chunk_that_keeps_failing_is_done_by_the_embedded_model(
    reply: Error | Hang | Drop, reason: str, attempts: int
) -> None:
    with serve(Behaviour(answer=by_prompt(is_third_year, reply))) as provider:
        hangs = isinstance(reply, Hang)
        summary = run(provider, llm_timeout_seconds=2 if hangs else 30, llm_max_retries=attempts - 1)
        assert sum(is_third_year(request.prompt) for request in provider.requests) == attempts
    assert summary.state == 'degraded'
    assert [(part.state, part.reason) for part in summary.degraded] == [('degraded', reason)]
    assert 0.8 * BUDGET <= summary.stats.tokens_out <= BUDGET


def test_a_cut_off_answer_keeps_its_complete_facts() -> None:
    def cut(request: Request) -> Cut:
        return Cut(summarize(request).value)

    with serve(Behaviour(answer=cut)) as provider:
        summary = run(provider)
        assert len(provider.requests) == summary.stats.map_calls + summary.stats.reduce_calls
    assert {part.reason for part in summary.degraded} == {'cut off'}
    assert {part.state for part in summary.parts} == {'summarized', 'degraded'}
    assert all(fact.text in CHRONICLE for fact in summary.facts)
