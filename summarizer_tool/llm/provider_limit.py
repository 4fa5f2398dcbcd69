"""How many calls at once a provider takes: found out from its answers, shared fairly by the requests of the process.

pydantic-ai's limiters have a fixed size, and wait on a semaphore of one event loop. The places here are those of all
event loops of the process; each request has a `Share` of them, which `ConcurrencyLimitedModel` takes places from and
the HTTP transport tells of what the provider answers.
"""

import math
import os
import threading
import time
from asyncio import CancelledError, Future, get_running_loop
from collections import OrderedDict, deque
from dataclasses import dataclass, field

import anyio
from pydantic_ai.concurrency import AbstractConcurrencyLimiter

from summarizer_tool.llm.rate_headers import pause_of
from summarizer_tool.settings import Settings

SLOWER = 3.0
"""Times that answers take to begin, against the fastest of requests of their size, when a provider is overloaded."""

LEAST_SLOW = 1.0
"""Seconds below which no answer counts as late."""

AT_CEILING = 2
"""Times as many answers as elsewhere are needed to try more places than were refused the last time."""

STRAGGLING = 2.0
"""A call without an answer is a straggler after this many times what 95 % of the calls take to begin."""

LEAST_TIMES = 8
"""Calls of which that must be known."""

MAX_HEDGED = 0.02
"""Share of the calls, rounded up, that may be asked a second time because their answer is far behind."""

_RECENT = 100
_MINUTE = 60.0


@dataclass(eq=False, slots=True)
class ProviderLimit:
    """The places for calls to one provider; they may be taken and given back on any event loop and thread.

    It begins with all of them. What a provider refuses (429) or keeps waiting takes places away; answers give them
    back, one for each round of answers. Places that are wanted go to the requests in turn, to each by its own order.
    """

    most: int
    is_fixed: bool = False
    """Whether the number of places stays what it is; also then a provider that asks for a pause gets it."""
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    limit: int = field(init=False)
    """Places there are now."""
    running: int = 0
    calls: int = 0
    """Answers that have begun so far."""
    hedged: int = 0
    _waiting: 'OrderedDict[object, deque[Future[None]]]' = field(
        default_factory=OrderedDict[object, 'deque[Future[None]]']
    )
    _lock: threading.RLock = field(default_factory=threading.RLock)
    _resumes: float = 0.0
    _cut: float = 0.0
    """When places were taken away the last time."""
    _ceiling: int = 0
    """How many were too many then."""
    _good: int = 0
    """Answers since the number of places has changed."""
    _last_refusal: int = 0
    """How many answers there had been then."""
    _fastest: dict[int, float] = field(default_factory=dict[int, float])
    """Seconds until the fastest answer began, by the size class of the request."""
    _lateness: float = 1.0
    _times: deque[float] = field(default_factory=lambda: deque[float](maxlen=_RECENT))
    _sent: deque[tuple[float, int]] = field(default_factory=deque[tuple[float, int]])

    def __post_init__(self) -> None:
        self.limit = self.most
        self._ceiling = self.most + 1

    # Places

    async def acquire(self, whose: object) -> None:
        """Take a place, or wait for one."""
        loop = get_running_loop()
        waiter: Future[None] = loop.create_future()
        with self._lock:
            self._waiting.setdefault(whose, deque()).append(waiter)
            self._grant()
            if not waiter.done() and (pause := self._resumes - time.monotonic()) > 0:
                loop.call_later(pause, self._grant)
        try:
            await waiter
        except CancelledError:
            with self._lock:
                if waits := waiter in self._waiting.get(whose, ()):
                    self._waiting[whose].remove(waiter)
                    if not self._waiting[whose]:
                        del self._waiting[whose]
            if not waits:  # the place was already on its way
                self.release()
            raise

    def release(self) -> None:
        """Give a place back."""
        with self._lock:
            self.running -= 1
            self._grant()

    def retake(self) -> None:
        """Take a place without waiting: whoever is stopped while it rests gives back what it has not."""
        with self._lock:
            self.running += 1

    def _grant(self) -> None:
        with self._lock:
            while self._waiting and self.running < self.limit and time.monotonic() >= self._resumes:
                whose, waiters = next(iter(self._waiting.items()))
                waiter = waiters.popleft()
                self._waiting.move_to_end(whose)
                if not waiters:
                    del self._waiting[whose]
                try:
                    waiter.get_loop().call_soon_threadsafe(_wake, waiter)
                except RuntimeError:  # its loop is closed, and nobody waits any more
                    continue
                self.running += 1

    def pause(self, seconds: float) -> None:
        """Begin no call for some time; those that run go on."""
        if seconds <= 0:
            return
        with self._lock:
            self._resumes = max(self._resumes, time.monotonic() + seconds)
            for loop in {waiter.get_loop() for waiters in self._waiting.values() for waiter in waiters}:
                if not loop.is_closed():
                    loop.call_soon_threadsafe(loop.call_later, seconds, self._grant)

    # What the provider says

    def answered(self, seconds: float, size: int, *, begins: bool) -> None:
        """Count an answer to a request of `size` bytes after `seconds`, or its beginning (`begins`)."""
        with self._lock:
            self.calls += 1
            self._good += 1
            self._times.append(seconds)
            if begins and self._is_late(seconds, size):
                self._cut_to(self.limit // 2)
            elif self._good >= self.limit * (AT_CEILING if self.limit + 1 >= self._ceiling else 1):
                self.limit, self._good = min(self.most, self.limit + 1), 0
                self._ceiling = max(self._ceiling, self.limit + 1)
            self._grant()

    def _is_late(self, seconds: float, size: int) -> bool:
        """Whether answers have come to begin late, among as many requests as there are places."""
        kind = size.bit_length()
        fastest = self._fastest[kind] = min(seconds, 1.02 * self._fastest.get(kind, seconds))
        self._lateness += (seconds / max(fastest, 1e-3) - self._lateness) / min(8, self.limit + 1)
        # What was sent before the last cut tells of the time before it.
        is_news = time.monotonic() - seconds > self._cut and self._good >= self.limit
        return is_news and self.running >= self.limit and self._lateness > SLOWER and seconds > LEAST_SLOW

    def refused(self, sent: float) -> None:
        """Count a refusal (429) of a request that was sent at a time of `time.monotonic`.

        What is in flight beside it is what the provider takes; where that is little, half of the places stay. Refusals
        of requests that were sent before the last cut belong to it, and say how deep it should have been. One refusal
        after a round of answers is an accident, unless another follows within a round.
        """
        with self._lock:
            is_accident = self.calls - self._last_refusal >= self.limit
            self._last_refusal = self.calls
            if is_accident:
                return
            beside = self.running - 1
            self._cut_to(min(beside, self.limit) if sent <= self._cut else max(beside, self.limit // 2))

    def _cut_to(self, places: int) -> None:
        if self.is_fixed:
            return
        self._ceiling = self.limit
        self.limit = max(1, min(self.limit, places))
        self._cut, self._good, self._lateness = time.monotonic(), 0, 1.0

    # Rates

    def room_in(self, tokens: int) -> float:
        """Seconds until a request of so many tokens keeps to the caps a minute; if that is 0, it is counted as sent."""
        with self._lock:
            now = time.monotonic()
            while self._sent and self._sent[0][0] <= now - _MINUTE:
                self._sent.popleft()
            too_many = self.requests_per_minute is not None and len(self._sent) >= self.requests_per_minute
            spent = sum(each for _, each in self._sent)
            too_much = self.tokens_per_minute is not None and self._sent and spent + tokens > self.tokens_per_minute
            if too_many or too_much:
                return self._sent[0][0] + _MINUTE - now
            self._sent.append((now, tokens))
            return 0.0

    # Stragglers

    @property
    def straggles_after(self) -> float:
        """Seconds after which a call without an answer is far behind all others; infinite while that cannot be told."""
        if len(self._times) < LEAST_TIMES:
            return math.inf
        times = sorted(self._times)
        return STRAGGLING * times[min(len(times) - 1, int(0.95 * len(times)))]

    def hedge(self) -> bool:
        """Whether one more call may be asked a second time; then it is counted."""
        with self._lock:
            may = self.hedged < max(1, math.ceil(MAX_HEDGED * self.calls))
            self.hedged += may
            return may


@dataclass(eq=False, slots=True)
class Share(AbstractConcurrencyLimiter):
    """One request's part in the places for a provider."""

    whole: ProviderLimit
    hedged: int = 0
    """Its calls that were asked a second time."""

    async def acquire(self, source: str) -> None:
        """Take a place, or wait for one in turn with other requests."""
        await self.whole.acquire(self)

    def release(self) -> None:
        """Give a place back."""
        self.whole.release()

    async def rest(self, seconds: float) -> None:
        """Wait before another attempt, and let others have the place meanwhile."""
        self.release()
        try:
            await anyio.sleep(seconds)
            await self.whole.acquire(self)
        except BaseException:
            self.whole.retake()
            raise

    async def within_rates(self, size: int) -> None:
        """Wait until a request of so many bytes keeps to the caps a minute."""
        while True:
            seconds = self.whole.room_in(size // 4)
            if not seconds:
                return
            await anyio.sleep(seconds)

    def heard(self, status: int, headers: dict[str, str], *, sent: float, size: int, begins: bool) -> None:
        """Take account of an answer with an HTTP status, or of its beginning (`begins`), to a request of `size` bytes.

        It was `sent` by `time.monotonic`; the names of headers are in lower case.
        """
        if status == 429:
            self.whole.refused(sent)
        elif status < 400:
            self.whole.answered(time.monotonic() - sent, size, begins=begins)
        self.whole.pause(pause_of(headers, size // 4, is_refusal=status in (429, 503)))

    def hedge(self) -> bool:
        """Whether a call of this request may be asked a second time; then it is counted."""
        may = self.whole.hedge()
        self.hedged += may
        return may


def _wake(ready: 'Future[None]') -> None:
    if not ready.done():
        ready.set_result(None)


_limits: dict[tuple[object, ...], ProviderLimit] = {}
_limits_lock = threading.Lock()


def share_of(settings: Settings, *provider: object) -> Share:
    """A new request's share in the places for a provider; all requests to it with the same settings share them."""
    fixed = settings.llm_concurrency == 'fixed'
    caps = (settings.llm_requests_per_minute, settings.llm_tokens_per_minute)
    # A fork has the counts of its parent, but none of its calls.
    key = (os.getpid(), settings.max_concurrent_llm_calls, fixed, *caps, *provider)
    with _limits_lock:
        if key not in _limits:
            _limits[key] = ProviderLimit(settings.max_concurrent_llm_calls, fixed, *caps)
        return Share(_limits[key])
