"""What a conversation says of why a tool was called: the context in which its result is summarized. Pure computing."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import cast

from pydantic_ai import ModelMessage, TextPart, ToolCallPart, ToolReturnPart, UserPromptPart
from pydantic_ai.messages import TextContent

from summarizer_tool import count_tokens, fits_tokens, one_line, render_prompt, truncate_tokens

MAX_TOKENS = 1800
"""Of the whole context."""

TASK_TOKENS = 700
"""Of the first and of the last thing that a person has said: an alert, a question."""

MESSAGE_TOKENS = 200
"""Of any other message."""

RESULT_TOKENS = 100
"""Of an earlier result of a tool."""

CALL_TOKENS = 60
"""Of an earlier call, with its arguments."""

MAX_SEARCHED = 50_000
"""Characters at each end of a message that are searched for secrets; what is between them is cut anyway."""

MAX_ARGUMENTS_TOKENS = 150

HEAD_SHARE = 1 / 3
"""Of what is kept of a long message, for its beginning, which says what it is about; its end says what is wanted."""

CALLED, RETURNED = 'agent called', 'result of'


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
    """The conversation as the summarizer gets it: what people asked, what the agent said and did, and what came of it.

    The first and the last request of a person come first, then the newest. Of what is long the beginning and the end
    are kept. System prompts and instructions are left out. At most `MAX_TOKENS`, and arguments. A message is masked
    before it is cut: half a secret is not known for one.
    """
    said = _all_said(messages)
    asked = [place for place, (who, *_) in enumerate(said) if who == 'user']
    tasks = list(dict.fromkeys([*asked[-1:], *asked[:1]]))
    kept: dict[int, str] = {}
    left = MAX_TOKENS
    for place in (*tasks, *(place for place in reversed(range(len(said))) if place not in tasks)):
        _, text, most = said[place]
        short = _shortened(text, TASK_TOKENS if place in tasks else most, mask)
        cost = count_tokens(short) + 5
        if cost > left:
            break
        kept[place] = short
        left -= cost
    lines = [(said[place][0], kept[place]) for place in sorted(kept)]
    given = json.dumps(arguments, ensure_ascii=False, default=str)[: MAX_ARGUMENTS_TOKENS * 20]
    text = render_prompt(
        'tool_results/focus',
        messages='\n'.join(f'{who}: {text}' for who, text in lines) or '-',
        tool=tool,
        arguments=truncate_tokens(given, MAX_ARGUMENTS_TOKENS),
    )
    values = map(str, cast('dict[str, object]', arguments).values()) if isinstance(arguments, dict) else ()
    words = ' '.join([*(text for who, text in lines if who in ('user', 'agent')), *values])
    return ConversationFocus(text, words[: (MAX_TOKENS + MAX_ARGUMENTS_TOKENS) * 20])


def _all_said(messages: Sequence[ModelMessage]) -> list[tuple[str, str, int]]:
    """Who has said or done what, or which tool has answered what, in order; and how many tokens are kept of it."""
    said: list[tuple[str, str, int]] = []
    for part in (part for message in messages for part in message.parts):
        match part:
            case UserPromptPart():
                items = (part.content,) if isinstance(part.content, str) else part.content
                texts = (
                    each if isinstance(each, str) else each.content
                    for each in items
                    if isinstance(each, str | TextContent)
                )
                said.append(('user', ' '.join(texts), MESSAGE_TOKENS))
            case TextPart():
                said.append(('agent', part.content, MESSAGE_TOKENS))
            case ToolCallPart():
                said.append((CALLED, f'{part.tool_name} {part.args_as_json_str()}', CALL_TOKENS))
            case ToolReturnPart():
                said.append((f'{RETURNED} {part.tool_name}', part.model_response_str(), RESULT_TOKENS))
            case _:
                pass
    return [each for each in said if each[1].strip()]


def _shortened(text: str, most: int, mask: Callable[[str], str]) -> str:
    """A text on one line, masked; of a long one the beginning and the end."""
    if len(text) > 2 * MAX_SEARCHED:
        head, tail = one_line(mask(text[:MAX_SEARCHED])), one_line(mask(text[-MAX_SEARCHED:]))
    else:
        head = tail = one_line(mask(text))
        if fits_tokens(head, most):
            return head
    begin = int(most * HEAD_SHARE)
    # What is far too long is cut before it is counted.
    return f'{truncate_tokens(head[: begin * 20], begin)} … {_end(tail, most - begin - 2)}'


def _end(text: str, most: int) -> str:
    """As much of the end as fits."""
    text = text[-most * 8 :]
    while (size := count_tokens(text)) > most:
        text = text[-int(len(text) * most / size * 0.98) :]
    return text.lstrip()
