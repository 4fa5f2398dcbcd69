"""Rank passages by meaning, with an embedding model: vectors of queries against those of passages, which are kept."""

import hashlib
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import anyio
from anyio.lowlevel import RunVar
from pydantic_ai.concurrency import AbstractConcurrencyLimiter
from pydantic_ai.embeddings import (
    Embedder,
    EmbeddingModel,
    EmbeddingResult,
    EmbeddingSettings,
    InstrumentedEmbeddingModel,
)
from pydantic_ai.exceptions import ModelHTTPError
from pydantic_ai.models.instrumented import InstrumentationSettings
from pydantic_ai.usage import RunUsage

from summarizer_tool import telemetry
from summarizer_tool.errors import SummarizerError
from summarizer_tool.llm import embedding_models, failures
from summarizer_tool.llm.provider_limit import share_of
from summarizer_tool.runtime.executors import in_io_thread, in_thread
from summarizer_tool.settings import Settings
from summarizer_tool.store import vectors
from summarizer_tool.store.collection import Collection
from summarizer_tool.store.vectors import MissingVector, Vectors

if TYPE_CHECKING:
    from summarizer_tool.store.vectors import Matrix

MAX_PASSAGES = 2000
"""Embedded before one search; the rest before the next ones."""

BATCH = 96
"""Texts of one request, the least of the limits of the great providers (Cohere's)."""

MAX_CHARACTERS = 2000
"""Of a text that is embedded: with its headings a passage has half of that. Under 8,192 tokens in any script, and a
batch of them under the 300,000 of a request to OpenAI."""

START_SECONDS = 20.0
"""After it no further batch is sent before a search."""

_TOO_MUCH = frozenset({400, 413, 422})
"""Statuses that speak of a text, or of the number of them, rather than of the endpoint."""

_KEPT_QUERIES = 256
"""An answer searches again for the same sub-queries after each round."""

_FORM = 2
"""Changes with what of a passage is embedded, so that vectors of two ways are not compared."""

_logger = logging.getLogger('summarizer_tool')

_turns: RunVar[dict[tuple[str, str], anyio.Lock]] = RunVar('summarizer_tool_embedding_turns')

Embed = Callable[[Sequence[str]], Awaitable['Matrix']]
"""Gives the normalised vectors of texts, one row for each."""


class UnansweredError(SummarizerError):
    """The embedding model has given no vectors; the search can do without them."""


@dataclass(slots=True)
class _Backfill:
    """The passages that have no vector, while they get theirs batch by batch."""

    embed: Embed
    vectors: Vectors
    dimensions: int
    last_start: float
    """Of a batch, by the event loop's clock."""
    kept: int = 0
    failed: int = 0
    reasons: set[str] = field(default_factory=set[str])
    """Why, without content."""
    are_more: bool = False
    """Whether there are more than one search embeds."""
    is_hopeless: bool = False
    """Whether every other request would fail, too."""

    @property
    def warning(self) -> str:
        """Which passages are ranked by words alone, and what to do; empty if none are."""
        if self.reasons:
            failed, reasons = f'{self.failed:,}' if self.failed else 'some', ', '.join(sorted(self.reasons))
            return f'{failed} passages have no vectors ({reasons}) and are ranked by words alone; search again'
        if self.are_more:
            return (
                f'{self.kept:,} passages were embedded for this search; the others that have no vectors yet are ranked '
                'by words alone; search again'
            )
        return ''

    async def all(self, batches: Iterator[dict[str, list[MissingVector]]]) -> None:
        """Embed one batch after the other, while others do the same with the rest."""
        for by_text in batches:
            await self.batch(by_text)

    async def batch(self, by_text: dict[str, list[MissingVector]]) -> None:
        """Embed some texts and keep their vectors; one that the model refuses does not keep the others from theirs."""
        texts = list(by_text)
        places = [place for text in texts for place in by_text[text]]
        if self.is_hopeless or anyio.current_time() > self.last_start:
            self.failed += len(places)
            self.reasons.add(failures.DEADLINE)
            return
        try:
            rows = await self.embed(texts)
            if rows.shape[1] != self.dimensions:  # another model has come to be behind the name
                raise ValueError('vectors of passages and queries differ in size')  # noqa: TRY301 - counted below
            await self._keep(places, rows[[number for number, text in enumerate(texts) for _ in by_text[text]]])
            self.kept += len(places)
        except Exception as error:  # noqa: BLE001 - whatever a provider's code raises, the other batches go on
            if isinstance(error, ModelHTTPError) and error.status_code in _TOO_MUCH:
                if len(texts) > 1:
                    middle = len(texts) // 2
                    for part in (texts[:middle], texts[middle:]):
                        await self.batch({text: by_text[text] for text in part})
                    return
                # It is near to nothing, and so is not sent again.
                await self._keep(places, vectors.normalised([[0.0] * self.dimensions] * len(places)))
            self.failed += len(places)
            self.reasons.add(failures.reason(error))
            self.is_hopeless = self.is_hopeless or failures.is_hopeless(error)

    async def _keep(self, places: Sequence[MissingVector], rows: 'Matrix') -> None:
        with anyio.CancelScope(shield=True):  # they are paid for
            await in_io_thread(self.vectors.keep, places, rows)


class EmbeddedPassages:
    """Ranks passages by an embedding model's vectors.

    One serves all collections and event loops of a process. Passages are embedded when a search first comes upon them,
    with their headings; their vectors are kept in the store, and so none is paid for twice.
    """

    usage: RunUsage
    """What all requests together have used."""

    def __init__(
        self,
        settings: Settings,
        model_name: str,
        *,
        model: EmbeddingModel | None = None,
        limiter: AbstractConcurrencyLimiter | None = None,
    ) -> None:
        """For `of`, which checks the model; a model of the caller's is used instead of the one with this name."""
        self.settings = settings
        self.model_name = model_name
        self.usage = RunUsage()
        self._model = model
        self._limiter = limiter
        self._queries: dict[tuple[str, str], Matrix] = {}

    @classmethod
    def of(
        cls,
        settings: Settings,
        *,
        model: EmbeddingModel | None = None,
        limiter: AbstractConcurrencyLimiter | None = None,
    ) -> 'EmbeddedPassages | None':
        """The ranking that the settings ask for, or `None`; raises `ConfigurationError` if that cannot be had."""
        name = model.model_name if model is not None else settings.embedding_model
        if not name:
            return None
        vectors.require_numpy()
        if model is None:
            built, _provider = embedding_models.build(settings, name)
            if name.startswith(embedding_models.LOCAL):
                model = built  # its weights are loaded once
        return cls(settings, name, model=model, limiter=limiter)

    async def nearest(
        self, collection: Collection, queries: Sequence[str], source_ids: Sequence[str], limit: int
    ) -> tuple[list[list[int]], str]:
        """For each query the passages whose meaning is nearest, after those without a vector have been embedded.

        What cannot be embedded now is left out, and told in a warning: passages beyond 2,000, or that the model fails
        on. A blank query finds nothing.

        Raises:
            UnansweredError: If the queries cannot be embedded.
            ConfigurationError: If the model cannot be built.
            StoreError: If the store cannot be read.
        """
        texts = [sendable(query) for query in queries]
        asked = list(dict.fromkeys(text for text in texts if text))
        if not asked or limit < 1:
            return [[] for _ in texts], ''
        with telemetry.span('rank by meaning', queries=len(asked), model=self.model_name) as span:
            async with self._connected() as model:
                embedder = Embedder(
                    model,
                    settings=EmbeddingSettings(truncate=True),
                    instrument=InstrumentationSettings(include_content=self.settings.trace_content),
                )
                key = _key(model)
                wanted = await self._of_queries(embedder, key, asked)
                size = wanted.shape[1]
                kept = Vectors(collection.database, collection.name, f'{key} {size}')
                embed = partial(self._embed, embedder, is_query=False)
                backfill = _Backfill(embed, kept, size, anyio.current_time() + START_SECONDS)
                await self._fill(backfill, collection, source_ids)
            span.set_attributes({'embedded': backfill.kept, 'failed': backfill.failed})
            found = await in_io_thread(kept.nearest, wanted, source_ids, limit)
        by_text = dict(zip(asked, found, strict=True))
        return [by_text[text] if text else [] for text in texts], backfill.warning

    async def _fill(self, backfill: _Backfill, collection: Collection, source_ids: Sequence[str]) -> None:
        """Embed the passages that have no vector; cancelled, it leaves what is kept by then."""
        missing = backfill.vectors.missing
        if not await in_io_thread(missing, source_ids, 1):
            return
        with anyio.move_on_after(START_SECONDS + self.settings.llm_timeout_seconds) as scope:
            # Searches take turns, so that none pays for what another one is having embedded.
            async with _turn_of(collection):
                places = await in_io_thread(missing, source_ids, MAX_PASSAGES + 1)
                backfill.are_more = len(places) > MAX_PASSAGES
                texts = [*(await in_io_thread(_texts, collection, places[:MAX_PASSAGES])).items()]
                batches = iter([dict(texts[start : start + BATCH]) for start in range(0, len(texts), BATCH)])
                async with anyio.create_task_group() as group:
                    for _ in range(self.settings.max_concurrent_llm_calls):
                        group.start_soon(backfill.all, batches)
        if scope.cancelled_caught:
            backfill.reasons.add(failures.DEADLINE)
        if backfill.failed:
            self._queries.clear()  # these may be of a model that is no longer behind the name
        if backfill.warning:
            _logger.warning(
                'some passages are ranked by words alone, as they have no vectors yet',
                extra={
                    'embedded': backfill.kept,
                    'failed': backfill.failed,
                    'are_more': backfill.are_more,
                    'reasons': sorted(backfill.reasons),
                },
            )

    @asynccontextmanager
    async def _connected(self) -> AsyncGenerator[EmbeddingModel]:
        own = self._model
        connected = nullcontext(own) if own else embedding_models.connect(self.settings, self.model_name)
        async with connected as model:
            # The caller's own instrumentation would put the content into its traces.
            while isinstance(model, InstrumentedEmbeddingModel) and not self.settings.trace_content:
                model = model.wrapped
            yield model

    async def _of_queries(self, embedder: Embedder, key: str, texts: Sequence[str]) -> 'Matrix':
        """The vectors of queries, one row for each; those of the last ones are remembered."""
        import numpy as np

        known = {text: self._queries[key, text] for text in texts if (key, text) in self._queries}
        if new := [text for text in texts if text not in known]:
            with anyio.move_on_after(self.settings.llm_timeout_seconds) as scope:
                try:
                    rows = await self._embed(embedder, new, is_query=True)
                except Exception as error:  # whatever a provider's code raises, the search goes on without it
                    raise self._unanswered(failures.reason(error)) from error
                known.update(zip(new, rows, strict=True))
            if scope.cancelled_caught:
                raise self._unanswered('no answer in time')
        if len(self._queries) > _KEPT_QUERIES:
            self._queries.clear()
        self._queries.update(((key, text), row) for text, row in known.items())
        if len({len(row) for row in known.values()}) > 1:  # another model has come to be behind the name
            self._queries.clear()
            raise self._unanswered('its vectors have changed their size')
        return np.stack([known[text] for text in texts])

    def _unanswered(self, reason: str) -> UnansweredError:
        _logger.warning('model call failed', extra={'agent': 'embedder', 'reason': reason})
        return UnansweredError(f'{self.model_name} as embedder: {reason}')

    async def _embed(self, embedder: Embedder, texts: Sequence[str], *, is_query: bool) -> 'Matrix':
        """The normalised vectors of texts, one row for each, when it is their turn."""
        limiter = self._limiter or share_of(self.settings, 'embeddings')
        await limiter.acquire('embeddings')
        try:
            embed = embedder.embed_query if is_query else embedder.embed_documents
            result: EmbeddingResult = await embed(texts)
        finally:
            limiter.release()
        self.usage.incr(result.usage)
        self.usage.requests += 1
        if len(result.embeddings) != len(texts):
            raise ValueError(f'{len(result.embeddings)} vectors for {len(texts)} texts')
        return await in_thread(vectors.normalised, result.embeddings)


def _key(model: EmbeddingModel) -> str:
    """Whose vectors may be compared: those of one model at one endpoint, made of texts of one form."""
    place = hashlib.sha256(f'{_FORM} {model.base_url or ""}'.encode()).hexdigest()[:12]
    return f'{model.system}:{model.model_name} {place}'


def _turn_of(collection: Collection) -> anyio.Lock:
    """The turn of one search to embed the passages of a collection, on this event loop."""
    try:
        turns = _turns.get()
    except LookupError:
        turns = dict[tuple[str, str], anyio.Lock]()
        _turns.set(turns)
    return turns.setdefault((collection.database.path, collection.name), anyio.Lock())


def _texts(collection: Collection, places: Sequence[MissingVector]) -> dict[str, list[MissingVector]]:
    """What is embedded of passages that are still there, each text once, with the passages that have it."""
    by_id = {place.id: place for place in places}
    texts: dict[str, list[MissingVector]] = {}
    for passage in collection.passages(list(by_id)):
        place = by_id[passage.id]
        if (passage.source_id, passage.number) == (place.source_id, place.number):
            texts.setdefault(sendable(passage.under(place.title)), []).append(place)
    return texts


def sendable(text: str) -> str:
    """The beginning of a text, in characters that any encoding can carry."""
    return text.strip()[:MAX_CHARACTERS].encode(errors='replace').decode()
