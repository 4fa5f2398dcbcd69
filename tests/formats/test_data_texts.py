"""Texts and conversations in JSON, as what they say."""

import json

from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from summarizer_tool.formats.data_texts import texts_of
from summarizer_tool.formats.reading import plain_text

_TEXT = 'The gate of the mill was opened by hand.\n\n' * 12
_SAID = (
    ('ada', 'Shall we open the gate on Monday, or wait for the rain?'),
    ('tom', 'I would wait until it has been oiled.'),
    ('ada', 'It was oiled on 3 May, and it opens well.'),
    ('tom', 'Then I am fine with that.'),
)


def test_messages_are_turns() -> None:
    messages = [
        {'type': 'message', 'user': name, 'ts': f'{at}.0', 'text': text} for at, (name, text) in enumerate(_SAID)
    ]
    told = plain_text(json.dumps(messages), 'slack.json')
    assert told == snapshot("""\
ada: Shall we open the gate on Monday, or wait for the rain?

tom: I would wait until it has been oiled.

ada: It was oiled on 3 May, and it opens well.

tom: Then I am fine with that.
""")
    assert plain_text('\n'.join(map(json.dumps, messages))) == told
    assert plain_text(json.dumps({'ok': True, 'messages': messages}, indent=1)) == f'ok: true\n\n{told}'


def test_turns_say_when_and_where() -> None:
    rows = [
        {
            'user': name,
            'ts': f'{1709287200 + 20_000 * at}.000200',
            'channel': 'gate' if at < 2 else 'mill',
            'text': text,
        }
        for at, (name, text) in enumerate(_SAID)
    ]
    told = plain_text(json.dumps(rows))
    assert [line for line in told.split('\n') if line.startswith('#')] == [
        '## 2024-03-01 10:00, gate',
        '## 2024-03-01 21:06, mill',
        '## 2024-03-02 02:40, mill',
    ]


def test_numbers_and_states_are_no_times() -> None:
    """An id of ten digits or an address is no day, and no heading stands before each turn."""
    rows = [
        {
            'id': 1700000000 + 90_000 * at,
            'ip': f'1.2.3.{at}',
            'user': name,
            'state': ('open', 'shut')[at % 2],
            'text': text,
        }
        for at, (name, text) in enumerate(_SAID)
    ]
    assert '#' not in plain_text(json.dumps(rows))
    dated = [{**row, 'opened': '1.2.2024'} for row in rows]
    assert plain_text(json.dumps(dated)).startswith('## 1.2.2024\n\nada: ')
    assert plain_text(json.dumps(dated)).count('#') == 2


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


def test_nothing_around_documents_is_lost_and_a_broken_row_makes_no_table() -> None:
    pages = [{'title': f'Page {at}', 'body': _TEXT} for at in range(3)]
    read = plain_text(json.dumps({'site': 'mill', 'about': {'since': 1871}, 'pages': pages}))
    assert read.startswith('site: mill\n\nabout: {"since": 1871}\n\n# Page 0\n')

    rows = ''.join(
        f'{at},"I would wait for it, as the gate of the mill {name} is not oiled."\n'
        for at, name in enumerate('abcdefgh')
    )
    assert plain_text(f'id,said\n{rows}').startswith('# 0\n')
    assert plain_text(f'id,said\n{rows}9,lost,here\n') == f'id,said\n{rows}9,lost,here\n'


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
