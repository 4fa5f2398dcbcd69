"""What a step keeps of its pages, at the source and in the pipeline, and what it does when nobody summarizes."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from inline_snapshot import snapshot
from pydantic_ai.exceptions import UsageLimitExceeded
from pydantic_ai.usage import RunUsage

from researcher_integration.lore.crawl.researcher import SummaryTaken
from researcher_integration.lore.material import CrawledPage
from researcher_integration.lore.steps.step_summarizer import StepSummarizer, StepSummary
from researcher_integration.lore.summaries.backends import SourceSummary, SummaryUnavailableError
from summarizer_tool import RequestOptions
from summarizer_tool.text import tokens
from tests.support import research_world

pytestmark = pytest.mark.anyio


def page(number: int, size: int) -> CrawledPage:
    return research_world.page(number, tokens=size)


@dataclass
class Recorded:
    """A backend that fills each budget, notes what it was asked for, and fails for some pages."""

    fails_for: frozenset[str] = frozenset()
    error: Exception = field(default_factory=lambda: SummaryUnavailableError('the server is away'))
    asked: list[tuple[tuple[str, ...], int]] = field(default_factory=list[tuple[tuple[str, ...], int]])
    name: str = 'in process'

    async def condense(
        self, source_ids: Sequence[str], schema_hint: str, max_output_tokens: int, options: RequestOptions | None = None
    ) -> SourceSummary:
        self.asked.append((tuple(source_ids), max_output_tokens))
        if self.fails_for & set(source_ids):
            raise self.error
        text = 'fact ' * max_output_tokens
        text = tokens.truncate(text, max_output_tokens)
        return SourceSummary(
            text, 'complete', 0, tokens.count(text), RunUsage(requests=len(source_ids)), 0.1, 'a-model', (), 0
        )

    async def upload(self, source_id: str) -> None: ...

    def toolset(self) -> Any: ...


def keeper(backend: Recorded) -> StepSummarizer:
    return StepSummarizer(backend, 'names', RequestOptions(usage=RunUsage()))


def shown(kept: StepSummary) -> list[tuple[str, int, list[str]]]:
    return [(block.kind, block.tokens, [handle[-1] for handle in block.source_ids]) for block in kept.blocks]


async def test_in_the_pipeline_all_pages_of_a_step_are_one_request() -> None:
    backend = Recorded()
    kept = await keeper(backend).in_pipeline([page(1, 9000), page(2, 500)], 'Two pages were read.', 1000)
    assert shown(kept) == snapshot([('notes', 5, []), ('summary', 995, ['1', '2'])])
    assert kept.tokens <= 1000
    assert (kept.state, kept.model, kept.spent.requests, kept.warnings) == ('summarized', 'a-model', 2, ())


async def test_at_the_source_each_large_page_gets_its_share_and_small_ones_stay() -> None:
    backend = Recorded()
    kept = await keeper(backend).at_source([page(1, 9000), page(2, 300), page(3, 3000)], '', 1500)
    assert shown(kept) == snapshot([('summary', 870, ['1']), ('page', 300, ['2']), ('summary', 330, ['3'])])
    assert kept.tokens <= 1500
    assert kept.state == 'summarized'


async def test_what_the_agent_has_summarized_is_not_summarized_again() -> None:
    backend = Recorded()
    taken = SummaryTaken((page(1, 1).source_id,), 'Ansgar holds the bridge. ' * 20, RunUsage(requests=1))
    kept = await keeper(backend).at_source([page(1, 9000), page(2, 3000)], '', 1500, [taken])
    assert shown(kept) == snapshot([('summary', 141, ['1']), ('summary', 1359, ['2'])])
    assert backend.asked == snapshot([(('src_000000000002',), 1359)])
    assert kept.warnings == snapshot(('pages over 1,000 tokens that the agent left, summarized for it: 1',))


async def test_a_summary_asked_for_again_replaces_the_earlier_one() -> None:
    first = SummaryTaken((page(1, 1).source_id,), 'first', RunUsage())
    again = SummaryTaken((page(1, 1).source_id,), 'again', RunUsage())
    other = SummaryTaken((page(9, 1).source_id,), 'of a page that is not of this step', RunUsage())
    kept = await keeper(Recorded()).at_source([page(1, 9000)], '', 1500, [first, again, other])
    assert [block.text for block in kept.blocks] == ['again']


async def test_summaries_of_the_agent_that_leave_no_room_are_made_again_together() -> None:
    backend = Recorded()
    taken = SummaryTaken((page(1, 1).source_id,), 'Ansgar holds the bridge. ' * 400, RunUsage(requests=1))
    kept = await keeper(backend).at_source([page(1, 9000), page(2, 3000)], '', 1500, [taken])
    assert shown(kept) == snapshot([('summary', 1500, ['1', '2'])])
    assert kept.warnings == snapshot(
        (
            'the summaries made at the source had 2,801 tokens and left no room for the rest; all pages were summarized together',
        )
    )


@pytest.mark.parametrize(
    'error', [SummaryUnavailableError('the server is away'), UsageLimitExceeded('no more requests')]
)
async def test_without_a_summarizer_the_pages_stay_as_they_are(error: Exception) -> None:
    pages = [page(1, 9000), page(2, 3000)]
    backend = Recorded(frozenset({pages[1].source_id}), error)
    together = await keeper(backend).in_pipeline(pages, 'Notes.', 1000)
    assert (together.state, shown(together)) == snapshot(
        ('raw', [('notes', 2, []), ('page', 9000, ['1']), ('page', 3000, ['2'])])
    )
    assert len(together.warnings) == 1
    assert str(error).split('. ')[0] in together.warnings[0]
    apart = await keeper(backend).at_source(pages, 'Notes.', 1000)
    assert (apart.state, [(kind, handles) for kind, _, handles in shown(apart)]) == snapshot(
        ('raw', [('notes', []), ('summary', ['1']), ('page', ['2'])])
    )
    assert len(apart.warnings) == 1


async def test_a_step_without_pages_is_empty() -> None:
    for kept in (await keeper(Recorded()).in_pipeline([], '', 1000), await keeper(Recorded()).at_source([], '', 1000)):
        assert (kept.state, kept.blocks) == ('empty', ())
