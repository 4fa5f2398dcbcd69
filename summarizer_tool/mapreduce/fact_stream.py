"""Follow an answer that is still being written: how much there is, and each fact as soon as it is complete."""

from collections.abc import AsyncIterable, Callable

from pydantic_ai import (
    AgentStreamEvent,
    PartDeltaEvent,
    PartStartEvent,
    RunContext,
    TextPart,
    TextPartDelta,
    ThinkingPartDelta,
    ToolCallPart,
    ToolCallPartDelta,
)

from summarizer_tool.llm.broken_off import arguments
from summarizer_tool.llm.recover_partial import QueryState, recover_partial
from summarizer_tool.schemas import ChunkSummary
from summarizer_tool.text import tokens

OnFact = Callable[[str], None]
"""Gets the text of a fact as the model writes it, before it is grounded; called on the event loop."""


class FactStream:
    """An event stream handler for one run of the chunk summarizer."""

    def __init__(self, on_tokens: Callable[[int], None], on_fact: OnFact | None) -> None:
        """Begin with no facts.

        Args:
            on_tokens: Called with the number of tokens that have just been written.
            on_fact: Called once for each fact, in the order of the answer.
        """
        self._on_tokens, self._on_fact = on_tokens, on_fact
        self._raw: dict[int, str] = {}
        self._reported: set[str] = set()

    async def __call__(self, ctx: RunContext[QueryState], events: AsyncIterable[AgentStreamEvent]) -> None:
        """Follow one answer; of one that is asked for again only what is new in it is reported."""
        self._raw.clear()
        async for event in events:
            match event:
                case PartStartEvent(index=part, part=ToolCallPart() as call):
                    self._add(part, arguments(call))
                case (
                    PartStartEvent(index=part, part=TextPart(content=text))
                    | PartDeltaEvent(index=part, delta=TextPartDelta(content_delta=text))
                    | PartDeltaEvent(index=part, delta=ToolCallPartDelta(args_delta=str(text)))
                ):
                    self._add(part, text)
                case PartDeltaEvent(delta=ThinkingPartDelta(content_delta=str(text))):
                    self._on_tokens(tokens.count(text))
                case _:
                    pass

    def _add(self, part: int, text: str) -> None:
        self._on_tokens(tokens.count(text))
        raw = self._raw[part] = self._raw.get(part, '') + text
        if self._on_fact is None or ('}' not in text and '"' not in text):  # no fact can have become complete
            return
        summary = recover_partial(raw, ChunkSummary, 'facts')
        for fact in summary.facts if summary else ():
            if fact.text.strip() and fact.text not in self._reported:
                self._reported.add(fact.text)
                self._on_fact(fact.text)
