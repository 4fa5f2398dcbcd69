"""Who does how much: which given page belongs to which step, and each step's share of tokens and limits. All pure."""

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from math import ceil

from pydantic_ai.usage import RunUsage, UsageLimits

from researcher_integration.lore.material import CrawledPage, TopicId
from researcher_integration.lore.topics import Limits, Topic

TITLE_WEIGHT = 20.0
"""What a keyword in a title counts, in keywords of the text per 1,000 words."""

LEAST_SHARE = 100
"""Tokens that a step gets at least, however little its pages have."""

EXTRACTION_SHARE = 0.4
"""Of the limits of a zone: six requests of a full window each, and their repetitions."""

_WORD = re.compile(r'\w+')


def assign(
    zone: str, pages: Sequence[CrawledPage], texts: Mapping[str, str], topics: Sequence[Topic]
) -> dict[TopicId, list[str]]:
    """Assign each page to one topic by its keywords, so that no page is summarized twice.

    A topic whose keywords are everywhere counts for no more than one whose keywords are rare: what counts is how far a
    page is above the average of all. Where pages say nothing of any topic, they are spread evenly over the tokens.
    The page that is called as the zone is about the zone.
    """
    densities = {page.source_id: [_density(topic, page, texts[page.source_id]) for topic in topics] for page in pages}
    if not pages:
        return {topic.id: [] for topic in topics}
    sums = [sum(column) for column in zip(*densities.values(), strict=True)]
    overall = sum(sums) / len(sums) / len(pages)
    # One more page, average in everything: the average of a few pages says little of what is rare.
    means = [(one + overall) / (len(pages) + 1) for one in sums]
    assigned: dict[TopicId, list[str]] = {topic.id: [] for topic in topics}
    load = [0] * len(topics)
    for page in pages:
        scores = [
            density / mean if mean else 0.0 for density, mean in zip(densities[page.source_id], means, strict=True)
        ]
        best = max(scores)
        # Of topics that are about equal, the one that has least yet.
        near = [index for index, score in enumerate(scores) if score >= 0.9 * best]
        index = min(near, key=lambda candidate: (load[candidate], candidate))
        if _same(page.title, zone):
            index = next((each for each, topic in enumerate(topics) if topic.id == 'zone_overview'), index)
        load[index] += page.tokens
        assigned[topics[index].id].append(page.source_id)
    return assigned


def _same(title: str, zone: str) -> bool:
    return _WORD.findall(title.casefold()) == _WORD.findall(zone.casefold())


def _density(topic: Topic, page: CrawledPage, text: str) -> float:
    words = [word.casefold() for word in _WORD.findall(text)]
    keywords = {keyword.casefold() for keyword in topic.keywords}
    hits = sum(word in keywords or word.removesuffix('s') in keywords for word in words)
    title = {word.casefold() for word in _WORD.findall(page.title)}
    named = sum(keyword in title or f'{keyword}s' in title for keyword in keywords)
    return 1000 * hits / max(200, len(words)) + TITLE_WEIGHT * named


def step_budget(
    topic: Topic, later: Sequence[Topic], left: int, tokens: Mapping[TopicId, int], *, more_may_come: bool
) -> int:
    """The token budget of a step, out of the zone's remaining tokens.

    Steps share in proportion to their `share` and to the tokens of their pages. What a step does not use is there for
    the later ones. While more pages may come, each counts with at least the average.
    """
    known = {each.id: tokens.get(each.id, 0) for each in (topic, *later)}
    floor = max(1, ceil(sum(known.values()) / len(known))) if more_may_come else 0
    wanted = {each.id: max(known[each.id], floor) for each in (topic, *later)}
    weights = {each.id: each.share * wanted[each.id] for each in (topic, *later)}
    room = left
    while total := sum(weights.values()):
        share = int(room * weights.get(topic.id, 0.0) / total)
        # A step whose share is more than its pages have leaves the rest to the others.
        sated = [each for each, weight in weights.items() if wanted[each] * total <= room * weight]
        if topic.id in sated or not sated:
            return min(left, max(LEAST_SHARE, share))
        for each in sated:
            room -= wanted.pop(each)
            del weights[each]
    return min(left, LEAST_SHARE)


def step_limits(limits: Limits, used: RunUsage, share: float, shares_left: float) -> UsageLimits:
    """The usage limits of a step: its share of the zone's remaining limits."""
    part = min(1.0, share / shares_left) if shares_left > 0 else 1.0

    def up_to(limit: int | None, so_far: int) -> int | None:
        return None if limit is None else so_far + max(0, ceil((limit - so_far) * part))

    spent = used.cost or Decimal(0)
    return UsageLimits(
        request_limit=up_to(limits.requests, used.requests),
        input_tokens_limit=up_to(limits.input_tokens, used.input_tokens),
        output_tokens_limit=up_to(limits.output_tokens, used.output_tokens),
        cost_limit=None if limits.cost is None else spent + max(Decimal(0), (limits.cost - spent) * Decimal(str(part))),
    )


def extraction_share(topics: Sequence[Topic]) -> float:
    """The share of the extraction, beside those of the steps."""
    return sum(topic.share for topic in topics) * EXTRACTION_SHARE / (1 - EXTRACTION_SHARE)
