"""Ask typed questions about research material in requests that keep to a window, whose size is known beforehand."""

import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

import anyio.to_thread
from pydantic import BaseModel, TypeAdapter
from pydantic_ai.messages import InstructionPart
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.models.fallback import FallbackModel
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.tools import GenerateToolJsonSchema, ToolDefinition
from pydantic_ai.usage import RunUsage, UsageLimits

from researcher_integration.lore.material import CrawledPage, Material
from researcher_integration.usage import Spent
from summarizer_tool import OutputMode, SummarizerError, TypedQuery, count_tokens, load_prompt

RETRIES = 2
"""Times that a request is made again when nothing of the answer could be read."""

_TOOL = 'final_result'
_TOOL_DESCRIPTION = 'The final response which ends this conversation'
"""What pydantic-ai calls the tool that takes an answer, and says of it."""

ReadPage = Callable[[str], Awaitable[str]]
"""Gives the raw text of a page by its handle."""

EnvelopeT = TypeVar('EnvelopeT', bound=BaseModel)


@dataclass(frozen=True, slots=True)
class MaterialAnswer(Generic[EnvelopeT]):
    """What a model answers about a material, or why it does not, and the raw pages to hold the answer against."""

    output: EnvelopeT | None = None
    raw: dict[int, str] = field(default_factory=dict[int, str])
    """Raw texts by page number."""
    unread: tuple[int, ...] = ()
    """Numbers of the pages whose raw text could not be had."""
    is_partial: bool = False
    """Whether the answer was cut off or broken, and only its complete members were kept."""
    reason: str = ''
    spent: Spent = field(default_factory=Spent)


@dataclass(frozen=True, slots=True)
class LoreModel:
    """The model that is asked about material, and how."""

    model: Model | None
    """Without one nothing can be asked, but sizes are known."""
    output_mode: OutputMode = 'auto'
    """How the form of the answer is asked for; `auto`: as the model's profile says."""
    trace_content: bool = False
    """Whether requests and answers go into traces."""


class WindowedQuery(Generic[EnvelopeT]):
    """A typed question about a material, in requests of a known size.

    It is asked up to three times, each time in a new run, so that no request grows by the answers before it.
    """

    def __init__(self, model: LoreModel, query: TypedQuery[EnvelopeT], request: Callable[[Material], str]) -> None:
        self.request = request
        self._model = model.model
        self._query = replace(
            query,
            again_prompt='research/answer_again',
            retries=RETRIES,
            output_mode=model.output_mode,
            trace_content=model.trace_content,
        )
        self._parameters = _parameters(self._query)

    def most_tokens(self, material: Material) -> int:
        """What is sent at most: when the question is asked again, which takes a few tokens more."""
        return self.tokens(self._query.again(self.request(material)))

    def tokens(self, request: str) -> int:
        """What is sent with a user prompt: instructions and the form of the answer, too, in cl100k tokens.

        How the form is sent depends on the model: the largest counts, if it falls back on others; without a model the
        form is counted as most are sent it.
        """
        sent = [candidate.prepare_request(None, self._parameters)[1] for candidate in _candidates(self._model)]
        sent = sent or [replace(self._parameters, output_mode='tool', output_object=None)]
        return count_tokens(request) + max(map(_tokens_beside, sent))

    async def ask(
        self, material: Material, read: ReadPage, *, usage: RunUsage, usage_limits: UsageLimits | None
    ) -> MaterialAnswer[EnvelopeT]:
        """Ask about a material, unless nothing could come of it; what fails on the way is the answer's `reason`."""
        request = await anyio.to_thread.run_sync(self.request, material)
        if self._model is None:
            return MaterialAnswer(reason='no model')
        if not any(section.text.strip() for section in material.sections):
            return MaterialAnswer(reason='the sections hold no text')
        raw = await _read_pages(material.pages, read)
        unread = tuple(page.number for page in material.pages if page.number not in raw)
        if not raw:  # nothing could be verified, so nothing is paid for
            return MaterialAnswer(unread=unread, reason='no page can be read')
        spent = RunUsage()
        result = await self._query.ask(self._model, request, usage=usage, spent=spent, usage_limits=usage_limits)
        return MaterialAnswer(result.output, raw, unread, result.is_partial, result.reason, Spent.of(spent))


async def _read_pages(pages: Sequence[CrawledPage], read: ReadPage) -> dict[int, str]:
    """The raw texts by page number, without those that cannot be had."""
    raw: dict[int, str] = {}
    for page in pages:
        try:
            raw[page.number] = await read(page.source_id)
        except (SummarizerError, OSError):  # evicted, or the store fails: the answer says which are missing
            continue
    return raw


def _parameters(query: TypedQuery[Any]) -> ModelRequestParameters:
    """What pydantic-ai sends beside the user prompt, before a model's profile has its say."""
    schema = TypeAdapter(query.output_type).json_schema(schema_generator=GenerateToolJsonSchema)
    return ModelRequestParameters(
        output_mode=query.output_mode,
        output_object=OutputObjectDefinition(schema, name=query.output_type.__name__),
        output_tools=[
            ToolDefinition(name=_TOOL, description=_TOOL_DESCRIPTION, parameters_json_schema=schema, kind='output')
        ],
        allow_text_output=False,
        instruction_parts=[InstructionPart(load_prompt(query.prompt))],
    )


def _candidates(model: Model | None) -> list[Model]:
    while isinstance(model, WrapperModel):
        model = model.wrapped
    if isinstance(model, FallbackModel):
        return [candidate for one in model.models for candidate in _candidates(one)]
    return [] if model is None else [model]


def _tokens_beside(sent: ModelRequestParameters) -> int:
    """What is sent beside the user prompt."""
    forms: list[object] = [
        {'name': tool.name, 'description': tool.description, 'parameters': tool.parameters_json_schema}
        for tool in sent.output_tools
    ]
    if sent.output_object is not None and sent.output_mode == 'native':
        forms.append({'name': sent.output_object.name, 'schema': sent.output_object.json_schema})
    # In prompted mode the form stands in the instructions.
    instructions = InstructionPart.join(sent.instruction_parts or []) or ''
    return count_tokens(instructions) + sum(count_tokens(json.dumps(form)) for form in forms)
