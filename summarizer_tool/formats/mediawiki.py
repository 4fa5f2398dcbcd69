"""MediaWiki's wikitext as markdown: headings, links, lists, tables, and what its boxes tell. Pure computing."""

import html
import re
from collections.abc import Iterator
from itertools import islice, takewhile

_HEADING = re.compile(r'^(={1,6})(?!=)([^\n]{1,300}?)\1[ \t]*$', re.MULTILINE)
_MARK = re.compile(r"\[\[[^\[\]\n]{1,200}\]\]|'{2,5}\w[^'\n]{0,200}'{2,5}|\{\{\w|^\{\|", re.MULTILINE)
_LEAST = 3
"""Marks beside a heading by which it is told."""
_CODE = re.compile(
    r'<(pre|syntaxhighlight|source)\b[^<>]{0,200}>((?:(?!<(?:pre|syntaxhighlight|source)\b).)*?)</\1>',
    re.DOTALL | re.IGNORECASE,
)
# Up to its end, where nothing of the kind begins before that.
_UNSEEN = re.compile(
    r'<!--(?:(?!<!--).)*?-->|<(ref|gallery)\b[^<>]{0,300}(?:/>|(?<!/)>(?:(?!<(?:ref|gallery)\b).)*?</\1>)'
    r'|</?nowiki */?>|__[A-Z]{3,20}__',
    re.DOTALL | re.IGNORECASE,
)
_TEMPLATE = re.compile(r'(^[ \t]*)?\{\{([^{}]{0,20000})\}\}([ \t]*$)?', re.MULTILINE)
_DEEPEST = 8
"""Levels of templates within others that are read."""
_LINK = re.compile(r'\[\[([^\[\]]{1,2000})\]\]')
_ASIDE = re.compile(
    r'(?:file|image|category|datei|bild|kategorie|fichier|catégorie|[a-z]{2,3}(?:-[a-z]+)?):', re.IGNORECASE
)
_URL = re.compile(r'\[(?:https?:)?//[^\s\[\]]{1,2000}(?:\s([^\[\]\n]{1,300}))?\]')
# What a page is about is set in bold where that is first said.
_SUBJECT = re.compile(r"^.{0,20}?'''([^'\n\[\]{}|]{1,80})'''", re.MULTILINE)
_BOLD = re.compile(r"'{3,5}")
_BLOCK = re.compile(r'</?(?:blockquote|center|div|p|poem)\b[^<>]{0,200}>', re.IGNORECASE)
_BREAK = re.compile(r'<br\b[^<>]{0,50}>', re.IGNORECASE)
_IS_FILE = re.compile(r'\.(?:gif|jpe?g|og[agv]|png|svg|tiff?|webp)$', re.IGNORECASE)
_PAGE = re.compile(r'[:/]')
_LIST = re.compile(r'([*#:;]+)[ \t]*')
_ATTRIBUTES = re.compile(r'\s*(?:[\w-]+\s*=\s*(?:"[^"\n]*"|[^\s|"]+)(?:\s+|(?=\|)))+\|(?!\|)')
_CELLS = re.compile(r'\|\||!!')
_LEAST_FIELDS = 3
_LEAST_DATE = 2
_LEAST_WORDS = 6
"""Words of an argument of a template that stands alone from which it is text rather than a setting."""


def markdown(text: str, *, is_named_so: bool = False) -> str:
    """The text as markdown; empty where it is something else, unless the name of its file says that it is wikitext."""
    if not is_named_so and not (_HEADING.search(text) and len([*islice(_MARK.finditer(text), _LEAST)]) == _LEAST):
        return ''
    blocks: list[str] = []

    def kept(code: re.Match[str]) -> str:
        blocks.append(f'\n```\n{code[2].strip()}\n```\n')
        return f'\n\0{len(blocks) - 1}\0\n'

    text = _UNSEEN.sub('', _CODE.sub(kept, html.unescape(text).translate({0: None, 1: None})))
    for _ in range(_DEEPEST):
        text, times = _TEMPLATE.subn(_template, _LINK.sub(_link, text))
        if not times:
            break
    title = '' if re.search(r'^=[^=\n]', text, re.MULTILINE) else _SUBJECT.search(text)
    text = _URL.sub(lambda link: link[1] or '', _BLOCK.sub('\n\n', _BOLD.sub('\1', text).replace("''", '')))
    text = '\n'.join(_read(text.split('\n'))).replace('\1', '**').strip('\n') + '\n'
    text = f'# {title[1]}\n\n{text}' if title else text
    return re.sub(r'\0(\d+)\0', lambda place: blocks[int(place[1])], text)


def _link(found: re.Match[str]) -> str:
    target, _, label = found[1].partition('|')
    if _ASIDE.match(target):
        return ''
    return label.rpartition('|')[2] or target.lstrip(':').replace('#', ', ')


def _template(found: re.Match[str]) -> str:
    """What a template shows: its fields as rows of a table, or the text or value that it is given."""
    name, *given = found[2].split('|')
    if name.strip() == '!':
        return f'{found[1] or ""}|{found[3] or ""}'
    arguments = [*map(_argument, given)]
    values = [value for label, value in arguments if not label]
    if found[1] is None or (found[3] is None and '\n' not in found[2]):  # amid a line
        numbers = [*takewhile(lambda value: value[:1].isdigit(), values)]
        shown = (
            '-'.join(numbers[:3]) if len(numbers) > _LEAST_DATE else ' '.join(values[:2] if numbers else values[-1:])
        )
        return f'{found[1] or ""}{shown}{found[3] or ""}'
    rows = [f'| {label} | {value} |' for label, value in arguments if label and value and not _IS_FILE.search(value)]
    table = [f'| {" ".join(name.split())} | |', '| --- | --- |', *rows, ''] if len(rows) >= _LEAST_FIELDS else []
    if not given and _PAGE.search(name):  # of which the text stands elsewhere
        return f'[{name.strip()}]'
    said = [value for value in values if len(value.split()) >= _LEAST_WORDS]
    return '\n'.join(['', *said, '', *table])


def _argument(text: str) -> tuple[str, str]:
    label, is_named, value = text.partition('=')
    is_field = bool(is_named) and re.fullmatch(r'[\w -]{1,40}', label.strip()) is not None
    value = ' '.join(_BREAK.sub('; ', value if is_field else text).split())
    return (label.strip().replace('_', ' '), value) if is_field else ('', value)


def _read(lines: list[str]) -> Iterator[str]:
    table: list[list[str]] | None = None
    is_defined = False
    for line in lines:
        bare = line.strip()
        is_defined = bare.startswith(';') or (is_defined and bare.startswith(':'))
        if bare.startswith('{|'):
            table = [[]]
        elif table is None:
            yield from _read_text(line, is_defined=is_defined)
        elif bare.startswith('|}'):
            yield from _rows(table)
            table = None
        elif bare.startswith('|+'):
            yield from ('', _cell(bare[2:]), '')
        elif bare.startswith('|-'):
            table.append([])
        elif bare[:1] in ('|', '!'):
            cells = _CELLS.split(bare[1:]) if bare[0] == '!' else bare[1:].split('||')
            table[-1] += [_cell(cell) for cell in cells]
        elif bare and table[-1]:
            table[-1][-1] += f' {bare.lstrip("*#:; ")}'
    if table:
        yield from _rows(table)


def _cell(text: str) -> str:
    attributes = _ATTRIBUTES.match(text)
    return _BREAK.sub('; ', text[attributes.end() if attributes else 0 :]).strip()


def _rows(table: list[list[str]]) -> Iterator[str]:
    rows = [row for row in table if any(row)]
    for place, row in enumerate(rows):
        yield from [''] * (not place)
        yield f'| {" | ".join(cell.replace("|", "/") for cell in row)} |'
        yield from ['|' + ' --- |' * len(row)] * (not place)
    yield ''


def _read_text(line: str, *, is_defined: bool) -> Iterator[str]:
    if heading := _HEADING.match(line):
        yield from ('', f'{"#" * len(heading[1])} {heading[2].strip()}', '')
    elif listed := _LIST.match(line):
        said, pad = line[listed.end() :].rstrip(), '  ' * (len(listed[1]) - 1)
        if listed[1][-1] in '*#':
            yield f'{pad}{"-" if listed[1][-1] == "*" else "1."} {said}'
        elif listed[1] == ';':
            term, _, meaning = said.partition(' : ')
            yield from ('', term.strip(), *([f': {meaning.strip()}'] if meaning else []))
        else:
            yield from ('', f': {said}' if is_defined else said, '')
    elif line.strip(' .,;:'):
        yield line.strip()
    else:
        yield ''
