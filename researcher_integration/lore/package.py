"""The research package: briefs for people, the extraction and the statistics as JSON for programs."""

import re
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, SerializeAsAny, computed_field, field_validator

from researcher_integration.lore import briefs
from researcher_integration.lore.checkpoint import Checkpoint, Failure, ResearchRequest, StepFigures, write
from researcher_integration.lore.configuration import Topic
from researcher_integration.lore.crawl.pages import without_user
from researcher_integration.lore.extraction.cross_reference import Conflict
from researcher_integration.lore.extraction.records import Record, typed
from researcher_integration.lore.extraction.typed_extraction import Extraction
from researcher_integration.lore.material import TOPIC_IDS, CrawledPage, Material, TopicId
from researcher_integration.usage import Spent
from summarizer_tool import count_tokens

BRIEFS = 'briefs'
EXTRACTION_FILE = 'extraction.json'
STATISTICS_FILE = 'statistics.json'

NO_MODEL = 'typed extraction needs a model'

_BRIEF = re.compile(rf'\d\d-(?:{"|".join(topic.replace("_", "-") for topic in TOPIC_IDS)})\.md')
"""The names of briefs, in whatever order a configuration has the topics."""


class Category(BaseModel):
    """What was extracted in one category."""

    state: Literal['extracted', 'failed', 'no model']
    reason: str = ''
    """Why there is nothing, or why there may be more."""
    records: list[SerializeAsAny[Record]] = Field(default_factory=list[SerializeAsAny[Record]])
    dropped: int = 0
    """Records that no source supports."""
    repaired: int = 0
    """Records whose sources were corrected."""


class Extracted(BaseModel):
    """`extraction.json`."""

    zone: str
    sources: list[CrawledPage]
    """Numbered as the records cite them."""
    categories: dict[TopicId, Category]
    conflicts: list[Conflict]

    @field_validator('categories', mode='before')
    @classmethod
    def _of_their_types(cls, value: dict[TopicId, Any]) -> dict[TopicId, Any]:
        """Read records from JSON as the type of their category."""
        return {
            topic: each if isinstance(each, Category) else {**each, 'records': typed(topic, each['records'])}
            for topic, each in value.items()
        }


class StepStatistics(StepFigures):
    """A step in figures, and what they come to."""

    pages: int
    tokens_kept: int
    ratio: float


class Statistics(BaseModel):
    """`statistics.json`."""

    model_config = ConfigDict(frozen=True)

    request: ResearchRequest
    summarizer: str
    """`in process` or `MCP server`."""
    pages: int
    tokens_crawled: int
    """Of all pages, each once."""
    tokens_kept: int
    """Of the sections that the extraction reads, headings included."""
    steps: dict[TopicId, StepStatistics]
    summaries: Spent = Spent()
    """On the summary that all steps share."""
    extraction: Spent
    repeated: Spent = Spent()
    """On work that was interrupted, came to nothing, or was done anew."""
    total: Spent
    seconds: float
    """Of all runs together."""
    failures: list[Failure]
    """Pages that could not be had."""
    warnings: list[str]

    @computed_field
    @property
    def ratio(self) -> float:
        """Tokens crawled for each one that the extraction reads."""
        return round(self.tokens_crawled / self.tokens_kept, 2) if self.tokens_kept else 0.0

    @computed_field
    @property
    def cost(self) -> Decimal | None:
        """USD, as far as prices are known."""
        return self.total.cost


class Package(BaseModel):
    """The result of a research."""

    briefs: dict[str, str]
    """Markdown by file name."""
    extracted: Extracted
    statistics: Statistics
    sections: dict[TopicId, str]
    """What the extraction read, by topic."""


def build(
    checkpoint: Checkpoint,
    topics: Sequence[Topic],
    material: Material,
    *,
    warnings: Sequence[str],
    via: str,
    has_model: bool,
) -> Package:
    """Build the package of a finished research."""
    sections = {section.topic: section for section in material.sections}
    written = {
        f'{number:02}-{topic.id.replace("_", "-")}.md': briefs.brief(
            topic, material.zone, checkpoint.steps[topic.id], sections[topic.id], material.pages, via
        )
        for number, topic in enumerate(topics, 1)
    }
    found = checkpoint.cross_reference
    written[briefs.CONFLICTS_FILE] = briefs.conflicts(
        material.zone,
        found.conflicts if found else (),
        material.pages,
        found.reason if found else '' if has_model else 'they were not looked for: that needs a model',
    )
    extracted = Extracted(
        zone=material.zone,
        sources=list(material.pages),
        categories={topic.id: _category(checkpoint.extractions.get(topic.id), has_model=has_model) for topic in topics},
        conflicts=list(found.conflicts) if found else [],
    )
    statistics = _statistics(checkpoint, topics, material, extracted, via)
    return Package(
        briefs=written,
        extracted=extracted,
        statistics=statistics.model_copy(update={'warnings': [*statistics.warnings, *warnings]}),
        sections={section.topic: section.text for section in material.sections},
    )


def write_to(package: Package, folder: Path) -> None:
    """Write the files atomically, and remove an earlier package's briefs that have other names."""
    for name, text in package.briefs.items():
        write(folder / BRIEFS / name, text)
    for path in (folder / BRIEFS).iterdir():
        if path.name not in package.briefs and _BRIEF.fullmatch(path.name):
            path.unlink()
    write(folder / EXTRACTION_FILE, package.extracted.model_dump_json(indent=2) + '\n')
    write(folder / STATISTICS_FILE, package.statistics.model_dump_json(indent=2) + '\n')


def _category(done: Extraction | None, *, has_model: bool) -> Category:
    if done is None:
        return Category(state='failed') if has_model else Category(state='no model', reason=NO_MODEL)
    return Category(
        state='failed' if done.reason and not done.records else 'extracted',
        reason=_said(done),
        records=list(done.records),
        dropped=done.dropped,
        repaired=done.repaired,
    )


def _said(done: Extraction) -> str:
    """The note on an extraction that is incomplete or failed."""
    said = [done.reason] if done.reason else []
    if done.is_partial:
        said.append('the answer was cut off or broken, and only its complete records were kept')
    if done.unread:
        said.append(f'pages whose text could not be read, so that nothing was held against them: {len(done.unread)}')
    return '; '.join(said)


def _statistics(
    checkpoint: Checkpoint, topics: Sequence[Topic], material: Material, extracted: Extracted, via: str
) -> Statistics:
    steps, found = checkpoint.steps, checkpoint.cross_reference
    warnings = [f'{topic.header}: {warning}' for topic in topics for warning in steps[topic.id].warnings]
    warnings += [f'summary: {warning}' for warning in checkpoint.warnings]
    warnings += [
        f'{topic.header}: extraction: {extracted.categories[topic.id].reason}'
        for topic in topics
        if topic.id in checkpoint.extractions and extracted.categories[topic.id].reason
    ]
    if found and found.reason:
        warnings.append(f'cross-reference: {found.reason}')
    extraction = sum((each.spent for each in checkpoint.extractions.values()), found.spent if found else Spent())
    return Statistics(
        request=checkpoint.request.model_copy(update={'places': tuple(map(without_user, checkpoint.request.places))}),
        summarizer=via,
        pages=len(material.pages),
        tokens_crawled=sum(page.tokens for page in material.pages),
        tokens_kept=sum(count_tokens(section.text) for section in material.sections),
        steps={
            topic: StepStatistics(pages=len(step.pages), **step.model_dump(exclude={'topic', 'blocks', 'pages'}))
            for topic, step in steps.items()
        },
        summaries=checkpoint.summarized,
        extraction=extraction,
        repeated=checkpoint.repeated(),
        total=checkpoint.spent,
        seconds=checkpoint.seconds,
        failures=checkpoint.failures,
        warnings=warnings,
    )
