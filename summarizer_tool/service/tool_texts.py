"""What a model reads about the tools, from `prompts/tools/*.md`: the same for the toolset and the MCP server.

A file holds a title (`# Title`), a description, and under `## Parameters` one `- name: description` for each
parameter. `{{characters}}`, `{{tokens}}` and the like stand for settings, so that the texts stay true when they change.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

import regex

from summarizer_tool import prompts
from summarizer_tool.settings import Settings

TOOLS = ('summarize', 'summarize_for_extraction', 'search', 'answer', 'status', 'add_source', 'read_source')

CHARACTERS_A_TOKEN = 4
"""Of English prose in cl100k; a model knows the length of a text in characters at best."""

_OWN_NAMES: Mapping[str, str] = MappingProxyType({tool: tool for tool in TOOLS})
_ABSENT = '\0'
_TITLE = regex.compile(r'# (.+)\n')
_PARAMETERS = '\n## Parameters\n'
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
    parameters: Mapping[str, str]
    """The description of each parameter, by name."""


@cache
def load(name: str, sizes: Sizes = DEFAULT_SIZES) -> ToolText:
    """The text of a tool.

    Args:
        name: One of `TOOLS`.
        sizes: The numbers that it names.

    Raises:
        FileNotFoundError: If there is no such text.
        ValueError: If it has no title, no description or no parameters.
    """
    text = prompts.render(f'tools/{name}', **_told(sizes)) + '\n'
    title = _TITLE.match(text)
    description, _, listed = text[title.end() if title else 0 :].partition(_PARAMETERS)
    parameters = dict(_PARAMETER.findall(listed))
    if not (title and description.strip() and parameters):
        raise ValueError(f'prompts/tools/{name}.md has no title, no description or no parameters')
    return ToolText(title.group(1).strip(), description.strip(), MappingProxyType(parameters))


def instructions(sizes: Sizes = DEFAULT_SIZES, names: Mapping[str, str] = _OWN_NAMES) -> str:
    """When to use the tools, for the system prompt of an agent or a client.

    Args:
        sizes: As for `load`.
        names: What the model calls the tools, by their own names; lines about other tools are left out.
    """
    called = {tool: names.get(tool, _ABSENT) for tool in TOOLS}
    text = prompts.render('tools/instructions', **_told(sizes), **called)
    return '\n'.join(line for line in text.splitlines() if _ABSENT not in line)


def _told(sizes: Sizes) -> dict[str, str]:
    return {
        'characters': f'{sizes.summary * CHARACTERS_A_TOKEN:,}',
        'tokens': f'{sizes.summary:,}',
        'brief': f'{sizes.brief:,}',
        'pages': f'{sizes.pages:,}',
    }
