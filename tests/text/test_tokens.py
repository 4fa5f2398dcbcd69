"""Counting is exact, and no cut goes through a character."""

import regex
from hypothesis import example, given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from summarizer_tool.text import tokens

FAMILY = '👨‍👩‍👧‍👦'

# What tokenizers and cutters get wrong: special tokens, surrogates, clusters, line ends of all kinds.
_LINES = ['\n', '\r\n', '\r', ' ', '   ', '\t', '\u2028', '\x85', '\x1c', '\u3000', '\x0b']
_CHARACTERS = ['\U0001f600', FAMILY, 'e\u0301', '漢字', '。', '\ud800', '\ud83d\ude00', '\ufeff', '\x00', 'ſ']
_WORDS = ['a', 'word ', 'The end. ', '1234', "'s", '!?', 'x' * 40, '<|endoftext|>']
fragments = st.one_of(map(st.sampled_from, (_LINES, _CHARACTERS, _WORDS)))
texts = st.one_of(st.lists(fragments, max_size=30).map(''.join), st.text(max_size=60))


def clusters(text: str) -> set[int]:
    """Where a reader would say that characters begin and end."""
    return {0, *(match.end() for match in regex.finditer(r'\X', text))}


def test_text_that_spells_a_special_token_is_ordinary_text() -> None:
    assert tokens.count('<|endoftext|>') == snapshot(7)
    assert tokens.count('<|endoftext|>' * 1000) == snapshot(6001)


def test_a_lone_surrogate_counts_as_a_replacement_character() -> None:
    assert tokens.count('a\ud800b') == tokens.count('a\ufffdb') == snapshot(3)
    assert tokens.char_ends('a\ud800b') == snapshot([1, 2, 3])


def test_many_repeated_characters() -> None:
    assert tokens.count('a' * 200_000) == snapshot(25000)
    assert len(tokens.truncate('a' * 200_000, 1000)) == snapshot(8000)


def test_char_ends_are_character_offsets() -> None:
    text = 'é漢😀 ok'
    assert [text[:end] for end in tokens.char_ends(text)] == snapshot(['é', 'é', 'é漢', 'é漢', 'é漢😀', 'é漢😀 ok'])


def test_truncate_keeps_emoji_whole() -> None:
    text = f'hi {FAMILY}!'
    assert {limit: tokens.truncate(text, limit) for limit in (0, 1, 5, 17, 18, 30)} == snapshot(
        {0: '', 1: 'hi', 5: 'hi ', 17: 'hi ', 18: 'hi 👨‍👩‍👧‍👦', 30: 'hi 👨‍👩‍👧‍👦!'}
    )


@given(texts, st.integers(0, 20))
def test_truncate_is_a_prefix_within_the_limit_that_cuts_no_character(text: str, limit: int) -> None:
    cut = tokens.truncate(text, limit)
    assert text.startswith(cut)
    assert tokens.count(cut) <= limit
    assert len(cut) in clusters(text)


@given(texts, texts)
@example('a.\n', 'b')
@example(' \n\n', '<')
def test_counts_add_up_where_a_line_ends_and_text_begins(before: str, after: str) -> None:
    before, after = f'{before}\n', f'x{after}'
    assert tokens.count(before + after) == tokens.count(before) + tokens.count(after)


@given(st.one_of(texts, st.text(st.characters(max_codepoint=0x460)), st.text('\t\n\r aßs\'’"–.-1²', max_size=30)))
@example("It's 1² –  ſ's\x1c \n")
def test_words_are_counted_as_they_are_encoded(text: str) -> None:
    assert tokens.count(text) == len(tokens.encoding().encode_ordinary(text))


@given(texts, st.integers(0, 30))
def test_fits_agrees_with_count(text: str, limit: int) -> None:
    assert tokens.fits(text, limit) == (tokens.count(text) <= limit)


def test_a_long_text_counts_like_its_tokens() -> None:
    text = 'The quick brown fox.\n\n  jumps — 漢字\r\n' * 20_000
    whole = len(tokens.encoding().encode_ordinary(text))
    assert tokens.count(text) == whole
    assert sum(map(tokens.count, text.splitlines(keepends=True))) >= whole


def test_white_space_without_end_is_counted() -> None:
    assert tokens.count('V' + ' ' * 1_000_000 + 'x') == snapshot(7817)
    assert tokens.count(tokens.truncate(' ' * 300_000 + 'x', 50)) == 50
