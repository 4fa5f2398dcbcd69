"""What belongs to the site goes; prose that merely sounds like it stays."""

import pytest

from summarizer_tool.extractive.statements import statements
from summarizer_tool.prompts import NumberedLine
from summarizer_tool.text.boilerplate_lines import between_marks, is_boilerplate

CHROME = [
    'Share: Post · Send · Copy link',
    'Search the archive',
    '- [Home](/) | [Log in](/login)',
    'We and our partners use cookies to store data. Accept all / Reject',
    'You may also like',
    '© 2024 The Guild',
    ' * Copyright (C) 2019-2024 Ada Finn',
    '// Copyright 2024 The Guild',
    'Skip to content',
    'Home | Wiki | Forums | Log in',
    '[Home](/) · [Wiki](/wiki) · [Forums](/forums)',
    'We value your privacy. Accept all / Reject / Manage choices',
    '[Accept all](#) / [Reject](#)',
    'Advertisement',
    'Share this page: Copy link',
    'Categories: Towns | Ports',
    'Category: Towns',
    'This page was last edited on 1 July 2024, at 11:30.',
    'Content is available under the Open Licence unless otherwise noted.',
    '© 2024 Pennant Press. All rights reserved.',
    'Subscribe to our newsletter and get updates.',
    'Toggle the table of contents',
    'Related coverage',
    'Related articles you may like',
    'Recommended videos for you',
    'Privacy Policy | Terms of Use © 2024',
    'Accept all cookies. Reject all',
    'Skip to main content.',
    'Jump to: navigation, search',
    'See all reviews',
    'Related articles',
    'Related: The bells of Orme',
    'Read more about the mill',
    'Get the newsletter in your inbox every week',
]

PROSE = [
    'Search for the Heron, lost in 1872.',
    'She shared the mill with Jonas Orme.',
    'The history of cookies is long.',
    'Parliament voted to reject all amendments by Lord Howe in 1911.',
    'Judge Kim refused to accept all three pleas on 4 May 1999.',
    'Copyright dispute: Nintendo © 1985 was awarded $4 million.',
    'Category: Category 5 hurricane Katrina, 1,392 deaths',
    'The law was last modified by the council in 1999.',
    'The commission fined the company over its cookie policy.',
    'Alice Smith | 34 | Paris',
    '(c) You must retain all notices of the source.',
    'Copyright law protects the works of the guild.',
    'Recommended dose: 5 mg twice daily.',
    'Related risks',
    'Read more slowly under load',
    'Toggle the main valve to OFF before opening the pump.',
    'Skip to step 4 if the light is green.',
    'See a doctor at once.',
    'See Dr Weir before surgery.',
    'Share via SFTP only; the key is rotated weekly.',
    'Share the combination only with the branch manager',
    'Share prices in the spring',
    'Privacy policy breaches cost the guild $5 million.',
    'Reject all candles that are over 5 mm wide.',
    'Scout cookies raised $800 in the USA.',
    "The guild's newsletter reported last week that 40 had died.",
    'Ada Orme · Brook Finn · Carl Weir',
    "type Position = 'novice' | 'master' | 'warden';",
]


@pytest.mark.parametrize('line', CHROME)
def test_chrome(line: str) -> None:
    assert is_boilerplate(line)


@pytest.mark.parametrize('line', PROSE)
def test_prose(line: str) -> None:
    assert not is_boilerplate(line)


def said(text: str) -> list[str]:
    lines = [NumberedLine(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    return [statement.text for statement in statements(lines)[0]]


def test_below_what_leads_away_links_and_titles_go_and_sentences_stay() -> None:
    items = '- [The bells of the gate, and who rang them.](/bells)\n- Harbour\n- Ada Orme takes 10 mg twice a day.'
    assert said(f'## Recommended\n\n{items}') == ['Ada Orme takes 10 mg twice a day.']
    assert said('## Recommended actions\n\n- Shut down pump 3 and lock it.') == ['Shut down pump 3 and lock it.']


def test_a_table_without_outer_bars_is_a_table() -> None:
    assert said('Name | Age | City\n--- | --- | ---\nAlice Smith | 34 | Paris\nMorn Keld | 51 | Marn') == [
        '| Alice Smith | Age: 34 | City: Paris |',
        '| Morn Keld | Age: 51 | City: Marn |',
    ]


def test_who_has_signed_an_entry_is_no_part_of_it():
    assert said('* The gate is of oak now.\n\n -- Ada Finn <ada@example.com>  Mon, 02 Jan 2023') == [
        'The gate is of oak now.'
    ]


def test_a_book_stands_between_its_marks():
    book = ['Produced by Ada Finn', '*** START OF THIS PROJECT GUTENBERG EBOOK THE MILL ***', 'The mill stood.']
    book += [
        'It burned.',
        'End of the Project Gutenberg EBook of The Mill',
        '*** END OF THIS PROJECT GUTENBERG EBOOK ***',
    ]
    assert between_marks([*book, 'You may copy it.']) == (2, 4)
    assert between_marks(book[2:4]) == (0, 2)
