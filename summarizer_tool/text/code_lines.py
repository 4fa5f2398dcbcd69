"""Source code, told by its name or by the form of its lines, in whatever language."""

from collections.abc import Sequence
from functools import cache
from itertools import islice, pairwise
from math import ceil
from pathlib import PurePath

import regex

LANGUAGES = (
    'python', 'typescript', 'java', 'go', 'rust', 'c', 'cpp', 'csharp', 'ruby', 'php', 'kotlin', 'swift', 'scala',
    'bash', 'perl', 'lua',
)  # fmt: skip
"""Tried in this order where the form of the lines is that of code; of equals the first is taken."""

NAMED_LANGUAGES = (
    *LANGUAGES, 'javascript', 'dart', 'elixir', 'erlang', 'fortran', 'fsharp', 'groovy', 'haskell', 'julia', 'make',
    'nim', 'objective-c', 'ocaml', 'powershell', 'r', 'solidity', 'zig',
)  # fmt: skip
"""Taken where the name of the file says so."""

BLOCK_LANGUAGES = (
    'cmake', 'css', 'docker', 'graphql', 'less', 'nginx', 'protobuf', 'scss', 'sql', 'terraform', 'thrift',
)  # fmt: skip
"""Likewise; what they say stands in statements and blocks at the margin, not in functions."""

_CODE_SHARE = 0.3
"""Share of the lines from which a text may be code."""
_LOOKED_AT = 200
"""Characters of a line by which its form is told."""

_OPENS_CODE = regex.compile(
    r'\s*(?:[@})\]]|(?:import|from|package|use|using|#include|return|end)\b|//|/\*|\*/|(?:then|else|fi|do|done|esac)$)'
)
# Each begins with its mark, and looks back from there: so it is found thirty times as fast.
_CODE = regex.compile(
    r'[{};(\[)=>$](?:(?<=[{};(\[])\s*$|(?<=\w\()(?:[^()]*\)?:?\s*$|\w*[,)])|(?<=\w \W?=) |(?<=\w=)=|(?<==>)'
    r'|(?<=[\w)\]]->)|(?<=\) ->)|(?<=\))\s*:\s*$|(?<=\$)[a-zA-Z_{(]|(?<=;) *(?:then|do)$)'
)


_STATEMENT = regex.compile(
    r'(?:alter|comment|create|delete|drop|grant|insert|revoke|select|update|with)\s+[\w"(*]', regex.IGNORECASE
)
_LEAST_STATEMENTS = 3
_STATEMENTS_SHARE = 0.7
_LONGEST_STATEMENT = 100
"""Lines of a statement, on the average."""


def is_code(text: str) -> bool:
    """Return whether a line has the form of code."""
    return _OPENS_CODE.match(text) is not None or _CODE.search(text) is not None


def may_be_code(lines: Sequence[str]) -> bool:
    """Return whether as many lines have the form of code as a text has that is code; blank ones are not to be given."""
    left = len(lines) - ceil(_CODE_SHARE * len(lines))
    others = (line for line in lines if not is_code(line[:_LOOKED_AT]))
    return bool(lines) and sum(1 for _ in islice(others, left + 1)) <= left


def is_sql(lines: Sequence[str]) -> bool:
    """Return whether nearly all that stands behind the end of a statement begins one of SQL."""
    said = [line for line in lines if line[:2] not in ('--', '/*')]
    behind = [line for before, line in pairwise(said) if before.rstrip()[-1:] == ';' and line[:1].strip()]
    found = sum(_STATEMENT.match(line) is not None for line in behind)
    return found >= max(_LEAST_STATEMENTS, _STATEMENTS_SHARE * len(behind), len(lines) / _LONGEST_STATEMENT)


def language_of(name: str) -> str:
    """The language of a file of source code by its name, as a lexer of it is called; empty for other files."""
    return _languages().get(PurePath(name).suffix or name, '')


@cache
def _languages() -> dict[str, str]:
    """Languages by what the names of their files end with, or by the whole name."""
    from pygments.lexers import get_all_lexers

    named = {
        pattern.removeprefix('*'): 'cpp' if pattern == '*.h' else language  # which knows all of C
        for language in reversed((*NAMED_LANGUAGES, *BLOCK_LANGUAGES))
        for _, aliases, patterns, _ in get_all_lexers(plugins=False)
        if language in aliases
        for pattern in patterns
    }
    return named | {'.tsx': 'typescript', '.jsx': 'javascript'}
