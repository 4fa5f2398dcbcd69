"""Ask stored pages a question and get the lines that answer it, word for word, with citations that were checked."""

import asyncio
from pathlib import Path

from summarizer_tool import (
    Document,
    Retriever,
    SearchRequest,
    Service,
    Settings,
    SourceStore,
    StatusRequest,
    Summarizer,
)

CRAWL = Path(__file__).parent / 'crawl'


async def main() -> None:
    with SourceStore() as store:
        collection = store.collection()
        for name in ('04-factions', '05-npcs', '08-quest-chain-the-ninth-sluice'):
            collection.add(Document((CRAWL / f'{name}.md').read_text(encoding='utf-8'), title=name))
        retriever = Retriever(Service(Summarizer(Settings(llm_model='extractive')), collection))
        # An AnswerRequest(url='https://example.org/wiki/Fen', query='Who ...?') fetches the page, and follows links.
        question = 'Who founded the Dykewardens, and who is their smith?'
        found = await retriever.run(SearchRequest(query=question, max_tokens=1200))
        print(found.text)
        print((await retriever.run(StatusRequest())).text)


asyncio.run(main())
