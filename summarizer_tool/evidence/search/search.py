"""Find the passages of stored sources that answer a question. Nothing is fetched."""

import logging
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

from summarizer_tool.errors import SummarizerError
from summarizer_tool.evidence.search import candidates, choosing
from summarizer_tool.evidence.search.candidates import rank_passages, score_passages, weigh_questions
from summarizer_tool.evidence.search.choosing import in_turn, values_of
from summarizer_tool.evidence.search.results import Hit, Query, SearchResult
from summarizer_tool.runtime.executors import in_io_thread
from summarizer_tool.store import index
from summarizer_tool.store.collection import Collection
from summarizer_tool.store.connection import StoreConnection
from summarizer_tool.store.index import Span

if TYPE_CHECKING:
    from summarizer_tool.evidence.search.embedded_passages import EmbeddedPassages

_POOL = 4
"""Passages for each one wanted, from which the final choice is made; 50 at least."""

_READ = 2
"""Passages for each one wanted, of those with its words, whose text is read; 40 at least."""

_WIDENED = 10
"""Times more passages that are ranked by meaning, since most of them may be outdated."""

_logger = logging.getLogger('summarizer_tool')


@dataclass(slots=True)
class _Search:
    """A search at work."""

    collection: Collection
    query: Query
    source_ids: list[str]
    parts: tuple[str, ...]
    without: list[Span]
    """Where the passages are that are not searched: outdated ones, if no source was named."""
    ranking: str = 'bm25'

    @classmethod
    def of(cls, collection: Collection, query: Query, parts: tuple[str, ...]) -> Self:
        """Look up what is named, and what is left out."""
        source_ids = list(dict.fromkeys(collection.source(source_id).id for source_id in query.source_ids))
        with _reading(collection) as db:
            without = [] if source_ids else candidates.outdated(db, collection.name)
        return cls(collection, query, source_ids, parts, without)

    @property
    def pool(self) -> int:
        return max(50, _POOL * self.query.top_k)


async def search(collection: Collection, query: Query, *, similar: 'EmbeddedPassages | None' = None) -> SearchResult:
    """Find the passages that answer a question, in the sources of one collection.

    Where all chosen sources together have at most `query.room` tokens, they are the answer, whole. Else passages are
    ranked by their words, and by their meaning with `similar`, for each part of the question; of passages with the same
    text the best is kept; hits bring what stands beside them. Where no source is named, a text that was stored under
    a URL is left out if another one has been stored there since. A failure of `similar` is a warning in the result.

    Raises:
        UnknownSourceError: If one of `query.source_ids` is not in the collection.
        StoreError: If the store cannot be read.
    """
    parts = tuple(part for part in query.parts if part.strip()) or (query.text,)
    state = await in_io_thread(_Search.of, collection, query, parts)
    if (whole := await in_io_thread(_whole, state)) is not None:
        return whole
    nearest: list[list[int]] = [[] for _ in parts]
    warning = ''
    if similar is not None and any(part.strip() for part in parts):
        try:
            nearest, warning = await similar.nearest(collection, parts, state.source_ids, _WIDENED * state.pool)
            state.ranking += '+embeddings'
        except Exception as error:  # noqa: BLE001 - whatever a model's client raises, the ranking by words needs none
            # What is none of ours may hold what was sent.
            reason = str(error) if isinstance(error, SummarizerError) else type(error).__name__
            warning = f'ranking by meaning failed: {reason}'
            _logger.warning('ranking by meaning failed', extra={'reason': type(error).__name__})
    found = await in_io_thread(_choose, state, nearest)
    return replace(found, warnings=(warning,)) if warning else found


def beginnings(collection: Collection, found: SearchResult, asked: Query) -> SearchResult:
    """How the named sources begin, where a search found nothing in them.

    About as many passages as were asked for, with a score of 0.
    """
    sources = collection.kept(asked.source_ids)
    most = max(1, asked.top_k // max(1, len(sources)))
    with _reading(collection) as db:
        found_in = [index.passages_of_source(db, collection.name, source.id)[:most] for source in sources]
    hits = tuple(Hit(passage, 0.0) for passages in found_in for passage in passages)
    return replace(found, hits=hits, sources=tuple(sources), ranking='none')


@contextmanager
def _reading(collection: Collection) -> Generator[StoreConnection]:
    """One view of the store over several look-ups, whoever writes meanwhile."""
    with collection.database.read() as db:
        db.execute('BEGIN')
        yield db


def _whole(state: _Search) -> SearchResult | None:
    """All passages of the sources, if they fit and are all there."""
    room, name = state.query.room, state.collection.name
    if room <= 0:
        return None
    with _reading(state.collection) as db:
        which, value = candidates.chosen(name, state.source_ids, 'id')
        sizes: dict[str, int] = dict(
            db.execute(
                f'SELECT id, tokens FROM sources WHERE collection = ? AND {which} ORDER BY added_at',  # noqa: S608 - fixed text
                (name, value),
            ).fetchall()
        )
        if not sizes or sum(sizes.values()) > room:
            return None
        [question], _ = weigh_questions(db, name, [state.query.text], state.query.intent)
        ids = state.source_ids or [*sizes]
        whole = [each for source_id in ids for each in index.passages_of_source(db, name, source_id)]
        found = score_passages(db, name, question, whole)
        documents, passages = candidates.searched(db, name, ids)
    sources = state.collection.kept(ids)  # all of them, also one that has no passages, since there is nothing in it
    known = {source.id for source in sources}
    hits = tuple(
        Hit(passage, each.score) for passage, each in zip(whole, found, strict=True) if passage.source_id in known
    )
    return SearchResult(
        hits,
        tuple(sources),
        documents,
        passages,
        matched=sum(hit.score > 0 for hit in hits),
        is_full_context=True,
        ranking='none',
    )


def _choose(state: _Search, nearest: Sequence[Sequence[int]]) -> SearchResult:
    """Rank for each part, by words and by meaning, choose the hits, and bring their neighbours."""
    name, query = state.collection.name, state.query
    with _reading(state.collection) as db:
        questions, frequencies = weigh_questions(db, name, state.parts, query.intent)
        spans = index.spans_of(db, name, state.source_ids)
        nearest = [candidates.outside(near, state.without)[: state.pool] for near in nearest]
        most = max(40, _READ * query.top_k)
        found = [
            rank_passages(db, name, text, question, frequencies, spans, most, near, state.without)
            for text, question, near in zip(state.parts, questions, nearest, strict=True)
        ]
        # What may become a hit, with its best score over all parts, and the part that has it.
        best: dict[int, Hit] = {}
        rankings: list[dict[int, float]] = []
        for part, by_words, near in zip(state.parts, found, nearest, strict=True):
            values = values_of(by_words, near, state.pool)
            rankings.append({item: value for item, (_, value) in values.items()})
            for item, (score, _) in values.items():
                if item not in best or score > best[item].score:
                    best[item] = Hit(by_words.read[item].passage, score, part if query.parts else '')
        texts = {item: choosing.words_of(hit) for item, hit in best.items()}
        hits = [
            replace(best[item], value=rankings[part][item])
            for item, part in in_turn(rankings, max(0, query.top_k), texts).items()
        ]
        documents, passages = candidates.searched(db, name, state.source_ids)
    read: dict[int, Hit] = {}
    for each in (each for by_words in found for each in by_words.read.values()):
        read[each.passage.id] = max(each, read.get(each.passage.id, each), key=lambda one: one.value)
    # Where no word is found in sources that were named, those passages serve that are nearest by meaning.
    fill = query.fill if hits else query.top_k if state.source_ids else 0
    shown = choosing.with_neighbours(hits, read, fill=fill)
    sources = state.collection.kept(dict.fromkeys(hit.passage.source_id for hit in shown))
    known = {source.id for source in sources}  # one may have been evicted a moment ago
    return SearchResult(
        tuple(hit for hit in shown if hit.passage.source_id in known),
        tuple(sources),
        documents,
        passages,
        len(frozenset[int]().union(*(each.matched for each in found), best)),
        ranking=state.ranking if hits or not shown else 'nearest',
    )
