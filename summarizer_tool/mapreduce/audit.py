"""Take stock of what the sources name, of how much of it a text says, and of what to ask again. Pure computing."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Container, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from summarizer_tool.documents.chunking import Chunk
from summarizer_tool.documents.document import Document
from summarizer_tool.mapreduce.job import Job
from summarizer_tool.prompts import Focus
from summarizer_tool.schemas import Audit, Coverage, DocumentCoverage, ItemKind, LostItem
from summarizer_tool.text import names
from summarizer_tool.text.normalize import asked, stated

MAX_ITEMS = 50_000
"""Distinct items of one job; about what half a million tokens have."""

MAX_PLACES = 8
"""Places of an item that are kept; the rest is only counted."""

HEAVIEST = 20
"""Losses that are listed."""

T = TypeVar('T')

_ENDS, _MARKS = '.!?\n', ' "“\'(*_'
_CLOSES = '.,;:!?…)]"”’\''


@dataclass(slots=True)
class NamedItem:
    """A name, title, date, number or identifier of the sources."""

    kind: ItemKind
    text: str
    """As it is written first."""
    documents: tuple[int, ...] = ()
    """Indices of the documents that say it, ascending."""
    places: tuple[tuple[int, int], ...] = ()
    """The index of the document and the offset in it of the first ones."""
    times: int = 0
    is_certain: bool = False
    """Whether it is more than a capital where a sentence begins, of a word that is small elsewhere."""


@dataclass(slots=True)
class Inventory:
    """What the sources of a job name, in the order in which they do."""

    items: list[NamedItem] = field(default_factory=list[NamedItem])
    is_partial: bool = False


def take(documents: Sequence[Document], left_out: Container[int]) -> Inventory:
    """Take stock of documents, but for those with an index in `left_out`."""
    found: dict[str, NamedItem] = {}
    spelled: dict[str, NamedItem] = {}
    is_partial = False
    for index, text in ((index, each.text) for index, each in enumerate(documents) if index not in left_out):
        for kind, mention, offset in names.located(text):
            item = spelled.get(mention)
            if item is None:
                key = names.key(mention)
                item = found.get(key)
                if item is None:
                    if is_partial := len(found) == MAX_ITEMS:
                        break
                    item = found[key] = NamedItem(kind, mention, (index,))
                spelled[mention] = item
            item.times += 1
            if item.documents[-1] != index:
                item.documents += (index,)
            if item.times <= MAX_PLACES:
                item.places += ((index, offset),)
            if not item.is_certain:
                before = text[max(0, offset - 4) : offset].rstrip(_MARKS)[-1:]
                # '' at the beginning is in any
                item.is_certain = kind != 'name' or ' ' in mention or before not in _ENDS
    small: dict[int, frozenset[str]] = {}
    for item in found.values():
        if not item.is_certain:
            for index in {*item.documents} - small.keys():
                small[index] = frozenset(word.rstrip(_CLOSES) for word in {*documents[index].text.split()})
            item.is_certain = not any(item.text.lower() in small[index] for index in item.documents)
    return Inventory([item for item in found.values() if item.is_certain], is_partial)


def kept(items: Sequence[str], text: str) -> list[bool]:
    """Tell of each item whether a line of `text` says it, in whatever form (as grounding compares them)."""
    lines: dict[str, set[int]] = {}
    for number, line in enumerate(text.splitlines()):
        for word in stated(line):
            lines.setdefault(word, set()).add(number)
    return [
        words <= lines.keys() and bool(words) and bool(set[int].intersection(*map(lines.__getitem__, words)))
        for words in map(asked, items)
    ]


def report(inventory: Inventory, said: Sequence[bool], documents: Sequence[Document]) -> Audit:
    """The account of what is kept and what is lost."""
    every = list(zip(inventory.items, said, strict=True))
    kinds = Counter[tuple[ItemKind, bool]]((item.kind, is_kept) for item, is_kept in every)
    seen: dict[ItemKind, None] = dict.fromkeys(item.kind for item in inventory.items)
    of = Counter((index, is_kept) for item, is_kept in every for index in item.documents)
    lost = sorted((item for item, is_kept in every if not is_kept), key=lambda item: -item.times)
    return Audit(
        kept=sum(said),
        total=len(said),
        by_kind={kind: Coverage(**_counts(kinds, kind)) for kind in seen},
        by_document=[
            DocumentCoverage(source_id=document.id, title=document.title, **_counts(of, index))
            for index, document in enumerate(documents)
        ],
        losses=[_lost(item, documents) for item in lost[:HEAVIEST]],
        is_partial=inventory.is_partial,
    )


def _counts(counted: Counter[tuple[T, bool]], what: T) -> dict[str, int]:
    return {'kept': counted[what, True], 'total': counted[what, True] + counted[what, False]}


def _lost(item: NamedItem, documents: Sequence[Document]) -> LostItem:
    index, offset = item.places[0]
    document = documents[index]
    return LostItem(
        source_id=document.id,
        segment=document.segment_at(offset),
        line=document.text.count('\n', 0, offset) + 1,
        page=document.pages.at(offset),
        text=item.text,
        kind=item.kind,
        times=item.times,
    )


ENOUGH = 0.8
"""Share of what is asked for that the facts say where nothing is asked again."""

MAX_CHUNKS = 4
"""Chunks that are asked about again: each costs as much as the first time."""

MAX_MISSING = 40
"""Names in one request."""

TOKENS_EACH = 40
"""Room that a name with what is said of it takes at most."""


@dataclass(slots=True)
class Loss:
    """What the facts of one chunk leave out."""

    chunk: int
    """Its index."""
    missing: list[str] = field(default_factory=list[str])
    """Names, dates and numbers, as they are written; the most relevant first."""
    weight: float = 0.0
    """How many there are, each counted by its relevance."""


def losses(
    inventory: Inventory, said: Sequence[bool], chunks: Sequence[Chunk], relevance: Sequence[Sequence[float]], job: Job
) -> list[Loss]:
    """The chunks that have lost most, the heaviest first; none where enough is said, or nothing is asked for.

    `said` tells which items of the inventory the facts say; `relevance` how much each segment of each document is about
    the focus. Where none is, a schema asks for all.
    """
    if job.focus == Focus():
        return []
    asks_for_all = bool(job.focus.schema_hint or job.focus.topics) and not any(map(any, relevance))
    starts = sorted((piece.document, piece.start, chunk.index) for chunk in chunks for piece in chunk.pieces)
    total = kept = 0.0
    lost: list[tuple[float, str, int]] = []
    for item, is_said in zip(inventory.items, said, strict=True):
        weight, index, offset = max(
            (1.0 if asks_for_all else relevance[index][job.documents[index].segment_at(offset) - 1], index, offset)
            for index, offset in item.places
        )
        total += weight
        kept += weight * is_said
        place = bisect_right(starts, (index, offset, len(chunks)))
        if weight and place and not is_said and starts[place - 1][0] == index:
            lost.append((weight, item.text, starts[place - 1][2]))
    if kept >= ENOUGH * total:
        return []
    found: dict[int, Loss] = {}
    for weight, text, chunk in sorted(lost, key=lambda each: -each[0]):
        loss = found.setdefault(chunk, Loss(chunk))
        if len(loss.missing) < MAX_MISSING:
            loss.missing.append(text)
            loss.weight += weight
    return sorted(found.values(), key=lambda loss: -loss.weight)


def targets(chosen: Sequence[Loss], room: float) -> list[int]:
    """The tokens to ask for of each chunk: its share of the room, and no more than its names can fill."""
    total = sum(loss.weight for loss in chosen)
    return [round(min(len(loss.missing) * TOKENS_EACH, room * loss.weight / total)) for loss in chosen]
