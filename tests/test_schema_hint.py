"""What a schema hint asks for, in whatever form it is given."""

import json

import pytest

from summarizer_tool import schema_hint
from summarizer_tool.prompts import Focus

BODY = {
    'type': 'object',
    'title': 'Body',
    'properties': {
        'name': {'type': 'string'},
        'quorum': {'type': ['number', 'null'], 'description': 'Votes needed'},
        'seats': {'type': 'array', 'items': {'type': 'object', 'properties': {'holder': {'type': 'string'}}}},
    },
    'required': ['name'],
}


@pytest.mark.parametrize(
    ('hint', 'words'),
    [
        (json.dumps(BODY), 'Body, name, quorum, Votes needed, seats, holder'),
        ('Bodies: {"type": "array", "items": {"$ref": "#/$defs/B"}, "$defs": {"B": {"properties": {"b": {}}}}}', 'Bodies: B, b'),
        ('{"title": "string", "type": "string"}', 'title, type'),
        ('{"name": "of the body", "seats": [{"holder": "string"}], "founded": 0}', 'name, of the body, seats, holder, founded'),
        ('["name", "quorum"]', 'name, quorum'),
        ('name, {x} and size', 'name, {x} and size'),
        ('[' * 100_000, '[' * 100_000),
    ],
)  # fmt: skip
def test_a_schema_asks_for_what_it_names(hint: str, words: str):
    assert schema_hint.words(hint) == words


def test_a_model_is_told_the_schema_and_a_search_its_words():
    focus = Focus.of('', json.dumps(BODY))
    assert '"type": "string"' in focus.render()['focus']
    assert focus.hint == 'Body, name, quorum, Votes needed, seats, holder'
