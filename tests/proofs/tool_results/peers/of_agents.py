"""Capabilities of pydantic-ai: an agent calls the tool that returns the text. Ours, or with `harness` those of the peer.

Summaries of a model are made by simulated ones, which only choose among the lines that they are given.
"""

import logging
import sys
from collections.abc import Callable, Mapping
from typing import Any

from pydantic_ai import Agent, Tool
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ToolReturnPart

from tests.proofs.tool_results.peers.ways import QUESTION, Way, show
from tests.proofs.tool_results.proof_agent import (
    SUMMARY_TOKENS,
    Analyst,
    Choice,
    alarming_lines,
    first_lines,
    rare_lines,
)

MODELS: Mapping[str, Choice] = {
    'a model that keeps what comes first': first_lines,
    'a model that keeps errors, then warnings': alarming_lines,
    'a model that keeps what is rare': rare_lines,
}

CHARACTERS = SUMMARY_TOKENS * 4
"""What is nearest to the limit where a peer counts characters."""

Capability = Callable[[], AbstractCapability[Any]]


def by(capability: Capability, choose: Choice = first_lines) -> Way:
    """A run of an agent for each text."""

    def way(text: str) -> str:
        analyst = Analyst(['look'], choose)
        agent = Agent(analyst.model, tools=[Tool(lambda: text, name='look')], capabilities=[capability()])
        parts = [part for message in agent.run_sync(QUESTION).all_messages() for part in message.parts]
        [shown] = [part for part in parts if isinstance(part, ToolReturnPart)]
        return shown.model_response_str()

    return way


def ours() -> Mapping[str, Way]:
    from researcher_integration.tool_results.capability import SummarizeToolResults
    from tests.proofs.tool_results.proof_context import BY_THE_AGENTS_MODEL, KEYLESS, SETTINGS

    asking = {
        f'SummarizeToolResults, {name}': by(
            lambda: SummarizeToolResults(rules=BY_THE_AGENTS_MODEL, settings=SETTINGS), choose
        )
        for name, choose in MODELS.items()
    }
    keyless = by(lambda: SummarizeToolResults(rules=KEYLESS, settings=SETTINGS))
    return {'SummarizeToolResults, without a model': keyless, **asking}


def harness() -> Mapping[str, Way]:
    from pydantic_ai_harness.tool_output_limits import (
        Band,
        LocalFileStore,
        Spill,
        Summarize,
        ToolOutputLimits,
        Truncate,
    )

    def limits(action: Any) -> Capability:
        return lambda: ToolOutputLimits(bands=[Band(CHARACTERS, action)], store=LocalFileStore())

    return {
        'pydantic-ai-harness, Truncate': by(limits(Truncate(max_chars=CHARACTERS))),
        'pydantic-ai-harness, Spill': by(limits(Spill(preview_chars=CHARACTERS))),
        **{
            f'pydantic-ai-harness, Summarize, {name}': by(limits(Summarize()), choose)
            for name, choose in MODELS.items()
        },
    }


if __name__ == '__main__':
    logging.disable(logging.WARNING)
    show(harness() if sys.argv[2:] == ['harness'] else ours())
