"""`ExtractiveModel`: a pydantic-ai model without key, network or weights.

It reads the same prompts as any other model and fills the same `ChunkSummary`, by ranking sentences for names, numbers
and new words per token, with relevance to the focus or schema. Same input, same output.
"""

from collections.abc import Sequence

import regex
from pydantic_ai.exceptions import UserError
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, UserPromptPart
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.profiles import ModelProfile
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import RequestUsage

from summarizer_tool import prompts
from summarizer_tool.extractive.choosing import summarize_sources
from summarizer_tool.runtime.executors import in_process
from summarizer_tool.schemas import ChunkSummary
from summarizer_tool.text import tokens

_AS_JSON = regex.compile(r'["\\]')
DEFAULT_TARGET_TOKENS = 1000
"""Size of the facts where a request names none."""


class ExtractiveModel(Model):
    """The embedded model, id `extractive`: deterministic, offline, free.

    It answers requests for a `ChunkSummary` in the form of this package's prompts, and nothing else.
    """

    def __init__(self) -> None:
        super().__init__(
            profile=ModelProfile(supports_json_schema_output=True, supports_json_object_output=True),
        )

    @property
    def model_name(self) -> str:
        """`extractive`."""
        return 'extractive'

    @property
    def system(self) -> str:
        """`summarizer_tool`, since no provider is behind it."""
        return 'summarizer_tool'

    def prepare_messages(
        self, messages: list[ModelMessage], model_request_parameters: ModelRequestParameters | None = None
    ) -> list[ModelMessage]:
        """The messages as they are: what is read as data needs no notes for what it may be taken for."""
        return messages

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """Answer with a `ChunkSummary`, in a worker thread or process.

        Raises:
            UserError: If the request is not one of this package's prompts.
        """
        model_settings, model_request_parameters = self.prepare_request(model_settings, model_request_parameters)
        prompt = _user_prompt(messages)
        limit = (model_settings or {}).get('max_tokens')
        answer, written = await in_process(_answer, prompt, limit)
        # Nobody pays for what is read: an estimate does, and another pass over all of the text costs time.
        usage = RequestUsage(input_tokens=len(prompt) // 4, output_tokens=written)
        output_tools = model_request_parameters.output_tools
        part = ToolCallPart(output_tools[0].name, answer) if output_tools else TextPart(answer)
        return ModelResponse(parts=[part], usage=usage, model_name=self.model_name, finish_reason='stop')


def _user_prompt(messages: Sequence[ModelMessage]) -> str:
    """The last framed request in the conversation; what comes after it is feedback on an earlier answer."""
    parts = (part for message in reversed(messages) for part in reversed(message.parts))
    for part in parts:
        if isinstance(part, UserPromptPart) and isinstance(part.content, str) and prompts.has_lines(part.content):
            return part.content
    raise UserError(
        'the extractive model answers only the requests of summarizer_tool, which hold numbered lines; '
        'use another model for other agents'
    )


def _answer(prompt: str, max_tokens: int | None) -> tuple[str, int]:
    """The JSON of the summary, within `max_tokens`, and its tokens."""
    request = prompts.parse(prompt)
    summary = summarize_sources(request, request.target_tokens or DEFAULT_TARGET_TOKENS)
    while (written := _size(summary)) > (max_tokens or written) and summary.facts:
        if summary.entities:
            summary.entities.clear()
        else:
            summary.facts.remove(min(summary.facts, key=lambda fact: fact.importance))
    return summary.model_dump_json(), written


def _size(summary: ChunkSummary) -> int:
    """The tokens of the JSON, nearly: those of its texts, which are counted already, and of what stands around them."""
    texts = (tokens.count_cached(_AS_JSON.sub(r'\\\g<0>', fact.text)) + 10 for fact in summary.facts)
    lines = (2 + (number > 999) for fact in summary.facts for number in fact.evidence)
    return 7 + sum(texts) + sum(lines) + sum(tokens.count_cached(f' {name}') + 1 for name in summary.entities)
