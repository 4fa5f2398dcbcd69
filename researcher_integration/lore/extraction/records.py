"""What the extraction fills: typed records of five categories, each with relations, confidence and page numbers."""

from typing import Annotated, Any, ClassVar, Generic, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from researcher_integration.lore.extraction.lenient_fields import (
    DEFAULT_CONFIDENCE,
    Confidence,
    Name,
    Sources,
    Text,
    Texts,
    as_records,
    as_relations,
    bare,
)
from researcher_integration.lore.material import TopicId


class Relation(BaseModel):
    """How the subject of a record stands to something else that has a name."""

    model_config = ConfigDict(json_schema_extra=bare)

    kind: Text = ''
    """A verb or role in snake case: `member_of`, `killed_by`, `located_in`."""
    target: Name
    detail: Text = ''
    """When, where, under what condition."""
    sources: Sources = Field(default_factory=list[int])
    """Numbers of the pages that state it."""


class Record(BaseModel):
    """What all categories have. Fields that a model leaves out are empty, so that a partial answer is an answer."""

    model_config = ConfigDict(json_schema_extra=bare)

    compared: ClassVar[tuple[str, ...]] = ()
    """Fields with one value of few words, in which two records of one name contradict each other if they differ."""

    name: Name
    """As the pages write it."""
    relations: Annotated[list[Relation], BeforeValidator(as_relations)] = Field(default_factory=list[Relation])
    confidence: Confidence = DEFAULT_CONFIDENCE
    """From 0 to 1: the model's own, and after verification weighed by the best source."""
    sources: Sources = Field(default_factory=list[int])
    """Numbers of the pages it rests on; after verification the most trusted first."""

    @classmethod
    def single_valued(cls) -> tuple[str, ...]:
        """The fields of this category that hold one text."""
        return tuple(name for name, field in cls.model_fields.items() if field.annotation is str and name != 'name')

    @classmethod
    def listed(cls) -> tuple[str, ...]:
        """The fields of this category that hold a list of texts."""
        return tuple(name for name, field in cls.model_fields.items() if field.annotation == list[str])


class ZoneData(Record):
    """The zone itself."""

    compared: ClassVar[tuple[str, ...]] = ('game', 'region', 'level_range')

    game: Text = ''
    region: Text = ''
    """What it is part of."""
    level_range: Text = ''
    settlements: Texts = Field(default_factory=list[str])
    terrain: Text = ''
    history: Text = ''
    dates: Texts = Field(default_factory=list[str])
    """Each with what happened, as the pages write it."""


class NPCData(Record):
    """One named person or creature."""

    compared: ClassVar[tuple[str, ...]] = ('title', 'kind', 'faction', 'location', 'level', 'status')

    title: Text = ''
    kind: Text = ''
    """Race or kind of creature."""
    role: Text = ''
    faction: Text = ''
    location: Text = ''
    level: Text = ''
    status: Text = ''
    """Alive, dead, missing, and since when."""
    quests: Texts = Field(default_factory=list[str])


class FactionData(Record):
    """One group that acts as one."""

    compared: ClassVar[tuple[str, ...]] = ('leader', 'seat', 'founded')

    leader: Text = ''
    members: Texts = Field(default_factory=list[str])
    seat: Text = ''
    allies: Texts = Field(default_factory=list[str])
    enemies: Texts = Field(default_factory=list[str])
    goals: Text = ''
    founded: Text = ''
    """When, and by whom."""


class LoreData(Record):
    """One event, custom or legend."""

    compared: ClassVar[tuple[str, ...]] = ('date',)

    date: Text = ''
    """Date or era, as the pages write it."""
    participants: Texts = Field(default_factory=list[str])
    places: Texts = Field(default_factory=list[str])
    cause: Text = ''
    outcome: Text = ''
    summary: Text = ''


class NarrativeItemData(Record):
    """One thing that carries story: a book, an inscription, a relic, a weapon."""

    compared: ClassVar[tuple[str, ...]] = ('kind', 'owner', 'location')

    kind: Text = ''
    owner: Text = ''
    location: Text = ''
    obtained: Text = ''
    """How a player comes by it."""
    text: Text = ''
    """What is written on it, or what it does."""
    quests: Texts = Field(default_factory=list[str])


RECORDS: dict[TopicId, type[Record]] = {
    'zone_overview': ZoneData,
    'npcs': NPCData,
    'factions': FactionData,
    'lore': LoreData,
    'narrative_items': NarrativeItemData,
}
"""The record type of each category."""


def typed(category: TopicId, records: list[Any]) -> list[Any]:
    """Records of a category, those that are read from JSON as its type."""
    return [RECORDS[category].model_validate(each) if isinstance(each, dict) else each for each in records]


RecordT = TypeVar('RecordT', bound=Record)


class Records(BaseModel, Generic[RecordT]):
    """What a model answers, for every category alike; a zone is a list of one."""

    model_config = ConfigDict(json_schema_extra=bare)

    records: list[RecordT]

    @model_validator(mode='before')
    @classmethod
    def _enveloped(cls, value: object) -> object:
        return as_records(value, 'records', 'name')

    @classmethod
    def model_parametrized_name(cls, params: tuple[Any, ...]) -> str:
        """A name that providers take for a schema: they refuse brackets."""
        return f'{params[0].__name__}Records'
