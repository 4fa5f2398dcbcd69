"""The cross-reference: what the sources of a zone contradict each other in."""

from collections.abc import Iterable, Sequence

import regex
from pydantic import BaseModel, ConfigDict

from researcher_integration.lore.extraction.records import Record
from researcher_integration.lore.extraction.typed_extraction import Extraction, PageIndex, name_key, words
from researcher_integration.lore.material import CrawledPage
from summarizer_tool import says_no_more

_TO = regex.compile(r'(?<=\d) to (?=\d)')
_COUNTED = frozenset({'level', 'level_range'})
"""Fields in which one number more is another value, not a more exact one."""


class Claim(BaseModel):
    """What one source states."""

    model_config = ConfigDict(frozen=True)

    text: str
    source: int
    """Number of the page."""


class Conflict(BaseModel):
    """Two claims about one subject that differ where records have one value."""

    model_config = ConfigDict(frozen=True)

    subject: str
    attribute: str
    """A field of the record."""
    claims: tuple[Claim, Claim]
    """That of the more trusted source first."""


def is_same(first: str, second: str, *, counted: bool = False) -> bool:
    """Say whether two values agree; in other words, or with one that only says more, they do.

    Where `counted`, they are numbers with words around them, and the numbers must be the same.
    """
    one, other = sorted((words(_TO.sub(' ', text)).split() for text in (first, second)), key=len)
    if counted and [*filter(str.isdigit, one)] != [*filter(str.isdigit, other)]:
        return False
    return says_no_more(one, other)


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
    return found


def _conflict(field: str, first: Record, second: Record, index: PageIndex) -> Conflict:
    """Each claim with the most trusted of its pages, one that the other has not, if it has such a page."""
    claims = [
        Claim(text=getattr(one, field), source=_source(index, one.sources, other.sources))
        for one, other in ((first, second), (second, first))
    ]
    one, other = sorted(claims, key=lambda claim: index.rank([claim.source]))
    return Conflict(subject=first.name, attribute=field, claims=(one, other))


def _source(index: PageIndex, own: Sequence[int], others: Sequence[int]) -> int:
    alone = [number for number in own if number not in others]
    return min(alone or own, key=lambda number: index.rank([number]))
