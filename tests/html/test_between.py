"""What stands between the paragraphs of an article is a part of it, however it is marked up."""

import time

import pytest

from summarizer_tool.html import to_markdown
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
        f'<p>{BELL}</p><p>{BELL}</p><p>{BELL}</p>',
        '<img src="/bell.png" alt="Ada Zibeline beside her bell">',
        'The towns with a bell are:<ul><li><a href="/m">Morn</a><li><a href="/z">Zibeline</a></ul>',
        '<dl><dt>Founder</dt><dd><a href="/z">Zibeline</a></dd><dt>Year</dt><dd>1840</dd></dl>',
        '<table class="sidebar"><tr><th>Founder</th><td>Zibeline</td></tr><tr><th>Year</th><td>1840</td></tr></table>',
    ],
)
def test_text_between_paragraphs_is_kept_once(markup: str) -> None:
    assert read(markup).count('Zibeline') == 1


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
    page = to_markdown(f'<p>x<title>T</title>{PROSE}')
    assert (page.title, page.markdown.split()[:2]) == ('T', ['x', 'The'])


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
    assert seconds(60_000) < 20 * seconds(10_000) + 1  # far from linear growth: only a blow-up is caught
