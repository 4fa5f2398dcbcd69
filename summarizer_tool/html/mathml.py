r"""Formulas as LaTeX: `<mfrac><mi>a</mi><mn>2</mn></mfrac>` is `\frac{a}{2}`."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from summarizer_tool.html.parsing import walk

_TEX = frozenset({'application/x-tex', 'application/x-latex', 'tex', 'latex', 'text/x-tex', 'text/x-latex'})
_WRAPPED = re.compile(r'\{\\(?:displaystyle|textstyle|scriptstyle)\b\s*(.*)\}', re.DOTALL)

_FUNCTIONS = frozenset(
    {
        *('arccos', 'arcsin', 'arctan', 'arg', 'cos', 'cosh', 'cot', 'coth', 'csc', 'deg', 'det', 'dim', 'exp', 'gcd'),
        *('hom', 'inf', 'ker', 'lg', 'lim', 'liminf', 'limsup', 'ln', 'log', 'max', 'min', 'Pr', 'sec', 'sin', 'sinh'),
        *('sup', 'tan', 'tanh'),
    }
)


def _named(signs: str, names: str) -> dict[str, str]:
    return dict(zip(signs, names.split(), strict=True))


_SIGNS = {
    **_named(
        'αβγδεϵζηθϑικλμνξπϖρϱσςτυφϕχψω',
        'alpha beta gamma delta varepsilon epsilon zeta eta theta vartheta iota kappa lambda mu nu xi pi varpi rho '
        'varrho sigma varsigma tau upsilon varphi phi chi psi omega',
    ),
    **_named('ΓΔΘΛΞΠΣΥΦΨΩ', 'Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega'),
    **_named(
        '×÷±∓·⋅∗∘∙⊕⊗⊖⊙∩∪∧∨∖†‡',
        'times div pm mp cdot cdot ast circ bullet oplus otimes ominus odot cap cup wedge vee setminus dagger ddagger',
    ),
    **_named(
        '≤≥≠≈≡∼≃≅∝≪≫∈∉∋⊂⊃⊆⊇⊥∥∣⊢⊨≺≻≜≔',
        'le ge ne approx equiv sim simeq cong propto ll gg in notin ni subset supset subseteq supseteq perp parallel '
        'mid vdash models prec succ triangleq coloneqq',
    ),
    **_named(
        '→←↔⇒⇐⇔↦↑↓⟶⟹⟺',
        'to leftarrow leftrightarrow Rightarrow Leftarrow Leftrightarrow mapsto uparrow downarrow longrightarrow '
        'Longrightarrow Longleftrightarrow',
    ),
    **_named('∑∏∐∫∬∭∮√', 'sum prod coprod int iint iiint oint surd'),
    **_named(
        '¬∀∃∄∅∞∂∇∠ℓℏℜℑℵ′', 'neg forall exists nexists emptyset infty partial nabla angle ell hbar Re Im aleph prime'
    ),
    **_named('…⋯⋮⋱⟨⟩⌈⌉⌊⌋‖', 'ldots cdots vdots ddots langle rangle lceil rceil lfloor rfloor Vert'),
}
_PLAIN = {'−': '-', '–': '-', '‐': '-', '\xa0': ' ', **dict.fromkeys('\u2061\u2062\u2063\u2064\u200b', '')}
"""Signs that are written as others, and those that nobody sees, such as the one for `applied to`."""
_DOUBLE = dict(zip('ℝℕℤℚℂℙℍ', 'RNZQCPH', strict=True))
_ESCAPED = frozenset('%#&$_{}')
_OVER = {
    **_named('¯‾_^ˆ~˜→⃗', 'overline overline overline hat hat tilde tilde vec vec'),
    **_named('˙.¨⏞´`ˇ', 'dot dot ddot overbrace acute grave check'),
}
_UNDER = _named('_¯‾̲⏟', 'underline underline underline underline underbrace')
_LIMITS = frozenset(
    {
        *('\\sum', '\\prod', '\\coprod', '\\int', '\\iint', '\\iiint', '\\oint', '\\lim', '\\max', '\\min', '\\sup'),
        *('\\inf', '\\limsup', '\\liminf', '\\det', '\\gcd', '\\Pr'),
    }
)
"""What has its scripts above and below it anyway."""

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
        made = _made(_local(inner), inner, parts)
        length += len(made)
        if length > 20 * MAX_LENGTH:  # what stands deep inside is written again at each level
            return ' ' * (MAX_LENGTH + 1)
        stack[-1].append(made)
    return ' '.join(''.join(stack[0]).split())


def _made(tag: str, element: Any, parts: list[str]) -> str:
    if leaf := _LEAVES.get(tag):
        return leaf(''.join(element.itertext()))
    if maker := _MAKERS.get(tag):
        return maker(element, parts)
    return _row(element, parts) if parts else _symbols(element.text or '')


def _identifier(text: str) -> str:
    text = text.strip()
    if text in _FUNCTIONS:
        return f'\\{text} '
    return f'\\mathrm{{{_symbols(text)}}}' if len(text) > 1 and text.isalpha() and text.isascii() else _symbols(text)


def _symbols(text: str) -> str:
    pieces: list[str] = []
    for char in text.strip():
        if name := _SIGNS.get(char):
            pieces.append(f'\\{name} ')
        elif char in _DOUBLE:
            pieces.append(f'\\mathbb{{{_DOUBLE[char]}}}')
        elif char in _ESCAPED:
            pieces.append(f'\\{char}')
        elif char == '\\':
            pieces.append('\\backslash ')
        else:
            pieces.append(_PLAIN.get(char, char))
    return ''.join(pieces)


def _words(text: str) -> str:
    text = ' '.join(text.split())
    return f'\\text{{{"".join(f"{chr(92)}{char}" if char in _ESCAPED else char for char in text)}}}' if text else ' '


def _row(_: Any, parts: Sequence[str]) -> str:
    pieces: list[str] = []
    for part in parts:
        # A name that ends in a letter needs no space before what is none.
        if pieces and pieces[-1].endswith(' ') and part and not part[0].isalnum():
            pieces[-1] = pieces[-1][:-1] if re.search(r'\\[A-Za-z]+ $', pieces[-1]) else pieces[-1]
        pieces.append(part)
    return ''.join(pieces)


def _group(part: str) -> str:
    return f'{{{part.strip()}}}'


def _base(part: str) -> str:
    """What a script stands at; in braces unless it is one sign."""
    part = part.strip()
    is_one = len(part) <= 1 or re.fullmatch(r'\\[A-Za-z]+|\\[a-z]+\{[^{}]*\}|\d+', part)
    return part if is_one else f'{{{part}}}'


def _at(parts: Sequence[str], place: int) -> str:
    return parts[place] if place < len(parts) else ''


def _scripts(sub: int, sup: int) -> Callable[[Any, list[str]], str]:
    def made(_: Any, parts: list[str]) -> str:
        text = _base(_at(parts, 0))
        if sub and _at(parts, sub).strip():
            text += f'_{_group(parts[sub])}'
        if sup and _at(parts, sup).strip():
            above = parts[sup].strip()
            text += "'" * above.count('\\prime') if re.fullmatch(r'(?:\\prime\s*)+', above) else f'^{_group(above)}'
        return text

    return made


def _marked(names: Mapping[str, str], sign: str, otherwise: str) -> Callable[[Any, list[str]], str]:
    """A maker of what has a mark, a limit or other text over or under it."""

    def made(element: Any, parts: list[str]) -> str:
        mark = ''.join(element[1].itertext()).strip() if len(element) > 1 else ''
        if name := names.get(mark):
            return f'\\{name}{_group(_at(parts, 0))}'
        if _at(parts, 0).strip() in _LIMITS:
            return f'{parts[0].strip()}{sign}{_group(_at(parts, 1))}'
        return f'\\{otherwise}{_group(_at(parts, 1))}{_group(_at(parts, 0))}'

    return made


def _table(_: Any, parts: list[str]) -> str:
    rows = r' \\ '.join(part.strip() for part in parts)
    return f'\\begin{{matrix}} {rows} \\end{{matrix}}'


def _fenced(element: Any, parts: list[str]) -> str:
    opening, closing = element.get('open', '('), element.get('close', ')')
    signs = ''.join(element.get('separators', ',').split())
    pieces: list[str] = []
    for place, part in enumerate(parts):
        if place and signs:
            pieces.append(signs[min(place, len(signs)) - 1])
        pieces.append(part.strip())
    return f'\\left{_symbols(opening) or "."}{"".join(pieces)}\\right{_symbols(closing) or "."}'


def _prescripts(element: Any, parts: list[str]) -> str:
    """`mmultiscripts`: a base, pairs of scripts, and after `mprescripts` pairs that go before it."""
    places = [place for place, inner in enumerate(element) if _local(inner) == 'mprescripts']
    end = places[0] if places else len(parts)

    def pairs(scripts: Sequence[str]) -> str:
        below = ''.join(part.strip() for part in scripts[::2])
        above = ''.join(part.strip() for part in scripts[1::2])
        return (f'_{{{below}}}' if below else '') + (f'^{{{above}}}' if above else '')

    before = pairs(parts[end + 1 :])
    return (f'{{}}{before}' if before else '') + _base(_at(parts, 0)) + pairs(parts[1:end])


def _local(element: Any) -> str:
    return element.tag.rpartition(':')[2].lower() if isinstance(element.tag, str) else ''


_LEAVES: dict[str, Callable[[str], str]] = {
    'mi': _identifier,
    **dict.fromkeys(('mn', 'mo'), _symbols),
    **dict.fromkeys(('mtext', 'ms'), _words),
}
_MAKERS: dict[str, Callable[[Any, list[str]], str]] = {
    'mfrac': lambda _, parts: f'\\frac{_group(_at(parts, 0))}{_group(_at(parts, 1))}',
    'msup': _scripts(0, 1),
    'msub': _scripts(1, 0),
    **dict.fromkeys(('msubsup', 'munderover'), _scripts(1, 2)),
    'msqrt': lambda element, parts: f'\\sqrt{_group(_row(element, parts))}',
    'mroot': lambda _, parts: f'\\sqrt[{_at(parts, 1).strip()}]{_group(_at(parts, 0))}',
    'mover': _marked(_OVER, '^', 'overset'),
    'munder': _marked(_UNDER, '_', 'underset'),
    'mtable': _table,
    **dict.fromkeys(('mtr', 'mlabeledtr'), lambda _, parts: ' & '.join(part.strip() for part in parts)),
    **dict.fromkeys(('mtd', 'mrow', 'math'), _row),
    'mfenced': _fenced,
    'mmultiscripts': _prescripts,
    **dict.fromkeys(('semantics', 'maction'), lambda _, parts: _at(parts, 0)),
    'mspace': lambda _, __: ' ',
    **dict.fromkeys(('mphantom', 'mprescripts', 'none', 'annotation', 'annotation-xml'), lambda _, __: ''),
}
