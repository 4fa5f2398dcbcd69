"""What an agent reads of pages at the source: what the summary says of them that the briefs are made of."""

import re
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from typing import Any

from pydantic_ai import RunContext, ToolFailed
from pydantic_ai.exceptions import UsageLimitExceeded
from pydantic_ai.toolsets import ToolsetTool, WrapperToolset

from researcher_integration.lore.crawl.crawling import StepDeps
from researcher_integration.usage import limit_reached
from summarizer_tool import ConfigurationError, ExtractionRequest, SummarizerError, truncate_tokens

_HANDLE = re.compile(r'src_[0-9a-f]{12}')
_NOTHING_ELSE = re.compile(rf'\W*(?:(?:source://)?{_HANDLE.pattern}\W*)+')


@dataclass
class SummaryReading(WrapperToolset[StepDeps]):
    """The tools of the embedded model; but summaries of crawled pages are read from the one of all pages."""

    read: Callable[[Collection[str]], Awaitable[str]]
    """What that says of pages, which are named by their handles."""

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[StepDeps], tool: ToolsetTool[StepDeps]
    ) -> object:
        """Call a tool; where there is no summary, it has failed and says so."""
        asked = f'{tool_args.get("source_ids") or ""} {tool_args.get("content") or ""}'.lower()
        is_of_pages = name != 'read_source' and _NOTHING_ELSE.fullmatch(asked)
        wanted = {*_HANDLE.findall(asked)} if is_of_pages else set[str]()
        pages = {page.source_id for page in ctx.deps.crawler.numbered()}
        if not wanted or not wanted <= pages:
            return await super().call_tool(name, tool_args, ctx, tool)
        try:
            most = ExtractionRequest.of({'schema_hint': '', **tool_args}).max_output_tokens
            text = await self.read(wanted)
        except ConfigurationError:
            raise
        except SummarizerError as error:
            raise ToolFailed(str(error)) from error
        except UsageLimitExceeded as error:
            raise ToolFailed(f'there is no summary, for the limit of the summaries: {limit_reached(error)}') from error
        kept = truncate_tokens(text, most) if most else text
        return kept if kept == text else kept.rpartition('\n')[0]
