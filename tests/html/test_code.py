"""Code on web pages: verbatim, in fences, with its language."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from lxml.html import fragment_fromstring

from summarizer_tool.html import code
from tests.support.fictional import read


def test_code_is_kept_as_it_is_written() -> None:
    assert read("""
<p>Count like this:</p>
<div class="highlight-python notranslate"><div class="highlight"><pre><span></span><span class="k">def</span> <span
class="nf">toll</span>(ship):
    # what   it pays

    return <span class="mi">3</span> * ship.tons &lt; 7
</pre></div></div>""") == snapshot("""\
Count like this:

```
def toll(ship):
    # what   it pays

    return 3 * ship.tons < 7
```\
""")


def test_fences_are_longer_than_those_within() -> None:
    assert read('<pre><code class="language-md">```js\nx\n```</code></pre>') == snapshot("""\
````md
```js
x
```
````\
""")


@pytest.mark.parametrize(
    ('markup', 'language'),
    [
        ('<pre><code class="language-python">x</code></pre>', 'python'),
        ('<pre class="lang-C++">x</pre>', 'c++'),
        ('<pre class="wide dark">x</pre>', ''),
        ('<article class="language-de"><pre>x</pre></article>', ''),
    ],
)
def test_languages(markup: str, language: str) -> None:
    assert read(markup) == f'```{language}\nx\n```'


@pytest.mark.parametrize(
    'markup',
    [
        '<div class="highlight"><table><tr><td class="gutter"><pre>1\n2</pre></td>'
        '<td class="code"><pre><code>let a = 1\nlet b = 2</code></pre></td></tr></table></div>',
        '<pre><span class="linenos">1</span>let a = 1\n<span class="linenos">2</span>let b = 2</pre>',
        '<pre><code><span class="line">let a = 1</span><br><span class="line">let b = 2</span></code></pre>',
        '<pre><code><div>let a = 1</div><div>let b = 2</div></code><button>Copy</button></pre>',
        '<pre><code><table><tr><td>let a = 1</td></tr><tr><td>let b = 2</td></tr></table></code></pre>',
    ],
    ids=['a column of numbers', 'numbers in lines', 'breaks', 'boxes', 'rows'],
)
def test_numbers_and_buttons_beside_code_are_none_of_it(markup: str) -> None:
    assert read(markup) == '```\nlet a = 1\nlet b = 2\n```'


def test_code_within_a_sentence() -> None:
    assert read("""<p>Call <code>toll( ship )</code>, or <code>`toll`</code>, then press <kbd>Enter</kbd>.</p>""") == (
        'Call `toll( ship )`, or `` `toll` ``, then press `Enter`.'
    )


@given(text=st.text(st.sampled_from('`a \n'), max_size=40))
def test_nothing_in_code_ends_its_fence(text: str) -> None:
    first, *inner, last = code.fenced(text, '').split('\n')
    assert first == last
    assert '\n'.join(inner) == text
    assert not any(line.strip().startswith(first) for line in inner)


@given(lines=st.lists(st.text(st.characters(codec='utf-8', categories=('L', 'N', 'P', 'Zs')), min_size=1), min_size=1))
def test_every_line_is_kept(lines: list[str]) -> None:
    element = fragment_fromstring('<pre/>')
    element.text = '\n'.join(lines)
    kept = code.verbatim(element).split('\n')
    assert kept == [line for line in lines if line.strip()] or kept == lines or '\n'.join(kept) in '\n'.join(lines)
    assert [line for line in kept if line.strip()] == [line for line in lines if line.strip()]
