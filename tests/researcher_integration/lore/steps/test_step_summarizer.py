"""What the steps keep of the pages, from one summary for all topics, and what they do when nobody summarizes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pytest
from inline_snapshot import snapshot
from pydantic_ai.exceptions import UsageLimitExceeded

from researcher_integration.lore.checkpoint import Step
from researcher_integration.lore.configuration import load_topics
from researcher_integration.lore.material import TOPIC_IDS, CrawledPage, ResearchError, TopicId
from researcher_integration.lore.steps.step_summarizer import ZoneSummarizer
from researcher_integration.lore.summaries.backends import SourceSummary, SummaryUnavailableError
from summarizer_tool import RequestOptions, SummaryTopic
from summarizer_tool.text import tokens
from tests.support import research_world

pytestmark = pytest.mark.anyio

TOPICS = load_topics().topics


def page(number: int, size: int) -> CrawledPage:
    return research_world.page(number, tokens=size)


def handle(number: int) -> str:
    return page(number, 1).source_id


@dataclass
class Recorded:
    """A backend that fills each topic's share of a budget, notes what it was asked for, and may fail."""

    error: Exception | None = None
    asked: list[tuple[tuple[str, ...], int]] = field(default_factory=list[tuple[tuple[str, ...], int]])
    name: str = 'in process'

    async def condense(
        self,
        source_ids: Sequence[str],
        topics: Sequence[SummaryTopic],
        max_output_tokens: int,
        options: RequestOptions,
    ) -> SourceSummary:
        self.asked.append((tuple(source_ids), max_output_tokens))
        if self.error is not None:
            raise self.error
        share = max_output_tokens // len(topics)
        texts = {topic.name: tokens.truncate('fact ' * share, share) for topic in topics}
        return SourceSummary(texts, 'a-model', ())


async def keep(
    backend: Recorded,
    pages: Sequence[CrawledPage],
    room: int,
    assigned: Mapping[str, TopicId] | None = None,
    notes: Mapping[TopicId, str] | None = None,
) -> dict[TopicId, Step]:
    owned: Mapping[str, TopicId] = {page.source_id: 'npcs' for page in pages} if assigned is None else assigned
    summarizer = ZoneSummarizer(backend, Recorded(), TOPICS)
    kept, warnings = await summarizer.summarize(pages, room, owned, notes or {}, RequestOptions())
    assert warnings == ()
    return kept


def shown(kept: Step) -> tuple[str, str, int, int, list[str]]:
    """The state, the notes, the tokens of the summary, what is kept in all, and whose that is."""
    pages = [handle[-1] for handle in kept.pages]
    return kept.state, kept.notes, tokens.count(kept.summary), kept.tokens_kept, pages


async def test_all_pages_are_one_request_for_all_topics() -> None:
    backend = Recorded()
    kept = await keep(backend, [page(1, 9000), page(2, 500)], 1000, notes={'npcs': 'Two pages were read.'})
    assert backend.asked == snapshot([(('src_000000000001', 'src_000000000002'), 987)])
    assert {topic: shown(step) for topic, step in kept.items()} == snapshot(
        {
            'zone_overview': ('summarized', '', 197, 197, ['1', '2']),
            'npcs': ('summarized', 'Two pages were read.', 197, 202, ['1', '2']),
            'factions': ('summarized', '', 197, 197, ['1', '2']),
            'lore': ('summarized', '', 197, 197, ['1', '2']),
            'narrative_items': ('summarized', '', 197, 197, ['1', '2']),
        }
    )
    assert {step.state for step in kept.values()} == {'summarized'}
    assert {step.pages for step in kept.values()} == {(handle(1), handle(2))}
    assert sum(step.tokens_kept for step in kept.values()) <= 1000


async def test_what_fits_stays_as_it_is_in_one_step() -> None:
    backend = Recorded()
    kept = await keep(backend, [page(1, 300), page(2, 200)], 1000, {handle(1): 'npcs', handle(2): 'lore'})
    assert backend.asked == []
    assert {topic: shown(step) for topic, step in kept.items() if step.pages} == snapshot(
        {'npcs': ('unchanged', '', 0, 300, ['1']), 'lore': ('unchanged', '', 0, 200, ['2'])}
    )
    assert [kept[topic].state for topic in TOPIC_IDS] == snapshot(['empty', 'unchanged', 'empty', 'unchanged', 'empty'])


@pytest.mark.parametrize(
    'error', [SummaryUnavailableError('the server is away'), UsageLimitExceeded('no more requests')]
)
async def test_without_a_summarizer_the_embedded_model_reads_all_pages_for_all_topics(error: Exception) -> None:
    kept = await keep(Recorded(error), [page(1, 9000), page(2, 3000)], 1000, notes={'npcs': 'Notes.'})
    assert {topic: shown(step) for topic, step in kept.items()} == snapshot(
        {
            'zone_overview': ('degraded', '', 198, 198, ['1', '2']),
            'npcs': ('degraded', 'Notes.', 198, 200, ['1', '2']),
            'factions': ('degraded', '', 198, 198, ['1', '2']),
            'lore': ('degraded', '', 198, 198, ['1', '2']),
            'narrative_items': ('degraded', '', 198, 198, ['1', '2']),
        }
    )
    for step in kept.values():
        [warning] = step.warnings
        assert str(error).split('. ')[0] in warning


async def test_steps_without_pages_are_empty() -> None:
    kept = await keep(Recorded(), [], 1000)
    assert {shown(step)[:4] for step in kept.values()} == {('empty', '', 0, 0)}


async def test_what_the_embedded_model_cannot_summarize_ends_the_research() -> None:
    down = Recorded(SummaryUnavailableError('too large'))
    summarizer = ZoneSummarizer(down, down, TOPICS)
    with pytest.raises(ResearchError) as caught:
        await summarizer.summarize([page(1, 9000)], 5000, {}, {}, RequestOptions())
    assert str(caught.value) == snapshot(
        'the pages cannot be summarized: too large; mend that, and go on with --resume'
    )
