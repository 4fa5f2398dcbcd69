"""Messages whose id is none: the SDK takes them for notifications, and whoever sent one would wait for ever."""

import json
import re
from typing import cast

# What may be such a message; whether it is one, JSON says.
_WRONG_ID = re.compile(r'"id"\s*:\s*(?:null|true|false|[\[{]|-?\d+(?:\.|[eE]))')


def has_wrong_id(message: str) -> bool:
    """Return whether a message is a request whose id is neither a string nor an integer."""
    if _WRONG_ID.search(message) is None:
        return False
    try:
        value: object = json.loads(message)
    except (ValueError, RecursionError):
        return False
    if not isinstance(value, dict) or 'method' not in value or 'id' not in value:
        return False
    number = cast('dict[str, object]', value)['id']
    return isinstance(number, bool) or not isinstance(number, str | int)
