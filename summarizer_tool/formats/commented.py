"""Settings with comments, as files of configuration are, as markdown of the same lines. Pure computing.

In markdown the mark of a comment makes a heading, and settings below each other are one paragraph. Here what the
comments say is text, a banner is a heading, and a setting, one that is commented out too, is an item of a list.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise

from summarizer_tool.html.block_score import ends_a_sentence

_LEAST_COMMENTS = 5
_COMMENTS = 0.15
"""Share of the lines that are comments in a text that is read so."""

_BESIDE = 0.4
"""Share of the comments with another below them, at least; headings have text between."""

_OTHERS = 0.2
"""Share of the other lines that may have the form of something else."""

_WORDS = 5
"""Words of a comment's line, on average, from which it is text though it ends in no full stop."""

_LOOKED_AT = 200
"""Characters of a line by which its form is told."""

_COMMENT = re.compile(r'[ \t]*(#+|;+)(?!!)(.*)')
_SIGNS = '#;=*_~-'
_EDGES = _SIGNS + ' \t\r\f\v'
_RULE = re.compile(r'[#;=*_~-]{5}\s*$')
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
    return '\n'.join(_read(lines))


def _read(lines: Sequence[str]) -> Iterator[str]:
    above = ''
    for (is_comment, says), run in groupby(lines, _kind):
        found = [*run]
        if not says:
            yield from [''] * len(found)
        elif not is_comment:
            yield from (f'- {line.strip()}' for line in found)
        elif len(found) == 1 and _RULE.search(above):
            yield f'## {found[0].strip(_EDGES)}'
        else:
            yield from _said([(match[1], match[2].strip()) for line in found if (match := _COMMENT.match(line))])
        above = found[-1]


def _kind(line: str) -> tuple[bool, bool]:
    match = _COMMENT.match(line)
    return match is not None, bool((match[2] if match else line).strip(_EDGES).strip())


def _said(comments: Sequence[tuple[str, str]]) -> Iterator[str]:
    """The lines of a run of comments, given as mark and body: text, or settings that are commented out."""
    plain = [body for _, body in comments if not _SETTING.match(body)]
    words = sum(len(body.split()) for body in plain)
    is_text = words >= _WORDS * len(plain) or any(map(ends_a_sentence, plain))
    for mark, body in comments:
        if body[-1] in _SIGNS and (len(mark) > 2 or body[0] in _SIGNS):
            yield f'### {body.strip(_EDGES)}'
        elif is_text and not _SETTING.match(body):
            yield body
        else:
            yield f'- {mark}{body}'
