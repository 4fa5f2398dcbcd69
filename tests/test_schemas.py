"""What models really return is taken as what they meant."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inline_snapshot import snapshot
from pydantic import JsonValue, ValidationError

from summarizer_tool.schemas import ChunkSummary, Fact, Part, Stats, Summary


def test_the_schema_a_model_sees() -> None:
    assert ChunkSummary.model_json_schema() == snapshot(
        {
            'properties': {
                'facts': {
                    'items': {
                        'properties': {
                            'evidence': {'items': {'type': 'integer'}, 'minItems': 1, 'type': 'array'},
                            'text': {'type': 'string'},
                            'importance': {'maximum': 5, 'minimum': 1, 'type': 'integer'},
                        },
                        'required': ['evidence', 'text', 'importance'],
                        'type': 'object',
                    },
                    'type': 'array',
                },
                'entities': {
                    'items': {'type': 'string'},
                    'type': 'array',
                },
            },
            'required': ['facts', 'entities'],
            'type': 'object',
        }
    )


@pytest.mark.parametrize(
    ('given_value', 'importance'),
    [(3, 3), (0, 1), (9, 5), (4.5, 4), ('high', 4), (' Critical ', 5), ('informative', 3), ('4', 4), ('4/5', 4), ('2.7', 3), (None, 3),
     (True, 3), ('whatever', 3), ([], 3), (math.inf, 5), (-math.inf, 1), (math.nan, 3), (10**400, 5)],
)  # fmt: skip
def test_importance(given_value: object, importance: int) -> None:
    assert Fact.model_validate({'text': 'x', 'importance': given_value}).importance == importance


@pytest.mark.parametrize(
    ('given_value', 'evidence'),
    [([3], [3]), (3, [3]), ('12', [12]), ('12-14', [12, 13, 14]), ('12–13', [12, 13]), (['3', 4.0], [3, 4]),
     ('lines 3, 4 and 9', [3, 4, 9]), ('[3]', [3]), (None, []), ([None, True, 3.5, {}, [1], 'x'], []), ('14-12', []),
     ('99999999999999999999', []), (math.inf, []), (['1-1000000'], list(range(1, 22))), ([-2], [-2])],
)  # fmt: skip
def test_evidence(given_value: object, evidence: list[int]) -> None:
    assert Fact.model_validate({'text': 'x', 'evidence': given_value}).evidence == evidence


def test_a_summary_of_odd_shape() -> None:
    answer = {
        'facts': ['Vael rules.', {'text': 'Morn is old.', 'extra': 1}],
        'entities': [{'name': 'Vael'}, None, 'Morn', 3],
    }

    assert ChunkSummary.model_validate(answer) == snapshot(
        ChunkSummary(facts=[Fact(text='Vael rules.'), Fact(text='Morn is old.')], entities=['Vael', 'Morn'])
    )
    assert ChunkSummary.model_validate({'facts': None, 'entities': None}) == ChunkSummary()
    assert ChunkSummary.model_validate({'facts': {'text': 'x'}, 'entities': 'Vael'}).entities == ['Vael']
    assert ChunkSummary.model_validate_json('{"facts":[{"text":"a","text":"b","importance":1e999}]}').facts == [
        Fact(text='b', importance=5)
    ]


@pytest.mark.parametrize('facts', ['prose', 3, [3], [{'importance': 3}], [{'text': None}], [{'text': ['x']}]])
def test_what_is_no_fact_is_an_error(facts: object) -> None:
    with pytest.raises(ValidationError):
        ChunkSummary.model_validate({'facts': facts})


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda children: st.lists(children, max_size=4) | st.dictionaries(st.text(max_size=5), children, max_size=4),
    max_leaves=12,
)


@settings(max_examples=30)
@given(JSON, JSON, JSON)
def test_no_value_breaks_validation(importance: JsonValue, evidence: JsonValue, entities: JsonValue) -> None:
    fact = {'text': 'x', 'importance': importance, 'evidence': evidence}
    summary = ChunkSummary.model_validate({'facts': [fact], 'entities': entities})

    assert 1 <= summary.facts[0].importance <= 5
    assert ChunkSummary.model_validate_json(summary.model_dump_json()) == summary


def test_a_summary_says_what_was_degraded_and_whether_it_is_over_budget() -> None:
    def part(state: str) -> Part:
        return Part.model_validate(
            {'source_id': 'src_0', 'title': '', 'first_segment': 1, 'last_segment': 1, 'first_line': 1, 'last_line': 1,
             'state': state}
        )  # fmt: skip

    stats = Stats(tokens_in=300, tokens_out=120, budget=100, model='m')
    summary = Summary(text='', state='original', parts=[part('summarized'), part('failed')], stats=stats)

    assert summary.over_budget
    assert summary.stats.ratio == 2.5
    assert [p.state for p in summary.degraded] == ['failed']
    assert not Stats.model_validate_json('{"tokens_in":9,"tokens_out":3,"budget":5,"model":""}').repeated_tokens
    assert Stats(tokens_in=0, tokens_out=0, budget=1, model='').ratio == 0
