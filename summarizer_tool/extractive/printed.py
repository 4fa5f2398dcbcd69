"""Lines that are no prose: blocks of code, and what a program has printed. Pure text work."""

from collections.abc import Sequence
from itertools import pairwise

import regex

from summarizer_tool.extractive.statement import Kind
from summarizer_tool.prompts import NumberedLine
from summarizer_tool.text.code_lines import is_code as has_form_of_code
from summarizer_tool.text.structure import is_underline

_ENDED = 0.2
"""Share of lines with a sign at their end from which these are sentences, or verses."""
_LEFT_OVER = 8
"""Characters for which a line would have had room beside the first word of the next one, if it was not wrapped."""

# No banner: `~~~ WARNING ~~~`.
FENCE = regex.compile(r'^ {0,3}(`{3,}+|~{3,}+)(?!.*(?:~~~|```))\s*(\w*)')
_TEXT_LANGUAGES = frozenset(['text', 'txt', 'plain', 'markdown', 'md'])
# What stands after a prompt has been typed.
_PROMPT = regex.compile(r'^\s*(?:[$%] |>>> ?)\S|^\s*\.\. [\w:.|_-]+::?(?:\s|$)')
_COMMENT = regex.compile(r'^\s*(?:(?:#+|//+|--+|/\*+|\*+|;+)\s+)*')


def code_blocks(texts: Sequence[str]) -> dict[int, tuple[Kind, str] | None]:
    """The places of lines in blocks of code, each with what it is and says; none for their marks, which say nothing.

    A block stands in a fence, or behind a prompt.
    """
    found: dict[int, tuple[Kind, str] | None] = {}
    fence, is_code = '', False
    for place, text in enumerate(texts):
        mark = FENCE.match(text)
        said = _COMMENT.sub('', text).strip()
        if fence:
            is_end = mark is not None and mark.group(1).startswith(fence) and not mark.group(2)
            kind = Kind.CODE if is_code or has_form_of_code(text) else Kind.ROW
            found[place] = None if is_end else (kind, said)
            fence = '' if is_end else fence
        elif mark and not (place and is_underline(texts[place - 1], text)):
            fence, found[place] = mark.group(1), None
            is_code = mark.group(2).lower() not in _TEXT_LANGUAGES
        elif _PROMPT.match(text):
            found[place] = (Kind.CODE, said)
    return found


def is_printed(lines: Sequence[NumberedLine]) -> bool:
    """Return whether most lines break off though the next word would have fitted, and few end a sentence: records."""
    texts = [line.text.rstrip() for line in lines]
    width = max(map(len, texts))
    room = sum(
        len(text) + len(following.split(maxsplit=1)[0]) + _LEFT_OVER < width for text, following in pairwise(texts)
    )
    ended = sum(text.endswith(('.', '!', '?', ':', ';', ',')) for text in texts)
    return len(texts) > 2 and 2 * room >= len(texts) - 1 and ended < _ENDED * len(texts)
