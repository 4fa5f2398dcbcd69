"""Facts that say the same are joined; facts that differ in a name, a number or a "not" never are."""

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from inline_snapshot import snapshot

from summarizer_tool.mapreduce.grounding import MAX_EVIDENCE
from summarizer_tool.mapreduce.merging import GroundedFact, size, union
from summarizer_tool.text import tokens


def found(text: str, segment: int = 1, importance: int = 3, document: int = 0) -> GroundedFact:
    return GroundedFact(text, importance, ((document, segment),))


def test_the_fuller_wording_stays_with_the_evidence_of_all() -> None:
    facts = [
        found('Ada Brook led the Tide Guild (1840 to 1852).', 3, importance=2),
        found('Marn is a town.', 4),
        found('ada brook led the tide guild (1840 to 1852)', 7, importance=5, document=1),
    ]

    assert union(facts) == snapshot(
        (
            [
                GroundedFact(
                    text='Ada Brook led the Tide Guild (1840 to 1852).', importance=5, evidence=((0, 3), (1, 7))
                ),
                GroundedFact(text='Marn is a town.', importance=3, evidence=((0, 4),)),
            ],
            1,
        )
    )


def test_a_row_of_a_table_is_of_its_document_alone() -> None:
    one, other = found('| Rank | Value: River Reeve |'), found('| Rank | Value: River Reeve |', document=1)

    assert union([one, other, found('| Rank | Value: River Reeve |', 2)]) == (
        [GroundedFact(one.text, 3, ((0, 1), (0, 2))), other],
        1,
    )


@pytest.mark.parametrize(
    ('first', 'second'),
    [
        ('Vael killed 12 wolves in the long winter war.', 'Vael killed 13 wolves in the long winter war.'),
        ('Vael killed twelve wolves in the long winter.', 'Vael killed thirteen wolves in the long winter.'),
        ('Vael has 12 ships and 13 towers.', 'Vael has 13 ships and 12 towers.'),
        ('Vael joined the guild of the old town.', 'Vael did not join the guild of the old town.'),
        ('Vael joined the guild of the old town.', "Vael didn't join the guild of the old town."),
        ('Vael joined the guild of the old town.', 'Vael never joined the guild of the old town.'),
        ('Vael killed Morn.', 'Morn killed Vael.'),
        ('The gate was shut before the siege of the town.', 'The gate was shut after the siege of the town.'),
        (
            'Vael won the battle at the river ford with the help of many old allies.',
            'Vael lost the battle at the river ford with the help of many old allies.',
        ),
        ('It costs $5.', 'It costs €5.'),
        ('Growth was 5.', 'Growth was 5%.'),
        ('It was -5 degrees.', 'It was 5 degrees.'),
        ('It was 1.5 metres.', 'It was 15 metres.'),
        ('Die Flut stieg in Marn um 1,5 Meter.', 'Die Flut stieg in Marn um 15 Meter.'),
        ('Das alte Tor am Fluss ist im Winter offen.', 'Das alte Tor am Fluss ist im Winter nicht offen.'),
        ('Старые ворота у реки зимой открыты.', 'Старые ворота у реки зимой не открыты.'),
        ('The gate of the old town is open at noon.', 'The gate of the old town is rarely open at noon.'),
        ('Written in C++.', 'Written in C#.'),
        ('the plaintiff sued the defendant in court', 'the defendant sued the plaintiff in court'),
        ('The firm sued the county over the dam.', 'The firm was sued by the county over the dam.'),
        ('The council voted for the new dam.', 'The council voted against the new dam.'),
        ('Water flows from the upper to the lower lake.', 'Water flows from the lower to the upper lake.'),
        ('His salary was raised twice that year.', 'Her salary was raised twice that year.'),
        ('The coat is warm for the spring.', 'The coat is too warm for the spring.'),
        ('if x != y the loop ends early', 'if x = y the loop ends early'),
        ('x < y', 'y < x'),
        ('Is the bridge open?', 'The bridge is open.'),
        ('Add 1½ cups of rye.', 'Add 1 cups of rye.'),
        ('∅', '∃'),
    ],
)
def test_facts_that_differ_in_what_they_say_both_stay(first: str, second: str) -> None:
    facts = [found(first), found(second, 2)]

    assert union(facts) == (facts, 0)
    assert union(reversed(facts)) == (facts[::-1], 0)


@pytest.mark.parametrize(
    ('first', 'second'),
    [
        ('Vael ruled Marn.', 'Vael  ruled Marn'),
        ('VAEL ruled Marn.', 'Vael ruled Marn'),
        ('The town has 1,200 people.', 'The town has 1200 people.'),
        ("The gate isn't open.", 'The gate is not open.'),
    ],
)
def test_facts_that_say_the_same_are_one(first: str, second: str) -> None:
    kept, duplicates = union([found(first, 1), found(second, 2)])

    assert duplicates == 1
    assert kept[0].evidence == ((0, 1), (0, 2))


def test_the_same_words_in_any_order_of_facts_make_the_same_fact() -> None:
    facts = [found('Vael ruled Marn.', 5), found('Vael ruled  Marn', 2, 5), found('VAEL RULED MARN', 9, 1)]

    assert len({union(order)[0][0] for order in permutations(facts)}) == 1


def test_evidence_is_bounded_and_that_of_the_wording_that_stays_goes_first() -> None:
    facts = [found('Vael ruled Marn', n) for n in range(1, 12)] + [found('Vael ruled Marn.', 99)]

    [fact], duplicates = union(facts)

    assert duplicates == 11
    assert len(fact.evidence) == MAX_EVIDENCE
    assert (0, 99) in fact.evidence


WORDS = st.sampled_from(
    ['vael', 'morn', 'Ada', 'Brook', 'not', '12', '13', 'joined', 'killed', 'the', 'guild', 'town', '$', '%', 'never']
)
TEXTS = st.lists(WORDS, min_size=1, max_size=7).map(' '.join)


@hypothesis_settings(max_examples=60)
@given(st.lists(st.builds(found, st.one_of(TEXTS, st.text(max_size=20)), st.integers(1, 99), st.integers(1, 5))))
def test_nothing_is_lost(facts: list[GroundedFact]) -> None:
    kept, duplicates = union(facts)

    assert len(kept) + duplicates == len(facts)
    assert {fact.text for fact in kept} <= {fact.text for fact in facts}
    assert max((fact.importance for fact in kept), default=0) == max((fact.importance for fact in facts), default=0)
    for fact in kept:
        assert 1 <= len(fact.evidence) <= MAX_EVIDENCE
        assert list(fact.evidence) == sorted(set(fact.evidence))
    for number in ('12', '13', 'not', 'never', '$', '%'):
        assert any(number in f.text.split() for f in kept) == any(number in f.text.split() for f in facts)


def test_size_is_at_least_that_of_the_text() -> None:
    facts = [found('Vael ruled Marn.'), found('Morn did not.')]

    assert size(facts) >= tokens.count('\n'.join(fact.text for fact in facts))


def test_facts_on_other_identifiers_are_no_duplicates():
    texts = [
        'def keep_all(crates): Keeps crates in a store.',
        'def keep_all_here(crates): Keeps crates in a store here.',
    ]
    facts = [GroundedFact(text, 3, ((0, place),)) for place, text in enumerate(texts, 1)]
    assert union(facts) == (facts, 0)
