"""Whether a model writes fast enough for the deadline, measured while it writes."""

import logging
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field

import anyio
from anyio import CancelScope

from summarizer_tool.runtime.deadline import Deadline

TRIAL = 0.1
"""The part of the time for calls after which a model's speed is believed: before, answers are only beginning."""

MIN_TOKENS = 32
"""The least that must have been written to tell a speed."""

MARGIN = 1.5
"""A model is too slow if it needs more than this many times what is left: no estimate is better than that."""

_logger = logging.getLogger('summarizer_tool')


@dataclass(eq=False, slots=True)
class Writing:
    """One call, while its answer is written."""

    target: int
    """Tokens that it was asked for."""
    scope: CancelScope = field(default_factory=CancelScope)
    asked: float = field(default_factory=anyio.current_time)
    began: float | None = None
    """When the first token came."""
    latest: float = 0.0
    """When the last one came."""
    tokens: int = 0
    """Written since then."""

    @property
    def left(self) -> float:
        """The part of it that is not written, 0 to 1."""
        return max(0.0, 1 - self.tokens / self.target)


@dataclass(eq=False, slots=True)
class Pace:
    """The speed of a job's model: what it has no time for is given up as soon as that can be told."""

    model_name: str
    deadline: Deadline
    timeout: float
    """Seconds that one call may take."""
    warnings: list[str]
    unasked: int = 0
    """Chunks that no call has been made for; the weightiest come first."""
    _room: int | None = None
    """How many of them there is time for, once that has been told."""
    _calls: list[Writing] = field(default_factory=list[Writing])
    _asked: float | None = None

    def has_time(self) -> bool:
        """Take the next chunk, and say whether there is time for it."""
        self.unasked -= 1
        self._room = None if self._room is None else self._room - 1
        return self._room is None or self._room >= 0

    @contextmanager
    def calling(self, call: Writing) -> Generator[CancelScope]:
        """The scope of one call, which is cancelled when there is no time for it."""
        self._asked = call.asked if self._asked is None else self._asked
        with self.deadline.calling() as call.scope:
            self._calls.append(call)
            try:
                yield call.scope
            finally:
                self._calls.remove(call)

    def wrote(self, call: Writing, tokens: int) -> None:
        """Count tokens that have just come, and give up what there is no time for."""
        now, ends = anyio.current_time(), self.deadline.last_call
        if call.began is None:
            call.began = now  # how long the first have taken to write, nobody knows
        else:
            call.tokens += tokens
        call.latest = now
        begun = [(each.began - each.asked, each.latest - each.began) for each in self._calls if each.began is not None]
        wait, writing = min(each[0] for each in begun), sum(each[1] for each in begun)
        written = sum(each.tokens for each in self._calls)
        is_early = self._asked is None or now - self._asked < TRIAL * (ends - self._asked)
        if self._room is not None or is_early or written < MIN_TOKENS or not writing:
            return
        rate = written / writing
        size = sum(each.target for each in self._calls) / len(self._calls)
        # One that has not waited much longer than others is about to begin; the rest may be in a queue.
        at_once = sum(each.began is not None or now - each.asked < 2 * wait + 1 for each in self._calls)
        room = at_once * (ends - now) / min(self.timeout, wait + size / rate)
        if MARGIN * room < self.unasked + sum(each.left for each in self._calls):
            self._give_up(room, f'{rate * at_once:.1f} tokens per second', ends - now)

    def _give_up(self, room: float, speed: str, seconds: float) -> None:
        """Keep the calls for which there is room, at least the first."""
        total = len(self._calls) + self.unasked
        kept = [call for call in self._calls if (room := room - call.left) >= 0] or self._calls[:1]
        more = max(0, int(room))
        if len(kept) + more >= total:
            return
        self._room = more
        for call in self._calls[len(kept) :]:
            call.scope.cancel()
        warning = (
            f'{self.model_name} writes {speed}, too slow for {total} chunks in {seconds:.0f} s: '
            f'it does {len(kept) + more}, the extractive model the rest'
        )
        self.warnings.append(warning)
        _logger.warning(warning)
