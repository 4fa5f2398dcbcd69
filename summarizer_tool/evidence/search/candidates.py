"""Which passages of a collection are worth a closer look for a question: by the index alone, then by their words.

The time is bounded whatever the words are. Rare words are looked up; those that are nearly everywhere only tell apart
what the others have found, and where there are no others, some of their passages are taken from everywhere.
"""

import heapq
import json
import sqlite3
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from summarizer_tool.documents.passage import Passage
from summarizer_tool.evidence.search import lookup, outdated
from summarizer_tool.evidence.search.ranking import REACH, WeighedQuestion, weigh
from summarizer_tool.store import index
from summarizer_tool.store.index import Span
from summarizer_tool.text.terms import asked

_COUNTED = 4000
"""Passages of a term that are counted; beyond, its number is estimated."""

GATHERED = 10_000
"""Passages that are looked up by the index, over all terms."""

LOOKED_AT = 150
"""Passages whose text is read and scored."""

_SKIMMED = 1000
"""Passages with equal terms of which the better ones are found by a quick look."""

_FEW = 200
"""Under so many, the frequent terms are asked, too."""

_TOGETHER = 4
"""Frequent terms that are asked, the rarest ones."""

STEPS: Final = tuple(step for apart in range(1, REACH + 1) for step in (-apart, apart))
"""From the id of a passage to those of the passages around it, the nearest first."""


@dataclass(frozen=True, slots=True)
class ScoredPassage:
    """A passage with its score for one question."""

    passage: Passage
    score: float


@dataclass(frozen=True, slots=True)
class RankedPassages:
    """What the words of one question find."""

    scored: tuple[ScoredPassage, ...]
    """Best first."""
    matched: frozenset[int]
    """All that were found by the index."""


def weigh_questions(
    db: sqlite3.Connection, collection: str, questions: Sequence[str], intent: str
) -> tuple[list[WeighedQuestion], dict[str, int]]:
    """Weigh the terms of questions by how many passages of the collection they are in, and give these numbers, too."""
    wanted, purpose = [asked(question) for question in questions], asked(intent)
    spans = index.spans_of(db, collection)
    terms = dict.fromkeys(term for each in (*wanted, purpose) for term in each.terms)
    frequencies = {term: lookup.frequency(db, term, spans, _COUNTED) for term in terms}
    passages = index.count_passages(db, collection)
    return [weigh(each, purpose, frequencies, passages) for each in wanted], frequencies


def rank_passages(
    db: sqlite3.Connection,
    collection: str,
    question: WeighedQuestion,
    frequencies: Mapping[str, int],
    spans: Sequence[Span],
    also: Sequence[int] = (),
    without: Sequence[Span] = (),
) -> RankedPassages:
    """Rank the passages of some spans by the words of a question as `weigh_questions` gives it.

    `also` names passages to be scored, too, whatever words they have, if they are in the spans; `without` is where not
    to look for words, ascending.
    """
    found, having = _gathered(db, question, frequencies, spans, without)
    also = [row for row in also if any(first <= row <= last for first, last in spans)]
    chosen = dict.fromkeys((*_best(db, found, question), *also))
    scored = _scored(db, collection, question, index.passages(db, collection, [*chosen]), having)
    wanted = frozenset(also)
    kept = (each for each in scored if each.score > 0 or each.passage.id in wanted)
    return RankedPassages(tuple(sorted(kept, key=_order)), frozenset(found))


def score_passages(
    db: sqlite3.Connection, collection: str, question: WeighedQuestion, passages: Sequence[Passage]
) -> list[ScoredPassage]:
    """The score of each passage, given all those around them."""
    having: dict[str, set[int]] = {}
    for passage in passages:
        for term in question.held(passage.text):
            having.setdefault(term, set()).add(passage.id)
    return _scored(db, collection, question, passages, having)


def _scored(
    db: sqlite3.Connection,
    collection: str,
    question: WeighedQuestion,
    passages: Sequence[Passage],
    having: Mapping[str, Set[int]],
) -> list[ScoredPassage]:
    """The score of each passage, with regard to the terms that others near it have."""
    titles = index.titles(db, collection, {passage.source_id for passage in passages})
    around = {passage.id: _around(passage.id, having) for passage in passages}
    there = {passage.id: passage for passage in passages}
    others = {row + step for row, each in around.items() for step in each.values()} - there.keys()
    there.update((passage.id, passage) for passage in index.passages(db, collection, sorted(others)))
    found: list[ScoredPassage] = []
    for passage in passages:
        beside = {
            term: abs(step)
            for term, step in around[passage.id].items()
            if (near := there.get(passage.id + step)) and near.is_with(passage)
        }
        found.append(ScoredPassage(passage, question.score(passage.text, index.terms_above(passage, titles), beside)))
    return found


def _around(row: int, having: Mapping[str, Set[int]]) -> dict[str, int]:
    """By term that a passage lacks, how far away the nearest one is that has it: a step of `STEPS`."""
    found: dict[str, int] = {}
    for term, rows in having.items():
        if row not in rows:
            step = next((step for step in STEPS if row + step in rows), 0)
            if step:
                found[term] = step
    return found


def _order(each: ScoredPassage) -> tuple[float, int, int]:
    """Best first; among equals those of the source stored last, in their own order."""
    return -each.score, each.passage.number - each.passage.id, each.passage.number


def _gathered(
    db: sqlite3.Connection,
    question: WeighedQuestion,
    frequencies: Mapping[str, int],
    spans: Sequence[Span],
    without: Sequence[Span],
) -> tuple[dict[int, float], dict[str, set[int]]]:
    """By passage what the terms weigh that the index knows to be in it, and by term all passages that have it.

    The latter without those terms that are nearly everywhere.
    """
    terms = sorted((term for term in question.weights if frequencies[term]), key=frequencies.__getitem__)
    room = sum(last - first + 1 for first, last in spans)
    found: dict[int, float] = {}
    having: dict[str, set[int]] = {}
    taken = 0
    frequent: list[str] = []
    for term in terms:
        expected = min(frequencies[term], room)
        if frequent or taken + expected > GATHERED:
            frequent.append(term)
            continue
        rows = outdated.outside(lookup.rows_with(db, [term], spans, GATHERED), without)
        taken += len(rows)
        having[term] = set(rows)
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
    return found, having


def _fewer(terms: list[str]) -> list[list[tuple[str, ...]]]:
    """Groups of terms to be looked up together: all of them, then all but one, then each."""
    sizes = dict.fromkeys(size for size in (len(terms), len(terms) - 1, 1) if size > 0)
    return [[*combinations(terms, size)] for size in sizes]


def _best(db: sqlite3.Connection, found: Mapping[int, float], question: WeighedQuestion) -> list[int]:
    """The passages to be read: those with the most weight, and of equals those that hold the terms most often."""
    if len(found) <= LOOKED_AT:
        return [*found]
    least = heapq.nlargest(LOOKED_AT, found.values())[-1]
    sure = [row for row, weight in found.items() if weight > least]
    equal = sorted(row for row, weight in found.items() if weight == least)
    if len(equal) > _SKIMMED:
        equal = [equal[place * len(equal) // _SKIMMED] for place in range(_SKIMMED)]
    rows = db.execute(
        'SELECT id, text FROM passages WHERE id IN (SELECT value FROM json_each(?))', (json.dumps(equal),)
    )
    # A term is the beginning of most of its words, so counting it is near enough here.
    terms = [*question.weights.items()]
    counts: list[tuple[float, int]] = []
    for row, text in rows:
        plain = text.lower()
        counts.append((sum(weight * min(3, plain.count(term)) for term, weight in terms), row))
    return sure + [row for _, row in heapq.nlargest(LOOKED_AT - len(sure), counts)]
