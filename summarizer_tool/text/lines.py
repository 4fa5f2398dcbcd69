"""Text on one line, and without what steers a terminal."""

import re

_ORDERS = re.compile(
    r'\x1b(?:\[[0-?]*+[ -/]*+[@-~]|\][^\x07\x1b]*+(?:\x07|\x1b\\)|[@-Z\\^_])|[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f]'
)
_OVERSTRUCK = re.compile(r'[^\n\x08]\x08')


def unsteered(text: str) -> str:
    """A text without colours and other orders to a terminal, and without letters that are struck over."""
    return _ORDERS.sub('', _OVERSTRUCK.sub('', text) if '\x08' in text else text)


def one_line(text: str, longest: int = 0) -> str:
    """Collapse white space, and cut off, with an ellipsis, what is over `longest` characters; 0 for any number."""
    line = ' '.join((text[: 4 * longest] if longest else text).split())
    return f'{line[: longest - 1].rstrip()}…' if 0 < longest < len(line) else line
