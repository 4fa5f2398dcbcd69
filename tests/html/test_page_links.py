"""Which links of a page belong to its content, and what stands around them."""

import pytest
from hypothesis import example, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from summarizer_tool.html.convert import MAX_AROUND, to_markdown
from summarizer_tool.html.page import Link

URL = 'https://merrowdown.example/guide'

TEXT = (
    'The mill stands where the Ness leaves the hills, and was built by the county in the dry years after the war.',
    'It holds four pairs of stones in two lofts, and its wheel lets the water through when the miller is away.',
    'The first miller, Ida Penrose, kept a book of the floods; her nephew found it wanting and began another one.',
    'Visitors are led through the lofts on Sundays, when the stones are still and the sluice is open for all to see.',
)
CHAPTERS = (
    '<ul><li><a href="/lofts">The lofts</a></li><li><a href="/sluice">Sluice and race</a></li>'
    '<li><a href="/stones">Dressing of the burr stones</a></li><li><a href="/views">Views</a></li></ul>'
)


def shown(body: str, box: str = 'main') -> tuple[Link, ...]:
    """The links of a page with a menu, a share bar, a sidebar and a footer."""
    page = to_markdown(
        f"""<html><head><title>Guide</title></head><body><nav><ul><li><a href="/">Home</a></li><li><a href="/about">About
        us</a></li></ul></nav><{box}><h1>Guide to the mill</h1>{body}<div class="share-bar"><a href="/share">Letter</a>
        </div></{box}><aside><ul><li><a href="/otters">Otters at the mill: ten pictures</a></li></ul></aside><footer><p>
        <a href="/imprint">Imprint</a></p></footer></body></html>""",
        URL,
    )
    return page.links


def paths(links: tuple[Link, ...]) -> list[str]:
    return [link.url.removeprefix('https://merrowdown.example') for link in links]


def paragraphs(*texts: str) -> str:
    return ''.join(f'<p>{text}</p>' for text in texts)


@pytest.mark.parametrize('box', ['article', 'main', 'div'])
@pytest.mark.parametrize(
    'body',
    [
        f'{paragraphs(TEXT[0])}<p>The chapters of this guide:</p>{CHAPTERS}',
        f'{paragraphs(*TEXT)}<h2>Chapters</h2>{CHAPTERS}',
        f'{paragraphs(*TEXT[:2])}<p>Read on:</p>{CHAPTERS}{paragraphs(*TEXT[2:])}',
        f'{CHAPTERS}{paragraphs(*TEXT)}',
    ],
)
def test_the_chapters_of_an_article_are_its_links(body: str, box: str) -> None:
    assert paths(shown(body, box)) == ['/lofts', '/sluice', '/stones', '/views']


@pytest.mark.parametrize('place', range(1, 5))
def test_a_paragraph_that_is_but_a_pointer_is_a_link(place: int) -> None:
    pointer = 'See <a href="/stones">the dressing of the burr stones</a>.'
    links = shown(paragraphs(*TEXT[:place], pointer, *TEXT[place:]))
    assert links == (
        Link(
            'https://merrowdown.example/stones',
            'the dressing of the burr stones',
            'Guide to the mill',
            'See the dressing of the burr stones.',
        ),
    )


def test_what_stands_in_another_part_of_the_page_does_not_belong_to_it() -> None:
    other = f'<p>{TEXT[3]} The <a href="/letter">letter</a> of the mill comes every month.</p>'
    comments = (
        f'<div class="comments"><p><a href="/ida">Ida</a> says: thank you.</p>{other}</div><p><a href="/x">x</a></p>'
    )
    assert paths(shown(f'{paragraphs(*TEXT)}{comments}')) == []
    inside = '<aside><p><a href="/quiz">Quiz</a></p></aside><div class="related"><a href="/shop">Mugs</a></div>'
    assert paths(shown(f'{paragraphs(*TEXT[:2])}{inside}{paragraphs(*TEXT[2:])}')) == []
    # A run of links without end is no list of chapters.
    many = ''.join(f'<div><a href="/news/{number}">The news of day {number}</a></div>' for number in range(100))
    assert len(shown(f'{paragraphs(*TEXT)}{many}')) == 12


LONG = (
    'The wheel of the mill is as old as its walls. It was raised by St. Orrin, as <a href="/orrin">the book of the '
    'floods</a> has it, and has been turned twice since then. Nobody knows by whom. Read <a href="/more">more</a>. '
    'A <a href="/wheel">wheel</a> like it stands at Holm, where the tide is higher and the millers are fewer than here.'
)


def test_a_link_is_told_with_its_sentence() -> None:
    around = {link.url.rsplit('/', 1)[1]: link.around for link in shown(paragraphs(TEXT[0], LONG, TEXT[1]))}
    assert around == {
        'orrin': 'It was raised by St. Orrin, as the book of the floods has it, and has been turned twice since then.',
        # Where that says nothing, with those before it.
        'more': 'The wheel of the mill is as old as its walls. It was raised by St. Orrin, as the book of the floods has it, and has been turned twice since then. '
        'Nobody knows by whom. Read more.',
        'wheel': 'A wheel like it stands at Holm, where the tide is higher and the millers are fewer than here.',
    }
    # A sentence that is too long is cut between words.
    endless = ', '.join(f'the year {number}' for number in range(100))
    [link] = shown(
        paragraphs(TEXT[0], f'It burnt in {endless}, <a href="/fire">each time by night</a>, and in {endless}.')
    )
    assert link.around.startswith('the year 93, the year 94, ')
    assert link.around.endswith(
        'the year 99, each time by night, and in the year 0, the year 1, the year 2, the year 3, '
        'the year 4, the year 5, the year 6'
    )


def test_a_link_that_stands_alone_has_nothing_around_it() -> None:
    links = shown(f'{paragraphs(*TEXT)}{CHAPTERS}')
    assert [link.around for link in links] == [''] * 4
    # As good as alone.
    [link] = shown(paragraphs(*TEXT, f'Of old: <a href="/flood">{" and ".join(TEXT)}</a>.'))
    assert link.around == ''


@pytest.mark.parametrize(
    'card',
    [
        '<h3><a href="/weir">The weir</a></h3><p>Where eels go up.</p>',
        '<div><a href="/weir"><h3>The weir</h3><p>Where eels go up.</p></a></div>',
        '<ul><li><a href="/weir">The weir</a><p>Where eels go up.</p></li><li><a href="/loft">The loft</a></li></ul>',
        '<dl><dt><a href="/weir">The weir</a></dt><dd>Where eels go up.</dd></dl>',
        '<table><tr><td><a href="/weir">The weir</a></td><td>Where eels go up.</td></tr></table>',
    ],
)
def test_what_stands_under_a_link_speaks_of_it(card: str) -> None:
    link = shown(f'{paragraphs(*TEXT)}<h2>Walks</h2>{card}')[0]
    assert (link.text, link.section, link.around) == ('The weir', 'Walks', 'The weir: Where eels go up.')


def test_a_listing_behind_a_text_leads_on_to_all_of_its_pages() -> None:
    cards = ''.join(
        f'<div><a href="/{number}"><h3>Walk {number}</h3><p>A walk of {number} miles.</p></a></div>'
        for number in range(40)
    )
    assert len(shown(f'{paragraphs(*TEXT)}<h2>Walks</h2>{cards}')) == 40


def test_characters_that_nobody_sees_split_no_word_of_a_link() -> None:
    [link] = shown(
        paragraphs(TEXT[0], 'See the <a href="/stones">burr\xadstones of the mill</a>, which are dressed twice.')
    )
    assert (link.text, link.around) == (
        'burrstones of the mill',
        'See the burrstones of the mill, which are dressed twice.',
    )


WORDS = st.text('ab .!?…"\n。1<>&', max_size=120)


@hypothesis_settings(max_examples=40)
@example([('', '111')])
@given(st.lists(st.tuples(WORDS, WORDS), max_size=6))
def test_what_stands_around_any_link_holds_it(pieces: list[tuple[str, str]]) -> None:
    text = ''.join(
        f'{_escaped(before)}<a href="/{number}">{_escaped(inner)}</a>' for number, (before, inner) in enumerate(pieces)
    )
    for link in shown(paragraphs(*TEXT[:2], text, *TEXT[2:])):
        assert len(link.around) <= MAX_AROUND
        assert not link.around or link.text in link.around != link.text
        assert link.around == ' '.join(link.around.split())


def _escaped(text: str) -> str:
    return text.replace('&', '&amp;').replace('<', '&lt;')


def test_a_table_of_contents_is_the_way_on_from_a_page_that_leads_nowhere_else() -> None:
    chapters = [f'/part-{number}' for number in range(12)]
    rows = ''.join(f'<dt><a href="{path}">Of the mill</a></dt>' for path in chapters)
    licence = '<p>This text may be copied, as <a href="https://law.example/by-sa">its licence</a> has it.</p>'
    links = paths(shown(f'{paragraphs(*TEXT)}{licence}<div class="toc"><dl>{rows}</dl></div>'))
    assert {'https://law.example/by-sa', *chapters} <= {*links}
