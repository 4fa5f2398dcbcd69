"""Start the MCP server as a client does, over stdio: summarize a text once, then ask about it by its handle.

For a server that is running, write `Client('http://127.0.0.1:8007/mcp')` in place of the two lines with `SERVER`.
"""

import asyncio
import sys
from pathlib import Path

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

CRAWL = Path(__file__).parent / 'crawl'

SERVER = StdioServerParameters(
    command=sys.executable,  # a client's configuration says "summarizer", and leaves out the first two arguments
    args=['-m', 'summarizer_tool', 'serve', '--transport', 'stdio', '--model', 'extractive'],
    env={'SUMMARIZER_STORE': ':memory:'},
)


async def main() -> None:
    async with Client(stdio_client(SERVER)) as client:
        print('tools:', *sorted(tool.name for tool in (await client.list_tools()).tools))
        text = (CRAWL / '03-history-and-timeline.md').read_text(encoding='utf-8')
        answer = await client.call_tool('summarize', {'content': text, 'max_output_tokens': 500})
        [handle] = answer.meta['summarizer/source_ids']
        print(answer.content[0].text.splitlines()[-1])  # names the handle, and what can be done with it

        question = {'content': '', 'source_ids': [handle], 'schema_hint': 'who betrayed whom'}  # sends no text
        answer = await client.call_tool('summarize_for_extraction', question)
        for name in ('state', 'tokens_in', 'tokens_out'):
            print(f'{name}:', answer.meta[f'summarizer/{name}'])

        answer = await client.call_tool('search', {'query': 'Who opened the Fourth Sluice?', 'max_tokens': 600})
        print(next(line for line in answer.content[0].text.splitlines() if line.startswith('[C1]')))


asyncio.run(main())
