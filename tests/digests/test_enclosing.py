"""What lines of nested data are a part of."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from summarizer_tool.digests.enclosing import enclosing

BOATS = {
    'name': 'harbour',
    'boats': [
        {'metadata': {'name': 'selkie'}, 'status': {'phase': 'lost'}, 'licences': [{'licence': {'id': 'L-7'}}]},
    ],
    'paths': {'/gates/{at}': {'get': {'summary': 'all', 'answer': {'schema': {'title': 'Gates'}}}}},
}


def names(text: str, *lines: str) -> dict[str, str]:
    found = zip(text.split('\n'), enclosing(text.split('\n')), strict=True)
    return {line: name for whole, name in found for line in lines if line in whole}


def test_a_line_is_a_part_of_what_a_field_or_a_key_names() -> None:
    text = json.dumps(BOATS, indent=1)
    assert names(text, '"phase"', '"id"', '"summary"', '"title"', '"boats"') == snapshot(
        {
            '"boats"': '',
            '"phase"': 'selkie.status',
            '"id"': 'selkie.licence',
            '"summary"': '/gates/{at}.get',
            '"title"': 'answer.schema',
        }
    )
    yaml = '- kind: Boat\n  metadata:\n    name: selkie\n  status:\n    phase: lost\n- kind: Gate\n  width: 4\n'
    assert names(yaml, 'phase', 'width') == snapshot({'phase': 'selkie.status', 'width': ''})
    lent = '- author:\n    name: ada\n  draught: 3\n  title: Mend lock\n  state: failed\n'
    assert names(lent, 'draught', 'state') == snapshot({'draught': 'Mend lock', 'state': 'Mend lock'})
    xml = '<suite name="all">\n <case name="opens">\n  <failure>jammed</failure>\n </case>\n</suite>'
    assert names(xml, 'jammed') == snapshot({'jammed': 'opens'})


@given(st.lists(st.text(max_size=40), max_size=30))
def test_each_line_has_a_name_or_none(lines: list[str]) -> None:
    assert len(enclosing(lines)) == len(lines)


@pytest.mark.parametrize('sign', ['name', ' ', '"', '{', '- ', 'a:', '<'])
def test_long_and_deep_lines_are_read_in_time_in_keeping_with_their_length(sign: str) -> None:
    assert enclosing([sign * (200_000 // len(sign))] * 3) is not None
    assert enclosing([' ' * depth + '"a": {' for depth in range(2000)]) is not None


def test_a_name_goes_before_an_id() -> None:
    ids = '- id: 0c1f2e3d-4b5a-4c6d-8e7f-0123456789ab\n  name: selkie\n  draught: 3\n'
    assert names(ids, 'draught') == snapshot({'draught': 'selkie'})


def test_what_a_comment_says_names_nothing_and_ends_nothing() -> None:
    text = (
        'mill:\n  ## sails: of\n  sluice:\n    # - name: heron\n    #   key: otter\n    gate: oak\n# vats:\n'
        '    bolt: iron\n  // title: eel\n  wheel: elm\nquay:\n  rope: hemp\n'
    )
    lines = 'sails', 'heron', 'otter', 'gate', 'vats', 'bolt', 'eel', 'wheel', 'rope'
    assert names(text, *lines) == snapshot(
        {
            'sails': 'mill',
            'heron': 'mill.sluice',
            'otter': 'mill.sluice',
            'gate': 'mill.sluice',
            'vats': '',
            'bolt': 'mill.sluice',
            'eel': 'mill',
            'wheel': 'mill',
            'rope': 'quay',
        }
    )


def test_a_name_with_quotes_in_it_is_whole() -> None:
    assert names('[\n {\n  "title": "the \\"Heron\\" gate",\n  "oil": 3\n }\n]', 'oil') == snapshot(
        {'oil': 'the \\"Heron\\" gate'}
    )
