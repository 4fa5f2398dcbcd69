"""Whole results that are kept: found again for the same request, and what the last one said for other versions."""

import logging
from collections.abc import Sequence

from pydantic import TypeAdapter, ValidationError
from pydantic_ai.usage import RunUsage

from summarizer_tool.documents.document import Document
from summarizer_tool.errors import StoreError
from summarizer_tool.llm.options import Cache
from summarizer_tool.mapreduce.answer_cache import key_of
from summarizer_tool.mapreduce.request import SummarizeRequest
from summarizer_tool.runtime.executors import in_io_thread, in_thread
from summarizer_tool.schemas import Summary

_FACTS = TypeAdapter(list[str])

_logger = logging.getLogger('summarizer_tool')


async def find_summary(cache: Cache, key: str) -> Summary | None:
    """The summary that is kept under a key, as one that has cost nothing; none where it cannot be read."""
    try:
        kept = await in_io_thread(cache.summary, key)
        summary = None if kept is None else await in_thread(Summary.model_validate_json, kept)
    except (StoreError, ValidationError):
        _logger.warning('a kept summary cannot be read')
        return None
    if summary is not None:
        stats = summary.stats
        stats.from_cache, stats.cached_calls = True, stats.map_calls + stats.reduce_calls + stats.repair_calls
        stats.map_calls = stats.reduce_calls = stats.repair_calls = 0
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
    if not (key := names_key(documents, request)):
        return frozenset()
    try:
        kept = await in_io_thread(cache.summary, key)
        return frozenset(_FACTS.validate_json(kept) if kept else ())
    except (StoreError, ValidationError):
        _logger.warning('the facts of the last summary cannot be read')
        return frozenset()


async def keep_summary(cache: Cache, key: str, summary: Summary, of_names: str) -> None:
    """Keep a summary under its key, and its facts under that of the names of its documents, if they have one."""
    try:
        await in_io_thread(cache.keep_summary, key, await in_thread(summary.model_dump_json))
        if of_names:
            facts = _FACTS.dump_json([fact.text for fact in summary.facts]).decode()
            await in_io_thread(cache.keep_summary, of_names, facts)
    except StoreError as error:
        _logger.warning('the summary cannot be kept', extra={'reason': str(error)})
