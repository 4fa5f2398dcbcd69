"""Of many things with fields those that have most or least of what is asked for, or lack it, and how many have it."""

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate
from math import log2
from os.path import commonprefix

from summarizer_tool.digests import ranks
from summarizer_tool.digests.columns import moment, quantities
from summarizer_tool.digests.naming import LENGTH, Row, is_id, is_wordless, short_names
from summarizer_tool.digests.relevance import OutputPart
from summarizer_tool.digests.statements import DigestStatement, one_line
from summarizer_tool.text.addressing import addresses_reader
from summarizer_tool.text.scoring import content_stem
from summarizer_tool.text.terms import stem

_AS_WELL, _AROUND, _SELDOM = 0.6, 0.7, 0.5
"""How much the words tell that name a field, against those of another, from which both are asked for; what one tells
that names what a field is inside of, and that of a field which nothing has."""
_UNNAMED = 4  # fields of numbers up to which most of each is told where a question calls none by its name
_SHOWN = 3  # things told for a field, and those that lack it up to which these are
_FEW = 0.1  # share of the things up to which those are told that lack what is asked for
_NUMBERS = 0.7  # share of the things that must have a number in a field for some of them to be most
_LOOKED_AT = 1000  # values without a number, which may be written in another way
_NAME_LENGTH = 4  # characters over which the name of a thing in a focus is no other word
_SMALL = 6  # fields of a thing all of which are told that are its own, where some are asked for
_CELL, _TOGETHER = 120, 320  # characters told of a field, and of several at once

_LEAST = frozenset(
    'lowest least minimum min smallest shortest fewest fastest quickest cheapest earliest youngest'.split()  # noqa: SIM905
)
_MOST = frozenset(
    'biggest greatest heaviest highest largest longest max maximum most slowest'.split()  # noqa: SIM905
)
_FIRST = frozenset({'earliest', 'first', 'oldest'})
_LAST = frozenset({'last', 'latest', 'newest', 'recent', 'recently'})
_HOW_MANY = frozenset({'count', 'many', 'number', 'times'})
"""Words that ask for least and most of something, for what was before and behind all others, and how many there are."""
_MEASURES = {
    **dict.fromkeys(
        ('slow', 'slower', 'slowest', 'longest', 'long', 'late'),
        ('duration', 'elapsed', 'latency', 'ms', 'seconds', 'time', 'took'),
    ),
    **dict.fromkeys(('big', 'biggest', 'heaviest', 'huge', 'large', 'largest', 'room', 'space'), ('bytes', 'size')),
}
"""Words that ask for most of something, and what a field of that is called."""
_WHEN, _MUCH = ('earliest', 'latest'), ('least', 'most')  # what the ends of times and of numbers are called
_SUPERLATIVE = re.compile(r'[a-z]+(?:[^aeiou]i|([bdfglmnprt])\1)est')
"""Other words that do: hottest, busiest."""
_ENDS = _LEAST | _MOST | _FIRST | _LAST | {*_MEASURES}
_SHARED, _ENDING = 5, 4  # letters that words made from one have in common at their beginnings, and others behind these
_ABBREVIATED = 3  # letters that a word in short has at least: `mem`, `addr`
_PART = re.compile(r'[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[^\W\d_]+')


@dataclass(frozen=True)
class NamedRows:
    """Things with the same fields."""

    names: Sequence[str]
    """What each is called."""
    rows: Sequence[Row]
    lines: Sequence[int] = ()
    """On which line each begins, if that is known."""
    are_lines: bool = False
    """Whether they are called what their lines say, all of it."""
    texts: Sequence[str] = ()
    """All that is told of each beside its fields, if it stands on lines."""
    what: str = 'items'
    """What they are."""
    part: str = ''
    """And of other things, if they are parts of these."""

    @cached_property
    def times(self) -> Counter[str]:
        """How many things have each field."""
        return Counter(field for row in self.rows for field in row)

    @cached_property
    def alike(self) -> Counter[tuple[str, str]]:
        """How many things have each value in a field."""
        return Counter(item for row in self.rows for item in row.items())

    @cached_property
    def titles(self) -> Mapping[str, str]:
        """What each field is called where that is clear."""
        return short_names({*self.times})

    def called(self, word: str) -> set[str]:
        """The fields that a word names."""
        return {field for field in self.times if _is_called(word, field)}

    def shown(self, at: int, field: str, longest: int = _CELL) -> str:
        """A field of one of the things."""
        return f'{self.titles[field]}={one_line(self.rows[at][field], longest)}'

    def own(self, at: int) -> Iterator[str]:
        """The fields of one of the things in which few others are like it."""
        for field, cell in self.rows[at].items():
            if 2 * self.alike[field, cell] < len(self.rows) and cell not in self.names[at]:
                yield field

    def met(self, words: Sequence[str]) -> Mapping[str, float]:
        """How much the words that name each field, and what it is inside of, tell: those that name many tell little."""
        own = {word: self.called(word) for word in words}
        around = {word: {field for field in self.times if _is_called(word, field.replace('.', '_'))} for word in words}
        met: dict[str, float] = defaultdict(float)
        for word, fields in around.items():
            # What names the things tells little of their fields.
            telling = _AROUND**2 if _is_called(word, self.what) else 1.0
            worth = telling * log2(1 + len(self.times) / max(1, len(fields)))
            for field in fields:
                share = _SELDOM + (1 - _SELDOM) * self.times[field] / len(self.rows)
                met[field] += worth * share * (1.0 if field in own[word] else _AROUND)
        return met

    def told(self, at: int, said: str, rank: float, more: int = 0) -> DigestStatement:
        """What is said of one of the things, with so many characters of what else it has that addresses no reader."""
        text = f'{said}: {self.names[at]}' if self.are_lines else f'{self.names[at]}: {said}'
        if more and self.texts and not addresses_reader(self.texts[at]):
            text = f'{text}: {one_line(self.texts[at], more)}'
        for field in self.own(at) if more and not (self.texts or self.are_lines) else ():
            each = self.shown(at, field)
            if each not in text and len(text) + len(each) <= more and not addresses_reader(self.rows[at][field]):
                text += f', {each}'
        return DigestStatement(text, rank, 'mentioned', (self.lines[at],) if self.lines else ())


def asks_for_an_end(words: Sequence[str]) -> bool:
    """Return whether a question asks for most or least of something."""
    return not (_ENDS - _FIRST - _LAST).isdisjoint(words) or any(map(_SUPERLATIVE.fullmatch, words))


def asks_how_many(words: Sequence[str]) -> bool:
    """Return whether a question asks for how many there are of something."""
    return not _HOW_MANY.isdisjoint(words)


def extremes(things: NamedRows, words: Sequence[str], *, are_all: bool = True) -> Iterator[DigestStatement]:
    """Tell of the things with most and least in the fields of numbers that are asked for, and that lack such a field.

    Of fields of times the earliest and the latest ones are told where the focus asks for such. Most and least are those
    of the things of which most fields are other words of the focus, unless few are. Where things are all that there is,
    a focus that names none of their fields asks for one all the same.
    """
    total, asks = len(things.rows), asks_for_an_end(words) or not _ENDS.isdisjoint(words)
    asks_when = not (_FIRST | _LAST).isdisjoint(words)
    met = things.met(words)
    # What few things have is asked for where several words name it, or one and most or least of it is asked for.
    often = [field for field, count in things.times.items() if count >= _NUMBERS * total or met[field]]
    known = {field: ends for field in often if (ends := _ends(things.rows, field, with_times=asks_when))}
    called = {word: things.called(word) for word in words}
    asked_for = {field for fields in called.values() for field in fields}
    most_met = max(map(met.__getitem__, known), default=0.0)
    if asks:  # a thing may have much inside what it is called for
        asked_for = {field for field in known if met[field] > _AS_WELL * most_met} | (asked_for - {*known})
    when = {field for field, (_, names) in known.items() if names == _WHEN}
    measures = {field for field in when or known if not (is_id(field) or field.endswith(LENGTH))}
    if asks and are_all and not asked_for & measures and len(measures) <= _UNNAMED:
        asked_for |= measures  # the question may call it by another word
    others = {word for word, fields in called.items() if not fields} - _FIRST - _LAST
    having = [len(others.intersection(map(str.lower, row.values()))) for row in things.rows]
    most_having = max(having, default=0)
    asked = [at for at, count in enumerate(having) if count == most_having]
    apart = ranks.APART * (things.part != '' and not any(_is_called(word, things.part) for word in words))
    for field in sorted(asked_for):
        is_usual = total - things.times[field] <= min(_SHOWN, _FEW * total)
        for at in [at for at, row in enumerate(things.rows) if field not in row] if is_usual else ():
            usual = next(row[field] for row in things.rows if field in row)
            yield things.told(at, f'{field} missing, others have one, such as {one_line(usual, _CELL)}', ranks.LACKING)
        if field in known:
            numbers, names = known[field]
            low = _FIRST if names == _WHEN else _LEAST
            found = [(numbers[cell], at) for at in asked if (cell := things.rows[at].get(field, '')) in numbers]
            rank = ranks.ANSWER if asks and met[field] == most_met else ranks.END
            yield from _at_end(things, field, found, names, rank - apart, is_low=not low.isdisjoint(words))


def _at_end(
    things: NamedRows, field: str, found: list[tuple[float, int]], names: tuple[str, str], rank: float, *, is_low: bool
) -> Iterator[DigestStatement]:
    """Tell of the things at one end of a field, of numbers with the index of each; and of one far behind all."""
    if len(found) < _SHOWN:
        return
    found.sort(key=lambda each: each[0] if is_low else -each[0])
    in_order = [number for number, _ in found]
    middle = in_order[len(found) // 2]
    first, last = names if is_low else names[::-1]
    told = [(first, *each) for each in found[:_SHOWN] if each[0] != middle]
    # One at the other end stands out only where no other is.
    told += [(last, *found[-1])] if in_order[-1] not in (in_order[-2], middle) else []
    for nth, (which, number, at) in enumerate(told):
        before = in_order.index(number) if which == first else 0
        place = f'{before + 1}. {which}' if before else which
        alike = in_order.count(number) - 1
        others = f', as {alike} more' if alike else ''
        said = f'{things.titles[field]}={things.rows[at][field]} ({place}{others})'
        yield things.told(at, said, rank - ranks.STEP * nth, 0 if nth else _TOGETHER)


def thing_parts(things: NamedRows, focus: str, words: Sequence[str]) -> Iterator[OutputPart]:
    """What each thing has that is not usual, so many fields at once: those that have one of the words first.

    Of numbers only those are told that are asked for, or all of few; of a thing whose name is in the focus all it has.
    """
    roots = [*map(stem, words)]

    def is_asked(text: str) -> bool:
        return any(root in text.lower() for root in roots)

    for at, (name, row) in enumerate(zip(things.names, things.rows, strict=True)):
        own_name = name.rpartition(' > ')[2].partition(' (')[0]
        if len(own_name) > _NAME_LENGTH and own_name.lower() in focus:
            said = [things.shown(at, field, _TOGETHER) for field in row if row[field] != own_name]
        else:
            said = [things.shown(at, field) for field in things.own(at)]
            if not (len(row) <= _SMALL and any(map(is_asked, said))):
                said = [text for text in said if is_asked(text) or not is_wordless(text.partition('=')[2])]
        said.sort(key=is_asked, reverse=True)
        while said:
            count = max(1, bisect_right([*accumulate(map(len, said))], _TOGETHER))
            yield OutputPart(f'{name}: {", ".join(said[:count])}')
            del said[:count]


def _ends(rows: Sequence[Row], field: str, *, with_times: bool) -> tuple[Mapping[str, float], tuple[str, str]] | None:
    """What the cells of a field are as times or numbers, and what their ends are called, if most of them are such.

    Of numbers the others may be no other form of one.
    """
    cells = [cell for row in rows if (cell := row.get(field, ''))]
    times = {cell: at for cell in cells if (at := moment(cell)) is not None} if with_times else {}
    if times and sum(cell in times for cell in cells) >= _NUMBERS * len(rows):
        return times, _WHEN
    found = quantities(cells)
    others = [cell for cell in cells if cell not in found]
    is_known = not any(map(str.isdigit, ''.join(others[:_LOOKED_AT])))
    return (found, _MUCH) if found and is_known and len(cells) - len(others) >= _NUMBERS * len(cells) else None


def _is_called(word: str, field: str) -> bool:
    parts = {part.lower() for part in _PART.findall(field.removesuffix(LENGTH).rpartition('.')[2])}
    is_part = word in parts or any(_are_of_one_root(word, part) for part in parts)
    return is_part or word == field.lower() or not parts.isdisjoint(_MEASURES.get(word, ()))


@lru_cache(maxsize=65_536)
def _are_of_one_root(word: str, other: str) -> bool:
    """Return whether words have one stem, or are made from one: `coverage`, `covered`; or the other is it in short."""
    shared = len(commonprefix((word, other)))  # noqa: RUF071 words are no paths
    is_short = _ABBREVIATED <= shared == len(other) <= len(word) - 2
    return (
        is_short or stem(word) == stem(other) or (shared >= _SHARED and max(len(word), len(other)) - shared <= _ENDING)
    )


def asked_of(topic: str, words: Sequence[str]) -> bool:
    """Return whether a field is what all words of a question name, or several of them."""
    met = sum(_is_called(word, topic) for word in words)
    return met > 1 or 0 < met == len(words)


def counted(things: NamedRows, focus: str, words: Sequence[str]) -> Iterator[DigestStatement]:
    """Tell how many things have what is counted in a question, if any has all of its words that some have.

    Words that name fields are left out, which values need not have.
    """
    what = 'items' if addresses_reader(things.what) else things.what
    lower = [' '.join(row.values()).lower() for row in things.rows] if _HOW_MANY.intersection(words) else []
    having: dict[str, set[int]] = {}
    for word in words if lower else ():
        if word in _HOW_MANY or _is_called(word, what) or things.called(word) or not content_stem(word):
            continue
        # Of a word other forms count, too; of a name or number nothing that is longer.
        begin, end = (stem(word)[:_SHARED], r'[^\W_]*') if word.isalpha() else (word, r'(?![.-]?\w)')
        for before in (r'(?<!\w)', r'(?<![^\W_])'):  # a part of a name, `exec_die`, only where none is the word
            form = re.compile(rf'{before}{re.escape(begin)}{end}')
            said = [{word, stem(word)}.intersection({*map(stem, found), *found}) for found in map(form.findall, lower)]
            if found := {at for at, each in enumerate(said) if each}:
                having[word] = found
                break
    # What is counted is what the things are, whether they say so or not.
    after = re.split(r'\b(?:many|number of|count of) ', focus)[-1].rstrip('?').split()
    if [*having] == after[:1] and not {*after[1:2]} & {*words}:
        return
    alike = set[int].intersection(*having.values()) if having else set[int]()
    if alike:
        each = f' ({", ".join(f"{word} ×{len(found)}" for word, found in having.items())})' if len(having) > 1 else ''
        text = f'{len(alike)} of {len(lower)} {what} have {" and ".join(having)}{each}'
        yield DigestStatement(text, ranks.ANSWER - ranks.APART * bool(things.part), 'mentioned')
