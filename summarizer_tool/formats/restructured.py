"""reStructuredText as markdown: headings, definitions, code. Pure computing.

What a directive describes (`.. function:: open(path)`, `.. option:: --strict`) is a term, and what stands in below it
is said of that, as in a definition list.
"""

import re
from dataclasses import dataclass, field
from textwrap import dedent, indent

from summarizer_tool.html.code import fenced
from summarizer_tool.text.sentences import without_roles

_IS_RESTRUCTURED = re.compile(r'^ *\.\. (?:\|[^|\n]{1,80}\| )?[\w:.+-]+::(?:\s|$)', re.MULTILINE)
_LEAST = 2
"""Directives that a text must have whose name does not say what it is."""
_REPLACED = re.compile(r'^\.\. \|([^|\n]{1,80})\| (?:replace:: (.{1,200})|image::.*)$', re.MULTILINE)
_MARKED = re.compile(r'\|([^|\n]{1,80})\|')
_MOST_REPLACED = 2000
_REFERENCE = re.compile(r'(?<![`\w])`([^`<>]{1,200}?)\s+<[^`<>]{1,500}>`(?![`_])')
_BODY = r'((?: +\S.*\n| *\n)*)'
_EXPLICIT = re.compile(rf'^\.\.(?: +(?:([\w:.+-]+)::(?=\s))?(.*)|)\n{_BODY}', re.MULTILINE)
_NOTE = re.compile(r'\[[^\]]+\] ')
_FIELDS = re.compile(r'\A(?::[\w-]+:.*\n)+')
_OPTION = re.compile(r'^:([\w-]+): +(.*\S)', re.MULTILINE)
_LITERAL = re.compile(rf'^(\S.*?|):: *\n(?: *\n)+(?= +\S){_BODY}', re.MULTILINE)
_DEFINED = re.compile(rf'(?:(?<=\n\n)|\A)(?![-*+•:|>]|[\w#]{{1,3}}[.)] )(\S.{{0,200}}(?<![.,;!?]))\n(?= +\S){_BODY}')
_ADORNMENT = r'[=~^"\'`#*+\-_.:<>!$%&]'
_HEADING = re.compile(rf'^(?:({_ADORNMENT})\1{{2,}} *\n)? *(\S.{{0,200}}?) *\n({_ADORNMENT})\3{{2,}} *$', re.MULTILINE)
_KEPT = re.compile('^([: ]*)\x02(\\d+)\x03', re.MULTILINE)
_DEEPEST = 12
"""Blocks within each other; what is deeper is said as it is."""

_CODE = frozenset(
    'code code-block sourcecode doctest testcode parsed-literal math prompt productionlist'.split()  # noqa: SIM905
)
_ADMONITIONS = frozenset(
    'attention caution danger deprecated error hint important note seealso tip topic warning'.split()  # noqa: SIM905
)
_BOXES = frozenset({'class', 'container', 'ifconfig', 'only'})
"""What shows its body, and not the name that it has."""
_PICTURES = frozenset({'image', 'figure'})
_UNSEEN = frozenset(
    """contents highlight include index literalinclude meta raw role toctree sectionauthor moduleauthor
    currentmodule testsetup testcleanup tabularcolumns""".split()  # noqa: SIM905
)


def markdown(text: str, *, is_named_so: bool = False) -> str:
    """The text as markdown; empty where it is something else; `is_named_so`: the name of its file says what it is."""
    if not is_named_so and sum(1 for _ in zip(range(_LEAST), _IS_RESTRUCTURED.finditer(text), strict=False)) < _LEAST:
        return ''
    text = text.replace('\x02', '').replace('\x03', '').expandtabs()
    replaced = dict(_REPLACED.findall(text))
    text = _MARKED.sub(lambda mark: replaced.get(mark[1], mark[0]), text, count=_MOST_REPLACED) if replaced else text
    reader = _Reader()
    text = reader.read(_REFERENCE.sub(r'`\1`', without_roles(text)) + '\n')
    while _KEPT.search(text):
        text = _KEPT.sub(lambda at: at[1] + reader.kept[int(at[2])].replace('\n', '\n' + ' ' * len(at[1])), text)
    return re.sub(r' *\n(?: *\n){2,}', '\n\n', text).strip('\n') + '\n'


@dataclass(slots=True)
class _Reader:
    adornments: list[tuple[str, bool]] = field(default_factory=list[tuple[str, bool]])
    """Of headings, outermost first: the mark, and whether it stands above, too."""
    kept: list[str] = field(default_factory=list[str])
    """What is read already."""
    depth: int = 0

    def read(self, text: str) -> str:
        """A block, which stands in by nothing, as markdown."""
        if self.depth >= _DEEPEST:
            return text
        self.depth += 1
        text = _EXPLICIT.sub(self._explicit, text)
        text = _LITERAL.sub(lambda found: f'{found[1]}{":" * bool(found[1])}\n{self._fenced(found[2])}', text)
        text = _HEADING.sub(self._heading, text)
        text = _DEFINED.sub(lambda found: self._term(found[1], found[2]), text)
        self.depth -= 1
        return re.sub(r'^:(?=[\w-][^:`\n]*:\s)', '- ', re.sub(r'(?m)::$', ':', text), flags=re.MULTILINE)

    def _keep(self, shown: str) -> str:
        self.kept.append(shown)
        return f'\n\x02{len(self.kept) - 1}\x03\n\n'

    def _heading(self, found: re.Match[str]) -> str:
        form = (found[3], found[1] is not None)
        if not any(map(str.isalnum, found[2])) or (found[1] or found[3]) != found[3]:
            return found[0]
        if form not in self.adornments:
            self.adornments.append(form)
        return f'{"#" * min(6, self.adornments.index(form) + 1)} {found[2]}'

    def _explicit(self, found: re.Match[str]) -> str:
        """A directive, a footnote, or what is not shown: comments, targets of links."""
        name, said, body = (found[1] or '').lower(), (found[2] or '').strip(), dedent(found[3])
        if not name:
            return self._keep(f'{said}\n{self.read(body)}') if _NOTE.match(said) else ''
        options = dict(_OPTION.findall(fields[0])) if (fields := _FIELDS.match(body)) else {}
        body = _FIELDS.sub('', body)
        if name in _PICTURES and 'target' not in options:  # with one it is a badge
            shown = f'[Image: {options["alt"]}]' if 'alt' in options else ''
            return self._keep(self.read(f'{shown}\n\n{body}').strip('\n'))
        if name in _UNSEEN or name in _PICTURES:
            return ''
        if name in _BOXES:
            return self._keep(self.read(body))
        if name in _CODE:
            return self._fenced(body, said)
        if name.startswith(('version', 'deprecated')):
            return self._keep(f'{name.replace("version", "version ").capitalize()} {said}:\n{self.read(body)}')
        if not said or name in _ADMONITIONS:
            return self._keep(self.read(f'{said}\n{body}'.lstrip('\n')))
        forms, _, below = body.partition('\n\n') if body.partition('\n')[0].strip() else ('', '', body)
        return self._term(', '.join((said, *map(str.strip, forms.split('\n')))).rstrip(', '), below)

    def _term(self, term: str, body: str) -> str:
        """A term with what is said of it, as in a definition list."""
        said = indent(self.read(dedent(body).strip('\n') + '\n'), '  ').strip()
        return self._keep(f'{term}\n: {said}' if said else term)

    def _fenced(self, code: str, language: str = '') -> str:
        return self._keep(fenced(dedent(code).strip('\n'), language.partition(' ')[0]))
