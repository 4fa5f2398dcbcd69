"""What stands between the paragraphs of an article is a part of it, however it is marked up."""

import time

import pytest

from summarizer_tool.html.convert import to_markdown
from tests.support.fictional import PROSE

BELL = 'Ada Zibeline paid for the bell in 1855.'


def read(markup: str) -> str:
    page = f'<html><head><title>Morn</title></head><body><article><h1>Morn</h1>{PROSE}{markup}{PROSE * 2}</article></body></html>'
    return to_markdown(page, 'https://morn.example/').markdown


@pytest.mark.parametrize(
    'markup',
    [
        BELL,
        f'<span>{BELL}</span>',
        f'<em>{BELL}</em>',
        f'<font color="red">{BELL}</font>',
        f'<x-note>{BELL}</x-note>',
        f'<center>{BELL}</center>',
        f'<section>{BELL}</section>',
        f'<h2>The bell</h2>{BELL}<br><br>It weighs two tons.<br>',
        f'<aside><p>{BELL}</p></aside>',
        f'<figure><img src="/bell.png"><figcaption>{BELL}</figcaption></figure>',
        '<img src="/bell.png" alt="Ada Zibeline beside her bell">',
        'The towns with a bell are:<ul><li><a href="/m">Morn</a><li><a href="/z">Zibeline</a></ul>',
        '<dl><dt>Founder</dt><dd><a href="/z">Zibeline</a></dd><dt>Year</dt><dd>1840</dd></dl>',
        '<table class="sidebar"><tr><th>Founder</th><td>Zibeline</td></tr><tr><th>Year</th><td>1840</td></tr></table>',
    ],
)
def test_text_between_paragraphs_is_kept_once(markup: str) -> None:
    assert read(markup).count('Zibeline') == 1


@pytest.mark.parametrize('root', ['article', 'div', 'main'])
@pytest.mark.parametrize(
    'markup',
    [
        'It cost 500 pounds',
        'It cost 500.',
        '<em>It cost 500 pounds</em>',
        '<span>Cost: 500 pounds</span>',
        '<center>It cost 500 pounds</center>',
        '<h2>The bell</h2>It cost 500 pounds',
        '<p>Cost: <div>500</div> pounds were paid.</p>',
        'Cast: 1855<br>Hung: 1856<br>Paid: 500 pounds',
        '<p>500 pounds</p>',
    ],
)
def test_text_between_paragraphs_may_be_short(markup: str, root: str) -> None:
    said = ''.join(f'<p>{each}</p>' for each in SAID)
    page = (
        f'<html><head><title>Morn</title></head><body><{root}><h1>Morn</h1>{said}{markup}{PROSE}</{root}></body></html>'
    )
    assert to_markdown(page).markdown.count('500') == 1


SAID = (
    'The bell of Morn was cast in Vesse and came by barge, which took nine days in the low water of that year.',
    'It was hung by the parish itself, since nobody would pay the founder for the frame and the ropes that it needs.',
    'When the tower was rebuilt the bell was found to have no crack at all, and it went up again without a repair.',
)


def test_paragraphs_need_not_be_marked_as_such() -> None:
    """Handbooks put them into `div`, their code into `pre`, and boxes among them that are called side bars."""
    paragraphs = [f'<div class="para">{said}</div>' for said in SAID]
    box = f'<div class="sidebar"><p><b>NOTE</b> The founder</p><div class="para">{BELL}</div></div>'
    code = '<pre>' + 'ring --bell morn --times 12\n' * 60 + '</pre>'
    body = f'<div class="section"><h2>The bell</h2>{paragraphs[0]}{box}{code}{paragraphs[1]}{code}{paragraphs[2]}</div>'
    markdown = to_markdown(f'<html><body><ul><li><a href="/1">Prev</a></li></ul>{body}</body></html>').markdown
    assert all(said in markdown for said in (*SAID, BELL, 'ring --bell'))
    assert 'Prev' not in markdown


def test_a_column_at_the_side_is_none_of_the_text() -> None:
    side = f'<div class="sidebar"><p>{BELL}</p></div>'
    page = f'<html><body><div id="main">{"".join(f"<p>{said}</p>" for said in SAID)}</div>{side}</body></html>'
    assert 'Zibeline' not in to_markdown(page).markdown


def test_a_heading_may_be_one_by_its_role() -> None:
    assert '\n### The bell\n' in read(f'<div role="heading" aria-level="3">The bell</div><p>{BELL}</p>')


def test_pictures_are_described_where_they_stand() -> None:
    said = 'The mole of Morn at low tide'
    markup = f'<p>{BELL}</p><img src="/mole.png" alt="{said}"><p>It hangs there still, as good as new.</p>'
    assert f'1855.\n\n[Image: {said}]\n\nIt hangs' in read(markup)
    assert said not in read(markup.replace(said, 'mole.png'))
    assert read(f'{markup}<p>{said}</p>').count(said) == 1


def test_a_page_of_headings_and_teasers_keeps_all_headings() -> None:
    cards = [
        f'<div><h3><a href="/{n}">Headline {n} of Morn</a></h3><p>What happened there, {n}.</p></div>'
        for n in range(40)
    ]
    for page in (cards, [card.partition('<p>')[0] + '</div>' for card in cards]):
        markdown = to_markdown(
            f'<html><body><h1>News</h1>{"".join(page)}</body></html>', 'https://morn.example/'
        ).markdown
        assert markdown.count('Headline') == 40


def test_a_title_within_a_page_is_none_of_its_text() -> None:
    page = to_markdown(f'<p>It rings.<title>T</title>{PROSE}')
    assert (page.title, page.markdown.split()[:3]) == ('T', ['It', 'rings.', 'The'])


HOSTILE = (
    '<code>a',
    '<p>a',
    '<td>a',
    '<ul><li>a',
    '<dl><dt>a<dd>b',
    '<table><th>a',
    '<form>a',
    '<blockquote>a',
    '<math><mi>a',
)


@pytest.mark.parametrize('piece', HOSTILE)
def test_no_repetition_of_tags_costs_more_than_its_length(piece: str) -> None:
    def seconds(size: int) -> float:
        began = time.process_time()
        to_markdown(piece * (size // len(piece)))
        return time.process_time() - began

    seconds(1_000)
    assert seconds(30_000) < 20 * seconds(5_000) + 1  # far from linear growth: only a blow-up is caught
