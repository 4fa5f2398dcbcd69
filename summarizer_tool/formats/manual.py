"""Pages of the manual as `man` formats them (`man 7 man`), as markdown: headings, definitions, paragraphs, code.

Pure computing. Requests that only place text on a page say nothing, and are left out.
"""

import re
from dataclasses import dataclass, field

from summarizer_tool.formats.joining import join

_IS_MANUAL = re.compile(r'^\.TH[ \t]+\S', re.MULTILINE)
_PREAMBLE = 20_000
"""Characters of macros and comments that may stand before what says that it is one."""
_REQUEST = re.compile(r"[.'][ \t]*(?:([A-Za-z]\w{0,2})(?!\w))?[ \t]*(.*)")
_WORDS = re.compile(r'"((?:[^"]|"")*)"?|(\S+)')
_FONT = re.compile(r'\\f(?:\(..|\[[^\]]*\]|.)|\\s[-+]?\d{1,2}|[\\]([&|^/,%c:])|\\[mM]\[[^\]]*\]')
_GLYPH = re.compile(r'\\\((..)|\\\[([^\]]{1,20})\]|\\\*(?:\((..)|\[([^\]]{1,20})\]|(.))|\\(.)')
_SIGNS = {'aq': "'", 'dq': '"', 'lq': '“', 'rq': '”', 'oq': '‘', 'cq': '’', 'bu': '•', 'em': '—', 'en': '–', 'ha': '^'}
_GLYPHS = _SIGNS | {'ti': '~', 'rs': '\\', 'mu': '×', 'co': '©', '+-': '±', '<=': '≤', '>=': '≥', '->': '→', 'Tm': '™'}
_PLAIN = {'e': '\\', '~': ' ', '0': ' ', ' ': ' ', '-': '-', "'": "'", '`': '`', '.': '.', '\\': '\\'}
_SAYING = frozenset({'B', 'I', 'SM', 'SB', 'R', 'UR', 'MT', 'UE', 'ME'})
_MIXED = frozenset({'BR', 'RB', 'IR', 'RI', 'BI', 'IB'})
_PARAGRAPHS = frozenset({'PP', 'P', 'LP', 'HP', 'br', 'sp', 'RS', 'RE'})
_CODE = frozenset({'nf', 'fi', 'EX', 'EE', 'TS', 'TE'})
_BULLETS = frozenset({'•', 'o', '*', '-', '–', '·', '○'})
# A sentence after another one that has no end yet: of a list or a synopsis each line may stand for itself.
_BREAKS_OFF = re.compile(r'\w\w[.!?] [^\W\d_][^.!?:]*[^\W\d_A-Z]$')
_NUMBER = re.compile(r'\(?(\d{1,3})[.)]?$')


def markdown(text: str) -> str:
    """The text as markdown; empty where it is no page of the manual."""
    if text.lstrip()[:1] not in ('.', "'") or not _IS_MANUAL.search(text[:_PREAMBLE]):
        return ''
    page = _Page()
    for line in text.expandtabs().split('\n'):
        page.read(line)
    page.end()
    return '\n'.join(page.out).strip('\n') + '\n'


@dataclass(slots=True)
class _Page:
    """Where the reading of one page stands."""

    out: list[str] = field(default_factory=list[str])
    words: list[str] = field(default_factory=list[str])
    """Of the paragraph at hand."""
    mark: str = ''
    """What it begins with, as an item of a list or as what is said of a term."""
    terms: list[str] = field(default_factory=list[str])
    awaits: str = ''
    """The request whose text is on the next line: `TP`, `SH`, `SS`."""
    is_code: bool = False
    ignores: bool = False

    def read(self, line: str) -> None:
        request = _REQUEST.match(line) if line[:1] in ('.', "'") else None
        if self.ignores:  # what a macro is defined as
            self.ignores = line.strip() != '..'
        elif not request:
            self._say(_said(line))
        elif request[1] in ('de', 'ig', 'de1'):
            self.ignores = True
        elif request[1]:
            self._obey(request[1], request[2])

    def _obey(self, name: str, rest: str) -> None:
        rest = rest.partition('\\"')[0]
        given = [(found[1] or found[2] or '').replace('""', '"') for found in _WORDS.finditer(rest)]
        if name in _SAYING or name in _MIXED:
            if given:
                self._say(_said(('' if name in _MIXED else ' ').join(given)))
        elif name == 'TH' and given:
            self.out.append(f'# {_said(given[0]).lower() if given[0].isupper() else _said(given[0])}')
        elif name in ('SH', 'SS', 'TP', 'TQ'):
            self.end(goes_on=name == 'TQ')
            self.awaits = name
            if name[0] == 'S' and given:
                self._say(_said(' '.join(given)))
        elif name == 'IP' and given and given[0].strip():
            self.end()
            self._term(_said(given[0]))
        elif name in _CODE:
            self.end()
            if self.is_code != (is_code := name in ('nf', 'EX', 'TS')):
                self.out += ['', '```'] if is_code else ['```']
            self.is_code = is_code
        elif name == 'IP' or (
            name in _PARAGRAPHS and not (name == 'br' and _BREAKS_OFF.search(' '.join(self.words[-20:])[-300:]))
        ):
            self.end(goes_on=True)

    def _term(self, text: str) -> None:
        number = _NUMBER.match(text)
        if text in _BULLETS or number:
            self.mark = f'{number[1]}. ' if number else '- '
        else:
            self.terms.append(text)

    def _say(self, text: str) -> None:
        if self.awaits:
            awaits, self.awaits = self.awaits, ''
            if awaits[0] == 'T':
                self._term(text.strip())
            else:
                self.terms, self.mark = [], ''
                self.out += ['', f'{"##" if awaits == "SH" else "###"} {text.strip()}']
        elif self.is_code:
            self.out.append(text)
        elif not text.strip():
            self.end(goes_on=True)
        else:
            self.words.append(text.strip())

    def end(self, *, goes_on: bool = False) -> None:
        """End the paragraph at hand; `goes_on`: a term without text may have it below."""
        if self.words and self.terms:
            self.out += ['', ', '.join(self.terms), f': {join(self.words)}']
        elif self.words:
            self.out += ['', self.mark + join(self.words)]
        elif self.terms and not goes_on:
            self.out += ['', ', '.join(self.terms)]
        if self.words or not goes_on:
            self.terms, self.mark = [], ''
        self.words = []


def _said(text: str) -> str:
    """A text without what sets its font."""
    return _GLYPH.sub(_glyph, _FONT.sub('', text))


def _glyph(found: re.Match[str]) -> str:
    name = next(name for name in found.groups() if name is not None)
    if found[6]:
        return _PLAIN.get(name, '')
    return chr(int(name[1:], 16)) if re.fullmatch(r'u[0-9A-Fa-f]{4,5}', name) else _GLYPHS.get(name, '')
