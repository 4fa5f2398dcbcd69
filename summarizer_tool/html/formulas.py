"""Formulas on a page, in whatever way it shows them, each of them once."""

from dataclasses import dataclass
from typing import Any

from summarizer_tool.html import mathml

_BOXES = frozenset({'katex', 'mwe-math-element', 'MathJax', 'MathJax_Display', 'MathJax_SVG', 'MathJax_CHTML'})
"""Names of what KaTeX, MediaWiki and MathJax put around a formula and its drawing."""
_DRAWINGS = frozenset({'katex-html', 'MathJax', 'MathJax_Display', 'MathJax_SVG', 'MathJax_CHTML', 'MathJax_Preview'})
"""Names of what shows a formula that is said once more, as MathML or as TeX."""


@dataclass(frozen=True, slots=True)
class Formula:
    """What a page shows as a formula."""

    latex: str
    is_display: bool
    """Whether it stands on lines of its own."""


def of_math(element: Any) -> Formula:
    """The formula of a `math` element."""
    is_display = element.get('display') == 'block' or element.get('mode') == 'display'
    return Formula(mathml.latex(element), is_display)


def of_script(element: Any) -> Formula | None:
    """The formula of a `script` that holds TeX; none of another."""
    kind: str = element.get('type') or ''
    return Formula(_clean(element.text), 'display' in kind) if kind.startswith('math/tex') else None


def of_box(element: Any, names: str) -> Formula | None:
    """The formula of an element with these class names, whose drawing it holds as well; none of another."""
    words = names.split()
    if _BOXES.isdisjoint(words):
        return None
    math = next(element.iter('math'), None)
    if math is not None:
        around = element.getparent()
        is_display = around is not None and 'katex-display' in (around.get('class') or '')
        return Formula(mathml.latex(math), is_display or of_math(math).is_display)
    image = next(element.iter('img'), None)
    return Formula(_clean(image.get('alt')), is_display=False) if image is not None else None


def is_drawing(names: str) -> bool:
    """Return whether an element with these class names only draws a formula."""
    return not _DRAWINGS.isdisjoint(names.split())


def _clean(tex: str | None) -> str:
    return mathml.clean(tex) if tex and len(tex) <= mathml.MAX_LENGTH else ''
