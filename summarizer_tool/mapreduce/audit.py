"""Take stock of what the sources name, and of how much of it a text says. Pure computing."""

import math
import time
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from summarizer_tool.documents.document import Document
from summarizer_tool.schemas import Audit, Coverage, DocumentCoverage, ItemKind, LostItem
from summarizer_tool.text import names
from summarizer_tool.text.normalize import asked, stated

MAX_ITEMS = 50_000
"""Distinct items of one job; about what half a million tokens have."""

MAX_PLACES = 8
"""Places of an item that are kept; the rest is only counted."""

_BETWEEN_LOOKS = 1000
"""Mentions from one look at the clock to the next."""

HEAVIEST = 20
"""Losses that are listed."""

T = TypeVar('T')

_ENDS = '.!?\n'
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


def take(documents: Sequence[Document], left_out: Container[int], seconds: float = math.inf) -> Inventory:
    """Take stock of documents, but for those with an index in `left_out`, as far as one gets in so many seconds."""
    found: dict[str, NamedItem] = {}
    is_partial = False
    end = time.monotonic() + seconds
    for number, (index, kind, mention, offset) in enumerate(_mentions(documents, left_out), 1):
        if is_partial := number % _BETWEEN_LOOKS == 0 and time.monotonic() > end:
            break
        key = names.key(mention)
        item = found.get(key)
        if item is None:
            if is_partial := len(found) == MAX_ITEMS:
                break
            item = found[key] = NamedItem(kind, mention, (index,))
        item.times += 1
        if item.documents[-1] != index:
            item.documents += (index,)
        if item.times <= MAX_PLACES:
            item.places += ((index, offset),)
        if not item.is_certain:
            item.is_certain = kind != 'name' or ' ' in mention or not _opens(documents[index].text, offset)
    small: dict[int, frozenset[str]] = {}
    for item in found.values():
        if not item.is_certain:
            for index in {*item.documents} - small.keys():
                small[index] = frozenset(word.rstrip(_CLOSES) for word in {*documents[index].text.split()})
            item.is_certain = not any(item.text.lower() in small[index] for index in item.documents)
    return Inventory([item for item in found.values() if item.is_certain], is_partial)


def _mentions(documents: Sequence[Document], left_out: Container[int]) -> Iterator[tuple[int, ItemKind, str, int]]:
    """The document, kind, text and offset of every mention."""
    for index, document in enumerate(documents):
        for kind, mention, offset in names.located(document.text) if index not in left_out else ():
            yield index, kind, mention, offset


def _opens(text: str, offset: int) -> bool:
    """Return whether what stands there begins a sentence."""
    before = text[max(0, offset - 4) : offset].rstrip(' "“\'(*_')
    return before[-1:] in _ENDS  # an empty string, at the beginning of the text, is in any


def kept(items: Sequence[str], text: str) -> list[bool]:
    """Tell of each item whether a line of `text` says it, in whatever form (as grounding compares them)."""
    lines: dict[str, set[int]] = {}
    for number, line in enumerate(text.splitlines()):
        for word in stated(line):
            lines.setdefault(word, set()).add(number)
    return [_stands(asked(item), lines) for item in items]


def _stands(words: frozenset[str], lines: dict[str, set[int]]) -> bool:
    on = sorted((lines.get(word, set[int]()) for word in words), key=len)
    return bool(on) and bool(on[0]) and bool(on[0].intersection(*on[1:]))


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
    segment = document.segment_at(offset)
    line = document.text.count('\n', 0, offset) + 1
    return LostItem(
        source_id=document.id,
        segment=segment,
        line=line,
        page=document.pages.at(offset),
        text=item.text,
        kind=item.kind,
        times=item.times,
    )
