"""Give vectors to the passages that have none yet, before a search, as far as time and bounds allow."""

import logging
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import anyio
from anyio.lowlevel import RunVar
from pydantic_ai.exceptions import ModelHTTPError

from summarizer_tool.llm import failures
from summarizer_tool.runtime.executors import in_io_thread
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

_logger = logging.getLogger('summarizer_tool')

_turns: RunVar[dict[tuple[str, str], anyio.Lock]] = RunVar('summarizer_tool_embedding_turns')

Embed = Callable[[Sequence[str]], Awaitable['Matrix']]
"""Gives the normalised vectors of texts, one row for each."""


@dataclass(slots=True)
class VectorCounts:
    """What became of the passages that had no vector."""

    kept: int = 0
    failed: int = 0
    reasons: set[str] = field(default_factory=set[str])
    """Why, without content."""
    are_more: bool = False
    """Whether there are more than one search embeds."""
    is_hopeless: bool = False
    """Whether every other request would fail, too."""
    is_other_size: bool = False
    """Whether the vectors are of another size than asked for: another model has come to be behind the name."""
    refused: int = 0
    """Passages that the model has refused before, and that were not sent again."""

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
        if self.refused:
            return f'{self.refused:,} passages, which the embedding model refuses, are ranked by words alone'
        return ''


@dataclass(slots=True)
class VectorBackfill:
    """Embeds the missing passages of collections by one model, and remembers those that it refuses."""

    parallel: int
    """Requests at once."""
    seconds: float
    """That those which are under way after `START_SECONDS` may still take."""
    refused: set[tuple[str, int]] = field(default_factory=set[tuple[str, int]])
    """Passages, by source and number, that are not sent again by this process."""

    async def embed(
        self, embed: Embed, kept: Vectors, collection: Collection, source_ids: Sequence[str], dimensions: int
    ) -> VectorCounts:
        """Embed the passages that have no vector and keep their vectors, batch by batch.

        Cancelled, it leaves what is kept by then. What is left out is logged.
        """
        tally = VectorCounts()
        if not await in_io_thread(kept.missing, source_ids, len(self.refused) + 1):
            return tally
        with anyio.move_on_after(START_SECONDS + self.seconds) as scope:
            # Searches take turns, so that none pays for what another one is having embedded.
            async with _turn_of(collection):
                places = await in_io_thread(kept.missing, source_ids, MAX_PASSAGES + len(self.refused) + 1)
                found = len(places)
                places = [place for place in places if (place.source_id, place.number) not in self.refused]
                tally.refused = found - len(places)
                tally.are_more = len(places) > MAX_PASSAGES
                by_text = await in_io_thread(_texts, collection, places[:MAX_PASSAGES])
                run = _VectorRun(embed, kept, dimensions, anyio.current_time() + START_SECONDS, tally, self.refused)
                texts = list(by_text.items())
                batches = iter([dict(texts[start : start + BATCH]) for start in range(0, len(texts), BATCH)])
                async with anyio.create_task_group() as group:
                    for _ in range(self.parallel):
                        group.start_soon(run.all, batches)
        if scope.cancelled_caught:
            tally.reasons.add(failures.DEADLINE)
        if tally.are_more or tally.reasons:
            _logger.warning(
                'some passages are ranked by words alone, as they have no vectors yet',
                extra={
                    'embedded': tally.kept,
                    'failed': tally.failed,
                    'are_more': tally.are_more,
                    'reasons': sorted(tally.reasons),
                },
            )
        return tally


@dataclass(frozen=True, slots=True)
class _VectorRun:
    """The batches of one search."""

    embed: Embed
    kept: Vectors
    dimensions: int
    last_start: float
    """By the event loop's clock."""
    tally: VectorCounts
    refused: set[tuple[str, int]]

    async def all(self, batches: Iterator[dict[str, list[MissingVector]]]) -> None:
        """Embed one batch after the other, while others do the same with the rest."""
        for by_text in batches:
            await self.batch(by_text)

    async def batch(self, by_text: dict[str, list[MissingVector]]) -> None:
        """Embed some texts and keep their vectors; one that the model refuses does not keep the others from theirs."""
        texts, tally = list(by_text), self.tally
        places = [place for text in texts for place in by_text[text]]
        if tally.is_hopeless or anyio.current_time() > self.last_start:
            tally.failed += len(places)
            tally.reasons.add(failures.DEADLINE)
            return
        try:
            rows = await self.embed(texts)
            if rows.shape[1] != self.dimensions:
                tally.is_other_size = True
                raise ValueError('vectors of passages and queries differ in size')  # noqa: TRY301 - counted below
            numbers = [number for number, text in enumerate(texts) for _ in by_text[text]]
            with anyio.CancelScope(shield=True):  # they are paid for
                await in_io_thread(self.kept.keep, places, rows[numbers])
            tally.kept += len(places)
        except Exception as error:  # noqa: BLE001 - whatever a provider's code raises, the other batches go on
            if isinstance(error, ModelHTTPError) and error.status_code in _TOO_MUCH:
                if len(texts) > 1:
                    middle = len(texts) // 2
                    for part in (texts[:middle], texts[middle:]):
                        await self.batch({text: by_text[text] for text in part})
                    return
                self.refused.update((place.source_id, place.number) for place in places)
            tally.failed += len(places)
            tally.reasons.add(failures.reason(error))
            tally.is_hopeless = tally.is_hopeless or failures.is_hopeless(error)


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
