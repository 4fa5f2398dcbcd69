"""What an answer that was broken off while it was written holds, and what it has cost."""

from collections.abc import Sequence
from copy import copy
from dataclasses import replace

from pydantic_ai import ModelResponse, TextPart, ThinkingPart, ToolCallPart
from pydantic_ai.messages import ModelMessage
from pydantic_ai.usage import RequestUsage

from summarizer_tool.text import tokens


def broken_off(messages: Sequence[ModelMessage]) -> ModelResponse | None:
    """The answer in the middle of which a run has ended, if anything of it was written."""
    last = messages[-1] if messages else None
    if not isinstance(last, ModelResponse) or last.state != 'interrupted' or last.finish_reason is not None:
        return None
    return last if last.parts else None


def arguments(call: ToolCallPart) -> str:
    """The arguments of a call as they were written; pydantic-ai puts those that are not whole into others."""
    return call.args if isinstance(call.args, str) else call.args_as_json_str() if call.args else ''


def written(response: ModelResponse) -> str:
    """The text of an answer, and the arguments of its calls, as far as they were written."""
    return '\n'.join(
        arguments(part) if isinstance(part, ToolCallPart) else part.content
        for part in response.parts
        if isinstance(part, ToolCallPart | TextPart)
    )


def untold_usage(response: ModelResponse, request: str) -> RequestUsage:
    """What an answer has cost beyond what the provider has said, estimated; most say it when they have done.

    Args:
        response: The answer, as far as it was written.
        request: The text of the instructions and of the question.
    """
    said, estimate = response.usage, copy(response.usage)
    thought = ''.join(part.content for part in response.parts if isinstance(part, ThinkingPart))
    estimate.input_tokens = said.input_tokens or tokens.count(request)
    estimate.output_tokens = max(said.output_tokens, tokens.count(thought + written(response)))
    try:
        cost = replace(response, usage=estimate).cost().total_price - (said.cost or 0)
    except (AssertionError, LookupError, ValueError):  # no name, or no price
        cost = None
    return RequestUsage(
        input_tokens=estimate.input_tokens - said.input_tokens,
        output_tokens=estimate.output_tokens - said.output_tokens,
        cost=cost,
    )
