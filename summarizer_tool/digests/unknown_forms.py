"""What nobody has written for readers and no known form fits: packed code, encoded bytes, a line without end."""

import ast
import json
import re
from collections import Counter
from collections.abc import Sequence

from summarizer_tool.digests.json_reading import Read, read_json

WRITTEN_SHARE = 0.4
"""Share of the characters that stand in plain words from which somebody has written a text to be read."""

_SAMPLE = 20_000
"""Characters at the beginning, in the middle and at the end, by which that is told."""
_PLAIN = re.compile(r'[("“‘*_\[]*(?:[^\W\d_]{1,30}(?:[-’\'][^\W\d_]{1,20})*)[)"”’*_\]]*[.,;:!?…。、]*')
_UNSPACED = re.compile(r'[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]')
"""Letters of scripts that put no spaces between words."""

_LONG = 2000
"""Characters of a line from which it is read in pieces."""
_SEPARATORS = ('},', '],', '),', ';', '}', '</tr>', '>', '|', '\t', ', ', ',', ' ')
_PIECE = (8, 240)
"""Characters of a piece on average, for what ends it to be taken for a separator."""
_WINDOW = 160
"""Characters of a piece where nothing separates them."""
_LITERAL = 3_000_000
"""Characters of a literal that is read."""


def is_written(text: str) -> bool:
    """Return whether a text is made of words, for people to read, rather than by a machine for another."""
    middle = len(text) // 2
    sample = text if len(text) <= 3 * _SAMPLE else text[:_SAMPLE] + text[middle : middle + _SAMPLE] + text[-_SAMPLE:]
    words = Counter(sample.split())
    plain = (
        times * (len(word) if _PLAIN.fullmatch(word) else len(_UNSPACED.findall(word))) for word, times in words.items()
    )
    return sum(plain) >= WRITTEN_SHARE * sum(len(word) * times for word, times in words.items())


def read_literal(text: str) -> Read | None:
    """Read a text that Python programs write of their lists and objects; None if it is none."""
    stripped = text.strip()
    if not (stripped[:1] in ('[', '{', '(') and stripped[-1:] in (']', '}', ')') and len(stripped) <= _LITERAL):
        return None
    try:
        return read_json(json.dumps(ast.literal_eval(stripped), ensure_ascii=False, default=repr))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None


def pieces(lines: Sequence[str]) -> list[tuple[int, str]]:
    """Lines with their numbers, long ones in pieces."""
    return [(number, piece) for number, line in enumerate(lines, 1) for piece in _pieces(line) if piece.strip()]


def _pieces(line: str) -> Sequence[str]:
    if len(line) <= _LONG:
        return (line,)
    least, most = _PIECE
    for separator in _SEPARATORS:
        count = line.count(separator) + 1
        if least <= len(line) / count <= most:
            ended = [piece + separator for piece in line.split(separator)]
            ended[-1] = ended[-1].removesuffix(separator)
            return ended
    return [line[at : at + _WINDOW] for at in range(0, len(line), _WINDOW)]
