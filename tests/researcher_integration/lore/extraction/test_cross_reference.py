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
    compared,
    conflict_query,
    is_same,
)
from researcher_integration.lore.extraction.typed_extraction import PageIndex, extraction_query
from researcher_integration.lore.material import Material
from summarizer_tool import Settings
from tests.support.research_world import (
    MATERIAL,
    answering,
    failing,
)

pytestmark = pytest.mark.anyio

ODILE: dict[str, JsonValue] = {
    'subject': 'Odile Sarn', 'attribute': 'status', 'first': 'serves the Tide Guild still', 'first_source': 2,
    'second': 'died in 413', 'second_source': '[3]',
}  # fmt: skip


async def cross_reference(model: Model, material: Material = MATERIAL) -> CrossReference:
    limits = UsageLimits(request_limit=None)
    answer = await conflict_query(Settings()).ask(model, material, usage=RunUsage(), usage_limits=limits)
    return compared(*answer, PageIndex(material))


@pytest.mark.parametrize(
    ('first', 'second', 'same'),
    [
        ('The Ash Circle', 'ash circle', True),
        ('Ash Circle', 'the Ash Circle of Mirefold', True),
        ('Ash Circle', 'Tide Guild', False),
        ('dead', 'not dead', False),
        ('412', '413', False),
        ('betrayed Harrow', 'betrayed by Harrow', False),
        ('30', 'Level 30', True),
        ('30', '30-35', False),
    ],
)
def test_what_says_the_same_in_other_words(first: str, second: str, same: bool) -> None:
    assert is_same(first, second) == is_same(second, first) == same


def test_the_request_is_that_of_an_extraction_but_for_the_task() -> None:
    request = conflict_query(Settings()).request(MATERIAL)
    extraction = extraction_query('npcs', Settings()).request(MATERIAL)
    material = extraction[extraction.index('The pages:') : extraction.rindex('</kept_section>')]
    before, after = request.split(material)
    assert before == 'The zone is Mirefold.\n\n'
    assert after.removeprefix('</kept_section>\n\n') == snapshot(
        'List what two pages state of one subject that cannot both be true. Cite page numbers from the list above.'
    )


async def test_a_conflict_has_both_claims_with_their_sources() -> None:
    found = await cross_reference(answering({'records': [ODILE]}))

    assert (found.dropped, found.reason, found.spent.requests) == (0, '', 1)
    assert found.conflicts == snapshot(
        (
            Conflict(
                subject='Odile Sarn',
                attribute='status',
                claims=(Claim(text='serves the Tide Guild still', source=2), Claim(text='died in 413', source=3)),
            ),
        )
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
    found = await cross_reference(answering({'records': [{**ODILE, **change}]}))

    assert (found.dropped, found.conflicts) == (1, ())


async def test_the_claim_of_the_more_trusted_source_is_first() -> None:
    turned = {**ODILE, 'first': ODILE['second'], 'first_source': 3, 'second': ODILE['first'], 'second_source': 2}
    found = [(await cross_reference(answering({'records': [each]}))).conflicts[-1] for each in (ODILE, turned)]

    assert found[0] == found[1]
    assert [claim.source for claim in found[0].claims] == [2, 3]


@pytest.mark.parametrize(
    ('model', 'reason', 'requests'),
    [
        (failing(lambda: ModelHTTPError(503, 'm', {'message': 'Odile'})), 'HTTP 503', 0),
        (answering('There are many conflicts.'), 'invalid output', 3),
        (answering('{"records": [{"subj', finish_reason='length'), 'cut off', 1),
    ],
)
async def test_a_model_that_fails_is_told(model: Model, reason: str, requests: int) -> None:
    found = await cross_reference(model)

    assert (found.conflicts, found.reason, found.spent.requests) == ((), reason, requests)


async def test_an_answer_that_is_cut_off_keeps_its_whole_conflicts() -> None:
    raw = json.dumps({'records': [ODILE, {**ODILE, 'subject': 'Mirefold'}]})
    found = await cross_reference(answering(raw[:-20], finish_reason='length'))

    assert found.is_partial
    assert [conflict.subject for conflict in found.conflicts] == ['Odile Sarn']


async def test_it_runs_on_a_model_that_writes_nonsense() -> None:
    found = await cross_reference(TestModel())

    assert (found.dropped, found.reason) == (1, '')
