"""Who may spend how much of a zone's limits and tokens, and which step a page belongs to."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from pydantic_ai.usage import RunUsage, UsageLimits

from researcher_integration.lore.configuration import Limits, Topic
from researcher_integration.lore.material import CrawledPage, TopicId
from researcher_integration.usage import share_of

TITLE_WEIGHT = 20.0
"""What a keyword in a title counts, in keywords of the text per 1,000 words."""

AGENTS = 0.4
SUMMARIES = 0.4
EXTRACTION = 0.2
"""Of the limits of a zone: what each phase may spend. What one leaves is there for those after it, so that an agent
that goes round in circles costs its own share, and not that of the summaries."""

READING = 0.3
"""What agents may have of the summaries' share to read at the source: the one that the briefs are made of has more to
ask, and the extraction its own share."""

_WORD = re.compile(r'\w+')


def assign(
    zone: str, pages: Sequence[CrawledPage], texts: Mapping[int, str], topics: Sequence[Topic]
) -> dict[str, TopicId]:
    """Assign each page, by its handle, to the topic whose agent reads it first, and where it goes if it stays as it is.

    A topic whose keywords are everywhere counts for no more than one whose keywords are rare: what counts is how far a
    page is above the average of all. Where pages say nothing of any topic, they are spread evenly over the tokens.
    The page that is called as the zone is about the zone.
    """
    densities = [{topic.id: _density(topic, page, texts.get(page.number, '')) for topic in topics} for page in pages]
    sums: dict[TopicId, float] = {topic.id: sum(density[topic.id] for density in densities) for topic in topics}
    # One more page, average in everything: a few pages say little of what is rare.
    average = sum(sums.values()) / max(1, len(sums) * len(pages))
    assigned: dict[str, TopicId] = {}
    load = Counter[TopicId]()
    for page, density in zip(pages, densities, strict=True):
        scores: dict[TopicId, float] = {
            topic: density[topic] / (sums[topic] + average) if sums[topic] else 0.0 for topic in sums
        }
        # Of topics that are about equal, the one that has least yet.
        near: list[TopicId] = [topic for topic, score in scores.items() if score >= 0.9 * max(scores.values())]
        chosen: TopicId = min(near, key=lambda topic: load[topic])
        if _WORD.findall(page.title.casefold()) == _WORD.findall(zone.casefold()):
            chosen = 'zone_overview'
        load[chosen] += page.tokens
        assigned[page.source_id] = chosen
    return assigned


def _density(topic: Topic, page: CrawledPage, text: str) -> float:
    words = [word.casefold() for word in _WORD.findall(text)]
    keywords = {keyword.casefold() for keyword in topic.keywords}
    hits = sum(word in keywords or word.removesuffix('s') in keywords for word in words)
    title = {word.casefold() for word in _WORD.findall(page.title)}
    named = sum(keyword in title or f'{keyword}s' in title for keyword in keywords)
    return 1000 * hits / max(200, len(words)) + TITLE_WEIGHT * named


def step_budget(topic: Topic, topics: Sequence[Topic], room: int) -> int:
    """The share of a step in the tokens that all sections may have; what it does not need is there for the others."""
    return int(room * topic.share / sum(each.share for each in topics))


def limits_left(limits: Limits, used: RunUsage, share: float = 1.0, others: RunUsage | None = None) -> UsageLimits:
    """The usage limits for a share of what `used`, on which they are counted, and others leave of the zone's limits."""
    of_zone = UsageLimits(
        request_limit=limits.requests,
        input_tokens_limit=limits.input_tokens,
        output_tokens_limit=limits.output_tokens,
        cost_limit=limits.cost,
    )
    return share_of(of_zone, share, used, others=others, least=0)


def gathering_limits(limits: Limits, used: RunUsage, topic: Topic, topics: Sequence[Topic]) -> UsageLimits:
    """The usage limits of a step's agent: its share of what the agents of this step and the later ones may spend."""
    later = sum(each.share for each in topics[topics.index(topic) :])
    reserved = sum(each.share for each in topics) * (1 / AGENTS - 1)
    return limits_left(limits, used, topic.share / (later + reserved))


def summary_limits(limits: Limits, agents: RunUsage | None) -> UsageLimits:
    """The usage limits of all summaries: while agents read some, and once they have ended with what they have left."""
    if agents is None:
        return limits_left(limits, RunUsage(), READING)
    return limits_left(limits, RunUsage(), SUMMARIES / (SUMMARIES + EXTRACTION), agents)


def told(limits: Limits) -> str:
    """What each phase may spend, for a person."""
    phases = {'agents': AGENTS, 'summaries': SUMMARIES, 'extraction': EXTRACTION}
    return 'calls at most: ' + ', '.join(f'{name} {round(limits.requests * share)}' for name, share in phases.items())
