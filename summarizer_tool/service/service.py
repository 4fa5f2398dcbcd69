"""What the toolset and the server offer, in one place: summaries by text or by handle, and the sources themselves."""

import logging
import re
from collections.abc import Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Self

from summarizer_tool import prompts
from summarizer_tool.documents import reading
from summarizer_tool.documents.document import Document
from summarizer_tool.errors import FetchError, RequestError, StoreError
from summarizer_tool.evidence.brief import quoting
from summarizer_tool.formats import reading as formats
from summarizer_tool.formats.files import GivenSource
from summarizer_tool.html.page import is_page
from summarizer_tool.llm.options import DEFAULT_OPTIONS, RequestOptions
from summarizer_tool.mapreduce.content import check_size, measure, over_limit, page_in
from summarizer_tool.mapreduce.request import SummarizeRequest
from summarizer_tool.mapreduce.summarizer import Summarizer
from summarizer_tool.runtime.deadline import Deadline
from summarizer_tool.runtime.executors import in_io_thread, in_process, in_thread, request_load
from summarizer_tool.schemas import Summary
from summarizer_tool.service import handles
from summarizer_tool.service.operations import (
    DEFAULT_READ_TOKENS,
    AddSourceRequest,
    DiffSourceRequest,
    QuerySourceRequest,
    ReadSourceRequest,
)
from summarizer_tool.store.collection import Collection
from summarizer_tool.store.index import entry_of
from summarizer_tool.store.source import HANDLE, Source, handle_in
from summarizer_tool.text import tokens
from summarizer_tool.text.lines import one_line
from summarizer_tool.text.structure import LONGEST_TITLE
from summarizer_tool.web.fetch import MayFetch, fetch

if TYPE_CHECKING:
    from summarizer_tool.evidence.search.embedded_passages import EmbeddedPassages
    from summarizer_tool.service.retrieval import Retriever

PAGE_CHARACTERS = 300_000
"""What a page counts for before it is fetched: its HTML is read where large texts are."""

MAX_PLACES = 5000  # characters of a text that may be nothing but a URL, or handles

_URL = re.compile(r'https?://\S+', re.IGNORECASE)
# What models write round handles.
_AROUND = re.compile(r'(?i)sources?([-_ ]?ids?)?\b|ids?\b|handles?\b|and\b|\b\d{1,2}\.|[\s"\'`“”‘’\[\](){}<>,;:.=*/-]')

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
        self.summarizer = summarizer
        self.collection = collection

    async def summarize(
        self, request: SummarizeRequest, options: RequestOptions = DEFAULT_OPTIONS, *, given: Sequence[GivenSource] = ()
    ) -> SummaryReply:
        """Summarize a text, which is stored, or stored sources; for a reader or for a typed extraction.

        `given` is what a program has read itself, instead of a text or handles; it is stored.

        Raises:
            RequestError: If there is neither text nor handle, or both, or a page without text.
            UnknownSourceError: If the collection has no such source.
            InputTooLargeError: If it is larger than `SUMMARIZER_MAX_INPUT_MB`.
            SummarizationFailedError: If every model call failed and `on_failure` is `error`.
        """
        deadline = options.deadline or Deadline(self.summarizer.settings.deadline_seconds)
        documents: list[Document] = [source.document for source in given]
        not_kept = 'there was no time to store the text'
        with deadline.answering() as scope:
            documents, not_kept = await self._documents(request, given)
            reserve = partial(handles.reserve, _ids(documents, not_kept)) if request.names_handles else None
            summary = await self.summarizer.run(
                documents, request, replace(options, deadline=deadline, cache=self.collection, reserve=reserve)
            )
        ids = _ids(documents, not_kept)
        if scope.cancelled_caught:
            content = request.content
            if not documents and (not content.strip() or is_page(content)):
                raise RequestError('there was no time to read the sources; call again in a moment')
            reserve = partial(handles.reserve, ids) if request.names_handles and ids else None
            summary = await self.summarizer.truncated(documents or [content], request, reserve)
        if not_kept:
            summary.warnings.append(not_kept)
        stats = summary.stats
        # What is late waits for no computing.
        run = in_io_thread if scope.cancelled_caught else in_thread
        text = await run(handles.with_handle, summary, ids, stats.budget) if request.names_handles else summary.text
        if text != summary.text:
            summary.text, stats.tokens_out = text, await run(tokens.count, text)
        return SummaryReply(text, summary, ids)

    async def add_source(self, request: AddSourceRequest) -> AddedSource:
        """Store a text, or the page at a URL, which is fetched; of a document or page the markdown, with its links.

        Raises:
            RequestError: If there is neither text nor URL, or the text is a page without any.
            FetchError: If the URL is refused or cannot be fetched.
            InputTooLargeError: If the text is larger than `SUMMARIZER_MAX_INPUT_MB`.
            StoreError: If it cannot be stored.
        """
        title, url = one_line(request.title, LONGEST_TITLE), request.url.strip()
        if request.content.strip():
            given = await self._read(request.content, title, url)
        elif url:
            given = await self.fetch_page(url, title=title)
        else:
            raise RequestError('give content (a text) or url (a page to fetch); both are empty')
        source = await self._add(given)
        headings = await in_thread(reading.outline, given.document)
        text = prompts.render(
            'answers/added',
            id=source.id,
            title=quoting.label(source.title, quoting.TITLE_TOKENS).replace('"', "'") or 'untitled',
            tokens=f'{source.tokens:,}',
            lines=f'{source.lines:,}',
        )
        if headings:
            shown = '\n'.join(map(quoting.verbatim, headings.splitlines()))
            text += '\n' + prompts.render('answers/outline', headings=shown)
        return AddedSource(text, source)

    async def fetch_page(self, url: str, *, title: str = '', may_fetch: MayFetch | None = None) -> GivenSource:
        """Fetch a page, which is not stored by that; its `title` may be another than its own.

        `may_fetch` is asked before every request, redirects included, and refuses by a `FetchError`.

        Raises:
            FetchError: If the URL is refused or cannot be fetched.
            InputTooLargeError: If the text is larger than `SUMMARIZER_MAX_INPUT_MB`.
        """
        with request_load(PAGE_CHARACTERS, self.summarizer.workers):
            given = await fetch(url, self.summarizer.settings, may_fetch=may_fetch)
        await self._check(given.document.text)
        return replace(given, document=replace(given.document, title=title), title=title) if title else given

    async def add_page(self, url: str, *, may_fetch: MayFetch | None = None) -> Source:
        """Fetch a page as `fetch_page` does and store it, for a program: `add_source` without the words about it."""
        return await self._add(await self.fetch_page(url, may_fetch=may_fetch))

    async def add_document(self, given: GivenSource) -> Source:
        """Store what a program has read itself; its text is taken as it is. Raises as `add_page`, but `FetchError`."""
        await self._check(given.document.text)
        return await self._add(given)

    async def read_source(self, request: ReadSourceRequest) -> str:
        """Raw lines of a source with their numbers, `12| text`; the last line says how to read on.

        Raises:
            UnknownSourceError: If the collection has no such source.
            RequestError: If there is no such line.
        """
        document = await in_io_thread(self.collection.document, request.source_id)
        max_tokens = request.max_tokens or DEFAULT_READ_TOKENS
        with self._computing_for(document.text):
            return await in_thread(reading.read, document, request.start_line, max_tokens, request.offset)

    async def query_source(self, request: QuerySourceRequest) -> str:
        """What a JMESPath expression finds in a source of JSON, CSV or lines; the last line counts what was left out.

        Raises:
            UnknownSourceError: If the collection has no such source.
            RequestError: If the expression is wrong, or takes too long; says what to change.
        """
        from summarizer_tool.documents import querying

        document = await in_io_thread(self.collection.document, request.source_id)
        with self._computing_for(document.text):
            return await in_thread(querying.query, document, request.query, request.max_tokens or DEFAULT_READ_TOKENS)

    async def diff_source(self, request: DiffSourceRequest) -> str:
        """What has changed from the version before, line by line; the first line counts.

        Raises:
            UnknownSourceError: If the collection has no such source.
            RequestError: If no older version is stored.
        """
        newer = await in_io_thread(self.collection.find, request.source_id)
        older = await in_io_thread(self.collection.find, request.older_id) if request.older_id else None
        older_id = older.id if older else await in_io_thread(self._version_before, newer, request.source_id)
        before = await in_io_thread(self.collection.document, older_id)
        after = await in_io_thread(self.collection.document, newer.id)
        room, is_version = request.max_tokens or DEFAULT_READ_TOKENS, older is None
        with self._computing_for(before.text, after.text):
            return await in_process(reading.changes_report, before, after, room, is_version=is_version)

    def _version_before(self, source: Source, place: str) -> str:
        versions = [version.id for version in self.collection.versions_of(source, place)]
        at = versions.index(source.id) if source.id in versions else -1
        if at + 1 >= len(versions):
            todo = 'add what has changed first, or name the source to compare it with'
            raise RequestError(f'{source.id} has no version before it here; {todo}')
        return versions[at + 1]

    async def sources(self, limit: int = 100) -> list[Source]:
        """The sources of the collection, the last used first."""
        return await in_io_thread(self.collection.sources, limit)

    async def _documents(self, request: SummarizeRequest, given: Sequence[GivenSource]) -> tuple[list[Document], str]:
        content, source_ids = request.content, listed(request.source_ids)
        if content.strip() and source_ids:
            raise RequestError('give content or source_ids, not both; leave content empty to ask about stored sources')
        if source_ids:
            # What is over the limit is not read.
            kept = await in_io_thread(self.collection.kept, map(handle_in, source_ids))
            over_limit(sum(source.size for source in kept), self.summarizer.settings.max_input_mb)
            return [await in_io_thread(self.collection.document, source_id) for source_id in source_ids], ''
        if _is_place(content):  # as models put it where a text should be
            raise RequestError(
                'content is only a URL or handles; give handles as source_ids, and a URL to add_source(url=...)'
            )
        if not content.strip() and not given:
            raise RequestError('give content (a text) or source_ids (handles of stored sources); both are empty')
        if not given and (kept := await in_io_thread(self._kept, content)):
            return [kept], ''
        given = given or [await self._read(content)]
        not_kept = ''
        for source in given:
            if source.is_stored:
                continue
            try:
                await self._add(source)
            except StoreError as error:
                _logger.warning('the text could not be stored', extra={'reason': str(error)})
                not_kept = f'the text could not be stored: {error}'
        return [source.document for source in given], not_kept

    async def _read(self, content: str, title: str = '', url: str = '') -> GivenSource:
        """A text as a document; a web page or a file's bytes as markdown, and what stands beside it."""
        await self._check(content)
        given_title = title
        with self._computing_for(content):
            if await in_io_thread(self._kept, content):  # which was read when it came
                return GivenSource(await in_thread(_titled, content, title, url), title=given_title)
            try:
                is_file = formats.is_data_url(content)
                page = await (in_process(formats.read_data_url, content, title) if is_file else page_in(content, url))
            except FetchError as error:
                raise RequestError(f'content {error}') from None
            if page is not None:
                await self._check(page.markdown)
                if not page.markdown.strip():
                    raise RequestError('content is an HTML page without text; give a text, or the url of another page')
                content, title = page.markdown, title or one_line(page.title, LONGEST_TITLE)
            elif not url:  # what is said to come from somewhere may have been read by a program
                content = await in_process(formats.plain_text, content, title if ' ' not in title else '')
            return GivenSource(await in_thread(_titled, content, title, url), page, title=given_title)

    def _kept(self, content: str) -> Document | None:
        """The document of a text that is kept as it is given: nothing is to be read in it or stored."""
        with suppress(StoreError):
            return self.collection.same(Document(content))
        return None

    def _computing_for(self, *texts: str) -> AbstractContextManager[None]:
        """Computing in this block is for texts of this size: where it is large, small requests do not wait for it."""
        return request_load(sum(map(len, texts)), self.summarizer.workers)

    async def _check(self, content: str) -> None:
        await check_size([content], self.summarizer.settings.max_input_mb)

    async def _add(self, given: GivenSource) -> Source:
        """Store a document; the tokens of a new one are counted where computing runs."""
        document, page, entry = given.document, given.page, None
        kept = await in_io_thread(self.collection.kept, [document.id])
        with self._computing_for(document.text):
            if kept and kept[0].title:
                document = await in_thread(replace, document, title=given.title)
            elif not kept:
                await measure([document], self.summarizer.settings.default_chunk_size_tokens)
                entry = await in_process(entry_of, Document(document.text, title=document.title))
        return await in_io_thread(
            self.collection.add,
            document,
            fetched_at=given.fetched_at,
            links=page.links if page else (),
            addresses=given.addresses,
            entry=entry,
        )


@dataclass(frozen=True, slots=True)
class Setup:
    """Who does the work for all collections."""

    summarizer: Summarizer
    similar: 'EmbeddedPassages | None'
    """Ranks by meaning, where the settings name a model for that."""

    @classmethod
    def of(cls, summarizer: Summarizer) -> Self:
        """Check what its settings say of ranking now; raises `ConfigurationError`."""
        if not summarizer.settings.embedding_model:
            return cls(summarizer, None)
        from summarizer_tool.evidence.search.embedded_passages import EmbeddedPassages

        return cls(summarizer, EmbeddedPassages.of(summarizer.settings))

    def service(self, collection: Collection) -> Service:
        """What summarizes and stores in a collection."""
        return Service(self.summarizer, collection)

    def retriever(self, collection: Collection) -> 'Retriever':
        """What searches and answers, too; it is loaded where it is first asked for."""
        from summarizer_tool.service.retrieval import Retriever

        return Retriever(self.service(collection), similar=self.similar)


def _ids(documents: Sequence[Document], not_kept: str) -> tuple[str, ...]:
    return () if not_kept else tuple(dict.fromkeys(document.id for document in documents))


def _titled(content: str, title: str, url: str) -> Document:
    return Document(content, title=title or reading.title_of(content), url=url)


def _is_place(content: str) -> bool:
    if len(content) > MAX_PLACES:
        return False
    is_url = _URL.fullmatch(content.strip()) is not None
    return is_url or (bool(HANDLE.search(content)) and not _AROUND.sub('', HANDLE.sub('', content)))


# URLs may have commas in them; before a handle or another URL, or between quotes, one stands between places.
_APART = re.compile(r'\s+|[,;](?=src_|https?://)|(?<=["\'])[,;](?=["\'])', re.IGNORECASE)
_MARKS = ' ,;"\'`<>[]'


def listed(places: str | Sequence[str]) -> list[str]:
    """Places as a model gives them: a list, or one string with several in it, perhaps as JSON."""
    items = [places] if isinstance(places, str) else places
    parts = (part.strip(_MARKS) for item in items for part in _APART.split(item))
    return list(dict.fromkeys(part for part in parts if part))
