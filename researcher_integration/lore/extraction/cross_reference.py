"""The cross-reference: what the sources of a zone contradict each other in, found by rules and by a model."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

import regex
from pydantic import BaseModel, ConfigDict, model_validator

from researcher_integration.lore.extraction.records import Name, Record, Sources, Text, as_records, bare
from researcher_integration.lore.extraction.typed_extraction import Extraction, PageIndex, name_key, words
from researcher_integration.lore.extraction.windowed_query import MaterialAnswer, QuestionOutcome, WindowedQuery
from researcher_integration.lore.material import CrawledPage
from summarizer_tool import Settings, TypedQuery, says_no_more

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


class FoundConflict(BaseModel):
    """A conflict as a model returns it."""

    model_config = ConfigDict(json_schema_extra=bare)

    subject: Name
    attribute: Text = ''
    first: Text
    first_source: Sources
    second: Text
    second_source: Sources


class FoundConflicts(BaseModel):
    """What a model answers."""

    model_config = ConfigDict(json_schema_extra=bare)

    conflicts: list[FoundConflict]

    @model_validator(mode='before')
    @classmethod
    def _enveloped(cls, value: object) -> object:
        return as_records(value, 'conflicts', 'subject')


class CrossReference(QuestionOutcome):
    """The conflicts of a zone, and what became of the model's search for them; those of the rules are there anyway."""

    conflicts: tuple[Conflict, ...] = ()
    """Those that rules have found first."""
    dropped: int = 0
    """Conflicts of the model that no two pages support."""


def conflict_query(settings: Settings) -> WindowedQuery[FoundConflicts]:
    """The question for what the sections contradict each other in."""
    query = TypedQuery('lore_cross_referencer', 'research/cross_reference', FoundConflicts, members='conflicts')
    return WindowedQuery(settings, query, 'research/cross_reference_request')


def compared(
    extractions: Iterable[Extraction], answer: MaterialAnswer[FoundConflicts], pages: Sequence[CrawledPage]
) -> CrossReference:
    """Compare the records by rules, and hold the conflicts of the model's answer against the raw pages."""
    found = answer.output.conflicts if answer.output else ()
    modelled, dropped = verify_conflicts(found, pages, answer.raw)
    conflicts = distinct([*compare(extractions, pages), *modelled])
    return CrossReference(conflicts=tuple(conflicts), dropped=dropped, **dict(answer.outcome))


def verify_conflicts(
    found: Iterable[FoundConflict], pages: Sequence[CrawledPage], texts: Mapping[int, str]
) -> tuple[list[Conflict], int]:
    """Keep the conflicts of which two different pages name the subject, and whose claims differ; count the others.

    That a page states a claim in these words is not checked: claims are told in the model's own.
    """
    index = PageIndex(pages, texts)
    kept: list[Conflict] = []
    dropped = 0
    for conflict in found:
        naming = index.naming(conflict.subject)
        claims = [
            Claim(text=text, source=source)
            for text, sources in ((conflict.first, conflict.first_source), (conflict.second, conflict.second_source))
            for source in sources[:1]
            if text and source in naming
        ]
        is_supported = len(claims) == 2 and claims[0].source != claims[1].source
        if not is_supported or is_same(claims[0].text, claims[1].text, counted=True):
            dropped += 1
            continue
        kept.append(
            Conflict(
                subject=conflict.subject, attribute=conflict.attribute, claims=ranked(claims, index), found_by='model'
            )
        )
    return kept, dropped
