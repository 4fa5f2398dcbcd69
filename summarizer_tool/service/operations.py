"""The operations, each declared once: toolset, server and command line offer what stands here.

A new one needs a request (in `requests`), a handler and a line in `OPERATIONS` (here), and `prompts/tools/NAME.md`.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from summarizer_tool.llm.options import RequestOptions
from summarizer_tool.mapreduce.request import ExtractionRequest, Request, SummarizeRequest
from summarizer_tool.service import tool_texts
from summarizer_tool.service.requests import (
    AddSourceRequest,
    AnswerRequest,
    DiffSourceRequest,
    QuerySourceRequest,
    ReadSourceRequest,
    SearchRequest,
    StatusRequest,
)
from summarizer_tool.service.tool_texts import DEFAULT_SIZES, Sizes, ToolText

if TYPE_CHECKING:
    # What the handlers call takes long to import, and an agent is built without calling them.
    from summarizer_tool.service.retrieval import Retriever

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

    def text(self, sizes: Sizes = DEFAULT_SIZES) -> ToolText:
        """What is said about it."""
        return tool_texts.load(self.name, sizes)

    def schema(self, sizes: Sizes = DEFAULT_SIZES) -> dict[str, Any]:
        """The JSON schema of the parameters that are described, in the order of their descriptions.

        Args:
            sizes: The numbers that the descriptions name.
        """
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
        """The request that a model or a person makes by its parameters.

        Raises:
            ArgumentsError: If one is unknown, missing or of the wrong type; says what to change.
            RequestError: If one has a value that it cannot have.
        """
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


async def _read_source(retriever: 'Retriever', request: ReadSourceRequest, _options: RequestOptions) -> Reply:
    return Reply(await retriever.service.read_source(request))


async def _query_source(retriever: 'Retriever', request: QuerySourceRequest, _options: RequestOptions) -> Reply:
    return Reply(await retriever.service.query_source(request))


async def _diff_source(retriever: 'Retriever', request: DiffSourceRequest, _options: RequestOptions) -> Reply:
    return Reply(await retriever.service.diff_source(request))


OPERATIONS: tuple[Operation[Any], ...] = (
    Operation('summarize', SummarizeRequest, _summarize, 'keeps'),
    Operation('summarize_for_extraction', ExtractionRequest, _summarize, 'keeps'),
    Operation('search', SearchRequest, _brief, 'reads', is_brief=True),
    Operation('answer', AnswerRequest, _brief, 'fetches', is_brief=True),
    Operation('status', StatusRequest, _brief, 'reads', is_brief=True),
    Operation('add_source', AddSourceRequest, _add_source, 'fetches'),
    Operation('read_source', ReadSourceRequest, _read_source, 'reads'),
    Operation('query_source', QuerySourceRequest, _query_source, 'reads'),
    Operation('diff_source', DiffSourceRequest, _diff_source, 'reads'),
)


def operation(name: str) -> Operation[Any] | None:
    """The operation of a name, if there is one."""
    return next((each for each in OPERATIONS if each.name == name), None)


def instructions(sizes: Sizes = DEFAULT_SIZES, names: Mapping[str, str] | None = None) -> str:
    """When to use the operations, for the system prompt of an agent or a client.

    Args:
        sizes: The numbers that the text names.
        names: What the model calls the operations, by their own names; by default so. Others are left out.
    """
    called = {each.name: each.name for each in OPERATIONS} if names is None else names
    return tool_texts.instructions(
        {called[each.name]: each.text(sizes) for each in OPERATIONS if each.name in called}, sizes
    )
