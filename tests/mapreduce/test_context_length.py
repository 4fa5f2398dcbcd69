"""A request that is longer than the model's window is split to what the error names, and asked again."""

import pytest
from inline_snapshot import snapshot

from summarizer_tool import Settings, Summarizer, Summary
from summarizer_tool.text import tokens
from tests.support.provider import Provider, serve
from tests.support.replies import Behaviour, Error, Reply, Request, summarize
from tests.support.texts import chronicle

pytestmark = pytest.mark.usefixtures('model_requests')

TEXT = chronicle(40)


def size(request: Request) -> int:
    return tokens.count(request.prompt) + (request.limit or 0)


def window_of(most: int, message: str, status: int = 400) -> Behaviour:
    """A provider that says no to what is over a window."""

    def answer(request: Request) -> Reply:
        if (asked := size(request)) <= most:
            return summarize(request)
        error = {'message': message.format(most=most, asked=asked, over=asked - most), 'code': status}
        return Error(status, body={'error': {**error}})

    return Behaviour(answer)


def run(provider: Provider, max_output_tokens: int = 800, **overrides: object) -> Summary:
    settings = Settings.load(
        llm_model='openai/gpt-4o-mini',
        openrouter_base_url=provider.base_url,
        openrouter_api_key='k',
        llm_max_retries=0,
        default_chunk_size_tokens=3000,
        max_concurrent_llm_calls=1,
        **overrides,
    )
    return Summarizer(settings).summarize_sync(TEXT, max_output_tokens=max_output_tokens)


@pytest.mark.parametrize(
    'message',
    [
        "This model's maximum context length is {most} tokens. However, you requested {asked} tokens ({over} too many).",
        'the request exceeds the available context size',
    ],
)
def test_a_chunk_is_split_to_the_window(message: str) -> None:
    with serve(window_of(3300, message)) as provider:
        summary = run(provider)
    assert (summary.state, summary.warnings) == ('complete', [])
    assert all(part.state == 'summarized' for part in summary.parts)
    refused = [request for request in provider.requests if size(request) > 3300]
    assert 1 <= len(refused) <= 2, 'the window is learned once'
    assert tokens.count(summary.text) <= 800
    places = [fact.evidence[0].segment for fact in summary.facts]
    assert min(places) < max(places) / 4, 'facts of the beginning and of the end'


def test_facts_are_merged_in_halves_where_all_are_too_many_for_the_window() -> None:
    whole = window_of(1200, 'maximum context length is {most} tokens, you asked for {asked}').answer
    assert whole is not None

    def answer(request: Request) -> Reply:
        return whole(request) if '<facts>' in request.prompt else summarize(request)

    with serve(Behaviour(answer)) as provider:
        summary = run(provider, max_output_tokens=100)
    merges = [size(request) for request in provider.requests if '<facts>' in request.prompt]
    assert (summary.state, summary.warnings) == ('complete', [])
    assert [len([each for each in merges if (each > 1200) is is_over]) for is_over in (True, False)] == snapshot([1, 2])


def test_a_window_that_holds_no_part_degrades_and_ends() -> None:
    with serve(window_of(300, 'maximum context length is {most} tokens, you asked for {asked}', 413)) as provider:
        summary = run(provider)
    assert summary.state == 'degraded'
    assert {part.reason for part in summary.degraded} == snapshot({'context length'})
    assert len(provider.requests) < 12
    assert not summary.over_budget
