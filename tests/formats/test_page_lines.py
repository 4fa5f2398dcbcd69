"""What recurs at the head and foot of printed pages is taken out; what recurs otherwise stays."""

import pytest

from summarizer_tool.formats import page_lines

_SAID = [
    f'The miller of house {at} said that the dyke had held since the flood of 18{at % 90 + 10:02}.' for at in range(400)
]


def _pages(size: int) -> str:
    pages = ['\n'.join(_SAID[at : at + size]) for at in range(0, 240, size)]
    return '\n'.join(
        f'\f\nThe Book of the Fen            Edition 3\n\n{page}\n\nMiller & Reeve       [Page {at}]\n'
        for at, page in enumerate(pages, 1)
    )


def test_heads_and_feet_of_pages_go_and_their_paragraphs_stay() -> None:
    text = page_lines.without(_pages(40))
    assert 'Edition 3' not in text
    assert '[Page' not in text
    assert [line for line in text.split('\n') if line.strip()] == _SAID[:240]


def test_a_sentence_goes_on_over_the_end_of_a_page() -> None:
    text = _pages(40).replace('house 39 said that the dyke had held since the flood of 1849.', 'house 39 said that the')
    text = text.replace(_SAID[40], 'dyke had held.')
    assert 'house 39 said that the\ndyke had held.' in page_lines.without(text)


def test_what_recurs_now_and_then_stays() -> None:
    text = '\n'.join(f'{line}\n\nChorus\n' if at % (7 + at // 20) == 0 else line for at, line in enumerate(_SAID))
    assert page_lines.without(text) == text
    assert page_lines.without(_pages(8)) == _pages(8)


@pytest.mark.parametrize(
    'line',
    [
        'Total due: {0}17.50 EUR',
        'Paid:          {0}17',
        'Chapter {0}',
        '\fInvoice no. {0}',
        'March {0}, 1911.',
        'SCENE {0}',
    ],
)
def test_headings_and_sums_with_other_numbers_stay(line: str) -> None:
    text = '\n\n'.join('\n'.join([*_SAID[at : at + 30], '', line.format(at // 30 + 1)]) for at in range(0, 240, 30))
    assert page_lines.without(text) == text


@pytest.mark.parametrize(
    'foot',
    [
        '{0}',
        '\x1b[1m{0}\x1b[0m',
        '- {0} -',
        'Page {0} of 8',
        'Seite {0}',
        '{0} of 8',
        'Slide {0}',
        'Fen | {0}',
        'Of the Fen      {0}',
        '[{0}]    Fen 2',
    ],
)
def test_numbers_of_pages_go(foot: str) -> None:
    text = '\n\n'.join('\n'.join([*_SAID[at : at + 30], '', foot.format(at // 30 + 1)]) for at in range(0, 240, 30))
    assert [line for line in page_lines.without(text).split('\n') if line] == _SAID[:240]


def test_the_signs_of_a_box_go_and_what_it_says_stays() -> None:
    inside = ['6. Floods', '---------', '', 'The mill is held "as is". The', 'risk of floods is yours.']
    rows = '\n'.join(f'  *  {line:30}  *' for line in inside)
    edge = f'  {"*" * 36}'
    text = page_lines.unboxed(f'Before.\n\n{edge}\n{rows}\n{edge}\n\nAfter.')
    assert text.split('\n') == ['Before.', '', '', *inside, '', '', 'After.']
    assert (
        page_lines.unboxed(f'*one*\n*two*\n*six*\n\n{edge}\n\n# {"one #"}')
        == f'*one*\n*two*\n*six*\n\n{edge}\n\n# one #'
    )
