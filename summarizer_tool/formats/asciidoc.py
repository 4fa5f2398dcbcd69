"""AsciiDoc as markdown: headings, definitions, code. Pure computing."""

import re
from collections.abc import Iterator
from itertools import islice

_HEADED = re.compile(r'={1,6} \S')
_TERM = re.compile(r'(\S.{0,400}?)(?:::+|;;)(?:\s+(.+))?$')
_DEFINED = re.compile(r'^(?!\.\. )\S[^\n]{0,400}(?:::|;;)\n[ \t]+\S', re.MULTILINE)
_MARKED = re.compile(
    r'^(?:={2,6} \w|\[(?:source|NOTE|TIP|IMPORTANT|WARNING|CAUTION|quote|horizontal)\b[^\]\n]*\]$)', re.MULTILINE
)
_LIKELY = {_DEFINED: ('::\n', ';;\n'), _MARKED: ('\n==', '\n[')}
"""What stands in a text with several of them, and is found much faster."""
_LEAST = 3
"""Terms with what is said of them on the next line, or headings and names of blocks, by which it is told; in
reStructuredText two colons have a blank line below."""
_UNDERLINE = re.compile(r'([=\-~^+])\1{2,}$')
_LEVELS = '=-~^+'
_RAGGED = 2
"""Characters by which a line below a title may be longer or shorter than it."""
_FENCE = re.compile(r'(?:-{4,}|\.{4,}|/{4,})$')
_ATTRIBUTE = re.compile(r'^:([\w-]{1,40}):[ \t]+(\S.{0,200})$', re.MULTILINE)
_REFERENCE = re.compile(r'\{([\w-]{1,40})\}')
_ADMONITION = re.compile(r'\[(NOTE|TIP|IMPORTANT|WARNING|CAUTION)\]$')
_UNSEEN = re.compile(
    r'(?:={4,}|\*{4,}|_{4,}|\|={3,})$|//|\[[^\]]*\]$|(?:ifdef|ifndef|endif|ifeval|include)::|:[\w!-]+:(?:\s|$)|--$'
)
_INDEX_TERM = re.compile(r'\({3}[^()\n]{1,200}\){3}|\({2}([^()\n]{1,100})\){2}')
_CROSS_REFERENCE = re.compile(r'<<[^<>,\n]{1,100},\s*([^<>\n]{1,200})>>')
_MACRO = re.compile(r'\b[a-z]+:([^\s\[\]:][^\s\[\]]{0,200})\[([^\[\]\n]{0,200})\]')


def markdown(text: str, *, is_named_so: bool = False) -> str:
    """The text as markdown; empty where it is something else, unless the name of its file says that it is AsciiDoc."""
    likely = [each for each, marks in _LIKELY.items() if any(mark in text for mark in marks)]
    if not is_named_so and not any(len([*islice(each.finditer(text), _LEAST)]) == _LEAST for each in likely):
        return ''
    said = dict(_ATTRIBUTE.findall(text))
    text = _REFERENCE.sub(lambda found: said.get(found[1], found[0]), text)
    return '\n'.join(_read(text.expandtabs(8).split('\n'))).strip('\n') + '\n'


def _read(lines: list[str]) -> Iterator[str]:
    terms: list[str] = []
    mark = pad = fence = ''
    goes_on = False
    for at, line in enumerate(lines):
        bare, below = line.strip(), lines[at + 1].rstrip() if at + 1 < len(lines) else ''
        is_below = not fence and _is_underline(lines[at - 1].rstrip() if at else '', bare)
        if fence or (_FENCE.match(line) and not is_below):
            if not fence:
                fence = line.rstrip()
                yield from ([] if fence[0] == '/' else ['', '```'])
            elif line.rstrip() == fence:
                yield from ([] if fence[0] == '/' else ['```', ''])
                fence = ''
            elif fence[0] != '/':
                yield line
            continue
        mark = f'{admonition[1].capitalize()}: ' if (admonition := _ADMONITION.match(line)) else mark
        if is_below or _UNSEEN.match(line):
            continue
        if not bare or bare == '+':  # what follows a lone plus belongs to what was said before
            goes_on = bare == '+' or (goes_on and not bare)
            pad = pad if goes_on or (below[:1].isspace() or below == '+' or not below) else ''
            yield from () if terms else ('',)
        elif (level := _is_underline(bare, below) or (_HEADED.match(line) and line.index(' '))) and not pad:
            terms, pad = [], ''
            yield f'{"#" * level} {bare.lstrip("= ")}'
        elif not line.startswith(' ') and (term := _TERM.match(line.rstrip())):
            terms.append(_plain(term[1]))
            pad, mark, goes_on = '  ', ': ', False
            if term[2]:
                yield from ('', ', '.join(terms), f': {_plain(term[2])}')
                terms, mark = [], ''
        else:
            if terms:
                yield from ('', ', '.join(terms))
                terms = []
            yield f'{mark or pad}{_plain(bare if pad else line.rstrip())}'
            mark = ''


def _is_underline(title: str, below: str) -> int:
    """The level of the heading that a line below a title makes of it, or 0."""
    line = _UNDERLINE.match(below)
    is_title = line and re.search(r'\w', title) and abs(len(title) - len(below)) <= _RAGGED
    return _LEVELS.index(line[1]) + 1 if line and is_title else 0


def _plain(text: str) -> str:
    text = _CROSS_REFERENCE.sub(r'\1', _INDEX_TERM.sub(r'\1', text))
    return _MACRO.sub(lambda found: f'{found[1]}({found[2]})' if found[2].isdigit() else found[2] or found[1], text)
