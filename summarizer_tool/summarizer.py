"""The public way in: `Summarizer`, which checks a request, picks the model and hands the job to the engine."""

import logging
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager, nullcontext
from typing import TypeAlias

from pydantic_ai.concurrency import AbstractConcurrencyLimiter
from pydantic_ai.models import Model
from pydantic_ai.models.concurrency import ConcurrencyLimitedModel
from pydantic_ai.models.instrumented import InstrumentedModel
from pydantic_ai.usage import RunUsage, UsageLimits

from summarizer_tool import models, telemetry, tokens
from summarizer_tool.background import BackgroundLoop
from summarizer_tool.chunking import STRATEGIES
from summarizer_tool.documents import Document
from summarizer_tool.engine import Engine
from summarizer_tool.errors import InputTooLargeError
from summarizer_tool.job import Job, Progress
from summarizer_tool.limits import shared_limiter
from summarizer_tool.offload import offload
from summarizer_tool.prompts import Wish
from summarizer_tool.report import joined, part_of
from summarizer_tool.schemas import Stats, Summary, SummaryState
from summarizer_tool.settings import MIN_BUDGET_TOKENS, Settings

Content: TypeAlias = 'str | Document | Sequence[str | Document]'
"""Text, a document, or a list of them."""

EXTRACTION_RATIO = 5
"""Extraction without a budget compresses at least 5:1."""

DEFAULT_STRATEGY = 'semantic'

_logger = logging.getLogger('summarizer_tool')


_background = BackgroundLoop()


class Summarizer:
    """Compresses text to a token budget, keeping facts that are traced to their source lines.

    Safe to share between tasks and threads. The keyless default needs nothing:

        summary = Summarizer().summarize_sync(text, max_output_tokens=2000)
    """

    def __init__(
        self,
        settings: Settings | None = None,
        *,
        model: Model | None = None,
        limiter: AbstractConcurrencyLimiter | None = None,
    ) -> None:
        """Check the settings and the model now, so that a mistake shows at start-up.

        Args:
            settings: From the environment where not given.
            model: Any pydantic-ai model, instead of the one that `settings.llm_model` names.
            limiter: Bounds the model calls at once; by default all summarizers with one limit share it, in the process.

        Raises:
            ConfigurationError: If a setting is wrong, or a key or package that the model needs is missing.
        """
        self.settings = settings if settings is not None else Settings.load()
        self._model = model
        self._limiter = limiter
        self.model_name = model.model_name if model is not None else models.check(self.settings)

    async def summarize(
        self,
        content: Content,
        *,
        max_output_tokens: int = 0,
        focus_areas: str | Sequence[str] = '',
        strategy: str = DEFAULT_STRATEGY,
        on_progress: Callable[[Progress], None] | None = None,
        usage: RunUsage | None = None,
        usage_limits: UsageLimits | None = None,
    ) -> Summary:
        """Summarize text for a reader.

        Args:
            content: Text, a `Document`, or a list of them.
            max_output_tokens: The budget, in cl100k tokens; 0 means `DEFAULT_MAX_OUTPUT_TOKENS`.
            focus_areas: What matters most, in the reader's words.
            strategy: `semantic` (cuts at headings, paragraphs, sentences) or `token` (fixed windows that overlap).
            on_progress: Called on the event loop after each finished model call.
            usage: Model usage is added to it, e.g. the calling agent's.
            usage_limits: Checked before each model request.

        Returns:
            The summary. Text within the budget comes back unchanged and without a model call.

        Raises:
            ValueError: If the budget is negative.
            InputTooLargeError: If the content is larger than `SUMMARIZER_MAX_INPUT_MB`.
            SummarizationFailedError: If every model call failed and `on_failure` is `error`.
        """
        wish = Wish(focus_areas=_lines(focus_areas))
        return await self._run(content, max_output_tokens, wish, strategy, on_progress, usage, usage_limits)

    async def summarize_for_extraction(
        self,
        content: Content,
        schema_hint: str,
        *,
        max_output_tokens: int = 0,
        focus_areas: str | Sequence[str] = '',
        strategy: str = DEFAULT_STRATEGY,
        on_progress: Callable[[Progress], None] | None = None,
        usage: RunUsage | None = None,
        usage_limits: UsageLimits | None = None,
    ) -> Summary:
        """Compress text for a typed extraction: what the schema asks for is kept first and in most detail.

        Args:
            content: Text, a `Document`, or a list of them.
            schema_hint: What will be extracted: a topic, field names, or a JSON schema.
            max_output_tokens: The budget, in cl100k tokens; 0 means the smaller of `DEFAULT_MAX_OUTPUT_TOKENS` and a
                fifth of the input.
            focus_areas: What matters most within that.
            strategy: As for `summarize`.
            on_progress: As for `summarize`.
            usage: As for `summarize`.
            usage_limits: As for `summarize`.

        Returns:
            The summary, as from `summarize`.

        Raises:
            ValueError: As from `summarize`.
            InputTooLargeError: As from `summarize`.
            SummarizationFailedError: As from `summarize`.
        """
        wish = Wish(focus_areas=_lines(focus_areas), schema_hint=schema_hint.strip())
        return await self._run(
            content, max_output_tokens, wish, strategy, on_progress, usage, usage_limits, for_extraction=True
        )

    def summarize_sync(
        self,
        content: Content,
        *,
        max_output_tokens: int = 0,
        focus_areas: str | Sequence[str] = '',
        strategy: str = DEFAULT_STRATEGY,
    ) -> Summary:
        """`summarize` for code without an event loop; it also works where one is running, as in a notebook."""
        return _background.run(
            self.summarize(
                content,
                max_output_tokens=max_output_tokens,
                focus_areas=focus_areas,
                strategy=strategy,
            )
        )

    def summarize_for_extraction_sync(
        self,
        content: Content,
        schema_hint: str,
        *,
        max_output_tokens: int = 0,
        focus_areas: str | Sequence[str] = '',
        strategy: str = DEFAULT_STRATEGY,
    ) -> Summary:
        """`summarize_for_extraction` for code without an event loop."""
        return _background.run(
            self.summarize_for_extraction(
                content,
                schema_hint,
                max_output_tokens=max_output_tokens,
                focus_areas=focus_areas,
                strategy=strategy,
            )
        )

    async def _run(
        self,
        content: Content,
        max_output_tokens: int,
        wish: Wish,
        strategy: str,
        on_progress: Callable[[Progress], None] | None,
        usage: RunUsage | None,
        usage_limits: UsageLimits | None,
        *,
        for_extraction: bool = False,
    ) -> Summary:
        if max_output_tokens < 0:
            raise ValueError(
                f'max_output_tokens={max_output_tokens} is negative; give a budget in tokens, or 0 for the default'
            )
        started = time.monotonic()
        documents = await offload(self._documents, content)
        text = await offload(joined, documents)
        tokens_in = await offload(tokens.count, text)
        budget = max_output_tokens or self._default_budget(tokens_in, for_extraction=for_extraction)
        strategy = strategy if strategy in STRATEGIES else _fall_back(strategy)
        job = Job(documents, wish, budget, strategy, tokens_in)
        with telemetry.span(
            'summarize',
            documents=len(documents),
            tokens_in=tokens_in,
            budget=budget,
            strategy=strategy,
            model=self.model_name,
            for_extraction=for_extraction,
        ) as span:
            if not text.strip():
                summary = await offload(_passed_through, job, '', 'empty', self.model_name)
            elif tokens_in <= budget:
                summary = await offload(_passed_through, job, text, 'unchanged', self.model_name)
            else:
                async with self._connected() as model:
                    engine = Engine(
                        settings=self.settings,
                        model=model,
                        model_name=self.model_name,
                        job=job,
                        usage=usage if usage is not None else RunUsage(),
                        usage_limits=usage_limits,
                        on_progress=on_progress,
                        started=started,
                    )
                    summary = await engine.run()
            stats = summary.stats
            span.set_attributes(
                {
                    'tokens_out': stats.tokens_out,
                    'ratio': stats.ratio,
                    'chunks': stats.chunks,
                    'state': summary.state,
                    'degraded_parts': len(summary.degraded),
                }
            )
        _logger.info(
            'summarized',
            extra={
                'input_size': stats.tokens_in,
                'output_size': stats.tokens_out,
                'ratio': stats.ratio,
                'strategy': stats.strategy,
                'chunks': stats.chunks,
                'model': stats.model,
                'state': summary.state,
                'seconds': stats.seconds,
            },
        )
        return summary

    def _documents(self, content: Content) -> list[Document]:
        """The input as documents, after a look at its size."""
        items = [content] if isinstance(content, str | Document) else list(content)
        for item in items:
            if not isinstance(item, str | Document):  # pyright: ignore[reportUnnecessaryIsInstance]
                raise TypeError(f'content is text, a Document or a list of them, not {type(item).__name__}')
        limit = self.settings.summarizer_max_input_mb
        # UTF-8 has at most four bytes a character, so most texts need not be encoded to be measured.
        length = sum(len(item if isinstance(item, str) else item.text) for item in items)
        if length * 4 > limit * 1e6:
            size = sum(
                len((item if isinstance(item, str) else item.text).encode('utf-8', 'surrogatepass')) for item in items
            )
            if size > limit * 1e6:
                raise InputTooLargeError(
                    f'content is {size / 1e6:.3g} MB, over SUMMARIZER_MAX_INPUT_MB={limit:g}; '
                    'split it or raise the limit'
                )
        return [Document(item) if isinstance(item, str) else item for item in items]

    def _default_budget(self, tokens_in: int, *, for_extraction: bool) -> int:
        default = self.settings.default_max_output_tokens
        return max(MIN_BUDGET_TOKENS, min(default, tokens_in // EXTRACTION_RATIO)) if for_extraction else default

    @asynccontextmanager
    async def _connected(self) -> AsyncGenerator[Model]:
        """The model for one request, limited in concurrency; connections are closed with the request."""
        limiter = self._limiter or shared_limiter(self.settings.max_concurrent_llm_calls)
        async with nullcontext(self._model) if self._model else models.connect(self.settings, self.model_name) as model:
            # The caller's own instrumentation would put the content into its traces.
            while isinstance(model, InstrumentedModel) and not self.settings.trace_content:
                model = model.wrapped
            yield ConcurrencyLimitedModel(model, limiter)


def _lines(focus_areas: str | Sequence[str]) -> str:
    areas = [focus_areas] if isinstance(focus_areas, str) else focus_areas
    return '\n'.join(area.strip() for area in areas if area.strip())


def _fall_back(strategy: str) -> str:
    _logger.warning(
        'unknown chunking strategy, using semantic instead',
        extra={'asked_for': strategy[:40], 'known': list(STRATEGIES)},
    )
    return DEFAULT_STRATEGY


def _passed_through(job: Job, text: str, state: SummaryState, model_name: str) -> Summary:
    """The summary of what needs none."""
    return Summary(
        text=text,
        state=state,
        parts=[part_of(document, 'unchanged') for document in job.documents if document.text],
        stats=Stats(
            tokens_in=job.tokens_in,
            tokens_out=tokens.count(text),
            budget=job.budget,
            model=model_name,
            strategy=job.strategy,
        ),
    )
