"""Texts in JSON, as what they say."""

import json

from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from summarizer_tool.formats.data_texts import texts_of
from summarizer_tool.formats.reading import plain_text

_TEXT = 'The gate of the mill was opened by hand.\n\n' * 12


def test_documents_stand_below_their_titles() -> None:
    document = {'title': 'The gate', 'tags': ['mill', 'gate'], 'body': _TEXT}
    assert plain_text(json.dumps([document, {'title': 'The wheel', 'body': 'Lost.'}])).replace(
        _TEXT.strip(), '(its text)'
    ) == snapshot("""\
# The gate
tags: ["mill", "gate"]

(its text)

# The wheel
body: Lost.
""")
    assert plain_text(json.dumps(document)).startswith('# The gate\n')


def test_nothing_around_documents_is_lost() -> None:
    pages = [{'title': f'Page {at}', 'body': _TEXT} for at in range(3)]
    read = plain_text(json.dumps({'site': 'mill', 'about': {'since': 1871}, 'pages': pages}))
    assert read.startswith('site: mill\n\nabout: {"since": 1871}\n\n# Page 0\n')


@given(st.text(alphabet='\r\n\t\0\ufeff",;:{}[]<>/!-=aA1 \u2028é') | st.text())
def test_any_text_can_be_looked_at(text: str) -> None:
    assert isinstance(plain_text(text), str)
    for name in ('a.csv', 'a.json', 'a.xml', 'NEWS.Debian'):
        assert isinstance(plain_text(text, name), str)


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(), lambda of: st.lists(of) | st.dictionaries(st.text(), of)
    )
)
def test_any_data_can_be_looked_at(value: object) -> None:
    assert isinstance(plain_text(json.dumps(value)), str)
    assert isinstance(texts_of(value), str)


def test_data_stays_data() -> None:
    """Logs say the same again and again, and of other data strings are the smaller part."""
    log = json.dumps([{'level': ('info', 'warn')[at % 2], 'msg': f'the gate {at} is open'} for at in range(20)])
    rows = json.dumps([{'gate': at, 'keeper': ('Ada', 'Tom')[at % 2], 'crates': [at] * 9} for at in range(20)])
    for text in (log, rows, '{"a": 1', '[]', '{}', '[1, 2]'):
        assert plain_text(text) == text
