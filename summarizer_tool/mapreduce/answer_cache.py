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

_FACTS = TypeAdapter(list[str])
_STARTS = TypeAdapter(frozenset[int])


@contextmanager
def _forgiving(what: str) -> Generator[None]:
    """Log what fails of a cache, or is damaged there; the work goes on without it."""
    try:
        yield
    except (StoreError, ValidationError) as error:
        _logger.warning(what, extra={'reason': str(error) if isinstance(error, StoreError) else 'bad entry'})


async def find_summary(cache: Cache, key: str) -> Summary | None:
    """The summary that is kept under a key, as one that has cost nothing; none where it cannot be read."""
    summary = None
    with _forgiving('a kept summary cannot be read'):
        kept = await in_io_thread(cache.answer, key, least=0, most=0)
        summary = None if kept is None else await in_thread(Summary.model_validate_json, kept)
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


def _starts_key(documents: Sequence[Document], size: int) -> str:
    name = documents[0].url or documents[0].title
    return key_of('starts', name, size) if name else ''


async def said_before(cache: Cache, documents: Sequence[Document], request: SummarizeRequest) -> frozenset[str]:
    """The facts of the last summary of documents of these names."""
    key = names_key(documents, request)
    with _forgiving('the facts of the last summary cannot be read'):
        kept = await in_io_thread(cache.answer, key, least=0, most=0) if key else None
        return frozenset(_FACTS.validate_json(kept) if kept else ())
    return frozenset()


async def keep_summary(cache: Cache, key: str, summary: Summary, of_names: str) -> None:
    """Keep a summary under its key, and its facts under that of the names of its documents, if they have one."""
    with _forgiving('the summary cannot be kept'):
        await in_io_thread(cache.keep_answer, key, 0, await in_thread(summary.model_dump_json))
        if of_names:
            facts = _FACTS.dump_json([fact.text for fact in summary.facts]).decode()
            await in_io_thread(cache.keep_answer, of_names, 0, facts)


LEAST = 0.9
MOST = 4.0
"""An answer made for another target will do if it was between these shares of the one wanted: too little leaves the
budget unused, and of too much the merger would have to read it all again."""

_logger = logging.getLogger('summarizer_tool')


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

    async def _find(self, cache: Cache, key: str, target: int) -> ChunkSummary | None:
        least, most = (target, target) if self.is_exact else (round(target * LEAST), round(target * MOST))
        answer = None
        with _forgiving('the cache failed'):
            kept = await in_io_thread(cache.answer, key, least=least, most=most)
            answer = None if kept is None else ChunkSummary.model_validate_json(kept)
        self.found += answer is not None
        return answer

    async def keep(self, key: str, target: int, answer: ChunkSummary) -> None:
        """Keep an answer."""
        if self.cache is None:
            return
        with _forgiving('the cache failed'):
            await in_io_thread(self.cache.keep_answer, key, target, answer.model_dump_json())

    async def starts(self, documents: Sequence[Document], size: int) -> frozenset[int]:
        """Where chunks of `size` tokens began when the first of the documents was last cut, by `fingerprint`."""
        if self.cache is not None and (key := _starts_key(documents, size)):
            with _forgiving('the places of the last cuts cannot be read'):
                return _STARTS.validate_json(await in_io_thread(self.cache.answer, key, least=0, most=0) or '[]')
        return frozenset()

    async def keep_starts(self, documents: Sequence[Document], size: int, starts: frozenset[int]) -> None:
        """Keep them for the next time."""
        if self.cache is not None and (key := _starts_key(documents, size)):
            with _forgiving('the places of the cuts cannot be kept'):
                await in_io_thread(self.cache.keep_answer, key, 0, _STARTS.dump_json(starts).decode())

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
            yield await self._find(self.cache, key, target)
        finally:
            if has_turn:
                lock.release()


_locks: WeakValueDictionary[tuple[AbstractEventLoop, Cache, str], Lock] = WeakValueDictionary()
"""Of those who ask now; of others nothing stays."""
