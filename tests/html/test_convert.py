"""What of a web page is its content, and how it reads."""

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from inline_snapshot import snapshot

from summarizer_tool.html.convert import to_markdown
from summarizer_tool.html.page import Link
from tests.support.fictional import PROSE, article, between

SITE = 'https://merrowdown.example'
URL = f'{SITE}/wiki/salt-gate'


def read(markup: str) -> str:
    return between(to_markdown(article(markup), URL).markdown)


def test_a_page_without_its_chrome() -> None:
    page = to_markdown(
        f"""<!doctype html><html><head><title>Salt Gate - Merrowdown Wiki</title></head><body>
        <a class="skip-link" href="#main">Skip to content</a>
        <header><a href="/">Merrowdown Wiki</a><nav><ul><li><a href="/gates">Gates</a><li><a href="/wards">Wards</a></ul></nav>
        </header><div class="breadcrumbs"><a href="/">Home</a> &gt; <a href="/gates">Gates</a></div>
        <main id="main"><article><h1>Salt Gate</h1><p class="lead">The gate that the sea could not break, and the people
        who have kept it.</p><div class="toc"><h2>Contents</h2><ol><li><a href="#k">Keepers</a></ol></div>{PROSE}
        <h2 id="k">Keepers <a class="headerlink" href="#k">¶</a><span class="mw-editsection">[<a href="?e">edit</a>]</span></h2>
        <p>Ilva Tarn was the first of them. She wrote <a href="/wiki/book">the Book of Ships</a>, in which no page is
        empty, and rests by the gate.</p>
        <p>Read more: <a href="/wiki/bells">The bells of the five gates</a></p>
        <div class="share-buttons"><a href="#">Share</a> <a href="#">Tweet</a></div></article>
        <section class="related-posts"><h3>Related</h3><ul><li><a href="/wiki/reed">Reed Gate and its wars</a></ul></section>
        <div id="comments"><h3>2 comments</h3><p>What a gate! I was there as a child and saw it open at dawn.</p></div></main>
        <aside class="sidebar"><p>Support the wiki with a small gift each month, and be named among its keepers.</p></aside>
        <div id="cookie-banner" role="dialog"><p>We value your privacy and use cookies.</p><button>Accept</button></div>
        <footer><p>Text is available under a free licence.</p></footer><script>track()</script></body></html>""",
        URL,
    )
    assert page.title == 'Salt Gate'
    assert page.markdown == snapshot("""\
# Salt Gate

The gate that the sea could not break, and the people who have kept it.

The Salt Gate is the oldest of the five gates of Merrowdown, and the only one that the flood of 1612 left standing. Its keepers have counted the ships that pass it ever since, and their books are all still there.

## Keepers

Ilva Tarn was the first of them. She wrote the Book of Ships, in which no page is empty, and rests by the gate.\
""")


def test_a_paragraph_in_bold_heads_what_follows_even_as_a_link() -> None:
    keeps = ''.join(
        f'<p><strong>{name}</strong></p><ul><li><b>Owner:</b> the {owner} of Marn, since the flood</li></ul>'
        for name, owner in (('<a href="/tern">Tern Keep</a>', 'reeve'), ('Salt Hall', 'guild'))
    )
    said = '<p><b>Marn</b> has <b>two</b> keeps, each built by another family after the great flood.</p>'
    years = ''.join(f'<p>In {year} the market of Marn sold {year} barrels of herring.</p>' for year in range(601, 607))
    markup = f'<h1>Marn</h1>{said}<h2>Keeps</h2>{keeps}<h2>Markets</h2>{years}'
    made = to_markdown(f'<html><title>Marn</title><body>{markup}', URL)

    assert 'Marn has two keeps' in made.markdown
    assert made.markdown.partition('## Keeps\n\n')[2].split('\n\n')[:4] == [
        '**Tern Keep**',
        '- **Owner:** the reeve of Marn, since the flood',
        '**Salt Hall**',
        '- **Owner:** the guild of Marn, since the flood',
    ]


def test_lists() -> None:
    assert read("""
        <ol start=4><li>four<ol><li>a</li><li>b</li></ol></li><li value=7><p>seven</p><p>more of it</p></li></ol>
        <ul><li><b>Ilva Tarn</b>, the first <b>keeper</b></li><li><input type=checkbox checked> sworn in</li>
        <li><input type=checkbox> buried</li></ul>
        <ul><li><ul><li>only</li><li>within</li></ul></li></ul>""") == snapshot("""\
4. four
   1. a
   2. b
7. seven

   more of it

- **Ilva Tarn**, the first keeper
- [x] sworn in
- [ ] buried

- - only
  - within\
""")


def test_lists_of_cards_are_sections() -> None:
    assert read("""
        <ul><li><h3>Keepers</h3><p>They count the ships that pass the gate.</p></li>
        <li><h3>Wardens</h3><p>They hold the keys of the gate.</p></li></ul>""") == snapshot("""\
### Keepers

They count the ships that pass the gate.

### Wardens

They hold the keys of the gate.\
""")


def test_terms() -> None:
    assert read("""
        <dl><dt>Keeper</dt><dd>Counts the ships.</dd><dt>Warden</dt><dd><p>Holds the keys.</p><p>Rings the bell.</p></dd>
        <dd>Sleeps at noon.</dd></dl>""") == snapshot("""\
Keeper
: Counts the ships.

Warden
: Holds the keys.

  Rings the bell.
: Sleeps at noon.\
""")


def test_boxes() -> None:
    assert read("""
        <div class="admonition warning"><p class="admonition-title">Warning</p><p>Do not cross at night.</p>
        <ul><li>Not even with a lamp.</li></ul></div>
        <details><summary>What of the bell?</summary><p>It rings by itself.</p></details>
        <blockquote><p>No ship shall pass.</p><blockquote>But one.</blockquote></blockquote>""") == snapshot("""\
Warning

Do not cross at night.

- Not even with a lamp.

> ###### What of the bell?
>
> It rings by itself.

> No ship shall pass.
>
> > But one.\
""")


def test_words_that_look_like_markup_are_words() -> None:
    assert read('<p># 5 is a number<br>&gt; this<br>---<br>| that</p><p>```</p>') == snapshot("""\
\\# 5 is a number
\\> this
\\---
\\| that

\\```\
""")


def test_numbers_that_are_raised_are_not_numbers_of_their_own() -> None:
    assert read(
        '<p>It saw 10<sup>9</sup> ships, of 3 m<sup>2</sup> each, drank H<sub>2</sub>O, on the 2<sup>nd</sup>.</p>'
    ) == ('It saw 10^9 ships, of 3 m^2 each, drank H2O, on the 2nd.')


@pytest.mark.parametrize(
    ('html', 'text'),
    [
        ('10<sup>–5</sup>', '10^-5'),
        ('10<sup>6.5</sup>', '10^6.5'),
        ('10<sup><i>6</i></sup>', '10^6'),
        ('10 <sup>6</sup>', '10 ^6'),
        ('10<sup>n</sup>', '10^n'),
        ('5 W m<sup>–2</sup>', '5 W m^-2'),
        ('In 1911<sup>2,3</sup>', 'In 1911[2,3]'),
        ('at 45<sup>2-5</sup>', 'at 45[2-5]'),
        ('the tide.<sup>2</sup>', 'the tide.[2]'),
        ('log<sub>10</sub>100', 'log_10 100'),
        ('x<sub>1</sub>2', 'x_1 2'),
        ('1<sup>1</sup>/<sub>2</sub> cups', '1 1/2 cups'),
        ('SO<sub>4</sub><sup>2−</sup> and Ca<sup>2+</sup>', 'SO4^2− and Ca2+'),
        ('of 1950 <sup>14</sup>C, CO<sub>2</sub>', 'of 1950 14C, CO2'),
        ('the 1<sup>st</sup> and 2<sup>e</sup>', 'the 1st and 2e'),
        ('x<sup>n</sup>, e<sup>x</sup>, 2<sup>n-1</sup>, (a+b)<sup>n</sup>', 'x^n, e^x, 2^n-1, (a+b)^n'),
        ('12<sup>h</sup>30, 5<sup>m</sup> 30<sup>s</sup>, 10<sup>h</sup>', '12h30, 5m 30s, 10h'),
        ('M<sup>r</sup> Dupont, S<sup>t</sup> John, W<sup>m</sup> Penn', 'Mr Dupont, St John, Wm Penn'),
        ('1<sup>r</sup> de maig, 2<sup>n</sup> lloc', '1r de maig, 2n lloc'),
    ],
)
def test_what_stands_raised_or_lowered_is_apart_from_numbers(html: str, text: str) -> None:
    assert read(f'<p>It was {html} as the keepers of the gate said.</p>') == (
        f'It was {text} as the keepers of the gate said.'
    )


@pytest.mark.parametrize(
    ('html', 'text'),
    [
        ('<ol reversed><li>Third<li>Second<li>First</ol>', '3. Third\n2. Second\n1. First'),
        ('<ol start="-1"><li>Below<li>Ground</ol>', '- -1. Below\n0. Ground'),
        ('<ol type="a"><li>Keep it<li>Close it</ol>', '- a. Keep it\n- b. Close it'),
        ('<ol type="I" start="4"><li>Keep it<li>Close it</ol>', '- IV. Keep it\n- V. Close it'),
        ('<ol type="i" start="99999999"><li>Keep it</ol>', '99999999. Keep it'),
    ],
)
def test_items_have_the_numbers_that_are_shown(html: str, text: str) -> None:
    assert read(html) == text


@pytest.mark.parametrize(
    ('html', 'text'),
    [
        ('said <q>never again</q> to', 'said "never again" to'),
        ('opened<button>Copy</button> just', 'opened just'),
        ('found <button>Copy</button> in', 'found in'),
        ('gave 5 <button>i</button> mg of', 'gave 5 mg of'),
        ('saw a <q>bell</q>, “<q>Orme</q>” and "<q>Morn</q>" on', 'saw a "bell", “Orme” and "Morn" on'),
        ('saw <q>a</q><q>b</q> on', 'saw "a""b" on'),
    ],
)
def test_what_a_sentence_shows_stands_in_it(html: str, text: str) -> None:
    assert read(f'<p>The keepers of the gate {html} the lock.</p>') == f'The keepers of the gate {text} the lock.'


@pytest.mark.parametrize('name', ['wp-math', 'math-icon', 'latex-logo', 'math'])
def test_an_image_that_is_no_formula_stands_in_no_sentence(name: str) -> None:
    image = f'<img class="{name}" alt="Figure 1: growth" src="a.png">'
    assert '$' not in read(f'<p>The keepers of the gate saw {image} for the lock.</p>')


def test_what_was_struck_out_is_marked() -> None:
    assert read('<p>The toll is <del>three</del> four pence since the great frost.</p>') == (
        'The toll is ~~three~~ four pence since the great frost.'
    )


LINKED = """<base href="/wiki/"><p>See <a href="keepers#ilva"><i>the</i> keepers</a>, <a href="keepers">again</a>, <a
href="https://tides.example/a b?moon=1">the tides</a>, <a href="salt-gate#top">this</a>, <a href="mailto:x@y.z">mail</a>,
<a href="javascript:x()">script</a> or <a href="https://tides.example/">https://tides.example/</a> for what is known of
the gate and of those who keep it.</p>"""


AROUND = (
    'See the keepers, again, the tides, this, mail, script or https://tides.example/ for what is known of the gate and of '
    'those who keep it.'
)


def test_links_stand_beside_the_text_with_absolute_targets() -> None:
    page = to_markdown(article(LINKED), URL)
    assert between(page.markdown) == AROUND
    assert page.links == (
        Link('https://merrowdown.example/wiki/keepers', 'the keepers', 'Salt Gate', AROUND),
        Link('https://tides.example/a%20b?moon=1', 'the tides', 'Salt Gate', AROUND),
        Link('https://tides.example/', 'https://tides.example/', 'Salt Gate', AROUND),
    )


def test_without_an_address_only_absolute_links_are_known() -> None:
    page = to_markdown(
        article('<p>Both <a href="/a">this</a> and <a href="https://b.example/">that</a> are pages.</p>')
    )
    assert page.links == (Link('https://b.example/', 'that', 'Salt Gate', 'Both this and that are pages.'),)


def test_what_trafilatura_drops_within_the_text_is_kept() -> None:
    links = ''.join(
        f'<li><a href="/k{number}">Keeper {number}</a>, sworn in at the age of {number}</li>'
        for number in range(30, 36)
    )
    kept = read(f"""
        <p>The keepers of the century were these:</p><ul>{links}</ul><pre>open 9\nshut 12</pre>
        <table><tr><th>Bell</th><th>Weight</th></tr><tr><td>Old Meg</td><td>3 t</td></tr></table>
        <p>All of them are in the book.</p>""")
    assert [part in kept for part in ('sworn in at the age of 35', 'open 9', 'Old Meg', 'All of them')] == [True] * 4


def test_text_that_a_script_would_show() -> None:
    body = (
        'The Salt Gate was opened at dawn and shut at dusk for four hundred years, save in the year of the frost. ' * 5
    )
    script = f'<script type="application/ld+json">{{"@type": "Article", "articleBody": "{body}"}}</script>'
    page = to_markdown(
        f'<html><head><title>Salt Gate</title>{script}</head><body><div id="app">Loading</div></body></html>'
    )
    assert page.markdown == body.strip()


def test_titles() -> None:
    heading = '<body><h1>Salt Gate</h1><p>Text.</p>'
    assert to_markdown(f'<title>Salt Gate | Merrowdown</title>{heading}').title == 'Salt Gate'
    assert to_markdown(f'<title>Merrowdown</title>{heading}').title == 'Merrowdown'
    site = '<body><h1>Merrowdown</h1><h2>Salt gate</h2><p>Text.</p>'
    assert to_markdown(f'<title>Salt Gate - Merrowdown</title>{site}').title == 'Salt gate'
    several = '<body><h1>Salt Gate</h1><p>Text.</p><h1>Tolls</h1><p>Text.</p>'
    assert to_markdown(f'<title>Salt Gate | Merrowdown</title>{several}').title == 'Salt Gate'
    assert to_markdown(heading).title == 'Salt Gate'
    assert (
        to_markdown(f'<html><head><meta property="og:title" content="The\u202e Gate"></head>{heading}').title
        == 'The Gate'
    )


@hypothesis_settings(max_examples=40)
@given(
    st.lists(st.text(st.characters(codec='utf-8', categories=('Lu', 'Ll', 'Nd')), min_size=1), min_size=1, max_size=30)
)
def test_the_words_of_paragraphs_are_kept(words: list[str]) -> None:
    import unicodedata

    sentence = ' '.join(['The keeper wrote:', *words, 'and closed the book for the night, as had long been his way.'])
    page = to_markdown(article(f'<p>{sentence}</p>'))
    assert unicodedata.normalize('NFC', sentence) in page.markdown


def test_a_formula_or_a_quoted_figure_that_stands_alone() -> None:
    formula = '<p><math><mi>E</mi><mo>=</mo><mi>m</mi><msup><mi>c</mi><mn>2</mn></msup></math></p>'
    quote = '<figure><blockquote><p>Dig deep, and be held by the reeds.</p></blockquote><figcaption>Osmer Vant</figcaption></figure>'
    page = to_markdown(f'<article><h1>Tides</h1>{PROSE}{formula}{PROSE}{quote}{PROSE}</article>')
    assert '$E=mc^{2}$' in page.markdown
    assert '> Dig deep, and be held by the reeds.' in page.markdown


def test_marks_of_footnotes_are_no_numbers_of_a_sentence() -> None:
    assert read("""
        <p>It is open. <a class="footnote-reference brackets" href="#id8">18</a> So is
        the lock.<sup><a href="#fn2">2</a></sup> See figure <a href="#fig">3</a>.[<sup><a href="#n4">4</a></sup>]</p>
        """) == snapshot('It is open. [18] So is the lock.[2] See figure 3.[4]')


def test_contents_of_a_page_are_left_out() -> None:
    entries = (
        '<li><a href="#gate">The gate</a></li><li><a href="#lock">The lock</a></li><li><a href="#bell">Bell</a></li>'
    )
    assert read(f'<p>They keep the gate.</p><ul>{entries}</ul>') == 'They keep the gate.'
    assert read(f'<p>They keep:</p><ul>{entries}</ul>') == snapshot("""\
They keep:

- The gate
- The lock
- Bell\
""")


def test_what_may_be_unfolded_is_part_of_its_item_or_cell() -> None:
    unfolded = '<details><summary>More</summary><p>Nine of them.</p></details>'
    assert read(f'<ul><li>Keepers{unfolded}</li></ul>') == '- Keepers\n\n  > ###### More\n  >\n  > Nine of them.'
    row = '<tr><td>Orme</td><td>1</td></tr>'
    assert '| Orme | 1 |' in read(f'<table>{row}<tr><td>Morn{unfolded}</td><td>2</td></tr>{row}</table>')


def test_a_heading_within_one_definition_leaves_the_others_theirs() -> None:
    assert read("""
        <dl><dt>Keeper</dt><dd>Counts the ships.</dd><dt>Warder</dt><dd>Mind the step.</dd><dt>Warden</dt><dd>Holds the keys.</dd>
        <dt>Ringer</dt><dd><h4>By night</h4><p>Rings the bell.</p></dd></dl>""") == snapshot("""\
Keeper
: Counts the ships.

Warder
: Mind the step.

Warden
: Holds the keys.

Ringer

: #### By night

  Rings the bell.\
""")
