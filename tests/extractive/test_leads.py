"""Whom a statement speaks of, where it does not say so itself."""

import pytest
from inline_snapshot import snapshot

from summarizer_tool.extractive.statement_reader import subject_of
from summarizer_tool.extractive.statements import statements
from summarizer_tool.prompts import NumberedLine
from tests.support.numbered_lines import read


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
            ('wheel.speed is the number of turns a minute.', (9, 8)),
            ('turn(): Turns it once.', (12, 11)),
            ('turn(): Do not call this method twice.', (12, 11)),
            ('It is another matter how the mill is paid for (see The Mill, https://mill.example).', (14,)),
            ('This page is not.', (14,)),
        ]
    )


def test_a_transcript_keeps_its_turns():
    assert read('Ada: we lost the Heron.\nJonas: when?\nAda: in May, off Port Ansel.') == snapshot(
        [('Ada: we lost the Heron.', (1,)), ('Jonas: when?', (2,)), ('Ada: in May, off Port Ansel.', (3,))]
    )


@pytest.mark.parametrize('times', [('', '', '', ''), ('[09:01] ', '[09:02] ', '[09:02] ', '[09:03] ')])
def test_in_a_chat_an_answer_goes_with_its_question(times: tuple[str, ...]):
    turns = ('mara: the gate is shut', 'mara: so is there a toll?', 'lin: no, not in winter', 'mara: ok then')
    first, asked, answer, last = map(''.join, zip(times, turns, strict=True))
    assert read('\n'.join((first, asked, answer, last))) == [
        (first, (1,)),
        (f'{asked} {answer}', (2, 3)),
        (last, (4,)),
    ]


def test_a_mail_says_who_is_quoted_and_not_who_signed():
    mail = """
Hi Jonas,

the axle of the wheel broke on Monday.

On 2 March Jonas Orme wrote:
> We keep the axle until autumn.

No, it broke. We cannot keep it.

> Oak is sold at the mill.

Best
Ada

--
Ada Finn
Port Ansel Mill, Dyke 4
"""
    assert [text for text, _ in read(mail)] == snapshot(
        [
            'the axle of the wheel broke on Monday.',
            'On 2 March Jonas Orme wrote: We keep the axle until autumn.',
            'No, it broke.',
            'We cannot keep it.',
            '> Oak is sold at the mill.',
        ]
    )


@pytest.mark.parametrize(
    ('page', 'said'),
    [
        ('2. Grant of the Mill. The guild grants you a right.', ['The guild grants you a right.']),
        ('The mill is kept by those who pay the toll, as it is told in section 9:', []),
        (
            'The gate has a new lock. If set, it shuts.',
            ['The gate has a new lock.', 'The gate has a new lock. If set, it shuts.'],
        ),
        ('| Gate | Mark |\n|---|---|\n| 21 | } |', []),
        ('The name of Orme may not be used to sell flour that is ground by the\n\nkeepers of the old mill', [0]),
    ],
)
def test_what_is_a_heading_or_a_scrap_is_not_said(page: str, said: list[str | int]):
    first = page.partition('\n')[0]
    assert [text for text, _ in read(page)] == [first if text == 0 else text for text in said]


def test_a_term_leads_to_what_stands_near_it():
    page = '\n\n'.join(['Toll\n: Paid at the gate.', *(f'  Rule {number} is kept by all.' for number in range(12))])
    assert [text for text, _ in read(page) if text.startswith('Toll: ')][-1] == snapshot('Toll: Rule 8 is kept by all.')


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


def test_what_a_heading_is_about():
    headings = ['2. Port Ansel (town)', 'Early years', 'List of ships of Port Ansel', 'where it went']
    assert [subject_of(heading) for heading in headings] == snapshot(['Port Ansel', '', '', ''])


def test_a_sentence_that_points_back_to_nothing_stays_where_it_names_something():
    said = statements(
        [NumberedLine(1, 'Its keeper was Jory Penn.', blank_after=True), NumberedLine(3, 'It burns whale oil.')]
    )[0]
    assert [(each.text, each.kind.name) for each in said] == snapshot(
        [('Its keeper was Jory Penn.', 'PROSE'), ('It burns whale oil.', 'FRAGMENT')]
    )


def test_in_a_conversation_a_paragraph_is_its_last_speakers():
    turns = [
        *('Chair: The meeting is open.', 'Ms. Ada Finn (Ansel, Ind.): I ask for the toll.', 'It was lost in May.'),
        *('Chair: Who has it?', 'Some members: We do not have it.', 'Chair: Go on.', 'Chair: It is late.'),
        *('Jonas Orme: The mill has it.', 'Chair: We are done.'),
    ]
    assert read('\n\n'.join(turns)) == snapshot(
        [
            ('Chair: The meeting is open.', (1,)),
            ('Ms. Ada Finn (Ansel, Ind.): I ask for the toll.', (3,)),
            ('Ms. Ada Finn (Ansel, Ind.): It was lost in May.', (5, 3)),
            ('Chair: Who has it?', (7,)),
            ('Some members: We do not have it.', (9,)),
            ('Chair: Go on.', (11,)),
            ('Chair: It is late.', (13,)),
            ('Jonas Orme: The mill has it.', (15,)),
            ('Chair: We are done.', (17,)),
        ]
    )


def test_what_stands_in_brackets_is_a_mark_of_conversations_alone():
    turns = ['[user] Call it off.', '[assistant] It is off [laughter].', '[user] Open the gate.', '[user] It is open.']
    assert [text for text, _ in read('\n\n'.join(turns))] == snapshot(
        ['Call it off.', 'It is off.', 'Open the gate.', 'It is open.']
    )
    assert [text for text, _ in read('A gate needs an [entry point] that leads to it.')] == snapshot(
        ['A gate needs an [entry point] that leads to it.']
    )


def test_a_field_that_stands_under_each_heading_is_no_speaker():
    page = '\n'.join(
        f'## MAX_{name}\n\nDefault: {value}\n\nThe most of them (i.e. at once) that will ever be let through, or\nkept by {name}.\n'
        for name, value in (('GATES', 8), ('CARTS', 3), ('BARGES', 0))
    )
    assert read(page)[2:4] == snapshot(
        [
            ('MAX_CARTS: Default: 3', (10, 8)),
            ('The most of them (i.e. at once) that will ever be let through, or kept by CARTS.', (12, 13)),
        ]
    )


def test_what_each_says_once_under_each_heading_stays_apart():
    page = '\n'.join(f'## Day {day}\n\nAda: oiled the gate\nBen: moved {day} carts' for day in range(1, 5))
    assert read(page)[:2] == snapshot([('Ada: oiled the gate', (3,)), ('Ben: moved 1 carts', (4,))])


def test_what_leads_to_a_list_is_said_with_it_and_not_over_code():
    page = """
# What it is not

All that it does is:

- take a crate
- count it

Do it like this:

```python
take(crate)
```

> Keep a list of the crates that you take.
"""
    assert read(page) == snapshot(
        [
            ('All that it does is: take a crate; count it', (5, 6, 3)),
            ('take(crate)', (11,)),
            ('> Keep a list of the crates that you take.', (14,)),
        ]
    )


def test_a_definition_goes_on_with_the_name_alone_and_with_what_it_points_back_to():
    page = """
gate.open(height, *, at=None)
: Opens the gate that is the nearest to the mill.

  If given, at should be a place. The default is the weir. If not given, the nearest is opened.

  The keeper has to be there.
"""
    assert read(page) == snapshot(
        [
            ('gate.open(height, *, at=None): Opens the gate that is the nearest to the mill.', (2, 1)),
            ('gate.open: If given, at should be a place.', (4, 1)),
            ('gate.open: If given, at should be a place. The default is the weir.', (4, 1)),
            (
                'gate.open: If given, at should be a place. The default is the weir. If not given, the nearest is opened.',
                (4, 1),
            ),
            ('gate.open: The keeper has to be there.', (6, 1)),
        ]
    )


def test_a_patch_says_what_goes_and_what_comes():
    page = """
Open the gate at two.

--- a/gate.py
+++ b/gate.py
@@ -3,3 +3,3 @@ def gate():
     if not keeper:
-    return wait(hours=3)
+    return wait(hours=2)
"""
    assert read(page) == snapshot(
        [
            ('Open the gate at two.', (1,)),
            ('a/gate.py', (3,)),
            ('+++ b/gate.py', (4,)),
            ('@@ -3,3 +3,3 @@ def gate():', (5,)),
            ('if not keeper:', (6,)),
            ('-return wait(hours=3)', (7,)),
            ('+return wait(hours=2)', (8,)),
        ]
    )


def test_what_a_link_at_the_beginning_names_leads_the_sentences_after_it():
    page = (
        '[Orme Mill](https://orme.example/1874). The wheel broke in the ice. Nobody was hurt by it.\n\nThe river rose.'
    )
    assert read(page) == snapshot(
        [
            ('Orme Mill: The wheel broke in the ice.', (1,)),
            ('Orme Mill: Nobody was hurt by it.', (1,)),
            ('The river rose.', (3,)),
        ]
    )


def test_each_sentence_of_a_turn_has_its_speaker() -> None:
    """Names may be in bold; what points back is said with the sentence before it, and times amid a turn are no text."""
    turns = """
**Ada Finn:** \\[00:41\\] The mill stood still for a year. So that is why we sold it. The weir\\_gate is shut.

**Jonas Orme:** We ground rye. Then nobody came. \\[laughter\\]
"""
    assert read(turns * 3)[:5] == snapshot(
        [
            ('Ada Finn: The mill stood still for a year.', (1,)),
            ('Ada Finn: The mill stood still for a year. So that is why we sold it.', (1,)),
            ('Ada Finn: The weir_gate is shut.', (1,)),
            ('Jonas Orme: We ground rye.', (3,)),
            ('Jonas Orme: Then nobody came.', (3,)),
        ]
    )


def test_what_a_heading_asks_leads_its_answer() -> None:
    page = """
## What happens below 99 percent?

We refund a month. Write to us.

## What is a weir?

A weir holds the water.
"""
    assert read(page) == snapshot(
        [
            ('What happens below 99 percent: We refund a month.', (3, 1)),
            ('Write to us.', (3,)),
            ('A weir holds the water.', (7,)),
        ]
    )


def test_an_item_that_is_no_sentence_has_what_leads_to_it() -> None:
    page = """
To enter the mill, bring:

- The signed letter of the miller who owns the place
- Two papers on the weir:
  - A drawing of its gates made within the last year
- A lamp with oil for at least four hours of work

The mill closes at night.

- A gate of oak and iron with a lock from Heron
"""
    assert read(page) == snapshot(
        [
            ('To enter the mill, bring: The signed letter of the miller who owns the place', (3, 1)),
            ('Two papers on the weir: A drawing of its gates made within the last year', (5, 4)),
            ('To enter the mill, bring: A lamp with oil for at least four hours of work', (6, 1)),
            ('The mill closes at night.', (8,)),
            ('A gate of oak and iron with a lock from Heron', (10,)),
        ]
    )


def test_what_a_list_forbids_is_told_as_forbidden() -> None:
    page = """
Whoever rents the mill may not:

- Open the gate at night without the miller.
- Grind wheat.

The gate has two parts:

- The upper part is made of oak.

Here is what it costs to:

| Part | Crowns |
|---|---|
| Lock | 12 |

- A lamp with oil for at least four hours of work
"""
    assert read(page) == snapshot(
        [
            ('Whoever rents the mill may not: Open the gate at night without the miller.', (3, 1)),
            ('Whoever rents the mill may not: Grind wheat.', (4, 1)),
            ('The upper part is made of oak.', (8,)),
            ('| Lock | Crowns: 12 |', (14, 12)),
            ('A lamp with oil for at least four hours of work', (16,)),
        ]
    )


def test_items_keep_their_boxes_and_stand_under_the_item_above_them() -> None:
    page = """
- Ada
  - [x] Oil the gate
  - [ ] Move the wheel to the lower mill before the frost sets in.
- Jonas
  - No news this week

## Is the mill open?

No. It opens in May, when the water of the river is high.
"""
    assert read(page) == snapshot(
        [
            ('Ada: [x] Oil the gate', (2, 1)),
            ('Ada: [ ] Move the wheel to the lower mill before the frost sets in.', (3, 1)),
            ('Jonas: No news this week', (5, 4)),
            ('Is the mill open: No. It opens in May, when the water of the river is high.', (9, 7)),
        ]
    )
