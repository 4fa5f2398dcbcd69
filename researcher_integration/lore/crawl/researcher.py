"""`LoreResearcher`: an agent that crawls pages about a zone and hands on what they say, without ever writing it out.

This is the file to copy for a research agent of another kind: the summarizer is one entry in `toolsets`, a page is
crawled by a tool that returns a handle, and everything else is instructions.
"""

import logging
import re
import time
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, cast

from pydantic import BaseModel, ConfigDict
from pydantic_ai import Agent, RunContext, ToolFailed, ToolReturn
from pydantic_ai.exceptions import UsageLimitExceeded, UserError
from pydantic_ai.models import Model
from pydantic_ai.models.instrumented import InstrumentationSettings
from pydantic_ai.toolsets import AbstractToolset, ToolsetTool, WrapperToolset
from pydantic_ai.usage import RunUsage, UsageLimits

from researcher_integration.lore.configuration import RAISED_BY, Topic
from researcher_integration.lore.crawl.crawling import StepDeps, crawl_tool
from researcher_integration.lore.material import titled
from researcher_integration.usage import Spent, limit_reached
from summarizer_tool import (
    ConfigurationError,
    Summary,
    defect_attributes,
    encodable,
    failure_reason,
    fill_prompt,
    load_prompt,
    one_line,
    register_tag,
    render_prompt,
    truncate_tokens,
    wrap_in_tag,
)

Way = Literal['at-source', 'in-pipeline']
"""Who summarizes: the agent, by tool, as soon as it has crawled something large; or the pipeline, after each step."""

SMALL_PAGE = 1000
"""Tokens up to which a page is kept as it is, at the source."""

MAX_NOTES = 800
"""Tokens of a report that are kept."""

NO_PAGE = '[of no page]'
"""What stands in a report for the number of a page that there is not."""

_CITATION = re.compile(r'\[\d+\](?!\()')
_logger = logging.getLogger('researcher_integration')

PAGES_TAG = register_tag('known_pages')
RESULT_TAG = register_tag('page_text')

_WHILE_IN_PIPELINE = frozenset({'read_source'})


class Findings(BaseModel):
    """The result of one step's agent run; the pages are in `StepDeps.asked`."""

    model_config = ConfigDict(frozen=True)

    notes: str
    spent: Spent
    """By the agent's runs."""
    warnings: tuple[str, ...]
    is_finished: bool
    """Whether it got to its report, rather than failing or reaching a limit on the way."""
    seconds: float = 0.0


class LoreResearcher:
    """Researches one topic of one zone at a time, on any pydantic-ai model."""

    def __init__(
        self,
        model: Model,
        summarizer: AbstractToolset[Any],
        *,
        way: Way = 'at-source',
        search: Sequence[AbstractToolset[Any]] = (),
        trace_content: bool = False,
    ) -> None:
        """Build the agent.

        Args:
            model: Calls the tools and writes the reports.
            summarizer: `SummarizerToolset()`, or the MCP server that has the same tools.
            way: Whether the agent summarizes; if not, it still can read the lines of a page.
            search: Toolsets that find pages, such as MCP servers.
            trace_content: Whether traces may hold prompts and answers.
        """
        if way == 'in-pipeline':
            summarizer = summarizer.filtered(lambda _, tool: tool.name in _WHILE_IN_PIPELINE)
            on_summaries = load_prompt('research/in_pipeline')
        else:
            on_summaries = render_prompt('research/at_source', small=f'{SMALL_PAGE:,}')
        self.agent = Agent(
            model,
            name='lore_researcher',
            deps_type=StepDeps,
            instructions=[load_prompt('research/researcher'), on_summaries],
            tools=[crawl_tool()],
            toolsets=[_SummaryTools(summarizer), *search],
        )
        # Pages stay out of the traces whatever the application instruments globally.
        self.agent.instrument = InstrumentationSettings(
            include_content=trace_content, include_binary_content=trace_content
        )

    async def research(
        self,
        zone: str,
        topic: Topic,
        deps: StepDeps,
        *,
        budget: int,
        usage: RunUsage | None = None,
        usage_limits: UsageLimits | None = None,
    ) -> Findings:
        """Gather pages about a topic, and report on them.

        A run that fails or reaches its limits ends the step, not the research: the pages it has crawled are there.

        Args:
            zone: Its name.
            topic: What to look for, in two phases.
            deps: The crawler, and the pages that the step begins with.
            budget: Tokens that the step may hand on.
            usage: Counts on, as that of the zone does.
            usage_limits: Of the step, against that count.
        """
        started, usage = time.monotonic(), RunUsage() if usage is None else usage
        before = copy(usage)
        warnings: list[str] = []
        notes = ''
        report = fill_prompt(topic.instructions.report, zone=one_line(zone))
        run = partial(self.agent.run, deps=deps, usage=usage, usage_limits=usage_limits)
        try:
            gathered = await run(_gather_request(zone, topic, deps, budget))
            asked = render_prompt('research/report_request', instructions=report)
            notes = (await run(asked, message_history=gathered.all_messages())).output
        except UsageLimitExceeded as error:
            warnings.append(f'the agent ended at its limit: {limit_reached(error)}; {RAISED_BY}')
        except (UserError, ConfigurationError):  # for the developer, as a wrong setting is
            raise
        except Exception as error:  # noqa: BLE001 - whatever a provider or a server raises, the step is kept
            _logger.warning('an agent failed', extra=defect_attributes(error))
            warnings.append(f'the agent failed: {failure_reason(error)}')
        notes = encodable(notes)  # half a character, which a model may write, goes into no file
        known = {f'[{page.number}]' for page in deps.crawler.numbered()}
        notes = _CITATION.sub(lambda cited: cited[0] if cited[0] in known else NO_PAGE, notes)
        return Findings(
            notes=truncate_tokens(notes.strip(), min(MAX_NOTES, budget // 4)),
            spent=usage - before,
            warnings=tuple(warnings),
            is_finished=not warnings,
            seconds=round(time.monotonic() - started, 2),
        )


def _gather_request(zone: str, topic: Topic, deps: StepDeps, budget: int) -> str:
    pages = deps.crawler.numbered()
    known = load_prompt('research/no_pages')
    if pages:
        here = dict.fromkeys(deps.asked, ', this step')
        lines = '\n'.join(
            f'[{page.number}] {page.source_id}, {page.tokens:,} tokens, {page.tier}{here.get(page.source_id, "")}: '
            f'{titled(page.title)}'
            for page in pages
        )
        known = render_prompt('research/known_pages', pages=wrap_in_tag(PAGES_TAG, f'\n{lines}\n'))
    return render_prompt(
        'research/gather_request',
        instructions=fill_prompt(topic.instructions.gather, zone=one_line(zone)),
        pages=known,
        budget=f'{budget:,}',
    )


@dataclass
class _SummaryTools(WrapperToolset[Any]):
    """Frame the results of the summarizer's tools as data, and keep whole pages out of the agent's context.

    These come back where every call of the summarizer's model fails.
    """

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[Any], tool: ToolsetTool[Any]
    ) -> object:
        """Call a tool; a result that is the original text is a failure."""
        result = cast('object', await super().call_tool(name, tool_args, ctx, tool))
        returned = cast('ToolReturn[Any]', result) if isinstance(result, ToolReturn) else ToolReturn(result)
        said = cast('object', returned.metadata)
        if isinstance(said, Summary) and said.state == 'original':
            raise ToolFailed('there is no summary, as every call of its model failed; the text is kept, so go on')
        return replace(returned, return_value=wrap_in_tag(RESULT_TAG, f'\n{returned.return_value}\n'))
