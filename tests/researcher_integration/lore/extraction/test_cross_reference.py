"""The cross-reference reports what the sources contradict each other in, with both claims and both sources."""

import pytest
from inline_snapshot import snapshot

from researcher_integration.lore.extraction.cross_reference import (
    Claim,
    Conflict,
    compare,
    is_same,
)
from researcher_integration.lore.extraction.records import FactionData, NPCData, Record, ZoneData
from researcher_integration.lore.extraction.typed_extraction import Extraction
from tests.support.research_world import PAGES

# What an extraction of the small zone has found.
EXTRACTIONS = [
    Extraction(category='zone_overview', records=[ZoneData(name='Mirefold', level_range='30-35', sources=[2])]),
    Extraction(
        category='npcs',
        records=[
            NPCData(name='Odile Sarn', title='reeve', faction='the Ash Circle', status='dead', sources=[1, 3]),
            NPCData(name='odile sarn', faction='Tide Guild', status='Dead (413)', sources=[2]),
        ],
    ),
    Extraction(
        category='factions',
        records=[FactionData(name='Ash Circle', leader='Reeve Odile Sarn', members=['Brannoc Tull'], sources=[1])],
    ),
]


def npcs(*records: Record) -> list[Extraction]:
    return [Extraction(category='npcs', records=list(records))]


def test_rules_find_both_claims_with_their_sources() -> None:
    assert compare(EXTRACTIONS, PAGES) == snapshot(
        [
            Conflict(
                subject='odile sarn',
                attribute='faction',
                claims=(Claim(text='Tide Guild', source=2), Claim(text='the Ash Circle', source=1)),
            )
        ]
    )


def test_each_value_that_differs_is_held_against_the_most_trusted() -> None:
    records = [
        NPCData(name='Odile Sarn', level=level, sources=[number])
        for level, number in (('31', 3), ('32', 1), ('30', 2), ('level 32', 3))
    ]
    assert [conflict.claims for conflict in compare(npcs(*records), PAGES)] == snapshot(
        [
            (Claim(text='30', source=2), Claim(text='32', source=1)),
            (Claim(text='30', source=2), Claim(text='31', source=3)),
        ]
    )


def test_claims_come_from_different_pages_where_they_can() -> None:
    first = NPCData(name='Odile Sarn', kind='human', sources=[2, 1])
    [conflict] = compare(npcs(first, NPCData(name='Odile Sarn', kind='heron', sources=[2])), PAGES)
    assert conflict.claims == (Claim(text='heron', source=2), Claim(text='human', source=1))

    [conflict] = compare(npcs(first, NPCData(name='Odile Sarn', kind='heron', sources=[2, 3])), PAGES)
    assert conflict.claims == (Claim(text='human', source=1), Claim(text='heron', source=3))


@pytest.mark.parametrize(
    ('first', 'second', 'counted', 'same'),
    [
        ('The Ash Circle', 'ash circle', False, True),
        ('Ash Circle', 'the Ash Circle of Mirefold', False, True),
        ('captain of the Tide Guild', 'Tide Guild captain', False, True),
        ('Ash Circle', 'Tide Guild', False, False),
        ('dead', 'not dead', False, False),
        ('dead', 'dead since 413', False, True),
        ('412', '413', False, False),
        ('Harrow killed Vant', 'Vant killed Harrow', False, False),
        ('betrayed Harrow', 'betrayed by Harrow', False, False),
        ('king', 'former king', False, False),
        ('alive', 'presumed alive', False, False),
        ('402', 'before 402', False, False),
        ('tot', 'nicht tot', False, False),
        ('10-20', '20-10', True, False),
        ('30', 'Level 30', True, True),
        ('30', '30-35', True, False),
        ('30–35', '30 to 35', True, True),
    ],
)
def test_what_says_the_same_in_other_words(first: str, second: str, counted: bool, same: bool) -> None:
    assert is_same(first, second, counted=counted) == is_same(second, first, counted=counted) == same


def test_records_that_agree_are_no_conflict() -> None:
    agreeing = [
        NPCData(name='Odile Sarn', faction='Ash Circle', role='reeve', level='32', sources=[1]),
        NPCData(name='ODILE  SARN', faction='the ash circle', role='quest giver', level='Level 32', sources=[2]),
        NPCData(name='Odile Sarn', location='Hob’s Weir', sources=[3]),
    ]
    assert compare(npcs(*agreeing), PAGES) == []
    assert compare([], PAGES) == []
