"""Look-ups of words in the index: which passages have them, and how many."""

from collections.abc import Iterable, Sequence

from summarizer_tool.store import words
from summarizer_tool.store.connection import StoreConnection
from summarizer_tool.store.index import Span
from summarizer_tool.text.terms import asked, beginning, is_alike, terms_of_word, words_of

_SLICES = 16
"""Places of a collection where a frequent word is looked at, rather than everywhere."""


_MOST_ALIKE = 500
"""Words with a beginning that are looked at for one that is alike."""


def alike(db: StoreConnection, term: str) -> list[str]:
    """The words of the index that only share their beginning with a term: `intention` for `intentionality`."""
    if not (begins := beginning(term)):
        return []
    found = words.beginning_with(db, begins, _MOST_ALIKE)
    return [word for word in found if is_alike(word, (term,))]


def names_without_passage(db: StoreConnection, question: str, spans: Sequence[Span]) -> list[str]:
    """The names, numbers and identifiers of a question that no passage has, as they stand there.

    A name has a capital where no question begins, or a digit.
    """
    wanted = {*asked(question).terms}
    without: dict[str, None] = {}
    for place, word in enumerate(words_of(question)):
        is_name = any(letter.isupper() or letter.isdigit() for letter in (word if place else word[1:]))
        terms = wanted.intersection(terms_of_word(word)) if is_name and not question.isupper() else ()
        if terms and not any(frequency(db, term, spans, 1) or alike(db, term) for term in terms):
            without[word] = None
    return [*without]


def rows_with(db: StoreConnection, terms: Sequence[str], spans: Iterable[Span], most: int) -> list[int]:
    """The passages that have all of these terms, in order, `most` at most: 5 ms for 30,000."""
    found: list[int] = []
    for first, last in spans:
        if len(found) >= most:
            break
        found += words.matching(db, terms, first, last, most - len(found))
    return found


def sample_with(db: StoreConnection, terms: Sequence[str], spans: Sequence[Span], most: int) -> list[int]:
    """As `rows_with`, but from all parts of the spans evenly where there are more than `most`."""
    slices = _sliced(spans)
    return [row for place in slices for row in rows_with(db, terms, [place], max(1, most // len(slices)))]


def _sliced(spans: Sequence[Span]) -> list[Span]:
    """The spans, the only one cut into parts."""
    if len(spans) != 1:
        return [*spans]
    [(first, last)] = spans
    step = max(1, -(-(last - first + 1) // _SLICES))
    return [(begin, min(begin + step - 1, last)) for begin in range(first, last + 1, step)]


def frequency(db: StoreConnection, term: str, spans: Sequence[Span], most: int) -> int:
    """In how many passages a term is; an estimate where there are more than `most`: a millisecond for 30,000."""
    exact = 0
    for first, last in spans:
        found, _ = words.counted(db, term, first, last, most - exact)
        exact += found
        if exact >= most:
            break
    if exact < most:
        return exact
    estimate = 0.0
    slices = _sliced(spans)
    each = max(1, most // len(slices))
    for first, last in slices:
        found, reached = words.counted(db, term, first, last, each)
        # As dense in the rest of the slice as up to here.
        estimate += found * (last - first + 1) / (reached - first + 1) if found == each else found
    return max(most, round(estimate))
