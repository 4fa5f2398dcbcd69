"""Messages: tool results in them without secrets and framed, and what they say of why a tool was called."""

import json
import re
from collections.abc import Awaitable, Callable, Container, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from pydantic_ai import ModelMessage, ModelRequest, TextPart, ToolCallPart, ToolReturn, ToolReturnPart, UserPromptPart
from pydantic_ai.messages import (
    LoadCapabilityReturnPart,
    TextContent,
    ToolReturnContent,
    ToolSearchReturnPart,
    UserContent,
    is_multi_modal_content,
)

from researcher_integration.computing import computed_for
from researcher_integration.masking.masking import Masker, MaskingError
from researcher_integration.tool_results.observation import NOTE, SUMMARIZATION, Observation, as_text
from researcher_integration.untrusted.framing import framed
from summarizer_tool import count_tokens, fits_tokens, one_line, render_prompt, truncate_tokens

EXEMPT_KINDS = frozenset({LoadCapabilityReturnPart.tool_kind, ToolSearchReturnPart.tool_kind})
"""pydantic-ai reads these results back from the history."""


async def mask_history(
    history: list[ModelMessage], masker: Masker, seen: Container[str], new: Mapping[str, ToolReturnPart]
) -> None:
    """Mask the tool results in a history, in place; of the calls that have been `seen` there are `new` ones, if any."""

    async def masked(part: ToolReturnPart) -> ToolReturnPart:
        if part.tool_call_id in seen:
            return new.get(part.tool_call_id, part)
        raw = Observation(part.content, metadata=part.metadata)
        try:
            masked = await computed_for(part.content, raw.masked, masker)
        except MaskingError:
            return replace(part, content=render_prompt('tool_results/redacted', tool=part.tool_name), metadata=None)
        return part if masked.is_same_as(raw) else replace(part, content=masked.value, metadata=masked.metadata)

    await change_results(history, masked)


async def change_results(
    messages: list[ModelMessage], change: Callable[[ToolReturnPart], Awaitable[ToolReturnPart]]
) -> None:
    """Change the tool results in a list of messages; the messages themselves stay as they are."""
    for index, message in enumerate(messages):
        if isinstance(message, ModelRequest):
            parts = [
                await change(part) if isinstance(part, ToolReturnPart) and part.tool_kind not in EXEMPT_KINDS else part
                for part in message.parts
            ]
            if any(new is not old for new, old in zip(parts, message.parts, strict=True)):
                messages[index] = replace(message, parts=parts)


async def frame_results(messages: list[ModelMessage], known: dict[str, tuple[object, ToolReturnContent]]) -> None:
    """Frame the tool results in the messages of a request, in place.

    `known` has, by the id of its call, what each result said in earlier requests, and how it was shown.
    """

    async def shown(part: ToolReturnPart) -> ToolReturnPart:
        # What a person has denied is no text of a tool; of wrong arguments pydantic-ai writes a list in its own way.
        if part.outcome == 'denied' or (part.outcome == 'retried' and not isinstance(part.content, str)):
            return part
        before = known.get(part.tool_call_id)
        if before is None or before[0] is not part.content:
            before = known[part.tool_call_id] = part.content, await computed_for(part.content, _content, part)
        return replace(part, content=before[1])

    await change_results(messages, shown)


def _content(part: ToolReturnPart) -> ToolReturnContent:
    shown = _framed(part.content, note_of(part.metadata), part.tool_name)
    return cast('ToolReturnContent', [shown, *part.files] if isinstance(shown, str) and part.files else shown)


def note_of(metadata: object) -> str:
    """The line over a summary that stands in the place of the result; empty if there is none."""
    told = cast('dict[str, object]', metadata).get(SUMMARIZATION) if isinstance(metadata, dict) else None
    note = cast('dict[str, object]', told).get(NOTE) if isinstance(told, dict) else None
    return note if isinstance(note, str) else ''


def _without(value: object, note: str) -> object:
    """A result without the note in it, which stands at the beginning of the summary."""
    if isinstance(value, str):
        return value.removeprefix(f'{note}\n')
    if isinstance(value, dict):
        return {key: _without(member, note) for key, member in cast('dict[object, object]', value).items()}
    return value


def framed_beside(result: object, tool: str) -> object:
    """A result whose texts that are shown beside it, as if the user had said them, are in frames."""
    if not isinstance(result, ToolReturn) or not result.content:
        return cast('object', result)
    returned = cast('ToolReturn[Any]', result)
    note = note_of(returned.metadata)

    def shown(item: UserContent) -> UserContent:
        if isinstance(item, TextContent):
            return replace(item, content=_framed(item.content, note, tool))
        return _framed(item, note, tool) if isinstance(item, str) else item

    content = returned.content
    return replace(returned, content=shown(content) if isinstance(content, str) else [*map(shown, content or ())])


def _framed(value: object, note: str, tool: str) -> Any:
    """What a value says, in a frame, and the note over that, unless it was taken out; files as they are."""
    items = cast('list[object]', value) if isinstance(value, list) else []
    if any(map(is_multi_modal_content, items)):
        return [each if is_multi_modal_content(each) else _framed(as_text(each), note, tool) for each in items]
    if is_multi_modal_content(value):
        return value
    whole = cast('object', value)
    bare = _without(whole, note) if note else whole
    text = framed(as_text(bare), tool)
    return f'{note}\n{text}' if bare != whole else text


MAX_TOKENS = 1800  # of the whole context
TASK_TOKENS = 700  # of the first and of the last thing that a person has said: an alert, a question
MESSAGE_TOKENS = 200  # of any other message
RESULT_TOKENS = 100  # of an earlier result of a tool
CALL_TOKENS = 60  # of an earlier call, with its arguments

MAX_SEARCHED = 50_000
"""Characters at each end of a message that are searched for secrets; what is between them is cut anyway."""

MAX_ARGUMENTS_TOKENS = 150

HEAD_SHARE = 1 / 3
"""Of what is kept of a long message, for its beginning, which says what it is about; its end says what is wanted."""

_ADDRESS = re.compile(
    r'(?<![^\s\'",=(])(?:(?:(?:[\w+.-]+:/|~|\.{1,2})?/|[A-Za-z]:\\)[^\s\'",]*'
    r'|[^\s\'",/]+/[^\s\'",]{0,300}\.[A-Za-z]\w{0,4}(?![^\s\'",]))'
)
"""In arguments: where something is says nothing of what is wanted of it, and its digits stand in many lines; not names
such as `deployment/web-1`."""

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
    values = (_ADDRESS.sub(' ', value[: MAX_ARGUMENTS_TOKENS * 20]) for value in values)
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
    text = text[-most * 8 :]
    while (size := count_tokens(text)) > most:
        text = text[-int(len(text) * most / size * 0.98) :]
    return text.lstrip()
