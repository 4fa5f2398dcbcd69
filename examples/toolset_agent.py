"""An agent that answers from long pages it never reads: it passes their handles to the summarizer's tools.

The agent's model is played by a function, so that this runs without a key; put a real one in its place, such as
`Agent('anthropic:claude-sonnet-4-5', ...)`, and leave `settings` out to have `LLM_MODEL` do the summaries.
"""

import asyncio
from pathlib import Path

from pydantic_ai import Agent, ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.usage import UsageLimits

from summarizer_tool import Document, Settings, SourceStore, SummarizerToolset, Summary

CRAWL = Path(__file__).parent / 'crawl'


def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """Ask for a summary, then for the lines behind it, then answer."""
    results = [part for message in messages for part in message.parts if part.part_kind == 'tool-return']
    question = messages[0].parts[0].content
    handles = [word.strip('.,') for word in str(question).split() if word.startswith('src_')]
    if not results:
        asked = {'source_ids': handles, 'schema_hint': 'factions and their leaders', 'max_output_tokens': 400}
        return ModelResponse(parts=[ToolCallPart('summarize_for_extraction', asked)])
    if len(results) == 1:
        return ModelResponse(parts=[ToolCallPart('search', {'query': 'Abbess Merrowen Sile', 'max_tokens': 600})])
    return ModelResponse(parts=[TextPart('Abbess Merrowen Sile leads the Silt Choir.')])


async def main() -> None:
    with SourceStore() as store:  # in memory; SourceStore('sources.sqlite3') keeps sources and finished work
        collection = store.collection()
        handles = [
            collection.add(Document(path.read_text(encoding='utf-8'), title=path.stem)).id
            for path in sorted(CRAWL.glob('0[45]*.md'))
        ]
        toolset = SummarizerToolset(settings=Settings(llm_model='extractive'), store=store)
        agent = Agent(FunctionModel(model), toolsets=[toolset])
        result = await agent.run(
            f'Who leads the Silt Choir? The pages are {", ".join(handles)}.',
            usage_limits=UsageLimits(request_limit=500),  # each chunk of a summary is a request of the run
        )
    for message in result.all_messages():
        for part in message.parts:
            if part.part_kind == 'tool-return':
                print(f'{part.tool_name}: {len(str(part.content))} characters for the model')
                if isinstance(part.metadata, Summary):
                    stats = part.metadata.stats
                    print(f'  {stats.tokens_in} tokens to {stats.tokens_out}, {len(part.metadata.facts)} facts')
    print(result.output)


asyncio.run(main())
