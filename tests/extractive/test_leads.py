"""Whom a statement speaks of, where it does not say so itself."""

import pytest
from inline_snapshot import snapshot

from summarizer_tool.extractive.choosing import summarize_sources
from summarizer_tool.extractive.statements import statements
from summarizer_tool.extractive.under_headings import subject_of
from summarizer_tool.prompts import Focus, NumberedLine, ParsedRequest, PromptSource
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


def test_a_pronoun_is_left_alone_behind_the_name_of_another_until_the_gender_is_known():
    page = '# Mara Orme\n\nMara Orme married Karl Orme in 1895. He drowned in 1906.'
    assert read(page)[1][0] == 'Mara Orme married Karl Orme in 1895. He drowned in 1906.'
    known = page.replace('Mara Orme married', 'Mara Orme was a miller. She hated the sea. Mara Orme married')
    assert read(f'{known} She was paid in 1907.')[-1][0] == (
        'Mara Orme married Karl Orme in 1895. He drowned in 1906. She was paid in 1907.'
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
            ('sluice_level (enum): Determines how high the water stands.', (3, 4)),
            ('sluice_level (enum): Determines how high the water stands. This setting needs a restart.', (3, 4)),
            ('sluice_level (enum): The upper level keeps the wheel dry.', (6, 3)),
            ('sluice_level (enum): In June, this parameter has no effect.', (6, 3)),
            ('wheel.speed (integer): wheel.speed is the number of turns a minute.', (8, 9)),
            ('turn(): Turns it once.', (11, 12)),
            ('turn(): Do not call this method twice.', (12, 11)),
            ('It is another matter how the mill is paid for (see The Mill, https://mill.example).', (14,)),
            ('This page is not.', (14,)),
        ]
    )


@pytest.mark.parametrize(
    ('page', 'said'),
    [
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


def test_what_is_denied_is_not_said_alone():
    page = 'It was said that Orme died in 1981. He did not, and his wife wrote so.\n\nThe sluice holds. It has a wheel.'
    lines = [NumberedLine(number, line, blank_after=True) for number, line in enumerate(page.split('\n\n'), 1)]
    request = ParsedRequest([PromptSource(lines, ())], Focus(schema_hint='people, dates'), 200, merges=False)
    assert [fact.text for fact in summarize_sources(request, 200).facts] == snapshot(
        ['It was said that Orme died in 1981. He did not, and his wife wrote so.', 'The sluice holds.']
    )


def test_numbered_paragraphs_that_begin_with_short_sentences_have_no_topics():
    ruling = '\n\n'.join(
        f'{number}. {text} The probe was found to be sound by both of the experts who were heard.'
        for number, text in enumerate(
            ('I prefer the second.', 'The sums are agreed.', 'The mill had stood still since May.'), 1
        )
    )
    assert not any(': ' in text for text, _ in read(ruling))


def test_a_box_of_labels_and_short_values_is_told_of_whom_it_is() -> None:
    box = 'Born\n: 12 May 870, Orme\n\nRank\n: Keeper\n\nBells\n: Old Tom\n'
    assert read(f'# Cyra Finn\n\n{box}') == snapshot(
        [
            ('| Cyra Finn | Born: 12 May 870, Orme |', (4, 1)),
            ('| Cyra Finn | Rank: Keeper |', (7, 1)),
            ('| Cyra Finn | Bells: Old Tom |', (10, 1)),
        ]
    )


def test_what_is_said_at_length_below_a_value_and_a_list_below_a_box_stand_for_themselves() -> None:
    long = 'It counts the strokes of the bell, and is reset when the keeper leaves the tower.'
    assert [text for text, _ in read(f'# Bell\n\nRank\n: Keeper\n: {long}')] == snapshot(
        [
            '| Bell | Rank: Keeper |',
            'It counts the strokes of the bell, and is reset when the keeper leaves the tower.',
        ]
    )
    assert [text for text, _ in read('# Bell\n\n| Rank | Keeper |\n1. Oil the bell\n2. Ring it')] == snapshot(
        ['Bell: Oil the bell; Ring it', '| Bell | Rank: Keeper |']
    )


def test_what_says_that_something_is_not_so_is_said_with_it():
    page = 'The guild claimed that it had paid the keepers of the mill. It had not. The keepers have left.\n'
    assert [text for text, _ in read(page)] == [
        'The guild claimed that it had paid the keepers of the mill. It had not.',
        'The keepers have left.',
    ]


@pytest.mark.parametrize(
    'text',
    ['When none match, the wheel is stopped.', 'In contrast, rye is cheap.', 'To make use of it, you must wait.'],
)
def test_what_contrasts_with_the_sentence_before_is_said_with_it(text: str) -> None:
    assert read(f'The mill of Marn grinds wheat. {text}')[-1][0] == f'The mill of Marn grinds wheat. {text}'


def test_a_definition_goes_on_with_what_it_points_back_to():
    page = """
gate.open(height, *, at=None)
: Opens the gate that is the nearest to the mill.

  If given, at should be a place. The default is the weir. If not given, the nearest is opened.

  The keeper has to be there.
"""
    assert read(page) == snapshot(
        [
            ('gate.open(height, *, at=None): Opens the gate that is the nearest to the mill.', (1, 2)),
            ('gate.open(height, *, at=None): If given, at should be a place.', (4, 1)),
            ('gate.open(height, *, at=None): If given, at should be a place. The default is the weir.', (4, 1)),
            (
                'gate.open(height, *, at=None): If given, at should be a place. The default is the weir. If not given, the nearest is opened.',
                (4, 1),
            ),
            ('gate.open(height, *, at=None): The keeper has to be there.', (6, 1)),
        ]
    )
