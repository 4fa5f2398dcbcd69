"""Of one document the later value stands; of several documents both do."""

from inline_snapshot import snapshot

from summarizer_tool import Document, Settings, Summarizer
from summarizer_tool.mapreduce import merging
from summarizer_tool.mapreduce.merging import GroundedFact

NOTES = 'The deadline is 3 May.\n\nThe hall is booked for 200 guests.\n\nThe deadline was moved to 10 May.\n'
FACTS = [
    GroundedFact('The deadline is 3 May.', 3, ((0, 1),)),
    GroundedFact('The hall is booked for 200 guests.', 3, ((0, 2),)),
    GroundedFact('The deadline was moved to 10 May.', 3, ((0, 3),)),
]


def test_the_former_value_is_named_as_such_where_there_is_room() -> None:
    facts, left_out = merging.current(FACTS, [Document(NOTES)], 100)
    assert [fact.text for fact in facts] == [
        'Formerly: The deadline is 3 May.',
        'The hall is booked for 200 guests.',
        'The deadline was moved to 10 May.',
    ]
    assert facts[0].is_filler
    assert left_out == 0
    assert not merging.are_disputed(FACTS)


def test_it_is_left_out_and_counted_where_there_is_not() -> None:
    facts, left_out = merging.current(FACTS, [Document(NOTES)], 20)
    assert [fact.text for fact in facts] == [fact.text for fact in FACTS[1:]]
    assert left_out == 1


def test_the_order_of_the_facts_is_not_that_of_the_document() -> None:
    facts, *_ = merging.current(FACTS[::-1], [Document(NOTES)], 20)
    assert [fact.text for fact in facts] == [FACTS[2].text, FACTS[1].text]


def test_documents_that_contradict_each_other_both_stand() -> None:
    other = GroundedFact('The deadline is 9 June.', 3, ((1, 1),))
    facts, _ = merging.current([FACTS[0], other], [Document(NOTES), Document(other.text)], 5)
    assert facts == [FACTS[0], other]
    assert merging.are_disputed(facts)


def test_what_a_second_document_says_too_is_not_out_of_date() -> None:
    both = GroundedFact(FACTS[0].text, 3, ((0, 1), (1, 1)))
    facts, *_ = merging.current([both, *FACTS[1:]], [Document(NOTES), Document(both.text)], 5)
    assert both in facts


def test_a_summary_keeps_the_newest_value_and_counts_the_former() -> None:
    filler = '\n\n'.join(f'Group {n} of the visitors has seen the garden on day {n} of the tour.' for n in range(40))
    text = f'The deadline is 3 May.\n\n{filler}\n\nThe deadline was moved to 10 May.\n'
    summary = Summarizer(Settings.model_validate({'llm_model': 'extractive'})).summarize_sync(
        text, max_output_tokens=150
    )
    assert 'moved to 10 May' in summary.text
    assert '3 May' not in summary.text
    assert summary.stats.dropped.superseded == 1


def test_two_sources_that_disagree_are_shown_each_under_its_title() -> None:
    stairs = 'The stairs within it were closed when the bells began to crack the plaster of the walls.'
    lamps = 'Its lamps are lit by a warden, who lives in the house below and keeps bees in the garden.'
    sources = [
        Document(f'The town tower is 61 metres high. {stairs}', title='Guide'),
        Document(f'The town tower is 74 metres high. {lamps}', title='Atlas'),
    ]
    summary = Summarizer(Settings.model_validate({'llm_model': 'extractive'})).summarize_sync(
        sources, max_output_tokens=40
    )
    assert summary.text == snapshot("""\
# Guide
The town tower is 61 metres high.
# Atlas
The town tower is 74 metres high.\
""")
