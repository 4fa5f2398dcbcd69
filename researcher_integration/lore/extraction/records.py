"""What the extraction fills: typed records of five categories, each with relations, confidence and page numbers."""

from typing import Annotated, Any, Generic, TypeVar, cast

import regex
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic.config import JsonDict

from researcher_integration.lore.material import TopicId
from summarizer_tool import bare_schema, encodable, one_line

DEFAULT_CONFIDENCE = 0.5
"""The confidence of a record whose model gives none that can be read."""

_NOTHING = frozenset(
    {'', '-', '–', '—', '?', 'n/a', 'none', 'not given', 'not known', 'not mentioned', 'not specified', 'not stated',
     'null', 'unknown', 'unspecified'}
)  # fmt: skip
_PAGE = regex.compile(r'(?<!\d)\d{1,9}(?!\d)')

_LAST = ('relations', 'confidence', 'sources')
"""Asked for after what they speak of."""


def bare(schema: JsonDict) -> None:
    """The schema of a record as a model should see it, in the order in which it is best filled."""
    properties = cast('dict[str, JsonDict]', schema['properties'])
    for name in _LAST:
        if name in properties:
            properties[name] = properties.pop(name)
    bare_schema(schema)


def _as_name(value: object) -> object:
    """A name: also as a number, or as an object that has a `name`; anything else stays wrong."""
    if isinstance(value, dict):
        value = cast('dict[object, object]', value).get('name')
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value)
    return one_line(encodable(value)) if isinstance(value, str) else value


def _as_text(value: object) -> str:
    """Text, numbers and lists as one text; what means "not known" as none."""
    if isinstance(value, list):
        return ', '.join(text for text in map(_as_text, cast('list[object]', value)) if text)
    text = _as_name(value)
    return text if isinstance(text, str) and text.casefold().rstrip('.') not in _NOTHING else ''


def _as_texts(value: object) -> list[str]:
    items = cast('list[object]', value) if isinstance(value, list) else [value]
    return [*dict.fromkeys(text for text in map(_as_text, items) if text)]


def _as_confidence(value: object) -> float:
    """From 0 to 1; above 10 it is taken for per cent, above 1 for one out of ten."""
    try:
        number = float(value.strip().removesuffix('%') if isinstance(value, str) else cast('float', value))
    except (TypeError, ValueError):
        return DEFAULT_CONFIDENCE
    if number != number or isinstance(value, bool):
        return DEFAULT_CONFIDENCE
    scale = 1.0 if number <= 1 else 10.0 if number <= 10 else 100.0
    return round(min(1.0, max(0.0, number / scale)), 4)


def _as_sources(value: object) -> list[int]:
    """Page numbers, as numbers or in text (`"[1]"`, `"1, 3"`), each once; the rest is left out."""
    items = cast('list[object]', value) if isinstance(value, list) else [value]
    found = [
        int(number)
        for item in items
        if isinstance(item, str | int) and not isinstance(item, bool) and not str(item).startswith('-')
        for number in _PAGE.findall(str(item))
    ]
    return [*dict.fromkeys(number for number in found if number)]


def as_relations(value: object) -> list[dict[str, object]]:
    """Relations as objects, or only by their targets; those that name nothing are left out, rather than the record."""
    items = cast('list[object]', value) if isinstance(value, list) else [value]
    given = [each.model_dump() if isinstance(each, BaseModel) else each for each in items]
    objects = [cast('dict[str, object]', each) if isinstance(each, dict) else {'target': each} for each in given]
    return [{**each, 'target': target} for each in objects if (target := _as_text(each.get('target')))]


Name = Annotated[str, BeforeValidator(_as_name)]
Text = Annotated[str, BeforeValidator(_as_text)]
Texts = Annotated[list[str], BeforeValidator(_as_texts)]
Confidence = Annotated[float, BeforeValidator(_as_confidence)]
Sources = Annotated[list[int], BeforeValidator(_as_sources)]


class Relation(BaseModel):
    """How the subject of a record stands to something else that has a name."""

    model_config = ConfigDict(json_schema_extra=bare)

    kind: Text = ''
    target: Name
    detail: Text = ''
    sources: Sources = Field(default_factory=list[int])
    """Numbers of the pages that state it."""


class Record(BaseModel):
    """What all categories have. Fields that a model leaves out are empty, so that a partial answer is an answer."""

    model_config = ConfigDict(json_schema_extra=bare)

    name: Name
    """As the pages write it."""
    relations: Annotated[list[Relation], BeforeValidator(as_relations)] = Field(default_factory=list[Relation])
    confidence: Confidence = DEFAULT_CONFIDENCE
    """From 0 to 1: the model's own, and after verification weighed by the best source."""
    sources: Sources = Field(default_factory=list[int])
    """Numbers of the pages it rests on; after verification the most trusted first."""


class ZoneData(Record):
    """The zone itself."""

    game: Text = ''
    region: Text = ''
    level_range: Text = ''
    settlements: Texts = Field(default_factory=list[str])
    terrain: Text = ''
    history: Text = ''
    dates: Texts = Field(default_factory=list[str])
    """Each with what happened, as the pages write it."""


class NPCData(Record):
    """One named person or creature."""

    title: Text = ''
    kind: Text = ''
    role: Text = ''
    faction: Text = ''
    location: Text = ''
    level: Text = ''
    status: Text = ''
    quests: Texts = Field(default_factory=list[str])


class FactionData(Record):
    """One group that acts as one."""

    leader: Text = ''
    members: Texts = Field(default_factory=list[str])
    seat: Text = ''
    allies: Texts = Field(default_factory=list[str])
    enemies: Texts = Field(default_factory=list[str])
    goals: Text = ''
    founded: Text = ''


class LoreData(Record):
    """One event, custom or legend."""

    date: Text = ''
    participants: Texts = Field(default_factory=list[str])
    places: Texts = Field(default_factory=list[str])
    cause: Text = ''
    outcome: Text = ''
    summary: Text = ''


class NarrativeItemData(Record):
    """One thing that carries story: a book, an inscription, a relic, a weapon."""

    kind: Text = ''
    owner: Text = ''
    location: Text = ''
    obtained: Text = ''
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


RecordT = TypeVar('RecordT', bound=BaseModel)


class Records(BaseModel, Generic[RecordT]):
    """What a model answers, whatever it is asked for; a zone is a list of one."""

    model_config = ConfigDict(json_schema_extra=bare)

    records: list[RecordT]

    @model_validator(mode='before')
    @classmethod
    def _enveloped(cls, value: object) -> object:
        """The envelope where the model has left it out, and the list around a single member."""
        if not isinstance(value, dict):
            return {'records': [] if value is None else value}
        given = cast('dict[str, object]', value)
        if 'records' not in given and not {'name', 'subject'} & given.keys():
            return given  # which is neither
        members = given.get('records', given)
        if isinstance(members, dict):
            return {'records': [cast('object', members)]}
        return {'records': [] if members is None else members}

    @classmethod
    def model_parametrized_name(cls, params: tuple[Any, ...]) -> str:
        """A name that providers take for a schema: they refuse brackets."""
        return f'{params[0].__name__}Records'
