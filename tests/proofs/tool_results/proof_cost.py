"""What summaries cost and keep, beside the `Summarize` band of pydantic-ai-harness on the same results and model."""

import importlib.util
from collections.abc import Sequence
from typing import Any

from pydantic_ai import Agent
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ModelMessage, ToolReturnPart

from researcher_integration.tool_results.capability import SummarizeToolResults
from tests.proofs.load.goals import Goals
from tests.proofs.tool_results.proof_agent import Analyst, Choice, Spent, alarming_lines, first_lines, rare_lines
from tests.proofs.tool_results.proof_context import ASK, BY_THE_AGENTS_MODEL, KEYLESS, SETTINGS, UNLIMITED
from tests.proofs.tool_results.proof_results import Result, toolsets

KEPT = 0.89
"""The share of the planted facts that keyless summaries keep, at least."""

HAS_HARNESS = importlib.util.find_spec('pydantic_ai_harness') is not None

_MODELS: dict[str, Choice] = {
    'a model that keeps what comes first': first_lines,
    'a model that keeps errors first, then warnings': alarming_lines,
    'a model that keeps first what is rare': rare_lines,
}


async def prove(goals: Goals, results: Sequence[Result]) -> None:
    """Summarize all results without a model, then on two models, by the capability and by the harness."""
    planted = sum(len(result.facts) for result in results)
    goals.note('planted', f'{planted} facts in {len(results)} results')
    share, spent = await kept(SummarizeToolResults(rules=KEYLESS, settings=SETTINGS), results, first_lines)
    goals.at_least('facts kept, keyless', share, KEPT)
    goals.so('keyless, no model is asked', is_so=spent.requests == 0)
    if not HAS_HARNESS:
        goals.skip('the harness', 'pydantic-ai-harness is not installed')
        return
    for name, choose in _MODELS.items():
        print(f'  {name}')
        ours, spent = await kept(SummarizeToolResults(rules=BY_THE_AGENTS_MODEL, settings=SETTINGS), results, choose)
        _note(goals, 'SummarizeToolResults', ours, spent)
        theirs, spent_there = await kept(harness(), results, choose)
        _note(goals, 'the band of the harness', theirs, spent_there)
        goals.at_least('share of the facts kept, beside that of the harness', ours, theirs)
        goals.at_most('input tokens, beside those of the harness', spent.tokens_in, spent_there.tokens_in, 'tokens')


def harness() -> AbstractCapability[Any]:
    """Its limits, with the same threshold."""
    from pydantic_ai_harness.tool_output_limits import Band, Summarize, ToolOutputLimits

    from summarizer_tool.text import tokens

    threshold = BY_THE_AGENTS_MODEL.defaults.summarization.size_threshold_tokens
    return ToolOutputLimits(bands=[Band(threshold, Summarize())], over_tokens=True, tokenizer=tokens.count)


async def kept(capability: AbstractCapability[Any], results: Sequence[Result], choose: Choice) -> tuple[float, Spent]:
    """Let an agent call all tools.

    Returns:
        The share of the facts that stand in what it was shown, and what the summaries have cost.
    """
    analyst = Analyst([result.tool for result in results], choose)
    with toolsets(results) as tools:
        run = await Agent(analyst.model, toolsets=tools, capabilities=[capability]).run(ASK, usage_limits=UNLIMITED)
    shown = _shown(run.all_messages())
    survived = sum(fact.survives(shown[result.tool]) for result in results for fact in result.facts)
    return survived / sum(len(result.facts) for result in results), analyst.spent


def _shown(messages: Sequence[ModelMessage]) -> dict[str, str]:
    """What the agent was shown, by tool; line ends in JSON are undone, so that words are whole."""
    parts = [part for message in messages for part in message.parts if isinstance(part, ToolReturnPart)]
    return {part.tool_name: part.model_response_str().replace('\\n', '\n') for part in parts}


def _note(goals: Goals, who: str, share: float, spent: Spent) -> None:
    goals.note(
        f'  {who}',
        f'{share:.3f} of the facts; {spent.requests} requests, {spent.tokens_in:,} tokens in (at most '
        f'{spent.largest:,} in one), {spent.tokens_out:,} out',
    )
