"""Pages that are broken, or made to break their reader."""

import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from summarizer_tool.html import convert, parsing
from summarizer_tool.html.convert import to_markdown
from summarizer_tool.html.page import Page
from tests.support.fictional import PROSE, article

TAGS = (
    *('div', 'p', 'a', 'b', 'ul', 'li', 'table', 'tr', 'td', 'th', 'pre', 'code', 'math', 'msup', 'mi'),
    *('dl', 'dt', 'dd', 'blockquote', 'details', 'summary', 'h1', 'h2', 'img', 'br', 'span', 'sup'),
    *('figure', 'figcaption', 'script', 'style', 'svg', 'template', 'nav', 'base', 'title', 'head'),
    *('body', 'html', 'noscript', 'input', 'del', 'x-y'),
)
ATTRIBUTES = (
    *('', ' class="sidebar note"', ' class="katex"', ' class="share"', ' colspan=9', ' rowspan=0', ' start=x'),
    *(' href="//[bad"', ' href="/ok"', ' src="http://[x"', ' srcset=","', ' alttext="\\frac{"', ' hidden', ' id="toc"'),
    *(' class="hidden"', ' type="math/tex"', ' type=checkbox', ' style="display:none"'),
)
TOKENS = st.one_of(
    st.sampled_from(TAGS).flatmap(lambda tag: st.sampled_from([f'<{tag}{attribute}>' for attribute in ATTRIBUTES])),
    st.sampled_from([f'</{tag}>' for tag in TAGS]),
    st.text(max_size=10),
    st.sampled_from(
        ['&#1;', '&#2;', '&#30;', '&#x2028;', '&nbsp;', '&', '<', '<!--', '-->', '\ud800', '\U000f0001', '𠀀', '|', '`']
    ),
)


@pytest.mark.parametrize('tag', ['<source<p>', '<b a<c=1>', '<b "=1>', '<b\0>', '<b:c:d x:y:z=1>'])
def test_a_name_that_is_none_is_read_in_a_deep_page(tag: str) -> None:
    deep = '<div>' * 300 + f'{tag}Ada keeps the mill.'
    assert 'Ada keeps the mill.' in to_markdown(deep).markdown


@given(st.lists(TOKENS, max_size=40).map(''.join))
@settings(max_examples=50)
@example('<p>a&#2;b&#3;c&#30;d</p>')
@example('<base href="//[bad"><a href="x">y</a>')
def test_any_markup_is_read(markup: str) -> None:
    page = to_markdown(markup, 'https://merrowdown.example/')
    assert isinstance(page, Page)
    assert not set(page.markdown) & set('\x00\x01\x02\x03\x1e\x1f\ud800')
    assert all(link.url.startswith('http') and link.text for link in page.links)


@settings(max_examples=40)
@given(st.text(max_size=200), st.text(max_size=30))
def test_any_text_is_read(text: str, url: str) -> None:
    assert isinstance(to_markdown(text, url), Page)


@pytest.mark.parametrize(
    'markup', ['', '   ', '<', '</p>', '<!-- only this -->', '\0', '<html></html>', '<script>x</script>']
)
def test_what_says_nothing_is_an_empty_page(markup: str) -> None:
    assert to_markdown(markup).markdown in ('', '<')


@pytest.mark.parametrize(
    'opening', ['<div>', '<i>', '<font>', '<ul><li>', '<table><tr><td>', '<blockquote>', '<details>', '<span>']
)
def test_tags_that_nobody_closes(opening: str) -> None:
    markdown = to_markdown(f'<p>before</p>{opening * 20_000}the deepest word').markdown
    assert 'before' in markdown
    assert 'the deepest word' in markdown
    assert len(markdown) < 1000


@pytest.mark.parametrize('unfit', ['&#1;', '&#x0b;', '&#xFFFE;'])
def test_what_no_tree_takes_is_left_out_of_a_deep_page(unfit: str) -> None:
    assert to_markdown('<font>' * 400 + f'<p>Ada keeps {unfit}the mill.').markdown == 'Ada keeps the mill.'


def test_a_page_of_tags_that_nobody_closed_keeps_its_headings_and_links() -> None:
    parts = ''.join(f'<font><b><p>Ada keeps mill {number}, <a href="/{number}">see there</a>.' for number in range(200))
    page = to_markdown(f'<h1>Mills</h1>{parts}', 'https://merrowdown.example/')
    assert page.markdown.startswith('# Mills\n\nAda keeps mill 0, see there.\n\nAda keeps mill 1,')
    assert page.links[0].url == 'https://merrowdown.example/0'


def test_depth_does_not_reorder_text() -> None:
    markup = ''.join(f'<div>{number} ' for number in range(600)) + ''.join(
        f'</div>{number} ' for number in range(600, 1200)
    )
    words = [word for word in to_markdown(markup).markdown.split() if word.isdigit()]
    assert words == [str(number) for number in range(1200)]


def test_many_elements_become_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parsing, 'MAX_ELEMENTS', 50)
    rows = ''.join(
        f'<p>Line {number} &amp; its <b>words</b></p><script>hidden {number}</script>' for number in range(100)
    )
    lines = [line for line in to_markdown(rows).markdown.split('\n') if line]
    assert lines == [f'Line {number} & its words' for number in range(100)]


def test_a_page_of_too_many_elements_begins_with_its_headings_and_links(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parsing, 'MAX_ELEMENTS', 50)
    rows = ''.join(
        f'<h2>Mill {number}</h2><p>The <b>key</b> <i>is</i> <a href="/{number}">here</a>.' for number in range(40)
    )
    page = to_markdown(rows, 'https://merrowdown.example/')
    assert page.markdown.startswith('## Mill 0\n\nThe key is here.\n\n## Mill 1\n')
    assert page.markdown.endswith('Mill 39\nThe key is here.')
    assert page.links[0].url == 'https://merrowdown.example/0'


def test_a_page_too_large_for_the_vote_keeps_its_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(convert, 'MAX_ELEMENTS', 5)
    markdown = to_markdown(article('<h2>Keepers</h2><p>There were nine of them.</p>')).markdown
    assert markdown.startswith('# Salt Gate\n\nThe Salt Gate is')
    assert '## Keepers\n\nThere were nine of them.' in markdown
    assert 'Imprint' not in markdown


def test_marks_are_never_seen() -> None:
    cases = (PROSE, article(PROSE), '<pre>x</pre>', '<math><mi>x</mi></math>', '<code>x</code><nav>y</nav>')
    for markup in cases:
        page = to_markdown(markup)
        assert not any(0x20000 <= ord(char) < 0x2A6D0 for char in page.markdown + page.title)


def test_rare_letters_of_the_page_itself_are_kept() -> None:
    assert (
        '𠮷野家'
        in to_markdown(article('<p>The keeper ate at 𠮷野家 whenever the gate was shut for the day.</p>')).markdown
    )


def test_a_text_of_many_megabytes_is_whole() -> None:
    text = 'word ' * 1_000_000
    assert len(to_markdown(f'<p>{text}').markdown) == len(text) - 1


@pytest.mark.parametrize('value', ['', '="x"', "='>'", '="<p>"', ' < ', '="'])
def test_a_tag_of_many_attributes_costs_no_more_than_its_length(value: str) -> None:
    def seconds(number: int) -> float:
        attributes = ' '.join(f'a{each}{value}' for each in range(number))
        began = time.process_time()
        page = to_markdown(f'<p>before</p><p {attributes}">inside</p><script>i<n {attributes}</script><p>after</p>')
        spent = time.process_time() - began
        assert 'before' in page.markdown
        assert 'after' in page.markdown
        return spent

    seconds(300)
    assert seconds(80_000) < 5 * seconds(20_000) + 0.5  # comparing each with all others would take 16 times as long


def test_tags_that_never_end_cost_no_more_than_their_length() -> None:
    assert to_markdown('<p>before</p>' + '<source' * 200_000).markdown == 'before'  # in minutes, if looked at from each


def test_a_tag_keeps_its_first_attributes() -> None:
    many = ' '.join(f'a{each}=">"' for each in range(1000))
    markup = f'<p>See <a href="https://merrowdown.example/ferry" {many}>the ferry</a>, it leaves at nine.</p>'
    page = to_markdown(markup)
    assert page.markdown == 'See the ferry, it leaves at nine.'
    assert [link.url for link in page.links] == ['https://merrowdown.example/ferry']


def test_a_text_that_is_longer_than_a_tree_takes_is_read() -> None:
    assert to_markdown(f'<p>{PROSE}<p>{"mill " * 2_100_000}<p>The end.').markdown.endswith('The end.')


def test_a_deep_page_says_what_its_pictures_show() -> None:
    assert (
        '[Image: A map of Wick]'
        in to_markdown('<div>' * 300 + f'<p>{PROSE}<img src=m alt="A map of Wick"></p>').markdown
    )
