"""How far a call is: what the server says of it, and signs of life while its result is digested."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import anyio

from researcher_integration.proxy.audience import Context
from researcher_integration.proxy.results import Results
from summarizer_tool import load_prompt

BEAT_SECONDS = 5.0
"""The longest silence while a result is digested. Some clients give a silent call up after a minute."""

STEP = 1e-3
"""By which the progress rises then: it must, and nobody knows how far it is."""


@dataclass(slots=True)
class CallProgress:
    """The progress of one call, for a client that has asked for it."""

    context: Context
    results: Results
    server: str
    _last: float = 0.0

    async def __call__(self, progress: float, total: float | None, message: str | None) -> None:
        """Pass on what the server says."""
        self._last = max(self._last, progress)
        masked = str(await self.results.aside(self.server, message)) if message else None
        await self.context.session.report_progress(progress, total, masked)

    @asynccontextmanager
    async def digesting(self) -> AsyncGenerator[None]:
        """For the length of the block the result is looked at, which takes long where it is."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._beat)
            yield
            tasks.cancel_scope.cancel()

    async def _beat(self) -> None:
        while True:
            await anyio.sleep(BEAT_SECONDS)
            self._last += STEP
            await self.context.session.report_progress(self._last, None, load_prompt('proxy/condensing'))
