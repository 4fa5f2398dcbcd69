"""Which passages of a collection are worth a closer look for a question: by the index alone, then by their words.

The time is bounded whatever the words are. Rare words are looked up; those that are nearly everywhere only tell apart
what the others have found, and where there are no others, some of their passages are taken from everywhere.
"""

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from summarizer_tool.documents.passage import Passage
from summarizer_tool.evidence.search import lookup, outdated
from summarizer_tool.evidence.search.results import Hit
from summarizer_tool.store import index
from summarizer_tool.store.connection import AMONG, Among, StoreConnection
from summarizer_tool.store.index import Span
from summarizer_tool.text import boilerplate_lines, passage_score
from summarizer_tool.text.passage_score import PassageWords
from summarizer_tool.text.ranking import WeighedQuestion, weigh
from summarizer_tool.text.terms import asked, words_of

DERIVED = 0.5
"""Weight of a word that only shares its beginning with one of the question, against 1 for that word."""

POINTING = 0.5
"""Share of its score that a passage keeps which only says where something stands."""

_COUNTED = 4000
"""Passages of a term that are counted; beyond, its number is estimated."""

GATHERED = 10_000
"""Passages that are looked up by the index, over all terms."""

_SKIMMED = 500
"""Passages with equal terms of which the better ones are found by a quick look."""

_FEW = 200
"""Under so many, the frequent terms are asked, too."""

_TOGETHER = 4
"""Frequent terms that are asked, the rarest ones."""

_AROUND = 3
"""Passages on each side of one that is found that are read with it."""

_SMALL = 500
"""Passages that are all read, to see where the question is spoken of: about 50,000 tokens."""

_BEST_READ = 4
"""Elsewhere only those around so many of the best are."""


@dataclass(frozen=True, slots=True)
class RankedPassages:
    """What the words of one question find."""

    scored: tuple[Hit, ...]
    """Best first."""
    matched: frozenset[int]
    """All that were found by the index."""
    read: Mapping[int, Hit]
    """By id those, and what was read around them."""


def weigh_questions(
    db: StoreConnection, collection: str, questions: Sequence[str], intent: str
) -> tuple[list[WeighedQuestion], dict[str, int]]:
    """Weigh the terms of questions by how many passages of the collection they are in, and give these numbers, too."""
    wanted, purpose = [asked(question) for question in questions], asked(intent)
    spans = index.spans_of(db, collection)
    terms = dict.fromkeys(term for each in (*wanted, purpose) for term in each.terms)
    frequencies = {term: lookup.frequency(db, term, spans, _COUNTED) for term in terms}
    passages = index.count_passages(db, collection)
    return [weigh(each, purpose, frequencies, passages) for each in wanted], frequencies


def rank_passages(
    db: StoreConnection,
    collection: str,
    text: str,
    question: WeighedQuestion,
    frequencies: Mapping[str, int],
    spans: Sequence[Span],
    most: int,
    also: Sequence[int] = (),
    without: Sequence[Span] = (),
) -> RankedPassages:
    """Rank the passages of some spans by the words of a question as `weigh_questions` gives it.

    The text of `most` of them is read, beside what stands around the best. `also` names passages to be scored, too,
    whatever words they have, if they are in the spans; `without` is where not to look for words, ascending.
    """
    found = _gathered(db, question, frequencies, spans, without)
    also = [row for row in also if _is_in(row, spans)]
    chosen = dict.fromkeys((*_best(db, found, question, most), *also))
    passages = index.passages(db, collection, [*chosen])
    scored = score_passages(db, collection, question, passages)
    best = heapq.nlargest(_BEST_READ, zip(scored, passages, strict=True), key=lambda each: each[0].score)
    near = _near([passage for _, passage in best], spans)
    others = index.passages(db, collection, [row for row in outdated.outside(near, without) if row not in chosen])
    scored += score_passages(db, collection, question, others)
    in_order = sorted(zip((*passages, *others), scored, strict=True), key=lambda each: each[0].id)
    passages = [passage for passage, _ in in_order]
    scored = [
        replace(each, is_apart=before is None or (before.id + 1, before.source_id) != (passage.id, passage.source_id))
        for before, (passage, each) in zip((None, *passages), in_order, strict=False)
    ]
    values = passage_score.values(scored, question.weights, text)
    ranked = [
        Hit(passage, each.score, value=value) for passage, each, value in zip(passages, scored, values, strict=True)
    ]
    kept = chosen.keys() - {each.passage.id for each in ranked if not each.score} | {*also}
    return RankedPassages(
        tuple(sorted((each for each in ranked if each.passage.id in kept), key=_order)),
        frozenset(found),
        {each.passage.id: each for each in ranked},
    )


def _near(best: Sequence[Passage], spans: Sequence[Span]) -> list[int]:
    """The ids of passages that are read for where they stand, ascending."""
    if sum(last - first + 1 for first, last in spans) <= _SMALL:
        return [row for first, last in spans for row in range(first, last + 1)]
    steps = range(-_AROUND, _AROUND + 1)
    return sorted({row for each in best for step in steps if _is_in(row := each.id + step, spans)})


def _is_in(row: int, spans: Sequence[Span]) -> bool:
    return any(first <= row <= last for first, last in spans)


def score_passages(
    db: StoreConnection, collection: str, question: WeighedQuestion, passages: Sequence[Passage]
) -> list[PassageWords]:
    """What each passage has of a question by its own words and the headings above it."""
    titles = index.titles(db, collection, {passage.source_id for passage in passages})
    read = [(passage, words_of(passage.text.casefold())) for passage in passages]
    found: list[PassageWords] = []
    for passage, words in read:
        score, counts = question.read(words, index.terms_above(passage, titles), passage.path)
        points = bool(score) and boilerplate_lines.points_elsewhere(passage.text)
        found.append(PassageWords(words, score * POINTING if points else score, counts))
    return found


def _order(each: Hit) -> tuple[float, int, int]:
    """Best first; among equals those of the source stored last, in their own order."""
    return -each.value, each.passage.number - each.passage.id, each.passage.number


def _gathered(
    db: StoreConnection,
    question: WeighedQuestion,
    frequencies: Mapping[str, int],
    spans: Sequence[Span],
    without: Sequence[Span],
) -> dict[int, float]:
    """By passage what the terms weigh that the index knows to be in it."""
    terms = sorted((term for term in question.weights if frequencies[term]), key=frequencies.__getitem__)
    # A word that is nowhere is looked for in others with its beginning.
    derived = {term: lookup.alike(db, term) for term in question.weights if not frequencies[term]}
    room = sum(last - first + 1 for first, last in spans)
    found: dict[int, float] = {}
    taken = 0
    for term, words in derived.items():
        rows = {row for word in words for row in lookup.rows_with(db, [word], spans, _FEW)}
        for row in outdated.outside(rows, without):
            found[row] = found.get(row, 0.0) + question.weights[term] * DERIVED
    frequent: list[str] = []
    for term in terms:
        expected = min(frequencies[term], room)
        if frequent or taken + expected > GATHERED:
            frequent.append(term)
            continue
        rows = outdated.outside(lookup.rows_with(db, [term], spans, GATHERED), without)
        taken += len(rows)
        weight = question.weights[term]
        for row in rows:
            found[row] = found.get(row, 0.0) + weight
    for together in _fewer(frequent[:_TOGETHER]):
        if len(found) >= _FEW:
            break
        for group in together:
            weight = sum(question.weights[term] for term in group)
            for row in outdated.outside(lookup.sample_with(db, group, spans, 2 * _SKIMMED), without):
                found[row] = max(found.get(row, 0.0), weight)
    return found


def _fewer(terms: list[str]) -> list[list[tuple[str, ...]]]:
    """Groups of terms to be looked up together: all of them, then all but one, then each."""
    sizes = dict.fromkeys(size for size in (len(terms), len(terms) - 1, 1) if size > 0)
    return [[*combinations(terms, size)] for size in sizes]


def _best(db: StoreConnection, found: Mapping[int, float], question: WeighedQuestion, most: int) -> list[int]:
    """The passages to be read: those with the most weight, and of equals those that hold the terms most often."""
    if len(found) <= most:
        return [*found]
    least = heapq.nlargest(most, found.values())[-1]
    sure = [row for row, weight in found.items() if weight > least]
    equal = sorted(row for row, weight in found.items() if weight == least)
    if len(equal) > _SKIMMED:
        equal = [equal[place * len(equal) // _SKIMMED] for place in range(_SKIMMED)]
    rows = db.execute(
        f'SELECT id, text FROM passages WHERE id {AMONG}',  # noqa: S608 - fixed text
        (Among(equal),),
    )
    # A term is the beginning of most of its words, so counting it is near enough here.
    terms = [*question.weights.items()]
    counts: list[tuple[float, int]] = []
    for row, text in rows:
        plain = text.lower()
        counts.append((sum(weight * min(3, plain.count(term)) for term, weight in terms), row))
    return sure + [row for _, row in heapq.nlargest(most - len(sure), counts)]
