"""An agent calls twelve noisy tools, and is then asked for 20 details that the summaries do not hold."""

import json
import random
import re
from collections.abc import Sequence

from pydantic_ai import Agent
from pydantic_ai.usage import UsageLimits

from researcher_integration.tool_results.capability import SummarizeToolResults
from researcher_integration.tool_results.rules import ToolResultRules
from summarizer_tool import Settings
from tests.proofs.load.goals import Goals
from tests.proofs.tool_results.proof_agent import Analyst, Question
from tests.proofs.tool_results.proof_results import Result, toolsets

CONTEXT = 32_000
"""Tokens that an agent has, in this proof."""

WITHOUT = 500_000
"""Tokens that it would need at least."""

DETAILS = 20

SETTINGS = Settings(llm_model='extractive')
KEYLESS = ToolResultRules.model_validate({'defaults': {'model': 'extractive'}})
BY_THE_AGENTS_MODEL = ToolResultRules()

ASK = 'Is anything wrong in the harbour? Look everywhere.'

UNLIMITED = UsageLimits(request_limit=None)


async def prove(goals: Goals, results: Sequence[Result], *, details: int = DETAILS) -> None:
    """Run the agent without the capability, with it, and with it on the agent's own model."""
    bare = Analyst([result.tool for result in results])
    with toolsets(results) as tools:
        await Agent(bare.model, toolsets=tools).run(ASK)
    goals.at_least('largest context without summaries', bare.largest, WITHOUT, 'tokens')
    for how, rules in (('keyless', KEYLESS), ("with the agent's model", BY_THE_AGENTS_MODEL)):
        analyst = Analyst([result.tool for result in results])
        right = await investigate(analyst, results, rules, details=details, goals=goals, how=how)
        goals.at_least(f'details answered, {how}', right, details, f'of {details}')


async def investigate(
    analyst: Analyst, results: Sequence[Result], rules: ToolResultRules, *, details: int, goals: Goals, how: str
) -> int:
    """Let an agent call all tools, then ask it for details in the same conversation.

    Returns:
        How many of its answers are right.
    """
    capability = SummarizeToolResults[None](rules=rules, settings=SETTINGS)
    with toolsets(results) as tools:
        agent = Agent(analyst.model, toolsets=tools, capabilities=[capability])
        first = await agent.run(ASK, usage_limits=UNLIMITED)
        goals.at_most(f'largest context of {len(results)} calls, {how}', analyst.largest, CONTEXT, 'tokens')
        asked = questions(results, analyst.shown, details)
        prompt = '\n'.join(question.asked(number) for number, question in enumerate(asked, 1))
        second = await agent.run(prompt, message_history=first.all_messages(), usage_limits=UNLIMITED)
    goals.at_most(f'largest context after {len(asked)} questions, {how}', analyst.largest, CONTEXT, 'tokens')
    goals.note('requests of the agent and of the summaries', f'{analyst.requests}, {analyst.spent.requests}')
    return sum(
        line == f'{number}. {question.answer}'
        for number, (line, question) in enumerate(zip(second.output.split('\n'), asked, strict=True), 1)
    )


def questions(results: Sequence[Result], seen: str, number: int) -> list[Question]:
    """Ask for ordinary items of five results, of which nothing was seen.

    Args:
        results: Of the tools.
        seen: All that the agent has read; neither what is asked about nor the answer stands there.
        number: Of questions.
    """
    by_tool = {result.tool: result.text for result in results}
    kinds: list[list[Question]] = [
        [
            Question('read_harbour_log', 'bytes', key, answer)
            for key, answer in re.findall(r'manifest (\S+) saved bytes=(\d+)', by_tool['read_harbour_log'])
        ],
        [
            Question('list_pods', 'address', key, answer)
            for key, answer in re.findall(r'^\S+ +(\S+).*? (10\.\d+\.\d+\.\d+)', by_tool['list_pods'], re.MULTILINE)
        ],
        [
            Question('list_tenants', 'rows', key, answer)
            for key, answer in re.findall(r'^\| (tenant-\d+) .*\| (\d+) \|$', by_tool['list_tenants'], re.MULTILINE)
        ],
        [
            Question('list_shipments', 'uid', item['id'], item['uid'])
            for item in json.loads(by_tool['list_shipments'])['items']
        ],
        [
            Question('list_issues', 'login', item['title'], item['user']['login'])
            for item in json.loads(by_tool['list_issues'])
        ],
    ]
    rng = random.Random(7)
    asked: list[Question] = []
    for turn in range(number):
        own = kinds[turn % len(kinds)]
        free = [q for q in own if q not in asked and q.key not in seen and q.answer not in seen]
        asked.append(rng.choice(free))
    return asked
