"""Formulas on a page, in whatever way it shows them, each of them once; and those of Word documents."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any
from urllib.parse import unquote

from summarizer_tool.html.parsing import walk

_TEX = frozenset({'application/x-tex', 'application/x-latex', 'tex', 'latex', 'text/x-tex', 'text/x-latex'})
_WRAPPED = re.compile(r'\{\\(?:displaystyle|textstyle|scriptstyle)\b\s*(.*)\}', re.DOTALL)

_WRITTEN = str.maketrans(
    {'−': '-', '\xa0': ' ', '\\': '\\backslash ', **dict.fromkeys('\u2061\u2062\u2063\u2064\u200b', '')}
    | {sign: f'\\{sign}' for sign in '%#&$_{}'}
)
"""Signs that are written as others, and those that nobody sees, such as the one for `applied to`."""
_SCRIPTS = {
    **dict.fromkeys(('msup', 'mover', 'sSup', 'limUpp'), '^'),
    **dict.fromkeys(('msub', 'munder', 'sSub', 'limLow'), '_'),
    **dict.fromkeys(('msubsup', 'munderover', 'sSubSup'), '_^'),
}
"""Elements of MathML and of Word whose first part has others below and above it."""
_AROUND = {
    **dict.fromkeys(('mfrac', 'f'), (r'\frac{', '}{', '}')),
    **dict.fromkeys(('mtable', 'm', 'eqArr'), (r'\begin{matrix} ', r' \\ ', r' \end{matrix}')),
    **dict.fromkeys(('mtr', 'mlabeledtr', 'mr'), ('', ' & ', '')),
    'msqrt': (r'\sqrt{', '', '}'),
    'mroot': (r'\sqrt[', ']{', '}'),
}
"""What stands before the parts of an element, between them and behind."""
_ACCENTS = dict(zip('¯‾^ˆ~˜→⃗˙', 'overline overline hat hat tilde tilde vec vec dot'.split(), strict=True))  # noqa: SIM905
_UNSEEN = frozenset({'mphantom', 'mprescripts', 'none', 'annotation', 'annotation-xml'})

MAX_LENGTH = 20_000
"""Characters of a formula; what is longer is none."""


def latex(element: Any) -> str:
    """A `math` element, or an `oMath` of Word, as LaTeX, without dollar signs.

    Its `alttext` goes first, then a TeX annotation, then what its elements mean; of others their text.
    """
    said = element.get('alttext') or next(
        (
            inner.text or ''
            for inner in element.iter('annotation', 'm:annotation', 'mml:annotation')
            if (inner.get('encoding') or '').lower() in _TEX
        ),
        '',
    )
    found = clean(said) if len(said) <= MAX_LENGTH else ''
    found = found or _built(element)
    return found if 0 < len(found) <= MAX_LENGTH else ' '.join(''.join(element.itertext()).split())[:MAX_LENGTH]


def clean(tex: str) -> str:
    r"""LaTeX on one line, without the `{\displaystyle …}` that some wikis put around it."""
    tex = ' '.join(tex.split())
    while found := _WRAPPED.fullmatch(tex):
        tex = found[1].strip()
    return tex


def _built(element: Any) -> str:
    """From the innermost elements outwards; no recursion, however deep it is."""
    stack: list[list[str]] = [[]]
    length = 0
    for event, inner in walk(element):
        if event == 'start':
            stack.append([])
            continue
        parts = stack.pop()
        tag = re.split('[:}]', inner.tag)[-1] if isinstance(inner.tag, str) else ''
        if tag.endswith('Pr'):  # what Word says of a part
            continue
        made = _made(tag, inner, [part.strip() for part in parts])
        length += len(made)
        if length > 20 * MAX_LENGTH:  # what stands deep inside is written again at each level
            return ' ' * (MAX_LENGTH + 1)
        stack[-1].append(made)
    return ' '.join(''.join(stack[0]).split())


def _made(tag: str, element: Any, parts: Sequence[str]) -> str:
    if tag in _UNSEEN:
        return ''
    if not parts:
        text = (element.text or '').strip().translate(_WRITTEN)
        kind = (
            'text' if tag in ('mtext', 'ms') else 'mathrm' if tag == 'mi' and len(text) > 1 and text.isalpha() else ''
        )
        return f'\\{kind}{{{text}}}' if kind and text else text
    if tag in _SCRIPTS:
        if len(parts) == 2 and parts[1] in _ACCENTS:
            return f'\\{_ACCENTS[parts[1]]}{{{parts[0]}}}'
        scripts = ''.join(f'{sign}{{{part}}}' for sign, part in zip(_SCRIPTS[tag], parts[1:], strict=False) if part)
        return (parts[0] if len(parts[0]) < 2 else f'{{{parts[0]}}}') + scripts
    if tag in ('mroot', 'rad'):  # MathML says the degree last, Word first, and may say none
        parts = [part for part in (parts if tag == 'rad' else parts[1::-1]) if part]
        tag = 'mroot' if len(parts) > 1 else 'msqrt'
    if tag in _AROUND:
        before, between, behind = _AROUND[tag]
        return f'{before}{between.join(parts)}{behind}'
    match tag:
        case 'nary':
            below, above, said = (*parts, '', '')[:3]
            return f'{_sign(element, "chr", "∫")}_{{{below}}}^{{{above}}}{said}'
        case 'mfenced':
            opening, closing = (element.get(*each).translate(_WRITTEN) for each in (('open', '('), ('close', ')')))
            return f'{opening}{",".join(parts)}{closing}'
        case 'd':
            opening, closing, between = (_sign(element, *each) for each in _BRACKETS)
            return f'{opening}{between.join(parts)}{closing}'
        case 'semantics' | 'maction':
            return parts[0]
        case _:
            return ''.join(parts)


_BRACKETS = (('begChr', '('), ('endChr', ')'), ('sepChr', '|'))


def _sign(element: Any, name: str, default: str) -> str:
    """A sign that Word says of a part, which may be none."""
    sign = element.find(f'{element.tag}Pr/{{*}}{name}')
    return default if sign is None else ''.join(sign.attrib.values()).translate(_WRITTEN)


_BOXES = frozenset({'katex', 'mwe-math-element', 'MathJax', 'MathJax_Display', 'MathJax_SVG', 'MathJax_CHTML'})
"""Names of what KaTeX, MediaWiki and MathJax put around a formula and its drawing."""
_DRAWINGS = frozenset({'katex-html', 'MathJax', 'MathJax_Display', 'MathJax_SVG', 'MathJax_CHTML', 'MathJax_Preview'})
"""Names of what shows a formula that is said once more, as MathML or as TeX."""
_SAID = ('data-math', 'data-latex', 'data-tex')
"""Attributes in which a formula may be said once more, of its box or of what holds it."""
_MOST_BEHIND = 2
"""Elements behind a drawing, of which one may be the script that it was made of."""
_OF_LATEX = re.compile(r'(?:^|[\s/.])(?:latex|mimetex|mathtex|codecogs)(?=[\s/.?]|$)')
_LONGEST_NAMES = 400


@dataclass(frozen=True, slots=True)
class Formula:
    """What a page shows as a formula."""

    latex: str
    is_display: bool
    """Whether it stands on lines of its own."""


def of_math(element: Any) -> Formula:
    """The formula of a `math` element."""
    is_display = element.get('display') == 'block' or element.get('mode') == 'display'
    return Formula(latex(element), is_display)


def of_script(element: Any) -> Formula | None:
    """The formula of a `script` that holds TeX; none of another."""
    kind: str = element.get('type') or ''
    return Formula(_clean(element.text), 'display' in kind) if kind.startswith('math/tex') else None


def of_box(element: Any, names: str) -> Formula | None:
    """The formula of an element with these class names, whose drawing it holds as well; none of another."""
    words = names.split()
    if _BOXES.isdisjoint(words):
        return None
    around = element.getparent()
    math = next(element.iter('math'), None)
    if math is not None:
        is_display = around is not None and 'katex-display' in (around.get('class') or '')
        return Formula(latex(math), is_display or of_math(math).is_display)
    image = next(element.iter('img'), None)
    if image is not None:
        return Formula(_clean(image.get('alt')), is_display=False)
    if any(each.tag == 'script' for each in islice(element.itersiblings(), _MOST_BEHIND)):  # which says it once more
        return None
    said = next((each.get(key) for each in (element, around) if each is not None for key in _SAID if each.get(key)), '')
    return Formula(_clean(said) or _drawn(element), is_display=False)


def _drawn(element: Any) -> str:
    """What a drawing shows on one line; of others, which cannot be read, that something is left out."""
    is_line = next(element.iterfind('.//*[@class="vlist"]'), None) is None
    text = ' '.join(''.join(islice(element.itertext(), MAX_LENGTH)).split())[:MAX_LENGTH] if is_line else ''
    return text.translate(_WRITTEN) or '…'


def of_image(element: Any) -> Formula | None:
    """The formula of a picture that a program made of LaTeX; none of another."""
    source: str = element.get('src') or ''
    if not _OF_LATEX.search(f'{(element.get("class") or "")[:_LONGEST_NAMES]} {source[:_LONGEST_NAMES]}'):
        return None
    said = element.get('alt') or element.get('title') or unquote(source[:MAX_LENGTH].partition('?')[2])
    return Formula(_clean(said), is_display=False)


def is_drawing(names: str) -> bool:
    """Return whether an element with these class names only draws a formula."""
    return not _DRAWINGS.isdisjoint(names.split())


def _clean(tex: str | None) -> str:
    return clean(tex) if tex and len(tex) <= MAX_LENGTH else ''
