"""Word documents (DOCX) as markdown: headings, lists, tables, notes, comments, edges of pages, and links.

Run by `isolated`. The numbers of lists and headings, which the file only describes (`Article II`, `2.1`, `b)`), are
written first.
"""

# mammoth and lxml have no types.
# pyright: reportMissingTypeStubs=false, reportAttributeAccessIssue=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from html import escape
from io import BytesIO
from typing import Any, NamedTuple
from zipfile import ZipFile

import mammoth
from lxml import etree

from summarizer_tool.errors import FetchError
from summarizer_tool.formats import isolated
from summarizer_tool.formats.archive import Archive
from summarizer_tool.html.convert import to_markdown
from summarizer_tool.html.formulas import latex
from summarizer_tool.html.page import Page
from summarizer_tool.text import list_numbers

_STYLE_MAP = "p[style-name='Title'] => h1:fresh\ncomment-reference => sup"
"""Beside those that the library knows."""
_NO_NUMBERS = '<p>[The numbers of lists cannot be read: they are left out]</p>'
_MOST_XML = 40_000_000
"""Bytes of a document's own XML: about 4,000 pages. It is held as a tree of Python objects."""
_NUMBERING, _STYLES = 'word/numbering.xml', 'word/styles.xml'

_BOXES = {'☐': '☐', '☒': '☒', '☑': '☒', '\uf0a8': '☐', '\uf06f': '☐', '\uf0fe': '☒', '\uf0fd': '☒', '\uf0a3': '☐'}
"""What items of lists begin with that are to be ticked, also by the codes of fonts of symbols."""
_TO_TICK = re.compile(r'<input( checked="checked")? type="checkbox" />')
_W = '{http://schemas.openxmlformats.org/wordprocessingml/2006/main}'
_M = '{http://schemas.openxmlformats.org/officeDocument/2006/math}'
_C = '{http://schemas.openxmlformats.org/drawingml/2006/chart}'
_MC = '{http://schemas.openxmlformats.org/markup-compatibility/2006}'
_MOST_STYLES = 20
"""Of which one is based on the other."""
_PLACE = re.compile(r'%(\d)')
_OPEN, _CLOSE = '\ue000', '\ue001'
"""Around the number of a plain list."""
_OF_ITEM = re.compile(f'<li>{_OPEN}(\\d+){_CLOSE}')
_ELSEWHERE = re.compile(f'{_OPEN}(\\d+){_CLOSE}')


def read(body: bytes) -> Page:
    """A document as markdown; raises `FetchError` if it is broken, encrypted or too large."""
    archive = Archive(body, 'a Word document')
    # Everything that the library will parse is looked at first: it takes the archive for what it says.
    members = {name: archive.xml(name) for name in archive.names() if name.endswith(('.xml', '.rels'))}
    if sum(map(len, members.values())) > _MOST_XML:
        raise FetchError(f'is {archive.kind} with more than {_MOST_XML // 1_000_000} MB of XML; split it')
    notice = ''
    try:
        members |= _rewritten(members)
    except (etree.XMLSyntaxError, ValueError):  # it is found to be broken below, or read without numbers
        notice = _NO_NUMBERS if _NUMBERING in members else ''
    try:
        # A picture would stand in the text as a whole; what is said of it is enough.
        no_picture = mammoth.images.img_element(lambda _: {'src': ''})  # pyright: ignore[reportUnknownLambdaType]
        made = mammoth.convert_to_html(_zipped(members), convert_image=no_picture, style_map=_STYLE_MAP)
    except RecursionError:  # of a broken file the library raises whatever comes, which ends this process
        raise FetchError(f'is {archive.kind} that nests too deeply; save it again') from None
    html = ''.join((notice, *_edges(members, 'header'), _read_numbers(made.value), *_edges(members, 'footer')))
    page = to_markdown(f'<html><body>{html}</body></html>', is_document=True)
    titles = [*_tree(members, 'docProps/core.xml', is_minor=True).iter('{*}title')]
    return replace(page, title=' '.join(''.join(titles[0].itertext()).split()) if titles else '')


def _tree(members: Mapping[str, bytes], name: str, *, is_minor: bool = False) -> Any:
    """The root of a member; of one without which the text can be read, as far as it is whole."""
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True, recover=is_minor
    )
    root = etree.fromstring(members.get(name, b'') or b'<none/>', parser)
    return etree.Element('none') if root is None else root


def _zipped(members: Mapping[str, bytes]) -> BytesIO:
    made = BytesIO()
    with ZipFile(made, 'w') as written:
        for name, content in members.items():
            written.writestr(name, content)
    return made


def _edges(members: Mapping[str, bytes], kind: str) -> list[str]:
    """What stands at the edge of the pages, each line once, as HTML; without page numbers."""
    parts = [_tree(members, name, is_minor=True) for name in members if re.fullmatch(rf'word/{kind}.*\.xml', name)]
    lines = (' '.join(''.join(line.itertext('{*}t')).split()) for part in parts for line in part.iter('{*}p'))
    return [f'<p>{escape(line)}</p>' for line in dict.fromkeys(lines) if any(map(str.isalpha, line))]


class _ListLevel(NamedTuple):
    form: str
    text: str
    start: int
    kind: str = ''
    """Of lists that count together."""
    is_legal: bool = False
    """Whether the numbers of levels above are shown with digits, whatever form they have."""
    is_anew: bool = False
    """Whether they count from the start again, where they first have this level."""

    @property
    def is_plain(self) -> bool:
        """Whether a list of markdown has such numbers."""
        return self.form == 'decimal' and re.fullmatch(r'%\d\.', self.text) is not None


def _rewritten(members: Mapping[str, bytes]) -> dict[str, bytes]:
    """The members that change so that numbered paragraphs begin with their numbers, and formulas are text.

    What is no plain list becomes one of bullets.
    """
    main = next(filter(re.compile(r'word/document\d*\.xml').fullmatch, members))
    document, numbering, styles = (_tree(members, name) for name in (main, _NUMBERING, _STYLES))
    _simplify(document)
    _write(document, _levels(numbering), {style.get(f'{_W}styleId'): style for style in styles.iter(f'{_W}style')})
    for level in numbering.iter(f'{_W}lvl'):
        if (form := level.find(f'{_W}numFmt')) is not None and not _level(level).is_plain:
            form.set(f'{_W}val', 'bullet')
    numbers = {_NUMBERING: etree.tostring(numbering)} if _NUMBERING in members else {}
    return {main: etree.tostring(document), **numbers}


def _read_numbers(html: str) -> str:
    """The HTML that was made of such a document, with the numbers of its plain lists as HTML has them, and ticks."""
    html = _TO_TICK.sub(lambda box: '☒ ' if box[1] else '☐ ', html)
    return _ELSEWHERE.sub(r'\1. ', _OF_ITEM.sub(r'<li value="\1">', html))


def _simplify(document: Any) -> None:
    """Write formulas as LaTeX, where charts are that they are, and of text boxes the form that the library reads."""
    for choice in [*document.iter(f'{_MC}Choice')]:
        choice.getparent().remove(choice)
    for formula in [*document.iter(f'{_M}oMathPara', f'{_M}oMath')]:
        said = latex(formula)
        formula.getparent().replace(formula, _run(said and f'${said}$'))
    for drawing in [each for each in document.iter(f'{_W}drawing') if next(each.iter(f'{_C}chart'), None) is not None]:
        drawing.getparent().replace(drawing, _text('[Chart, whose values are not read]'))


def _text(said: str) -> Any:
    text = etree.Element(f'{_W}t')
    text.set('{http://www.w3.org/XML/1998/namespace}space', 'preserve')
    text.text = said
    return text


def _run(said: str) -> Any:
    run = etree.Element(f'{_W}r')
    run.append(_text(said))
    return run


def _write(document: Any, lists: Mapping[str, dict[int, _ListLevel]], styles: Mapping[str, Any]) -> None:
    counts: defaultdict[str, dict[int, int]] = defaultdict(dict)
    begun: set[tuple[str, int]] = set()
    for paragraph in document.iter(f'{_W}p'):
        given = [
            properties for each in _properties(paragraph, styles) if (properties := each.find(f'{_W}numPr')) is not None
        ]
        number, depth = (
            next((found for each in given if (found := _said(each, name))), '') for name in ('numId', 'ilvl')
        )
        levels, at = lists.get(number, {}), int(depth or 0)
        level = levels.get(at)
        box = _BOXES.get(level.text) if level is not None else None
        if (
            level is None
            or paragraph.find(f'{_W}pPr/{_W}rPr/{_W}del') is not None
            or (not box and (level.form in ('bullet', 'none') or not level.text))
        ):
            continue
        # Lists of one kind go on counting.
        before = counts[level.kind]
        count = counts[level.kind] = {each: before[each] for each in before if each <= at}
        if level.is_anew and (number, at) not in begun:
            count.pop(at, None)
        begun.add((number, at))
        count[at] = count.get(at, level.start - 1) + 1
        label = f'{_OPEN}{count[at]}{_CLOSE}' if level.is_plain else f'{box or level.text} '
        for place in _PLACE.findall(label):
            each = int(place) - 1
            of = levels.get(each, level)
            form = 'decimal' if level.is_legal and of.form != 'decimalZero' else of.form
            label = label.replace(f'%{place}', list_numbers.shown(count.get(each, of.start), form))
        paragraph.insert(int(paragraph.find(f'{_W}pPr') is not None), _run(label))


def _properties(paragraph: Any, styles: Mapping[str, Any]) -> Iterator[Any]:
    """What is said of a paragraph, by itself and by its style with those that this is based on."""
    said, name = paragraph, 'pStyle'
    for _ in range(_MOST_STYLES):
        properties = said.find(f'{_W}pPr')
        if properties is not None:
            yield properties
        style = _said(properties if name == 'pStyle' and properties is not None else said, name)
        if style not in styles:
            return
        said, name = styles[style], 'basedOn'


def _levels(numbering: Any) -> dict[str, dict[int, _ListLevel]]:
    kinds = {
        _value(kind, 'abstractNumId'): {
            int(_value(level, 'ilvl') or 0): _level(level, _value(kind, 'abstractNumId'))
            for level in kind.iter(f'{_W}lvl')
        }
        for kind in numbering.iter(f'{_W}abstractNum')
    }
    linked = {style: kinds[_value(kind, 'abstractNumId')] for kind in numbering if (style := _said(kind, 'styleLink'))}
    for kind in numbering.iter(f'{_W}abstractNum'):
        if (style := _said(kind, 'numStyleLink')) in linked:
            kinds[_value(kind, 'abstractNumId')] = linked[style]
    found: dict[str, dict[int, _ListLevel]] = {}
    for each in numbering.iter(f'{_W}num'):
        levels = kinds.get(_said(each, 'abstractNumId'), {})
        for over in each.iter(f'{_W}lvlOverride'):
            at = int(_value(over, 'ilvl') or 0)
            if (own := over.find(f'{_W}lvl')) is not None:
                levels = {**levels, at: _level(own, _said(each, 'abstractNumId'))}
            if at in levels and (start := _said(over, 'startOverride')):
                levels = {**levels, at: levels[at]._replace(start=int(start), is_anew=True)}
        found[_value(each, 'numId')] = levels
    return found


def _level(level: Any, kind: str = '') -> _ListLevel:
    legal = level.find(f'{_W}isLgl') is not None
    return _ListLevel(_said(level, 'numFmt'), _said(level, 'lvlText'), int(_said(level, 'start') or 0), kind, legal)


def _said(element: Any, name: str) -> str:
    found = element.find(f'{_W}{name}')
    return '' if found is None else _value(found, 'val')


def _value(element: Any, name: str) -> str:
    return element.get(f'{_W}{name}') or ''


if __name__ == '__main__':
    isolated.serve(read)
