"""Answer a question from pages: get them, search them, judge what was found, and follow links while that is not enough.

Nothing here writes the answer. What comes out is evidence, with an account of where it was looked for and why the
looking stopped.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from types import MappingProxyType

from summarizer_tool import telemetry
from summarizer_tool.errors import RequestError
from summarizer_tool.evidence.answer.exploration import Exploration, Search, Split
from summarizer_tool.evidence.answer.page_loading import AddPage, PageLoader
from summarizer_tool.evidence.answer.site_index import SiteIndexes
from summarizer_tool.evidence.answer.trace import Trace, TracePage
from summarizer_tool.evidence.question.question import Question, check_length
from summarizer_tool.evidence.search.results import SearchResult
from summarizer_tool.llm.options import Progress
from summarizer_tool.runtime.deadline import Deadline
from summarizer_tool.settings import Settings, variable
from summarizer_tool.store.collection import Collection

MAX_NAMED = 50
"""Pages that one question may name."""

RESERVED_SECONDS = 2.0
"""Of the deadline, for the last search and for what is made of it."""


@dataclass(frozen=True, slots=True)
class GatheredEvidence:
    """The evidence for an answer."""

    found: SearchResult
    parts: tuple[str, ...]
    """The sub-queries; the question itself where it asks but one thing."""
    trace: Trace
    source_ids: tuple[str, ...]
    """The sources that were named or fetched. Where none was named, all of the collection was searched beside them."""
    failures: tuple[TracePage, ...]
    """The pages of the trace of which there is no text."""
    warnings: tuple[str, ...]
    """What could not be used, and what was done instead."""
    timings: Mapping[str, float]
    """Seconds by phase. Splitting runs beside fetching."""
    iterations: int
    """How often what was found was judged."""
    is_partial: bool
    """Whether the deadline came before all was done."""


@dataclass(frozen=True, slots=True)
class Answerer:
    """Answers questions from one collection."""

    stored: Collection
    settings: Settings
    """For the bounds of following links."""
    _: KW_ONLY
    add_page: AddPage
    """Fetches and stores one page, within the rules about addresses and robots.txt."""
    search: Search
    """Searches the collection."""
    sites: SiteIndexes | None = None
    """What the sites of named pages have published for their own search."""
    split: Split | None = None
    """Cuts a question into parts, by a model; where it fails, and without it, rules do."""
    on_progress: Callable[[Progress], None] | None = None
    """Called on the event loop, after each page and each phase; tells numbers, never content."""
    deadline: Deadline | None = None
    """By then there is what there is; by default in `deadline_seconds`."""

    async def answer(self, places: Sequence[str], question: Question) -> GatheredEvidence:
        """Gather the evidence for a question from pages and stored sources, or from all of the collection.

        Every failure is in the account of the result; where nothing could be had there are no hits.

        Raises:
            RequestError: If the question is blank, or it or what goes with it is too long, or over `MAX_NAMED` pages
                are named, or a number is negative.
        """
        named = [place.strip() for place in places if place.strip()]
        if not question.text.strip():
            raise RequestError('query is empty; ask a question')
        check_length(
            query=question.text,
            intent=question.intent,
            known_context=question.known_context,
            constraints=question.constraints,
        )
        if len(named) > MAX_NAMED:
            raise RequestError(f'{len(named)} URLs are named, over {MAX_NAMED}; ask about fewer at a time')
        if question.expansion_budget is not None and question.expansion_budget < 0:
            raise RequestError(
                f'expansion_budget={question.expansion_budget} is negative; 0 follows no links, and without it at most '
                f'{variable("answer_max_pages")}={self.settings.answer_max_pages} pages are fetched'
            )
        with telemetry.span('gather evidence', mode=question.mode, named=len(named)) as span:
            deadline = self.deadline or Deadline(self.settings.deadline_seconds)
            deadline.reserve(RESERVED_SECONDS)
            loader = PageLoader(self.stored, self.add_page)
            run = Exploration(
                question,
                self.settings,
                loader,
                self.search,
                self.sites,
                self.split,
                self.on_progress,
                is_named=bool(named),
            )
            with deadline.calling() as looking:
                await run.look(named)
            with deadline.answering() as finishing:
                await run.finish()
            is_late = looking.cancelled_caught or finishing.cancelled_caught
            pages = tuple(loader.pages)
            answered = GatheredEvidence(
                run.found,
                run.parts,
                Trace(pages, run.rounds, 'deadline' if is_late else run.stop_reason),
                loader.source_ids,
                tuple(page for page in pages if page.failure),
                tuple(dict.fromkeys((*run.warnings, *run.found.warnings))),
                MappingProxyType(run.timings),
                run.iterations,
                is_late,
            )
            span.set_attributes({'parts': len(answered.parts), 'pages': len(answered.trace.pages)})
            span.set_attributes({'rounds': answered.trace.rounds, 'stop_reason': answered.trace.stop_reason})
            if self.sites is not None:
                span.set_attributes({'listed': len(run.listed), 'site_failures': self.sites.failures})
            span.set_attributes({'passages': answered.found.passages, 'hits': len(answered.found.hits)})
        return answered
