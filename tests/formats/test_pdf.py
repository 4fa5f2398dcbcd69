"""PDFs as text: paragraphs, tables, pages, and why some cannot be read."""

from collections.abc import Sequence
from types import ModuleType

import pytest
from inline_snapshot import snapshot

from summarizer_tool.errors import FetchError
from summarizer_tool.formats import isolated, pdf_child
from summarizer_tool.formats.pdf_layout import markdown_of
from summarizer_tool.formats.pdf_page import Cell, PdfPage, TextLine
from summarizer_tool.formats.reading import read
from tests.formats.test_archives import why_not
from tests.support.pdfs import ENCRYPTED, Line, lines, pdf

MILL = """\
The mill of Ostrey was built in the year 1874 by the brothers Gann, who
had come over the hills with two carts and a horse. In the frost of 1911
its second stone broke, and nobody could be found to mend it in the win-
ter that followed."""

FEN = """\
Beyond the mill lies the fen. It is crossed by a single dyke, which the
parish has kept in good order since it was flooded."""


def test_lines_become_paragraphs_and_hyphens_go() -> None:
    page = read(pdf([[*lines(MILL), *lines(FEN, top=630)]], title='The mill of Ostrey'))
    assert page.title == 'The mill of Ostrey'
    assert page.markdown == snapshot("""\
The mill of Ostrey was built in the year 1874 by the brothers Gann, who had come over the hills with two carts and a horse. In the frost of 1911 its second stone broke, and nobody could be found to mend it in the winter that followed.

Beyond the mill lies the fen. It is crossed by a single dyke, which the parish has kept in good order since it was flooded.\
""")


def test_bold_lines_above_paragraphs_are_headings() -> None:
    """Not those that say something, nor what is bold within a paragraph."""
    said = [(72.0, 590.0, '*No carts on Sundays.'), *lines(FEN.replace('parish', '*parish'), top=570)]
    page = read(pdf([[(72, 720, '*The Mill'), *lines(MILL), (72.0, 640.0, '*The Fen'), *lines(FEN, top=620), *said]]))
    assert [line[:24] for line in page.markdown.split('\n') if line] == [
        '## The Mill',
        'The mill of Ostrey was b',
        '## The Fen',
        'Beyond the mill lies the',
        'No carts on Sundays.',
        'Beyond the mill lies the',
    ]


def test_a_form_feed_stands_between_pages_and_what_goes_on_is_one_paragraph() -> None:
    first, second = MILL.rsplit('\n', 2)[0], 'its second stone broke, and nobody could be found to mend it.\n'
    running = [(72.0, 750.0, 'A history of Ostrey')]
    pages = [[*running, *lines(text), (300.0, 40.0, str(n))] for n, text in enumerate([first, second, FEN, MILL], 1)]
    assert read(pdf(pages)).markdown == snapshot("""\
A history of Ostrey

The mill of Ostrey was built in the year 1874 by the brothers Gann, who had come over the hills with two carts and a horse. In the frost of 1911 \x0cits second stone broke, and nobody could be found to mend it.

\x0c

Beyond the mill lies the fen. It is crossed by a single dyke, which the parish has kept in good order since it was flooded.

\x0c

The mill of Ostrey was built in the year 1874 by the brothers Gann, who had come over the hills with two carts and a horse. In the frost of 1911 its second stone broke, and nobody could be found to mend it in the winter that followed.\
""")


def test_figures_at_the_edge_of_pages_are_no_page_numbers_unless_they_count_them() -> None:
    """What stands there once on each page, and is one of many figures, is told; also beside what is printed sideways."""
    pages = [
        [*lines(MILL), (72.0, 60.0, f'{n * n} 59 13'), (300.0, 60.0, f'0{n}/07/2015'), (300.0, 40.0, str(n + 4))]
        for n in range(4)
    ]
    read_pages = read(pdf(pages)).markdown.split('\f')
    assert [page.rpartition('followed.')[2].split() for page in read_pages] == [
        [f'{n * n}', '59', '13', f'0{n}/07/2015'] for n in range(4)
    ]


@pytest.mark.parametrize(
    ('edge', 'left'),
    [
        (('Invoice No. 1001', 'Invoice No. 1002', 'Invoice No. 1003', 'Invoice No. 1004'), 4),
        (('Total: 117.50', 'Total: 234.50', 'Total: 98.00', 'Total: 140.00'), 4),
        (('Part I', 'Part II', 'Part III', 'Part IV'), 4),
        (('The civil code', 'The mill code', 'The civil code', 'The mill code'), 4),
        (('The civil code', 'The civil code', 'The civil code', 'The civil code'), 1),
        (('Page 1 of 4', 'Page 2 of 4', 'Page 3 of 4', 'Page 4 of 4'), 1),
        (('3 / 17', '4 / 17', '5 / 17', '6 / 17'), 0),
        (('117.50', '117.50', '117.50', '117.50'), 1),
        (('viii', 'ix', 'x', 'xi'), 0),
    ],
)
def test_what_stands_at_the_edge_of_pages_goes_where_it_is_the_same_or_their_number(
    edge: Sequence[str], left: int
) -> None:
    pages = [
        PdfPage(
            [
                TextLine([Cell(f'Mill {said} stood by {"river " * at}.', 72, 700, 300, 710, 10)]),
                TextLine([Cell(said, 72, 40, 150, 50, 10)]),
            ]
        )
        for at, said in enumerate(edge)
    ]
    told = [page.rpartition(' .')[2].strip() for page in markdown_of(pages).split('\f')]
    assert [said for said in told if said] == [*edge[:left]]


def test_rows_become_a_table() -> None:
    rows = [('Year', 'Owner', 'Price'), ('1874', 'Gann', '90'), ('1908', 'Hale', '120'), ('1911', 'Marchbank', '75')]
    cells = [(72.0 + 120 * at, 700.0 - 14 * line, said) for line, row in enumerate(rows) for at, said in enumerate(row)]
    assert read(pdf([[*lines(FEN, top=760), *cells]])).markdown.partition('\n\n')[2] == snapshot("""\
| Year | Owner | Price |
| --- | --- | --- |
| 1874 | Gann | 90 |
| 1908 | Hale | 120 |
| 1911 | Marchbank | 75 |\
""")


def test_signs_of_currencies_and_per_cents_stand_with_their_numbers() -> None:
    rows = [
        [(72.0, 'Toll'), (200.0, '$'), (260.0, '40,665'), (350.0, '39,570'), (420.0, '3'), (427.0, '%')],
        [(72.0, 'Salt'), (260.0, '7,382'), (350.0, '8,235'), (414.0, '(10)'), (432.0, '%')],
        [(72.0, 'Eels'), (260.0, '7,224'), (350.0, '7,368'), (420.0, '2'), (427.0, '%')],
    ]
    placed = [(left, 700.0 - 14 * at, text) for at, row in enumerate(rows) for left, text in row]
    assert read(pdf([placed])).markdown.split('\n') == [
        '| Toll | $ 40,665 | 39,570 | 3 % |',
        '| --- | --- | --- | --- |',
        '| Salt | 7,382 | 8,235 | (10) % |',
        '| Eels | 7,224 | 7,368 | 2 % |',
    ]


def test_a_sign_behind_its_number_stays_there() -> None:
    rows = [('Coffee', '12,50 EUR', '2', '25,00 EUR'), ('Tea', '3,20 EUR', '10', '32,00 EUR')]
    placed = [
        (left, 700.0 - 14 * at, text.replace('EUR', '$'))
        for at, row in enumerate([('Item', '2024', '% change', 'Sum'), *rows])
        for left, text in zip((72.0, 200.0, 300.0, 400.0), row, strict=True)
    ]
    assert read(pdf([placed])).markdown.split('\n')[2:] == [
        '| Coffee | 12,50 $ | 2 | 25,00 $ |',
        '| Tea | 3,20 $ | 10 | 32,00 $ |',
    ]


def test_rows_without_a_first_cell_are_no_titles_where_no_numbers_stand_below() -> None:
    rows = [((200.0, 'Salt'), (300.0, 'Mill')), ((200.0, 'Eels'), (300.0, 'Weir')), ((72.0, 'Late'), (200.0, 'Toll'))]
    placed = [(left, 700.0 - 14 * at, text) for at, row in enumerate([*rows, *rows[2:]]) for left, text in row]
    assert '|  | Eels | Weir |' in read(pdf([placed])).markdown.split('\n')


def test_the_heading_of_a_group_is_a_row() -> None:
    rows = [('2023', '5', '7'), ('Receivables', '120', '130'), ('Non-current assets',), ('Ships', '300', '320')]
    rows += [('Stones and sieves of the mill, which', '9', '8'), ('broke in 1911',), ('Loans', '4', '3')]
    cells = [(72.0 + 180 * at, 700.0 - 12 * line, said) for line, row in enumerate(rows) for at, said in enumerate(row)]
    assert read(pdf([cells])).markdown.split('\n')[2:5] == [
        '| Receivables | 120 | 130 |',
        '| Non-current assets |  |  |',
        '| Ships | 300 | 320 |',
    ]
    assert '| Stones and sieves of the mill, which broke in 1911 | 9 | 8 |' in read(pdf([cells])).markdown


def test_numbers_of_a_row_that_stand_close_are_told_apart_by_the_other_rows() -> None:
    rows = [('Year', 'Owner', 'Eels', 'Price'), ('1874', 'Gann', '9', '5'), ('1908', 'Hale', '1,200,400', '3,500,700')]
    ends = 100.0, 180.0, 262.0, 318.0
    cells = [
        (end - 5.3 * len(said), 700.0 - 14 * line, said)
        for line, row in enumerate([*rows, *rows[1:2] * 2])
        for end, said in zip(ends, row, strict=True)
    ]
    notes = [(72.0, 628.0, 'Note'), (130.0, 628.0, 'These are the prices of the year, and none was paid')]
    assert read(pdf([[*cells, *notes]])).markdown == snapshot("""\
| Year | Owner | Eels | Price |
| --- | --- | --- | --- |
| 1874 | Gann | 9 | 5 |
| 1908 | Hale | 1,200,400 | 3,500,700 |
| 1874 | Gann | 9 | 5 |
| 1874 | Gann | 9 | 5 |

Note These are the prices of the year, and none was paid\
""")


def test_digits_far_apart_are_two_numbers() -> None:
    """Of which one was printed with the other, and no blank between them."""
    row = pdf([[(72.0, 700.0, 'Eels, geese:'), (160.0, 700.0, '30')]]).replace(b'(30) Tj', b'18 Tc (30) Tj 0 Tc')
    assert read(row).markdown == 'Eels, geese: 3 0'


def test_what_is_printed_sideways_is_read_as_it_is_seen() -> None:
    """As wide tables are, and what a printer writes along the edge of a page."""
    rows = [('Year', 'Owner', 'Price'), ('1874', 'Gann', '90'), ('1908', 'Hale', '120')]
    cells = [(72.0 + 120 * at, 500.0 - 14 * line, said) for line, row in enumerate(rows) for at, said in enumerate(row)]
    assert read(pdf([[*lines(FEN, top=560), *cells]], is_turned=True)).markdown == snapshot("""\
Beyond the mill lies the fen. It is crossed by a single dyke, which the parish has kept in good order since it was flooded.

| Year | Owner | Price |
| --- | --- | --- |
| 1874 | Gann | 90 |
| 1908 | Hale | 120 |\
""")


def test_what_is_filled_in_and_noted_stands_where_it_was_written() -> None:
    form = [
        (72.0, 700.0, 'Applicant:'),
        (72.0, 670.0, 'Mill of: ..........'),
        (90.0, 640.0, 'Urgent'),
        (160.0, 640.0, 'Later'),
    ]
    notes = [
        '/Subtype /Widget /FT /Tx /T (name) /V (Brenda Quillfeather) /Rect [150 695 300 715]',
        '/Subtype /Widget /FT /Tx /T (mill) /V (Ostrey) /Rect [110 665 160 685]',
        '/Subtype /Widget /FT /Tx /Ff 8192 /T (pin) /V (4711) /Rect [300 665 360 685]',
        '/Subtype /Widget /FT /Btn /T (urgent) /AS /Yes /V /Yes /AP << /N << /Yes null >> >> /Rect [72 638 84 650]',
        '/Subtype /Widget /FT /Btn /T (later) /AS /Off /AP << /N << /Yes null >> >> /Rect [142 638 154 650]',
        '/Subtype /FreeText /Contents (Refused on 3 May) /Rect [72 500 200 520]',
        '/Subtype /Text /Contents (The fee is not paid) /Rect [400 695 420 715]',
        '/Subtype /Text /F 2 /Contents (Hidden) /Rect [400 495 420 515]',
    ]
    assert read(pdf([form], notes=notes)).markdown == snapshot("""\
Applicant: Brenda Quillfeather [Comment: The fee is not paid] Mill of: … Ostrey

☒ Urgent ☐ Later

Refused on 3 May\
""")


def test_files_that_are_brought_along_are_named() -> None:
    names = b'/Names << /EmbeddedFiles << /Names [(bill.xml) << /Type /Filespec /F (bill.xml) >>] >> >> /Pages 2 0 R'
    brought = pdf([[(72.0, 700.0, 'Bill')]]).replace(b'/Pages 2 0 R', names)
    assert read(brought).markdown == 'Bill\n\n[Attachment: bill.xml]'


def test_verses_and_code_keep_their_lines() -> None:
    verses = 'Under the mill\nthe water is still\nand over the hill\nit is night until\nthe long line of the morning comes over all of it'
    assert read(pdf([lines(verses)])).markdown == verses


def test_raised_numbers_are_told_from_those_before_them() -> None:
    """The raised ones begin where the others end."""
    powers = [(72.0, 700.0, 'It holds 10'), (118.2, 704.0, '-9', 6), (127.0, 700.0, 'grams.')]
    assert read(pdf([powers])).markdown == 'It holds 10^-9 grams.'
    fraction = [(72.0, 700.0, 'It holds 1/'), (114.9, 704.0, '4', 6), (121.0, 700.0, 'inch.')]
    assert read(pdf([fraction])).markdown == 'It holds 1/4 inch.'


def test_a_note_whose_number_is_raised_is_one_paragraph() -> None:
    first, second = 'The mill was sold to the brothers Gann in 1874, who had come over the hills', 'with two carts.'
    for blank in (0.0, 4.0):  # whether the number is a word of its own
        note = [(72.0, 704.0, '1', 6), (75.4 + blank, 700.0, first), (72.0, 688.0, second)]
        assert read(pdf([note])).markdown.partition('The')[2] == f'{first[3:]} {second}'


def test_what_cannot_be_read_says_what_helps() -> None:
    told = [why_not(pdf([[], []])), why_not(pdf([lines(FEN)], trailer=ENCRYPTED)), why_not(b'%PDF-1.7\n' + b'x' * 5000)]
    assert told == snapshot(
        [
            'is a PDF without text on any page (2), as of a scan; it needs OCR, e.g. ocrmypdf in.pdf out.pdf',
            'is a PDF that is encrypted; save it without a password, e.g. qpdf --decrypt --password=… in.pdf out.pdf',
            'is a PDF that is broken; repair it, e.g. qpdf in.pdf out.pdf, or print it to a new one',
        ]
    )


@pytest.mark.parametrize(
    ('module', 'bound', 'most', 'why'),
    [
        (pdf_child, 'MOST_PAGES', 1, 'of 2 pages, over 1; split it, e.g. qpdf in.pdf --pages . 1-1000 -- out.pdf'),
        (pdf_child, 'MOST_CHARACTERS', 10, 'with more than 0 million characters; split it'),
        (isolated, 'MOST_SECONDS', -1, 'that takes longer than -1 seconds; split it, e.g. with qpdf --split-pages'),
    ],
)
def test_pages_characters_and_seconds_are_bounded(
    module: ModuleType, bound: str, most: int, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, bound, most)
    with pytest.raises(FetchError) as refused:
        pdf_child.read(pdf([lines(FEN), lines(FEN)]))
    assert str(refused.value) == f'is a PDF {why}'


def test_a_page_without_text_among_others_is_no_scan() -> None:
    text = read(pdf([lines(FEN), [], lines(FEN)])).markdown
    assert text.count('\f') == 2


def test_what_is_written_leftwards_is_read_as_it_goes() -> None:
    """The words of its lines stand from the right to the left, and two letters may be drawn as one."""
    text: list[Line] = [(470, 700, 'bab'), (400, 700, 'BIG RED')]
    text += [(375 - 30 * place, 700, letter * 3) for place, letter in enumerate('abca')]
    text += [(470 - 30 * place, 688, letter * 3) for place, letter in enumerate('bcab')] + [(342, 688, 'cdc')]
    rows = [
        (left, 640 - 14 * row, shown)
        for row, letter in enumerate('abc')
        for left, shown in ((470, letter * 3), (330, f'{row}200'), (200, 'cbc'))
    ]
    assert read(pdf([[*text, *rows]], letters=('ت', 'ح', 'د', 'لا'))).markdown == snapshot("""\
حتح BIG RED تتت ححح ددد تتت ححح ددد تتت ححح دلاد

|  |  |  |
| --- | --- | --- |
| تتت | 0200 | دحد |
| ححح | 1200 | دحد |
| ددد | 2200 | دحد |\
""")
