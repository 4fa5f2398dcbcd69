"""What the toolset and the server offer, in one place: summaries by text or by handle, and the sources themselves."""

import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Final, Literal

from summarizer_tool import prompts
from summarizer_tool.documents import reading
from summarizer_tool.documents.document import Document
from summarizer_tool.errors import InputTooLargeError, RequestError, StoreError
from summarizer_tool.evidence.brief import rendering
from summarizer_tool.evidence.brief.summary_brief import brief_of_summary
from summarizer_tool.html.convert import to_markdown
from summarizer_tool.html.page import Page
from summarizer_tool.html.recognising import is_page
from summarizer_tool.llm.options import RequestOptions
from summarizer_tool.mapreduce import compose
from summarizer_tool.mapreduce.summarizer import DEFAULT_STRATEGY, Summarizer
from summarizer_tool.prompts import Focus
from summarizer_tool.runtime.deadline import Deadline
from summarizer_tool.runtime.executors import in_io_thread, in_process, in_thread, request_load
from summarizer_tool.schemas import Summary
from summarizer_tool.service import handles
from summarizer_tool.store.collection import Collection
from summarizer_tool.store.source import Source
from summarizer_tool.text import tokens
from summarizer_tool.text.lines import one_line
from summarizer_tool.text.structure import LONGEST_TITLE
from summarizer_tool.web.fetch import MayFetch, fetch

DEFAULT_READ_TOKENS = 2000

Format = Literal['text', 'brief']
"""How a summary is written: as a text, or with numbered sources and quoted lines."""

FORMATS: Final[tuple[Format, ...]] = ('text', 'brief')

FACTS_SHARE = 0.55
"""Of the budget of a brief: what its facts may have. The rest is for the lines that prove them, and for the sources."""

PAGE_CHARACTERS = 300_000
"""What a page counts for before it is fetched: its HTML is read where large texts are."""

MAX_HANDLES = 5000
"""Characters of a text that may be nothing but handles."""

_HANDLE = re.compile(r'src_[0-9a-f]{12}', re.IGNORECASE)
# What models write round handles.
_AROUND = re.compile(r'(?i)sources?([-_ ]?ids?)?\b|ids?\b|handles?\b|and\b|\b\d{1,2}\.|[\s"\'`\[\](){}<>,;:.=*/-]')
_APART = re.compile(r'[\s,;]+')

_logger = logging.getLogger('summarizer_tool')


@dataclass(frozen=True, slots=True)
class SummaryReply:
    """A summary as a model gets it."""

    text: str
    """Within the budget; its last line names the handles, unless the text came back unchanged because it fits."""
    summary: Summary
    """The same with facts, evidence and statistics; its text is `text`."""
    source_ids: tuple[str, ...]
    """The handles of all that was summarized; empty where the text could not be kept."""


@dataclass(frozen=True, slots=True)
class AddedSource:
    """A source that was stored."""

    text: str
    """Its handle, size and outline, as a model gets them."""
    source: Source


class Service:
    """Summarizes, stores and reads the sources of one collection."""

    def __init__(self, summarizer: Summarizer, collection: Collection) -> None:
        """Bring together who does the work and where sources and finished work are kept."""
        self.summarizer = summarizer
        self.collection = collection

    async def summarize(
        self,
        content: str = '',
        *,
        source_ids: str | Sequence[str] = (),
        max_output_tokens: int = 0,
        focus_areas: str | Sequence[str] = '',
        strategy: str = DEFAULT_STRATEGY,
        form: Format = 'text',
        options: RequestOptions | None = None,
    ) -> SummaryReply:
        """Summarize a text, or stored sources, for a reader.

        Args:
            content: The text; it is stored. Of an HTML page the markdown is, without menus and the like.
            source_ids: Handles, instead of text.
            max_output_tokens: The budget, the handle line included; 0 means the default.
            focus_areas: What matters most.
            strategy: `semantic` or `token`.
            form: `brief` for the facts with sources and quoted lines, in at least 500 tokens. It keeps to its budget
                in any case: where every model call fails and `on_failure` is `original`, it shows the text as far as
                that holds, and says so.
            options: What the caller brings along; its cache is the collection.

        Raises:
            RequestError: If there is neither text nor handle, or both, or a page without text, or the budget is
                negative.
            UnknownSourceError: If the collection has no such source.
            InputTooLargeError: If it is larger than `SUMMARIZER_MAX_INPUT_MB`.
            SummarizationFailedError: If every model call failed and `on_failure` is `error`.
        """
        focus = Focus.of(focus_areas)
        return await self._answer(content, source_ids, focus, max_output_tokens, strategy, form, options)

    async def summarize_for_extraction(
        self,
        content: str = '',
        schema_hint: str = '',
        *,
        source_ids: str | Sequence[str] = (),
        max_output_tokens: int = 0,
        focus_areas: str | Sequence[str] = '',
        strategy: str = DEFAULT_STRATEGY,
        form: Format = 'text',
        options: RequestOptions | None = None,
    ) -> SummaryReply:
        """Compress a text, or stored sources, for a typed extraction.

        Args:
            content: The text, as for `summarize`.
            schema_hint: What will be extracted.
            source_ids: Handles, instead of text.
            max_output_tokens: The budget; 0 means the default, at most a fifth of the text.
            focus_areas: What matters most within that.
            strategy: `semantic` or `token`.
            form: As for `summarize`.
            options: What the caller brings along.

        Raises:
            RequestError: As from `summarize`.
            UnknownSourceError: As from `summarize`.
            InputTooLargeError: As from `summarize`.
            SummarizationFailedError: As from `summarize`.
        """
        focus = Focus.of(focus_areas, schema_hint)
        return await self._answer(
            content, source_ids, focus, max_output_tokens, strategy, form, options, for_extraction=True
        )

    async def add_source(self, content: str = '', *, url: str = '', title: str = '') -> AddedSource:
        """Store a text, or the page at a URL.

        Args:
            content: The text. Of an HTML page the markdown is stored, with its images and links beside it.
            url: Where to fetch it from; with `content`: where the text came from, nothing is fetched.
            title: Its name; empty: the page's own, or the first heading.

        Raises:
            RequestError: If there is neither text nor URL, or the text is a page without any.
            FetchError: If the URL is refused or cannot be fetched.
            InputTooLargeError: If the text is larger than `SUMMARIZER_MAX_INPUT_MB`.
            StoreError: If it cannot be stored.
        """
        title, url = one_line(title, LONGEST_TITLE), url.strip()
        if content.strip():
            document, page = await self._read(content, title, url)
            source = await self._add(document, page)
        elif url:
            document, source = await self._fetched(url, title)
        else:
            raise RequestError('give content (a text) or url (a page to fetch); both are empty')
        headings = await in_thread(reading.outline, document)
        text = prompts.render(
            'answers/added',
            id=source.id,
            title=source.title or 'untitled',
            tokens=f'{source.tokens:,}',
            lines=f'{source.lines:,}',
        )
        if headings:
            text += '\n' + prompts.render('answers/outline', headings=headings)
        return AddedSource(text, source)

    async def add_page(self, url: str, *, may_fetch: MayFetch | None = None) -> Source:
        """Fetch a page and store it, for a program: `add_source` without the words about it.

        Args:
            url: An http or https URL.
            may_fetch: Asked before every request, redirects included; refuses by a `FetchError`.

        Raises:
            FetchError: If the URL is refused or cannot be fetched.
            InputTooLargeError: If the text is larger than `SUMMARIZER_MAX_INPUT_MB`.
            StoreError: If it cannot be stored.
        """
        _, source = await self._fetched(url, '', may_fetch)
        return source

    async def add_document(self, document: Document, page: Page | None = None) -> Source:
        """Store what a program has read itself; its text is taken as it is.

        Args:
            document: Its text.
            page: What its images and links are taken from.

        Raises:
            InputTooLargeError: If the text is larger than `SUMMARIZER_MAX_INPUT_MB`.
            StoreError: If it cannot be stored.
        """
        await self._check(document.text)
        return await self._add(document, page)

    async def read_source(
        self, source_id: str, *, start_line: int = 1, max_tokens: int = DEFAULT_READ_TOKENS, offset: int = 0
    ) -> str:
        """Raw lines of a source with their numbers, `12| text`; the last line says how to read on.

        Args:
            source_id: A handle.
            start_line: The first line, from 1.
            max_tokens: Tokens that the whole may have, brought between 50 and 20,000; 0 means 2,000.
            offset: Characters to leave out at the beginning of the first line.

        Raises:
            UnknownSourceError: If the collection has no such source.
            RequestError: If there is no such line.
        """
        document = await in_io_thread(self.collection.document, source_id)
        return await in_thread(reading.read, document, start_line, max_tokens or DEFAULT_READ_TOKENS, offset)

    async def sources(self, limit: int = 100) -> list[Source]:
        """The sources of the collection, the last used first."""
        return await in_io_thread(self.collection.sources, limit)

    async def _answer(
        self,
        content: str,
        source_ids: str | Sequence[str],
        focus: Focus,
        max_output_tokens: int,
        strategy: str,
        form: Format,
        options: RequestOptions | None,
        *,
        for_extraction: bool = False,
    ) -> SummaryReply:
        if max_output_tokens < 0:
            raise RequestError(f'max_output_tokens={max_output_tokens} is negative; 0 means the default')
        if form not in FORMATS:
            raise RequestError(f'format must be one of {", ".join(FORMATS)}')
        is_brief = form == 'brief'
        if is_brief and 0 < max_output_tokens < rendering.MIN_BUDGET:
            raise RequestError(
                f'max_output_tokens={max_output_tokens} is less than a brief needs; give at least '
                f'{rendering.MIN_BUDGET}, or leave out format="brief"'
            )
        options = options or RequestOptions()
        deadline = options.deadline or Deadline(self.summarizer.settings.deadline_seconds)
        documents: list[Document] = []
        not_kept = 'there was no time to store the text'
        with deadline.answering() as scope:
            documents, not_kept = await self._documents(content, _listed(source_ids))
            ids = _ids(documents, not_kept)
            # A brief names the handles among its sources.
            reserve = None if is_brief else partial(handles.reserve, ids)
            options = replace(options, deadline=deadline, cache=self.collection, reserve=reserve)
            if is_brief:
                max_output_tokens = max_output_tokens or await self._brief_budget(
                    documents, for_extraction=for_extraction
                )
            summary = await self.summarizer.run(
                documents,
                focus,
                max_output_tokens=int(max_output_tokens * FACTS_SHARE) if is_brief else max_output_tokens,
                strategy=strategy,
                for_extraction=for_extraction,
                options=options,
            )
        ids = _ids(documents, not_kept)
        if scope.cancelled_caught:
            if not documents and (not content.strip() or _only_handles(content)):
                raise RequestError('there was no time to read the sources; call again in a moment')
            if not documents and is_page(content):
                raise RequestError('there was no time to read the page; call again in a moment')
            summary = await self._beginnings(
                documents or [Document(content)], ids, max_output_tokens, strategy, for_extraction=for_extraction
            )
        if not_kept:
            summary.warnings.append(not_kept)
        stats = summary.stats
        # What is late waits for no computing.
        run = in_io_thread if scope.cancelled_caught else in_thread
        if is_brief and not scope.cancelled_caught:
            stats.budget = max_output_tokens
            text = await run(_brief, summary, documents, focus, max_output_tokens)
        else:
            text = await run(handles.with_handle, summary, ids, stats.budget)
        if text != summary.text:
            summary.text, stats.tokens_out = text, await run(tokens.count, text)
        return SummaryReply(text, summary, ids)

    async def _brief_budget(self, documents: Sequence[Document], *, for_extraction: bool) -> int:
        """The default tokens of a brief, which needs some for what is always there."""
        total = await in_process(_tokens, documents)
        return max(rendering.MIN_BUDGET, self.summarizer.default_budget(total, for_extraction=for_extraction))

    async def _beginnings(
        self,
        documents: Sequence[Document],
        ids: Sequence[str],
        max_output_tokens: int,
        strategy: str,
        *,
        for_extraction: bool,
    ) -> Summary:
        """The way out where a server has so much to do that not even the embedded model got its turn."""
        model_name = self.summarizer.model_name
        known = sum(document.about_tokens for document in documents)
        budget = max_output_tokens or self.summarizer.default_budget(known, for_extraction=for_extraction)
        free = handles.reserve(ids, budget)
        summary = await in_io_thread(compose.truncated_summary, documents, max(1, budget - free), model_name, strategy)
        _logger.warning('no time to summarize', extra={'input_size': summary.stats.tokens_in})
        summary.stats.budget = budget
        return summary

    async def _documents(self, content: str, source_ids: Sequence[str]) -> tuple[list[Document], str]:
        """What to summarize, and why it could not be kept, if so."""
        if not source_ids and (found := _only_handles(content)):
            content, source_ids = '', found
        if content.strip() and source_ids:
            raise RequestError('give content or source_ids, not both; leave content empty to ask about stored sources')
        if source_ids:
            return [await in_io_thread(self.collection.document, source_id) for source_id in source_ids], ''
        if not content.strip():
            raise RequestError('give content (a text) or source_ids (handles of stored sources); both are empty')
        document, page = await self._read(content)
        try:
            await self._add(document, page)
        except StoreError as error:
            _logger.warning('the text could not be stored', extra={'reason': str(error)})
            return [document], f'the text could not be stored: {error}'
        return [document], ''

    async def _read(self, content: str, title: str = '', url: str = '') -> tuple[Document, Page | None]:
        """A text as a document; a web page as markdown, and what stands beside it."""
        await self._check(content)
        page = None
        if is_page(content):
            with request_load(len(content), self.summarizer.workers):
                page = await in_process(to_markdown, content, url, links='aside')
            if not page.markdown.strip():
                raise RequestError('content is an HTML page without text; give a text, or the url of another page')
            content, title = page.markdown, title or one_line(page.title, LONGEST_TITLE)
        return await in_thread(_titled, content, title, url), page

    async def _check(self, content: str) -> None:
        """Look at the size of a text."""
        limit = self.summarizer.settings.summarizer_max_input_mb
        # UTF-8 has at most four bytes a character, so most texts need not be encoded to be measured.
        size = len(content) if len(content) * 4 <= limit * 1e6 else await in_thread(_size, content)
        if size > limit * 1e6:
            raise InputTooLargeError(
                f'content is {size / 1e6:.3g} MB, over SUMMARIZER_MAX_INPUT_MB={limit:g}; split it or raise the limit'
            )

    async def _fetched(self, url: str, title: str, may_fetch: MayFetch | None = None) -> tuple[Document, Source]:
        """Fetch a page, and store it with what stands beside its text."""
        with request_load(PAGE_CHARACTERS, self.summarizer.workers):
            fetched = await fetch(url, self.summarizer.settings, may_fetch=may_fetch)
        await self._check(fetched.text)
        document = await in_thread(_titled, fetched.text, title or one_line(fetched.title, LONGEST_TITLE), fetched.url)
        addresses = (fetched.asked_url, fetched.url)
        return document, await self._add(document, fetched.page, fetched.fetched_at, addresses)

    async def _add(
        self,
        document: Document,
        page: Page | None = None,
        fetched_at: datetime | None = None,
        addresses: Sequence[str] = (),
    ) -> Source:
        """Store a document; the tokens of a new one are counted where computing runs."""
        if not await in_io_thread(self.collection.has, document.id):
            with request_load(len(document.text), self.summarizer.workers):
                document.remember(tokens=await in_process(tokens.count, document.text))
        return await in_io_thread(
            self.collection.add,
            document,
            fetched_at=fetched_at,
            images=page.images if page else (),
            links=page.links if page else (),
            addresses=addresses,
        )


def _ids(documents: Sequence[Document], not_kept: str) -> tuple[str, ...]:
    return () if not_kept else tuple(dict.fromkeys(document.id for document in documents))


def _tokens(documents: Sequence[Document]) -> int:
    return sum(document.tokens for document in documents)


def _brief(summary: Summary, documents: Sequence[Document], focus: Focus, budget: int) -> str:
    brief = brief_of_summary(summary, documents, focus.schema_hint or focus.focus_areas)
    if summary.state == 'original':
        summary.warnings[:1] = brief.partial  # the original would be over the budget, the brief is not
    return rendering.render(brief, budget).text


def _size(content: str) -> int:
    return len(content.encode(errors='surrogatepass'))


def _titled(content: str, title: str, url: str) -> Document:
    return Document(content, title=title or reading.title_of(content), url=url)


def _only_handles(content: str) -> list[str]:
    """The handles in a text that is nothing but handles: models put them where the text should be."""
    if (
        len(content) > MAX_HANDLES
        or not (found := _HANDLE.findall(content))
        or _AROUND.sub('', _HANDLE.sub('', content))
    ):
        return []
    return list(dict.fromkeys(found))


def _listed(source_ids: str | Sequence[str]) -> list[str]:
    """Handles as a model gives them: a list, or one string with several in it."""
    items = [source_ids] if isinstance(source_ids, str) else source_ids
    return list(dict.fromkeys(part for item in items for part in _APART.split(item.strip(' []')) if part))
