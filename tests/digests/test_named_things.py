"""Values that are unlike the others are told with the name of what they are of, in any form of text."""

import pytest

from summarizer_tool.digests.blocks import TextBlocks, line_names
from summarizer_tool.digests.digest import digest
from summarizer_tool.digests.places import OutputRecord, form
from summarizer_tool.digests.relevance import OutputPart, relevant
from summarizer_tool.digests.surprise import MISSING, surprising

ASKED = 'Is anything wrong or unusual here?'


def test_what_is_odd_in_yaml_is_told_with_its_name() -> None:
    text = 'boats:\n' + ''.join(
        f'- generateName: boat-\n  name: boat-{at}\n  leaks: {9 if at == 31 else 0}\n' for at in range(60)
    )
    assert 'boat-31: leaks=9' in digest(text, 400, focus=ASKED).text


def test_a_record_is_told_by_what_it_has_before_what_it_lacks() -> None:
    usual = [
        OutputRecord(
            '',
            name=f'boat {at}',
            fields=[('crew.mate', 'Ann'), ('crew.cook', 'Bea'), ('state', 'fine'), ('port', 'lee')],
        )
        for at in range(60)
    ]
    odd = [('crew.mate', MISSING), ('crew.cook', MISSING), ('state', 'stranded'), ('port', 'stranded')]
    [found] = surprising([*usual, OutputRecord('', name='boat 60', fields=odd)])
    assert found.text.index('stranded') < found.text.index('missing')


def test_words_in_quotes_vary_one_by_one() -> None:
    assert form('open "GET /pier/north HTTP/1.1" failed') == form('open "GET /mole/7 HTTP/1.1" failed')
    assert form('open "GET /pier" failed') != form('open "PUT /pier" failed')


def test_the_only_fatal_line_of_its_form_is_told_in_full() -> None:
    lines = [f'2026-01-01 00:00:{at % 60:02} INFO the tide is {at % 7} feet' for at in range(200)]
    lines[90] = f'2026-01-01 00:00:30 FATAL {"the lamp of the north pier is out and " * 5}nobody has lit it since'
    assert lines[90] in digest('\n'.join(lines), 300, focus=ASKED).text


def test_a_thing_that_is_asked_for_by_its_name_is_told() -> None:
    boats = [
        f'{{"name": "boat {at}, north", "keel": {{"wood": "oak-{at}"}}, "crew": {at % 5}, "mast": "m{at % 3}"}}'
        for at in range(60)
    ]
    found = digest(f'[{", ".join(boats)}]', 200, focus='What keel has boat 7, north?')
    assert 'boat 7, north: wood=oak-7' in found.text


def test_what_a_line_opens_is_told_with_it() -> None:
    lines = [f'lamp north_{at} {{\n    oil = {at * 13}\n    keeper = k{at}\n    wick = w{at}\n}}' for at in range(60)]
    assert 'lamp north_7 { oil = 91 keeper = k7 wick = w7' in digest('\n'.join(lines), 200, focus='lamp north_7?').text


def test_where_few_lines_stand_in_blocks_they_are_called_by_what_is_around_them() -> None:
    lines = ['-/+ pier "stone" "old" {', '      ~ size = 4', '    }', '  - pier "wood" "new" {', '      - size = 6']
    assert line_names(TextBlocks('', [''] * 5, ()), lines)[1::3] == ['stone.old', 'wood.new']


@pytest.mark.parametrize(
    ('block', 'told'),
    [
        pytest.param(
            'boat {{\n  id = "{at:08x}-0000-4000-8000-000000000000"\n  name = "boat-{at}"\n  leaks = {leaks}\n}}\n',
            'boat-31: leaks = 999',
            id='a name before an id',
        ),
    ],
)
def test_a_block_is_told_by_what_tells_it_apart(block: str, told: str) -> None:
    text = ''.join(block.format(at=at, leaks=999 if at == 31 else 0) for at in range(10, 60))
    assert told in digest(text, 400, focus=ASKED).text


def test_lines_of_a_section_are_called_by_it() -> None:
    sections = ''.join(f'[boat{at}]\nkeel = oak\nmast = {at * 13}\n' for at in range(30))
    assert 'boat17: keel=oak' in digest(sections, 200, focus='keel of boat17?').text


def test_what_a_line_opens_ends_where_it_is_closed() -> None:
    part = [OutputPart(text, depth=depth) for text, depth in (('lamp a {', 0), ('oil = 1', 4), ('lamp b {', 0))]
    (told,) = [each.text for each in relevant(part, 'lamp a', ()) if 'lamp a' in each.text]
    assert told == 'lamp a { oil = 1'
