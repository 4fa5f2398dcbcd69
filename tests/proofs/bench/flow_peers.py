"""`make bench-peers`: one request beside LangChain's map_reduce and LlamaIndex's TreeSummarize, on one provider.

Each is asked for 5,000 tokens, from windows of 8,000, five calls at once. What the simulated model writes has the size
that it is asked for: how good a text is shows only with a model.
"""

import asyncio
import subprocess
import sys
import time
from pathlib import Path

from pydantic_ai.models import override_allow_model_requests

from summarizer_tool.text import tokens
from tests.proofs.bench.flow import AT_ONCE, BUDGET, RATE, WAIT, answer, document, own
from tests.support.provider import Provider, serve
from tests.support.replies import Behaviour

PEERS = {'LangChain map_reduce': 'of_langchain.py', 'LlamaIndex TreeSummarize': 'of_llama_index.py'}


def _line(way: str, seconds: float, provider: Provider, text: str) -> str:
    calls, size = len(provider.requests), tokens.count(text)
    tokens_in = sum(tokens.count(request.prompt) for request in provider.requests)
    return (
        f'| {way} | {seconds:.1f} | {calls} | {provider.max_concurrency_seen} | {tokens_in:,} | {size:,} '
        f'| {size / BUDGET:.2f} |'
    )


def main(python: str) -> None:
    text, behaviour = document(), Behaviour(answer, latency=WAIT, tokens_per_second=RATE)
    print(f'{tokens.count(text):,} tokens to {BUDGET:,}; {WAIT} s + tokens / {RATE:.0f} s a call')
    print('| Way | Seconds | Calls | at once | Tokens in | Tokens out | of the budget |')
    print('| --- | --: | --: | --: | --: | --: | --: |')
    with override_allow_model_requests(True), serve(behaviour) as provider:
        seconds, summary = asyncio.run(own(text, provider, max_concurrent_llm_calls=AT_ONCE))
    print(_line('this project', seconds, provider, summary.text), flush=True)
    for way, script in PEERS.items():
        with serve(behaviour) as provider:
            done = subprocess.run(
                [python, Path(__file__).with_name(script), provider.base_url, str(AT_ONCE), str(BUDGET)],
                input=text,
                stdout=subprocess.PIPE,
                text=True,
                check=True,
            )
            # What it takes to load a library is nothing that a request takes.
            seconds = time.monotonic() - min(request.received for request in provider.requests)
        print(_line(way, seconds, provider, done.stdout), flush=True)


main(sys.argv[1])
