"""Keep a noisy tool out of an agent's context, and its secrets out of everything: `SummarizeToolResults`.

The agent's model is played by a function, so that this runs without a key; the summaries are made by the embedded one.
"""

import asyncio
import re

from pydantic_ai import Agent, ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from researcher_integration import SummarizeToolResults, Timeline, ToolResultRules


def read_log() -> str:
    """The log of the mill."""
    lines = [f'02:{n // 60:02}:{n % 60:02} INFO served /mill/{n * 7} in {20 + n % 9} ms' for n in range(3000)]
    lines[1703] = '02:28:23 ERROR sluice 7 did not close, vault password=Gull!Feather-93x'
    return '\n'.join(lines)


def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """Call the tool, look a detail up that its summary does not hold, and answer with it."""
    results = [part for message in messages for part in message.parts if part.part_kind == 'tool-return']
    if not results:
        return ModelResponse(parts=[ToolCallPart('read_log', {})])
    if len(results) == 1:
        [handle] = re.findall(r'src_\w+', results[0].content.splitlines()[0])
        return ModelResponse(parts=[ToolCallPart('search_source', {'source_id': handle, 'text': '/mill/11200 '})])
    return ModelResponse(parts=[TextPart(results[1].content.splitlines()[1])])  # the first line opens the frame


async def main() -> None:
    rules = ToolResultRules.model_validate({'defaults': {'model': 'extractive'}})  # left out: the agent's own model
    async with Timeline('night watch') as timeline:
        capability = SummarizeToolResults(rules=rules, timeline=timeline)
        agent = Agent(FunctionModel(model), tools=[read_log], capabilities=[capability])
        result = await agent.run('Did anything go wrong last night?')
    parts = [part for message in result.all_messages() for part in message.parts]
    assert not any('Gull!Feather' in str(part) for part in parts)  # and neither is it in the store or in the events
    print(next(part.content for part in parts if part.part_kind == 'tool-return'))
    print('\nThe agent looked up:', result.output)
    print('\nThe timeline:', *[event.type async for event in timeline.follow()])


asyncio.run(main())
