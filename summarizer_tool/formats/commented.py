"""Settings with comments, as files of configuration are, as markdown of the same lines. Pure computing.

In markdown the mark of a comment makes a heading, and settings below each other are one paragraph. Here what the
comments say is text, a banner is a heading, and a setting, one that is commented out too, is an item of a list.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from summarizer_tool.html.block_score import ends_a_sentence

_LEAST_COMMENTS = 5
_COMMENTS = 0.15
"""Share of the lines that are comments in a text that is read so."""

_BESIDE = 0.4
"""Share of the comments with another below them, at least; headings have text between."""

_OTHERS = 0.2
"""Share of the other lines that may have the form of something else."""

_WORDS = 3
"""Of a comment's line that is text though it ends in no full stop."""

_LOOKED_AT = 200
"""Characters of a line by which its form is told."""

_COMMENT = re.compile(r'[ \t]*(#+|;+)(?!!)(.*)')
_SIGNS = '#;=*_~-'
_EDGES = _SIGNS + ' \t\r\f\v'
_RULE = re.compile(r'\s*[#;] ?[#;=*_~-]{4,}\s*')
# `listen 443 ssl;`, `mode = fast`, `location / {`
_SETTING = re.compile(r'[\w.$-]+\s*=\s*\S|[\w.$-]+\s.*[;{]$|\}$')
# A fence, the end of a sentence, what a program is written in, markup, or YAML, which is read as the data it is.
_OTHER = re.compile(r'\s*(?:```|~~~|- |<)|.*(?:[.!?]|[({;\\]|\w\(.*\)|\b(?:then|fi|do|done))\s*$|\s*[\w."-]+:(?:\s|$)')


def markdown(text: str) -> str:
    """The text line by line, comments without their mark; empty where it is none of settings with comments."""
    lines = text.split('\n')
    found = [_COMMENT.match(line) for line in lines]
    comments = [match for match in found if match]
    others = [line for line, match in zip(lines, found, strict=True) if not match and line.strip()]
    beside = sum(1 for match, below in pairwise(found) if match and below and match[1] == below[1])
    if (
        len(comments) < max(_LEAST_COMMENTS, _COMMENTS * (len(comments) + len(others)))
        or beside < _BESIDE * len(comments)
        or sum(_OTHER.match(line[:_LOOKED_AT]) is not None for line in others) > _OTHERS * len(others)
        or text.startswith('#!')
    ):
        return ''
    return '\n'.join(_read(lines, found))


def _read(lines: Sequence[str], found: Sequence[re.Match[str] | None]) -> Iterator[str]:
    open_mark = ''  # of the comment above, if it is text that goes on
    for place, (line, comment) in enumerate(zip(lines, found, strict=True)):
        mark, body = (comment[1], comment[2].strip()) if comment else ('', line.strip())
        said = body.strip(_EDGES)
        is_short = len(said.split()) < _WORDS and not ends_a_sentence(body)
        goes_on, open_mark = mark == open_mark, ''
        if not comment or not said:
            yield f'- {body}' if said else ''
        elif place and all(map(_RULE.fullmatch, (lines[place - 1], *lines[place + 1 : place + 2]))):
            yield f'## {said}'
        elif (body[-1] in _SIGNS and (len(mark) > 2 or body[0] in _SIGNS)) or (
            len(mark) > 2 and is_short and not goes_on
        ):
            yield f'### {said}'
        elif _SETTING.match(said) or (is_short and not goes_on):
            yield f'- {mark}{body}'  # a setting that is commented out keeps its mark
        else:
            open_mark = '' if ends_a_sentence(body) else mark
            yield body
