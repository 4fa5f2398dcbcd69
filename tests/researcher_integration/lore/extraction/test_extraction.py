"""The extraction asks within its window, keeps what is whole and verified, and says why when there is nothing."""

import json

import pytest
from inline_snapshot import snapshot
from pydantic import JsonValue
from pydantic_ai.models import Model
from pydantic_ai.models.test import TestModel
from pydantic_ai.usage import RunUsage, UsageLimits

from researcher_integration.lore.extraction.records import RECORDS, NPCData, Relation
from researcher_integration.lore.extraction.typed_extraction import Extraction, PageIndex, extracted, extraction_query
from researcher_integration.lore.material import TOPIC_IDS, Material, TopicId
from summarizer_tool import OutputMode, Settings
from tests.support.research_world import (
    MATERIAL,
    PAGES,
    SECTIONS,
    TEXTS,
    answering,
)

pytestmark = pytest.mark.anyio

MODES: list[OutputMode] = ['tool', 'native', 'prompted']
ODILE: dict[str, JsonValue] = {'name': 'Odile Sarn', 'faction': 'Ash Circle', 'confidence': 0.9, 'sources': [1]}
BRANNOC: dict[str, JsonValue] = {
    'name': 'Brannoc Tull', 'confidence': 1, 'sources': [3], 'relations': [{'kind': 'killed', 'target': 'Odile Sarn', 'sources': [3]}],
}  # fmt: skip
INVENTED: dict[str, JsonValue] = {'name': 'Mara Quill', 'sources': [2]}


async def extract(
    model: Model,
    category: TopicId = 'npcs',
    material: Material = MATERIAL,
    *,
    mode: OutputMode = 'auto',
) -> Extraction:
    query = extraction_query(category, Settings(llm_output_mode=mode))
    limits = UsageLimits(request_limit=None)
    answer = await query.ask(model, material, usage=RunUsage(), usage_limits=limits)
    return extracted(category, *answer, PageIndex(material))


def test_the_request() -> None:
    assert extraction_query('npcs', Settings()).request(MATERIAL) == snapshot("""\
The zone is Mirefold.

Extract one record for each named person or creature: title, kind (race or kind of creature), role, faction, location, level, status (alive, dead, missing, and since when), the quests given, and relations to persons, factions and places.

The pages:

<crawled_pages>
[1] Mirefold (secondary)
[2] Mirefold: the official guide (official)
[3] What I know of Mirefold (tertiary)
</crawled_pages>

What was kept of them:

<kept_section header="Zone overview">
Of [1] Mirefold:
Mirefold is a fen.
Of [2] Mirefold: the official guide:
Levels 30-35.
</kept_section>

<kept_section header="People">
Of [3] What I know of Mirefold:
Brannoc Tull slew Odile Sarn in 413.
</kept_section>

Extract one record for each named person or creature: title, kind (race or kind of creature), role, faction, location, level, status (alive, dead, missing, and since when), the quests given, and relations to persons, factions and places. Cite page numbers from the list above.\
""")


@pytest.mark.parametrize('mode', MODES)
async def test_records_are_verified_against_the_raw_pages(mode: OutputMode) -> None:
    extraction = await extract(answering({'records': [ODILE, BRANNOC, INVENTED]}), mode=mode)

    assert extraction.records == snapshot(
        [
            NPCData(name='Odile Sarn', confidence=0.54, sources=[1], faction='Ash Circle'),
            NPCData(
                name='Brannoc Tull',
                relations=[Relation(kind='killed', target='Odile Sarn', sources=[3])],
                confidence=0.3,
                sources=[3],
            ),
        ]
    )
    assert (extraction.dropped, extraction.is_partial, extraction.reason) == (1, False, '')
    assert extraction.spent.requests == 1
    assert extraction.spent.input_tokens > 0


@pytest.mark.parametrize('category', TOPIC_IDS)
async def test_an_extraction_comes_back_from_json_as_it_was(category: TopicId) -> None:
    kinds = {name: field.annotation for name, field in RECORDS[category].model_fields.items() if name != 'name'}
    fields: dict[str, JsonValue] = {name: 'Reed Bell' for name, kind in kinds.items() if kind is str}
    lists: dict[str, JsonValue] = {
        name: ['Odile Sarn', 'Hob’s Weir'] for name, kind in kinds.items() if kind == list[str]
    }
    extraction = await extract(answering({'records': [{**ODILE, **fields, **lists}]}), category)
    [record] = extraction.records

    assert type(record) is RECORDS[category]
    assert record.model_dump(include={*fields, *lists}) == {**fields, **lists}
    assert Extraction.model_validate_json(extraction.model_dump_json()) == extraction
    assert type(Extraction.model_validate_json(extraction.model_dump_json()).records[0]) is RECORDS[category]


async def test_extraction_runs_on_a_model_that_writes_nonsense() -> None:
    for category in TOPIC_IDS:
        extraction = await extract(TestModel(), category)
        assert (len(extraction.records) + extraction.dropped, extraction.reason) == (1, '')


# What goes wrong.


@pytest.mark.parametrize('mode', MODES)
async def test_an_answer_that_is_cut_off_keeps_its_whole_records(mode: OutputMode) -> None:
    raw = json.dumps({'records': [ODILE, BRANNOC, INVENTED]})
    extraction = await extract(answering(raw[: raw.index('Mara')], finish_reason='length'), mode=mode)

    assert [record.name for record in extraction.records] == ['Odile Sarn', 'Brannoc Tull']
    assert extraction.is_partial
    assert extraction.spent.requests == 1


@pytest.mark.parametrize('mode', MODES)
async def test_what_cannot_be_read_is_asked_for_again_without_the_broken_answer(mode: OutputMode) -> None:
    seen: list[str] = []
    extraction = await extract(answering('I cannot.', {'records': [ODILE]}, seen=seen), mode=mode)

    assert [record.name for record in extraction.records] == ['Odile Sarn']
    assert not extraction.is_partial
    assert extraction.spent.requests == 2
    assert seen[1].removeprefix(seen[0]) == snapshot("""\


Your last answer to this request could not be read. Answer with the JSON that was asked for, whole, and with nothing before or after it; keep it shorter if it was cut off.\
""")


async def test_a_page_that_cannot_be_read_is_named() -> None:
    some = Material('Mirefold', SECTIONS, PAGES, {number: text for number, text in TEXTS.items() if number != 1})
    extraction = await extract(answering({'records': [ODILE]}), material=some)

    assert extraction.unread == (1,)
    assert extraction.records[0].sources == [2, 3]
