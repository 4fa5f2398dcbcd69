"""What a research has done so far, in one small file: pages by reference, what each step has kept, what was extracted.

It is written after each crawled page, each step and each extraction, in one piece or not at all, so that a research
that was killed goes on where it was. The texts of pages and finished model answers are in the store.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, GetPydanticSchema, ValidationError, computed_field
from pydantic_ai.usage import RunUsage

from researcher_integration.lore.crawl.researcher import Findings, Way
from researcher_integration.lore.extraction.cross_reference import CrossReference
from researcher_integration.lore.extraction.typed_extraction import Extraction
from researcher_integration.lore.material import CrawledPage, ResearchError, TopicId
from researcher_integration.usage import Spent
from summarizer_tool import write_whole

VERSION = 5

FILE = 'checkpoint.json'


class ResearchRequest(BaseModel):
    """The request of a research; a resumed research must have the same."""

    model_config = ConfigDict(frozen=True)

    zone: str
    places: Annotated[Sequence[str], GetPydanticSchema(lambda _, schema_of: schema_of(tuple[str, ...]))] = ()
    """URLs and files that are crawled first."""
    search: bool = False
    way: Way = 'in-pipeline'
    window_tokens: int = 25_000
    """What the prompt of an extraction may have, in cl100k tokens."""


StepState = Literal['summarized', 'unchanged', 'degraded', 'empty']


class StepFigures(BaseModel):
    """A finished research step in figures."""

    state: StepState
    """`summarized`; `unchanged`: the pages fit as they are; `degraded`: summarized by the embedded model, since the one
    that was asked for was not to be had; `empty`: there were no pages."""
    budget: int = 0
    """Its share of the tokens that all steps might hand on; it may have more where others need less."""
    tokens_crawled: int
    tokens_kept: int
    model: str = ''
    agent: Spent = RunUsage()
    seconds: float = 0.0
    warnings: tuple[str, ...] = ()

    @computed_field
    @property
    def ratio(self) -> float:
        """Tokens crawled for each one kept."""
        return round(self.tokens_crawled / self.tokens_kept, 2) if self.tokens_kept else 0.0


class Step(StepFigures):
    """A finished research step: the report of its agent, and the summary of its pages or these as they are."""

    pages: tuple[str, ...]
    notes: str = ''
    summary: str = ''


class Failure(BaseModel):
    """A page that could not be crawled."""

    place: str
    reason: str

    @property
    def told(self) -> str:
        """The reason, after the place where it does not name that."""
        return self.reason if self.place in self.reason else f'{self.place}: {self.reason}'


class Checkpoint(BaseModel):
    """The state from which a research is resumed; page texts stay in the store."""

    version: Literal[5] = VERSION
    request: ResearchRequest
    pages: dict[str, CrawledPage] = Field(default_factory=dict[str, CrawledPage])
    failures: list[Failure] = Field(default_factory=list[Failure])
    assigned: dict[str, TopicId] = Field(default_factory=dict[str, TopicId])
    """The step that each page belongs to, by its handle: of given pages that which they are most about, of others that
    whose agent has crawled them."""
    steps: dict[TopicId, Step] = Field(default_factory=dict[TopicId, Step])
    gathered: dict[TopicId, Findings] = Field(default_factory=dict[TopicId, Findings])
    summarized: Spent = RunUsage()
    """On summaries, those that the agents have read included."""
    warnings: tuple[str, ...] = ()
    extractions: dict[TopicId, Extraction] = Field(default_factory=dict[TopicId, Extraction])
    cross_reference: CrossReference | None = None
    spent: Spent = RunUsage()
    """On all model calls, those for work that was done anew since, or interrupted, included."""
    seconds: float = 0.0

    @classmethod
    def load(cls, folder: Path) -> Self | None:
        """Load the checkpoint of a folder, or return `None`; raises `ResearchError` if it cannot be read."""
        path = folder / FILE
        try:
            return cls.model_validate_json(path.read_bytes())
        except FileNotFoundError:
            return None
        except OSError as error:
            raise ResearchError(f'{path} cannot be read: {error.strerror}') from None
        except ValidationError as error:
            where = '.'.join(map(str, error.errors(include_input=False)[0]['loc'])) or 'its JSON'
            raise ResearchError(
                f'{path} is no checkpoint of this version (wrong: {where}); '
                'name another --out, or begin anew with --fresh'
            ) from None

    def reused(self) -> str:
        """What a resumed research need not do again, for a person."""
        states = [step.state for step in self.steps.values()]
        extracted = sum(not each.reason for each in self.extractions.values())
        reported = sum(gathered.is_finished for gathered in self.gathered.values())
        done = {
            'pages': len({page.source_id for page in self.pages.values()}),
            'reports of agents': reported,
            'summarized topics': sum(state != 'degraded' for state in states),
            'extractions': extracted + (self.cross_reference is not None and not self.cross_reference.reason),
        }
        kept = ', '.join(f'{what} {number}' for what, number in done.items() if number)
        return f'done already, and not done again: {kept or "nothing"}'

    def forget_steps(self) -> None:
        """Drop what all steps have kept, and what was extracted from it."""
        self.steps.clear()
        self.forget_extractions()

    def forget_extractions(self) -> None:
        """Drop what was extracted, because a step has changed."""
        self.extractions.clear()
        self.cross_reference = None

    def save(self, folder: Path) -> None:
        """Write the checkpoint atomically; raises `ResearchError` if it cannot be written."""
        write(folder / FILE, self.model_dump_json(indent=1))


def write(path: Path, text: str) -> None:
    """Replace a file, which is for its owner alone, whole or not at all; a `ResearchError` if it cannot be written."""
    write_whole(path, text, ResearchError, is_private=True)
