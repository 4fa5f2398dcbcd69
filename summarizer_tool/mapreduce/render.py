"""The last step: choose among the facts for coverage per token, and write them as text that fills its budget.

The budget is a hard bound, counted exactly on the finished text.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice

from summarizer_tool.extractive import gist
from summarizer_tool.mapreduce.fact_context import (
    INDEX_LEAD,
    TITLE_MARKS,
    FactEntry,
    below_headings,
    heading_lines,
    short_title,
    with_leads,
)
from summarizer_tool.mapreduce.merging import GroundedFact, are_disputed
from summarizer_tool.prompts import Focus
from summarizer_tool.text import names, scoring, tokens
from summarizer_tool.text.lines import one_line
from summarizer_tool.text.own_lines import as_line
from summarizer_tool.text.relevance import asked_values, relevances, relevant
from summarizer_tool.text.sentences import plain

MAX_LINE_WORDS = 55
"""Words in one line of names."""

INDEX_SHARE = 0.028
"""At most this share of the text goes to names that no kept statement says."""

TITLE_SHARE = 10
DISPUTED_SHARE = 3
"""The headings of documents may take the budget divided by this, the latter where these contradict each other."""

UNTITLED = 'Untitled'
_MAX_NAME_WORDS = 12
_MAX_TRIES = 100
_MIN_INDEX_ROOM = 24
_RULE = '***'
"""What ends a section whose heading is not above the next fact."""

NO_FOCUS = Focus()


@dataclass(frozen=True, slots=True)
class RenderedFacts:
    """The finished text and what it is made of."""

    text: str
    kept: list[int]
    """Indices of the facts in the text, in reading order."""
    entities: list[str]
    """Names listed after the statements, because none of these says them."""


SAID_BEFORE = 1.5
"""What a fact that the last summary has said weighs: enough that small changes elsewhere do not replace it."""


def fit(
    facts: Sequence[GroundedFact],
    answers: Sequence[Sequence[str]],
    titles: Sequence[str],
    budget: int,
    focus: Focus = NO_FOCUS,
    relevance: Sequence[float] = (),
    is_disputed: bool = False,
    said_before: frozenset[str] = frozenset(),
    index_share: float = INDEX_SHARE,
    headings: Sequence[Sequence[str]] = (),
) -> RenderedFacts:
    """Choose and write: never more than `budget` tokens, and as near to it as the facts allow.

    Args:
        facts: What there is to say, without duplicates.
        answers: The names that each chunk lists, most important first; worth listing where no chosen fact says them.
        titles: The title of each document, by index; written as a heading where there is more than one document.
        budget: Tokens, counted exactly.
        focus: What the caller wants kept.
        relevance: How much each fact is about it; by default as its words tell.
        is_disputed: Take it that documents contradict each other, so that the headings are worth more of the room.
        said_before: Facts that an earlier summary has said; they weigh more.
        index_share: How much of the text may list names that it does not say otherwise.
        headings: What stands above each fact.
    """
    aim = scoring.Aim.of(focus)
    said = [fact.text for fact in facts]
    above = [' '.join((*each[-2:], text)) for each, text in zip(headings, said, strict=True)] if headings else said
    relevance = relevant(relevance or relevances(said, focus), said, focus, above)
    weights = [SAID_BEFORE if fact.text in said_before else 1.0 for fact in facts]
    if aim is scoring.Aim.GIST and not gist.is_story(said):
        ends = [fact.evidence[-1] for fact in facts]
        last = dict(sorted(ends))  # the greatest segment of each document
        weights = [
            weight * scoring.beginning(segment / last[document])
            for weight, (document, segment) in zip(weights, ends, strict=True)
        ]
    language = scoring.language_of_texts(said)
    entries = [
        _entry(index, fact, relevance[index], focus, weights[index], aim, language) for index, fact in enumerate(facts)
    ]
    if headings:
        entries = (with_leads if aim is scoring.Aim.NAMES else below_headings)(entries, headings, titles)
    titled = _titled(entries, titles, budget // TITLE_SHARE)
    if len(titles) > 1 and not titled and (is_disputed or are_disputed(facts)):
        titled = _titled(entries, titles, budget // DISPUTED_SHARE)
    if len(titles) > 1 and not titled:
        entries = [_owned(entry, titles) for entry in entries]
    writer = _FactWriter(entries, titled, is_led=aim is scoring.Aim.NAMES)
    listed = list(dict.fromkeys(one_line(name).strip(' ,;.') for name in scoring.ranked_names(answers)))
    room = int(budget * index_share) if any(answers) and aim is scoring.Aim.NAMES else 0
    index_room = room if room >= _MIN_INDEX_ROOM else 0
    titling = sum(tokens.count_cached(f'# {title}\n') for title in writer.titled.values())
    sayable = [entry.index for entry in entries if entry.text]
    items = [entries[index].item for index in sayable]
    order = [sayable[index] for index in scoring.choose(items, budget - index_room - titling, aim, fill=True)]
    chosen = writer.trim(order, budget - index_room)
    # The index may be a tenth of the text, not of the budget.
    index_room = min(index_room, int(writer.count(chosen) * index_share / (1 - index_share)))
    unsaid = _unsaid(listed, [entries[index].said for index in chosen] if index_room else [])
    used = _within([*islice(unsaid, index_room // 2)], index_room)  # a name has a token, and a comma
    while used and writer.count(chosen, used) > budget:
        used = used[:-1]
    chosen = writer.extend(chosen, order, used, budget)
    return RenderedFacts(writer.write(chosen, used), writer.in_order(chosen), used)


def choose(facts: Sequence[GroundedFact], relevance: Sequence[float], budget: int, focus: Focus) -> list[int]:
    """The facts that topics are best filled with in about so many tokens, best first; relevance from 0 to 1."""
    entries = [_entry(index, fact, relevance[index], focus, 1.0) for index, fact in enumerate(facts)]
    sayable = [entry.index for entry in entries if entry.text]
    return [sayable[index] for index in scoring.choose([entries[index].item for index in sayable], budget, fill=True)]


def _entry(
    index: int,
    fact: GroundedFact,
    relevance: float,
    focus: Focus,
    weight: float,
    aim: scoring.Aim = scoring.Aim.NAMES,
    language: str = 'en',
) -> FactEntry:
    text = as_line(fact.text)
    # The first line of its evidence may be the heading that its subject was taken from.
    document, segment = place = fact.evidence[-1]
    mentioned = (*map(names.key, names.mentions(text)), *(f'{document}:{each}' for each in asked_values(text, focus)))
    words = scoring.content_words(text, language)
    item = scoring.Item(
        cost=tokens.count_cached(text) + 1,
        names=tuple(dict.fromkeys(mentioned)),
        words=words,
        weight=weight * scoring.fact_weight(fact.importance, relevance, aim, is_filler=fact.is_filler),
        bonus=scoring.vital(fact.importance, words, aim),
        section=(document, segment // 8),
    )
    return FactEntry(index, place, text, item)


def _titled(entries: Sequence[FactEntry], titles: Sequence[str], room: int) -> dict[int, str]:
    """The documents that get a heading: all of them, if there are several and the headings cost little."""
    if len(titles) < 2 or not any(map(_title, titles)):
        return {}
    present = sorted({entry.place[0] for entry in entries})
    # Without a heading of its own a document would seem to go on with the one before.
    headings = {index: _title(titles[index]) or UNTITLED for index in present}
    cost = sum(tokens.count_cached(f'# {title}\n') for title in headings.values())
    return headings if cost <= room else {}


def _owned(entry: FactEntry, titles: Sequence[str]) -> FactEntry:
    """A row of a table, which seldom says whose it is, with the title of its document, which is not above it."""
    is_owned = entry.lead or not entry.text.startswith('|')
    return entry if is_owned else replace(entry, lead=_title(titles[entry.place[0]]))


def title_line(title: str) -> str:
    """The heading of a document in a text on several of them."""
    return f'# {_title(title) or UNTITLED}'


def _title(title: str) -> str:
    """An untrusted title as the text of one heading: no links, images, marks or line breaks."""
    text = TITLE_MARKS.sub('', plain(one_line(title)))
    return short_title(text.translate({ord(character): None for character in '<>[]`'}).strip())


@dataclass(frozen=True, slots=True)
class _FactWriter:
    """Writes a choice of entries as text and counts it exactly."""

    entries: Sequence[FactEntry]
    titled: dict[int, str]
    is_led: bool
    """Whether facts are told with leads, and not below headings."""

    def write(self, chosen: Sequence[int], listed: Sequence[str] = ()) -> str:
        return '\n'.join(self._lines(chosen, listed))

    def _lines(self, chosen: Sequence[int], listed: Sequence[str]) -> list[str]:
        lines: list[str] = []
        document = -1
        section: Sequence[str] = ()
        lead, is_below = '', False
        for index in self.in_order(chosen):
            entry = self.entries[index]
            if entry.place[0] != document:
                document, section, lead = entry.place[0], (), ''
                if title := self.titled.get(document):
                    lines.append(f'# {title}')
                    is_below = False
            if is_below and not entry.section:
                lines.append(_RULE)
            lines += [] if self.is_led else heading_lines(entry.section, section)
            is_below = bool(entry.section) and not self.is_led
            is_said = section and entry.section == section
            lines.append(entry.text if is_said or entry.lead == lead else entry.said)
            section, lead = entry.section, entry.lead
        return lines + _index_lines(listed)

    def in_order(self, chosen: Sequence[int]) -> list[int]:
        return sorted(chosen, key=lambda index: (self.entries[index].place, index))

    def count(self, chosen: Sequence[int], listed: Sequence[str] = ()) -> int:
        # No line begins with white space, so that their counts add up exactly.
        lines = self._lines(chosen, listed)
        counts = (tokens.count_cached(f'{line}\n') for line in lines[:-1])
        return sum(counts) + sum(map(tokens.count_cached, lines[-1:]))

    def trim(self, order: Sequence[int], limit: int) -> list[int]:
        """The longest beginning of `order`, best first, whose text has at most `limit` tokens."""
        if self.count(order) <= limit:
            return list(order)
        return list(order[: bisect_right(range(len(order)), limit, key=lambda size: self.count(order[:size])) - 1])

    def extend(self, chosen: list[int], order: Sequence[int], listed: Sequence[str], limit: int) -> list[int]:
        """Add what still fits: first the rest of `order`, then whatever else is short enough, by density.

        The costs are estimates (a shared line is cheaper, a broken one dearer); an exact count has the last word.
        """
        others = sorted((entry for entry in self.entries if entry.text), key=lambda entry: -entry.item.density)
        out, used, tries = dict.fromkeys(chosen), self.count(chosen, listed), 0
        for index in (*order, *(entry.index for entry in others)):
            if index in out or self.entries[index].item.cost > limit - used or tries == _MAX_TRIES:
                continue
            tries += 1
            if (size := self.count([*out, index], listed)) <= limit:
                out[index], used = None, size
        return [*out]


def _unsaid(listed: Sequence[str], texts: Sequence[str]) -> Iterator[str]:
    """The names that no text says, of those that are no sentences."""
    lines = [names.words(text) for text in texts]
    said, there = f' {" | ".join(map(" ".join, lines))} ', {*chain.from_iterable(lines)}
    for name in listed:
        words = names.words(name)
        is_said = there.issuperset(words) and f' {" ".join(words)} ' in said
        if words and not is_said and len(name.split()) <= _MAX_NAME_WORDS:
            yield name


def _within(listed: Sequence[str], room: int) -> list[str]:
    """The first names that have room as lines of text."""

    def cost(count: int) -> int:
        return sum(tokens.count(f'{line}\n') for line in _index_lines(listed[:count]))

    return list(listed[: bisect_right(range(1, len(listed) + 1), room, key=cost)])


def _index_lines(entities: Sequence[str]) -> list[str]:
    """`Also named: A, B, C.`, in lines of at most `MAX_LINE_WORDS` words."""
    lines: list[list[str]] = []
    words = MAX_LINE_WORDS
    for entity in entities:
        size = len(entity.split())
        if words + size > MAX_LINE_WORDS:
            lines.append([])
            words = len(INDEX_LEAD.split())
        lines[-1].append(entity)
        words += size
    return [f'{INDEX_LEAD}{", ".join(line)}.' for line in lines]


def shorten(text: str, budget: int) -> str:
    """The beginning of `text` within `budget` tokens, with an ellipsis where it was cut: when not one fact fits."""
    if tokens.fits(text, budget):
        return text
    kept = tokens.truncate(text, max(0, budget - 1)).rstrip()
    while kept and tokens.count(f'{kept}…') > budget:
        kept = kept[: tokens.safe_cut(kept, len(kept) - 1)]
    if text[len(kept) : len(kept) + 2].lstrip('.,')[:1].isdecimal() and kept[-1:].isdecimal():
        kept = kept.rstrip('0123456789.,').rstrip()  # a part of a number is another number
    if kept:
        return f'{kept}…'
    cut = tokens.truncate(text, budget)
    return cut if any(map(str.isalnum, cut)) or not tokens.fits('…', budget) else '…'
