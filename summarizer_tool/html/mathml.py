r"""Formulas as LaTeX: `<mfrac><mi>a</mi><mn>2</mn></mfrac>` is `\frac{a}{2}`; signs beyond ASCII stay as they are.

Nearly all pages say their formulas as TeX as well, which goes first.
"""

import re
from collections.abc import Sequence
from typing import Any

from summarizer_tool.html.parsing import walk

_TEX = frozenset({'application/x-tex', 'application/x-latex', 'tex', 'latex', 'text/x-tex', 'text/x-latex'})
_WRAPPED = re.compile(r'\{\\(?:displaystyle|textstyle|scriptstyle)\b\s*(.*)\}', re.DOTALL)

_WRITTEN = str.maketrans(
    {'−': '-', '\xa0': ' ', '\\': '\\backslash ', **dict.fromkeys('\u2061\u2062\u2063\u2064\u200b', '')}
    | {sign: f'\\{sign}' for sign in '%#&$_{}'}
)
"""Signs that are written as others, and those that nobody sees, such as the one for `applied to`."""
_SCRIPTS = {'msup': '^', 'msub': '_', 'mover': '^', 'munder': '_', 'msubsup': '_^', 'munderover': '_^'}
_ACCENTS = dict(zip('¯‾^ˆ~˜→⃗˙', 'overline overline hat hat tilde tilde vec vec dot'.split(), strict=True))  # noqa: SIM905
_UNSEEN = frozenset({'mphantom', 'mprescripts', 'none', 'annotation', 'annotation-xml'})

MAX_LENGTH = 20_000
"""Characters of a formula; what is longer is none."""


def latex(element: Any) -> str:
    """A `math` element as LaTeX, without dollar signs.

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
        tag = inner.tag.rpartition(':')[2].lower() if isinstance(inner.tag, str) else ''
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
    first, second = (*parts, '')[:2]
    match tag:
        case 'mfrac':
            return f'\\frac{{{first}}}{{{second}}}'
        case 'mroot':
            return f'\\sqrt[{second}]{{{first}}}'
        case 'msqrt':
            return f'\\sqrt{{{"".join(parts)}}}'
        case 'mtable':
            return '\\begin{matrix} ' + ' \\\\ '.join(parts) + ' \\end{matrix}'
        case 'mtr' | 'mlabeledtr':
            return ' & '.join(parts)
        case 'mfenced':
            opening, closing = (element.get(*each).translate(_WRITTEN) for each in (('open', '('), ('close', ')')))
            return f'{opening}{",".join(parts)}{closing}'
        case 'semantics' | 'maction':
            return first
        case _:
            return ''.join(parts)
