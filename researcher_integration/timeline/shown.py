"""What is shown of any value: JSON which can be sent."""

import json
from typing import Annotated

from pydantic import BeforeValidator, JsonValue
from pydantic_core import to_jsonable_python

LEFT_OUT = '…'
"""Stands for a value that is too deep, or has a number too long, to be written."""


def encodable(text: str) -> str:
    """A text without half characters, which tools and models may write and nobody can send."""
    return text.encode(errors='replace').decode()


def as_json(value: object) -> JsonValue:
    """Any value as JSON; what is of no known type as text."""
    try:
        plain = to_jsonable_python(value, bytes_mode='base64', serialize_unknown=True)
        return json.loads(encodable(json.dumps(plain, ensure_ascii=False)), parse_constant=str)
    except (ValueError, RecursionError):
        return LEFT_OUT


Arguments = Annotated[JsonValue, BeforeValidator(as_json)]
"""A field that takes any value."""
