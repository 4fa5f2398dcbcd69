"""Compress a few pages for an extraction, and look at what was kept and where it stands in its source.

Run it in the repository, or beside its folder `examples`: `python examples/library.py`. Without LLM_MODEL or
OPENROUTER_API_KEY it needs neither key nor network.
"""

import asyncio
from pathlib import Path

from summarizer_tool import Document, Progress, Summarizer

CRAWL = Path(__file__).parent / 'crawl'


def told(progress: Progress) -> None:
    print(f'  {progress.message}')


async def main() -> None:
    pages = [Document(path.read_text(encoding='utf-8'), title=path.stem) for path in sorted(CRAWL.glob('0[3-5]*.md'))]
    titles = {page.id: page.title for page in pages}
    summary = await Summarizer().summarize_for_extraction(
        pages, 'who killed or betrayed whom, and when', max_output_tokens=500, on_progress=told
    )
    print(f'{summary.state}: {summary.stats.tokens_in} tokens to {summary.stats.tokens_out}, by {summary.stats.model}')
    for fact in summary.facts[:5]:
        [first, *_] = fact.evidence
        print(f'- {fact.text} [{titles[first.source_id]}, line {first.line}]')
    lost = summary.stats.dropped
    print(f'left out: {lost.over_budget} over the budget, {lost.duplicate} said twice, {lost.unsupported} unsupported')
    for part in summary.degraded:  # where a model has failed, and why
        print(f'degraded: {part.title}, lines {part.first_line} to {part.last_line}: {part.reason}')


asyncio.run(main())
