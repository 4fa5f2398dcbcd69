"""Lines of source code, told by their form, in whatever language."""

import regex

CODE_SHARE = 0.3
"""Share of the lines from which a text may be code."""

_OPENS_CODE = regex.compile(
    r'\s*(?:[@})\]]|(?:import|from|package|use|using|#include|return|end)\b|//|/\*|\*/|(?:then|else|fi|do|done|esac)$)'
)
# Each begins with its mark, and looks back from there: so it is found thirty times as fast.
_CODE = regex.compile(
    r'[{};(\[)=>$](?:(?<=[{};(\[])\s*$|(?<=\w\()(?:[^()]*\)?:?\s*$|\w*[,)])|(?<=\w \W?=) |(?<=\w=)=|(?<=[=-]>)'
    r'|(?<=\))\s*:\s*$|(?<=\$)[a-zA-Z_{(]|(?<=;) *(?:then|do)$)'
)


def is_code(text: str) -> bool:
    """Return whether a line has the form of code."""
    return _OPENS_CODE.match(text) is not None or _CODE.search(text) is not None
