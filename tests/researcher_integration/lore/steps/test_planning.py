"""Which page belongs to which step, and each step's share of tokens and limits."""

from decimal import Decimal
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from pydantic_ai.usage import RunUsage

from researcher_integration.lore import cli
from researcher_integration.lore.material import TOPIC_IDS, TopicId
from researcher_integration.lore.steps import planning
from researcher_integration.lore.topics import Limits, load_topics
from researcher_integration.usage import Spent
from summarizer_tool.text import tokens
from tests.support.research_world import page

TOPICS = load_topics(cli.CONFIG / 'research_topics.yml').topics


def assigned(texts: dict[str, str], zone: str = 'Kelderwick Fen') -> dict[TopicId, list[str]]:
    pages = [page(number, title, tokens=tokens.count(text)) for number, (title, text) in enumerate(texts.items(), 1)]
    titles = {each.source_id: each.title for each in pages}
    found = planning.assign(zone, pages, {each.source_id: texts[each.title] for each in pages}, TOPICS)
    return {topic: [titles[handle] for handle in handles] for topic, handles in found.items()}


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


@given(st.lists(st.integers(0, 100_000), min_size=5, max_size=5), st.integers(0, 30_000), st.booleans())
def test_the_steps_never_share_out_more_than_there_is(sizes: list[int], room: int, more_may_come: bool) -> None:
    tokens_of = dict(zip(TOPIC_IDS, sizes, strict=True))
    left = room
    for index, topic in enumerate(TOPICS):
        budget = planning.step_budget(topic, TOPICS[index + 1 :], left, tokens_of, more_may_come=more_may_come)
        assert 0 <= budget <= left
        left -= min(budget, sizes[index])
    if sum(sizes) >= room and not more_may_come and min(sizes) > room / 5:
        assert left <= 5  # nothing is wasted where there is enough to say


def test_what_a_step_leaves_is_there_for_the_later_ones() -> None:
    sizes: dict[TopicId, int] = dict.fromkeys(TOPIC_IDS, 10_000)
    first = planning.step_budget(TOPICS[0], TOPICS[1:], 20_000, sizes, more_may_come=False)
    used_little = planning.step_budget(TOPICS[1], TOPICS[2:], 20_000 - 1_000, sizes, more_may_come=False)
    assert (first, used_little) == snapshot((3200, 5428))


def budgets(sizes: dict[TopicId, int], *, more_may_come: bool) -> list[int]:
    """Of all steps, where each uses what it may."""
    found: list[int] = []
    for index, topic in enumerate(TOPICS):
        left = 20_000 - sum(found)
        found.append(planning.step_budget(topic, TOPICS[index + 1 :], left, sizes, more_may_come=more_may_come))
    return found


def test_a_step_without_given_pages_has_room_for_what_it_finds() -> None:
    sizes: dict[TopicId, int] = {**dict.fromkeys(TOPIC_IDS, 20_000), 'narrative_items': 0}
    assert budgets(sizes, more_may_come=True) == snapshot([3305, 5008, 4275, 5559, 1853])
    assert budgets(sizes, more_may_come=False) == snapshot([3809, 5714, 4762, 5715, 0])


def test_where_all_pages_are_still_to_be_found_the_steps_share_by_their_weight() -> None:
    assert budgets({}, more_may_come=True) == snapshot([3200, 4800, 4000, 4800, 3200])


def test_limits_of_a_step_are_its_share_of_what_is_left() -> None:
    limits = Limits(requests=100, input_tokens=50_000, output_tokens=None, cost=Decimal('2.00'))
    used = RunUsage(requests=20, input_tokens=10_000, output_tokens=5_000, cost=Decimal('0.50'))
    step = planning.step_limits(limits, used, share=1, shares_left=4)
    assert (step.request_limit, step.input_tokens_limit, step.output_tokens_limit, step.cost_limit) == snapshot(
        (40, 20000, None, Decimal('0.8750'))
    )
    last = planning.step_limits(limits, used, share=1, shares_left=1)
    assert (last.request_limit, last.cost_limit) == (100, Decimal('2.00'))
    over = planning.step_limits(limits, RunUsage(requests=120), share=1, shares_left=2)
    assert over.request_limit == 120  # no further request


def test_what_was_spent_between_two_counts() -> None:
    before = RunUsage(requests=2, input_tokens=100, cost=Decimal('0.1'))
    now = RunUsage(requests=5, input_tokens=150, output_tokens=7, cost=Decimal('0.4'))
    spent = Spent.of(now) - Spent.of(before)
    assert (spent.requests, spent.input_tokens, spent.output_tokens, spent.cost) == (3, 50, 7, Decimal('0.3'))
    assert (Spent.of(RunUsage(requests=1)) - Spent()).cost is None
    assert Spent() + spent == spent
