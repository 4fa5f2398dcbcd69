"""Which passages of a collection are worth a closer look for a question: by the index alone, then by their words.

The time is bounded whatever the words are. Rare words are looked up; those that are nearly everywhere only tell apart
what the others have found, and where there are no others, some of their passages are taken from everywhere.
"""

import heapq
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from summarizer_tool.documents.passage import Passage
from summarizer_tool.evidence.search.results import Hit
from summarizer_tool.store import index
from summarizer_tool.store.connection import AMONG, Among, StoreConnection
from summarizer_tool.store.index import Span, joined
from summarizer_tool.store.page_details import OUTDATED
from summarizer_tool.store.words import beginning_with, counted, matching
from summarizer_tool.text import boilerplate_lines, passage_score
from summarizer_tool.text.passage_score import PassageWords
from summarizer_tool.text.ranking import WeighedQuestion, weigh
from summarizer_tool.text.terms import asked, beginning, is_alike, words_of


def outdated(db: StoreConnection, collection: str) -> list[Span]:
    """Where the passages are of pages that were stored with another text since: runs, ascending."""
    rows = db.execute(
        'SELECT first, first + passages - 1 FROM indexed '  # noqa: S608 - fixed text
        f'WHERE collection = ? AND passages > 0 AND source IN ({OUTDATED}) ORDER BY first',
        (collection, collection),
    )
    return joined(rows)


def chosen(collection: str, source_ids: Sequence[str], column: str) -> tuple[str, str | Among]:
    """The condition that a search looks at a source, by the column of its handle: some, or all not outdated."""
    if source_ids:
        return f'{column} {AMONG}', Among(source_ids)
    return f'{column} NOT IN ({OUTDATED})', collection


def searched(db: StoreConnection, collection: str, source_ids: Sequence[str] = ()) -> tuple[int, int]:
    """How many documents and passages a search looks at."""
    which, value = chosen(collection, source_ids, 'source')
    return db.execute(
        f'SELECT count(*), coalesce(sum(passages), 0) FROM indexed WHERE collection = ? AND {which}',  # noqa: S608 - fixed text
        (collection, value),
    ).fetchone()


def outside(rows: Iterable[int], spans: Sequence[Span]) -> list[int]:
    """The passages that are in none of some spans, which ascend."""
    if not spans:
        return [*rows]
    starts = [first for first, _ in spans]
    return [row for row in rows if not (at := bisect_right(starts, row)) or spans[at - 1][1] < row]


_SLICES = 16
"""Places of a collection where a frequent word is looked at, rather than everywhere."""


def alike(db: StoreConnection, term: str) -> list[str]:
    """The words of the index that only share their beginning with a term: `intention` for `intentionality`."""
    begins = beginning(term)
    return [word for word in beginning_with(db, begins) if is_alike(word, (term,))] if begins else []


def rows_with(db: StoreConnection, terms: Sequence[str], spans: Sequence[Span], most: int) -> list[int]:
    """The passages that have all of these terms, in order, of more than `most` as many from all parts of the spans."""
    found = _first_with(db, terms, spans, most + 1)
    if len(found) <= most:
        return found
    parts = max(1, _SLICES // len(spans))
    steps = ((first, last, (last - first) // parts + 1) for first, last in spans)
    places = [(at, min(at + step - 1, last)) for first, last, step in steps for at in range(first, last + 1, step)]
    return [row for place in places for row in _first_with(db, terms, [place], max(1, most // len(places)))]


def _first_with(db: StoreConnection, terms: Sequence[str], spans: Iterable[Span], most: int) -> list[int]:
    found: list[int] = []
    for first, last in spans:
        found += matching(db, terms, first, last, most - len(found))
        if len(found) >= most:
            break
    return found


def frequency(db: StoreConnection, term: str, spans: Sequence[Span], most: int) -> int:
    """In how many passages a term is, up to `most`: a millisecond for 30,000."""
    found = 0
    for first, last in spans:
        found += counted(db, term, first, last, most - found)
        if found >= most:
            break
    return found


DERIVED = 0.5
"""Weight of a word that only shares its beginning with one of the question, against 1 for that word."""

POINTING = 0.5
"""Share of its score that a passage keeps which only says where something stands."""

GATHERED = 10_000
"""Passages that are looked up by the index, over all terms."""

_SKIMMED = 500
"""Passages with equal terms of which the better ones are found by a quick look."""

_FEW = 200
"""Under so many, the frequent terms are asked, too."""

_AROUND, _AROUND_LARGE = (8, 5), (4, 3)
"""Of the best passages, around so many is read, and how far on each side at least; and in a large collection, for the
sake of time, how far at most."""
_LARGE = 5_000
"""Passages."""
_UNMET = 500
"""Passages that are read where no word of the question is met."""


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
    frequencies = {term: frequency(db, term, spans, GATHERED + 1) for term in terms}
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
    is_large = sum(last - first + 1 for first, last in spans) > _LARGE
    around, reach = _AROUND_LARGE if is_large else _AROUND
    best = heapq.nlargest(around, zip(scored, passages, strict=True), key=lambda each: each[0].score)
    reach = reach if is_large else max(reach, most // (2 * max(1, len(best))))
    near = _near([passage for _, passage in best], spans, reach)
    others = index.passages(db, collection, [row for row in outside(near, without) if row not in chosen])
    scored += score_passages(db, collection, question, others)
    in_order = sorted(zip((*passages, *others), scored, strict=True), key=lambda each: each[0].id)
    passages = [passage for passage, _ in in_order]
    scored = [
        replace(each, is_apart=before is None or before.id + 1 != passage.id or not before.leads_to(passage))
        for before, (passage, each) in zip((None, *passages), in_order, strict=False)
    ]
    values = passage_score.values(scored, question.weights, text)
    ranked = [
        Hit(passage, each.score, value=value) for passage, each, value in zip(passages, scored, values, strict=True)
    ]
    kept = chosen.keys() - {each.passage.id for each in ranked if not each.score} | {*also}
    # Best first; among equals those of the source stored last, in their own order.
    best_first = sorted(
        ranked, key=lambda each: (-each.value, each.passage.number - each.passage.id, each.passage.number)
    )
    return RankedPassages(
        tuple(each for each in best_first if each.passage.id in kept),
        frozenset(found),
        {each.passage.id: each for each in ranked},
    )


def _near(best: Sequence[Passage], spans: Sequence[Span], reach: int) -> list[int]:
    """The ids of passages that are read for where they stand, ascending."""
    if not best:  # no word is met, but one of these may mean what is asked
        return [*islice((row for first, last in spans for row in range(first, last + 1)), _UNMET)]
    around = {row for each in best for row in range(each.id - reach, each.id + reach + 1)}
    return sorted(row for row in around if _is_in(row, spans))


def _is_in(row: int, spans: Sequence[Span]) -> bool:
    return any(first <= row <= last for first, last in spans)


def score_passages(
    db: StoreConnection, collection: str, question: WeighedQuestion, passages: Sequence[Passage]
) -> list[PassageWords]:
    """What each passage has of a question by its own words and the headings above it."""
    titles = index.titles(db, collection, {passage.source_id for passage in passages})
    found: list[PassageWords] = []
    for passage in passages:
        words = words_of(passage.text.casefold())
        score, counts = question.read(words, index.terms_above(passage, titles), passage.path)
        points = bool(score) and boilerplate_lines.points_elsewhere(passage.text)
        found.append(PassageWords(words, score * POINTING if points else score, counts))
    return found


def _gathered(
    db: StoreConnection,
    question: WeighedQuestion,
    frequencies: Mapping[str, int],
    spans: Sequence[Span],
    without: Sequence[Span],
) -> dict[int, float]:
    """By passage what the terms weigh that the index knows to be in it."""
    found: dict[int, float] = {}

    def take(groups: Iterable[Sequence[str]], weight: float, most: int) -> int:
        rows = outside(sorted({row for terms in groups for row in rows_with(db, terms, spans, most)}), without)
        for row in rows:
            found[row] = found.get(row, 0.0) + weight
        return len(rows)

    left, frequent = GATHERED, list[str]()
    for term in sorted(question.weights, key=frequencies.__getitem__):
        if not frequencies[term]:  # it is nowhere, but others may have its beginning
            take([[word] for word in alike(db, term)], question.weights[term] * DERIVED, _FEW)
        elif frequent or frequencies[term] > left:
            frequent.append(term)
        else:
            left -= take([[term]], question.weights[term], left)
    # Frequent ones are looked up together, and each from everywhere where they seldom meet.
    for group in (frequent, *([term] for term in frequent)) if frequent else ():
        if len(found) < _FEW:
            take([group], sum(question.weights[term] for term in group), 5 * _FEW)
    return found


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
    plain = ((text.lower(), row) for row, text in rows)
    terms = [*question.weights.items()]
    counts = ((sum(weight * min(3, text.count(term)) for term, weight in terms), row) for text, row in plain)
    return sure + [row for _, row in heapq.nlargest(most - len(sure), counts)]
