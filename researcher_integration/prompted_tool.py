"""A tool of an agent whose words stand among the prompts."""

from collections.abc import Callable
from typing import Any

from pydantic_ai import Tool

from summarizer_tool import tool_text


def prompted_tool(prompt: str, function: Callable[..., Any], **options: Any) -> Tool[Any]:
    """A function as a tool, described with its parameters as `prompts/{prompt}.md` says."""
    text = tool_text(prompt)
    tool = Tool[Any](function, description=text.description, **options)
    for name, schema in tool.function_schema.json_schema['properties'].items():
        schema['description'] = text.parameters[name]
    return tool
