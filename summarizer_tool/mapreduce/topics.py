"""Divide the facts of one reading among topics, each of which gets a text of its own. Pure computing."""

from collections.abc import Sequence
from dataclasses import replace

from summarizer_tool.documents.document import Document
from summarizer_tool.mapreduce import render, report
from summarizer_tool.mapreduce.audit import Inventory
from summarizer_tool.mapreduce.merging import GroundedFact
from summarizer_tool.mapreduce.render import RenderedFacts
from summarizer_tool.prompts import Focus, FocusTopic
from summarizer_tool.schemas import TopicSummary
from summarizer_tool.text import names, tokens
from summarizer_tool.text.relevance import is_met, relevant

CROWDED = 0.05
"""What a topic that has had its share still weighs, against 1 for one that has nothing: what only it wants is its."""

SECOND = 0.5
"""What a topic weighs that a model names second, against 1 for the one that it names first; the third half of that."""

OF_A_KIND = 0.03
"""How much any fact is about a topic that only names kinds of things, as `characters` and `dates`."""

ABOUT_ALL = 0.3
"""What relevance to the best of several topics counts, against relevance to a single one: together they ask for so
much that hardly a fact serves none, and what relevance gains one of them names and relations lose all."""

INDEX_SHARE = 0.1
"""At most this share of each text goes to names that no statement says: several topics ask for more of them."""

HEADING = '# {name}\n'
"""Over the text of a topic, where all are one text."""


def overhead(topics: Sequence[FocusTopic]) -> int:
    """Tokens that the headings of all topics take at most."""
    return sum(tokens.count(f'{HEADING.format(name=topic.name)}\n\n') + 1 for topic in topics)


def relevances(
    facts: Sequence[GroundedFact], topics: Sequence[FocusTopic], places: Sequence[Sequence[float]]
) -> list[list[float]]:
    """How much each fact is about each topic, from 0 to 1: those that a model has given topics about these.

    `places` says for each topic how much the place of each fact is about it. Of one that only names kinds are all.
    """
    said = [fact.text for fact in facts]
    found = [
        [OF_A_KIND] * len(said) if is_met((), topic.focus) else relevant(place, said, topic.focus)
        for topic, place in zip(topics, places, strict=True)
    ]
    for index, fact in enumerate(facts):
        if named := [number for number in fact.topics if 0 < number <= len(topics)]:
            for place, relevance in enumerate(found, 1):
                relevance[index] = SECOND ** named.index(place) if place in named else 0.0
    return found


def unmet(facts: Sequence[GroundedFact], texts: Sequence[str], topics: Sequence[FocusTopic]) -> list[FocusTopic]:
    """The topics that no model has given a fact, and of whose words none is in the texts; names of kinds are in all."""
    given = {number for fact in facts for number in fact.topics}
    said = [fact.text for fact in facts]
    return [
        topic
        for number, topic in enumerate(topics, 1)
        if number not in given
        and not any(is_met(each, focus) for each in (said, texts) for focus in (Focus.of('', topic.name), topic.focus))
    ]


def divide(
    costs: Sequence[int], relevance: Sequence[Sequence[float]], topics: Sequence[FocusTopic], is_wanted: Sequence[bool]
) -> list[int]:
    """Give each fact to the one topic that it serves best: the index of that.

    A topic whose words are everywhere counts for no more than one whose words are rare: what counts is how far a fact
    is above the average. The fuller a topic is, the less it weighs, so that what several want goes where there is room;
    so does what none wants. `costs` are tokens; a fact that is not wanted takes no room, and only fills what is left. A
    topic without a share gets nothing.
    """
    means = [sum(of_topic) / max(1, len(of_topic)) for of_topic in relevance]
    overall = sum(means) / max(1, len(means))
    scores = [
        [one / (mean + overall) if one else 0.0 for one in of_topic]
        for of_topic, mean in zip(relevance, means, strict=True)
    ]
    total = sum(cost for cost, wanted in zip(costs, is_wanted, strict=True) if wanted)
    shares = [topic.share / sum(each.share for each in topics) for topic in topics]
    used = [0] * len(topics)
    given = [0] * len(costs)
    best = [max(column) for column in zip(*scores, strict=True)]
    for index in sorted(range(len(costs)), key=lambda index: (not is_wanted[index], -best[index])):
        room = [1 - had / max(1.0, total * share) for had, share in zip(used, shares, strict=True)]
        given[index] = max(
            (topic for topic, share in enumerate(shares) if share),
            key=lambda topic: (scores[topic][index] * max(CROWDED, room[topic]), room[topic]),
        )
        if is_wanted[index]:
            used[given[index]] += costs[index]
    return given


def listed(
    answers: Sequence[Sequence[str]],
    inventory: Inventory,
    documents: Sequence[Document],
    segments: Sequence[Sequence[Sequence[float]]],
) -> list[list[list[str]]]:
    """The names that each chunk lists, for each topic: a name belongs to that spoken of where it stands first.

    `segments` says for each topic how much each segment of each document is about it.
    """
    place_of = {names.key(item.text): item.places[0] for item in inventory.items}

    def topic_of(number: int, name: str) -> int:
        place = place_of.get(names.key(name))
        found = [0.0] * len(segments)
        if place is not None:
            document, segment = place[0], documents[place[0]].segment_at(place[1]) - 1
            found = [of_topic[document][segment] for of_topic in segments]
        # What no topic speaks of is spread over all.
        return max(range(len(segments)), key=found.__getitem__) if any(found) else number % len(segments)

    out: list[list[list[str]]] = [[[] for _ in answers] for _ in segments]
    for chunk, answer in enumerate(answers):
        for number, name in enumerate(answer):
            out[topic_of(number, name)][chunk].append(name)
    return out


def fit(
    facts: Sequence[GroundedFact],
    answers: Sequence[Sequence[Sequence[str]]],
    titles: Sequence[str],
    budget: int,
    topics: Sequence[FocusTopic],
    places: Sequence[Sequence[float]],
    headings: Sequence[Sequence[str]] = (),
) -> list[RenderedFacts]:
    """Choose from all facts for the whole budget, divide what was chosen, and write each topic's text.

    `answers` are for each topic the names worth listing where no fact says them, by chunk; `places` how much the place
    of each fact is about it, `headings` what stands above each. The facts have no duplicates.
    """
    relevance = relevances(facts, topics, places)
    about = [ABOUT_ALL * max(column) for column in zip(*relevance, strict=True)]
    chosen = set(render.choose(facts, about, int(budget * (1 - INDEX_SHARE)), Focus(topics=tuple(topics))))
    said = f' {" ".join(names.words(" | ".join(facts[index].text for index in sorted(chosen))))} '
    costs = [tokens.count_cached(fact.text) + 1 for fact in facts]
    given = divide(costs, relevance, topics, [index in chosen for index in range(len(facts))])
    wanted = [sum(costs[index] for index in chosen if given[index] == topic) for topic in range(len(topics))]
    out: dict[int, RenderedFacts] = {}
    of_topic = [[index for index in range(len(facts)) if given[index] == topic] for topic in range(len(topics))]
    spare = [sum(costs[index] for index in own) / max(1, had) for own, had in zip(of_topic, wanted, strict=True)]
    left, rest = budget, sum(wanted)
    for place in sorted(range(len(topics)), key=spare.__getitem__):  # what one leaves is for those with more to say
        own = of_topic[place]
        rendered = render.fit(
            [facts[index] if index in chosen else replace(facts[index], is_filler=True) for index in own],
            [[name for name in each if f' {" ".join(names.words(name))} ' not in said] for each in answers[place]],
            titles,
            left * wanted[place] // max(1, rest),
            topics[place].focus,
            [places[place][index] for index in own],
            is_disputed=True,  # without the titles of its many documents nobody knows of which one a line is
            index_share=INDEX_SHARE,
            headings=[headings[index] for index in own] if headings else (),
        )
        left, rest = left - tokens.count(rendered.text), rest - wanted[place]
        out[place] = RenderedFacts(rendered.text, [own[index] for index in rendered.kept], rendered.entities)
    return [out[place] for place in range(len(topics))]


def joined(topics: Sequence[FocusTopic], rendered: Sequence[RenderedFacts]) -> RenderedFacts:
    """The texts of all topics as one, under their names."""
    said = [(topic, each) for topic, each in zip(topics, rendered, strict=True) if each.text]
    return RenderedFacts(
        '\n\n'.join(f'{HEADING.format(name=topic.name)}{each.text}' for topic, each in said),
        [index for _, each in said for index in each.kept],
        list(dict.fromkeys(name for _, each in said for name in each.entities)),
    )


def summaries(
    topics: Sequence[FocusTopic],
    rendered: Sequence[RenderedFacts],
    facts: Sequence[GroundedFact],
    documents: Sequence[Document],
) -> list[TopicSummary]:
    """The texts of all topics, as a caller gets them."""
    return [
        TopicSummary(
            name=topic.name,
            text=each.text,
            facts=[report.sourced(facts[index], documents) for index in each.kept],
            tokens_out=tokens.count(each.text),
        )
        for topic, each in zip(topics, rendered, strict=True)
    ]
