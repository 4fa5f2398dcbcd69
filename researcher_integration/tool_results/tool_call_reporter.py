"""What a front end is told of tool calls, in the order in which it happens. It never ends a run."""

import logging
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, cast

import anyio

from researcher_integration.timeline.events import Draft, Summarizing, SummaryDelta, ToolCall, ToolResult, ToolSummary
from summarizer_tool import defect_attributes, first_error

if TYPE_CHECKING:
    from pydantic import JsonValue

_logger = logging.getLogger('researcher_integration')


class Events(Protocol):
    """Where events go: `researcher_integration.timeline.Timeline` is one."""

    async def emit(self, draft: Draft, /) -> object:
        """Take an event."""
        ...


@dataclass(frozen=True, slots=True)
class ToolCallReporter:
    """Tells of one tool call. Everything that it is given has been masked."""

    events: Events | None
    call_id: str
    tool: str
    server: str = ''
    labels: Mapping[str, str] = field(default_factory=dict[str, str])
    """What each event says besides, by the names of its fields: ids of the session, the stage, the model call."""

    async def started(self, arguments: object) -> None:
        """The call begins."""
        await self._tell(
            ToolCall(
                call_id=self.call_id,
                status='started',
                server=self.server,
                tool=self.tool,
                arguments=cast('JsonValue', arguments),  # any value is shown
            )
        )

    async def completed(
        self, characters: int | None = None, size: int | None = None, *, is_error: bool = False
    ) -> None:
        """The tool has answered; or failed, or put it off, and then nothing more follows."""
        await self._tell(
            ToolCall(
                call_id=self.call_id,
                status='completed',
                server=self.server,
                tool=self.tool,
                size_characters=characters,
                size_tokens=size,
                is_error=is_error,
            )
        )

    async def returned(self, text: str, source_id: str, *, is_error: bool = False) -> None:
        """What it has answered, or failed with."""
        if self.events is not None:  # what nobody is told is not copied
            await self._tell(ToolResult(call_id=self.call_id, text=text, source_id=source_id, is_error=is_error))

    async def summarizing(self, size: int) -> None:
        """The answer is large, and is being summarized."""
        await self._tell(Summarizing(call_id=self.call_id, estimated_tokens=size))

    async def summarized(self, text: str, *, original: int, size: int, model: str, source_id: str, state: str) -> None:
        """What the model gets instead."""
        await self._tell(
            ToolSummary(
                call_id=self.call_id,
                server=self.server,
                tool=self.tool,
                text=text,
                original_tokens=original,
                summary_tokens=size,
                model=model,
                source_id=source_id,
                state=state,
            )
        )

    @asynccontextmanager
    async def facts(self) -> AsyncGenerator[Callable[[str], None] | None]:
        """A function to be told each fact while it is written; none if nobody looks. All are out at the end."""
        if self.events is None:
            yield None
            return
        send, receive = anyio.create_memory_object_stream[str](float('inf'))

        async def forward() -> None:
            async with receive:
                index = 0
                async for text in receive:
                    await self._tell(SummaryDelta(call_id=self.call_id, index=index, text=text))
                    index += 1

        try:
            async with anyio.create_task_group() as group:
                group.start_soon(forward)
                with send:
                    yield send.send_nowait
        except ExceptionGroup as errors:  # the caller wants it by its own type
            raise first_error(errors) from None

    async def _tell(self, draft: Draft) -> None:
        if self.events is None:
            return
        try:
            await self.events.emit(draft.model_copy(update=self.labels) if self.labels else draft)
        except Exception as error:  # noqa: BLE001 - whatever becomes of an event, the run goes on
            _logger.warning('an event was lost', extra={'type': draft.type, **defect_attributes(error)})
