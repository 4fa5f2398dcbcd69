"""Which failures say that the answer was cut off, in every version of pydantic-ai."""

import pytest
from pydantic_ai import Agent, IncompleteToolCall, ModelMessage, ModelResponse, TextPart, UnexpectedModelBehavior
from pydantic_ai.models.function import AgentInfo, FunctionModel

from summarizer_tool.llm.failures import is_cut_off, reason


def test_errors_that_say_the_answer_was_cut_off() -> None:
    assert is_cut_off(IncompleteToolCall('x'))
    assert is_cut_off(UnexpectedModelBehavior('Model token limit (500) exceeded before any response was generated.'))
    assert not is_cut_off(UnexpectedModelBehavior('Exceeded maximum output retries (1)'))
    assert not is_cut_off(ValueError('Model token limit'))


@pytest.mark.anyio
async def test_an_answer_that_was_cut_off_before_it_began() -> None:
    def thinks_too_long(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        return ModelResponse(parts=[TextPart('')], finish_reason='length')

    with pytest.raises(UnexpectedModelBehavior) as raised:
        await Agent(FunctionModel(thinks_too_long), output_type=int).run('How many?')
    assert is_cut_off(raised.value)
    assert reason(raised.value) == 'cut off'
