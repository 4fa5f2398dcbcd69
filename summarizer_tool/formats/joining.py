"""Put lines together that were broken only for want of room. Pure computing."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from summarizer_tool.text.lines import CLOSE

_WORDS = re.compile(r'[^\W\d_]+(?:-[^\W\d_]+)*')
_DIVIDED = re.compile(r'(?<![^\W\d_])([^\W\d_]++)[-‐]\n\s*+([^\W\d_]++)')
_SOFT = '\x02\xad\ufffe'
"""What stands for a hyphen that is there only at the end of a line; the first and the last are pdfium's."""

_HYPHENED = re.compile(rf'([^\W\d_]+)([-‐{_SOFT}])$')
_SOFT_HYPHEN = re.compile(rf'[{_SOFT}]')
_LONGEST_WORD = 80
_BEGINNING = re.compile(r'[^\W\d_]+')


@dataclass(frozen=True)
class Vocabulary:
    """The words that stand within lines, in small letters: they show whether a hyphen belongs to a word."""

    lines: Sequence[str] = ()

    @cached_property
    def words(self) -> frozenset[str]:
        """Those with hyphens too; they are read where a line first ends with one."""
        text = _DIVIDED.sub(' ', '\n'.join(self.lines))
        return frozenset(_WORDS.findall(text.casefold().replace('‐', '-')))


def join(
    lines: Sequence[str], vocabulary: Vocabulary = Vocabulary(), *, between: str = '', hyphenated: bool = True
) -> str:
    """Make one line of several, without white space around them, with `between` where two meet.

    A hyphen where a line ends is one of the word's, unless words were divided there (`hyphenated`), or the vocabulary,
    the words of the whole text, has it without.
    """
    pieces = [lines[0]]
    for line in lines[1:]:
        last = pieces[-1]
        hyphen, start = _HYPHENED.search(last, max(0, len(last) - _LONGEST_WORD)), _BEGINNING.match(line)
        if hyphen and start:
            stem = last[: hyphen.start(2)] + ('' if _is_divided(hyphen, start[0], vocabulary, hyphenated) else '-')
            # What divides two pages stands after the word, not within.
            word, rest = (line, '') if not between else (line.partition(' ')[0], line.partition(' ')[2])
            pieces[-1:] = [stem + word] + ([f' {between}{rest}'] if between else [])
        else:
            is_close = CLOSE.match(last[-1:]) and CLOSE.match(line)
            pieces.append(f'{"" if is_close else " "}{between}{line}')
    return _SOFT_HYPHEN.sub(lambda found: '' if found[0] == '\xad' else '-', ''.join(pieces))


def _is_divided(hyphen: re.Match[str], after: str, vocabulary: Vocabulary, hyphenated: bool) -> bool:
    """Return whether a hyphen at the end of a line is none of the word's own."""
    before, following = hyphen[1].casefold(), after.casefold()
    if not after[0].islower():
        return False
    words = vocabulary.words
    return (
        before + following in words
        or hyphen[2] == '\xad'
        # Formatters divide words with ‐, and write it for a hyphen of their own, too.
        or (hyphen[2] == '‐' and not {before, following} <= words and f'{before}-{following}' not in words)
        or (hyphenated and f'{before}-{following}' not in words)
    )
