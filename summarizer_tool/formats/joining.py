"""Put lines together that were broken only for want of room. Pure computing."""

import re
from collections.abc import Iterable, Sequence
from typing import TypeAlias

Vocabulary: TypeAlias = frozenset[str]
"""The words of a text in small letters, those with hyphens too."""

_WORDS = re.compile(r'[^\W\d_]+(?:-[^\W\d_]+)*')
_SOFT = '\x02\xad\ufffe'
"""What stands for a hyphen that is there only at the end of a line; the first and the last are pdfium's."""

_HYPHENED = re.compile(rf'([^\W\d_]+)([-‐{_SOFT}])$')
_BEGINNING = re.compile(r'[^\W\d_]+')
# Scripts whose words have no spaces between them, and their punctuation.
_SPACELESS = re.compile(r'[\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef\u0e00-\u0eff]')


def words_in(lines: Iterable[str]) -> Vocabulary:
    """The words that stand within lines: those by which it is seen whether a hyphen belongs to a word."""
    return frozenset(word for line in lines for word in _WORDS.findall(line.casefold()))


def join(
    lines: Sequence[str], vocabulary: Vocabulary = frozenset(), *, between: str = '', hyphenated: bool = True
) -> str:
    """Make one line of several.

    Args:
        lines: Each without white space around it.
        vocabulary: The words of the whole text.
        between: What is to stand where two lines meet.
        hyphenated: Whether words were divided where lines end; else a hyphen there is taken for one of the word's, if
            the text does not have the word without it.
    """
    text = lines[0]
    for line in lines[1:]:
        hyphen, start = _HYPHENED.search(text), _BEGINNING.match(line)
        if hyphen and start:
            before, after = hyphen[1].casefold(), start[0].casefold()
            is_divided = start[0][0].islower() and (
                before + after in vocabulary
                or hyphen[2] == '\xad'
                or (hyphenated and f'{before}-{after}' not in vocabulary)
            )
            # What divides two pages stands after the word, not within.
            stem = text[: hyphen.start(2)] + ('' if is_divided else '-')
            if between and (rest := line[start.end() :]).strip():
                text = f'{stem}{start[0]}{rest[:1] if rest[0] != " " else ""} {between}{rest[1:].lstrip()}'
            else:
                text = stem + line + between
        else:
            is_close = _SPACELESS.match(text[-1:]) and _SPACELESS.match(line)
            text += f'{"" if is_close else " "}{between}{line}'
    return re.sub(rf'[{_SOFT}]', lambda found: '' if found[0] == '\xad' else '-', text)
