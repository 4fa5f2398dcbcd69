"""Source code, told by the form of its lines, and its language by its name."""

from collections.abc import Sequence
from functools import cache
from itertools import islice
from math import ceil
from pathlib import PurePath

import regex

LANGUAGES = (
    'python', 'typescript', 'java', 'go', 'rust', 'cpp', 'csharp', 'ruby', 'php', 'kotlin', 'swift', 'bash', 'perl',
)  # fmt: skip
"""Those that code without a name is read in."""

_NAMED_LANGUAGES = (
    *LANGUAGES, 'c', 'javascript', 'scala', 'lua', 'dart', 'elixir', 'erlang', 'fortran', 'fsharp', 'groovy', 'haskell',
    'julia', 'make', 'nim', 'objective-c', 'ocaml', 'powershell', 'r', 'solidity', 'zig',
)  # fmt: skip
"""Taken where the name of the file says so."""

_CODE_SHARE = 0.3
"""Share of the lines from which a text may be code."""
_LOOKED_AT = 200
"""Characters of a line by which its form is told."""

_OPENS_CODE = regex.compile(
    r'\s*(?:[@})\]]|(?:import|from|package|use|using|#include|return|end)\b|//|/\*|\*/|(?:then|else|fi|do|done|esac)$)'
)
# Each begins with its mark, and looks back from there: so it is found thirty times as fast.
_CODE = regex.compile(
    r'[{};(\[)=>$](?:(?<=[{};(\[])\s*$|(?<=\w\()(?:[^()]*\)?:?\s*$|\w*[,)])|(?<=\w \W?=) |(?<=\w=)='
    r'|(?<==>)(?=.*[\[\](){},;]\s*$)|(?<=[\w)\]]->)|(?<=\) ->)|(?<=\))\s*:\s*$|(?<=\$)[a-zA-Z_{(]'
    r'|(?<=;) *(?:then|do)$)'
)


def is_code(text: str) -> bool:
    """Return whether a line has the form of code."""
    return _OPENS_CODE.match(text) is not None or _CODE.search(text) is not None


def may_be_code(lines: Sequence[str]) -> bool:
    """Return whether as many lines have the form of code as a text has that is code; blank ones are not to be given."""
    left = len(lines) - ceil(_CODE_SHARE * len(lines))
    others = (line for line in lines if not is_code(line[:_LOOKED_AT]))
    return bool(lines) and sum(1 for _ in islice(others, left + 1)) <= left


def language_of(name: str) -> str:
    """The language of a file of source code by its name, as a lexer of it is called; empty for other files."""
    return _languages().get(PurePath(name).suffix or name, '')


@cache
def _languages() -> dict[str, str]:
    """Languages by what the names of their files end with, or by the whole name."""
    from pygments.lexers import get_all_lexers

    named = {
        pattern.removeprefix('*'): 'cpp' if pattern == '*.h' else language  # which knows all of C
        for language in reversed(_NAMED_LANGUAGES)
        for _, aliases, patterns, _ in get_all_lexers(plugins=False)
        if language in aliases
        for pattern in patterns
    }
    return named | {'.tsx': 'typescript', '.jsx': 'javascript'}
