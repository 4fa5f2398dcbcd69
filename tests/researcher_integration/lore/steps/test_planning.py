"""Which page belongs to which step, and each step's share of tokens and limits."""

from decimal import Decimal
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from pydantic_ai.usage import RunUsage

from researcher_integration.lore import cli
from researcher_integration.lore.configuration import Limits, load_topics
from researcher_integration.lore.material import TOPIC_IDS, TopicId
from researcher_integration.lore.steps import planning
from summarizer_tool.text import tokens
from tests.support.research_world import page

TOPICS = load_topics(cli.CONFIG / 'research_topics.yml').topics


def assigned(texts: dict[str, str], zone: str = 'Kelderwick Fen') -> dict[TopicId, list[str]]:
    pages = [page(number, title, tokens=tokens.count(text)) for number, (title, text) in enumerate(texts.items(), 1)]
    titles = {each.source_id: each.title for each in pages}
    found = planning.assign(zone, pages, {each.number: texts[each.title] for each in pages}, TOPICS)
    return {topic: [titles[handle] for handle, owner in found.items() if owner == topic] for topic in TOPIC_IDS}


def test_each_page_of_the_sample_crawl_goes_to_one_step(crawl: dict[str, str]) -> None:
    assert assigned({Path(name).stem: text for name, text in crawl.items()}) == snapshot(
        {
            'zone_overview': ['01-zone-overview', '02-geography-and-creatures', '11-patch-notes'],
            'npcs': ['05-npcs', '12-data-and-api'],
            'factions': ['04-factions'],
            'lore': ['03-history-and-timeline', '08-quest-chain-the-ninth-sluice'],
            'narrative_items': [
                '06-sunken-minster',
                '07-tallowdeep',
                '09-items-and-lore-books',
                '10-crafting-and-trade',
            ],
        }
    )


def test_pages_that_say_nothing_of_any_topic_are_spread_evenly() -> None:
    texts = {f'Qwerty {number}': f'Xyzzy {number} plugh.' for number in range(10)}
    assert [len(titles) for titles in assigned(texts).values()] == [2, 2, 2, 2, 2]


def test_the_page_of_the_zone_goes_to_the_overview(crawl: dict[str, str]) -> None:
    texts = {'The Vants': 'Who leads the faction?', 'Kelderwick Fen': crawl['04-factions.md']}
    assert assigned(texts)['zone_overview'] == ['Kelderwick Fen']
    assert assigned(texts, 'Another Fen')['zone_overview'] == []


def test_no_pages() -> None:
    assert assigned({}) == {topic: [] for topic in TOPIC_IDS}


@given(st.lists(st.text(max_size=200), max_size=20, unique=True))
def test_every_page_has_exactly_one_step(texts: list[str]) -> None:
    found = assigned({text[:20] + str(number): text for number, text in enumerate(texts)})
    assert sorted(title for titles in found.values() for title in titles) == sorted(
        text[:20] + str(number) for number, text in enumerate(texts)
    )


def test_steps_share_the_room_by_their_weight() -> None:
    assert [planning.step_budget(topic, TOPICS, 20_000) for topic in TOPICS] == snapshot([3200, 4800, 4000, 4800, 3200])


def test_an_agent_that_spends_all_it_may_leaves_the_summaries_their_share() -> None:
    limits = Limits(requests=200)
    used = RunUsage()
    of_agents: list[int] = []
    for topic in TOPICS:
        allowed = planning.gathering_limits(limits, used, topic, TOPICS).request_limit
        assert allowed is not None
        of_agents.append(allowed - used.requests)
        used = RunUsage(requests=allowed)
    assert of_agents == snapshot([13, 20, 16, 20, 13])
    of_summaries = planning.summary_limits(limits, used).request_limit
    assert of_summaries is not None
    assert (used.requests, of_summaries, limits.requests) == snapshot((82, 79, 200))
    # What agents read at the source is out of that, too, and something is left for the summary in the end.
    at_source = planning.summary_limits(limits, None).request_limit
    assert at_source is not None
    assert (at_source, limits.requests - used.requests - of_summaries) == snapshot((60, 39))
    assert at_source < of_summaries
    assert planning.told(limits) == snapshot('calls at most: agents 80, summaries 80, extraction 40')


def test_limits_of_a_step_are_its_share_of_what_is_left() -> None:
    limits = Limits(requests=100, input_tokens=50_000, output_tokens=None, cost=Decimal('2.00'))
    used = RunUsage(requests=20, input_tokens=10_000, output_tokens=5_000, cost=Decimal('0.50'))
    step = planning.limits_left(limits, used, 1 / 4)
    assert (step.request_limit, step.input_tokens_limit, step.output_tokens_limit, step.cost_limit) == snapshot(
        (40, 20000, None, Decimal('0.8750'))
    )
    last = planning.limits_left(limits, used)
    assert (last.request_limit, last.cost_limit) == (100, Decimal('2.00'))
    over = planning.limits_left(limits, RunUsage(requests=120), 1 / 2)
    assert over.request_limit == 120  # no further request
