"""Ask stored pages a question and get the lines that answer it, word for word, with citations that were checked."""

import asyncio
from pathlib import Path

from summarizer_tool import Document, Retriever, Service, Settings, SourceStore, Summarizer

CRAWL = Path(__file__).parent / 'crawl'


async def main() -> None:
    with SourceStore() as store:
        collection = store.collection()
        for name in ('04-factions', '05-npcs', '08-quest-chain-the-ninth-sluice'):
            collection.add(Document((CRAWL / f'{name}.md').read_text(encoding='utf-8'), title=name))
        retriever = Retriever(Service(Summarizer(Settings(llm_model='extractive')), collection))
        # await retriever.answer('https://example.org/wiki/Fen', 'Who ...?') fetches the page, and follows links.
        found = await retriever.search('Who founded the Dykewardens, and who is their smith?', max_tokens=1200)
        print(found.text)
        print((await retriever.status()).text)


asyncio.run(main())
