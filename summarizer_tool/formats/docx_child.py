"""Read a Word document from stdin and write it to stdout as HTML; started by `docx`.

The numbers of its lists and headings, which its file only describes (`Article II`, `2.1`, `b)`), are written first.
"""

# mammoth and lxml have no types.
# pyright: reportMissingTypeStubs=false, reportAttributeAccessIssue=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from io import BytesIO
from typing import Any, NamedTuple
from zipfile import BadZipFile, ZipFile

import mammoth
from lxml import etree

from summarizer_tool.formats import isolated
from summarizer_tool.html.formulas import latex
from summarizer_tool.text import list_numbers

_STYLE_MAP = "p[style-name='Title'] => h1:fresh\ncomment-reference => sup"
"""Beside those that the library knows."""
_NUMBERING, _STYLES = 'word/numbering.xml', 'word/styles.xml'

_BOXES = {'☐': '☐', '☒': '☒', '☑': '☒', '\uf0a8': '☐', '\uf06f': '☐', '\uf0fe': '☒', '\uf0fd': '☒', '\uf0a3': '☐'}
"""What items of lists begin with that are to be ticked, also by the codes of fonts of symbols."""
_TO_TICK = re.compile(r'<input( checked="checked")? type="checkbox" />')
_W = '{http://schemas.openxmlformats.org/wordprocessingml/2006/main}'
_M = '{http://schemas.openxmlformats.org/officeDocument/2006/math}'
_MC = '{http://schemas.openxmlformats.org/markup-compatibility/2006}'
_MOST_STYLES = 20
"""Of which one is based on the other."""
_PLACE = re.compile(r'%(\d)')
_OPEN, _CLOSE = '\ue000', '\ue001'
"""Around the number of a plain list."""
_OF_ITEM = re.compile(f'<li>{_OPEN}(\\d+){_CLOSE}')
_ELSEWHERE = re.compile(f'{_OPEN}(\\d+){_CLOSE}')


def _read(body: bytes) -> dict[str, str | bool]:
    is_numbered = True
    try:
        body = _write_numbers(body)
    except (etree.XMLSyntaxError, BadZipFile, ValueError):  # it is found to be broken below, or read without numbers
        is_numbered = False
    try:
        # A picture would stand in the text as a whole; what is said of it is enough.
        no_picture = mammoth.images.img_element(lambda _: {'src': ''})  # pyright: ignore[reportUnknownLambdaType]
        made = mammoth.convert_to_html(BytesIO(body), convert_image=no_picture, style_map=_STYLE_MAP)
    except RecursionError:  # of a broken file the library raises whatever comes, which ends this process
        return {'problem': 'deep'}
    return {'html': _read_numbers(made.value), 'is_numbered': is_numbered}


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


def _write_numbers(body: bytes) -> bytes:
    """A document whose numbered paragraphs begin with their numbers; what is no plain list becomes one of bullets."""
    with ZipFile(BytesIO(body)) as given:
        members = {name: given.read(name) for name in given.namelist()}
    # Some programs count: `document2.xml`.
    main = next((name for name in members if re.fullmatch(r'word/document\d*\.xml', name)), '')
    if not main or (_NUMBERING not in members and b'oMath' not in members[main]):
        return body
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True)
    document = etree.fromstring(members[main], parser)
    numbering = etree.fromstring(members.get(_NUMBERING, b'<none/>'), parser)
    _simplify(document)
    styles = etree.fromstring(members.get(_STYLES, b'<none/>'), parser)
    _write(document, _levels(numbering), {style.get(f'{_W}styleId'): style for style in styles.iter(f'{_W}style')})
    for level in numbering.iter(f'{_W}lvl'):
        if (form := level.find(f'{_W}numFmt')) is not None and not _level(level).is_plain:
            form.set(f'{_W}val', 'bullet')
    members |= {main: etree.tostring(document)}
    if _NUMBERING in members:
        members[_NUMBERING] = etree.tostring(numbering)
    made = BytesIO()
    with ZipFile(made, 'w') as written:
        for name, content in members.items():
            written.writestr(name, content)
    return made.getvalue()


def _read_numbers(html: str) -> str:
    """The HTML that was made of such a document, with the numbers of its plain lists as HTML has them, and ticks."""
    html = _TO_TICK.sub(lambda box: '☒ ' if box[1] else '☐ ', html)
    return _ELSEWHERE.sub(r'\1. ', _OF_ITEM.sub(r'<li value="\1">', html))


def _simplify(document: Any) -> None:
    """Write formulas as LaTeX, and leave out the form of text boxes that the library does not read."""
    for choice in [*document.iter(f'{_MC}Choice')]:
        choice.getparent().remove(choice)
    for formula in [*document.iter(f'{_M}oMathPara', f'{_M}oMath')]:
        said = latex(formula)
        formula.getparent().replace(formula, _run(said and f'${said}$'))


def _run(said: str) -> Any:
    run = etree.Element(f'{_W}r')
    text = etree.SubElement(run, f'{_W}t')
    text.set('{http://www.w3.org/XML/1998/namespace}space', 'preserve')
    text.text = said
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
    isolated.answer(_read(isolated.given()))
