"""What a model reads about the operations, from `prompts/tools/*.md`: the same in toolset, server and command line.

A file holds a title (`# Title`), a description, under `## When` a phrase for the instructions, and under
`## Parameters` one `- name: description` for each parameter that models are offered. `{{characters}}`, `{{tokens}}` and
the like stand for settings, so that the texts stay true when they change.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

import regex

from summarizer_tool import prompts
from summarizer_tool.settings import Settings

CHARACTERS_A_TOKEN = 4
"""Of English prose in cl100k; a model knows the length of a text in characters at best."""

_TEXT = regex.compile(
    r'# (?P<title>.+)\n(?P<description>(?s:.+?))\n## When\n\s*(?P<when>.+)\n\s*## Parameters\n(?P<parameters>(?s:.+))'
)
_PARAMETER = regex.compile(r'^- (\w+): (.+)$', regex.MULTILINE)


@dataclass(frozen=True, slots=True)
class Sizes:
    """The numbers that the texts name."""

    summary: int = Settings.model_fields['default_max_output_tokens'].default
    """Tokens of a summary where the model asks for no number."""
    brief: int = Settings.model_fields['mcp_response_token_budget'].default
    """Tokens of a brief."""
    pages: int = Settings.model_fields['answer_max_pages'].default
    """That one answer may fetch by following links."""

    @classmethod
    def of(cls, settings: Settings) -> 'Sizes':
        """Those of the settings."""
        return cls(settings.default_max_output_tokens, settings.mcp_response_token_budget, settings.answer_max_pages)


DEFAULT_SIZES = Sizes()


@dataclass(frozen=True, slots=True)
class ToolText:
    """What is said about one tool."""

    title: str
    """For people, a few words."""
    description: str
    """For the model that chooses: when to use the tool, and when not."""
    when: str
    """The same in a phrase, for the instructions."""
    parameters: Mapping[str, str]
    """The description of each parameter, by name."""


@cache
def load(name: str, sizes: Sizes = DEFAULT_SIZES) -> ToolText:
    """The text of an operation.

    Args:
        name: Of the operation.
        sizes: The numbers that it names.

    Raises:
        FileNotFoundError: If there is no such text.
        ValueError: If a part of it is missing.
    """
    found = _TEXT.fullmatch(prompts.render(f'tools/{name}', **_told(sizes)) + '\n')
    parameters = dict(_PARAMETER.findall(found['parameters'])) if found else {}
    if not (found and parameters and found['description'].strip()):
        raise ValueError(f'prompts/tools/{name}.md has no title, no description, no ## When or no ## Parameters')
    title, description, when = (found[part].strip() for part in ('title', 'description', 'when'))
    return ToolText(title, description, when, MappingProxyType(parameters))


def instructions(texts: Mapping[str, ToolText], sizes: Sizes = DEFAULT_SIZES) -> str:
    """When to use the operations, for the system prompt of an agent or a client.

    Args:
        texts: By what the model calls the operations.
        sizes: The numbers that the text names.
    """
    tools = '\n'.join(f'- `{name}`: {text.when}' for name, text in texts.items())
    return prompts.render('tools/instructions', **_told(sizes), tools=tools)


def _told(sizes: Sizes) -> dict[str, str]:
    return {
        'characters': f'{sizes.summary * CHARACTERS_A_TOKEN:,}',
        'tokens': f'{sizes.summary:,}',
        'brief': f'{sizes.brief:,}',
        'pages': f'{sizes.pages:,}',
    }
