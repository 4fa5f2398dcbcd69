"""How long a result of 300 kB takes, keyless: masked, stored, counted and summarized, in a run of an agent."""

import time

from pydantic_ai import Agent, Tool
from pydantic_ai.messages import ToolReturnPart

from researcher_integration.tool_results.capability import SummarizeToolResults
from summarizer_tool.text import tokens
from tests.proofs.load.goals import Goals
from tests.proofs.tool_results import noise, noise_held_out
from tests.proofs.tool_results.proof_agent import Analyst
from tests.proofs.tool_results.proof_context import ASK, KEYLESS, SETTINGS

SECONDS = 10.0
"""That the slowest may take; several times what it takes on a machine with nothing else to do."""


async def prove(goals: Goals) -> None:
    """Time one call of each kind."""
    slowest = 0.0
    for name, (text, _) in {
        'log': noise.logs(401, 3000, 18),
        'access log': noise_held_out.access_log(402, 2600, 16),
        'list of objects': noise.json_list(403, 760, 18),
        'table': noise.pods(404, 2300, 18),
    }.items():
        seconds, shown = await timed(text)
        slowest = max(slowest, seconds)
        size = f'{len(text) / 1000:.0f} kB, {tokens.count(text):,} tokens'
        goals.note(f'{name}, {size}', f'{seconds:.2f} s, {tokens.count(shown):,} tokens')
    goals.at_most('the slowest', slowest, SECONDS)


async def timed(text: str) -> tuple[float, str]:
    """Run an agent whose only tool returns a text.

    Returns:
        Seconds of the run, and what the agent was shown.
    """
    capability = SummarizeToolResults[None](rules=KEYLESS, settings=SETTINGS)
    agent = Agent(Analyst(['look']).model, tools=[Tool(lambda: text, name='look')], capabilities=[capability])
    started = time.perf_counter()
    run = await agent.run(ASK)
    seconds = time.perf_counter() - started
    [shown] = [p for message in run.all_messages() for p in message.parts if isinstance(p, ToolReturnPart)]
    return seconds, shown.model_response_str()
