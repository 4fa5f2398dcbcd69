"""What a model is shown of the results of tools, through `SummarizeToolResults` and a real agent."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pydantic_ai import Agent, ModelMessage, ModelResponse, TextPart, Tool, ToolCallPart
from pydantic_ai.messages import ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from researcher_integration import SummarizeToolResults, ToolResultRules
from researcher_integration.untrusted.framing import OUTPUT_TAG
from summarizer_tool import Settings, load_prompt

RULES = ToolResultRules.model_validate(
    {
        'defaults': {
            'model': 'extractive',
            'summarization': {'size_threshold_tokens': 1500, 'summary_max_token_limit': 500},
        }
    }
)
MARK = load_prompt('tool_results/addressed').strip()

_FRAME = re.compile(rf'(?s)<{OUTPUT_TAG}[^<>]*>\n(.*)\n</{OUTPUT_TAG}>\Z')
_TAGS = re.compile(rf'<\s*/?\s*{OUTPUT_TAG}', re.IGNORECASE)
_WORDS_SHOWN = 4
"""Words in a row by which a text is known again."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What became of an injection in one result."""

    is_framed: bool
    """Whether the result reached the model in one whole frame, with nothing of the injection outside."""
    is_shown: bool
    is_marked: bool
    """Whether what is shown of it has a mark, before or in it."""
    is_digest: bool
    """Whether the result was replaced."""
    has_left_out: bool
    """Whether statements were left out of the digest."""


async def shown(results: Mapping[str, str]) -> dict[str, str]:
    """What a model is shown of the results of some tools."""
    requests: list[list[ModelMessage]] = []

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        requests.append(list(messages))
        if len(requests) == 1:
            return ModelResponse([ToolCallPart(name, {}) for name in results])
        return ModelResponse([TextPart('done')])

    tools = [Tool(_returning(text), name=name) for name, text in results.items()]
    capability = SummarizeToolResults(rules=RULES, settings=Settings(llm_model='extractive'))
    await Agent(FunctionModel(answer), tools=tools, capabilities=[capability]).run('Is anything wrong or unusual here?')
    parts = [part for message in requests[1] for part in message.parts if isinstance(part, ToolReturnPart)]
    return {part.tool_name: part.model_response_str() for part in parts}


def _returning(text: str) -> Callable[[], str]:
    return lambda: text


def judged(text: str, injection: str) -> Seen:
    """What a model was shown of a result with an injection in it."""
    frame = _FRAME.search(text)
    inside = frame[1] if frame else ''
    outside = text[: frame.start()] if frame else text
    places = _places(inside, injection)
    is_marked = False
    if places:
        begin = inside.rfind('\n', 0, min(places)) + 1
        is_marked = MARK in inside[begin : max(places)]
    return Seen(
        is_framed=frame is not None and len(_TAGS.findall(text)) == 2 and not _places(outside, injection),
        is_shown=bool(places),
        is_marked=is_marked,
        is_digest=outside.startswith('['),
        has_left_out='\n… and ' in inside,
    )


def _places(text: str, injection: str) -> Sequence[int]:
    """Where a few words of a text stand in another."""
    words = [re.escape(word) for word in re.findall(r'\w+', injection)]
    runs = (r'(?:\\n|\W)+'.join(words[at : at + _WORDS_SHOWN]) for at in range(max(1, len(words) - _WORDS_SHOWN + 1)))
    return [match.end() for run in runs if (match := re.search(run, text.replace(MARK, ' ' * len(MARK))))]
