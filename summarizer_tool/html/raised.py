"""What stands raised or lowered on a page, as it is written in a line: 10⁹ is not 109."""

import re

_LONGEST = 12
_POWER = re.compile(r'[+−–-]?\d[\d.,/]*[+−–-]?')
_REFERENCES = re.compile(r'\d{1,3}(?:\s?[,–-]\s?\d{1,3})+')


def raised(text: str, before: str, after: str, *, is_fraction: bool) -> str:
    """A power or a reference in the words of a line; empty where the text says it as it is, such as ordinals.

    The texts are those beside it, and a fraction goes on with a slash and what is lowered.
    """
    base = before[-1:]
    if not base or len(text) > _LONGEST:
        return ''
    if is_fraction:
        return f' {text}' if base.isdigit() else ''
    is_after_sentence = base in '.,;:!?"”’»' and text.isdigit() and not before[-2:-1].isdigit()
    if is_after_sentence or (not base.isspace() and _REFERENCES.fullmatch(text)):
        return f'[{text}]'
    is_base = base in ')]' or (base.isalnum() and not (base.isalpha() and text[-1:] in '+−–-'))  # Ca2+ is clear
    return f'^{text.replace("–", "-")}{_gap(text, after)}' if is_base and _POWER.fullmatch(text) else ''


def lowered(text: str, before: str, after: str) -> str:
    """An index between numbers, as that in log₁₀ 100; empty where it is clear as it is, such as in H2O."""
    base = before[-1:]
    is_index = text.isdigit() and len(text) <= _LONGEST and base.isalnum() and (base.isdigit() or after.isdigit())
    return f'_{text}{_gap(text, after)}' if is_index else ''


def _gap(text: str, after: str) -> str:
    return ' ' if text[-1:].isalnum() and after.isdigit() else ''
