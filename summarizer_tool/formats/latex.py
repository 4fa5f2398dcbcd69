"""LaTeX as markdown: headings, paragraphs, items, tables; code and formulas as they stand. Pure computing."""

import re
import unicodedata
from collections.abc import Iterator

_MARKED = re.compile(r'^[ \t]*\\(?:documentclass|usepackage|begin\{document\}|(?:sub)*section\*?\{)', re.MULTILINE)
_SAMPLE = 20_000
"""Characters by which it is told."""
_COMMENT = re.compile(r'(?m)(?<!\\)%.*$')
_TITLE = re.compile(r'\\title(?:\[[^\]\n]{0,200}\])?\{((?:[^{}]|\{[^{}]{0,200}\}){1,400})\}')
_AUTHOR = re.compile(_TITLE.pattern.replace('title', 'author', 1))
_BODY = re.compile(r'\\begin\{document\}(.*?)(?:\\end\{document\}|\Z)', re.DOTALL)
_CODE = re.compile(
    r'\\begin\{(verbatim|lstlisting|minted)\}(?:[\[{][^\]}\n]{0,80}[\]}]){0,3}((?:(?!\\begin\{\1).)*?)\\end\{\1\}',
    re.DOTALL,
)
_FORMULA = re.compile(
    r'\\\[(.{1,600}?)\\\]|\$\$(.{1,600}?)\$\$|\\begin\{(equation|align|gather|multline)(\*?)\}((?:(?!\\begin\{\3).)*?)\\end\{\3\4\}',
    re.DOTALL,
)
_INLINE = re.compile(r'(?<!\\)\$([^$\n]{1,300})(?<!\\)\$|\\\((.{1,300}?)\\\)')
_TABLE = re.compile(
    r'\\begin\{(tabular[x*]?|longtable)\}(?:\[[^\]\n]{0,40}\])?(?:\{[^{}\n]{0,80}(?:\{[^{}\n]{0,80}\}[^{}\n]{0,80}){0,20}\}){0,2}'
    r'((?:(?!\\begin\{\1).)*?)\\end\{\1\}',
    re.DOTALL,
)
_ROW_END = re.compile(r'\\\\(?:\[[^\]\n]*\])?|\\tabularnewline')
_RULE = re.compile(r'\\(?:(?:top|mid|bottom|cmid|c)(?:rule|line)|hline)(?:[\[({][^\])}\n]{0,60}[\])}]){0,3}')
_COMMAND = re.compile(r'(~?)\\([a-zA-Z]+)\*?[ \t]*(?:\[[^\[\]\n]{0,200}\])?\{([^{}]{0,4000})\}(?:\[[^\[\]\n]{0,40}\])?')
_ROUNDS = 6
"""Commands within commands that are read."""
_LEVELS = {'part': 1, 'chapter': 1, 'section': 2, 'subsection': 3, 'subsubsection': 4, 'paragraph': 5}
_SECTIONS = {'abstract': 'Abstract', 'thebibliography': 'References'}
_UNSEEN = re.compile(
    r'\w*cite\w*|\w*ref|label|bibliography\w*|input|include(?:graphics|only)?|[vh]space|index|thanks|date|author|title'
    r'|(?:re)?new(?:command|environment|theorem)|set(?:length|counter)|page(?:style|numbering)|begin|end|usepackage'
    r'|documentclass|href'
)
_ITEM = re.compile(r'\\(?:bib)?item\b[ \t]*(?:\[([^\]\n]{1,200})\])?\s*')
_ACCENT = re.compile(r'\\(?:([`\'^"~=.])|([uvHcdbrk])(?![a-zA-Z]))\s*(?:\{\\?([a-zA-Z])\}|\\?([a-zA-Z]))')
_MARKS = {
    '`': '\u0300',
    "'": '\u0301',
    '^': '\u0302',
    '"': '\u0308',
    '~': '\u0303',
    '=': '\u0304',
    '.': '\u0307',
    'u': '\u0306',
    'v': '\u030c',
    'H': '\u030b',
    'c': '\u0327',
    'd': '\u0323',
    'b': '\u0331',
    'r': '\u030a',
    'k': '\u0328',
}
_SIGNS = {
    'ss': 'ß',
    'ae': 'æ',
    'oe': 'œ',
    'aa': 'å',
    'o': 'ø',
    'O': 'Ø',
    'l': 'ł',
    'L': 'Ł',
    'pounds': '£',
    'S': '§',
    'ldots': '…',
    'dots': '…',
    'LaTeX': 'LaTeX',
    'TeX': 'TeX',
    'and': ', ',
    'textasciitilde': '~',
    'par': '\n\n',
}
_ALONE = re.compile(r'\\([a-zA-Z]+)\*?[ \t]*|\\\\(?:\[[^\]\n]*\])?|\\[,;:! ]|---?|``|\'\'|~')
_SHOWN = {'--': '–', '---': '—', '``': '“', "''": '”', '\\\\': '\n', '\\!': ''}
_ESCAPED = re.compile(r'\\([%&$#_])|[{}]')
_KEPT = re.compile('\x02(\\d+)\x03')


def markdown(text: str, *, is_named_so: bool = False) -> str:
    """The text as markdown; empty where it is something else, unless the name of its file says that it is LaTeX."""
    if not is_named_so and len(_MARKED.findall(text[:_SAMPLE])) < 2:
        return ''
    kept: list[str] = []

    def keep(shown: str) -> str:
        kept.append(shown)
        return f'\x02{len(kept) - 1}\x03'

    text = text.replace('\x02', '').replace('\x03', '')
    text = _CODE.sub(lambda found: keep(f'\n\n```\n{found[2].strip()}\n```\n\n'), text)
    text = _COMMENT.sub('', text)
    title, author = _TITLE.search(text), _AUTHOR.search(text)
    text = body[1] if (body := _BODY.search(text)) else text
    text = _FORMULA.sub(lambda found: keep(f'\n\n$${" ".join((found[1] or found[2] or found[5]).split())}$$\n\n'), text)
    text = _INLINE.sub(lambda found: keep(f'${found[1] or found[2]}$'), text)
    text = _TABLE.sub(lambda found: keep('\n\n' + '\n'.join(_rows(found[2])) + '\n\n'), text)
    blocks = [f'# {_one(title[1])}' if title else '', _one(author[1]) if author else '', *_blocks(_shown(text))]
    for _ in range(2):  # a table holds formulas
        blocks = [_KEPT.sub(lambda found: kept[int(found[1])], block) for block in blocks]
    text = unicodedata.normalize('NFC', '\n\n'.join(blocks)).replace(' \n\n', '\n\n')
    return re.sub(r'\n{3,}', '\n\n', text).strip() + '\n'


def _shown(text: str) -> str:
    """What commands show."""
    text = _ACCENT.sub(
        lambda found: unicodedata.normalize('NFC', f'{found[3] or found[4]}{_MARKS[found[1] or found[2]]}'), text
    )
    for _ in range(_ROUNDS):
        before, text = text, _COMMAND.sub(_given, text)
        if text == before:
            break
    text = _ITEM.sub(lambda found: f'\n- {found[1] + ": " if found[1] else ""}', text)
    return _ESCAPED.sub(lambda found: found[1] or '', _ALONE.sub(_alone, text))


def _one(text: str) -> str:
    return ' '.join(_shown(text).split()).replace(' ,', ',')


def _given(found: re.Match[str]) -> str:
    blank, name, shown = found.groups()
    if level := _LEVELS.get(name):
        return f'\n\n{"#" * level} {" ".join(shown.split())}\n\n'
    if name == 'begin' and (section := _SECTIONS.get(shown)):
        return f'\n\n## {section}\n\n'
    if name in _SIGNS:
        return blank + _SIGNS[name] + shown
    if _UNSEEN.fullmatch(name):
        return '\n\n' if name in ('begin', 'end') else ''
    return f' ({shown})' if name == 'footnote' else f'\n\n{shown}\n\n' if name == 'caption' else blank + shown


def _alone(found: re.Match[str]) -> str:
    return (
        _SIGNS.get(found[1], '') if found[1] else _SHOWN.get(found[0][:3] if found[0][0] == '-' else found[0][:2], ' ')
    )


def _blocks(text: str) -> Iterator[str]:
    """Paragraphs on one line, and items."""
    for block in re.split(r'\n\s*\n', text):
        if words := re.sub(r'\s*\n(?!- )\s*', ' ', block).strip():
            yield words


def _rows(text: str) -> Iterator[str]:
    """A table's rows, below its first one what marks that as its head."""
    rows = (_RULE.sub('', row).strip() for row in _ROW_END.split(text))
    for place, row in enumerate(filter(None, rows)):
        cells = [_one(cell).replace('|', r'\|') for cell in re.split(r'(?<!\\)&', row)]
        yield f'| {" | ".join(cells)} |'
        if not place:
            yield '|---' * len(cells) + '|'
