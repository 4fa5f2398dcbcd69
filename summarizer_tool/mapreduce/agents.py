"""The two typed sub-agents: the chunk summarizer (map) and the merger (reduce), both returning `ChunkSummary`."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import regex
from pydantic import JsonValue, ValidationError
from pydantic_ai import (
    Agent,
    ModelResponse,
    ModelRetry,
    NativeOutput,
    OutputTokenLimitExceeded,
    PromptedOutput,
    RunContext,
    ToolOutput,
)
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.models.instrumented import InstrumentationSettings
from pydantic_ai.output import OutputContext, OutputSpec

from summarizer_tool import prompts
from summarizer_tool.schemas import ChunkSummary, Fact
from summarizer_tool.settings import OutputMode

_OUTPUT_TYPES: dict[OutputMode, OutputSpec[ChunkSummary]] = {
    'auto': ChunkSummary,
    'tool': ToolOutput(ChunkSummary),
    'native': NativeOutput(ChunkSummary),
    'prompted': PromptedOutput(ChunkSummary),
}


@dataclass
class SubAgentTask:
    """What a run of a sub-agent works on, and what became of its answer."""

    has_content: bool = True
    """Whether an answer without facts is worth asking about once."""
    salvaged: bool = False
    """Whether the answer was cut off or broken, and only its complete facts were kept."""


_DECODER = json.JSONDecoder()
_SEPARATORS = regex.compile(r'[\s,]*')
_BARE_LIST = regex.compile(r'\[\s*(?=\{)')
_MAX_BROKEN = 100
"""Broken members of one answer that are stepped over; an answer with more is not worth the time."""


def _members(raw: str, key: str) -> Iterator[JsonValue]:
    """The whole members of the list `key` in JSON that is cut off, broken in places, or stands between prose.

    Each member is decoded by itself, so one that is cut off anywhere is left out, and none is ever completed.
    """
    opening = regex.search(rf'"{key}"\s*:\s*\[', raw) or (_BARE_LIST.search(raw) if key == 'facts' else None)
    if opening is None:
        return
    place = opening.end()
    for _ in range(_MAX_BROKEN):
        while True:
            gap = _SEPARATORS.match(raw, place)
            place = gap.end() if gap else place
            if place >= len(raw) or raw[place] == ']':
                return
            try:
                member, place = _DECODER.raw_decode(raw, place)
            except (ValueError, RecursionError):
                break
            yield member
        place = raw.find('{', place + 1)
        if place < 0:
            return


def _sound(facts: Iterable[object]) -> Iterator[Fact]:
    for fact in facts:
        try:
            yield from ChunkSummary.model_validate({'facts': [fact]}).facts
        except ValidationError:
            continue


def salvage(raw: str | Mapping[str, object]) -> ChunkSummary | None:
    """Take the complete facts out of an answer that does not validate: cut off by `max_tokens`, or partly wrong.

    Args:
        raw: The answer's JSON, possibly incomplete, fenced or amid prose, or its decoded arguments.

    Returns:
        The facts and entities that are whole, or None if there is not one fact.
    """
    if isinstance(raw, str):
        facts = list(_sound(_members(raw, 'facts')))
        entities: object = list(_members(raw, 'entities'))
    else:
        found = raw.get('facts')
        if isinstance(found, str):  # the list, encoded once more
            return salvage(f'{{"facts":{found}')
        facts = list(_sound(found)) if isinstance(found, list) else []  # pyright: ignore[reportUnknownArgumentType]
        entities = raw.get('entities')
    facts = [fact for fact in facts if fact.text.strip()]
    return ChunkSummary.model_validate({'facts': facts, 'entities': entities}) if facts else None


class SalvageOutput(AbstractCapability[SubAgentTask]):
    """Keeps the complete facts of an answer that does not validate, instead of asking for all of it again."""

    async def on_output_validate_error(
        self,
        ctx: RunContext[SubAgentTask],
        *,
        output_context: OutputContext,
        output: str | dict[str, Any],
        error: ValidationError | ModelRetry,
    ) -> ChunkSummary:
        """Return what can be salvaged, or raise the error so that the agent asks again.

        It is called before pydantic-ai looks at the finish reason, for tool arguments as for text.

        Raises:
            OutputTokenLimitExceeded: If the answer was cut off before its first fact was complete: under the same
                limit the next one would be too. (pydantic-ai does so for text, but asks again for a tool call.)
        """
        summary = salvage(output)
        if summary is None:
            last = ctx.messages[-1] if ctx.messages else None
            if isinstance(last, ModelResponse) and last.finish_reason == 'length':
                raise OutputTokenLimitExceeded('the answer was cut off before one fact was complete') from error
            raise error
        ctx.deps.salvaged = True
        return summary


def _complain_if_empty(ctx: RunContext[SubAgentTask], output: ChunkSummary) -> ChunkSummary:
    """Ask once more when an answer holds nothing although the source does; the next empty answer is taken as it is."""
    if ctx.deps.has_content and not output.facts:
        ctx.deps.has_content = False
        if not ctx.last_attempt:
            raise ModelRetry(prompts.load('empty_answer'))
    return output


def _agent(name: str, output_mode: OutputMode, trace_content: bool) -> Agent[SubAgentTask, ChunkSummary]:
    agent = Agent(
        name=name,
        deps_type=SubAgentTask,
        output_type=_OUTPUT_TYPES[output_mode],
        instructions=prompts.load(name),
        capabilities=[SalvageOutput()],
    )
    agent.output_validator(_complain_if_empty)
    # Content stays out of the traces whatever the application instruments globally.
    agent.instrument = InstrumentationSettings(include_content=trace_content, include_binary_content=trace_content)
    return agent


@cache
def chunk_summarizer(
    output_mode: OutputMode = 'auto', *, trace_content: bool = False
) -> Agent[SubAgentTask, ChunkSummary]:
    """The map agent: numbered source lines in, facts with line numbers as evidence out."""
    return _agent('chunk_summarizer', output_mode, trace_content)


@cache
def merger(output_mode: OutputMode = 'auto', *, trace_content: bool = False) -> Agent[SubAgentTask, ChunkSummary]:
    """The reduce agent: numbered facts in, fewer and denser facts with fact numbers as evidence out."""
    return _agent('merger', output_mode, trace_content)
