"""What the summarizer sees of a conversation."""

import pytest
from inline_snapshot import snapshot
from pydantic_ai import ModelMessage, ModelRequest, ModelResponse, SystemPromptPart, TextPart, ToolCallPart
from pydantic_ai.messages import ToolReturnPart, UserPromptPart

from researcher_integration.tool_results.history import MAX_TOKENS, describe
from summarizer_tool.text import tokens

ALERT = 'ALERT mill-7. ' + ' '.join(f'Reading {n} is as usual.' for n in range(900)) + ' Find out who closed sluice 7.'


def test_what_was_asked_done_and_seen() -> None:
    messages: list[ModelMessage] = [
        ModelRequest([SystemPromptPart('Be brief.'), UserPromptPart('Who closed sluice 7?')]),
        ModelResponse([TextPart('I look at the log.'), ToolCallPart('read_log', {'host': 'mill-7', 'last': 50}, 'c1')]),
        ModelRequest([ToolReturnPart('read_log', {'line': 9, 'by': 'ansgar'}, 'c1')]),
        ModelResponse([ToolCallPart('who_is', '{"name": "ansgar"}', 'c2')]),
    ]
    focus = describe(messages, 'who_is', {'name': 'ansgar'})
    assert focus.text == snapshot("""\
The conversation in which the tool was called, the latest last:
user: Who closed sluice 7?
agent: I look at the log.
agent called: read_log {"host":"mill-7","last":50}
result of read_log: {"line":9,"by":"ansgar"}
agent called: who_is {"name":"ansgar"}

The call: who_is with {"name": "ansgar"}\
""")
    assert focus.words == snapshot('Who closed sluice 7? I look at the log. ansgar')


@pytest.mark.parametrize(
    ('value', 'words'),
    [
        ('/srv/logs/s29/app.log', ''),
        ('logs/2026/app.log', ''),
        ('https://mill.example/29', ''),
        ('C:\\logs\\29.log', ''),
        (['/srv/29', 'sluice 7'], 'sluice 7'),
        ('ERROR|timeout', 'ERROR|timeout'),
        ('deployment/web-1 and 24/7', 'deployment/web-1 and 24/7'),
    ],
)
def test_where_something_is_says_nothing_of_what_is_wanted(value: object, words: str) -> None:
    assert describe([], 'read', {'path': value}).words.strip(" []',") == words


def test_of_a_long_alert_the_beginning_and_the_whole_end() -> None:
    focus = describe([ModelRequest([UserPromptPart(ALERT)])], 'read_log', {})
    assert focus.text.startswith('The conversation in which the tool was called, the latest last:\nuser: ALERT mill-7.')
    assert 'Reading 890 is as usual.' in focus.text
    assert 'Find out who closed sluice 7.' in focus.text
    assert 600 < tokens.count(focus.text) < 800


def test_the_task_stays_when_the_conversation_is_long() -> None:
    messages: list[ModelMessage] = [ModelRequest([UserPromptPart(ALERT)])]
    for number in range(60):
        messages.append(ModelResponse([ToolCallPart('look', {'at': number}, f'c{number}')]))
        messages.append(ModelRequest([ToolReturnPart('look', f'nothing at {number}. ' * 400, f'c{number}')]))
    focus = describe(messages, 'look', {})
    assert 'Find out who closed sluice 7.' in focus.text
    assert 'agent called: look {"at":59}' in focus.text
    assert 'nothing at 59.' in focus.text
    assert 'agent called: look {"at":0}' not in focus.text
    assert MAX_TOKENS * 0.9 < tokens.count(focus.text) < MAX_TOKENS + 60


def test_what_is_far_too_long_is_masked_at_both_ends() -> None:
    text = 'key=AAAA ' + 'x ' * 200_000 + ' key=BBBB'
    focus = describe(
        [ModelRequest([UserPromptPart(text)])], 'look', {}, lambda part: part.replace('AAAA', '#').replace('BBBB', '#')
    )
    assert focus.text.count('key=#') == 2
