"""Which failures say that the answer was cut off, in every version of pydantic-ai."""

import pytest
from pydantic_ai import Agent, IncompleteToolCall, ModelMessage, ModelResponse, TextPart, UnexpectedModelBehavior
from pydantic_ai.exceptions import FallbackExceptionGroup, ModelHTTPError
from pydantic_ai.models.function import AgentInfo, FunctionModel

from summarizer_tool.llm.failures import is_cut_off, is_too_long, over_window, reason, refuses_tools

SECRET = 'sk-secret_of-the_provider'


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


@pytest.mark.parametrize(
    ('message', 'over'),
    [
        ("This model's maximum context length is 3,300 tokens. However, you requested 3,500 (200 too many).", 200),
        ('prompt is too long: 3500 tokens > 3300 maximum', 200),
        ('The input token count (3500) exceeds the maximum number of tokens allowed (3300).', 200),
        ('the request exceeds the available context size', 0),
        (f'context length is 3300 tokens, but 3500 were requested: "{"7" * 5000}"', 200),
    ],
)
def test_errors_that_say_by_how_much_a_request_was_too_long(message: str, over: int) -> None:
    error = ModelHTTPError(400, 'scripted', {'error': {'message': message, 'code': 400}})
    assert is_too_long(error)
    assert over_window(error) == over


@pytest.mark.parametrize(
    ('status', 'message', 'expected'),
    [
        (400, 'scripted does not support tools', True),
        (500, 'tools param requires --jinja flag', True),
        (500, 'internal error while parsing tool call output', False),
        (429, 'too many tool calls', False),
    ],
)
def test_errors_that_say_that_a_model_takes_no_tools(status: int, message: str, *, expected: bool) -> None:
    error = ModelHTTPError(status, 'scripted', {'error': {'message': message}})
    assert refuses_tools(error) is expected
    assert refuses_tools(FallbackExceptionGroup('all failed', [ModelHTTPError(503, 'first'), error])) is expected


@pytest.mark.parametrize(
    ('body', 'expected'),
    [
        ({'message': SECRET, 'type': 'x', 'code': 'unsupported_country_region'}, ' unsupported_country_region'),
        ({'type': 'error', 'error': {'type': 'permission_error', 'message': SECRET}}, ' permission_error'),
        ({'error': {'code': 403, 'message': SECRET, 'status': 'PERMISSION_DENIED'}}, ' PERMISSION_DENIED'),
        ({'error': {'code': SECRET, 'type': ['a_b']}}, ''),
        ({'error': SECRET}, ''),
        (SECRET, ''),
        (None, ''),
    ],
)
def test_a_refusal_is_told_by_the_name_that_the_provider_has_for_it(body: object, expected: str) -> None:
    assert reason(ModelHTTPError(403, 'scripted', body)) == f'HTTP 403{expected}'
