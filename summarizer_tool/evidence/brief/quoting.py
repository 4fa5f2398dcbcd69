"""How what others wrote is shown in a brief: on one line, which can begin or end nothing of the brief's own."""

import re
from itertools import islice
from urllib.parse import urlsplit, urlunsplit

import regex

from summarizer_tool.mapreduce import render

TITLE_TOKENS = 40
"""Of a title in a line."""

_MUCH_OF_A_LABEL = 4000
"""Characters of a label that are looked at; it may be a megabyte."""

# Line breaks of every kind, which a reader may take for the beginning of a line.
_BREAKS = '\\n\\r\\v\\f\\x1c-\\x1e\\x85\\u2028\\u2029'
# What nobody sees, though a model may read it, or what turns the order of a line round. Joiners stay: emoji and the
# scripts of Persia and India are written with them.
_HIDDEN = (
    r'\p{Cc}\p{Cs}\u061c\u180e\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb'
    r'\U000e0000-\U000e007f'
)
_BREAK = regex.compile(rf'[{_BREAKS}]')
_NOT_SHOWN = regex.compile(rf'(?!\t)[{_HIDDEN}]')

PLAIN_RUN = regex.compile(rf'(?:(?![{_BREAKS}])(?:\t|[^{_HIDDEN}]))+')
"""A run of characters that are shown as they are."""


def verbatim(line: str) -> str:
    """A line of a source as it is: only line breaks of another kind become spaces, and what is invisible goes."""
    return _NOT_SHOWN.sub('', _BREAK.sub(' ', line))


def label(text: str, limit: int) -> str:
    """A title, a heading or a caption on one line of at most `limit` tokens, with an ellipsis where it was cut."""
    line = ' '.join(verbatim(text[:_MUCH_OF_A_LABEL]).split())
    return render.shorten(line, limit)


def address(url: str, limit: int, *, with_query: bool = True) -> str:
    """A URL without white space, credentials and fragment, of at most `limit` tokens; a file's name is a label.

    Its query may hold what is not for everybody; where it is not shown, `?…` stands for it.
    """
    if with_query and '//' not in url:
        return label(url, limit)
    line = ''.join(verbatim(url[:_MUCH_OF_A_LABEL]).split())
    try:
        parts = urlsplit(line)
    except ValueError:  # such as a broken IPv6 address
        return render.shorten(line.partition('?')[0], limit)
    query = parts.query if with_query else ''
    shown = urlunsplit((parts.scheme, parts.netloc.rpartition('@')[2], parts.path, query, ''))
    return render.shorten(shown + ('?…' if parts.query and not query else ''), limit)


def reason(url: str, failure: str, limit: int) -> str:
    """Why a page could not be fetched, without the place that the messages of fetching begin with."""
    place = address(url, limit, with_query=False).partition('//')[2].removesuffix('?…')
    return label(failure.removeprefix(place).lstrip(' :') if place else failure, limit) or 'no text'


def numbered(number: int, text: str) -> str:
    """`12| text`, as `read_source` shows it; no line of a brief's own begins with a number and a bar."""
    return f'{number}| {verbatim(text)}'


def line_span(first: int, last: int) -> str:
    """`12`, or `14-16`."""
    return str(first) if first == last else f'{first}-{last}'


def line_at(text: str, number: int) -> tuple[int, int]:
    """Where a line, from 1, stands in a text, without its line break; empty where there is none."""
    if number < 1:
        return 0, 0
    ends = (match.start() for match in re.finditer('\n', text))
    start = 0 if number == 1 else next(islice(ends, number - 2, None), len(text)) + 1
    return min(start, len(text)), next(ends, len(text))
