"""Settings with comments, as files of configuration are, as markdown of the same lines. Pure computing.

In markdown the mark of a comment makes a heading, and settings below each other are one paragraph. Here what the
comments say is text, and a setting, one that is commented out too, is an item of a list.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import chain, groupby, pairwise

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
_EDGES = '#;=*_~- \t\r\f\v'
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
    return '\n'.join(chain.from_iterable(_read([*run]) for _, run in groupby(lines, _has_words)))


def _has_words(line: str) -> bool:
    return line.strip(_EDGES) != ''


def _read(lines: Sequence[str]) -> Iterator[str]:
    """Lines without a blank one between them: a setting that is commented out keeps its mark."""
    found = [_COMMENT.match(line) for line in lines]
    said = [match[2].strip(_EDGES) for match in found if match]
    is_text = sum(len(body.split()) for body in said) >= _WORDS * len(said) or any(map(ends_a_sentence, said))
    for line, match in zip(lines, found, strict=True):
        body = (match[2] if match else line).strip()
        if not _has_words(line):
            yield ''
        elif match and len(match[1]) > 2:
            yield f'### {body.strip(_EDGES)}'
        elif match and is_text and not _SETTING.match(body):
            yield body
        else:
            yield f'- {match[1] if match else ""}{body}'
