"""Which lines and fields of machine output are about a question."""

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summarizer_tool.digests.digest import digest
from summarizer_tool.digests.relevance import OutputPart, relevances, relevant
from summarizer_tool.text import word_vectors
from summarizer_tool.text.tokens import count


@pytest.fixture(autouse=True)
def without_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    """What words mean is known where an extra is installed only."""
    monkeypatch.setattr(word_vectors, 'installed', lambda: None)


def gate_log() -> str:
    chance = random.Random(7)
    lines = [
        f'2026-03-{at // 60 + 1:02} 10:{at % 60:02}:07 gate[{at % 5}]: lock {at} filled in {chance.randint(20, 90)} s'
        for at in range(400)
    ]
    lines[171] = '2026-03-03 10:51:09 gate[2]: keeper took over the drawbridge after its motor failed'
    lines[230] = '2026-03-04 10:50:11 gate[4]: drawbridge raised for the barge Selkie'
    return '\n'.join(lines)


def test_of_a_log_the_lines_that_have_most_of_a_question_are_told_in_few_tokens() -> None:
    told = digest(gate_log(), 90, focus='Why did a keeper take over the drawbridge?').text
    assert told.startswith('172| 2026-03-03 10:51:09 gate[2]: keeper took over the drawbridge after its motor failed\n')
    assert 'barge Selkie' in told
    assert count(told) <= 90


def test_of_data_the_field_that_is_asked_for_is_told_with_the_name_of_its_thing() -> None:
    calls = {
        f'/gates/{at}': {'get': {'summary': f'State of gate {at}', 'description': 'Open to all keepers.'}}
        for at in range(30)
    }
    calls['/gates/12']['get']['description'] = 'Sunset 2027-03-31, old clients read /locks/12.'
    told = digest(json.dumps({'paths': calls}), 200, focus='Until when may old clients go on?').text
    assert '/gates/12: description=Sunset 2027-03-31, old clients read /locks/12.' in told


def test_what_all_parts_have_as_much_of_tells_nothing() -> None:
    parts = [OutputPart(f'lock {at} filled in 20 s', lines=(at,)) for at in range(1, 100)]
    assert not [*relevant(parts, 'How was the lock filled?', odd=())]
    parts[40] = OutputPart('lock 41 was never filled, its keeper slept', lines=(41,))
    assert [each.lines for each in relevant(parts, 'Which lock had no keeper?', odd=())] == [(41,)]


def test_of_many_lines_with_a_word_that_others_have_not_the_first_are_told_first() -> None:
    parts = [OutputPart(f'lock {at} filled by {"oar" if at % 3 else "keeper"}', lines=(at,)) for at in range(1, 100)]
    assert [each.lines for each in relevant(parts, 'Who was the keeper that did it?', odd=())][:2] == [(3,), (6,)]


def test_a_name_with_digits_is_found_whole_and_in_parts() -> None:
    scores = relevances(['user u31 left', 'user u4 left at 10:31', 'nothing here'], 'What about u31?')
    assert scores[0].score == max(each.score for each in scores.values()) == 1.0
    assert scores[1].score > scores[2].score


@given(st.lists(st.text(max_size=60), max_size=30), st.text(max_size=80))
def test_scores_are_shares_of_the_best(texts: list[str], question: str) -> None:
    scores = relevances(texts, question)
    assert all(0 <= each.score <= 1 and each.matched >= 0 for each in scores.values())
    assert scores.keys() <= {*range(len(texts))}


@pytest.mark.parametrize('sign', ['a', '[', ' ', '7', 'aB', 'a_1'])
def test_long_words_are_read_in_time_in_keeping_with_their_length(sign: str) -> None:
    assert relevances([sign * 200_000] * 3, sign * 200_000 + ' keeper') is not None
