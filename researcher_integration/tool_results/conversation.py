"""What a conversation says of why a tool was called: the context in which its result is summarized. Pure computing."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import cast

from pydantic_ai import ModelMessage, TextPart, ToolCallPart, UserPromptPart
from pydantic_ai.messages import TextContent

from summarizer_tool import count_tokens, one_line, render_prompt, truncate_tokens

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

    System prompts, instructions, and the results of tools are left out. At most `MAX_TOKENS`, and arguments.

    Args:
        messages: Of the run so far.
        tool: Whose result is to be summarized.
        arguments: It was called with, without secrets.
        mask: Takes the secrets out of a message, before it is cut: half a secret is not known for one.
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
    given = json.dumps(arguments, ensure_ascii=False, default=str)[: MAX_ARGUMENTS_TOKENS * 20]
    text = render_prompt(
        'tool_results/focus',
        messages='\n'.join(f'{who}: {text}' for who, text in said) or '-',
        tool=tool,
        arguments=truncate_tokens(given, MAX_ARGUMENTS_TOKENS),
    )
    values = map(str, cast('dict[str, object]', arguments).values()) if isinstance(arguments, dict) else ()
    words = ' '.join([*(text for who, text in said if who != CALLED), *values])
    return ConversationFocus(text, words[: (MAX_TOKENS + MAX_ARGUMENTS_TOKENS) * 20])


def _newest_first(messages: Sequence[ModelMessage]) -> list[tuple[str, str]]:
    """Who has said what."""
    lines: list[tuple[str, str]] = []
    for part in (part for message in messages for part in message.parts):
        match part:
            case UserPromptPart():
                lines.append(('user', one_line(_text(part))))
            case TextPart():
                lines.append(('agent', one_line(part.content)))
            case ToolCallPart():
                lines.append((CALLED, part.tool_name))
            case _:
                pass
    return [(who, text) for who, text in reversed(lines) if text]


def _text(part: UserPromptPart) -> str:
    items = (part.content,) if isinstance(part.content, str) else part.content
    return ' '.join(
        item if isinstance(item, str) else item.content for item in items if isinstance(item, str | TextContent)
    )
