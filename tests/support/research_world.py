"""A small zone for tests: three pages that do not agree, and what was kept of them."""

import json
from collections.abc import Callable

from pydantic import JsonValue
from pydantic_ai import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.messages import FinishReason, ModelMessage, UserPromptPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from researcher_integration.lore.material import CrawledPage, Material, TierName
from summarizer_tool.text import tokens


def page(
    number: int,
    title: str | None = None,
    tier: TierName = 'primary',
    weight: float = 0.9,
    *,
    tokens: int = 100,
    url: str = '',
) -> CrawledPage:
    return CrawledPage(
        number=number,
        source_id=f'src_{number:012x}',
        url=url or f'https://example.org/{number}',
        title=f'Page {number}' if title is None else title,
        tokens=tokens,
        tier=tier,
        weight=weight,
    )


PAGES = [
    page(1, 'Mirefold', 'secondary', 0.6),
    page(2, 'Mirefold: the official guide', 'official', 1.0),
    page(3, 'What I know of Mirefold', 'tertiary', 0.3),
]
TEXTS = {
    1: '# Mirefold\n\nMirefold is a fen. **Odile\nSarn**, reeve of [Hob’s Weir](/wiki/Hobs_Weir), leads the Ash Circle.',
    2: 'In Mirefold (levels 30-35) Odile Sarn serves the Tide Guild. The Ash Circle burned the Reed Bell in 412.',
    3: 'odile sarn died in mirefold in 413 i think. Brannoc Tull slew her.',
}
SECTIONS = {
    'Zone overview': 'Of [1] Mirefold:\nMirefold is a fen.\nOf [2] Mirefold: the official guide:\nLevels 30-35.',
    'People': 'Of [3] What I know of Mirefold:\nBrannoc Tull slew Odile Sarn in 413.',
}
MATERIAL = Material('Mirefold', SECTIONS, PAGES, TEXTS)


def answering(
    *answers: JsonValue, finish_reason: FinishReason = 'stop', seen: list[str] | None = None
) -> FunctionModel:
    """A model that gives the answers one after the other, the last for ever; text is sent as it is.

    Args:
        answers: Values, or raw text.
        finish_reason: Of each.
        seen: Takes the user prompts.
    """
    following = list(answers)

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if seen is not None:
            seen.append(prompt_of(messages))
        value = following.pop(0) if len(following) > 1 else following[0]
        text = value if isinstance(value, str) else json.dumps(value)
        part = ToolCallPart(info.output_tools[0].name, text) if info.output_tools else TextPart(text)
        return ModelResponse(parts=[part], finish_reason=finish_reason)

    return FunctionModel(answer)


def failing(error: Callable[[], Exception]) -> FunctionModel:
    def answer(_: list[ModelMessage], __: AgentInfo) -> ModelResponse:
        raise error()

    return FunctionModel(answer)


def prompt_of(messages: list[ModelMessage]) -> str:
    """The user prompt, which is all there is of messages."""
    [message] = messages
    [part] = message.parts
    assert isinstance(part, UserPromptPart)
    assert isinstance(part.content, str)
    return part.content


def sent_tokens(messages: list[ModelMessage], info: AgentInfo) -> int:
    """Counted over what the model has been given, however it came about."""
    forms: list[object] = [
        {'name': tool.name, 'description': tool.description, 'parameters': tool.parameters_json_schema}
        for tool in info.output_tools
    ]
    parameters = info.model_request_parameters
    if parameters.output_object and parameters.output_mode == 'native':
        forms.append({'name': parameters.output_object.name, 'schema': parameters.output_object.json_schema})
    texts = [info.instructions or '', prompt_of(messages), *map(json.dumps, forms)]
    return sum(map(tokens.count, texts))
