"""The calls of one step, as many at once as are allowed."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import anyio

from summarizer_tool.llm import failures
from summarizer_tool.llm.options import Phase, Progress

T = TypeVar('T')


@dataclass(frozen=True, slots=True)
class CallsAtOnce:
    """Runs the calls of a step."""

    most: int
    """At the same time."""
    on_progress: Callable[[Progress], None] | None

    async def __call__(
        self, work: Sequence[Callable[[], Awaitable[T]]], phase: Phase, what: str, order: Sequence[int] = ()
    ) -> list[T]:
        """Do all of it, as many at once as calls are allowed, so that no more requests than that exist."""
        waiting, total = iter(order or range(len(work))), len(work)
        done: dict[int, T] = {}

        async def worker() -> None:
            for index in waiting:
                done[index] = await work[index]()
                if self.on_progress is not None:
                    message = f'{what} {len(done)} of {total}'
                    self.on_progress(Progress(phase, len(done), total, message))

        try:
            async with anyio.create_task_group() as group:
                for _ in range(min(total, self.most)):
                    group.start_soon(worker)
        except BaseExceptionGroup as errors:
            # A usage limit or a mistake in the setup ends all workers; the caller wants to catch it by its own type.
            raise failures.first_of(errors) from None
        return [done[index] for index in range(total)]
