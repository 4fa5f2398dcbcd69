"""A research agent: it crawls pages, reads summaries of them, and writes notes that name their sources.

The agent's model is played by a function, so that this runs without a key. `lore-research` does a whole zone, with
extraction and conflicts between sources; `Research(...)` is the same from Python.
"""

import asyncio
from pathlib import Path

from pydantic_ai import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from researcher_integration import Crawler, LoreResearcher, StepDeps, load_tiers, load_topics
from summarizer_tool import Service, Settings, SourceStore, Summarizer, SummarizerToolset, count_tokens

CRAWL = Path(__file__).parent / 'crawl'


async def main() -> None:
    settings = Settings(llm_model='extractive')
    store = SourceStore()
    crawler = Crawler(Service(Summarizer(settings), store.collection()), load_tiers())

    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        """Ask for a summary of all pages, by their handles, and write notes."""
        read = [part.model_response_str() for part in messages[-1].parts if part.part_kind == 'tool-return']
        if read:
            print('tokens read:', [count_tokens(text) for text in read])
        if len(messages) > 1:
            return ModelResponse(parts=[TextPart('Abbess Merrowen Sile leads the Silt Choir [1].')])
        handles = [page.source_id for page in crawler.pages.values()]
        question = {'source_ids': handles, 'schema_hint': 'factions and their leaders', 'max_output_tokens': 400}
        return ModelResponse(parts=[ToolCallPart('summarize_for_extraction', question)])

    for name in ('04-factions.md', '05-npcs.md'):  # more comes by the agent's own tool, crawl_webpage(url)
        await crawler.crawl_file(CRAWL / name)
    researcher = LoreResearcher(FunctionModel(model), SummarizerToolset(settings=settings, store=store))
    [factions] = [topic for topic in load_topics().topics if topic.id == 'factions']
    found = await researcher.research('Kelderwick Fen', factions, StepDeps(crawler), budget=1000)
    print('notes:', found.notes)
    print('tokens crawled:', sum(page.tokens for page in crawler.pages.values()))
    store.close()


asyncio.run(main())
