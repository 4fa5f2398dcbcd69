"""The cross-reference reports what the sources contradict each other in, with both claims and both sources."""

import json

import pytest
from inline_snapshot import snapshot
from pydantic import JsonValue
from pydantic_ai.exceptions import ModelHTTPError
from pydantic_ai.models import Model
from pydantic_ai.models.test import TestModel
from pydantic_ai.usage import RunUsage, UsageLimits

from researcher_integration.lore.extraction.cross_reference import (
    Claim,
    Conflict,
    CrossReference,
    compare,
    compared,
    conflict_query,
    is_same,
)
from researcher_integration.lore.extraction.records import FactionData, NPCData, Record, ZoneData
from researcher_integration.lore.extraction.typed_extraction import Extraction, extraction_query
from researcher_integration.lore.material import Material
from summarizer_tool import Settings
from tests.support.research_world import (
    MATERIAL,
    PAGES,
    answering,
    failing,
    texts,
)

pytestmark = pytest.mark.anyio

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
ODILE: dict[str, JsonValue] = {
    'subject': 'Odile Sarn', 'attribute': 'status', 'first': 'serves the Tide Guild still', 'first_source': 2,
    'second': 'died in 413', 'second_source': '[3]',
}  # fmt: skip


async def cross_reference(model: Model, material: Material = MATERIAL) -> CrossReference:
    limits = UsageLimits(request_limit=None)
    answer = await conflict_query(Settings()).ask(model, material, texts, usage=RunUsage(), usage_limits=limits)
    return compared(EXTRACTIONS, answer, material.pages)


def npcs(*records: Record) -> list[Extraction]:
    return [Extraction(category='npcs', records=list(records))]


def test_rules_find_both_claims_with_their_sources() -> None:
    assert compare(EXTRACTIONS, PAGES) == snapshot(
        [
            Conflict(
                subject='odile sarn',
                attribute='faction',
                claims=(Claim(text='Tide Guild', source=2), Claim(text='the Ash Circle', source=1)),
                found_by='rule',
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


# With a model.


def test_the_request_is_that_of_an_extraction_but_for_the_task() -> None:
    request = conflict_query(Settings()).request(MATERIAL)
    extraction = extraction_query('npcs', Settings()).request(MATERIAL)
    material = extraction[extraction.index('The pages:') : extraction.rindex('</kept_section>')]
    before, after = request.split(material)
    assert before == 'The zone is Mirefold.\n\n'
    assert after.removeprefix('</kept_section>\n\n') == snapshot(
        'List what two pages state of one subject that cannot both be true. Cite page numbers from the list above.'
    )


async def test_a_model_finds_what_rules_do_not() -> None:
    again: dict[str, JsonValue] = {
        'subject': 'Odile Sarn', 'attribute': 'allegiance', 'first': 'leads the Ash Circle', 'first_source': 1,
        'second': 'serves the Tide Guild', 'second_source': 2,
    }  # fmt: skip
    found = await cross_reference(answering({'conflicts': [again, ODILE]}))

    assert (found.dropped, found.reason, found.spent.requests) == (0, '', 1)
    assert found.conflicts[: len(compare(EXTRACTIONS, PAGES))] == tuple(compare(EXTRACTIONS, PAGES))
    # What a rule has found is not told again.
    assert [conflict for conflict in found.conflicts if conflict.found_by == 'model'] == snapshot(
        [
            Conflict(
                subject='Odile Sarn',
                attribute='status',
                claims=(Claim(text='serves the Tide Guild still', source=2), Claim(text='died in 413', source=3)),
                found_by='model',
            )
        ]
    )
    assert CrossReference.model_validate_json(found.model_dump_json()) == found


@pytest.mark.parametrize(
    'change',
    [
        {'first_source': 3},
        {'first_source': 9},
        {'first_source': None},
        {'second_source': 'the forum'},
        {'subject': 'Mara Quill'},
        {'subject': 'Reed Bell'},
        {'first': 'died in 413.'},
        {'first': ''},
        {'second': 'unknown'},
    ],
)
async def test_what_two_pages_do_not_support_is_dropped(change: dict[str, JsonValue]) -> None:
    found = await cross_reference(answering({'conflicts': [{**ODILE, **change}]}))

    assert found.dropped == 1
    assert {conflict.found_by for conflict in found.conflicts} == {'rule'}


async def test_the_claim_of_the_more_trusted_source_is_first() -> None:
    turned = {**ODILE, 'first': ODILE['second'], 'first_source': 3, 'second': ODILE['first'], 'second_source': 2}
    found = [(await cross_reference(answering({'conflicts': [each]}))).conflicts[-1] for each in (ODILE, turned)]

    assert found[0] == found[1]
    assert [claim.source for claim in found[0].claims] == [2, 3]


@pytest.mark.parametrize(
    ('model', 'reason', 'requests'),
    [
        (failing(lambda: ModelHTTPError(503, 'm', {'message': 'Odile'})), 'HTTP 503', 0),
        (answering('There are many conflicts.'), 'invalid output', 3),
        (answering('{"conflicts": [{"subj', finish_reason='length'), 'cut off', 1),
    ],
)
async def test_without_the_model_there_are_the_rules(model: Model, reason: str, requests: int) -> None:
    found = await cross_reference(model)

    assert found.conflicts == tuple(compare(EXTRACTIONS, PAGES))
    assert (found.reason, found.spent.requests) == (reason, requests)


async def test_an_answer_that_is_cut_off_keeps_its_whole_conflicts() -> None:
    raw = json.dumps({'conflicts': [ODILE, {**ODILE, 'subject': 'Mirefold'}]})
    found = await cross_reference(answering(raw[:-20], finish_reason='length'))

    assert found.is_partial
    assert [conflict.subject for conflict in found.conflicts if conflict.found_by == 'model'] == ['Odile Sarn']


async def test_it_runs_on_a_model_that_writes_nonsense() -> None:
    found = await cross_reference(TestModel())

    assert (found.dropped, found.reason) == (1, '')
