"""What a digest may say, one line each, and which of it is said in a token budget."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from summarizer_tool import count_tokens

Topic = Literal['overview', 'mentioned', 'errors', 'warnings', 'odd items', 'fields', 'values', 'templates']
"""What a statement is about; named where statements are left out."""

TOPICS: tuple[Topic, ...] = (
    'overview', 'mentioned', 'errors', 'warnings', 'odd items', 'fields', 'values', 'templates',
)  # fmt: skip
"""In the order in which a digest tells them."""

SLOPES: dict[Topic, float] = {
    'overview': 1.0, 'mentioned': 2.0, 'errors': 0.8, 'warnings': 1.0, 'odd items': 0.8, 'fields': 0.8, 'values': 1.5,
    'templates': 1.5,
}  # fmt: skip
"""What each further statement on a topic loses in rank: many errors must not drown the one odd setting."""


LONGEST = 360
"""Characters of a statement; longer ones lose their middle."""

FOCUS_GAIN = 14.0
"""What a statement that has all words of the focus gains in rank."""

_LEAVE_OFF = 8
"""Statements in a row that do not fit, after which no more are tried."""

_RESERVE = 24
"""Tokens kept for the line on what was left out."""

_BLANKS = re.compile(r'[\s\x00-\x1f\x7f-\x9f\u2028\u2029]+')
_WORD = re.compile(r'[\w./:-]*\w')
_SMALL_WORDS = frozenset(
    """about after all and any are been but can did does for from had has have how its not off our out over the than
    that their them then there these they this was were what when where which who why will with you your show find look
    check list get tell give please""".split()  # noqa: SIM905
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


@dataclass(frozen=True, slots=True)
class Chosen:
    """What was taken of many statements, in the order in which it is told."""

    statements: Sequence[DigestStatement]
    left_out: str
    """One line on the rest; empty if there is none."""


def one_line(text: str, longest: int = LONGEST) -> str:
    """A text on one line without control characters; of one with over `longest` characters the middle is cut out."""
    if len(text) > 4 * longest:
        text = text[: 3 * longest] + text[-longest:]
    text = _BLANKS.sub(' ', text).strip()
    if len(text) <= longest:
        return text
    return f'{text[: longest * 3 // 4].rstrip()} … {text[-(longest // 4) :].lstrip()}'


def focus_words(focus: str) -> tuple[str, ...]:
    """The words of a focus that tell something, in lower case, each once."""
    found = (word.lower().strip('.:/-') for word in _WORD.findall(focus[:2000]))
    return tuple(dict.fromkeys(word for word in found if len(word) > 2 and word not in _SMALL_WORDS))


def choose(statements: Iterable[DigestStatement], budget: int, focus: Sequence[str] = ()) -> Chosen:
    """Take the statements of the highest rank that fit into a budget, with the line on what is left out.

    Statements that have words of the focus, which are in lower case, gain in rank.
    """
    ranked = _ranked(statements, focus)
    whole = _fitting(ranked, budget)
    if len(whole) == len(ranked):
        return Chosen(_told(ranked, whole), '')
    taken: set[int] = set()
    for reserve in (_RESERVE, 2 * _RESERVE, 0):
        taken = _fitting(ranked, budget - min(reserve, budget // 2))
        rest = Counter(statement.topic for index, statement in enumerate(ranked) if index not in taken)
        # The least important first, and never the overview.
        left_out = f'… and {", ".join(f"{rest[topic]} more {topic}" for topic in TOPICS[:0:-1] if rest[topic])}'
        used = sum(count_tokens(ranked[index].text + '\n') for index in taken)
        if used + count_tokens(left_out) <= budget:
            return Chosen(_told(ranked, taken), left_out)
    return Chosen(_told(ranked, taken), '')


def _told(ranked: Sequence[DigestStatement], taken: set[int]) -> list[DigestStatement]:
    """Those taken in the order of topics, the highest rank first."""
    return sorted((ranked[index] for index in sorted(taken)), key=lambda each: TOPICS.index(each.topic))


def _ranked(statements: Iterable[DigestStatement], focus: Sequence[str]) -> list[DigestStatement]:
    """Each text once, the highest rank first, with what it gains by the focus and loses as one of many."""
    distinct: dict[str, DigestStatement] = {}
    for statement in statements:
        text = one_line(statement.text)
        if not text:
            continue
        gain = 0.0
        if focus:
            lowered = text.lower()
            gain = FOCUS_GAIN * sum(word in lowered for word in focus) / len(focus)
        known = distinct.get(text)
        if known is None or known.rank < statement.rank + gain:
            distinct[text] = replace(statement, text=text, rank=statement.rank + gain)
    seen: Counter[str] = Counter()
    by_rank = sorted(distinct.values(), key=lambda each: -each.rank)
    sunk: list[DigestStatement] = []
    for statement in by_rank:
        sunk.append(replace(statement, rank=statement.rank - SLOPES[statement.topic] * seen[statement.topic]))
        seen[statement.topic] += 1
    return sorted(sunk, key=lambda each: -each.rank)


def _fitting(ranked: Sequence[DigestStatement], budget: int) -> set[int]:
    """Indices of the statements that fit, taken greedily."""
    taken: set[int] = set()
    missed = 0
    for index, statement in enumerate(ranked):
        # Counts of lines add up: no token reaches over a line break into a line that begins with a letter or sign.
        cost = count_tokens(statement.text + '\n')
        if cost <= budget:
            budget -= cost
            taken.add(index)
            missed = 0
        else:
            missed += 1
        if missed >= _LEAVE_OFF:
            break
    return taken
