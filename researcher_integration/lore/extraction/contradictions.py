"""Where verified records contradict each other, found by rules: no model is needed."""

from collections.abc import Iterable, Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict

from researcher_integration.lore.extraction.records import Record
from researcher_integration.lore.extraction.typed_extraction import Extraction
from researcher_integration.lore.extraction.verification import PageIndex, name_key, words
from researcher_integration.lore.material import CrawledPage

_SMALL = frozenset({'a', 'an', 'and', 'at', 'by', 'for', 'from', 'in', 'is', 'of', 'on', 'the', 'to', 'was', 'with'})
_NEGATIONS = frozenset({'never', 'no', 'non', 'not'})
_COUNTED = frozenset({'level', 'level_range'})
"""Fields in which one number more is another value, not a more exact one."""


class Claim(BaseModel):
    """What one source states."""

    model_config = ConfigDict(frozen=True)

    text: str
    source: int
    """Number of the page."""


class Conflict(BaseModel):
    """Two claims about one subject that cannot both be true, or that differ where records have one value."""

    model_config = ConfigDict(frozen=True)

    subject: str
    attribute: str
    """A field of the record, or what the model calls it."""
    claims: tuple[Claim, Claim]
    """That of the more trusted source first."""
    found_by: Literal['rule', 'model']


def is_same(first: str, second: str, *, counted: bool = False) -> bool:
    """Say whether two values agree; in other words, or with one that only says more, they do.

    Where `counted`, they are numbers with words around them, and the numbers must be the same.
    """
    one, other = ({word for word in words(text).split() if word not in _SMALL} for text in (first, second))
    if counted and {word for word in one if word.isdigit()} != {word for word in other if word.isdigit()}:
        return False
    return (one <= other or other <= one) and not (one ^ other) & _NEGATIONS


def compare(extractions: Iterable[Extraction], pages: Sequence[CrawledPage]) -> list[Conflict]:
    """Find records of one name and category that differ in a field with one short value (`Record.compared`).

    Each value that differs is held against the one with the most trusted source. Letter case, articles, and one value
    that only says more than the other are no conflict. Where both rest on one page alone, it is given as the source of
    both.
    """
    index = PageIndex(pages, {})
    said: dict[tuple[type[Record], str, str], list[Record]] = {}
    for extraction in extractions:
        for record in extraction.records:
            for field in record.compared:
                if getattr(record, field):
                    said.setdefault((type(record), name_key(record.name), field), []).append(record)
    found: list[Conflict] = []
    for (_, _, field), records in said.items():
        values: list[Record] = []
        for record in sorted(records, key=lambda each: index.rank(each.sources)):
            text = getattr(record, field)
            if not any(is_same(getattr(value, field), text, counted=field in _COUNTED) for value in values):
                values.append(record)
        found += [_conflict(field, values[0], other, index) for other in values[1:]]
    return distinct(found)


def _conflict(field: str, first: Record, second: Record, index: PageIndex) -> Conflict:
    """Each claim with the most trusted of its pages, one that the other has not, if it has such a page."""
    claims = [
        Claim(text=getattr(one, field), source=_source(index, one.sources, other.sources))
        for one, other in ((first, second), (second, first))
    ]
    return Conflict(subject=first.name, attribute=field, claims=ranked(claims, index), found_by='rule')


def ranked(claims: Sequence[Claim], index: PageIndex) -> tuple[Claim, Claim]:
    """Two claims, that of the more trusted source first."""
    first, second = sorted(claims, key=lambda claim: index.rank([claim.source]))
    return first, second


def _source(index: PageIndex, own: Sequence[int], others: Sequence[int]) -> int:
    alone = [number for number in own if number not in others]
    return min(alone or own, key=lambda number: index.rank([number]))


def distinct(conflicts: Iterable[Conflict]) -> list[Conflict]:
    """Each conflict once, the first of those that say the same of one subject."""
    kept: list[Conflict] = []
    for conflict in conflicts:
        if not any(_says_same(conflict, other) for other in kept):
            kept.append(conflict)
    return kept


def _says_same(one: Conflict, other: Conflict) -> bool:
    if name_key(one.subject) != name_key(other.subject):
        return False
    first, second = (claim.text for claim in one.claims)
    return any(
        is_same(first, mine.text) and is_same(second, yours.text) for mine, yours in (other.claims, other.claims[::-1])
    )
