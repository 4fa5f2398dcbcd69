"""Rank passages by meaning, with an embedding model: vectors of queries against those of passages, which are kept."""

import hashlib
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING

import anyio
from pydantic_ai.embeddings import (
    Embedder,
    EmbeddingModel,
    EmbeddingResult,
    EmbeddingSettings,
    InstrumentedEmbeddingModel,
)
from pydantic_ai.models.instrumented import InstrumentationSettings

from summarizer_tool import telemetry
from summarizer_tool.documents.passage import Passage
from summarizer_tool.errors import SummarizerError
from summarizer_tool.llm import embedding_models, failures
from summarizer_tool.llm.provider_limit import share_of
from summarizer_tool.prompts import encodable
from summarizer_tool.runtime.executors import in_io_thread
from summarizer_tool.settings import Settings
from summarizer_tool.store import vectors
from summarizer_tool.store.collection import Collection
from summarizer_tool.store.vectors import Vectors

if TYPE_CHECKING:
    from summarizer_tool.store.vectors import Matrix

MAX_PASSAGES = 2000
"""Embedded before one search; the rest before the next ones."""

BATCH = 96
"""Texts of one request, the least of the limits of the great providers (Cohere's)."""

MAX_CHARACTERS = 2000
"""Of a text that is embedded: with its headings a passage has half of that. Under 8,192 tokens in any script, and a
batch of them under the 300,000 of a request to OpenAI."""

SECONDS = 60.0
"""For the passages of one search; those that have no vector by then are ranked by their words."""

_FORM = 2
"""Changes with what of a passage is embedded, so that vectors of two ways are not compared."""

_logger = logging.getLogger('summarizer_tool')


class EmbeddedPassages:
    """Ranks passages by an embedding model's vectors.

    One serves all collections and event loops of a process. Passages are embedded when a search first comes upon them,
    with their headings; their vectors are kept in the store, and so none is paid for twice.
    """

    def __init__(self, settings: Settings, model_name: str, *, model: EmbeddingModel | None = None) -> None:
        """For `of`, which checks the model; a model of the caller's is used instead of the one with this name."""
        self.settings = settings
        self.model_name = model_name
        # The caller's own instrumentation would put the content into its traces.
        while isinstance(model, InstrumentedEmbeddingModel) and not settings.trace_content:
            model = model.wrapped
        self._model = model

    @classmethod
    def of(cls, settings: Settings, *, model: EmbeddingModel | None = None) -> 'EmbeddedPassages | None':
        """The ranking that the settings ask for, or `None`; raises `ConfigurationError` if that cannot be had."""
        name = model.model_name if model is not None else settings.embedding_model
        if not name:
            return None
        vectors.require_numpy()
        if model is None:
            built, _provider = embedding_models.build(settings, name)
            if name.startswith(embedding_models.LOCAL):
                model = built  # its weights are loaded once
        return cls(settings, name, model=model)

    async def nearest(
        self, collection: Collection, queries: Sequence[str], source_ids: Sequence[str], limit: int
    ) -> tuple[list[list[int]], str]:
        """For each query the passages whose meaning is nearest, after those without a vector have been embedded.

        What cannot be embedded now is left out, and told in a warning: passages beyond 2,000, or on which the model
        fails. A blank query finds nothing.

        Raises:
            SummarizerError: If the queries cannot be embedded.
            ConfigurationError: If the model cannot be built.
            StoreError: If the store cannot be read.
        """
        texts = [sendable(query) for query in queries]
        asked = list(dict.fromkeys(text for text in texts if text))
        if not asked or limit < 1:
            return [[] for _ in texts], ''
        connect = nullcontext(self._model) if self._model else embedding_models.connect(self.settings, self.model_name)
        with telemetry.span('rank by meaning', queries=len(asked), model=self.model_name):
            async with connect as model:
                embedder = Embedder(
                    model,
                    settings=EmbeddingSettings(truncate=True),
                    instrument=InstrumentationSettings(include_content=self.settings.trace_content),
                )
                wanted = await self._of_queries(embedder, asked)
                kept = Vectors(collection.database, collection.name, f'{_key(model)} {wanted.shape[1]}')
                warning = await self._fill(embedder, kept, collection, source_ids)
            found = await in_io_thread(kept.nearest, wanted, source_ids, limit)
        by_text = dict(zip(asked, found, strict=True))
        return [by_text.get(text, []) for text in texts], warning

    async def _fill(self, embedder: Embedder, kept: Vectors, collection: Collection, source_ids: Sequence[str]) -> str:
        """Embed the passages that have no vector, and tell of those that have none then.

        Where this is cancelled, what is kept by then stays.
        """
        titles = await in_io_thread(kept.missing, source_ids, MAX_PASSAGES + 1)
        passages = await in_io_thread(collection.passages, list(titles)[:MAX_PASSAGES])
        embedded, reasons = 0, set[str]()

        async def embed(batch: Sequence[Passage]) -> None:
            nonlocal embedded
            try:
                rows = await self._embed(
                    embedder.embed_documents, [sendable(each.under(titles[each.id])) for each in batch]
                )
                await in_io_thread(kept.keep, [each.id for each in batch], rows)
                embedded += len(batch)
            except Exception as error:  # noqa: BLE001 - whatever a provider's code raises, the other batches go on
                reasons.add(failures.reason(error))

        with anyio.move_on_after(SECONDS) as scope:
            async with anyio.create_task_group() as group:
                for start in range(0, len(passages), BATCH):
                    group.start_soon(embed, passages[start : start + BATCH])
        if scope.cancelled_caught:
            reasons.add(failures.DEADLINE)
        are_more = len(titles) > MAX_PASSAGES
        if embedded == len(passages) and not are_more:
            return ''
        why = f' ({", ".join(sorted(reasons))})' if reasons else ''
        count = 'some' if are_more else f'{len(passages) - embedded:,}'
        warning = f'{count} passages have no vectors yet{why} and are ranked by words alone; search again'
        _logger.warning(warning, extra={'embedded': embedded})
        return warning

    async def _of_queries(self, embedder: Embedder, texts: Sequence[str]) -> 'Matrix':
        reason = 'no answer in time'
        with anyio.move_on_after(self.settings.llm_timeout_seconds):
            try:
                return await self._embed(embedder.embed_query, texts)
            except Exception as error:  # noqa: BLE001 - whatever a provider's code raises, the search goes on without it
                reason = failures.reason(error)
        _logger.warning('model call failed', extra={'agent': 'embedder', 'reason': reason})
        raise SummarizerError(f'{self.model_name} as embedder: {reason}')

    async def _embed(
        self, embed: Callable[[Sequence[str]], Awaitable[EmbeddingResult]], texts: Sequence[str]
    ) -> 'Matrix':
        """The normalised vectors of texts, one row for each, when it is their turn."""
        limiter = share_of(self.settings, 'embeddings')
        await limiter.acquire('embeddings')
        try:
            result = await embed(texts)
        finally:
            limiter.release()
        if len(result.embeddings) != len(texts):
            raise ValueError(f'{len(result.embeddings)} vectors for {len(texts)} texts')
        return vectors.normalised(result.embeddings)  # some milliseconds, in which none that is paid for is lost


def _key(model: EmbeddingModel) -> str:
    """Whose vectors may be compared: those of one model at one endpoint, made of texts of one form."""
    place = hashlib.sha256(f'{_FORM} {model.base_url or ""}'.encode()).hexdigest()[:12]
    return f'{model.system}:{model.model_name} {place}'


def sendable(text: str) -> str:
    """The beginning of a text, in characters that any encoding can carry."""
    return encodable(text.strip()[:MAX_CHARACTERS])
