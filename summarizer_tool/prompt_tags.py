"""Frame untrusted text in tags that nothing in it can open or close.

The same as `pydantic_ai.framing`, which pydantic-ai has only since 2.63, and without importing pydantic-ai: a command
that only has to say that a file is missing renders no prompt.
"""

import html
import re
from functools import cache
from typing import NewType

PromptTag = NewType('PromptTag', str)
"""A tag that has been registered."""

RESERVED = (
    *('system', 'assistant_thinking', 'context', 'context_diff', 'conversation_summary'),
    *('retry_feedback', 'tool_result', 'validation_errors'),
    *('pyai:context', 'pyai:context_diff', 'pyai:conversation_summary'),
    *('pyai:retry_feedback', 'pyai:tool_result', 'pyai:validation_errors'),
)
"""The tags that pydantic-ai itself writes into prompts."""

_NAME = re.compile(r'[a-z][a-z0-9]*(?:_[a-z0-9]+)*')
_registered: dict[str, None] = {}


def register_tag(name: str) -> PromptTag:
    """Reserve a tag in snake_case for frames, at import time: from then on `wrap` escapes it in every text.

    Raises:
        ValueError: If the name has another form, or pydantic-ai writes the tag itself.
    """
    if not _NAME.fullmatch(name) or name in RESERVED:
        raise ValueError(f'{name!r} cannot frame text: give a name in snake_case that is none of {", ".join(RESERVED)}')
    _registered.setdefault(name)
    return PromptTag(name)


def wrap(tag: PromptTag, body: str, /, **attributes: str | None) -> str:
    """Put text between `<tag>` and `</tag>`, with every `<` escaped that begins a registered or reserved tag.

    Attributes of the opening tag are escaped, too; those that are `None` are left out.
    """
    opening = ''.join(f' {name}="{html.escape(value)}"' for name, value in attributes.items() if value is not None)
    return f'<{tag}{opening}>{_openers(tuple(_registered)).sub("&lt;", body)}</{tag}>'


@cache
def _openers(registered: tuple[str, ...]) -> re.Pattern[str]:
    """The `<` of opening and closing tags, in every spelling that a model may take for one."""
    names = '|'.join(map(re.escape, sorted((*RESERVED, *registered), key=len, reverse=True)))
    return re.compile(rf'<(?=\s*(?:/\s*)?(?:{names})(?=[\s/>]|$))', re.IGNORECASE)
