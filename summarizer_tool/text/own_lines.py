"""Lines in brackets that this project writes beside the text of others, which no text of others can hold.

`[src_0123456789ab: 9,000 tokens summarized in 500. …]` tells a reader what it has before it, and what it can do. Where
a text has such a line of its own, the bracket that opens it becomes a parenthesis: it says what it said, in no form of
ours, and takes no more room.
"""

import unicodedata
from functools import cache
from typing import Final

import regex

from summarizer_tool import prompts
from summarizer_tool.text.lines import one_line

FOLDERS: Final = ('answers', 'proxy', 'research', 'tool_results')
"""Of the prompts with such lines. Those of evidence stand among numbered lines, where no other can begin."""

_LEAST_WORDING = 12
"""Characters that a wording of a line must have, to tell it from what anybody might write."""

_HANDLE = regex.compile('src_[0-9a-f]{12}')
_OPENING = regex.compile(r'[\s\p{C}]*+\K[\[［﹇]')
_UNSEEN = regex.compile(r'\p{C}')
# A list of JSON, which begins no line of ours.
_JSON = regex.compile(r'\[\s*["\[{]')
_FACT_MARKS = regex.compile(r'^(?:(?:#+|[*+-])\s+)+')
_PLACEHOLDER = regex.compile(r'\{\{\w+\}\}')


def without_own(text: str) -> str:
    """A text of others in which no line is like one of ours; most texts stay as they are."""
    if not any(bracket in text for bracket in '[［﹇'):
        return text
    return ''.join(
        f'{line[: opening.start()]}({line[opening.end() :]}' if (opening := _own(line)) else line
        for line in text.splitlines(keepends=True)
    )


def as_line(statement: str) -> str:
    """A statement as a line of a summary: without the marks of a list or a heading before it, and no line of ours."""
    return without_own(_FACT_MARKS.sub('', one_line(statement)))


def _own(line: str) -> regex.Match[str] | None:
    """What a line opens with that a reader may take for one of ours: a bracket, before a handle or our words."""
    opening = _OPENING.match(line)
    if opening is None:
        return None
    read = _as_read(line[opening.start() :])
    if _JSON.match(read) or not (_HANDLE.search(read) or any(words in read for words in _wordings())):
        return None
    return opening


def _as_read(text: str) -> str:
    """Text as a reader sees it: in one case and width, with single blanks, without what nobody sees."""
    text = _UNSEEN.sub('', ' '.join(unicodedata.normalize('NFKC', text).split()))
    return ' '.join(text.casefold().split())


@cache
def _wordings() -> tuple[str, ...]:
    """What stands in each of our lines, whatever is filled in."""
    found: set[str] = set()
    for folder in FOLDERS:
        for path in (prompts.folder() / folder).glob('*.md'):
            lines = prompts.load(f'{folder}/{path.stem}').splitlines()
            for line in lines:
                if line.startswith('['):
                    fixed = max((part.strip(' .,:;[]') for part in _PLACEHOLDER.split(line)), key=len)
                    found |= {_as_read(fixed)} if len(fixed) >= _LEAST_WORDING else set()
    return tuple(sorted(found))
