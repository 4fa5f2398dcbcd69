"""Large documents, made of the sample crawl, each different from all others."""

import re
from functools import cache

from summarizer_tool.text import tokens
from tests.conftest import CRAWL

_NAME = re.compile(r'\b[A-Z][a-z]{2,}\b')
_NUMBER = re.compile(r'\b\d{2,4}\b')
_ENDINGS = ('an', 'or', 'eth', 'is', 'um', 'ael', 'ot', 'ir', 'en', 'us', 'ard', 'ow')


@cache
def crawl() -> str:
    """The pages of the sample, one after the other."""
    return '\n\n'.join(path.read_text(encoding='utf-8') for path in sorted(CRAWL.glob('*.md')))


def document(number: int, size: int) -> str:
    """A text of about `size` tokens, whose names and numbers are those of no other.

    Args:
        number: Which.
        size: Tokens.
    """
    parts: list[str] = []
    length = round(size / tokens.count(crawl()) * len(crawl()))
    copy = 0
    while sum(map(len, parts)) < length:
        seed = number * 101 + copy
        renamed = _NAME.sub(lambda match: match[0] + _ENDINGS[(len(match[0]) + seed) % len(_ENDINGS)], crawl())  # noqa: B023
        parts.append(f'# Volume {seed}\n\n' + _NUMBER.sub(lambda match: str(int(match[0]) + seed), renamed))  # noqa: B023
        copy += 1
    return '\n\n'.join(parts)[:length]
