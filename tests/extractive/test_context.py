"""What a statement is said with, so that it is understood alone."""

from inline_snapshot import snapshot

from summarizer_tool.extractive.choosing import summarize_sources
from summarizer_tool.prompts import Focus, ParsedRequest, PromptSource
from summarizer_tool.schemas import Fact
from tests.support.numbered_lines import numbered, read


def test_what_is_said_of_a_label_has_it():
    page = """
# The gate

The following may be set:

- `limit`: The crates that it holds. The default is 8. This may be changed at night.
- `keeper`: Who opens it. Ada Finn is asked first.
"""
    assert read(page) == snapshot(
        [
            ('The following may be set: limit: The crates that it holds.', (5, 3)),
            ('limit: The default is 8.', (5,)),
            ('limit: This may be changed at night.', (5,)),
            ('The following may be set: keeper: Who opens it.', (6, 3)),
            ('Ada Finn is asked first.', (6,)),
        ]
    )


def test_a_bold_line_is_a_heading():
    page = '\n**Who opens the gate?**\n\nThe keeper of the mill opens it.\n'
    assert read(page) == snapshot([('Who opens the gate: The keeper of the mill opens it.', (3, 1))])


def test_what_a_speaker_said_before_a_list_leads_to_it_alone():
    turns = ''.join(f'{name}: We hold the {thing} at night.\n\n' for name, thing in [
        ('Ada Finn', 'weir'), ('Bo Orme', 'gate'), ('Ada Finn', 'lock'), ('Bo Orme', 'sluice'),
        ('Ada Finn', 'mill'), ('Bo Orme', 'dyke'),
    ])  # fmt: skip
    agenda = '* The lower gate has to be moved to another weir.\n'
    assert [text for text, _ in read(turns + agenda)][-2:] == snapshot(
        ['Bo Orme: We hold the dyke at night.', 'The lower gate has to be moved to another weir.']
    )
    assert [text for text, _ in read(f'{turns}Ada Finn: What is left:\n\n{agenda}')][-1:] == snapshot(
        ['Ada Finn: What is left: The lower gate has to be moved to another weir.']
    )


def test_a_quotation_below_the_items_of_a_list_has_no_lead():
    assert read('Remember this:\n\n- Keep it simple.\n\n> Not all of it will hold.') == snapshot(
        [('Remember this: Keep it simple.', (3, 1)), ('> Not all of it will hold.', (5,))]
    )


def _told(page: str, target: int) -> list[Fact]:
    request = ParsedRequest((PromptSource(tuple(numbered(page))),), Focus(), target, merges=False)
    return summarize_sources(request, target).facts


def test_a_placeholder_amid_a_sentence_is_no_tag():
    assert read('The gate is opened when <P> comes near.') == [('The gate is opened when <P> comes near.', (1,))]


def test_a_quotation_is_said_with_who_wrote_it_however_deep_it_stands():
    page = """
We accept the new date, but not the price.

On Wed, 11 Feb 2026 at 09:12, Karl Brandt wrote:
> Dear Ada,
>
> As of 1 January our price is 329 crowns.
>
> On Mon, 9 Feb 2026 at 14:40, Ada Finn wrote:
>> Two hundred pumps were due on 2 February.
>
> Kind regards
"""
    assert read(page) == snapshot(
        [
            ('We accept the new date, but not the price.', (1,)),
            ('Karl Brandt: As of 1 January our price is 329 crowns.', (6, 3)),
            ('Ada Finn: Two hundred pumps were due on 2 February.', (9, 8)),
        ]
    )


def test_what_is_too_long_ever_to_be_said_is_begun():
    guilds = ', '.join(f'to the guild of ward {number}' for number in range(40))
    facts = _told(f'The charter grants {guilds}, the right to hold a market.', 60)
    assert [fact.text for fact in facts] == snapshot(
        [
            'The charter grants to the guild of ward 0, to the guild of ward 1, to the guild of ward 2, to the guild of ward 3, to the guild of ward 4, …'
        ]
    )


def test_what_is_asked_for_is_not_cut_from_the_end_of_a_long_sentence():
    guilds = ', '.join(f'to the guild of ward {number}' for number in range(22))
    page = f'The charter grants {guilds}, the right to hold a market. The toll is paid in May.'
    lines = (PromptSource(tuple(numbered(page))),)
    asked = ParsedRequest(lines, Focus(focus_areas='What right is granted?'), 300, merges=False)
    assert summarize_sources(asked, 300).facts[0].text.endswith('to the guild of ward 21, the right to hold a market.')
    assert _told(page, 300)[0].text.endswith(', …')


def test_each_change_has_its_version():
    page = """
sluice 2.1.0 (8 January 2023)
=============================

* The gate opens by itself when a ship comes near.

sluice 2.0.0 (15 May 2022)
==========================

* The lock holds in winter, too.
"""
    assert [fact.text for fact in _told(page, 100)] == snapshot(
        [
            'sluice 2.1.0 (8 January 2023): The gate opens by itself when a ship comes near.',
            'sluice 2.0.0 (15 May 2022): The lock holds in winter, too.',
        ]
    )


def test_what_stands_below_days_has_them():
    page = '**2 May 2026, 18:20**\n\nThe lock is open again.\n\n**28 April 2026, 9:05**\n\nThe lock is shut.\n'
    assert [fact.text for fact in _told(page, 100)] == [
        '2 May 2026, 18:20: The lock is open again.',
        '28 April 2026, 9:05: The lock is shut.',
    ]
