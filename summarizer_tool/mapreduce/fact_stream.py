"""Tell of each fact as soon as it is complete in an answer that is still being written."""

from collections.abc import AsyncIterable, Callable

from pydantic_ai import (
    AgentStreamEvent,
    PartDeltaEvent,
    PartStartEvent,
    RunContext,
    TextPart,
    TextPartDelta,
    ToolCallPart,
    ToolCallPartDelta,
)

from summarizer_tool.mapreduce.agents import SubAgentTask, salvage

OnFact = Callable[[str], None]
"""Gets the text of a fact as the model writes it, before it is held against its lines; called on the event loop."""


class FactStream:
    """An event stream handler for one run of the chunk summarizer."""

    def __init__(self, on_fact: OnFact) -> None:
        """Begin with nothing told.

        Args:
            on_fact: Called once for each fact, in the order of the answer.
        """
        self._on_fact = on_fact
        self._raw: dict[int, str] = {}
        self._told: set[str] = set()

    async def __call__(self, ctx: RunContext[SubAgentTask], events: AsyncIterable[AgentStreamEvent]) -> None:
        """Follow one answer; one that is asked for again tells only what is new in it."""
        self._raw.clear()
        async for event in events:
            if isinstance(event, PartStartEvent):
                self._add(event.index, _begun(event))
            elif isinstance(event, PartDeltaEvent):
                self._add(event.index, _more(event))

    def _add(self, part: int, text: str) -> None:
        if text:
            self._raw[part] = self._raw.get(part, '') + text
            if '}' in text or '"' in text:  # else no fact can have become complete
                self._tell(self._raw[part])

    def _tell(self, raw: str) -> None:
        summary = salvage(raw)
        for fact in summary.facts if summary else ():
            if fact.text not in self._told:
                self._told.add(fact.text)
                self._on_fact(fact.text)


def _begun(event: PartStartEvent) -> str:
    part = event.part
    if isinstance(part, ToolCallPart):
        return part.args_as_json_str() if part.args else ''
    return part.content if isinstance(part, TextPart) else ''


def _more(event: PartDeltaEvent) -> str:
    delta = event.delta
    if isinstance(delta, ToolCallPartDelta):
        return delta.args_delta if isinstance(delta.args_delta, str) else ''
    return delta.content_delta if isinstance(delta, TextPartDelta) else ''
