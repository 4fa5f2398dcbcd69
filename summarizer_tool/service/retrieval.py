"""Verbatim evidence for a question: from what is stored, and from pages that are fetched for it.

What goes wrong is told to the model that asked, in a text that says what to do next; nothing but a wrong setting is
raised.
"""

import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, TypedDict, Unpack

from summarizer_tool import prompts, telemetry
from summarizer_tool.errors import ConfigurationError, RequestError, SummarizerError, UnknownSourceError
from summarizer_tool.evidence.answer.page_loading import NOT_IN_TIME, is_handle
from summarizer_tool.evidence.brief import MIN_BUDGET, assembling, problems, rendering
from summarizer_tool.evidence.brief.brief import Brief, RenderedBrief
from summarizer_tool.evidence.question import AnswerRequest, ResearchMode, check
from summarizer_tool.evidence.search.results import Query, SearchResult
from summarizer_tool.evidence.search.search import beginnings, search
from summarizer_tool.llm.options import DEFAULT_OPTIONS, RequestOptions
from summarizer_tool.runtime.deadline import Deadline
from summarizer_tool.runtime.executors import in_io_thread, in_process, in_thread
from summarizer_tool.service.operations import DEFAULT_TOP_K, SearchRequest, StatusRequest
from summarizer_tool.service.service import Service, listed
from summarizer_tool.settings import variable
from summarizer_tool.store.collection import Collection
from summarizer_tool.store.source import Source
from summarizer_tool.text import tokens
from summarizer_tool.web.robots import Robots

if TYPE_CHECKING:
    from summarizer_tool.evidence.answer.answering import GatheredEvidence
    from summarizer_tool.evidence.search.embedded_passages import EmbeddedPassages

MAX_TOP_K = 200

_LEAST_PASSAGE = 50  # tokens that a passage takes in a brief, or more
MAX_WHOLE = 100  # sources that are shown whole, if they fit, where a search names none

WHOLE_SHARE = 0.7
"""Of a brief's budget, that sources may have to be shown whole; the rest is for their numbers, names and quotes."""

MAX_LISTED = 1000  # sources that a status looks at; a brief's budget lists fewer
MAX_NAMED = 100  # sources that one search may name


def sources_named(collection: Collection, asked: Sequence[str]) -> list[Source]:
    """The sources at these places; raises `UnknownSourceError` if one is not stored, `RequestError` for too many.

    What is stored under a name with blanks in it is one place; else they stand between several.
    """

    def is_one(place: str) -> bool:
        return ' ' in place and bool(collection.at(place) or collection.titled(place))

    places = [place for each in asked for place in ([each] if is_one(each) else listed(each))]
    if len(places) > MAX_NAMED:
        raise RequestError(f'{len(places)} sources are named, over {MAX_NAMED}; name fewer, or none for all')
    return list({source.id: source for source in map(collection.find, places)}.values())


_logger = logging.getLogger('summarizer_tool')


Figures = dict[str, str | int | float | bool]


@dataclass(frozen=True, slots=True)
class EvidenceBrief:
    """What a model gets for a question, and what a program may want to know about it."""

    text: str
    """A brief within its budget; or, with `is_error`, what went wrong."""
    tokens: int
    """Of the text."""
    is_error: bool = False
    source_ids: tuple[str, ...] = ()
    """The sources with evidence first."""
    figures: Mapping[str, str | int | float | bool] = field(default_factory=Figures)
    """Counts, reason of stopping and the like, by name."""


class EvidenceOptions(TypedDict, total=False):
    """What a search or an answer is asked for by name; the requests of these say which has what."""

    source_urls: str | Sequence[str]
    source_ids: str | Sequence[str]
    top_k: int
    constraints: str | Sequence[str]
    expansion_budget: int | None
    research_mode: ResearchMode
    intent: str
    max_tokens: int


class Retriever:
    """Searches and answers from the sources of one collection."""

    def __init__(self, service: Service, *, similar: 'EmbeddedPassages | None' = None) -> None:
        self.service = service
        self.collection = service.collection
        self.settings = service.summarizer.settings
        self._find = partial(search, self.collection, similar=similar)

    async def search(
        self, query: str, *, options: RequestOptions = DEFAULT_OPTIONS, **asked: Unpack[EvidenceOptions]
    ) -> EvidenceBrief:
        """Answer a `SearchRequest`, which says what its parameters mean."""
        return await self.run(SearchRequest.of({'query': query, **asked}), options)

    async def answer(
        self,
        url: str | Sequence[str],
        query: str,
        *,
        options: RequestOptions = DEFAULT_OPTIONS,
        **asked: Unpack[EvidenceOptions],
    ) -> EvidenceBrief:
        """Answer an `AnswerRequest`, which says what its parameters mean."""
        return await self.run(AnswerRequest.of({'url': url, 'query': query, **asked}), options)

    async def status(self, source_url: str = '', *, include_urls: bool = True, max_tokens: int = 0) -> EvidenceBrief:
        """Answer a `StatusRequest`, which says what its parameters mean."""
        request = StatusRequest(source_url=source_url, include_urls=include_urls, max_tokens=max_tokens)
        return await self.run(request)

    async def run(
        self, request: SearchRequest | AnswerRequest | StatusRequest, options: RequestOptions = DEFAULT_OPTIONS
    ) -> EvidenceBrief:
        """Find passages in stored sources, gather the evidence for a question from pages, or say what is stored.

        Returns:
            The sources whole where they fit, else the best passages; or why there are none, such as a wrong request.

        Raises:
            ConfigurationError: If a model that is to help cannot be built.
        """
        match request:
            case SearchRequest():
                name, work = 'search', partial(self._search, request)
            case AnswerRequest():
                name, work = 'answer', partial(self._gather, request)
            case StatusRequest():
                name, work = 'status', partial(self._tell_status, request)
        started = time.monotonic()
        seconds = self.settings.deadline_seconds
        deadline = options.deadline or Deadline(seconds, set_by=f'{variable("deadline_seconds")}={seconds:g}')
        evidence: EvidenceBrief | None = None
        with telemetry.span(name) as span:
            try:
                with deadline.answering():
                    evidence = await work(replace(options, deadline=deadline))
            except ConfigurationError:
                raise
            except SummarizerError as error:
                _logger.info('no evidence', extra={'tool': name, 'error': type(error).__name__})
                most = self.settings.mcp_response_token_budget
                budget = max(MIN_BUDGET, min(request.max_tokens or most, most))
                evidence = _told(await in_thread(problems.of_error, error, budget))
            if evidence is None:
                late = problems.timed_out(time.monotonic() - started, deadline.set_by)
                evidence = _told(late)
            span.set_attributes({'tokens_out': evidence.tokens, 'is_error': evidence.is_error, **evidence.figures})
        return evidence

    # Search

    async def _search(self, request: SearchRequest, options: RequestOptions) -> EvidenceBrief:
        check(request.query, intent=request.intent)
        budget = self._budget(request.max_tokens)
        places = (*request.source_ids, *request.source_urls)
        chosen = await in_io_thread(sources_named, self.collection, places)
        # What only questions need takes a tenth of the start.
        from summarizer_tool.evidence import sub_queries

        are_few = bool(chosen) or len(await in_io_thread(self.collection.sources, MAX_WHOLE + 1)) <= MAX_WHOLE
        parts = await in_thread(sub_queries.split, request.query)
        asked = Query(
            request.query,
            parts if len(parts) > 1 else (),
            request.intent,
            tuple(source.id for source in chosen),
            min(request.top_k or DEFAULT_TOP_K, MAX_TOP_K),
            int(budget * WHOLE_SHARE) if are_few else 0,
            0 if request.top_k else min(request.max_tokens // _LEAST_PASSAGE, MAX_TOP_K),
        )
        return await self._searched(asked, budget, options, is_counted=request.top_k > 0)

    async def _searched(
        self, asked: Query, budget: int, options: RequestOptions, *, is_counted: bool = False
    ) -> EvidenceBrief:
        found = await self._find(asked)
        if not (found.hits or found.is_full_context):
            found = await in_io_thread(beginnings, self.collection, found, asked)
            if not found.hits:
                return await self._nothing(asked.text, found, budget)
        options.tell('search', f'{len(found.hits)} passages found')
        options.tell('assemble', 'the brief is being written', done=0)
        if found.is_full_context and is_counted:
            found = replace(found, warnings=(*found.warnings, prompts.load('evidence/small_whole')))
        brief = await in_io_thread(assembling.search_brief, found, asked, self.collection)
        written = await self._written(brief, budget, found, options)
        # Lines with numbers take more than the text alone.
        return written or await self._searched(replace(asked, room=0), budget, options)

    async def _written(
        self,
        brief: Brief,
        budget: int,
        found: SearchResult,
        options: RequestOptions,
        answered: 'GatheredEvidence | None' = None,
    ) -> EvidenceBrief | None:
        rendered = await in_process(rendering.render, brief, budget)
        if found.is_full_context and not rendered.is_whole:
            return None
        options.tell('assemble', 'wrote the brief')
        figures = _figures(found, answered, rendered)
        ids = tuple(source.id for source in brief.sources)
        return EvidenceBrief(rendered.text, rendered.tokens, source_ids=ids, figures=figures)

    async def _nothing(
        self, query: str, found: SearchResult, budget: int, answered: 'GatheredEvidence | None' = None
    ) -> EvidenceBrief:
        figures = _figures(found, answered)
        if not found.documents:
            return _told(problems.nothing_stored(), figures)
        missing = [*(problems.gaps(answered) if answered else ()), *found.warnings]
        problem = await in_thread(problems.no_results, query, found.documents, found.passages, missing, budget)
        return _told(problem, figures, answered.source_ids if answered else (), is_error=False)

    def _budget(self, max_tokens: int) -> int:
        most = self.settings.mcp_response_token_budget
        if max_tokens and max_tokens < MIN_BUDGET:
            raise RequestError(
                f'max_tokens={max_tokens} is less than a brief needs; give at least {MIN_BUDGET}, or 0 for {most}'
            )
        return min(max_tokens or most, most)

    # Answer

    async def _gather(self, request: AnswerRequest, options: RequestOptions) -> EvidenceBrief | None:
        budget = self._budget(request.max_tokens)
        from summarizer_tool.evidence.answer.answering import Answerer

        answerer = Answerer(
            self.collection,
            self.settings,
            request,
            room=int(budget * WHOLE_SHARE),
            add_page=partial(self.service.add_page, may_fetch=Robots(self.settings).may_fetch),
            search=self._find,
            options=options,
        )
        answered = await answerer.answer(listed(request.url))
        if not (answered.found.hits or answered.found.is_full_context):
            return await self._without_hits(request.query, answered, budget)
        while True:
            brief = await in_io_thread(assembling.answer_brief, answered, request, self.collection)
            if written := await self._written(brief, budget, answered.found, options, answered):
                return written
            answered = replace(answered, found=await answerer.searched(0))

    async def _without_hits(self, question: str, answered: 'GatheredEvidence', budget: int) -> EvidenceBrief | None:
        """Why there is no evidence: no page, or nothing in what was searched; `None`: the time was over before that."""
        failures = answered.failures
        if not answered.source_ids and any(page.failure != NOT_IN_TIME for page in failures):
            if all(is_handle(page.url) for page in failures):
                raise UnknownSourceError(failures[0].failure)
            figures = _figures(answered.found, answered)
            return _told(await in_thread(problems.fetch_failed, failures, budget), figures)
        if answered.is_partial and not answered.found.documents:
            return None  # nothing is known of the pages; what is wrong is the time alone
        return await self._nothing(question, answered.found, budget, answered)

    # Status

    async def _tell_status(self, request: StatusRequest, _options: RequestOptions) -> EvidenceBrief:
        return await in_io_thread(self._status, request)

    def _status(self, request: StatusRequest) -> EvidenceBrief:
        collection, place, budget = self.collection, request.source_url.strip(), self._budget(request.max_tokens)
        if not place:
            sources = collection.sources(MAX_LISTED) if request.include_urls else []
            totals = collection.totals()
            text = problems.corpus(totals, sources, budget, include_urls=request.include_urls)
            figures: Figures = {'documents': totals.documents, 'passages': totals.passages}
            return _told(text, figures, is_error=False)
        source = self.collection.find(place)
        text = problems.one_source(
            source,
            collection.document(source.id),
            len(collection.links(source.id)),
            collection.passage_count((source.id,)),
            collection.versions_of(source, place),
            budget,
        )
        return _told(text, source_ids=(source.id,), is_error=False)


def _figures(
    found: SearchResult, answered: 'GatheredEvidence | None', rendered: RenderedBrief | None = None
) -> Figures:
    figures: Figures = {
        'documents': found.documents,
        'passages': found.passages,
        'matched': found.matched,
        'hits': len(found.hits),
        'shown': rendered.shown if rendered else 0,
        'citations': len(rendered.citations) if rendered else 0,
        'full_context': found.is_full_context,
        'ranking': found.ranking,
    }
    if answered is not None:
        figures |= {
            'pages': len(answered.pages),
            'failures': len(answered.failures),
            'rounds': answered.rounds,
            'stop_reason': answered.stop_reason,
            'partial': answered.is_partial,
        }
    return figures


def _told(
    text: str, figures: Figures | None = None, source_ids: Sequence[str] = (), *, is_error: bool = True
) -> EvidenceBrief:
    return EvidenceBrief(text, tokens.count(text), is_error, tuple(source_ids), figures or Figures())
