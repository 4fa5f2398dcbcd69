"""What stands raised or lowered on a page, as it is written in a line: 10⁹ is not 109."""

import re

_LONGEST = 12
_SIGNS = '+−–-'
_POWER = re.compile(rf'[{_SIGNS}]?(?:\d[\d.,/]*[^\W\d_]?|[^\W\d_aeo])(?:[/{_SIGNS}](?:\d+|[^\W\d_]))?[{_SIGNS}]?')
"""A number, or one letter that ends no ordinal of other languages, with what may stand beside them."""
_BASE = re.compile(r'(?<![^\W_])(?:10|[^\W\d_])$|\)$')
"""What a letter may be a power of: ten, a name of one letter, a bracket."""
_LETTERS = 'knxy'
"""Of powers, other than those at the end of words and of times: `Mr`, `12h`."""
_REFERENCES = re.compile(r'\d{1,3}(?:\s?[,–-]\s?\d{1,3})+')


def raised(text: str, before: str, after: str, *, is_fraction: bool) -> str:
    """A power or a reference in the words of a line; empty where the text says it as it is, such as ordinals.

    The texts are those beside it, and a fraction goes on with a slash and what is lowered.
    """
    bare = before.rstrip()
    base = bare[-1:]
    is_apart = base != before[-1:]
    if not base or not text or len(text) > _LONGEST:
        return ''
    if is_fraction and (is_apart or base.isdigit()):
        return text if is_apart else f' {text}'
    is_number = re.search(r'(?<!\d)10$', bare[-3:]) is not None
    is_after_sentence = base in '.,;:!?"”’»' and text.isdigit() and not bare[-2:-1].isdigit()
    if not is_apart and (is_after_sentence or (not is_number and _REFERENCES.fullmatch(text))):
        return f'[{text}]'
    if len(text) == 1 and text.isalpha() and not (text in _LETTERS and _BASE.search(bare)):
        return ''
    is_ion = base.isalpha() and text[-1] in _SIGNS
    is_base = base.isdigit() and not after.isalnum() if is_apart else base.isalnum() or base in ')]'
    return f'^{text.replace("–", "-")}{_gap(text, after)}' if is_base and not is_ion and _POWER.fullmatch(text) else ''


def lowered(text: str, before: str, after: str) -> str:
    """An index between numbers, as that in log₁₀ 100; empty where it is clear as it is, such as in H2O."""
    base = before[-1:]
    is_between = base.isalnum() and _gap(text, after) != ''
    is_index = text.isalnum() and len(text) <= _LONGEST and (is_between or (base.isdigit() and text.isdigit()))
    return f'_{text}{_gap(text, after)}' if is_index else ''


def _gap(text: str, after: str) -> str:
    return ' ' if text[-1:].isalnum() and after.isdigit() else ''
