"""What is rare is told with the thing that it is of, and the same is not told again and again."""

import json

from summarizer_tool.digests.columns import describe
from summarizer_tool.digests.digest import digest
from summarizer_tool.digests.statements import DigestStatement, choose

ASKED = 'Is anything wrong or unusual here?'


def test_of_what_stands_once_what_went_wrong_comes_first() -> None:
    column = describe('state', [*['open'] * 34, 'a', 'b', 'c', 'd', 'e', 'failed'])
    assert column.text == 'open ×34, failed ×1, a ×1, b ×1, c ×1, d ×1, e ×1'


def test_sentences_with_as_many_commas_each_are_no_table() -> None:
    bills = ''.join(f'Bill {n}: {n * 7} marks, owed by Ada, due {n % 28} May.\n' for n in range(1, 40))
    assert digest(bills, 60).kind == 'log'


def test_what_says_the_same_again_gives_way_to_what_does_not() -> None:
    alike = [DigestStatement(f'the north sluice {n} did not close in time', 70.0, 'errors') for n in range(9)]
    other = DigestStatement('water in the cellar', 64.0, 'errors')
    told, _ = choose([*alike, other], 60)
    assert other.text in [each.text for each in told]


def test_all_that_is_odd_in_a_thing_is_told_in_a_line() -> None:
    boats = [{'boat': f'b{n}', 'mast': 'oak', 'crew': n % 5} for n in range(100)]
    boats[30] |= {'mast': 'tin', 'note': 'invalid permit', 'ballast': 'sand', 'sail': 'red'}
    told = digest(json.dumps(boats), 300, focus=ASKED).text
    assert 'b30: mast=tin (usually oak), note=invalid permit, ' in told
