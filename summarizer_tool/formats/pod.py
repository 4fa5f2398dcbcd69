"""Documentation as Perl has it (`perldoc perlpodspec`), as markdown: headings, definitions, whole paragraphs.

Pure computing. What stands in is code, and so is what a module has between its documentation.
"""

import html
import re
from dataclasses import dataclass, field

_IS_POD = re.compile(r'(?:\A|\n[ \t]*\n)=(?:head1|pod)\b')
_BLANK = re.compile(r'\n(?:[ \t]*\n)+')
_COMMAND = re.compile(r'=([a-zA-Z]\w*)\s*(.*)', re.DOTALL)
_BULLET = re.compile(r'(?:\*|(\d{1,3})[.)]?)(?:\s+|$)')
_NAME = re.compile(r'(\S.{0,80}?)\s+-+\s')
# `C<< a > b >>`, and a code that has no other one in it.
_WIDE = re.compile(r'([A-Z])(<{2,})\s+(.*?)\s+>{2,}', re.DOTALL)
_CODE = re.compile(r'([A-Z])<((?:[^<>]|(?<![A-Z])<)*)>')
# What is for an index, or for nothing.
_UNSEEN = re.compile(r'\s?X<[^<>]*>|Z<>')
_DEEPEST = 8
"""Codes within each other."""

_HIDDEN, _SHOWN = str.maketrans('<>', '\x0e\x0f'), str.maketrans('\x0e\x0f', '<>')
"""Brackets of the text itself, while those of codes are looked for."""


def markdown(text: str) -> str:
    """The text as markdown; empty where it is no such documentation."""
    if ('=head1' not in text and '=pod' not in text) or not _IS_POD.search(text):
        return ''
    pod = _Pod(is_code=not text.lstrip().startswith('='))
    for paragraph in _BLANK.split(text.expandtabs().strip('\n')):
        pod.read(paragraph)
    pod.end_code()
    return '\n'.join(pod.out).strip('\n') + '\n'


@dataclass(slots=True)
class _Pod:
    """Where the reading of one text stands."""

    is_code: bool
    """Whether the lines at hand are a program's."""
    out: list[str] = field(default_factory=list[str])
    depth: int = 0
    """How many lists are open."""
    mark: str = ''
    """What the next paragraph begins with, as an item of a list or as what is said of a term."""
    is_fenced: bool = False
    is_elsewhere: bool = False
    """Whether the paragraphs at hand are for another format, such as HTML."""

    def read(self, paragraph: str) -> None:
        command = _COMMAND.match(paragraph)
        if command:
            self.is_code = command[1] == 'cut'
            self.is_elsewhere = command[1] == 'begin' or (self.is_elsewhere and command[1] != 'end')
        if self.is_elsewhere:
            return
        if not command and (self.is_code or paragraph[:1] == ' '):
            self.out += ['' if self.is_fenced else '\n```', *paragraph.split('\n')]
            self.is_fenced = True
            return
        self.end_code()
        if command:
            self._obey(command[1], _plain(command[2]))
        else:
            self._write(_plain(paragraph))

    def end_code(self) -> None:
        self.out += ['```'] * self.is_fenced
        self.is_fenced = False

    def _obey(self, name: str, text: str) -> None:
        if name.startswith('head'):
            self.depth, self.mark = 0, ''
            self.out += ['', f'{"#" * int(name[4:] or 1)} {text}']
        elif name in ('over', 'back'):
            self.depth = max(0, self.depth + (1 if name == 'over' else -1))
        elif name == 'item' and (bullet := _BULLET.match(text)):
            self.mark = f'{bullet[1]}. ' if bullet[1] else '- '
            self._write(text[bullet.end() :])
        elif name == 'item' and self.mark == ': ':  # another term, of which the same is said
            self.out[-1] += f', {text}'
        elif name == 'item':
            self.out += ['', '  ' * (self.depth - 1) + text]
            self.mark = ': '

    def _write(self, text: str) -> None:
        if not text:
            return
        if self.out and self.out[-1] == '# NAME' and (named := _NAME.match(text)):
            self.out[-1] = f'# {named[1]}'
        if not self.mark.startswith(':'):
            self.out.append('')
        self.out.append('  ' * (self.depth - bool(self.mark)) + self.mark + text)
        self.mark = ''


def _plain(text: str) -> str:
    """A paragraph on one line, its codes as markdown has them, or without."""
    text = _UNSEEN.sub('', ' '.join(text.split()))
    text = _WIDE.sub(lambda code: _said(code[1], code[3].translate(_HIDDEN)), text)
    for _ in range(_DEEPEST):
        text, times = _CODE.subn(lambda code: _said(code[1], code[2]), text)
        if not times:
            break
    return text.translate(_SHOWN)


def _said(code: str, text: str) -> str:
    if code == 'C':
        return f'`{text}`'
    if code == 'E':
        known = {'sol': '/', 'verbar': '|'}.get(text) or html.unescape(f'&#{text};' if text.isdigit() else f'&{text};')
        return known.translate(_HIDDEN)
    if code == 'L' and not text.startswith(('http:', 'https:', 'ftp:', 'mailto:')):
        shown, _, target = text.rpartition('|')
        return shown or target.lstrip('/').replace('"', '').replace('/', ', ')
    return text
