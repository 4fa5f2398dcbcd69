"""What the engine adds to the model's own time: with a model that answers at once, and with one that streams."""

import asyncio
import re
import time
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models import override_allow_model_requests
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, DeltaToolCalls, FunctionModel
from pydantic_ai.usage import RequestUsage, RunUsage

from summarizer_tool import Settings, Summarizer
from summarizer_tool.mapreduce.sub_agent_runner import CHUNK_SUMMARIZER, Writing
from summarizer_tool.schemas import ChunkSummary, Fact
from summarizer_tool.text import tokens
from tests.proofs.bench.texts import chronicle
from tests.proofs.load.goals import Goals

_NUMBERED = re.compile(r'^(\d+) (.+)', re.MULTILINE)

CHUNKS = 40


def instant(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """Answer with the first sentence of every tenth line, at once: the lines are not parsed, which is a model's work."""
    if not info.output_tools:
        return ModelResponse(parts=[TextPart('ok')])
    content = messages[0].parts[-1].content
    assert isinstance(content, str)
    lines = _NUMBERED.findall(content)[::10][:8]
    facts = [Fact(text=text.split('. ')[0] + '.', evidence=[int(number)]) for number, text in lines]
    part = ToolCallPart(info.output_tools[0].name, ChunkSummary(facts=facts).model_dump())
    # Usage that a model does not tell is estimated from all of the request, as long as a bare run takes.
    return ModelResponse(parts=[part], usage=RequestUsage(input_tokens=len(content) // 4, output_tokens=300))


async def overhead(goals: Goals) -> None:
    """CPU time of each call, chunking and fitting included, beside a bare agent run that gives the same answer."""
    settings = Settings(default_chunk_size_tokens=8000, _env_file=None)  # pyright: ignore[reportCallIssue]
    text = chronicle(CHUNKS * 26)
    model = FunctionModel(instant)
    summarizer = Summarizer(settings, model=model)
    await summarizer.summarize(text[:100_000], max_output_tokens=500)  # warm
    best, summary = float('inf'), None
    for _ in range(3):
        started = time.process_time()
        summary = await summarizer.summarize(text, max_output_tokens=5000)
        best = min(best, time.process_time() - started)
    assert summary is not None
    bare = Agent(model)
    await bare.run('hello')
    base = float('inf')
    for _ in range(3):
        started = time.process_time()
        for _ in range(CHUNKS):
            await bare.run('hello')
        base = min(base, (time.process_time() - started) / CHUNKS)
    calls = summary.stats.map_calls + summary.stats.reduce_calls
    print(
        f'engine overhead: {best / calls * 1000:.1f} ms a call ({calls} calls, {summary.stats.tokens_in:,} tokens, '
        f'{summary.stats.chunks} chunks); a bare agent run on the same model takes {base * 1000:.1f} ms'
    )
    goals.at_most('engine overhead', best / calls / base, 2.5, 'x a bare run', bound=8)


async def streamed(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[DeltaToolCalls]:
    """Answer with facts, a token at a time."""
    sentences = dict.fromkeys(chronicle(3).split('. '))
    facts = [Fact(text=sentence, evidence=[number]) for number, sentence in enumerate(sentences, 1)]
    answer = ChunkSummary(facts=facts).model_dump_json()
    yield {0: DeltaToolCall(info.output_tools[0].name, '')}
    encoding = tokens.encoding()
    for token in encoding.encode_ordinary(answer):
        yield {0: DeltaToolCall(json_args=encoding.decode([token]))}


async def following(goals: Goals) -> None:
    """CPU time of a call whose answer is followed while it is written, beside an agent run that streams by itself."""
    model = FunctionModel(stream_function=streamed)
    settings = Settings(_env_file=None)  # pyright: ignore[reportCallIssue]
    query = CHUNK_SUMMARIZER.configured(settings)
    bare = Agent(model, output_type=ChunkSummary)

    async def read(_: object, events: AsyncIterable[object]) -> None:
        async for _event in events:
            pass

    async def ask() -> None:
        result = await query.ask(
            model, 'hello', usage=RunUsage(), follow=Writing(1, lambda *_: None, lambda _: None).follow
        )
        assert result.error is None

    async def cost(run: Callable[[], Awaitable[object]]) -> float:
        await run()
        started = time.process_time()
        for _ in range(CHUNKS // 4):
            await run()
        return (time.process_time() - started) / (CHUNKS // 4)

    own, base = float('inf'), float('inf')
    for _ in range(3):
        base = min(base, await cost(lambda: bare.run('hello', event_stream_handler=read)))
        own = min(own, await cost(ask))
    print(f'a streamed answer: {own * 1000:.1f} ms; an agent that streams by itself takes {base * 1000:.1f} ms')
    goals.at_most('following an answer', own / base, 0.8, 'x an agent that streams by itself')


def prove(goals: Goals) -> None:
    """Run all."""
    with override_allow_model_requests(True):
        asyncio.run(overhead(goals))
        asyncio.run(following(goals))
