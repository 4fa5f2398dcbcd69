"""Boxes of labels and what is said of each that are made of `div`s."""

import pytest

from summarizer_tool.html.convert import to_markdown
from tests.support.fictional import PROSE

FIELDS = {'Founder': '<a href="/ada">Ada Zibeline</a>', 'Seat': 'Morn', 'Founded': '1855, at <a href="/orme">Orme</a>'}


def _shown(box: str) -> str:
    page = f'<div class="text"><h1>The Guild</h1>{box}{PROSE}<h2>Bells</h2>{PROSE}</div>'
    return to_markdown(f'<html><body>{page}</body></html>', 'https://bells.example/').markdown


def _boxes(label: str = 'h3', value: str = 'div', **fields: str) -> str:
    return ''.join(
        f'<div class="field"><{label} class="label">{name}</{label}><{value} class="value">{said}</{value}></div>'
        for name, said in (fields or FIELDS).items()
    )


@pytest.mark.parametrize('label', ['h3', 'div', 'span', 'b'])
def test_a_box_at_the_side_tells_what_the_page_is_about_in_short(label: str) -> None:
    head = '<h2>The Guild</h2><figure><img src="/a.png" alt="A bell"></figure><section><h2>In short</h2>'
    shown = _shown(f'<aside class="box">{head}{_boxes(label)}</section></aside>')
    assert 'Founder\n: Ada Zibeline\n\nSeat\n: Morn\n\nFounded\n: 1855, at Orme\n\n' in shown
    assert 'In short' not in shown  # the text below would seem to stand under it


def test_a_box_may_have_a_picture_in_place_of_a_value_and_stand_apart_from_the_text() -> None:
    shown = _shown(f'<div><aside class="box">{_boxes(**FIELDS, Sign="<img src=/s.png>")}</aside></div>')
    assert 'Founder\n: Ada Zibeline\n\nSeat\n: Morn\n\nFounded\n: 1855, at Orme\n\n' in shown


def test_a_box_in_groups_has_tables_names_of_links_and_long_lists() -> None:
    kin = ''.join(
        f'<li><a href="/{each}">{each} Zibeline</a>, of the house at Orme</li>' for each in ('Ada', 'Bea', 'Cy')
    )
    groups = [_boxes(Founder='Ada', Seat='Morn'), _boxes(**{'<a href="/rank">Rank</a>': '3', 'Kin': f'<ul>{kin}</ul>'})]
    table = '<table><tr><th>Bells</th><th>Towers</th></tr><tr><td>12</td><td>4</td></tr></table>'
    shown = _shown(f'<aside>{"".join(f"<section><h2>Group</h2>{each}</section>" for each in groups)}{table}</aside>')
    assert 'Founder\n: Ada\n\nSeat\n: Morn\n\nRank\n: 3\n\nKin\n: - Ada Zibeline, of the house at Orme\n' in shown
    assert '| Bells | Towers |\n| --- | --- |\n| 12 | 4 |' in shown
    assert 'Group' not in shown


@pytest.mark.parametrize(
    'boxes',
    [
        _boxes(**{f'<a href="/{each}">{each}</a>': 'Read how it was cast.' for each in ('Orme', 'Morn', 'Heron')}),
        _boxes(Orme='<a href="/o">Morn</a>', Morn='<a href="/m">Orme</a>', Heron='<a href="/h">Heron</a>'),
        _boxes(Orme='It was cast.', Morn='It was hung.'),
        _boxes('div', **{'It was cast in Orme.': 'Morn', 'Morn': 'Orme', 'Heron': 'Orme'}),
        _boxes('h3', **dict.fromkeys(('Orme', 'Morn', 'Heron'), PROSE)),
        _boxes('div', **{'1': 'Orme', '2': 'Morn', '3': 'Heron'}),
    ],
)
def test_other_boxes_are_none(boxes: str) -> None:
    assert '\n: ' not in _shown(boxes)
    assert '\n: ' not in _shown(f'<aside>{boxes}</aside>')


def test_many_boxes_in_boxes_cost_no_time() -> None:
    box = '<div class="field"><div>' * 1000 + 'Morn' + '</div></div>' * 1000
    assert 'Bells' in _shown(box + _boxes() * 1000)


def test_spans_that_are_named_differently_stand_apart() -> None:
    spans = '<span class="kicker">Orme</span><span class="title">Bells of 1855</span><span class="mark">, all</span>'
    shown = _shown(f'<h2>{spans}</h2><p>They were rung by the keepers.</p>')
    assert 'Orme Bells of 1855, all\n' in shown


@pytest.mark.parametrize(
    ('spans', 'text'),
    [
        ('<span class="drop">T</span><span class="rest">he keepers</span> went home.', 'The keepers went home.'),
        (
            '<span class="c0">The meth</span><span class="c4">ods of Acme</span><span class="c2">Bank</span>',
            'The methods of AcmeBank',
        ),
        ('It was <span class="mark">micro</span><span class="more">organisms</span>.', 'It was microorganisms.'),
        ('They like <span class="mark">Acme</span><span class="more">Bank</span> here.', 'They like AcmeBank here.'),
        ('<span class="first">漢字</span><span class="second">仮名</span>', '漢字仮名'),
    ],
)
def test_spans_within_a_word_are_one(spans: str, text: str) -> None:
    assert f'\n{text}\n' in _shown(f'{PROSE}<p>{spans}</p>')
