"""When evidence is enough, how much it is worth, and what says nothing new."""

from hypothesis import given
from hypothesis import strategies as st

from summarizer_tool.documents.passage import Passage
from summarizer_tool.evidence.answer.sufficiency import judge
from summarizer_tool.evidence.search.results import Hit

QUESTION = 'How many blades has the runner of a Kaplan turbine?'


def hit(score: float, text: str = 'text', query: str = '', **more: object) -> Hit:
    return Hit(Passage(1, 'src_000000000001', 1, 1, 1, 0, (), text), score, query, **more)  # pyright: ignore[reportArgumentType]


def test_one_good_passage_counts_for_many_weak_ones() -> None:
    assert judge([hit(0.8)], [QUESTION]).score > judge([hit(0.3)] * 50, [QUESTION]).score > judge([], [QUESTION]).score


@given(st.lists(st.floats(0, 1), max_size=8), st.floats(0, 1))
def test_another_passage_never_makes_the_evidence_less(scores: list[float], more: float) -> None:
    before = judge([hit(value) for value in scores], [QUESTION])
    after = judge([hit(value) for value in (*scores, more)], [QUESTION])
    assert 0 <= before.score <= after.score
    assert after.is_enough or not before.is_enough


def test_enough_is_one_very_good_passage() -> None:
    assert judge([hit(0.76)], [QUESTION]).is_enough
    assert not judge([hit(0.74)], [QUESTION]).is_enough
    assert not judge([], [QUESTION]).is_enough
    assert not judge([], []).is_enough


def test_each_part_must_be_covered() -> None:
    parts = ['height of the dam', 'age of the mill']
    dam = hit(0.9, 'The dam is 40 m high.', parts[0])
    judged = judge([dam], parts)
    assert judged.best == (0.9, 0.0)
    assert judged.open_parts(parts) == parts[1:]
    assert not judged.is_enough
    assert judge([dam, hit(0.9, 'The mill dates from 1840.', parts[1])], parts).is_enough
    # A passage that was found for one part may hold all words of another; it is listed once.
    both = hit(0.9, 'The height of the dam is 40 m; the age of the mill is 90 years.', parts[0])
    assert judge([both], parts).best == (0.9, 0.9)


def test_a_passage_found_by_its_title_or_by_meaning_keeps_its_score() -> None:
    assert judge([hit(0.6, 'Five, of bronze.')], [QUESTION]).best == (0.6,)


def test_neighbours_count_for_nothing() -> None:
    assert judge([hit(0.9, is_adjacent=True)], [QUESTION]).score == 0
