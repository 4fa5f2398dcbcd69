"""What a conversation says of why a tool was called: the context in which its result is summarized. Pure computing."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import cast

from pydantic_ai import ModelMessage, ModelRequest, TextPart, ToolCallPart, UserPromptPart
from pydantic_ai.messages import TextContent

from summarizer_tool import count_tokens, render_prompt, truncate_tokens

MAX_TOKENS = 900
"""Of the whole context."""

MAX_MESSAGE_TOKENS = 200
"""Of one message; of a longer one the beginning says what it is about."""

MAX_SEARCHED = 100_000
"""Characters of a message that are searched for secrets; the rest is cut anyway."""

MAX_ARGUMENTS_TOKENS = 150

CALLED = 'agent called'


@dataclass(frozen=True, slots=True)
class ConversationFocus:
    """What a result is wanted for."""

    text: str = ''
    """The conversation, for whoever summarizes."""
    words: str = ''
    """What was said in it and nothing else, for whoever goes by words."""


def describe(
    messages: Sequence[ModelMessage], tool: str, arguments: object, mask: Callable[[str], str] = lambda text: text
) -> ConversationFocus:
    """The conversation as the summarizer gets it: what people asked and what the agent said, newest kept first.

    System prompts, instructions, and the results of tools are left out.

    Args:
        messages: Of the run so far.
        tool: Whose result is to be summarized.
        arguments: It was called with, without secrets.
        mask: Takes the secrets out of a message, before it is cut: half a secret is not known for one.

    Returns:
        Text of at most `MAX_TOKENS`, a shorter one of arguments, and the words around them.
    """
    said: list[tuple[str, str]] = []
    left = MAX_TOKENS
    for who, text in _newest_first(messages):
        # What is far too long is cut before it is counted.
        short = truncate_tokens(mask(text[:MAX_SEARCHED])[: MAX_MESSAGE_TOKENS * 20], MAX_MESSAGE_TOKENS)
        cost = count_tokens(short) + 4
        if cost > left:
            break
        said.append((who, short))
        left -= cost
    said.reverse()
    given = truncate_tokens(_json(arguments)[: MAX_ARGUMENTS_TOKENS * 20], MAX_ARGUMENTS_TOKENS)
    text = render_prompt(
        'tool_results/focus',
        messages='\n'.join(f'{who}: {text}' for who, text in said) or '-',
        tool=tool,
        arguments=given,
    )
    values = [str(value) for value in cast('dict[str, object]', arguments).values()] if _is_object(arguments) else []
    words = ' '.join([*(text for who, text in said if who != CALLED), *values])
    return ConversationFocus(text, words[: (MAX_TOKENS + MAX_ARGUMENTS_TOKENS) * 20])


def _is_object(value: object) -> bool:
    return isinstance(value, dict)


def _newest_first(messages: Sequence[ModelMessage]) -> list[tuple[str, str]]:
    """Who has said what."""
    lines: list[tuple[str, str]] = []
    for message in messages:
        if isinstance(message, ModelRequest):
            lines += [
                ('user', text) for part in message.parts if isinstance(part, UserPromptPart) and (text := _text(part))
            ]
        else:
            for part in message.parts:
                if isinstance(part, TextPart) and part.content.strip():
                    lines.append(('agent', _one_line(part.content)))
                elif isinstance(part, ToolCallPart):
                    lines.append((CALLED, part.tool_name))
    return lines[::-1]


def _text(part: UserPromptPart) -> str:
    if isinstance(part.content, str):
        return _one_line(part.content)
    texts = [
        item if isinstance(item, str) else item.content for item in part.content if isinstance(item, str | TextContent)
    ]
    return _one_line(' '.join(texts))


def _one_line(text: str) -> str:
    return ' '.join(text.split())


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
