"""The data at the borders: what the sub-agents return, and what a caller gets."""

import operator
from typing import Annotated, Literal, cast

import regex
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, computed_field
from pydantic.config import JsonDict, JsonValue
from pydantic.json_schema import SkipJsonSchema
from pydantic_ai.usage import RunUsage

_IMPORTANCE_WORDS = {'critical': '5', 'high': '4', 'low': '2'}
_LEADING_NUMBER = regex.compile(r'\s*(-?(?:\d{1,9}(?:\.\d{1,9})?|inf\b))')
_LINE_NUMBERS = regex.compile(r'(?<!\d)(\d{1,9})(?!\d)(?:\s*[-–—]\s*(\d{1,9})(?!\d))?')
_MIDDLE = 3

MAX_RANGE = 20
"""Lines of one range such as `12-14` that are taken as evidence; what cites more cites everything."""

_MAX_LINE = 10**9


def _items(value: object) -> list[object]:
    return cast('list[object]', value) if isinstance(value, list) else [value]


def _as_importance(value: object) -> int:
    """A model that answers 0, 9, 4.5, "4/5" or "high" on a scale of 1 to 5 has still answered."""
    said = str(value)
    number = _LEADING_NUMBER.match(_IMPORTANCE_WORDS.get(said.strip().lower(), said))
    return round(min(5, max(1, float(number[1])))) if number else _MIDDLE


def _as_evidence(value: object) -> list[int]:
    """Numbers, numbers as text (`"12"`, `"12-14"`, `"lines 3 and 4"`), or a list of them; the rest is left out."""
    numbers: list[int] = []
    for item in _items(value):
        if isinstance(item, str):
            for first, last in _LINE_NUMBERS.findall(item):
                numbers.extend(range(int(first), min(int(last or first), int(first) + MAX_RANGE) + 1))
        elif isinstance(item, int | float) and not isinstance(item, bool) and abs(item) < _MAX_LINE and item % 1 == 0:
            numbers.append(int(item))
    return numbers


def _as_fact(value: object) -> object:
    """A fact that is only its text has said what matters; grounding finds its lines."""
    return {'text': value} if isinstance(value, str) else value


def _as_facts(value: object) -> object:
    """No facts at all, or one without a list around it."""
    if value is None:
        return []
    return cast('object', [value]) if isinstance(value, dict) else value


def _as_names(value: object) -> list[str]:
    """Names, or objects that have a `name`; whatever else is in the list is left out."""
    items = (cast('dict[str, object]', each).get('name') if isinstance(each, dict) else each for each in _items(value))
    return [name for name in items if isinstance(name, str)]


def bare_schema(schema: JsonDict) -> None:
    """The schema as a model should see it: every member asked for, without titles, defaults and docstrings.

    Validation is more tolerant than what is asked for, and the docstrings speak of the program.
    """
    schema.pop('description', None)
    schema.pop('title', None)
    properties = schema.get('properties')
    if not isinstance(properties, dict):
        return
    schema['required'] = list[JsonValue](properties)
    for field in properties.values():
        if isinstance(field, dict):
            field.pop('title', None)
            field.pop('default', None)


class Fact(BaseModel):
    """One self-contained statement, as a sub-agent returns it."""

    model_config = ConfigDict(json_schema_extra=bare_schema)

    evidence: Annotated[list[int], BeforeValidator(_as_evidence)] = Field(
        default_factory=list, json_schema_extra={'minItems': 1, 'items': {'type': 'integer'}}
    )
    """Numbers of the numbered lines that state it; first, so that a model looks them up before it words the text.
    A model that is held to the schema has to give some; where one gives none, they are looked for."""
    text: str
    """Names its subject in full; no "he" or "the city"."""
    importance: Annotated[int, BeforeValidator(_as_importance)] = Field(default=_MIDDLE, ge=1, le=5)
    """5: must survive any cut; 3: useful; 1: detail."""
    topics: SkipJsonSchema[Annotated[list[int], BeforeValidator(_as_evidence)]] = Field(
        default_factory=list[int], exclude_if=operator.not_
    )
    """Of the request's topics: the numbers of those that it serves; only a `TopicalFact` is asked for them."""


class TopicalFact(Fact):
    """A fact of a request with topics."""

    topics: Annotated[list[int], BeforeValidator(_as_evidence)] = Field(
        default_factory=list, description='Numbers of the topics that it serves, the most served first.'
    )


class ChunkSummary(BaseModel):
    """The answer of the chunk summarizer and of the merger: ChunkSummaries merge into a ChunkSummary.

    `evidence` counts in the numbered lines of the request at hand: source segments for the chunk summarizer, facts
    for the merger. The engine maps both back to the segments of the documents.
    """

    model_config = ConfigDict(json_schema_extra=bare_schema)

    facts: Annotated[list[Annotated[Fact, BeforeValidator(_as_fact)]], BeforeValidator(_as_facts)] = Field(
        default_factory=list[Fact], json_schema_extra={'items': Fact.model_json_schema()}
    )
    """The statements worth keeping, in source order; their schema stands in its place, which takes fewer tokens."""
    entities: Annotated[list[str], BeforeValidator(_as_names)] = Field(default_factory=list[str])
    """Names of the people, places, groups, things and works that matter, most important first."""


class TopicalChunkSummary(ChunkSummary):
    """The answer of the chunk summarizer where the request has topics."""

    facts: Annotated[list[Annotated[TopicalFact, BeforeValidator(_as_fact)]], BeforeValidator(_as_facts)] = Field(  # pyright: ignore[reportIncompatibleVariableOverride] - it is only read
        default_factory=list[TopicalFact], json_schema_extra={'items': TopicalFact.model_json_schema()}
    )


class Evidence(BaseModel):
    """Where a kept fact stands in its source."""

    model_config = ConfigDict(frozen=True)

    source_id: str
    """`src_` and 12 hex digits: the document."""
    segment: int
    """The segment's number in the document, from 1."""
    line: int
    """The line it begins on, from 1."""
    page: int | None = Field(default=None, exclude_if=lambda page: page is None)
    """The page it begins on, from 1, where the source has pages, as a PDF."""


class SourcedFact(BaseModel):
    """One kept statement with the places that support it."""

    text: str
    importance: int
    names: list[str]
    """The names, dates and numbers in it."""
    evidence: list[Evidence]


PartState = Literal['summarized', 'degraded', 'unchanged', 'failed', 'repeated']


class Part(BaseModel):
    """The account of one run of segments of one document; together the parts account for all of the input."""

    source_id: str
    title: str
    first_segment: int
    last_segment: int
    first_line: int
    last_line: int
    state: PartState
    """`summarized` by the model; `degraded`: summarized by the extractive model instead; `unchanged`: passed through;
    `failed`: no summary of it is in the result; `repeated`: an earlier document holds it, and was read for both."""
    reason: str = ''
    """Why it was degraded, failed, broken off or incomplete, or where it stands."""


class DroppedFacts(BaseModel):
    """Facts that a model returned and the summary does not contain, by reason.

    Facts that the merger has put into others, or left out, are in none of these counts.
    """

    unsupported: int = 0
    """Names or numbers in them stand neither in their evidence nor in their chunk."""
    duplicate: int = 0
    """Another kept fact says the same."""
    superseded: int = 0
    """A later one of the same document gives another value, and there was no room to name the former."""
    over_budget: int = 0
    """There was no room for them in the budget."""


class Stats(BaseModel):
    """The cost of a summary, and how well it compressed."""

    tokens_in: int
    tokens_out: int
    budget: int
    """The token budget that held: the one asked for, or the default."""
    chunks: int = 0
    map_calls: int = 0
    """Agent runs of the chunk summarizer, those that failed included."""
    reduce_calls: int = 0
    """Agent runs of the merger."""
    reduce_levels: int = 0
    repair_calls: int = 0
    """Agent runs of the chunk summarizer that asked once more, for what the facts had left out."""
    cached_calls: int = 0
    """Calls that were not made because their answers had been kept."""
    hedged_calls: int = Field(default=0, exclude_if=operator.not_)
    """Calls that were made a second time, since the answer of the first was far behind all others."""
    from_cache: bool = False
    """Whether the whole result had been kept; calls and usage are then those of this request: none."""
    usage: RunUsage = Field(default_factory=RunUsage)
    """Requests and tokens as the model reported them, estimated for answers that were broken off before it did; none
    of the embedded model, which costs nothing."""
    repeated_tokens: int = 0
    """Tokens of the input that were not sent to the model again, since an earlier document holds them."""
    seconds: float = 0.0
    model: str
    cut_short: bool = False
    """Whether the time was over before facts were merged, or room that was left was filled."""
    documents_left_out: int = Field(default=0, exclude_if=lambda count: not count)
    """Of several, those that no fact of the text is from, where no question or focus chose among them."""
    facts_in: int = 0
    """Facts the sub-agents returned."""
    facts_out: int = 0
    """Facts in the text."""
    facts_repaired: int = 0
    """Facts whose evidence numbers were corrected."""
    facts_recovered: int = 0
    """Facts that asking once more has added."""
    dropped: DroppedFacts = Field(default_factory=DroppedFacts)

    @computed_field
    @property
    def cost(self) -> float | None:
        """US dollars for the `usage`, by the prices that genai-prices knows; None if it knows none."""
        usage = self.usage
        return float(usage.cost) if usage.cost is not None else None if usage.has_values() else 0.0

    @computed_field
    @property
    def ratio(self) -> float:
        """Tokens in for each token out."""
        return round(self.tokens_in / self.tokens_out, 2) if self.tokens_out else 0.0


ItemKind = Literal['name', 'title', 'date', 'number', 'identifier']
"""What is counted in a source: names, quoted titles, dates, numbers and identifiers."""


class Coverage(BaseModel):
    """Distinct items of a source, and how many of them the text says."""

    kept: int = 0
    total: int = 0

    @computed_field
    @property
    def share(self) -> float:
        """The share that is kept, 1 where there is nothing to keep."""
        return round(self.kept / self.total, 3) if self.total else 1.0


class DocumentCoverage(Coverage):
    """The coverage of one document."""

    source_id: str
    title: str


class LostItem(Evidence):
    """A name, date or the like that the text does not say, and where the sources say it first."""

    text: str
    kind: ItemKind
    times: int
    """How often they say it."""


class Audit(Coverage):
    """What the text has kept of the names, titles, dates, numbers and identifiers of its sources."""

    by_kind: dict[ItemKind, Coverage] = Field(default_factory=dict[ItemKind, Coverage])
    by_document: list[DocumentCoverage] = Field(default_factory=list[DocumentCoverage])
    """An item that several documents have counts in each."""
    losses: list[LostItem] = Field(default_factory=list[LostItem])
    """The heaviest: those that the sources say most often."""
    is_partial: bool = False
    """Whether there are more items than are counted; those that come first are."""


class TopicSummary(BaseModel):
    """The text of one topic."""

    name: str
    text: str
    """Within the topic's part of the budget; empty where there is nothing to say."""
    facts: list[SourcedFact]
    tokens_out: int
    """cl100k tokens of the text."""


SummaryState = Literal['complete', 'degraded', 'unchanged', 'original', 'empty']


class Summary(BaseModel):
    """The result: text within the budget, the facts it is made of, and an account of all that was not kept."""

    text: str
    state: SummaryState
    """`complete`: every chunk was summarized by the model; `degraded`: some by the extractive model, see `degraded`;
    `unchanged`: the input was within the budget; `original`: every model call failed and the input comes back as it
    was, **over the budget**; `empty`: there was nothing to summarize."""
    facts: list[SourcedFact] = Field(default_factory=list[SourcedFact])
    entities: list[str] = Field(default_factory=list[str])
    topics: list[TopicSummary] = Field(default_factory=list[TopicSummary])
    """The text for each topic of the request, in its order; `text` is all of them under their names. None where the
    input comes back as it was."""
    parts: list[Part] = Field(default_factory=list[Part])
    """Every segment of the input, accounted for."""
    warnings: list[str] = Field(default_factory=list[str])
    coverage: Audit | None = None
    """How much of what the sources name is in the text; none where they come back as they are, or are digested."""
    stats: Stats

    @property
    def degraded(self) -> list[Part]:
        """The parts that the model did not summarize."""
        return [part for part in self.parts if part.state in ('degraded', 'failed')]

    @property
    def over_budget(self) -> bool:
        """Whether the text is larger than its budget, which only `state == 'original'` can be."""
        return self.stats.tokens_out > self.stats.budget
