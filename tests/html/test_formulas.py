"""Formulas of web pages as LaTeX."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from lxml.html import fragment_fromstring

from summarizer_tool.html import formulas
from tests.support.fictional import read


def latex(markup: str) -> str:
    return formulas.latex(fragment_fromstring(f'<math>{markup}</math>'))


@pytest.mark.parametrize(
    ('markup', 'expected'),
    [
        (
            '<mi>x</mi><mo>=</mo><mfrac><mrow><mo>−</mo><mi>b</mi><mo>±</mo><msqrt><msup><mi>b</mi><mn>2</mn></msup>'
            '<mo>−</mo><mn>4</mn><mi>a</mi><mi>c</mi></msqrt></mrow><mrow><mn>2</mn><mi>a</mi></mrow></mfrac>',
            r'x=\frac{-b±\sqrt{b^{2}-4ac}}{2a}',
        ),
        (
            '<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover>'
            '<msub><mi>x</mi><mi>i</mi></msub>',
            '∑_{i=1}^{n}x_{i}',
        ),
        (
            '<mroot><mi>x</mi><mn>3</mn></mroot><mo>≤</mo><mi>sin</mi><mo>&#8289;</mo><mi>α</mi>',
            r'\sqrt[3]{x}≤\mathrm{sin}α',
        ),
        ('<msubsup><mi>x</mi><mn>1</mn><mn>2</mn></msubsup>', 'x_{1}^{2}'),
        ('<mover><mi>x</mi><mo>¯</mo></mover><mover><mi>v</mi><mo>→</mo></mover>', r'\overline{x}\vec{v}'),
        ('<munder><mi>lim</mi><mrow><mi>n</mi><mo>→</mo><mi>∞</mi></mrow></munder>', r'{\mathrm{lim}}_{n→∞}'),
        ('<mover><mi>a</mi><mtext>def</mtext></mover>', r'a^{\text{def}}'),
        (
            '<mo>(</mo><mtable><mtr><mtd><mi>a</mi></mtd><mtd><mi>b</mi></mtd></mtr>'
            '<mtr><mtd><mi>c</mi></mtd><mtd><mn>0</mn></mtd></mtr></mtable><mo>)</mo>',
            r'(\begin{matrix} a & b \\ c & 0 \end{matrix})',
        ),
        ('<mfenced open="[" separators=";"><mi>a</mi><mi>b</mi></mfenced>', '[a,b)'),
        ('<mi>n</mi><mo>∈</mo><mi>ℕ</mi><mtext> if 5% &amp; more</mtext>', r'n∈ℕ\text{if 5\% \& more}'),
        ('<msup><mi>f</mi><mo>′</mo></msup><mspace/><mi>rate</mi>', r'f^{′}\mathrm{rate}'),
        ('<mstyle><mrow><mi>a</mi><unknown>b</unknown></mrow></mstyle>', 'ab'),
        ('just words', 'just words'),
    ],
)
def test_elements(markup: str, expected: str) -> None:
    assert latex(markup) == expected


def test_what_the_page_says_of_a_formula_goes_first() -> None:
    said = fragment_fromstring(r'<math alttext="{\displaystyle {\textstyle E=mc^{2}}}"><mi>wrong</mi></math>')
    assert formulas.latex(said) == 'E=mc^{2}'
    assert latex(
        '<semantics><mi>wrong</mi><annotation encoding="application/x-tex">a  +\nb</annotation></semantics>'
    ) == ('a + b')
    assert latex('<semantics><mi>a</mi><annotation encoding="StarMath">wrong</annotation></semantics>') == 'a'


def test_each_formula_is_said_once() -> None:
    drawn = r'<span class="katex-html" aria-hidden="true"><span>w</span><span>2</span></span>'
    tex = '<annotation encoding="application/x-tex">w^2</annotation>'
    katex = (
        f'<span class="katex"><span class="katex-mathml"><math><semantics>{tex}</semantics></math></span>{drawn}</span>'
    )
    wiki = (
        '<span class="mwe-math-element"><span style="display: none;"><math alttext="{\\displaystyle v_{0}}"><mi>v</mi>'
        '</math></span><img class="mwe-math-fallback-image-inline" alt="{\\displaystyle v_{0}}" src="/v.svg"></span>'
    )
    image = '<span class="mwe-math-element"><img src="/u.svg" alt="{\\displaystyle u}"></span>'
    mathjax = (
        '<span class="MathJax_Preview">x1</span><span class="MathJax">x1</span><script type="math/tex">x_1</script>'
    )
    assert read(
        f'<p>The toll {katex} falls with {wiki} and {image} for all but {mathjax} of the ships.</p>'
        f'<span class="katex-display">{katex}</span><math display="block"><msqrt><mi>x</mi></msqrt></math>'
        '<script type="math/tex; mode=display">\\sum_i x_i</script>'
    ) == snapshot("""\
The toll $w^2$ falls with $v_{0}$ and $u$ for all but $x_1$ of the ships.

$$
w^2
$$

$$
\\sqrt{x}
$$

$$
\\sum_i x_i
$$\
""")


ELEMENTS = 'mrow mfrac msup msubsup mroot mover munder mtable mtr mfenced mmultiscripts'.split()  # noqa: SIM905


@given(
    st.recursive(
        st.sampled_from(['<mi>x</mi>', '<mn>2</mn>', '<mo>∑</mo>', '<none/>', '']),
        lambda inner: st.tuples(
            st.sampled_from(ELEMENTS),
            st.lists(inner, max_size=4),
        ).map(lambda made: f'<{made[0]}>{"".join(made[1])}</{made[0]}>'),
    )
)
def test_any_formula_is_balanced(markup: str) -> None:
    found = latex(markup)
    assert found.count('{') == found.count('}')
    assert found.count(r'\begin') == found.count(r'\end')


def test_formulas_that_grow_are_bounded() -> None:
    assert len(latex('<msup><mi>x</mi>' * 3000)) <= formulas.MAX_LENGTH
    assert latex('<mrow>' * 200 + '<mi>y</mi>') == 'y'


@pytest.mark.parametrize(
    ('markup', 'expected'),
    [
        (r'<img class="latex" src="/latex.php?latex=x" alt="\sum_n n^2">', r'$\sum_n n^2$'),
        ('<img src="https://latex.codecogs.com/svg.image?%5Cfrac%7Ba%7D%7Bb%7D">', r'$\frac{a}{b}$'),
        ('<img src="/latex-course.png" alt="Ada">', ''),
        ('<span data-math="a_1"><span class="katex"><i class="katex-html">a1</i></span></span>', '$a_1$'),
        ('<span class="katex"><i class="katex-html" aria-hidden="true">∀<i>x</i></i></span>', '$∀x$'),
        ('<span class="katex"><i class="katex-html">x<i class="vlist">2</i></i></span>', '$…$'),
        ('<span class="MathJax">y</span><script type="math/tex">z</script>', '$z$'),
    ],
)
def test_formulas_that_are_only_drawn(markup: str, expected: str) -> None:
    assert f'The sum is {expected} here.'.replace('  ', ' ') in read(f'<p>The sum is {markup} here.</p>')
