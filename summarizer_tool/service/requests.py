"""What can be asked of stored sources and of the web; what is asked of a text is in `mapreduce.request`."""

from typing import Annotated

from pydantic import WithJsonSchema

from summarizer_tool.evidence.question import ResearchMode
from summarizer_tool.mapreduce.request import Count, Handle, LongText, Request, Text, TextOrTexts, Texts

DEFAULT_TOP_K = 20

DEFAULT_READ_TOKENS = 2000


class SearchRequest(Request):
    """Find passages in stored sources; nothing is fetched."""

    query: Text
    """The question."""
    source_urls: Texts = ()
    """Where to look: URLs that are stored."""
    source_ids: Texts = ()
    """Where to look: handles. With neither, in all of the collection."""
    intent: Text = ''
    """What the answer is for; its words count less."""
    top_k: Count = 0
    """Passages, neighbours not counted; 0 means 20, and what else `max_tokens`, if given, has room for."""
    max_tokens: Count = 0
    """Of the brief, at least 500 and at most `MCP_RESPONSE_TOKEN_BUDGET`, which 0 means."""


class AnswerRequest(Request):
    """Gather the evidence for a question from pages: fetch what is not stored, search, and follow links."""

    url: TextOrTexts = ''
    """One or several, or handles; none: all of the collection."""
    query: Text
    """The question."""
    intent: Text = ''
    """What the answer is for."""
    known_context: Text = ''
    """What the asker knows already."""
    constraints: TextOrTexts = ''
    """What the answer must keep to, such as hosts or years; one or several."""
    expansion_budget: int | None = None
    """Pages that may be fetched by following links, at most `SUMMARIZER_ANSWER_MAX_PAGES`, which `None` means."""
    research_mode: ResearchMode = 'auto'
    """`fast` follows no links, `auto` while the evidence is not enough, `deep` until it does not grow any more."""
    max_tokens: Count = 0
    """Of the brief, as for a search."""


class StatusRequest(Request):
    """Say what is stored."""

    source_url: Text = ''
    """All about the source with this URL, handle or file name; empty: about the collection."""
    include_urls: bool = True
    """Whether its sources are listed."""
    max_tokens: Count = 0
    """Of the brief, as for a search."""


class AddSourceRequest(Request):
    """Store a text, or the page at a URL."""

    content: LongText = ''
    """The text; or the bytes of a file as a `data:` URL in base64, whose name `title` may be."""
    url: Text = ''
    """Where to fetch it from; with `content`: where the text came from, nothing is fetched."""
    title: LongText = ''
    """Its name; empty: the page's own, or the first heading."""


class QuerySourceRequest(Request):
    """Filter, count and slice what programs have written into a source."""

    source_id: Handle
    """A handle."""
    query: Text
    """A JMESPath expression."""
    max_tokens: Count = DEFAULT_READ_TOKENS
    """Tokens that the answer may have, brought between 50 and 20,000; 0 means 2,000."""


class ReadSourceRequest(Request):
    """Read raw lines of a source."""

    source_id: Handle
    """A handle."""
    start_line: Annotated[int, WithJsonSchema({'type': 'integer', 'minimum': 1})] = 1
    """The first line, from 1."""
    max_tokens: Count = DEFAULT_READ_TOKENS
    """Tokens that the whole may have, brought between 50 and 20,000; 0 means 2,000."""
    offset: Count = 0
    """Characters to leave out at the beginning of the first line."""


class DiffSourceRequest(Request):
    """Compare a source with the version before it."""

    source_id: Handle
    """The handle, URL or name of the newer one."""
    older_id: Handle = ''
    """The handle of the older one; empty: what was stored before it under its URL or, without one, its title."""
    max_tokens: Count = DEFAULT_READ_TOKENS
    """Tokens that the whole may have, brought between 50 and 20,000; 0 means 2,000."""
