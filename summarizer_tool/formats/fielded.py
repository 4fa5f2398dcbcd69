"""A text below the fields of a package, as in `METADATA` and `PKG-INFO`, as markdown below its front matter.

The fields are written as those of a mail are (RFC 822). Pure computing.
"""

import re

_FIELDS = re.compile(r'\ufeff?((?:[A-Z][A-Za-z-]{1,40}:(?: [^\n]*)?\n(?:[ \t]+\S[^\n]*\n)*){3,})\n+(?=\S)')
_NAMES = re.compile(r'^(?:Name|Summary): +\S', re.MULTILINE)
_TYPE = re.compile(r'^Description-Content-Type: text/(?:(markdown)|x-(rst))\b', re.MULTILINE)


def parts(text: str) -> tuple[str, str, str] | None:
    """The fields as front matter, the text below them, and a name that a file of its type may have.

    Nothing where a text has no fields, or none that say what is called so, and what that is.
    """
    head = _FIELDS.match(text)
    if head is None or len({*_NAMES.findall(head[1])}) < 2:
        return None
    kind = _TYPE.search(head[1])
    return f'---\n{head[1]}---\n\n', text[head.end() :], f'text.{kind[1] or kind[2]}' if kind else ''
