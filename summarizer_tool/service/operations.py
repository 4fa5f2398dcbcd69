"""The operations, each declared once: toolset, server and command line offer what stands here.

A new one needs a request, a handler and a line in `OPERATIONS`, all of them here, and `prompts/tools/NAME.md`.
That file holds a title (`# Title`), a description, under `## When` a phrase for the instructions, and under
`## Parameters` one `- name: description` for each parameter that models are offered. `{{characters}}` and the like are
settings, so that the texts stay true when they change.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Generic, Literal, TypeVar

from pydantic import WithJsonSchema

from summarizer_tool import prompts
from summarizer_tool.evidence.question import AnswerRequest
from summarizer_tool.llm.options import RequestOptions
from summarizer_tool.mapreduce.request import (
    Count,
    ExtractionRequest,
    Handle,
    LongText,
    Request,
    SummarizeRequest,
    Text,
    Texts,
)
from summarizer_tool.settings import Settings

if TYPE_CHECKING:
    # What the handlers call takes long to import, and an agent is built without calling them.
    from summarizer_tool.service.retrieval import Retriever

CHARACTERS_A_TOKEN = 4
"""Of English prose in cl100k; a model knows the length of a text in characters at best."""


Sizes = Mapping[str, str]
"""The numbers that the texts name, as they stand there."""


def sizes_of(settings: Settings) -> Sizes:
    """Of a summary where the model asks for no number, of a brief, and the pages that one answer may fetch by links."""
    summary = settings.default_max_output_tokens
    return {
        'characters': f'{summary * CHARACTERS_A_TOKEN:,}',
        'tokens': f'{summary:,}',
        'brief': f'{settings.mcp_response_token_budget:,}',
        'pages': f'{settings.answer_max_pages:,}',
    }


DEFAULT_SIZES = sizes_of(Settings.model_construct())


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


R = TypeVar('R', bound=Request)

Effect = Literal['reads', 'keeps', 'fetches']
"""What an operation does besides answering: nothing; it keeps what it is given; it fetches from the web and keeps."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What an operation answers."""

    text: str
    """For a model or a person; or, with `is_error`, what went wrong."""
    value: object = None
    """What a program gets besides, such as the `Summary`."""
    figures: Mapping[str, object] = field(default_factory=dict[str, object])
    """State, counts and handles by name, as JSON has them."""
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class Operation(Generic[R]):
    """One thing that can be asked for."""

    name: str
    """`prompts/tools/NAME.md` says what it is for, and describes the parameters that models are offered."""
    request: type[R]
    """Its parameters, with types, defaults and bounds."""
    answer: Callable[['Retriever', R, RequestOptions], Awaitable[Reply]]
    """The handler; of an operation whose text is a brief it raises nothing but a wrong setting."""
    effect: Effect
    is_brief: bool = False
    """Whether the text is a brief: what goes wrong is told as one, too."""

    def text(self, sizes: Sizes = DEFAULT_SIZES) -> prompts.ToolText:
        """What is said about it; raises `ValueError` if a part of it is missing."""
        return prompts.tool_text(f'tools/{self.name}', **sizes)

    def schema(self, sizes: Sizes = DEFAULT_SIZES) -> dict[str, Any]:
        """The JSON schema of the described parameters, in their order."""
        schema = self.request.model_json_schema()
        properties: dict[str, dict[str, Any]] = {}
        for name, description in self.text(sizes).parameters.items():
            shown = {
                key: value for key, value in schema['properties'][name].items() if key not in ('title', 'description')
            }
            properties[name] = {**shown, 'description': description}
        required = [name for name in properties if name in schema.get('required', ())]
        return {'type': 'object', 'properties': properties, 'required': required, 'additionalProperties': False}

    def read(self, arguments: Mapping[str, object]) -> R:
        """The request of some parameters; raises `ArgumentsError` or `RequestError`, which say what to change."""
        return self.request.of(arguments, self.text().parameters)


async def _summarize(retriever: 'Retriever', request: SummarizeRequest, options: RequestOptions) -> Reply:
    made = await retriever.service.summarize(request, options)
    summary, stats = made.summary, made.summary.stats
    figures: dict[str, object] = {
        'state': summary.state,
        'model': stats.model,
        'tokens_in': stats.tokens_in,
        'tokens_out': stats.tokens_out,
        'degraded_parts': len(summary.degraded),
        'source_ids': list(made.source_ids),
        'warnings': list(summary.warnings),
        'stats': stats.model_dump(mode='json'),
        'topics': [topic.model_dump(mode='json', exclude={'facts'}) for topic in summary.topics] or None,
        'coverage': summary.coverage and summary.coverage.model_dump(include={'kept', 'total', 'share'}),
    }
    return Reply(made.text, summary, figures)


async def _brief(
    retriever: 'Retriever', request: SearchRequest | AnswerRequest | StatusRequest, options: RequestOptions
) -> Reply:
    found = await retriever.run(request, options)
    figures = {'tokens_out': found.tokens, 'source_ids': list(found.source_ids), **found.figures}
    return Reply(found.text, found, figures, found.is_error)


async def _add_source(retriever: 'Retriever', request: AddSourceRequest, _options: RequestOptions) -> Reply:
    added = await retriever.service.add_source(request)
    return Reply(added.text, added.source, {'source_ids': [added.source.id], 'tokens_in': added.source.tokens})


async def _said(name: str, retriever: 'Retriever', request: Request, _options: RequestOptions) -> Reply:
    """What the method of that name says, and nothing else."""
    return Reply(await getattr(retriever.service, name)(request))


OPERATIONS: tuple[Operation[Any], ...] = (
    Operation('summarize', SummarizeRequest, _summarize, 'keeps'),
    Operation('summarize_for_extraction', ExtractionRequest, _summarize, 'keeps'),
    Operation('search', SearchRequest, _brief, 'reads', is_brief=True),
    Operation('answer', AnswerRequest, _brief, 'fetches', is_brief=True),
    Operation('status', StatusRequest, _brief, 'reads', is_brief=True),
    Operation('add_source', AddSourceRequest, _add_source, 'fetches'),
    Operation('read_source', ReadSourceRequest, partial(_said, 'read_source'), 'reads'),
    Operation('query_source', QuerySourceRequest, partial(_said, 'query_source'), 'reads'),
    Operation('diff_source', DiffSourceRequest, partial(_said, 'diff_source'), 'reads'),
)


def operation(name: str) -> Operation[Any] | None:
    """The operation of a name, if there is one."""
    return next((each for each in OPERATIONS if each.name == name), None)


def instructions(sizes: Sizes = DEFAULT_SIZES, names: Mapping[str, str] | None = None) -> str:
    """When to use the operations, for the system prompt of an agent or a client.

    `names` tells what the model calls them, by default as they are called; others are left out.
    """
    called = {each.name: each.name for each in OPERATIONS} if names is None else names
    listed = [f'- `{called[each.name]}`: {each.text(sizes).when}' for each in OPERATIONS if each.name in called]
    return prompts.render('tools/instructions', **sizes, tools='\n'.join(listed))
