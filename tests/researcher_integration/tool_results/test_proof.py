"""The proof of `make tool-results-proof`, small: what an agent with noisy tools gains."""

from collections.abc import Sequence

import pytest

from researcher_integration.tool_results.capability import SummarizeToolResults
from researcher_integration.tool_results.rules import ToolResultRules
from summarizer_tool.text import tokens
from tests.proofs.load.goals import Goals
from tests.proofs.tool_results.proof_agent import Analyst, Choice, Spent, first_lines, rare_lines
from tests.proofs.tool_results.proof_context import BY_THE_AGENTS_MODEL, KEYLESS, SETTINGS, investigate
from tests.proofs.tool_results.proof_cost import HAS_HARNESS, harness, kept
from tests.proofs.tool_results.proof_results import Result, results

pytestmark = pytest.mark.anyio

SMALL = results(0.1)


def sizes(some: Sequence[Result]) -> list[int]:
    return [tokens.count(result.text) for result in some]


@pytest.mark.parametrize(
    'rules',
    [pytest.param(KEYLESS, id='keyless'), pytest.param(BY_THE_AGENTS_MODEL, id='agent', marks=pytest.mark.slow)],
)
async def test_the_context_stays_small_and_details_are_found(rules: ToolResultRules) -> None:
    goals = Goals()
    analyst = Analyst([result.tool for result in SMALL])
    right = await investigate(analyst, SMALL, rules, details=10, goals=goals, how='small')
    assert right == 10
    assert not goals.missed
    assert analyst.largest < 16_000 < 5 * 16_000 < sum(sizes(SMALL))


async def test_keyless_summaries_keep_what_is_planted_and_ask_no_model() -> None:
    share, spent = await kept(SummarizeToolResults(rules=KEYLESS, settings=SETTINGS), SMALL, first_lines)
    assert share >= 0.9
    assert spent == Spent()


@pytest.mark.skipif(not HAS_HARNESS, reason='pydantic-ai-harness is not installed')
@pytest.mark.parametrize('choose', [first_lines, pytest.param(rare_lines, marks=pytest.mark.slow)])
async def test_the_same_model_keeps_more_than_in_the_harness(choose: Choice) -> None:
    some = SMALL[:4]
    ours, spent = await kept(SummarizeToolResults(rules=BY_THE_AGENTS_MODEL, settings=SETTINGS), some, choose)
    theirs, spent_there = await kept(harness(), some, choose)
    assert spent_there.requests == len(some)  # it did summarize
    assert ours >= theirs
    assert spent.tokens_in < spent_there.tokens_in
