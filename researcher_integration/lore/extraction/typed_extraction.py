"""Typed extraction: a category's records out of what the research steps have kept, verified against the raw pages."""

import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, Literal

import regex
from pydantic import Field, SerializeAsAny, ValidationInfo, computed_field, field_validator

from researcher_integration.lore.extraction.records import RECORDS, Record, Records, Relation
from researcher_integration.lore.extraction.windowed_query import QuestionOutcome, WindowedQuery
from researcher_integration.lore.material import TIER_NAMES, Material, TopicId
from summarizer_tool import Settings, TypedQuery, load_prompt

MAX_REPAIRED = 3
"""Pages that are put where a record cites none that names it: the most trusted ones."""

# Scripts that put no spaces between words: each character counts as a word.
_WORD = regex.compile(
    r'[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}]|[[\p{L}\p{M}\p{N}]--[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}]]+',
    regex.V1,
)
_ARTICLE = regex.compile(r'^(?:the|an?) (?=\S)')
_QUALIFIER = regex.compile(r'\s*\([^()]*\)\s*$')


def words(text: str) -> str:
    """The words of a text, case-folded, with one space between them."""
    return ' '.join(_WORD.findall(unicodedata.normalize('NFKC', text).casefold()))


@lru_cache(maxsize=4096)
def name_key(name: str) -> str:
    """What two spellings of a name have in common: its words, without an article before them."""
    return _ARTICLE.sub('', words(name))


class PageIndex:
    """The raw pages by the words on them."""

    def __init__(self, material: Material) -> None:
        ranked = sorted(material.pages, key=lambda page: (TIER_NAMES.index(page.tier), -page.weight, page.number))
        self.weights = {page.number: page.weight for page in ranked}
        """By page number, the most trusted first."""
        raw = material.raw
        self._texts = {number: f' {words(raw[number])} ' for number in self.weights if number in raw}
        self._found: dict[str, tuple[int, ...]] = {}

    def naming(self, name: str) -> tuple[int, ...]:
        """The numbers of the pages on which `name` stands, the most trusted first."""
        if name not in self._found:
            keys = filter(None, (name_key(name), name_key(_QUALIFIER.sub('', name))))
            found = (tuple(number for number, text in self._texts.items() if f' {key} ' in text) for key in keys)
            self._found[name] = next(filter(None, found), ())
        return self._found[name]

    def sorted(self, sources: Iterable[int]) -> list[int]:
        """Page numbers, the most trusted first."""
        wanted = set(sources)
        return [number for number in self.weights if number in wanted]


def _sources(cited: Sequence[int], naming: Sequence[int], index: PageIndex, near: Sequence[int] = ()) -> list[int]:
    """The cited sources that hold, or others that do; the most trusted first."""
    return index.sorted(number for number in cited if number in naming) or [*(near or naming)][:MAX_REPAIRED]


class Extraction(QuestionOutcome):
    """The records of one category, and what became of the others."""

    category: TopicId
    records: list[SerializeAsAny[Record]] = Field(default_factory=list[SerializeAsAny[Record]])
    """Of the category's type, also when they are read back from JSON."""
    dropped: int = 0
    """Records whose name stands on no page."""

    @computed_field
    @property
    def state(self) -> Literal['extracted', 'failed']:
        """Whether there is an answer."""
        return 'failed' if self.reason and not self.records else 'extracted'

    @field_validator('records', mode='before')
    @classmethod
    def _of_category(cls, value: list[Any], info: ValidationInfo) -> list[Any]:
        record = RECORDS[info.data['category']]
        return [record.model_validate(each) if isinstance(each, dict) else each for each in value]


def extraction_query(category: TopicId, settings: Settings) -> WindowedQuery[Records[Any]]:
    """The question for the records of a category."""
    query = TypedQuery('lore_extractor', 'research/extraction', Records[RECORDS[category]], members='records')
    task = load_prompt(f'research/extraction/{category}')
    return WindowedQuery(settings, query, 'research/extraction_request', task=task)


def extracted(category: TopicId, outcome: QuestionOutcome, answer: Records[Any] | None, index: PageIndex) -> Extraction:
    """Hold an answer against the raw pages; without records the extraction has the outcome's reason.

    What stands on no page is dropped, sources are put right, and confidence is weighed by the best source.

    A source is kept if the page exists and names the record (for a relation: its target); where none is left, the
    most trusted pages that do take its place. The confidence becomes the model's times the highest weight among the
    verified sources, rounded to two digits.
    """
    records = answer.records if answer else ()
    kept: list[Record] = []
    for record in records:
        sources = _sources(record.sources, index.naming(record.name), index)
        if not sources:
            continue
        relations: list[Relation] = []
        for relation in record.relations:
            naming = index.naming(relation.target)
            # Where the relation's own pages do not hold, those of its record are nearer than any other.
            near = [number for number in sources if number in naming]
            if found := _sources(relation.sources, naming, index, near):
                relations.append(relation.model_copy(update={'sources': found}))
        best = max(index.weights[number] for number in sources)
        confidence = round(record.confidence * best, 2)
        changes = {'sources': sources, 'relations': relations, 'confidence': confidence}
        kept.append(record.model_copy(update=changes))
    dropped = len(records) - len(kept)
    return Extraction(category=category, records=kept, dropped=dropped, **dict(outcome))
