"""The last step: choose among the facts for coverage per token, and write them as text that fills its budget.

The budget is a hard bound, counted exactly on the finished text.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import regex

from summarizer_tool.mapreduce.merging import GroundedFact, Place
from summarizer_tool.prompts import Focus
from summarizer_tool.text import names, scoring, tokens
from summarizer_tool.text.lines import one_line
from summarizer_tool.text.sentences import plain

MAX_LINE_WORDS = 55
"""Words in one line of text; statements about one subject share a line up to here."""

INDEX_SHARE = 0.095
"""At most this share of the text goes to names that no kept statement says."""

SLACK = 0.03
"""Share of the budget below which it is not worth trying one by one what might still fit."""

MAX_TITLE_CHARACTERS = 80
UNTITLED = 'Untitled'
_MAX_NAME_WORDS = 12
_MAX_TRIES = 100
_MIN_INDEX_ROOM = 24
_LEAST_NAME = 2  # tokens, its comma included
_INDEX_LEAD = 'Also named: '

NO_FOCUS = Focus()

# What may follow the subject for a statement to be said after "; ": a verb. Nouns, conjunctions and prepositions make
# the subject part of something else ("Vael and Morn fought", "Vael guards patrol"). A verb that could be a noun or an
# attribute must be followed by what cannot follow these.
_BE = r'(?:is|was|are|were|has|had|can|could|will|would|does|did|became|becomes|remains|remained)\b(?! by\b)'
_VERB = (
    r'(?:\p{Ll}{2,}ed|led|held|took|began|built|came|fell|fought|gave|grew|kept|knew|lost|made|met|ran|said|saw|sold|sent'
    r'|spoke|stood|taught|told|went|won|wrote|wore|rose|slew|drove|found|left|lives|leads|rules|holds|owns|serves|gives'
    r'|drops|requires|contains|belongs|lies|costs|sells|deals|grants|uses|makes|takes|keeps|hates|fears|knows|wants)'
)
_AFTER_VERB = (
    r'(?:the|a|an|his|her|its|their|in|on|at|to|from|with|as|for|over|under|into|after|before|until|against|all|no'
    r'|\d[\d,]*|\p{Lu}[\p{L}\p{M}’\'-]*)'
)
_PREDICATE = regex.compile(rf'\s+(?=(?:{_BE}|{_VERB}\s+{_AFTER_VERB}(?!\S*[:])(?:\b|\s)))')
# A statement with a second clause or sentence: what follows it would seem to be said of another subject.
_CLAUSES = regex.compile(
    r'[;:!?…]|\.(?=.)(?!\d)|\b(?:while|whereas|but|although|though|because|when|where|who|whom|whose|which|that|if|than)\b'
    rf'|\band\s+(?:the\s+)?(?:\p{{Lu}}\S*\s+)+(?:{_BE}|{_VERB}\b)'
)
_FACT_MARKS = regex.compile(r'^(?:(?:[#>]+|[*+-])\s+)+')
_TITLE_MARKS = regex.compile(r'^[#>*+\-\s=|`~]+|[#\s=|`~]+$')


@dataclass(frozen=True, slots=True)
class RenderedFacts:
    """The finished text and what it is made of."""

    text: str
    kept: list[int]
    """Indices of the facts in the text, in reading order."""
    entities: list[str]
    """Names listed after the statements, because none of these says them."""


@dataclass(frozen=True, slots=True)
class _Entry:
    """A fact, prepared for choosing and writing."""

    index: int
    place: Place
    """Where it stands in reading order."""
    text: str
    """The statement on one line, without list and heading marks before it."""
    subject: str
    """The name it begins with, if a simple predicate follows; statements that share it are written in one line."""
    predicate: str
    item: scoring.Item

    @property
    def least_cost(self) -> int:
        """Tokens that it costs if it shares a line."""
        return self.item.cost - self.item.subject_cost - 1


def fit(
    facts: Sequence[GroundedFact],
    answers: Sequence[Sequence[str]],
    titles: Sequence[str],
    budget: int,
    focus: Focus = NO_FOCUS,
) -> RenderedFacts:
    """Choose and write: never more than `budget` tokens, and as near to it as the facts allow.

    Args:
        facts: What there is to say, without duplicates.
        answers: The names that each chunk lists, most important first; worth listing where no chosen fact says them.
        titles: The title of each document, by index; written as a heading where there is more than one document.
        budget: Tokens, counted exactly.
        focus: What the caller wants kept.
    """
    relevance = scoring.relevances([fact.text for fact in facts], focus)
    entries = [_entry(index, fact, relevance[index]) for index, fact in enumerate(facts)]
    writer = _FactWriter(entries, _titled(entries, titles, budget))
    named = _Named(scoring.ranked_names(answers))
    room = int(budget * INDEX_SHARE) if any(answers) else 0
    index_room = room if room >= _MIN_INDEX_ROOM else 0
    headings = sum(tokens.count_cached(f'# {title}\n') for title in writer.titled.values())
    sayable = [entry.index for entry in entries if entry.text]
    items = [entries[index].item for index in sayable]
    order = [sayable[index] for index in scoring.choose(items, budget - index_room - headings, fill=True)]
    chosen = writer.trim(order, budget - index_room)
    # The index may be a tenth of the text, not of the budget.
    index_room = min(index_room, int(writer.count(chosen) * INDEX_SHARE / (1 - INDEX_SHARE)))
    used = named.unsaid([entries[index].text for index in chosen], index_room)
    while True:
        while used and writer.count(chosen, used) > budget:
            used = used[:-1]
        chosen = writer.extend(chosen, order, used, budget)
        # What the added facts say is no longer listed, which makes room for more.
        said = named.unsaid([entries[index].text for index in chosen], index_room, used)
        if said == used:
            break
        used = said
    return RenderedFacts(writer.write(chosen, used), writer.in_order(chosen), used)


def _entry(index: int, fact: GroundedFact, relevance: float) -> _Entry:
    text = _FACT_MARKS.sub('', one_line(fact.text))
    # The first line of its evidence may be the heading that its subject was taken from.
    document, segment = place = fact.evidence[-1]
    mentioned = names.mentions(text)
    subject = predicate = ''
    if mentioned and text.startswith(mentioned[0]) and (gap := _PREDICATE.match(text, len(mentioned[0]))):
        predicate = text[gap.end() :]
        if _CLAUSES.search(predicate.rstrip('.')):
            predicate = ''
        else:
            subject = mentioned[0]
    item = scoring.Item(
        cost=tokens.count_cached(text) + 1,
        names=tuple(dict.fromkeys(map(names.key, mentioned))),
        words=scoring.content_words(text),
        weight=scoring.fact_weight(fact.importance, relevance, is_filler=fact.is_filler),
        section=(document, names.key(subject) if subject else segment // 8),
        subject=(document, subject) if subject else None,
        subject_cost=tokens.count_cached(subject) if subject else 0,
    )
    return _Entry(index, place, text, subject, predicate, item)


def _titled(entries: Sequence[_Entry], titles: Sequence[str], budget: int) -> dict[int, str]:
    """The documents that get a heading: all of them, if there are several and the headings cost little."""
    if len(titles) < 2 or not any(map(_title, titles)):
        return {}
    present = sorted({entry.place[0] for entry in entries})
    # Without a heading of its own a document would seem to go on with the one before.
    headings = {index: _title(titles[index]) or UNTITLED for index in present}
    cost = sum(tokens.count_cached(f'# {title}\n') for title in headings.values())
    return headings if cost <= budget // 20 else {}


def _title(title: str) -> str:
    """An untrusted title as the text of one heading: no links, images, marks or line breaks."""
    text = _TITLE_MARKS.sub('', plain(one_line(title)))
    text = text.translate({ord(character): None for character in '<>[]`'}).strip()
    return text if len(text) <= MAX_TITLE_CHARACTERS else f'{text[:MAX_TITLE_CHARACTERS].rstrip()}…'


@dataclass(frozen=True, slots=True)
class _FactWriter:
    """Writes a choice of entries as text and counts it exactly."""

    entries: Sequence[_Entry]
    titled: dict[int, str]

    def write(self, chosen: Sequence[int], listed: Sequence[str] = ()) -> str:
        lines: list[str] = []
        document = -1
        subject = ''
        joined: list[str] = []

        def flush() -> None:
            if joined:
                lines.append(joined[0] if len(joined) == 1 else _join(joined))
            joined.clear()

        for index in self.in_order(chosen):
            entry = self.entries[index]
            if entry.place[0] != document:
                flush()
                document, subject = entry.place[0], ''
                if title := self.titled.get(document):
                    lines.append(f'# {title}')
            words = sum(len(part.split()) for part in joined) + len(entry.predicate.split())
            if joined and entry.subject and entry.subject == subject and words <= MAX_LINE_WORDS:
                joined.append(entry.predicate)
            else:
                flush()
                joined.append(entry.text)
                subject = entry.subject
        flush()
        lines += _index_lines(listed)
        return '\n'.join(lines)

    def in_order(self, chosen: Sequence[int]) -> list[int]:
        """The chosen in reading order."""
        return sorted(chosen, key=lambda index: (self.entries[index].place, index))

    def count(self, chosen: Sequence[int], listed: Sequence[str] = ()) -> int:
        return tokens.count(self.write(chosen, listed))

    def trim(self, order: Sequence[int], limit: int) -> list[int]:
        """The longest beginning of `order`, best first, whose text has at most `limit` tokens."""
        low, high = 0, len(order)
        if self.count(order) <= limit:
            return list(order)
        while low < high:
            middle = (low + high + 1) // 2
            if self.count(order[:middle]) <= limit:
                low = middle
            else:
                high = middle - 1
        return list(order[:low])

    def extend(self, chosen: list[int], order: Sequence[int], listed: Sequence[str], limit: int) -> list[int]:
        """Add what still fits: first the rest of `order`, then whatever else is short enough, by density.

        The costs are estimates (a shared line is cheaper, a broken one dearer); an exact count has the last word.
        """
        ranked = dict.fromkeys(order)
        others = [entry for entry in self.entries if entry.index not in ranked and entry.text]
        ranked.update(
            dict.fromkeys(entry.index for entry in sorted(others, key=lambda entry: entry.item.density, reverse=True))
        )
        taken = set(chosen)
        rest = [index for index in ranked if index not in taken]
        out = list(chosen)
        used = self.count(out, listed)
        tries = _MAX_TRIES
        while tries and used < limit:
            batch: list[int] = []
            left = limit - used
            for index in rest:
                if self.entries[index].item.cost <= left:
                    batch.append(index)
                    left -= self.entries[index].item.cost
            if not batch and limit - used > SLACK * limit:
                # In a line shared with others it may still fit.
                batch = [index for index in rest if self.entries[index].least_cost <= limit - used][:1]
            if not batch:
                break
            while (size := self.count([*out, *batch], listed)) > limit and len(batch) > 1:
                del batch[(len(batch) + 1) // 2 :]
            tries -= 1
            if size <= limit:
                out += batch
                used = size
            gone = set(batch)
            rest = [index for index in rest if index not in gone]
        return out


_FULL_STOP = regex.compile(r'(?<!\.)(?<!\.\p{L})(?<!\b\p{Lu})\.$')


def _join(parts: Sequence[str]) -> str:
    """Say `A is x.` and `was y.` as `A is x; was y.`."""
    line = '; '.join(_FULL_STOP.sub('', part) for part in parts)
    return line if line.endswith('.') else f'{line}.'


class _Named:
    """Names worth listing where no fact says them."""

    def __init__(self, entities: Sequence[str]) -> None:
        flat = dict.fromkeys(one_line(entity).strip(' ,;.') for entity in entities)
        self._words = {
            name: f' {" ".join(words)} '
            for name in flat
            if (words := names.words(name)) and len(name.split()) <= _MAX_NAME_WORDS
        }

    def unsaid(self, texts: Sequence[str], room: int, among: Sequence[str] | None = None) -> list[str]:
        """The first names that no text says, as many as have room as lines of text."""
        used: list[str] = []
        if room < _MIN_INDEX_ROOM:
            return used
        said = f' {" | ".join(" ".join(names.words(text)) for text in texts)} '
        left = room - 2
        words = MAX_LINE_WORDS
        for name in self._words if among is None else among:
            if left < _LEAST_NAME:
                break
            cost = tokens.count_cached(f' {name}') + 1
            length = len(name.split())
            begins = words + length > MAX_LINE_WORDS
            if begins:
                cost += tokens.count_cached(_INDEX_LEAD) + 1
            if cost > left or self._words[name] in said:
                continue
            words = len(_INDEX_LEAD.split()) + length if begins else words + length
            used.append(name)
            left -= cost
        return used


def _index_lines(entities: Sequence[str]) -> list[str]:
    """`Also named: A, B, C.`, in lines of at most `MAX_LINE_WORDS` words."""
    lines: list[list[str]] = []
    words = MAX_LINE_WORDS
    for entity in entities:
        size = len(entity.split())
        if words + size > MAX_LINE_WORDS:
            lines.append([])
            words = len(_INDEX_LEAD.split())
        lines[-1].append(entity)
        words += size
    return [f'{_INDEX_LEAD}{", ".join(line)}.' for line in lines]


def shorten(text: str, budget: int) -> str:
    """The beginning of `text` within `budget` tokens, with an ellipsis where it was cut: when not one fact fits."""
    if tokens.fits(text, budget):
        return text
    kept = tokens.truncate(text, max(0, budget - 1)).rstrip()
    while kept and tokens.count(f'{kept}…') > budget:
        kept = kept[: tokens.safe_cut(kept, len(kept) - 1)]
    return f'{kept}…' if kept else tokens.truncate(text, budget)
