"""Rank passages by meaning, with an embedding model: vectors of queries against those of passages, which are kept."""

import hashlib
import logging
import threading
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, nullcontext
from functools import partial
from typing import TYPE_CHECKING

import anyio
from pydantic_ai.concurrency import AbstractConcurrencyLimiter
from pydantic_ai.embeddings import (
    Embedder,
    EmbeddingModel,
    EmbeddingResult,
    EmbeddingSettings,
    InstrumentedEmbeddingModel,
)
from pydantic_ai.models.instrumented import InstrumentationSettings
from pydantic_ai.usage import RunUsage

from summarizer_tool import telemetry
from summarizer_tool.evidence.search.missing_vectors import VectorBackfill, sendable
from summarizer_tool.evidence.search.results import SimilarityResult
from summarizer_tool.llm import embedding_models, failures
from summarizer_tool.llm.provider_limit import share_of
from summarizer_tool.llm.typed_query import UnansweredError
from summarizer_tool.runtime.executors import in_io_thread, in_thread
from summarizer_tool.settings import Settings
from summarizer_tool.store import vectors
from summarizer_tool.store.collection import Collection
from summarizer_tool.store.vectors import Vectors

if TYPE_CHECKING:
    from summarizer_tool.store.vectors import Matrix

_KEPT_QUERIES = 256
"""An answer searches again for the same sub-queries after each round."""

_FORM = 2
"""Changes with what of a passage is embedded, so that vectors of two ways are not compared."""

_logger = logging.getLogger('summarizer_tool')


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
        self._lock = threading.Lock()
        self._queries: dict[tuple[str, str], Matrix] = {}
        self._missing = VectorBackfill(settings.max_concurrent_llm_calls, settings.llm_timeout_seconds)

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
    ) -> SimilarityResult:
        """For each query the passages whose meaning is nearest, after those without a vector have been embedded.

        What cannot be embedded now is left out, with a warning: passages beyond 2,000, or that the model fails on. A
        blank query finds nothing.

        Raises:
            UnansweredError: If the queries cannot be embedded.
            ConfigurationError: If the model cannot be built.
            StoreError: If the store cannot be read.
        """
        texts = [sendable(query) for query in queries]
        asked = list(dict.fromkeys(text for text in texts if text))
        if not asked or limit < 1:
            return SimilarityResult([[] for _ in texts])
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
                tally = await self._missing.embed(embed, kept, collection, source_ids, size)
            if tally.is_other_size:
                self._forget_queries()
            span.set_attributes({'embedded': tally.kept, 'failed': tally.failed})
            found = await in_io_thread(kept.nearest, wanted, source_ids, limit)
        by_text = dict(zip(asked, found, strict=True))
        return SimilarityResult([by_text[text] if text else [] for text in texts], tally.warning)

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

        with self._lock:
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
        with self._lock:
            for text in texts:
                self._queries.pop((key, text), None)
                self._queries[key, text] = known[text]
            while len(self._queries) > _KEPT_QUERIES:
                del self._queries[next(iter(self._queries))]
        if len({len(row) for row in known.values()}) > 1:  # another model has come to be behind the name
            self._forget_queries()
            raise self._unanswered('its vectors have changed their size')
        return np.stack([known[text] for text in texts])

    def _forget_queries(self) -> None:
        with self._lock:
            self._queries.clear()

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
