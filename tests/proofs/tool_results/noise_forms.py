"""Noisy tool output with planted facts, made of forms: what a summary of it should still say.

A blank in a form is `<10-99>`, a number; `<hex 8>`; `<word>`; `<gauss 60 5>`; `<lognormal 3 0.4>`; or `<a|b>`, one of
these; `<x=10-99>` has a name, by which `<x>` is the same again. What stands in `«»` are the needles of a fact, which
survives in a summary if all of them stand there, as whole words.
"""

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

START = datetime(2026, 3, 14, 2, 0, tzinfo=UTC)


class Fact:
    """Something that a reader of the output should learn: its needles."""

    def __init__(self, *needles: str) -> None:
        self.needles = needles

    def survives(self, text: str) -> bool:
        return all(re.search(rf'(?<!\w){re.escape(needle)}(?!\w)', text) for needle in self.needles)


Noise = tuple[str, Sequence[Fact]]


def surviving(facts: Sequence[Fact], text: str) -> float:
    """The share of the facts that survive in a text."""
    return sum(fact.survives(text) for fact in facts) / len(facts)


_BLANK = re.compile(r'<(?:(\w+)=)?([^<>\n]+)>')
_NEEDLE = re.compile('«(.*?)»')
_SYLLABLES = ('ba', 'ke', 'ro', 'mi', 'tu', 'sel', 'dor', 'an')

Row = dict[str, str]


class _Blanks:
    """Fills blanks, and knows what stands in those with a name."""

    def __init__(self, rng: random.Random, **known: str) -> None:
        self._rng = rng
        self._known = known

    def fill(self, form: str) -> str:
        return _BLANK.sub(self._one, form)

    def _one(self, match: re.Match[str]) -> str:
        name, what = match.groups()
        if name is None and what in self._known:
            return self._known[what]
        made = self._made(what)
        if name is not None:
            self._known[name] = made
        return made

    def _made(self, what: str) -> str:
        kind, *sizes = what.split(' ')
        if '|' in what:
            return self._rng.choice(what.split('|'))
        if kind == 'word':
            return ''.join(self._rng.choices(_SYLLABLES, k=3))
        if kind == 'hex':
            return f'{self._rng.getrandbits(4 * int(sizes[0])):0{sizes[0]}x}'
        if kind == 'gauss':
            return f'{self._rng.gauss(*map(float, sizes)):.1f}'
        if kind == 'lognormal':
            return f'{self._rng.lognormvariate(*map(float, sizes)):.0f}'
        first, last = map(int, what.split('-'))
        return str(self._rng.randint(first, last))


@dataclass(frozen=True, slots=True)
class Log:
    """Lines of one thing after the other: called with a seed, the number of lines, and of facts."""

    head: str
    """A form that begins each line, or stands at its `@`; also one of the time."""
    usual: Sequence[str]
    """Forms of lines that say nothing."""
    special: Sequence[str]
    """Forms of lines with a fact each."""
    often: Sequence[str] = ()
    """Forms of lines that come often: how often is a fact; only the first does where few facts are wanted."""
    seconds: float = 5
    """Between two lines, at most."""
    end: str = '\n'

    def __call__(self, seed: int, lines: int, facts: int) -> Noise:
        rng = random.Random(seed)
        body = [_Blanks(rng).fill(rng.choice(self.usual)) for _ in range(lines)]
        planted: list[Fact] = []
        added: list[str] = []
        for form in self.often[: max(1, facts // 8)]:
            count = rng.randint(22, 70)
            added += [_Blanks(rng).fill(form) for _ in range(count)]
            planted.append(Fact(*_NEEDLE.findall(form), str(count)))
        while len(planted) < facts:
            added.append(_Blanks(rng).fill(self.special[len(planted) % len(self.special)]))
            planted.append(Fact(*_NEEDLE.findall(added[-1])))
        for line in added:
            body.insert(rng.randint(0, len(body)), _NEEDLE.sub(r'\1', line))
        moment = START
        for at, line in enumerate(body):
            moment += timedelta(seconds=rng.uniform(0, self.seconds))
            before, _, after = line.rpartition('@')
            body[at] = f'{before}{_Blanks(rng).fill(moment.strftime(self.head))}{after}'
        return self.end.join(body), planted


@dataclass(frozen=True, slots=True)
class Table:
    """Items with fields: called with a seed, the number of items, and of facts."""

    cells: Mapping[str, str]
    """A form for each field; `<place>` is the number of the item."""
    key: str
    """The field that names an item, the first needle of each of its facts."""
    changes: Sequence[tuple[str, ...]]
    """A field, the form of what it is changed to, and that of the second needle, unless it is the same."""
    written: Callable[[list[Row]], str]
    often: Sequence[tuple[str, str]] = ()
    """A field and what it has often, as in `Log`."""

    def __call__(self, seed: int, items: int, facts: int) -> Noise:
        rng = random.Random(seed)
        rows: list[Row] = []
        for place in range(items):
            blanks = _Blanks(rng, place=f'{place:04}')
            rows.append({name: blanks.fill(form) for name, form in self.cells.items()})
        free = iter(rng.sample(rows, items))
        planted: list[Fact] = []
        for field, value in self.often[: max(1, facts // 8)]:
            count = rng.randint(25, 66)
            for _ in range(count):
                next(free)[field] = value
            planted.append(Fact(value, str(count)))
        while len(planted) < facts:
            row = next(free)
            field, form, *needle = self.changes[len(planted) % len(self.changes)]
            blanks = _Blanks(rng)
            row[field] = blanks.fill(form)
            planted.append(Fact(row[self.key], blanks.fill(needle[0]) if needle else row[field]))
        return self.written(rows), planted


def separated(separator: str) -> Callable[[list[Row]], str]:
    return lambda rows: '\n'.join(map(separator.join, [list(rows[0]), *(row.values() for row in rows)]))


def aligned(rows: list[Row]) -> str:
    widths = {name: max(len(name), *(len(row[name]) for row in rows)) + 3 for name in rows[0]}
    lines = [{name: name for name in widths}, *rows]
    return '\n'.join(''.join(f'{row[name]:<{width}}' for name, width in widths.items()).rstrip() for row in lines)
