"""What a front end is told of tool calls, in the order in which it happens. It never ends a run."""

import logging
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Protocol

import anyio

from researcher_integration.timeline.events import Draft, Summarizing, SummaryDelta, ToolCall, ToolResult, ToolSummary
from summarizer_tool import defect_attributes, first_error

_logger = logging.getLogger('researcher_integration')


class Events(Protocol):
    """Where events go: `researcher_integration.Timeline` is one."""

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
        await self._tell(ToolCall, status='started', server=self.server, tool=self.tool, arguments=arguments)

    async def completed(
        self, text: str | None = None, size: int | None = None, source_id: str = '', *, is_error: bool = False
    ) -> None:
        """The tool has answered, or failed with the text; or put it off, and then nothing more follows."""
        sizes = {'size_characters': None if text is None or size is None else len(text), 'size_tokens': size}
        await self._tell(ToolCall, status='completed', server=self.server, tool=self.tool, is_error=is_error, **sizes)
        if text is not None:
            await self._tell(ToolResult, text=text, source_id=source_id, is_error=is_error)

    async def summarizing(self, size: int) -> None:
        """The answer is large, and is being summarized."""
        await self._tell(Summarizing, estimated_tokens=size)

    async def summarized(self, text: str, *, original: int, size: int, model: str, source_id: str, state: str) -> None:
        """What the model gets instead."""
        sizes = {'original_tokens': original, 'summary_tokens': size}
        about = {'server': self.server, 'tool': self.tool, 'model': model, 'source_id': source_id, 'state': state}
        await self._tell(ToolSummary, text=text, **sizes, **about)

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
                    await self._tell(SummaryDelta, index=index, text=text)
                    index += 1

        try:
            async with anyio.create_task_group() as group:
                group.start_soon(forward)
                with send:
                    yield send.send_nowait
        except ExceptionGroup as errors:  # the caller wants it by its own type
            raise first_error(errors) from None

    async def _tell(self, event: type[Draft], **said: object) -> None:
        if self.events is None:
            return
        try:
            draft = event.model_validate({'call_id': self.call_id, **self.labels, **said})
            await self.events.emit(draft)
        except Exception as error:  # noqa: BLE001 - whatever becomes of an event, the run goes on
            _logger.warning('an event was lost', extra={'type': event.__name__, **defect_attributes(error)})
