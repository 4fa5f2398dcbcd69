"""The public way in: `Summarizer`, which checks a request, picks the model and hands the job to the engine."""

import logging
import time
from collections.abc import Callable, Sequence
from typing import Any, TypedDict, Unpack

from pydantic import BaseModel
from pydantic_ai.models import Model
from pydantic_ai.usage import RunUsage, UsageLimits

from summarizer_tool import prompts, telemetry
from summarizer_tool.documents.document import Document
from summarizer_tool.errors import check_type
from summarizer_tool.extractive.model import ExtractiveModel
from summarizer_tool.llm import models
from summarizer_tool.llm.options import DEFAULT_OPTIONS, Progress, RequestOptions
from summarizer_tool.mapreduce.answer_cache import find_summary, keep_summary, key_of, names_key, revision, said_before
from summarizer_tool.mapreduce.content import Content, as_given, check_size, documents_of, measure, texts_of
from summarizer_tool.mapreduce.engine import Engine
from summarizer_tool.mapreduce.job import Job
from summarizer_tool.mapreduce.machine_output import digests_of, with_digests, without
from summarizer_tool.mapreduce.report import joined, joined_tokens, part_of, truncated_summary
from summarizer_tool.mapreduce.request import ExtractionRequest, SummarizeRequest, SummaryTopic
from summarizer_tool.mapreduce.sub_agent_runner import SubAgentRunner
from summarizer_tool.runtime import sync_loop
from summarizer_tool.runtime.deadline import Deadline
from summarizer_tool.runtime.executors import WorkerProcesses, in_io_thread, in_process, in_thread, request_load
from summarizer_tool.schemas import Summary
from summarizer_tool.settings import Settings
from summarizer_tool.text.lines import one_line
from summarizer_tool.text.relevance import is_met
from summarizer_tool.text.scoring import Aim

EXTRACTION_RATIO = 5
"""Extraction without a budget compresses at least 5:1."""

MIN_EXTRACTION_TOKENS = 100
"""The least default budget of an extraction: a text that small needs no compressing."""

_NAMED = 5
"""Documents that are named where the summary leaves some out."""

_TITLE = 80
"""Characters of each."""

_TRACED = {'tokens_in', 'budget', 'tokens_out', 'ratio', 'chunks', 'cached_calls', 'from_cache'}
_LOGGED = {'ratio', 'chunks', 'model', 'from_cache', 'seconds'}
"""Of the statistics of a summary, what its span and its line in the log repeat."""

_logger = logging.getLogger('summarizer_tool')


class SummaryOptions(TypedDict, total=False):
    """What a summary is asked for by name."""

    max_output_tokens: int
    """The budget, in cl100k tokens; 0, the default, means `DEFAULT_MAX_OUTPUT_TOKENS`."""
    focus_areas: str | Sequence[str]
    """What matters most, in the reader's words."""
    on_progress: Callable[[Progress], None] | None
    """Called on the event loop after each finished step: a chunk, the facts of several."""
    usage: RunUsage | None
    """Model usage is added to it, e.g. the calling agent's."""
    usage_limits: UsageLimits | None
    """Checked before each model request."""


class Summarizer:
    """Compresses text to a token budget, keeping facts that are traced to their source lines.

    Safe to share between tasks and threads. The keyless default needs nothing:

        summary = Summarizer().summarize_sync(text, max_output_tokens=2000)
    """

    def __init__(
        self,
        settings: Settings | None = None,
        *,
        model: Model | str | None = None,
        workers: WorkerProcesses | None = None,
    ) -> None:
        """Check the settings and the model now, so that a mistake shows at start-up.

        Args:
            settings: From the environment where not given.
            model: Any pydantic-ai model, or a name as in `LLM_MODEL`; instead of `settings.llm_model`.
            workers: Processes that compute for large requests; without them threads do.

        Raises:
            ConfigurationError: If a setting is wrong, or a key or package that the model needs is missing.
        """
        check_type('settings', settings, Settings, type(None))
        check_type('model', model, str, Model, type(None))
        self.settings = settings if settings is not None else Settings.load()
        if isinstance(model, str):
            self.settings, model = self.settings.with_model(model, 'model'), None
        self.model = model
        """Instead of the one that the settings name, if given."""
        self.workers = workers
        self.model_name = (
            model.model_name if model is not None else models.check(self.settings, embedded=ExtractiveModel)
        )

    async def summarize(self, content: Content, **options: Unpack[SummaryOptions]) -> Summary:
        """Summarize text for a reader.

        Args:
            content: Text, a `Document`, or a list of them. Text that is an HTML page is read as markdown first, its
                menus and the like left out; a `Document` is taken as it is.
            options: As `SummaryOptions` says.

        Returns:
            The summary. Text within the budget comes back unchanged and without a model call; an HTML page as its
            markdown.

        Raises:
            ValueError: If the budget is negative.
            InputTooLargeError: If the content is larger than `SUMMARIZER_MAX_INPUT_MB`.
            SummarizationFailedError: If every model call failed and `on_failure` is `error`.
        """
        return await self._asked(SummarizeRequest, content, options)

    async def summarize_for_extraction(
        self, content: Content, schema_hint: str | type[BaseModel], **options: Unpack[SummaryOptions]
    ) -> Summary:
        """Compress text for a typed extraction: what the schema asks for is kept first and in most detail.

        `schema_hint` says what will be extracted: a topic, field names, a JSON schema or a pydantic model. A budget of
        0 means the smaller of `DEFAULT_MAX_OUTPUT_TOKENS` and a fifth of the input. All else is given, returned and
        raised as by `summarize`.
        """
        return await self._asked(ExtractionRequest, content, options, schema_hint=schema_hint)

    async def summarize_topics(
        self,
        content: Content,
        topics: Sequence[SummaryTopic],
        *,
        schema_hint: str | type[BaseModel] = '',
        **options: Unpack[SummaryOptions],
    ) -> Summary:
        """Write a text for each of several topics, from one reading of the content: each topic draws on all of it.

        A fact stands in the text of the topic that it serves best. The budget is that of all texts together, 0 a fifth
        of the input as for `summarize_for_extraction`; a topic that has little to say leaves its share to the others,
        one of whose words none is in the text all of it, with a warning.
        The texts are the `topics` of the summary; its `text` is all of them. `schema_hint` is what they have in common.
        All else is given, returned and raised as by `summarize`.
        """
        return await self._asked(ExtractionRequest, content, options, topics=topics, schema_hint=schema_hint)

    def summarize_sync(self, content: Content, **options: Unpack[SummaryOptions]) -> Summary:
        """`summarize` for code without an event loop; it also works where one is running, as in a notebook."""
        return sync_loop.run(self.summarize(content, **options))

    def summarize_for_extraction_sync(
        self, content: Content, schema_hint: str | type[BaseModel], **options: Unpack[SummaryOptions]
    ) -> Summary:
        """`summarize_for_extraction` for code without an event loop."""
        return sync_loop.run(self.summarize_for_extraction(content, schema_hint, **options))

    async def _asked(
        self, kind: type[SummarizeRequest], content: Content, options: SummaryOptions, **asked: object
    ) -> Summary:
        if unknown := options.keys() - SummaryOptions.__annotations__.keys():
            raise TypeError(f'there is no parameter {min(unknown)}')
        values = {**asked, **options}
        brought: list[Any] = [values.pop(name, None) for name in ('on_progress', 'usage', 'usage_limits')]
        request = kind.of(values, ('content', *asked, *SummaryOptions.__annotations__))
        deadline = Deadline(self.settings.deadline_seconds)
        with deadline.answering():
            return await self.run(content, request, RequestOptions(*brought, deadline=deadline))
        return await self.truncated(content, request)

    async def run(
        self, content: Content, request: SummarizeRequest, options: RequestOptions = DEFAULT_OPTIONS
    ) -> Summary:
        """Answer a request; for callers that bring a deadline, a cache or a model along.

        What it is about is `content`: its own `content` and `source_ids` are for `Service`. Returns and raises as
        `summarize`.
        """
        started = time.monotonic()
        texts = texts_of(content)
        with request_load(sum(map(len, texts)), self.workers):
            await check_size(texts, self.settings.max_input_mb)
            documents = await documents_of(content)
            model_name = options.model.model_name if options.model else self.model_name
            about = {'documents': len(documents), 'model': model_name, 'for_extraction': request.for_extraction}
            with telemetry.span('summarize', **about) as span:
                cache, key, summary = options.cache, '', None
                if cache is not None:
                    key = await in_thread(self._key, documents, request, options, model_name)
                    summary = await find_summary(cache, key)
                if summary is None:
                    said = await said_before(cache, documents, request) if cache is not None else frozenset[str]()
                    summary = await self._make(documents, request, options, model_name, started, said)
                    if cache is not None and summary.state == 'complete' and not summary.warnings:
                        await keep_summary(cache, key, summary, names_key(documents, request))
                stats = summary.stats
                stats.seconds = round(time.monotonic() - started, 3)
                if left_out := _left_out(summary, request):
                    stats.documents_left_out = len(left_out)
                    named = ', '.join(left_out[:_NAMED]) + (', …' if len(left_out) > _NAMED else '')
                    summary.warnings.append(f'the summary has no room for {len(left_out)} of the documents: {named}')
                is_answer = Aim.of(request.focus) is Aim.ANSWER
                if is_answer and await in_thread(_is_focus_unmet, summary, documents, request.focus):
                    summary.warnings.append('no word of the focus is in the text; this is what is nearest to it')
                span.set_attributes(
                    {
                        **stats.model_dump(include=_TRACED),
                        'state': summary.state,
                        'degraded_parts': len(summary.degraded),
                        'gen_ai.request.model': model_name,
                        **stats.usage.opentelemetry_attributes(),
                        **({} if stats.cost is None else {'operation.cost': stats.cost}),
                    }
                )
        sizes = {'input_size': stats.tokens_in, 'output_size': stats.tokens_out, 'state': summary.state}
        _logger.info('summarized', extra={**sizes, **stats.model_dump(include=_LOGGED)})
        return summary

    async def truncated(
        self, content: Content, request: SummarizeRequest, reserve: Callable[[int], int] | None = None
    ) -> Summary:
        """The beginnings, where not even the embedded model got its turn; `reserve` as in `RequestOptions`."""
        documents = as_given(content)
        known = sum(document.about_tokens for document in documents)
        budget = request.max_output_tokens or self.default_budget(known, for_extraction=request.for_extraction)
        free = reserve(budget) if reserve else 0
        # What is late waits for no computing.
        summary = await in_io_thread(truncated_summary, documents, max(1, budget - free), self.model_name)
        _logger.warning('no time to summarize', extra={'input_size': summary.stats.tokens_in})
        summary.stats.budget = budget
        return summary

    async def _make(
        self,
        documents: list[Document],
        request: SummarizeRequest,
        options: RequestOptions,
        model_name: str,
        started: float,
        said: frozenset[str],
    ) -> Summary:
        await measure(documents, self.settings.default_chunk_size_tokens)
        tokens_in = await in_thread(joined_tokens, documents)
        budget = request.max_output_tokens or self.default_budget(tokens_in, for_extraction=request.for_extraction)
        is_small, is_empty = tokens_in <= budget, not any(document.text.strip() for document in documents)
        free = 0 if is_small or options.reserve is None else await in_thread(options.reserve, budget)
        job = Job(documents, request.focus, max(1, budget - free), tokens_in, said)
        if is_small or is_empty:
            return await in_thread(_passed_through, job, model_name)
        given = options.model or self.model
        async with models.lent(self.settings, self.model_name, given, embedded=ExtractiveModel) as model:
            deadline = options.deadline or Deadline(self.settings.deadline_seconds - (time.monotonic() - started))
            # Topics are of names.
            is_read = models.is_embedded(model) and not options.are_summaries and not job.focus.topics
            digests = await in_process(digests_of, job.documents, job.budget, job.focus) if is_read else {}
            rest = await in_thread(without, job, digests) if digests else job
            if not rest.documents:
                summary = None
            elif rest.tokens_in <= rest.budget:
                summary = await in_thread(_passed_through, rest, model_name)
            else:
                runner = SubAgentRunner(self.settings, model, model_name, rest, deadline, options)
                summary = await Engine(runner).run()
            if digests or summary is None:
                summary = await in_thread(with_digests, job, digests, summary, model_name)
            summary.stats.hedged_calls = model.share.hedged if isinstance(model, models.SharedModel) else 0
        summary.stats.budget = budget
        return summary

    def _key(
        self, documents: list[Document], request: SummarizeRequest, options: RequestOptions, model_name: str
    ) -> str:
        settings, focus = self.settings, request.focus
        given = options.model or self.model
        return key_of(
            'summary',
            [(document.id, document.title, document.url) for document in documents],
            (focus.key(), [topic.share for topic in focus.topics]),
            (request.max_output_tokens, options.reserve is not None, request.for_extraction),
            (options.merge, options.is_audited),
            (model_name, settings.openrouter_base_url, given and given.system, given and given.base_url),
            (settings.llm_output_mode, prompts.version(), revision()),
            (settings.default_chunk_size_tokens, settings.default_max_output_tokens),
            (settings.fill_budget, settings.repair),
        )

    def default_budget(self, tokens_in: int, *, for_extraction: bool) -> int:
        """The budget of a request that gives none."""
        default = self.settings.default_max_output_tokens
        return min(default, max(MIN_EXTRACTION_TOKENS, tokens_in // EXTRACTION_RATIO)) if for_extraction else default


def _is_focus_unmet(summary: Summary, documents: Sequence[Document], focus: prompts.Focus) -> bool:
    said = [fact.text for fact in summary.facts]
    return bool(said) and not is_met(said, focus) and not is_met([document.text for document in documents], focus)


def _left_out(summary: Summary, request: SummarizeRequest) -> list[str]:
    """The titles or handles of documents of which nothing is said, where all of them were to be summarized."""
    if not summary.facts or Aim.of(request.focus) is Aim.ANSWER:
        return []
    heard = {evidence.source_id for fact in summary.facts for evidence in fact.evidence}
    parts = {part.source_id: part for part in summary.parts if part.state not in ('repeated', 'unchanged')}
    return [one_line(part.title)[:_TITLE] or part.source_id for part in parts.values() if part.source_id not in heard]


def _passed_through(job: Job, model_name: str) -> Summary:
    """The summary of what needs none."""
    text = joined(job.documents)
    text = text if text.strip() else ''
    return Summary(
        text=text,
        state='unchanged' if text else 'empty',
        parts=[part_of(document, 'unchanged') for document in job.documents if document.text],
        stats=job.stats(model_name, job.tokens_in if text else 0),
    )
