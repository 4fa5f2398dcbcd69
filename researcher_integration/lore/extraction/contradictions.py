"""Where verified records contradict each other, found by rules: no model is needed."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict

from researcher_integration.lore.extraction.records import FactionData, NPCData, Record
from researcher_integration.lore.extraction.typed_extraction import Extraction
from researcher_integration.lore.extraction.verification import PageIndex, name_key, words
from researcher_integration.lore.material import CrawledPage

FUNCTIONAL = {
    'born_in': 'born_in', 'birthplace': 'born_in',
    'born_on': 'born_on',
    'died_in': 'died_in', 'died_at': 'died_in', 'killed_in': 'died_in', 'killed_at': 'died_in',
    'died_on': 'died_on',
    'buried_in': 'buried_in', 'buried_at': 'buried_in',
    'killed_by': 'killed_by', 'slain_by': 'killed_by', 'murdered_by': 'killed_by',
    'founded_by': 'founded_by', 'established_by': 'founded_by',
    'founded_in': 'founded_in', 'founded_on': 'founded_in',
    'created_by': 'created_by', 'made_by': 'created_by', 'forged_by': 'created_by', 'built_by': 'created_by',
    'written_by': 'created_by',
    'leader_of': 'leader_of', 'leads': 'leader_of',
    'led_by': 'led_by', 'ruled_by': 'led_by', 'has_leader': 'led_by',
    'father': 'father', 'mother': 'mother',
    'capital': 'capital', 'seat': 'seat',
}  # fmt: skip
"""Relations of which a subject has one, in the words for each that count as the same."""

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
    """A field of the record, a relation, or what the model calls it."""
    claims: tuple[Claim, Claim]
    """That of the more trusted source first."""
    found_by: Literal['rule', 'model']


@dataclass(frozen=True, slots=True)
class _Statement:
    """A value of a subject, with the pages it rests on."""

    subject: str
    text: str
    sources: Sequence[int]


def is_same(first: str, second: str, *, counted: bool = False) -> bool:
    """Say whether two values agree; in other words, or with one that only says more, they do.

    Where `counted`, they are numbers with words around them, and the numbers must be the same.
    """
    one, other = ({word for word in words(text).split() if word not in _SMALL} for text in (first, second))
    if counted and {word for word in one if word.isdigit()} != {word for word in other if word.isdigit()}:
        return False
    return (one <= other or other <= one) and not (one ^ other) & _NEGATIONS


def relation_kind(kind: str) -> str:
    """A relation's kind in snake case; those of which a subject has one under one word for each."""
    snake = words(kind.replace('_', ' ')).replace(' ', '_').removeprefix('was_').removeprefix('is_')
    return FUNCTIONAL.get(snake, snake)


def compare(extractions: Iterable[Extraction], pages: Sequence[CrawledPage]) -> list[Conflict]:
    """Find contradictions between records: three rules.

    - Records of one name and category that differ in a field with one short value (`Record.compared`).
    - An NPC that belongs to one faction, and another faction that lists it as its leader or member.
    - One subject with two targets in a relation of which it can have one (`FUNCTIONAL`).

    Letter case, articles, and one value that only says more than the other are no conflict. Where both rest on one page
    alone, it is given as the source of both.
    """
    index = PageIndex(pages, {})
    records = [record for extraction in extractions for record in extraction.records]
    found = [*_fields(records, index), *_memberships(records, index), *_relations(records, index)]
    return distinct(found)


def _fields(records: Iterable[Record], index: PageIndex) -> Iterator[Conflict]:
    said: dict[tuple[type[Record], str, str], list[_Statement]] = {}
    for record in records:
        for field in record.compared:
            if text := getattr(record, field):
                key = (type(record), name_key(record.name), field)
                said.setdefault(key, []).append(_Statement(record.name, text, record.sources))
    for (_, _, field), statements in said.items():
        yield from _differing(field, statements, index)


def _relations(records: Iterable[Record], index: PageIndex) -> Iterator[Conflict]:
    said: dict[tuple[str, str], list[_Statement]] = {}
    for record in records:
        for relation in record.relations:
            kind = relation_kind(relation.kind)
            if kind in FUNCTIONAL.values():
                statement = _Statement(record.name, relation.target, relation.sources or record.sources)
                said.setdefault((name_key(record.name), kind), []).append(statement)
    for (_, kind), statements in said.items():
        yield from _differing(kind, statements, index)


def _memberships(records: Sequence[Record], index: PageIndex) -> Iterator[Conflict]:
    factions = [record for record in records if isinstance(record, FactionData)]
    for npc in records:
        if not isinstance(npc, NPCData) or not npc.faction:
            continue
        for faction in factions:
            part = _part_in(faction, npc.name)
            if part and not is_same(npc.faction, faction.name):
                yield _conflict(
                    'faction',
                    _Statement(npc.name, npc.faction, npc.sources),
                    _Statement(npc.name, f'{part} of {faction.name}', faction.sources),
                    index,
                )


def _part_in(faction: FactionData, name: str) -> str:
    """What a faction's record says that somebody is in it; a title before or behind the name does not matter."""
    wanted = f' {name_key(name)} '
    if wanted in f' {words(faction.leader)} ':
        return 'leader'
    return 'member' if any(wanted in f' {words(member)} ' for member in faction.members) else ''


def _differing(attribute: str, statements: Iterable[_Statement], index: PageIndex) -> Iterator[Conflict]:
    """Each value that differs, against the one with the most trusted source."""
    ranked = sorted(statements, key=lambda each: index.rank(each.sources))
    values: list[_Statement] = []
    for statement in ranked:
        if not any(is_same(value.text, statement.text, counted=attribute in _COUNTED) for value in values):
            values.append(statement)
    for other in values[1:]:
        yield _conflict(attribute, values[0], other, index)


def _conflict(attribute: str, first: _Statement, second: _Statement, index: PageIndex) -> Conflict:
    """Each claim with the most trusted of its pages, one that the other has not, if it has such a page."""
    claims = [
        Claim(text=one.text, source=_source(index, one.sources, other.sources))
        for one, other in ((first, second), (second, first))
    ]
    return Conflict(subject=first.subject, attribute=attribute, claims=ranked(claims, index), found_by='rule')


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
