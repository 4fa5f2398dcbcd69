"""What a digest may say, one line each, and which of it is said in a token budget."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import heapify, heappop, heappush
from math import log2
from os.path import commonprefix
from typing import Literal

from summarizer_tool.text.addressing import addresses_reader
from summarizer_tool.text.tokens import count as count_tokens

Topic = Literal['overview', 'mentioned', 'errors', 'warnings', 'odd items', 'fields', 'values', 'templates']
"""What a statement is about; named where statements are left out."""

TOPICS: tuple[Topic, ...] = (
    'overview', 'mentioned', 'errors', 'warnings', 'odd items', 'fields', 'values', 'templates',
)  # fmt: skip
"""In the order in which a digest tells them."""

NOTED: tuple[Topic, ...] = ('mentioned', 'errors', 'warnings', 'odd items')
"""What lines are told of for what stands in them."""

_SLOPE = 1.0  # what each further statement on a topic loses in rank: many errors must not drown the one odd setting
_AGAIN, _NEW = 10.0, 0.5
"""What one loses all of whose words have been told, and how new a word is that has been told once."""
_USUAL_LENGTH = 80  # characters of a statement; a longer one takes the room of several

LONGEST = 360
"""Characters of a statement; longer ones lose their middle."""

CUT = ' … '
"""Stands for the middle."""

FOCUS_GAIN = 14.0
"""What a statement that has all words of the focus gains in rank."""

_SAYS_NOTHING = 2.0  # a word of the focus that stands in more than half of the statements tells them apart the less

_LENGTH = 0.015
"""What each character from the 60th on takes from the rank: of two alike the shorter one leaves more room."""

_COUNTED = 600  # statements of the highest rank that are tried

_UNCALLED: tuple[Topic, ...] = ('overview', 'odd items', 'fields', 'values', 'templates')
"""What no word of the focus and no level has asked for: it is said for what is rare in it, or common."""

_ALIKE: tuple[Topic, ...] = NOTED[1:]
"""What is told of lines that may say the same in other places."""

_OF_LINES: tuple[Topic, ...] = ('mentioned', 'odd items', 'values')
"""What is not told of a line that stands there for another reason."""

_TOGETHER = 8  # lines up to which a statement on several errors, or on a record that is asked for, says what is in each
_PLACE_SHARE = 0.1
"""Share of the budget that the line on what was left out has; what is longer says only how much that is."""
_PASSES = 4  # times that room is made for the line on what was left out

_ASIDE = re.compile(r' \((?:usually|most|least|earliest|latest|\d+\. )[^()]*\)$')
_BLANKS = re.compile(r'[\s\x00-\x1f\x7f-\x9f\u2028\u2029]+')
_WORD = re.compile(r'[\w./:=-]*\w|(?<!\S)/(?!\S)')
_PARTS = re.compile(r'\w{2,}')
_NUMBERED = re.compile(r'(?<!\w)[^\W\d_]{3,} \d{1,2}(?!\w)')
_SMALL_WORDS = frozenset(
    """about after all and anomalies anomaly any anything are been but can check did does error errors everything
    failure failures find for from get give had has have here how issue issues its list look not odd off ordinary our
    out over please problem problems show something strange tell than that the their them then there these they this
    unusual warning warnings was were what when where whether which who why will with wrong you your""".split()  # noqa: SIM905
)


@dataclass(frozen=True, slots=True)
class DigestStatement:
    """One line that a digest may hold."""

    text: str
    rank: float
    """From 0 to about 100: the higher, the earlier it is taken."""
    topic: Topic
    lines: tuple[int, ...] = ()
    """Numbers, from 1, of the lines it tells of, where they are known; the first ones if there are many."""
    shortened: str = ''
    """What it shows a part of: a part of an order may not look like one."""


def one_line(text: str, longest: int = LONGEST) -> str:
    """A text on one line without control characters; of one with over `longest` characters the middle is cut out."""
    if len(text) > 4 * longest:
        text = text[: 3 * longest] + text[-longest:]
    text = _BLANKS.sub(' ', text).strip()
    if len(text) <= longest:
        return text
    return f'{text[: longest * 3 // 4].rstrip()}{CUT}{text[-(longest // 4) :].lstrip()}'


def distinct_parts(names: Sequence[str], longest: int) -> list[str]:
    """Names of at most so many characters; of longer ones what all begin with is cut out first."""
    long = {name for name in names if len(name) > longest}
    shared = commonprefix([*long]) if len(long) > 1 else ''  # noqa: RUF071 names are no paths
    begin = max(shared.rfind(' '), shared.rfind('/')) + 1
    return [one_line(name[begin:] if len(name) > longest else name, longest) for name in names]


def focus_words(focus: str) -> tuple[str, ...]:
    """The words of a focus that tell something, in lower case, each once.

    A short number tells something with the word before it, a path by its end, the name and the value of a field by
    themselves, too.
    """
    focus = focus[:2000].lower()
    found = (word.strip('.:/-') or word for word in _WORD.findall(focus))
    words = (word for word in found if (len(word) > 2 or word == '/') and word not in _SMALL_WORDS)
    parts = ((word, word.rpartition('/')[2], *word.split('=')) for word in words)
    told = [part for word, *ends in parts for part in (word, *ends) if part == word or part[:1].isalpha()]
    return tuple(dict.fromkeys([*told, *_NUMBERED.findall(focus)]))


def choose(
    statements: Iterable[DigestStatement], budget: int, focus: Sequence[str] = (), *, is_of_lines: bool = True
) -> tuple[list[DigestStatement], str]:
    """Take the statements of the highest rank that fit into a budget, in order, and one line on what is left out.

    Statements that have words of the focus, which are in lower case, gain in rank. One that addresses whoever reads it
    is told last, and only where nothing else is left out for it, unless the focus or its level has asked for it. Where
    a line is not a record of its own, odd ones are told as they stand in the text.
    """
    ranked = _ranked(statements, focus)
    choice = _Choice(ranked)
    taken: list[int] = []
    left_out, reserve = '', 0
    for _ in range(_PASSES):
        taken = choice.fitting(budget - reserve)
        left_out = _left_out(ranked, taken, int(_PLACE_SHARE * budget))
        reserve = count_tokens(left_out)
        if reserve > budget // 2:
            left_out = ''
        if not left_out or sum(choice.costs[index] for index in taken) + reserve <= budget:
            break

    def place(nth: int) -> tuple[bool, int, tuple[int, ...]]:
        """By topics, in the order in which they were taken; those that wait for all others last."""
        index = taken[nth]
        each = ranked[index]
        is_by_line = each.topic == 'odd items' and not is_of_lines
        return choice.waits(index), TOPICS.index(each.topic), each.lines if is_by_line else (nth,)

    return [ranked[taken[nth]] for nth in sorted(range(len(taken)), key=place)], left_out


class _Choice:
    """Takes of some statements that of the highest rank that still fits, again and again; each makes others lose."""

    def __init__(self, ranked: Sequence[DigestStatement]) -> None:
        self._ranked = ranked
        self._waiting: dict[int, bool] = {}
        # Counts of lines add up: no token reaches over a line break into a line that begins with a letter or sign.
        self.costs = [count_tokens(each.text + '\n') for each in ranked[:_COUNTED]]
        self._words = [
            tuple(dict.fromkeys(_PARTS.findall(each.text.lower()))) if each.topic in _ALIKE else () for each in ranked
        ]
        having = Counter(word for words in self._words for word in words)
        self._weights = {word: log2(1 + len(ranked) / count) for word, count in having.items()}

    def waits(self, index: int) -> bool:
        """Return whether a statement, which nobody has asked for, addresses its reader."""
        if index not in self._waiting:
            each = self._ranked[index]
            texts = filter(None, (each.text, each.shortened))
            self._waiting[index] = each.topic in _UNCALLED and any(map(addresses_reader, texts))
        return self._waiting[index]

    def fitting(self, budget: int) -> list[int]:
        """Indices of the statements that fit, in the order in which they were taken; those that wait come last."""
        taken: list[int] = []
        late: list[int] = []
        shown: set[int] = set()
        told: set[tuple[str, str]] = set()
        words: Counter[str] = Counter()
        room: dict[str, float] = defaultdict(float)
        heap = [(-self._ranked[index].rank, index) for index in range(len(self.costs))]
        heapify(heap)
        while heap:
            rank, index = heappop(heap)
            each = self._ranked[index]
            lost = _SLOPE * room[each.topic] + _AGAIN * self._said(index, words)
            if rank < lost - each.rank:
                heappush(heap, (lost - each.rank, index))
                continue
            fields = _fields(each)
            is_shown = each.topic in _OF_LINES and each.lines and shown.issuperset(each.lines)
            if is_shown or (fields and told.issuperset(fields)) or self.costs[index] > budget:
                continue
            if self.waits(index):
                late.append(index)
                continue
            budget -= self.costs[index]
            taken.append(index)
            shown.update(_each_told(each))
            told.update(fields)
            words.update(self._words[index])
            room[each.topic] += max(1.0, len(each.text) / _USUAL_LENGTH)
        if len(taken) + len(late) == len(self._ranked):
            for index in late:
                if self.costs[index] <= budget:
                    budget -= self.costs[index]
                    taken.append(index)
        return taken

    def _said(self, index: int, words: Mapping[str, int]) -> float:
        """Which share of what the words of a statement weigh has been told."""
        own = self._words[index]
        again = sum(self._weights[word] * (1 - _NEW ** words[word]) for word in own if word in words)
        return again / sum(map(self._weights.__getitem__, own)) if again else 0.0


def _left_out(ranked: Sequence[DigestStatement], taken: Collection[int], budget: int) -> str:
    """How many statements on each topic are not told, and of which lines, the least important first.

    How many altogether, if that has no room.
    """
    shown = {line for index in taken for line in _each_told(ranked[index])}
    others = (each for index, each in enumerate(ranked) if index not in taken)
    rest = [
        each for each in others if each.topic not in _OF_LINES or not each.lines or not shown.issuperset(each.lines)
    ]
    by_topic = ((topic, [each for each in rest if each.topic == topic]) for topic in TOPICS[:0:-1])
    text = ', '.join(_counted(some, topic) for topic, some in by_topic if some)
    if count_tokens(text) > budget:
        text = _counted(rest)
    return f'… and {text}' if text else ''


def _counted(statements: Sequence[DigestStatement], topic: str = 'statements') -> str:
    lines = [line for each in statements for line in each.lines]
    first, last = (min(lines), max(lines)) if lines else (0, 0)
    where = f' (lines {first}-{last})' if last > first else f' (line {first})' if lines else ''
    return f'{len(statements)} more {topic}{where}'


def _ranked(statements: Iterable[DigestStatement], focus: Sequence[str]) -> list[DigestStatement]:
    """Each text once, the highest rank first, with what it gains by the focus and loses as one of many."""
    distinct: dict[str, DigestStatement] = {}
    found = [(statement, text) for statement in statements if (text := one_line(statement.text))]
    having = {word: {text for _, text in found if word in text.lower()} for word in focus}
    weights = {word: min(1.0, _SAYS_NOTHING * (1 - len(texts) / len(found))) for word, texts in having.items() if texts}
    for statement, text in found:
        gain = FOCUS_GAIN * sum(weight for word, weight in weights.items() if text in having[word]) / max(1, len(focus))
        gain -= _LENGTH * max(0, len(text) - 60)
        known = distinct.get(text)
        if known is None or known.rank < statement.rank + gain:
            distinct[text] = replace(statement, text=text, rank=statement.rank + gain)
    return sorted(distinct.values(), key=lambda each: -each.rank)


def _fields(statement: DigestStatement) -> set[tuple[str, str]]:
    """What a statement says of a thing that stands on no line: its name with each of the fields."""
    if statement.lines or statement.topic not in ('mentioned', 'errors', 'odd items'):
        return set()
    name, _, text = statement.text.partition(': ')
    return {(name, _ASIDE.sub('', each).rpartition('.')[2]) for each in text.split(', ')}


def _each_told(statement: DigestStatement) -> tuple[int, ...]:
    """The lines of which a statement says all that there is to say."""
    several = statement.topic in ('mentioned', 'errors', 'warnings') and len(statement.lines) <= _TOGETHER
    return statement.lines if len(statement.lines) == 1 or several else ()
