"""Records are read from whatever weak models write, and only what stands on the pages is kept of them."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from pydantic import JsonValue, ValidationError

from researcher_integration.lore.extraction.records import (
    RECORDS,
    NPCData,
    Record,
    Records,
    Relation,
    ZoneData,
)
from researcher_integration.lore.extraction.typed_extraction import Extraction, PageIndex, extracted, name_key
from researcher_integration.lore.extraction.windowed_query import QuestionOutcome
from researcher_integration.lore.material import TOPIC_IDS, CrawledPage, Material, TopicId
from tests.support.research_world import PAGES, TEXTS, page


def index_of(texts: dict[int, str], pages: Sequence[CrawledPage] = PAGES) -> PageIndex:
    return PageIndex(Material('Mirefold', {}, pages, texts))


def verify(records: Sequence[Record], pages: Sequence[CrawledPage], texts: dict[int, str]) -> Extraction:
    return extracted('npcs', QuestionOutcome(), Records[Any](records=[*records]), index_of(texts, pages))


def npc(**fields: object) -> NPCData:
    return NPCData.model_validate({'name': 'Odile Sarn', **fields})


@pytest.mark.parametrize(
    ('given', 'expected'),
    [
        ('0.8', 0.8), ('80%', 0.8), (80, 0.8), (8, 0.8), (1, 1.0), (0, 0.0), (-3, 0.0), (1e9, 1.0), (None, 0.5),
        (True, 0.5), ('who knows', 0.5), (float('nan'), 0.5), ([], 0.5),
    ],
)  # fmt: skip
def test_confidence_in_any_scale(given: object, expected: float) -> None:
    assert npc(confidence=given).confidence == expected


@pytest.mark.parametrize(
    ('given', 'expected'),
    [
        ([1], [1]), ('1', [1]), ('[1]', [1]), ('1, 3', [1, 3]), ('[1][3]', [1, 3]), (['[2]', 1, 2], [2, 1]),
        (None, []), ('none', []), ([-1, 0, 1.5, True, {}], []), ('7' * 40, []),
    ],
)  # fmt: skip
def test_sources_in_any_form(given: object, expected: list[int]) -> None:
    assert npc(sources=given).sources == expected


@pytest.mark.parametrize(
    ('given', 'expected'),
    [
        (None, []),
        ('', []),
        ('Ash Circle', [Relation(target='Ash Circle')]),
        (['Ash Circle', {}, None], [Relation(target='Ash Circle')]),
        ({'kind': 'leads', 'target': 'Ash Circle'}, [Relation(kind='leads', target='Ash Circle')]),
        ([{'kind': 'leads', 'target': {'name': 'Ash Circle'}, 'sources': '[2]'}], [Relation(kind='leads', target='Ash Circle', sources=[2])]),
    ],
)  # fmt: skip
def test_relations_in_any_form(given: object, expected: list[Relation]) -> None:
    assert npc(relations=given).relations == expected


def test_a_partial_answer_is_an_answer() -> None:
    answer = [
        {'name': 'Odile\n Sarn', 'title': ['reeve', 'warden'], 'level': 32, 'faction': 'Unknown', 'quests': 'The Bell'},
        {'name': 7, 'role': None, 'location': {'name': 'Hob’s Weir'}, 'status': 'N/A.', 'quests': None},
    ]
    for given_answer in (answer, {'records': answer}):
        assert Records[NPCData].model_validate(given_answer).records == [
            NPCData(name='Odile Sarn', title='reeve, warden', level='32', quests=['The Bell']),
            NPCData(name='7', location='Hob’s Weir'),
        ]
    assert Records[NPCData].model_validate({'name': 'Odile Sarn'}).records == [NPCData(name='Odile Sarn')]
    for nothing in (None, {'records': None}):
        assert Records[NPCData].model_validate(nothing).records == []
    for one in ({'name': 'Odile Sarn'}, {'records': {'name': 'Odile Sarn'}}):
        assert Records[NPCData].model_validate(one).records == [NPCData(name='Odile Sarn')]
    with pytest.raises(ValidationError):
        Records[NPCData].model_validate({'records': [{'title': 'reeve'}]})


ANYTHING: st.SearchStrategy[JsonValue] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(['name', 'target', 'x']), inner, max_size=2)
    ),
    max_leaves=5,
)


@given(st.sampled_from(TOPIC_IDS), st.data())
def test_no_value_of_a_field_makes_a_record_invalid_or_unwritable(category: TopicId, data: st.DataObject) -> None:
    record_type = RECORDS[category]
    fields = {name: data.draw(ANYTHING) for name in record_type.model_fields if name != 'name'}
    record = record_type.model_validate({'name': 'Odile Sarn', **fields})

    assert 0 <= record.confidence <= 1
    assert all(number > 0 for number in record.sources)
    assert record_type.model_validate_json(record.model_dump_json()) == record


def test_the_schema_asks_for_every_field_and_says_nothing_of_the_program() -> None:
    assert Records[NPCData].__name__ == 'NPCDataRecords'
    schema = Records[NPCData].model_json_schema()
    definitions = schema.pop('$defs')
    assert schema == {
        'properties': {'records': {'items': {'$ref': '#/$defs/NPCData'}, 'type': 'array'}},
        'required': ['records'],
        'type': 'object',
    }
    for each in definitions.values():
        assert each.pop('required') == list(each['properties'])
        assert each.pop('type') == 'object'
    assert definitions == snapshot(
        {
            'NPCData': {
                'properties': {
                    'name': {'type': 'string'},
                    'title': {'type': 'string'},
                    'kind': {'type': 'string'},
                    'role': {'type': 'string'},
                    'faction': {'type': 'string'},
                    'location': {'type': 'string'},
                    'level': {'type': 'string'},
                    'status': {'type': 'string'},
                    'quests': {'items': {'type': 'string'}, 'type': 'array'},
                    'relations': {'items': {'$ref': '#/$defs/Relation'}, 'type': 'array'},
                    'confidence': {'type': 'number'},
                    'sources': {'items': {'type': 'integer'}, 'type': 'array'},
                }
            },
            'Relation': {
                'properties': {
                    'kind': {'type': 'string'},
                    'target': {'type': 'string'},
                    'detail': {'type': 'string'},
                    'sources': {'items': {'type': 'integer'}, 'type': 'array'},
                }
            },
        }
    )


def test_the_fields_of_the_categories() -> None:
    own = {each.__name__: [*each.model_fields.keys() - Record.model_fields.keys()] for each in RECORDS.values()}
    assert {name: sorted(fields) for name, fields in own.items()} == snapshot(
        {
            'ZoneData': ['dates', 'game', 'history', 'level_range', 'region', 'settlements', 'terrain'],
            'NPCData': ['faction', 'kind', 'level', 'location', 'quests', 'role', 'status', 'title'],
            'FactionData': ['allies', 'enemies', 'founded', 'goals', 'leader', 'members', 'seat'],
            'LoreData': ['cause', 'date', 'outcome', 'participants', 'places', 'summary'],
            'NarrativeItemData': ['kind', 'location', 'obtained', 'owner', 'quests', 'text'],
        }
    )


def test_what_stands_on_no_page_is_dropped_and_sources_are_put_right() -> None:
    verified = verify(
        [
            npc(sources=[1, 9], confidence=0.9, relations=[{'kind': 'leads', 'target': 'the Ash Circle'}, 'Mara Quill', 'Hobs Weir']),
            NPCData(name='Brannoc Tull', sources=[2], confidence=1.0, relations=[Relation(kind='slew', target='Odile Sarn', sources=[3])]),
            NPCData(name='Mara Quill', sources=[1]),
            NPCData(name='Odile Sar', sources=[1]),
            NPCData(name=' ?! '),
        ],
        PAGES,
        TEXTS,
    )  # fmt: skip

    assert verified.records == snapshot(
        [
            NPCData(
                name='Odile Sarn',
                relations=[
                    Relation(kind='leads', target='the Ash Circle', sources=[1]),
                    Relation(target='Hobs Weir', sources=[1]),
                ],
                confidence=0.54,
                sources=[1],
            ),
            NPCData(
                name='Brannoc Tull',
                relations=[Relation(kind='slew', target='Odile Sarn', sources=[3])],
                confidence=0.3,
                sources=[3],
            ),
        ]
    )
    assert verified.dropped == 3


def test_the_confidence_is_weighed_by_the_best_verified_source() -> None:
    for sources, expected in (([3], 0.24), ([3, 1], 0.48), ([3, 2], 0.8)):
        [record] = verify([npc(sources=sources, confidence=0.8)], PAGES, TEXTS).records
        assert record.confidence == expected
    # The most trusted first.
    assert verify([npc(sources=[3, 1, 2])], PAGES, TEXTS).records[0].sources == [2, 1, 3]


def test_at_most_three_pages_are_put_the_most_trusted_first() -> None:
    pages = [*PAGES, page(4, 'D', 'primary', 0.8), page(5, 'E', 'secondary', 0.6)]
    [record] = verify([npc(sources=[8])], pages, {**TEXTS, 4: 'Odile Sarn', 5: 'Odile Sarn'}).records

    assert record.sources == [2, 4, 1]


@pytest.mark.parametrize(
    ('name', 'pages'),
    [
        ('odile  SARN', (2, 1, 3)),
        ('Odile Sarn (NPC)', (2, 1, 3)),
        ('Odile Sarn (reeve)', (1,)),
        ('The Ash Circle', (2, 1)),
        ("Hob's Weir", (1,)),
        ('Reed-Bell', (2,)),
        ('Sarn', (2, 1, 3)),
        ('Sar', ()),
        ('Guild Tide', ()),
        ('the', (2, 1)),
        ('Odile Tull', ()),
        ('', ()),
        ('2', ()),
    ],
)
def test_a_name_stands_where_its_words_stand(name: str, pages: tuple[int, ...]) -> None:
    assert index_of(TEXTS).naming(name) == pages


def test_parts_of_a_name_here_and_there_are_not_the_name() -> None:
    scattered = 'A red reed. The reed bell. Fred reed bells.'

    assert index_of({1: scattered}).naming('Red Reed Bell') == ()
    assert index_of({1: scattered, 3: 'The red, reed\nbell.'}).naming('Red Reed Bell') == (3,)


def test_a_name_in_a_script_without_spaces_stands_within_its_sentence() -> None:
    assert index_of({1: '霧沼の奥に灰環がある。'}).naming('灰環') == (1,)
    assert index_of({1: 'Straße in Ödmoor'}).naming('STRASSE in O\u0308dmoor') == (1,)


def test_the_records_that_are_verified_do_not_change() -> None:
    record = npc(sources=[9], relations=['Ash Circle'])
    before = record.model_copy(deep=True)
    verify([record], PAGES, TEXTS)

    assert record == before


@given(
    st.lists(st.sampled_from([1, 2, 3, 4, 99]), max_size=4),
    st.floats(0, 1),
    st.sampled_from(['Mirefold', 'Tide Guild', 'Nix']),
)
def test_what_is_kept_names_its_record_on_every_source(sources: list[int], confidence: float, name: str) -> None:
    given_record = ZoneData(name=name, sources=sources, confidence=confidence)
    verified = verify([given_record], PAGES, TEXTS)

    assert len(verified.records) + verified.dropped == 1
    for record in verified.records:
        assert record.sources
        assert all(name_key(name) in name_key(TEXTS[number]) for number in record.sources)
        assert record.confidence <= round(given_record.confidence, 2)  # which is rounded, too
