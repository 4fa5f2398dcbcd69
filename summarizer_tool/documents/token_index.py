"""Count the tokens of any span of a text, exactly, after one pass of the tokenizer over all of it.

The text is counted once in small units. A unit begins where cl100k never joins what stands on both sides (a seam), so
the counts of whole units add up, and only the ends of a span that lie inside a unit are counted again.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, pairwise, starmap

from summarizer_tool.text import tokens

_LONGEST_UNIT = 4
"""How many times its length a unit may grow until a seam comes; then it is cut anywhere, which makes sums estimates."""

_SURE_TO_EXCEED = 1.25
"""An estimate is off by the odd token at each cut that is no seam: by no more than this factor."""

# Seams inside a line. No alternative of cl100k's pattern matches across a place where white space that breaks no line
# follows other text, nor where punctuation follows a letter or digit. (Line starts are seams too, where the line is not
# blank.) The classes are narrower than Unicode's, so that versions of Unicode make no difference.
_INDENTED = re.compile(r'[^\S\r\n]+\S')
_SEAM = re.compile(r'(?<=\S)(?=[ \t])|(?<=[0-9A-Za-zぁ-ゖァ-ヺ一-龥가-힣])(?=[!-/:-@\[-`{-~。、，！？；：])')


@dataclass(frozen=True, slots=True)
class TokenIndex:
    """Token counts of the spans of one text."""

    text: str
    starts: Sequence[int]
    """Where each unit begins, and the end of the text."""
    sums: Sequence[int]
    """The tokens before each start."""
    guesses: Sequence[int]
    """The number of starts, up to and including each one, that are no seams."""

    def count(self, start: int, end: int, header: str = '') -> int:
        """The exact tokens of `header`, which is empty or ends with a line feed, and `text[start:end]` together."""
        first, last = self._first(start, header), self._last_seam(bisect_right(self.starts, end) - 1, start, end)
        while first < last and self._is_guess(first):
            first += 1
        if first > last or self.guesses[first] != self.guesses[last] or self._is_guess(first):
            return tokens.count(header + self.text[start:end])
        head = header + self.text[start : self.starts[first]]
        tail = self.text[self.starts[last] : end]
        return _count_part(head) + self.sums[last] - self.sums[first] + _count_part(tail)

    def joint(self, start: int, end: int, after: str, header: str = '') -> int:
        """The tokens that `after`, line feeds before a line that is not blank, adds to those of `count`."""
        last = self._last_seam(bisect_left(self.starts, end) - 1, start, end)
        is_in_header = last < self._first(start, header)
        tail = header + self.text[start:end] if is_in_header else self.text[self.starts[last] : end]
        return tokens.count(f'{tail}{after}') - tokens.count(tail)

    def fits(self, start: int, end: int, limit: int, header: str = '') -> bool:
        """Return whether `header` and `text[start:end]` have at most `limit` tokens, counted no further than needed."""
        first, last = bisect_left(self.starts, start), bisect_right(self.starts, end) - 1
        if first < last and self.sums[last] - self.sums[first] > limit * _SURE_TO_EXCEED:
            return False
        return self.count(start, end, header) <= limit

    def estimate(self, start: int, end: int) -> int:
        """The tokens of the units that a span lies in: usually more than `count`, without counting."""
        return self.sums[bisect_left(self.starts, end)] - self.sums[bisect_right(self.starts, start) - 1]

    def before(self, end: int, amount: int) -> int:
        """A place about `amount` tokens before `end`."""
        last = bisect_right(self.starts, end) - 1
        return self.starts[bisect_left(self.sums, self.sums[last] - amount)]

    def reach(self, places: Sequence[int], start: int, limit: int, header: str = '') -> int:
        """The last of `places`, ascending, to which `header` and the text from `start` fit; `start` if there is none.

        The text from `start` to its end is longer than `limit`. The place is at most a fiftieth of the limit too early.
        """
        starts, sums = self.starts, self.sums
        first = self._first(start, header)
        room = limit - _count_part(header + self.text[start : starts[first]])
        unit = max(first, bisect_right(sums, room + sums[first]) - 1)
        low = bisect_right(places, start)
        # It is in the unit that no longer fits.
        least = max(low, bisect_right(places, starts[unit]) - 1)
        inside = range(least, bisect_right(places, starts[min(unit + 1, len(starts) - 1)]))
        high = least + bisect_right(inside, limit, key=lambda index: self.count(start, places[index], header))
        # Estimates, and counts that do not grow with the text in pathological cases: go back until it holds.
        while high > low and (excess := self.count(start, places[high - 1], header) - limit) > 0:
            high = max(low, min(high - 1, bisect_right(places, self.before(places[high - 1], excess))))
        return places[high - 1] if high > low else start

    def _first(self, start: int, header: str) -> int:
        """The first unit that begins at or after `start`, where it counts alike with `header` before it."""
        first = bisect_left(self.starts, start)
        blank = header and self.starts[first] == start and not _is_line(self.text, start)
        return first + 1 if blank else first

    def _last_seam(self, last: int, start: int, end: int) -> int:
        """The last unit up to `last` that begins at a seam of `text[start:end]`; one before `start` if none does."""
        # More than white space must follow: at the end of a text cl100k reads that otherwise.
        while self.starts[last] >= start and (
            self._is_guess(last) or (end > self.starts[last] and self.text[self.starts[last] : end].isspace())
        ):
            last -= 1
        return last

    def _is_guess(self, unit: int) -> bool:
        return unit > 0 and self.guesses[unit] > self.guesses[unit - 1]


def index_tokens(text: str, places: Sequence[int], unit: int) -> TokenIndex:
    """Count a text in units of `unit` characters or more, which begin at one of `places` where they can."""
    starts, guesses = _cut(text, places, unit)
    counts = map(tokens.count, map(text.__getitem__, starmap(slice, pairwise(starts))))
    return TokenIndex(text, starts, [*accumulate(counts, initial=0)], guesses)


def _cut(text: str, places: Sequence[int], unit: int) -> tuple[list[int], list[int]]:
    """Where the units of `text` begin, its end included, and how many of them up to each begin at no seam."""
    starts, guesses = [0], [0]
    start, end, longest = 0, len(text), unit * _LONGEST_UNIT
    while end - start > unit:
        index = bisect_left(places, start + unit)
        place = places[index] if index < len(places) else end
        if place - start <= longest and (place == end or (text[place - 1] == '\n' and _is_line(text, place))):
            start, guess = place, 0
        # A long word holds none, and is told much faster.
        elif not text[start + unit : start + longest].isalpha() and (
            seam := _SEAM.search(text, start + unit, start + longest)
        ):
            start, guess = seam.start(), 0
        else:
            start, guess = min(place, start + longest), 1
        starts.append(start)
        guesses.append(guesses[-1] + guess)
    if starts[-1] < end:
        starts.append(end)
        guesses.append(guesses[-1])
    return starts, guesses


def _is_line(text: str, at: int) -> bool:
    """Return whether what comes at `at`, taken as the beginning of a line, is not blank."""
    return not text[at : at + 1].isspace() or bool(_INDENTED.match(text, at))


@lru_cache(maxsize=256)
def _count_part(text: str) -> int:
    """Count a part of a unit, or a heading path: asked for more than once while a chunk is made."""
    return tokens.count(text) if text else 0
