"""Reading numbered lines: boilerplate out, sentences, rows, code and items as they stand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from summarizer_tool.extractive.choosing import first_statements
from summarizer_tool.extractive.statement import Kind
from summarizer_tool.extractive.statements import statements
from summarizer_tool.prompts import NumberedLine
from summarizer_tool.text.sentences import plain
from tests.support.numbered_lines import numbered, read


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
            ('Overview; The Salt Guild', (5, 6)),
            ('| Mara Quill | Born: 3 May 1840 | Office: Master of the Salt Guild |', (13, 14, 9)),
            ('Mara Quill was a cooper from Port Ansel.', (16,)),
            ('Mara Quill: She founded the Salt Guild in 1871.', (16, 9)),
            ('Jonas Orme lent her the money.', (16,)),
            ('Jonas Orme lent her the money. He asked for it back in 1874.', (16, 17)),
            ('Ada Finn, her sister.', (23,)),
            ('Ada Finn: She kept the books.', (23,)),
            ('Family: Two sons; One daughter', (24, 25, 21)),
        ]
    )


def test_marks_in_code_spans_are_none_wherever_they_stand():
    page = 'The gate calls `__init__`\nbefore `__new__` in all mills.\n\n- `__all__`: what `_x_` is.\n\n`_keep_`\n: It keeps.\n'
    assert read(page) == snapshot(
        [
            ('The gate calls __init__ before __new__ in all mills.', (1, 2)),
            ('__all__: what _x_ is.', (4,)),
            ('_keep_: It keeps.', (6, 7)),
        ]
    )


def test_only_what_points_elsewhere_and_remarks_in_brackets_say_nothing() -> None:
    said = [
        'If you see black smoke, leave the hut at once.',
        'If the wound turns red, see a doctor within a day.',
        'To let patients see a doctor, the guild hired 40 of them.',
    ]
    silent = [
        'For details on the gate, see the manual of the mill.',
        'For more information on the gate see the manual of the mill.',
        'See the manual of the mill for more of the gate.',
        '[Illustration: The gate is closed.]',
        '[Music plays]',
        '[The miller opens the gate and leaves.]',
    ]
    assert [text for text, _ in read('\n\n'.join((*said, *silent)))] == said


def test_where_there_is_no_time_a_long_line_shows_that_it_is_cut() -> None:
    fact = first_statements(numbered('The gate is open ' * 15 + 'unless it rains.'), 500).facts[0]
    assert fact.text.endswith('open The gate is open…')


def test_a_table_names_its_columns():
    table = """
| Ship | Master | Lost |
|---|---|:--|
| Ships of the line: | | |
| Heron | Ada Finn | 1872 |
| Gull | Jonas Orme | — |
"""
    assert read(table) == snapshot(
        [('| Heron | Master: Ada Finn | Lost: 1872 |', (4, 1)), ('| Gull | Master: Jonas Orme |', (5, 1))]
    )


def test_a_bar_with_a_backslash_ends_no_cell():
    table = '| Set | Owner |\n|---|---|\n| Mill \\| Sluice | Reed |'
    assert read(table) == snapshot([('| Mill | Sluice | Owner: Reed |', (3, 1))])


def test_a_list_below_a_quotation_is_no_part_of_it():
    text = '> Deprecated.\n\n- **limit** `number` - Connections at most. Set to 0 to disable it.<!-- seen by nobody -->'
    assert [(each.lead, each.text) for each in statements(numbered(text))[0]] == snapshot(
        [('>', 'Deprecated.'), ('', 'limit number - Connections at most.'), ('limit', 'Set to 0 to disable it.')]
    )


def test_what_stands_above_labels_and_values_is_one_of_them():
    box = (
        '## Wardens\n\n| Founded | 402, by Osmer Vant |\n|---|---|\n| Seat | Sluice Hall |\n| Leader | Ysolde Harrow |'
    )
    assert read(box) == snapshot(
        [('| Wardens | Founded: 402, by Osmer Vant | Seat: Sluice Hall | Leader: Ysolde Harrow |', (3, 5, 6, 1))]
    )


def test_code_and_text_in_fences():
    page = """
```lua
-- ## Event handlers
on_bell(function() ring() end)
```

```text
Mara Quill (1840-1902), founder of the Salt Guild
```
"""
    assert [(s.text, s.kind.form) for s in statements(numbered(page))[0]] == snapshot(
        [
            ('Event handlers', 'code'),
            ('on_bell(function() ring() end)', 'code'),
            ('Mara Quill (1840-1902), founder of the Salt Guild', 'row'),
        ]
    )


def test_what_only_says_where_something_is_said_is_no_statement():
    page = 'For more of the gates, see the book of tides. The gate is open, see below.'
    assert [said.text for said in statements(numbered(page))[0]] == ['The gate is open, see below.']


def test_a_full_stop_within_a_name_ends_no_sentence():
    text = 'The mill raises `mill.WheelError` when the wheel stands. Orme built the wheel.In 1870 it was sold.'
    assert [said for said, _ in read(text)] == [
        'The mill raises mill.WheelError when the wheel stands.',
        'Orme built the wheel.',
        'In 1870 it was sold.',
    ]


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
            # Of who speaks the mark goes.
            words, stood = (' '.join(each.replace('{disfmarker}', '').split()) for each in (found.text, stood))
            assert words in stood
        assert not found.lead or found.lead in text


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


def test_an_item_goes_on_where_it_breaks_off():
    page = """
 1. You must keep the notice of the guild in every one of the
Keepers' books.
 .
 2. The name of the guild may not be used to praise or to sell
flour without its leave.
 Flour is sold at the mill.
"""
    assert read(page) == snapshot(
        [
            ("You must keep the notice of the guild in every one of the Keepers' books.", (1, 2)),
            ('The name of the guild may not be used to praise or to sell flour without its leave.', (4, 5)),
            ('Flour is sold at the mill.', (6,)),
        ]
    )


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


def test_braces_of_texts_are_no_marks_of_transcribers():
    text = 'It waits (see {{pto}}) for what is in \\textbf{bold text}.\n\nIt is sent to `/items/{item}` or to `x {name}`.\n'
    assert [each.text for each in statements(numbered(text))[0]] == [
        'It waits (see {{pto}}) for what is in \\textbf{bold text}.',
        'It is sent to /items/{item} or to x {name}.',
    ]


def test_the_number_of_a_footnote_is_no_term():
    text = 'Names are short.\n\n[18]\n: The fakeroot package makes this easy.\n\nReeve\n: Leads the mill since 1872.\n'
    assert [each.said(each.text) for each in statements(numbered(text))[0]] == snapshot(
        ['Names are short.', 'The fakeroot package makes this easy.', 'Reeve: Leads the mill since 1872.']
    )


def test_items_of_a_script_without_spaces_are_sentences():
    page = '# 第2条\n\n1. 門は水車小屋の前に立っている。\n\n2. 鍵は番人が持っている。\n\n- 麦\n- 粉\n'
    assert [text for text, _ in read(page)] == snapshot(
        ['門は水車小屋の前に立っている。', '鍵は番人が持っている。', '第2条: 麦; 粉']
    )


def test_rows_of_labels_and_values_are_said_with_a_short_heading():
    page = '# Prices of the mill\n\n|  |  |\n| --- | --- |\n| Rye | 12 pence |\n| Oats | free |\n'
    assert read(page) == snapshot([('| Prices of the mill | Rye: 12 pence | Oats: free |', (5, 6, 1))])


def test_items_within_a_quotation_are_apart():
    page = '> To mend the gate:\n> - Take the bolt out of the frame\n> - Lift it off its hinges.\n> 3. Nobody may stand\n> below it.\n'
    assert [text for text, _ in read(page)] == snapshot(
        ['> Take the bolt out of the frame', '> Lift it off its hinges.', '> Nobody may stand below it.']
    )


def test_a_remark_that_tells_where_to_look_says_nothing():
    page = (
        'The mill burned down in May.\n\n(See the drawing of the mill, which hangs in the hall.)\n\nNobody was hurt.\n'
    )
    assert [text for text, _ in read(page)] == ['The mill burned down in May.', 'Nobody was hurt.']


def test_tildes_underline_a_title():
    page = '1.0\n~~~\nFixed a fault in the gate.  It does not\nleak now.\n\n0.9\n~~~\nThe gate was moved to the sea.\n'
    assert [text for text, _ in read(page)] == snapshot(
        [
            'Fixed a fault in the gate.',
            'Fixed a fault in the gate. It does not leak now.',
            'The gate was moved to the sea.',
        ]
    )


def test_a_row_that_is_cut_into_several_lines_is_one() -> None:
    table = """
| Name | Chairs | Meetings |
|------|--------|----------|
|Apps|Ada Finn, Weir & Sons
Karl Orme, Marn|Mondays at nine (see
the calendar of Marn)
|Docs|Ben Weir, Marn|Fridays
|Guild | Karl Weir,
Marn
| Tuesdays |
"""
    assert read(table) == snapshot(
        [
            (
                '| Apps | Chairs: Ada Finn, Weir & Sons Karl Orme, Marn | Meetings: Mondays at nine (see the calendar of Marn) |',
                (3, 4, 5, 1),
            ),
            ('| Docs | Chairs: Ben Weir, Marn | Meetings: Fridays |', (6, 1)),
            ('| Guild | Chairs: Karl Weir, Marn |', (7, 8, 1)),
        ]
    )


@pytest.mark.parametrize('below', ['The mill must not be sold.', '- The mill must not be sold.'])
def test_what_stands_right_below_a_whole_row_is_none_of_it(below: str) -> None:
    table = f'| Mill | Wheels | Keepers |\n|---|---|---|\n| Marn | 3 | Ada Finn |\n{below}'
    assert [text for text, _ in read(table)] == [
        '| Marn | Wheels: 3 | Keepers: Ada Finn |',
        'The mill must not be sold.',
    ]


@pytest.mark.parametrize(
    'page',
    [
        '* Install the mill::\n\n      mill install\n\n  The wheel must be stopped first.',
        '.. class:: Mill\n\n   It grinds.\n\n   .. note::\n\n      The wheel must be stopped first.',
    ],
)
def test_what_stands_beside_a_literal_block_or_in_a_note_is_no_code(page: str) -> None:
    assert statements(numbered(page))[0][-1].kind is not Kind.CODE


def test_what_a_field_before_a_text_says_that_it_is_about_is_said() -> None:
    fields = '---\ntitle: The gate\nsummary: Ada opens it. Nobody else\nhas a key.\ntags: [oak]\n---\n'
    assert read(f'{fields}\n**The lock is shut. It holds.**\n') == [
        ('Ada opens it.', (3,)),
        ('Nobody else has a key.', (3, 4)),
        ('The lock is shut.', (8,)),
        ('It holds.', (8,)),
    ]


def test_lines_that_a_program_has_printed_are_told_each() -> None:
    places = ('mill', 'weir on the lower river', 'lock', 'quay behind the old sluice', 'ford', 'harbour of Port Ansel')
    lines = [f'{at}| 2026-03-14T02:0{at}:11Z INFO opened the {place}' for at, place in enumerate(places)]
    assert [text for text, _ in read('\n'.join(lines))] == lines
