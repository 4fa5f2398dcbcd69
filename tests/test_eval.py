"""The figures of `make eval`: a few of its cases with the embedded model, and what its measures count."""

import asyncio

import pytest

from summarizer_tool import Summarizer
from tests.proofs.eval import gate, measures
from tests.proofs.eval.cases import Told
from tests.proofs.eval.shared import gold
from tests.proofs.eval.suite import LEAST, Figures, means, missed, small
from tests.support.map_models import make


@pytest.mark.parametrize(
    'groups', [pytest.param({'own', 'examples'}, id='own'), pytest.param(set(LEAST), id='all', marks=pytest.mark.slow)]
)
def test_a_few_cases_are_above_their_bounds(groups: set[str]) -> None:
    summarizer = Summarizer(make(default_chunk_size_tokens=8000))

    async def measure() -> dict[tuple[str, str], Figures]:
        return {(each.group, each.name): await each.measure(summarizer) for each in small() if each.group in groups}

    found = means(asyncio.run(measure()))
    assert missed(found) == []
    assert {'own', 'examples'} <= found.keys()


@pytest.mark.skipif(not gold(), reason='no crawl with gold relations beside the repository')
def test_the_gate_tells_true_from_changed() -> None:
    scores = gate.measure([each for each in gate.pages() if each.is_reported][:3])
    assert scores.balanced >= LEAST['gate']['balanced']
    assert scores.true.share > 0.99
    assert scores.reworded.share > 0.98


def test_a_figure_under_its_bound_is_told() -> None:
    assert missed({'own': {'found': 0.5, 'clean': 1.0}, 'other': {'found': 0.0}}) == [
        'own: found is 0.500, under 0.950'
    ]


def test_whole_sentences_begin_end_and_have_a_verb() -> None:
    text = """# Heading
Ada Brook founded the Tide Guild in 1840.
- Morn: She led it for twelve years.
| a | b | c |
and the guild owned ships.
Ada Brook, Morn Keld, the Tide Guild.
It was founded by the"""
    assert measures.whole_sentences(text) == 2 / 5


def test_a_case_says_what_is_found_and_what_should_not_be_there() -> None:
    told = Told('case', [], 10, ['Ada', 'Morn'], ['cookies'])
    assert told.scores('ADA likes Cookies.') == {'found': 0.5, 'clean': 0.0}
