"""Where sentences end, which are whole, and what of a line is no text."""

import textwrap

import pytest
from inline_snapshot import snapshot

from summarizer_tool.prompts import NumberedLine
from summarizer_tool.text.sentences import (
    bare,
    is_whole,
    plain,
    sentences,
    shown,
    with_indices,
    without_split_marks,
)


def test_a_long_sentence_stays_whole_with_the_lines_it_stands_on():
    first = NumberedLine(1, 'Mara Quill sold ' + 'salt and ' * 20 + 'salt,')
    second = NumberedLine(2, 'and Jonas Orme bought ' + 'flour and ' * 20 + 'flour. He left.')
    found = list(sentences([first, second]))
    assert [(len(s.text.split()), s.evidence) for s in found] == snapshot([(89, (1, 2)), (2, (2,))])


@pytest.mark.parametrize(
    ('text', 'language'),
    [
        ('She sold the mill in 1871.', 'en'),
        ('NEITHER OF THEM SHALL BE LIABLE.', 'en'),
        ('The guild offers no toll to ships.', 'en'),
        ("The deadline's on Friday at noon.", 'en'),
        ('Jonas Orme’s not here today.', 'en'),
        ('2.2 It renews automatically for twelve months.', 'en'),
        ('They quietly lead in the polls.', 'en'),
        ('Er kam am 3. Mai nach Hause.', 'de'),
        ('名前はまだ無いのである。', 'en'),
        ('هل هذا صحيح يا صديقي؟', 'en'),
        ('ទ្វារខាងជើងមានឆ្មាំដប់ពីរនាក់។', 'en'),
        ('ຄູໄປໂຮງຮຽນໃນມື້ນີ້.', 'en'),
    ],
)
def test_whole_sentences(text: str, language: str):
    assert is_whole(text, language)


@pytest.mark.parametrize(
    'text',
    [
        'Wiese MD: 41.',
        'Vahid B. What: 2006;27:441.',
        'Born in 1900 in the town of Graz.',
        'and then she left the town.',
        'A caption without an end',
        '(merge the mill into the barn later).',
        '，提供大量程序员就业信息，欢迎访问或发布工作。',
        'It was sold to the.',
        'Mm - hmm .',
        '"keep all of the notices".',
        'A way to open the gate.',
        'Wheels of the mill, including the spare one.',
        'Heat from the red wheels of Orme’s great mill.',
        'Fit to turn stones in two with his heavily ringed hands.',
    ],
)
def test_what_is_no_whole_sentence(text: str):
    assert not is_whole(text)


@pytest.mark.parametrize(
    ('language', 'cut'),
    [
        # Abbreviations.
        (
            'en',
            'Dr. J. P. Orme left Port St. Ansel in World War I. | He came back.',
        ),
        # Ordinals, and what stands before numbers.
        (
            'de',
            'Hier tagt die 3. Kammer unter Dr. jur. Orme. | Das 19. Jahrhundert endet. | Es kostet 20. | Die Mühle steht.',
        ),
        ('nb', 'Loven kom 17. mai 1905. | Han bor i 3. etasje.'),
        (
            'en',
            'Requests: max. 300 a minute. | Min. 18 years are needed. | It has 12. | Orme has max. | Nobody came.',
        ),
        (
            'en',
            'Most otwarto w maju 1936 r. i zbudowała go firma inż. Orme, tj. 3 km. | '
            "L'art. 3 vaut, c.-à-d. partout. | Så, jf. § 7.",
        ),
        (
            'en',
            'On Monday 3. February 1904 it broke. | Tuesday, 4. March it ran. | From 5. May 1905 on it stood. | '
            'There were 3. | May came.',
        ),
        ('en', 'It calls gate.__del__(self) at the end.'),
        # A sign or a small letter after a mark.
        (
            'en',
            'It needs mill != "Orme" here. | It leaves $? = 255, and stops. | Sold ... twice. | Why? he asked. | '
            'It has 7 ? S 4.',
        ),
        # A mark that is a word, or begins one.
        (
            'en',
            'Use pip install -e . --pure=true here. | It lists . and .. first. | We call it !SAME, and go. | '
            'It stood . | It fell .',
        ),
        (
            'en',
            'A script begins with #! /bin/mill and a name. | The form :! runs it. | Is it 9 %? | It is free.',
        ),
    ],
)
def test_where_a_text_is_cut(language: str, cut: str):
    text = cut.replace(' | ', ' ')
    assert ' | '.join(each.text for each in sentences([NumberedLine(1, text)], language)) == cut


def test_sentences_of_scripts_without_spaces():
    found = sentences([NumberedLine(1, 'He came back. 盐很贵。铁也很贵。')])
    assert [each.text for each in found] == ['He came back.', '盐很贵。', '铁也很贵。']


def test_a_dash_behind_a_full_stop_ends_no_sentence_and_an_underscore_of_code_is_kept():
    text = 'APRIL 17.—Thought of the mill. The signs `-` and `_` are words.'
    assert [plain(s.text) for s in sentences([NumberedLine(1, text)])] == snapshot(
        ['APRIL 17.—Thought of the mill.', 'The signs - and _ are words.']
    )


def test_a_url_goes_where_no_words_lead_to_it():
    lines = [
        'Sold by @orme in https://a.example/1',
        'Source code, https://a.example',
        '<https://a.example/d>.',
        'The map (https://a.example)',
    ]
    assert [plain(line) for line in lines] == snapshot(
        [
            'Sold by @orme in https://a.example/1',
            'Source code, https://a.example',
            '<https://a.example/d>.',
            'The map',
        ]
    )


def test_marks_in_a_code_span_are_none():
    line = 'Calls `__init__`, `a*b*c`, **`_x_`** and `$_` of [`List<code>`](/list) as `&amp;` says.'
    assert plain(line) == 'Calls __init__, a*b*c, _x_ and $_ of List<code> as &amp; says.'


@pytest.mark.parametrize('window', [1, 7, 30, 100])
def test_sentences_are_the_same_in_windows_of_any_size(monkeypatch: pytest.MonkeyPatch, window: int):
    text = (
        'Mara sold salt to Orme.  The mill stands still. 水車は止まった。Nobody came, and '
        + 'on ' * 40
        + 'it went. It rained.'
    )
    whole = [each.text for each in sentences([NumberedLine(1, text)])]
    monkeypatch.setattr('summarizer_tool.text.sentences._WINDOW', window)
    cut = [each.text for each in sentences([NumberedLine(1, text + ' ' * 200)])]
    assert cut == whole if window >= 30 else ''.join(''.join(cut).split()) == ''.join(text.split())


def test_no_sentence_ends_in_a_code_span():
    line = "With `ring='...'` it waits. Pass `{'gate': {'after': ...}}`, then `say('Up. Go!')`. It is `v3.10`. The `..` operator joins."
    assert [shown(each.text) for each in sentences([NumberedLine(1, bare(line))])] == [
        "With ring='...' it waits.",
        "Pass {'gate': {'after': ...}}, then say('Up. Go!').",
        'It is v3.10.',
        'The .. operator joins.',
    ]


def test_names_of_special_methods_and_quoted_stars_are_no_emphasis():
    line = "Call __repr__ of __all__ orders, nargs='*' or '*', but __not__*all*."
    assert plain(plain(line)) == "Call __repr__ of __all__ orders, nargs='*' or '*', but __not__*all*."
    assert plain('A __very old__ *mill*.') == 'A very old mill.'


def test_what_is_struck_out_goes():
    lines = ['The toll is ~~two crowns. It', 'is paid at~~ three crowns.', 'A ~~ B']
    assert without_split_marks(lines) == ['The toll is ', ' three crowns.', 'A ~~ B']
    assert without_split_marks(['A <!-- b', 'c > d', '--> e <!-- f']) == ['A ', '', ' e <!-- f']


def test_plain_takes_marks_off():
    assert plain(
        '**Mara** _Quill_ of [Port *Ansel*](/wiki/Ansel_(town)) `x` ![map](m.png)[^2] <br> https://a.example/b'
    ) == (snapshot('Mara Quill of Port Ansel x map https://a.example/b'))


def test_without_full_stops_lines_and_blanks_end_sentences():
    lines = [
        NumberedLine(1, 'แม่น้ำเจ้าพระยาไหลผ่านกรุงเทพมหานคร มีความยาว 372 กิโลเมตร'),
        NumberedLine(2, 'เชียงใหม่เป็นเมืองใหญ่ทางภาคเหนือ ก่อตั้งโดยพญามังรายเมื่อปี พ.ศ. 1839 มีประชากร 127,240 คน ' * 4),
    ]
    found = list(sentences(lines, 'th'))
    assert [(s.evidence, len(s.text), is_whole(s.text, 'th')) for s in found] == snapshot(
        [((1,), 58, True), ((2,), 162, True), ((2,), 204, True)]
    )


@pytest.mark.parametrize(
    ('written', 'read'),
    [
        ('[^1]: For cards of Brazil: 180 days.', 'For cards of Brazil: 180 days.'),
        ('[^1]: For cards. [^vouchers-2]: For vouchers: never.', 'For cards. For vouchers: never.'),
        ('Within 90 days[^note-1], or so[^2]: then never.', 'Within 90 days, or so: then never.'),
        ('The mill[a] stood.[12][13] It burned.[2]', 'The mill stood. It burned.'),
        ('The reef was found in 1901.[aa] It is long.', 'The reef was found in 1901. It is long.'),
        ('<video controls autoplay muted> The gate opens<br clear> at nine.', 'The gate opens at nine.'),
    ],
)
def test_marks_of_footnotes_are_no_text(written: str, read: str) -> None:
    assert plain(written) == read


@pytest.mark.parametrize(
    'text',
    [
        'Dose [mg]',
        'The court did [not] find that the [UK] gate was shut.',
        'The value a[0] is large.',
        'The vector <a, b> is short where p <b and q> r.',
        'Ask https://mill.example/v1?city=Orme&region=eu&notify=1 for it.',
    ],
)
def test_what_is_no_mark_stays(text: str) -> None:
    assert plain(text) == text


def test_numbers_in_brackets_are_notes_where_a_text_has_notes() -> None:
    indices = ['The mill reads argv[1] and argv[2], so argv[1] is the gate.']
    assert [plain(text) for text in with_indices(indices)] == indices
    assert [plain(text) for text in with_indices(['It burned.[1] The mill [2] was sold.'])] == [
        'It burned. The mill was sold.'
    ]
    assert plain('It burned.^[1]^^[12]^ Orme fled.') == 'It burned. Orme fled.'
    few = 'The gate was built by Orme [1] and painted by Finn [2], both of Marn.'
    assert plain(*with_indices([few])) == 'The gate was built by Orme and painted by Finn, both of Marn.'
    assert plain(*with_indices(['The mill[1] has a gate [2] and a wheel[3].'])) == 'The mill has a gate and a wheel.'


def test_lines_of_scripts_without_spaces_are_joined_without_one() -> None:
    lines = ['新版本发布前不应', '该在此使用 Debian', '系统。', '它很稳定。']
    found = sentences([NumberedLine(number, line) for number, line in enumerate(lines, 1)], 'zh')
    assert [each.text for each in found] == snapshot(['新版本发布前不应该在此使用 Debian 系统。', '它很稳定。'])


def test_emphasis_between_letters_of_scripts_without_spaces_are_marks():
    assert plain('水車は**門**の前に、a**b**cは「**麦**」に立つ。') == '水車は門の前に、a**b**cは「麦」に立つ。'


def test_a_word_that_is_divided_at_the_end_of_a_line_is_one():
    lines = [
        NumberedLine(1, 'Large TCP win\u2010'),
        NumberedLine(2, 'dows are told to tcp_win\u2010'),
        NumberedLine(3, 'dow.'),
    ]
    assert [each.text for each in sentences(lines)] == ['Large TCP windows are told to tcp_window.']


def test_a_sentence_of_a_contract_stays_whole_however_long():
    wrapped = textwrap.wrap(f'The seller brings {", ".join(["the wheel of Orme and its axle"] * 60)} to the mill.', 72)
    found = [*sentences([*map(NumberedLine, range(1, len(wrapped) + 1), wrapped)])]
    assert [each.text for each in found] == [' '.join(wrapped)]


def test_what_never_ends_is_cut_at_its_lines():
    verses = [
        NumberedLine(number, f'The wheel of the mill turns on in {"wind and " * 12}rain') for number in range(1, 16)
    ]
    found = [*sentences(verses)]
    assert [(each.text, each.evidence) for each in found] == [(line.text, (line.number,)) for line in verses]
