"""reStructuredText as markdown: headings, definitions, code. Pure computing.

What a directive describes (`.. function:: open(path)`, `.. option:: --strict`) is a term, and what stands in below it
is said of that, as in a definition list.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from summarizer_tool.text.sentences import without_roles

_IS_RESTRUCTURED = re.compile(r'^ *\.\. (?:\|[^|\n]{1,80}\| )?[\w:.+-]+::(?:\s|$)', re.MULTILINE)
_LEAST = 2
"""Directives that a text must have whose name does not say what it is."""
_DIRECTIVE = re.compile(r'\.\. ([\w:.+-]+)::(?:\s+(.*))?$')
_REPLACED = re.compile(r'^\.\. \|([^|\n]{1,80})\| (?:replace:: (.{1,200})|image::.*)$', re.MULTILINE)
_MARKED = re.compile(r'\|([^|\n]{1,80})\|')
_MOST_REPLACED = 2000
_REFERENCE = re.compile(r'(?<![`\w])`([^`<>]{1,200}?)\s+<[^`<>]{1,500}>`(?![`_])')
_EXPLICIT = re.compile(r'\.\.(?=\s|$)')
_NOTE = re.compile(r'\.\. (\[[^\]]+\] .*)')
_OPTION = re.compile(r':[\w-][^:`]*:(?=\s|$)')
_ADORNMENT = re.compile(r'([=~^"\'`#*+\-_.:<>!$%&])\1{2,}$')
_ITEM = re.compile(r'(?:[-*+•]|(?:\d{1,3}|[a-zA-Z#])[.)])\s')
_ENDS_TEXT = re.compile(r'[.,;!?]$')
_LONGEST_TERM = 200
_DEEPEST = 12
"""Blocks within each other; what is deeper is said as it is."""

_CODE = frozenset(
    'code code-block sourcecode doctest testcode parsed-literal math prompt productionlist'.split()  # noqa: SIM905
)
_ADMONITIONS = frozenset(
    'attention caution danger deprecated error hint important note seealso tip topic warning'.split()  # noqa: SIM905
)
_UNSEEN = frozenset(
    """contents highlight image figure include index literalinclude meta raw role toctree sectionauthor moduleauthor
    currentmodule testsetup testcleanup tabularcolumns""".split()  # noqa: SIM905
)


def markdown(text: str, *, is_named_so: bool = False) -> str:
    """The text as markdown; empty where it is something else; `is_named_so`: the name of its file says what it is."""
    if not is_named_so and sum(1 for _ in zip(range(_LEAST), _IS_RESTRUCTURED.finditer(text), strict=False)) < _LEAST:
        return ''
    replaced = dict(_REPLACED.findall(text))
    text = _MARKED.sub(lambda mark: replaced.get(mark[1], mark[0]), text, count=_MOST_REPLACED) if replaced else text
    text = _REFERENCE.sub(r'`\1`', without_roles(text))
    reader = _Reader()
    return '\n'.join(reader.read(text.expandtabs().split('\n'))).strip('\n') + '\n'


@dataclass(slots=True)
class _Reader:
    adornments: list[tuple[str, bool]] = field(default_factory=list[tuple[str, bool]])
    """Of headings, outermost first: the mark, and whether it stands above, too."""

    def read(self, lines: Sequence[str], depth: int = 0) -> Iterator[str]:
        """The lines of a block, which stand in by nothing, as markdown."""
        at = 0
        is_literal = False
        while at < len(lines):
            line = lines[at]
            if not line.strip():
                yield ''
                at += 1
                continue
            end = _end(lines, at)
            body = _dedented(lines[at + 1 : end])
            if line.startswith(' '):  # what stands in below a paragraph: code, or a quotation
                end = _end(lines, at - 1) if at else _end([' ', *lines], 0) - 1
                body = _dedented(lines[at:end])
                yield from _fenced(body) if is_literal else self._within(body, depth)
                at = end
                continue
            is_literal = False
            if heading := self._heading(lines, at):
                yield heading[0]
                at = heading[1]
            elif _EXPLICIT.match(line):
                yield from self._explicit(line, body, depth)
                at = end
            elif self._is_term(lines, at) and depth < _DEEPEST:
                yield from ('', line.strip())
                yield from self._definition(body, depth)
                at = end
            elif _ITEM.match(line) or _OPTION.match(line):
                mark = '' if _ITEM.match(line) else '- '
                yield mark + _said(line).lstrip(':' if mark else '')
                yield from (f'  {each}' if each else '' for each in self._within(body, depth))
                at = end
            else:
                is_literal = line.rstrip().endswith('::')
                yield _said(line)
                at += 1

    def _heading(self, lines: Sequence[str], at: int) -> tuple[str, int] | None:
        """The heading that begins on a line, and the line after it."""
        is_above = _ADORNMENT.match(lines[at].rstrip()) is not None
        title, below, *_ = *lines[at + is_above : at + is_above + 2], '', ''
        mark = _ADORNMENT.match(below.rstrip())
        if mark is None or not title.strip() or (not is_above and len(below.rstrip()) < len(title.rstrip()) // 2):
            return ('', at + 1) if is_above else None  # a rule
        if _ADORNMENT.match(title.rstrip()) or len(title) > _LONGEST_TERM:
            return None
        form = (mark[1], is_above)
        if form not in self.adornments:
            self.adornments.append(form)
        level = min(6, self.adornments.index(form) + 1)
        return f'{"#" * level} {title.strip()}', at + 2 + is_above

    def _explicit(self, line: str, body: Sequence[str], depth: int) -> Iterator[str]:
        """A directive, a footnote, or what is not shown: comments, targets of links."""
        if note := _NOTE.match(line):
            yield note[1]
            yield from self._within(body, depth)
        if not (directive := _DIRECTIVE.match(line)):
            return
        name, said = directive[1].lower(), (directive[2] or '').strip()
        while body and _OPTION.match(body[0]):
            body = body[1:]
        if name in _UNSEEN:
            return
        if name in _CODE:
            yield from _fenced(body, said)
        elif not said or name.startswith('version') or name in _ADMONITIONS:
            label = name.replace('version', 'version ').capitalize()  # `versionadded`
            is_label = name.startswith(('version', 'deprecated'))
            yield from ('', f'{label} {said}:') if is_label else ('',)
            yield from self._within(body if is_label else [said, *body], depth)
        else:
            # Further forms of what is described stand in as its name does.
            forms = [said]
            while body and body[0].strip():
                forms.append(body[0].strip())
                body = body[1:]
            yield from ('', ', '.join(forms))
            yield from self._definition(body, depth)

    def _definition(self, body: Sequence[str], depth: int) -> Iterator[str]:
        """What is said of the term above."""
        if depth >= _DEEPEST:
            yield from body
            return
        mark = ': '
        for each in self.read([*body], depth + 1):
            if each or mark == '  ':
                yield f'{mark}{each}' if each else ''
                mark = '  '
        yield ''

    def _within(self, body: Sequence[str], depth: int) -> Iterator[str]:
        yield from self.read(body, depth + 1) if depth < _DEEPEST else body

    @staticmethod
    def _is_term(lines: Sequence[str], at: int) -> bool:
        """Return whether what stands in on the next line is said of a line, which is a term."""
        line, below = lines[at], lines[at + 1] if at + 1 < len(lines) else ''
        return (
            below.startswith(' ')
            and below.strip() != ''
            and (at == 0 or not lines[at - 1].strip())
            and not (_ITEM.match(line) or _OPTION.match(line) or _ENDS_TEXT.search(line.rstrip()))
            and not line.startswith(('|', '>>>', '+--'))
            and len(line) <= _LONGEST_TERM
        )


def _said(line: str) -> str:
    """A line without the second colon that leads to code."""
    text = line.rstrip()
    return (
        text if not text.endswith('::') else text[:-2].rstrip() if text.endswith(' ::') else text[:-1].rstrip(':') + ':'
    )


def _end(lines: Sequence[str], at: int) -> int:
    """The line after what stands in below a line, from its first one on; blank lines at its end are none of it."""
    end = last = at + 1
    while end < len(lines) and (not lines[end].strip() or lines[end].startswith(' ')):
        end += 1
        last = end if lines[end - 1].strip() else last
    return last


def _dedented(lines: Sequence[str]) -> list[str]:
    """Lines without what all of them stand in by."""
    least = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return [line[least:].rstrip() for line in lines]


def _fenced(lines: Sequence[str], language: str = '') -> Iterator[str]:
    while lines and not lines[0]:
        lines = lines[1:]
    fence = '```' if not any('```' in line for line in lines) else '~~~~'
    yield from ('', fence + language.split(' ')[0], *lines, fence, '')
