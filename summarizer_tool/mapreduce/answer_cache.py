"""What is kept of finished work: the sub-agents' answers by what they were asked, and whole results by their keys."""

import hashlib
import json
import logging
from asyncio import AbstractEventLoop, Lock, get_running_loop
from collections.abc import AsyncGenerator, Generator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TypeVar
from weakref import WeakValueDictionary

from pydantic import TypeAdapter, ValidationError
from pydantic_ai.usage import RunUsage

from summarizer_tool.documents.document import Document
from summarizer_tool.errors import StoreError
from summarizer_tool.llm.options import Cache
from summarizer_tool.mapreduce.request import SummarizeRequest
from summarizer_tool.runtime.deadline import Deadline
from summarizer_tool.runtime.executors import in_io_thread, in_thread
from summarizer_tool.schemas import ChunkSummary, Summary

LEAST = 0.9
MOST = 4.0
"""An answer made for another target will do if it was between these shares of the one wanted: too little leaves the
budget unused, and of too much the merger would have to read it all again."""

T = TypeVar('T')

_SUMMARY, _ANSWER = TypeAdapter(Summary), TypeAdapter(ChunkSummary)
_FACTS, _STARTS = TypeAdapter(list[str]), TypeAdapter(frozenset[int])

_logger = logging.getLogger('summarizer_tool')


@contextmanager
def _forgiving() -> Generator[None]:
    """Log what fails of a cache, or is damaged there; the work goes on without it."""
    try:
        yield
    except (StoreError, ValidationError) as error:
        reason = str(error) if isinstance(error, StoreError) else 'bad entry'
        _logger.warning('the cache failed', extra={'reason': reason})


async def _find(cache: Cache, key: str, kind: TypeAdapter[T], least: int = 0, most: int = 0) -> T | None:
    with _forgiving():
        kept = await in_io_thread(cache.answer, key, least=least, most=most)
        return None if kept is None else await in_thread(kind.validate_json, kept)
    return None


async def _keep(cache: Cache, key: str, kind: TypeAdapter[T], value: T, target: int = 0) -> None:
    with _forgiving():
        await in_io_thread(cache.keep_answer, key, target, (await in_thread(kind.dump_json, value)).decode())


async def find_summary(cache: Cache, key: str) -> Summary | None:
    """The summary that is kept under a key, as one that has cost nothing; none where it cannot be read."""
    summary = await _find(cache, key, _SUMMARY)
    if summary is not None:
        stats = summary.stats
        stats.from_cache, stats.cached_calls = True, stats.map_calls + stats.reduce_calls + stats.repair_calls
        stats.map_calls = stats.reduce_calls = stats.repair_calls = stats.hedged_calls = 0
        stats.usage = RunUsage()
    return summary


def names_key(documents: Sequence[Document], request: SummarizeRequest) -> str:
    """What a request for other versions of the same documents has in common with it; empty where one has no name."""
    named = [document.url or document.title for document in documents]
    focus = request.focus
    asked = (focus.key(), request.max_output_tokens, request.for_extraction)
    return key_of('facts', named, *asked) if all(named) else ''


async def said_before(cache: Cache, documents: Sequence[Document], request: SummarizeRequest) -> frozenset[str]:
    """The facts of the last summary of documents of these names."""
    key = names_key(documents, request)
    return frozenset((key and await _find(cache, key, _FACTS)) or ())


async def keep_summary(cache: Cache, key: str, summary: Summary, of_names: str) -> None:
    """Keep a summary under its key, and its facts under that of the names of its documents, if they have one."""
    await _keep(cache, key, _SUMMARY, summary)
    if of_names:
        await _keep(cache, of_names, _FACTS, [fact.text for fact in summary.facts])


@cache
def revision() -> str:
    """A hash over the package's code and its data: what it computes without a model is the same only for the same."""
    digest = hashlib.sha256()
    folder = Path(__file__).parents[1]
    for path in sorted(path for path in folder.rglob('*') if path.suffix in ('.py', '.toml')):
        digest.update(path.relative_to(folder).as_posix().encode() + b'\0' + path.read_bytes() + b'\0')
    return digest.hexdigest()[:12]


def key_of(*parts: object) -> str:
    """A hash over plain values."""
    return hashlib.sha256(json.dumps(parts, ensure_ascii=False, default=list).encode()).hexdigest()


@dataclass
class AnswerCache:
    """The answers that the sub-agents of one job need not give again."""

    cache: Cache | None
    scope: str
    """The key of what an answer depends on besides its request: model, prompts, output mode."""
    is_exact: bool
    """Whether only an answer for the very same target will do: the embedded model's costs little to make again."""
    found: int = field(default=0, init=False)
    """Answers that were there already."""

    def key(self, request: str) -> str:
        """The key of the answers to a request; where those for other targets will do, it names none."""
        return key_of(self.scope, request)

    async def keep(self, key: str, target: int, answer: ChunkSummary) -> None:
        """Keep an answer."""
        if self.cache is not None:
            await _keep(self.cache, key, _ANSWER, answer, target)

    def _starts_key(self, document: Document, size: int) -> str:
        name = document.url or document.title
        return key_of('starts', name, size) if name else ''

    async def starts(self, documents: Sequence[Document], size: int) -> frozenset[int]:
        """Where chunks of `size` tokens began when the first of the documents was last cut, by `fingerprint`."""
        found = None
        if self.cache and (key := self._starts_key(documents[0], size)):
            found = await _find(self.cache, key, _STARTS)
        return found or frozenset()

    async def keep_starts(self, documents: Sequence[Document], size: int, starts: frozenset[int]) -> None:
        """Keep them for the next time."""
        if self.cache and (key := self._starts_key(documents[0], size)):
            await _keep(self.cache, key, _STARTS, starts)

    @asynccontextmanager
    async def asking(self, key: str, target: int, deadline: Deadline) -> AsyncGenerator[ChunkSummary | None]:
        """The kept answer for a request, if any. One at a time asks the same thing, and the others find its answer."""
        if self.cache is None:
            yield None
            return
        lock, has_turn = _locks.setdefault((get_running_loop(), self.cache, key), Lock()), False
        try:
            with deadline.calling():
                has_turn = await lock.acquire()
            least, most = (target, target) if self.is_exact else (round(target * LEAST), round(target * MOST))
            answer = await _find(self.cache, key, _ANSWER, least, most)
            self.found += answer is not None
            yield answer
        finally:
            if has_turn:
                lock.release()


_locks: WeakValueDictionary[tuple[AbstractEventLoop, Cache, str], Lock] = WeakValueDictionary()
"""Of those who ask now; of others nothing stays."""
