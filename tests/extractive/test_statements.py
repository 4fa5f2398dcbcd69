"""Reading numbered lines: boilerplate out, sentences, rows and items as they stand, with whom they speak of."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from summarizer_tool.extractive.statement_reader import Kind, subject_of
from summarizer_tool.extractive.statements import statements
from summarizer_tool.prompts import NumberedLine
from summarizer_tool.text import boilerplate_lines
from summarizer_tool.text.sentences import is_whole, plain, sentences


def numbered(text: str) -> list[NumberedLine]:
    lines: list[NumberedLine] = []
    for number, line in enumerate(text.strip('\n').split('\n'), 1):
        if line.strip():
            lines.append(NumberedLine(number, line))
        elif lines:
            lines[-1] = NumberedLine(lines[-1].number, lines[-1].text, blank_after=True)
    return lines


def read(text: str) -> list[tuple[str, tuple[int, ...]]]:
    return [(said.said(said.text), said.evidence) for said in statements(numbered(text))[0]]


def test_a_wiki_page():
    page = """
[Skip to content](#main)

Home | Wiki | Log in

- Overview
- The Salt Guild
- [Harbour](/wiki/Harbour)

# Mara Quill

| | |
|---|---|
| Born | 3 May 1840 |
| Office | Master of the [Salt Guild](/wiki/Salt_Guild) |

**Mara Quill** was a cooper from Port Ansel.[1] She founded the Salt Guild in 1871. Jonas Orme lent her the money.
He asked for it back in 1874.

Enter your email · Subscribe

## Family

- **Ada Finn**, her sister. She kept the books.
- Two sons
- One daughter

### See also

- Jonas Orme
- Harbour

Content is available under CC BY-SA.
"""
    assert read(page) == snapshot(
        [
            ('| Mara Quill | Born: 3 May 1840 | Office: Master of the Salt Guild |', (13, 14, 9)),
            ('Mara Quill was a cooper from Port Ansel.', (16,)),
            ('Mara Quill: She founded the Salt Guild in 1871.', (16, 9)),
            ('Jonas Orme lent her the money.', (16,)),
            ('He asked for it back in 1874.', (17,)),
            ('Ada Finn: She kept the books.', (23,)),
            ('Family: Two sons; One daughter', (24, 25, 21)),
        ]
    )


def test_a_table_names_its_columns():
    table = """
| Ship | Master | Lost |
|---|---|:--|
| Heron | Ada Finn | 1872 |
| Gull | Jonas Orme | — |
"""
    assert read(table) == snapshot(
        [('| Heron | Master: Ada Finn | Lost: 1872 |', (3, 1)), ('| Gull | Master: Jonas Orme |', (4, 1))]
    )


def test_a_fragment_is_said_of_its_heading():
    page = """
# The Guild

Jonas Orme and Ada Finn left the Guild.

## Jonas Orme

Born 1820, foster-child of Ada Finn. Miller of Port Ansel.

## Heron's Lamp

Lantern, item level 12.
"""
    assert read(page) == snapshot(
        [
            ('Jonas Orme and Ada Finn left the Guild.', (3,)),
            ('Born 1820, foster-child of Ada Finn.', (7,)),
            ('Miller of Port Ansel.', (7,)),
            ('Lantern, item level 12.', (11,)),
        ]
    )


def test_a_pronoun_is_left_alone_where_it_may_be_someone_else():
    page = """
# Jonas Orme

Jonas Orme was a miller. He hated the sea. Karl Brandt owed him nine crowns. He paid in 1871.
"""
    assert read(page) == snapshot(
        [
            ('Jonas Orme was a miller.', (3,)),
            ('Jonas Orme: He hated the sea.', (3, 1)),
            ('Karl Brandt owed him nine crowns.', (3,)),
            ('Karl Brandt owed him nine crowns. He paid in 1871.', (3,)),
        ]
    )


def test_code_and_text_in_fences():
    page = """
```lua
-- ## Event handlers
on_bell(function() ring() end)
```

```
Mara Quill (1840-1902), founder of the Salt Guild
```
"""
    assert [(s.text, s.kind.value) for s in statements(numbered(page))[0]] == snapshot(
        [
            ('Event handlers', 'code'),
            ('on_bell(function() ring() end)', 'code'),
            ('Mara Quill (1840-1902), founder of the Salt Guild', 'row'),
        ]
    )


def test_a_block_of_a_console_is_code_all_of_it():
    console = """
```
# mill-ctl list
Reading sluice lists... Done
add rule wheel upper counter jump LOWER
Nothing to do for the gate
```
"""
    notes = """
```
The wheel was built by Orme and is the oldest of the valley.
Keeper: Mara Quill
Paid for by the guild
```
"""
    assert {said.kind for said in statements(numbered(console))[0]} == {Kind.CODE}
    assert {said.kind for said in statements(numbered(notes))[0]} == {Kind.ROW}


def test_a_definition_is_said_of_its_term():
    page = """
## Settings

`sluice_level` (`enum`)
: Determines how high the water stands. This setting needs a restart.

  The `upper` level keeps the wheel dry. In June, this parameter has no effect.

`wheel.speed` (`integer`)
: `wheel.speed` is the number of turns a minute.

  `turn()`
  : Turns it once. Do not call this method twice.

It is another matter how the mill is paid for (see The Mill, https://mill.example). This page is not.
"""
    assert read(page) == snapshot(
        [
            ('sluice_level (enum): Determines how high the water stands.', (4, 3)),
            ('sluice_level (enum): This setting needs a restart.', (4, 3)),
            ('sluice_level (enum): The upper level keeps the wheel dry.', (6, 3)),
            ('sluice_level (enum): In June, this parameter has no effect.', (6, 3)),
            ('wheel.speed is the number of turns a minute.', (9,)),
            ('turn(): Turns it once.', (12, 11)),
            ('turn(): Do not call this method twice.', (12, 11)),
            ('It is another matter how the mill is paid for (see The Mill, https://mill.example).', (14,)),
            ('This page is not.', (14,)),
        ]
    )


def test_a_text_that_stands_in_has_its_headings_at_the_margin():
    page = """
NAME
       sluice - open the gates of a mill

OPTIONS
       Each of the options is told by its first letter.

       $ sluice --all

       An example of a rule::

           gate.open is True and gate.shut is not.
"""
    assert [(said.kind.name, said.text, said.section) for said in statements(numbered(page))[0]] == snapshot(
        [
            ('FRAGMENT', 'sluice - open the gates of a mill', 1),
            ('PROSE', 'Each of the options is told by its first letter.', 2),
            ('CODE', '$ sluice --all', 2),
            ('FRAGMENT', 'An example of a rule::', 2),
            ('CODE', 'gate.open is True and gate.shut is not.', 2),
        ]
    )


def test_what_only_says_where_something_is_said_is_no_statement():
    page = 'For more of the gates, see the book of tides. The gate is open, see below.'
    assert [said.kind.name for said in statements(numbered(page))[0]] == ['FRAGMENT', 'PROSE']


def test_a_full_stop_within_a_name_ends_no_sentence():
    text = 'The mill raises `mill.WheelError` when the wheel stands. Orme built the wheel.In 1870 it was sold.'
    assert [said for said, _ in read(text)] == [
        'The mill raises mill.WheelError when the wheel stands.',
        'Orme built the wheel.',
        'In 1870 it was sold.',
    ]


def test_a_transcript_keeps_its_turns():
    assert read('Ada: we lost the Heron.\nJonas: when?\nAda: in May, off Port Ansel.') == snapshot(
        [('Ada: we lost the Heron.', (1,)), ('Jonas: when?', (2,)), ('Ada: in May, off Port Ansel.', (3,))]
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
        ('Er kam am 3. Mai nach Hause.', 'de'),
        ('名前はまだ無いのである。', 'en'),
        ('هل هذا صحيح يا صديقي؟', 'en'),
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
        'It was sold to the.',
        'Mm - hmm .',
        'If the mill was one of those north of the dyke (it is told so, but nobody knows).',
    ],
)
def test_what_is_no_whole_sentence(text: str):
    assert not is_whole(text)


TEXTS = (
    'She sold the mill.', 'Vahid B. What: 2006;27:441.', '| Heron | Ada Finn |', '|---|---|', '- two sons', '## Mara Quill',
    'PhD D: Mm - hmm {disfmarker} .', 'import os', '', 'Orme (1820) was a miller, and', 'he left.', '**Orme** keeps sheep.',
)  # fmt: skip


@given(st.lists(st.sampled_from(TEXTS), max_size=30))
def test_nothing_is_said_that_does_not_stand_there(lines: list[str]):
    text = '\n'.join(lines).strip('\n')
    stripped = text.split('\n')
    for found in statements(numbered(text))[0]:
        if found.kind in (Kind.PROSE, Kind.FRAGMENT):
            stood = ' '.join(plain(stripped[number - 1]) for number in sorted(found.evidence))
            assert found.text in ' '.join(stood.replace('{disfmarker}', '').split())
        assert not found.lead or found.lead in text


def test_abbreviations_do_not_end_a_sentence():
    text = 'Dr. J. P. Orme left Port St. Ansel in World War I. He came back. 盐很贵。铁也很贵。'
    assert [s.text for s in sentences([NumberedLine(1, text)])] == snapshot(
        ['Dr. J. P. Orme left Port St. Ansel in World War I.', 'He came back.', '盐很贵。', '铁也很贵。']
    )


def test_a_sign_or_a_small_letter_after_a_mark_ends_no_sentence():
    text = 'It needs mill != "Orme" here. It leaves $? = 255, and stops. Sold ... twice. Why? he asked. Nobody knew.'
    assert [s.text for s in sentences([NumberedLine(1, text)])] == snapshot(
        [
            'It needs mill != "Orme" here.',
            'It leaves $? = 255, and stops.',
            'Sold ... twice.',
            'Why? he asked.',
            'Nobody knew.',
        ]
    )


def test_a_word_that_a_formatter_has_divided_is_whole():
    lines = [NumberedLine(1, 'The gate is opened by its lat‐'), NumberedLine(2, 'ter keeper. He left.')]
    assert [(s.text, s.evidence) for s in sentences(lines)] == snapshot(
        [('The gate is opened by its latter keeper.', (1, 2)), ('He left.', (2,))]
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


def test_old_quotation_marks_stay():
    assert plain("The `gate' option and `*' work.") == "The `gate' option and `*' work."


def test_who_does_it_is_what_the_heading_names():
    page = """
# gate.read(path)

Returns the reading of a gate. Throws if the gate is shut.

# Gates and walls

a. The gate is read twice a day.
b. Nobody reads the wall.
"""
    assert read(page) == snapshot(
        [
            ('gate.read(path): Returns the reading of a gate.', (3, 1)),
            ('gate.read(path): Throws if the gate is shut.', (3, 1)),
            ('The gate is read twice a day.', (7,)),
            ('Nobody reads the wall.', (8,)),
        ]
    )


def test_a_sentence_that_names_nothing_is_said_of_the_identifier_above_it():
    page = """
max_level
---------

**Default** - ``10``

The default keeps the wheel dry. It is 10. Jonas Orme set max_level in 1871. This option needs a restart.

- `speed` of the wheel, in turns a minute. **Default:** `0`.

Early years
-----------

The wheel was dry.
"""
    assert read(page) == snapshot(
        [
            ('max_level: Default - 10', (4, 1)),
            ('max_level: The default keeps the wheel dry.', (6, 1)),
            ('It is 10.', (6,)),
            ('Jonas Orme set max_level in 1871.', (6,)),
            ('max_level: This option needs a restart.', (6, 1)),
            ('speed of the wheel, in turns a minute.', (8,)),
            ('Default: 0.', (8,)),
            ('The wheel was dry.', (13,)),
        ]
    )


def test_what_a_program_has_printed_is_said_line_by_line():
    lines = [
        f'tests/test_gate.py::test_gate_{number} {"FAILED" if number == 3 else "PASSED"} [ {number}%]'
        for number in range(24)
    ]
    assert [text for text, _ in read('\n'.join(lines))] == lines


def test_a_wrapped_item_is_one_whatever_its_lines_begin_with():
    page = """
- gate-1: Mend a fault of the beam where a
  :func:`gate.lift` call could hang for ever.
- gate-2: When the wheel turns in use with the
  --keep option, we lost the flour of the day.
- gate-3: Keepers must change the lock because the old
  (worn) key is no longer taken.
  - Keys are sold at the mill.
"""
    assert read(page) == snapshot(
        [
            ('gate-1: Mend a fault of the beam where a gate.lift call could hang for ever.', (1, 2)),
            ('gate-2: When the wheel turns in use with the --keep option, we lost the flour of the day.', (3, 4)),
            ('gate-3: Keepers must change the lock because the old (worn) key is no longer taken.', (5, 6)),
            ('Keys are sold at the mill.', (7,)),
        ]
    )


def test_tildes_underline_a_title():
    page = '1.0\n~~~\nFixed a fault in the gate.  It does not\nleak now.\n\n0.9\n~~~\nThe gate was moved to the sea.\n'
    assert [text for text, _ in read(page)] == snapshot(
        ['Fixed a fault in the gate.', 'It does not leak now.', 'The gate was moved to the sea.']
    )


def test_plain_takes_marks_off():
    assert plain(
        '**Mara** _Quill_ of [Port *Ansel*](/wiki/Ansel_(town)) `x` ![map](m.png)[^2] <br> https://a.example/b'
    ) == (snapshot('Mara Quill of Port Ansel x map https://a.example/b'))


@pytest.mark.parametrize(
    'line',
    [
        'Share: Post · Send · Copy link',
        'Search the archive',
        '- [Home](/) | [Log in](/login)',
        'We and our partners use cookies to store data. Accept all / Reject',
        'You may also like',
        '© 2024 The Guild',
        'Article continues below',
    ],
)
def test_chrome(line: str):
    assert boilerplate_lines.is_boilerplate(line)


@pytest.mark.parametrize(
    'line',
    ['Search for the Heron, lost in 1872.', 'She shared the mill with Jonas Orme.', 'The history of cookies is long.'],
)
def test_text_is_no_chrome(line: str):
    assert not boilerplate_lines.is_boilerplate(line)


def test_what_stands_before_the_first_heading():
    assert boilerplate_lines.before_content(['Log in', '- Home', '- Harbour', '# Port Ansel']) == 3
    assert boilerplate_lines.before_content(['Log in', '- Home', 'Port Ansel', '==========']) == 2
    assert boilerplate_lines.before_content(['- salt', '- flour', '# Port Ansel']) == 0


def test_what_a_heading_is_about():
    headings = ['2. Port Ansel (town)', 'Early years', 'List of ships of Port Ansel', 'where it went']
    assert [subject_of(heading) for heading in headings] == snapshot(['Port Ansel', '', '', ''])


@pytest.mark.parametrize(
    'unit',
    [
        *('|', '| ', '*', '*a ', ' _a', '(', '(a ', '[', '[a](', '`a ', 'A.', '. A', '<b ', '"', '“a ', '|-', 'x'),
        *(' ', '汉'),
    ],
)
def test_a_hostile_line_completes(unit: str):
    statements([NumberedLine(1, unit * 15_000)])


def test_thousands_of_lines_complete():
    lines = [
        NumberedLine(n, f'line {n} goes on with what Mara Quill said of it to Jonas Orme, and') for n in range(1, 4_001)
    ]
    found, _ = statements(lines)
    assert found
    assert all(1 <= number <= 4_000 for statement in found for number in statement.evidence)


def test_html_in_markdown_and_targets_of_links_are_no_text():
    text = """[![Build][build-image]][build] [![MIT](https://img.example/mit.svg)](LICENSE)

<p align="center"><a href="https://mill.example/"
   target="_blank"><img src="https://mill.example/logo.png"
   alt="The mill" /></a></p>

The mill follows the [rules of the
guild](https://guild.example/) and is measured by https://mill.example/gauge. <kbd>Ctrl</kbd> stops it.

[build-image]: https://img.example/build.svg
[build]: https://build.example/mill
"""
    assert read(text) == snapshot(
        [
            ('The mill follows the rules of the guild and is measured by https://mill.example/gauge.', (7, 8)),
            ('Ctrl stops it.', (8,)),
        ]
    )


def test_a_sentence_that_points_back_to_nothing_stays_where_it_names_something():
    said = statements(
        [NumberedLine(1, 'Its keeper was Jory Penn.', blank_after=True), NumberedLine(3, 'It burns whale oil.')]
    )[0]
    assert [(each.text, each.kind.name) for each in said] == snapshot(
        [('Its keeper was Jory Penn.', 'PROSE'), ('It burns whale oil.', 'FRAGMENT')]
    )
