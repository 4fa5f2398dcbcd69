"""Which lines of machine output are about a question.

They are ranked by its words (BM25 over stems, those just as they were asked), by what these mean,
where word vectors are installed, by what went wrong, and by how unlike the others they are.
"""

import re
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, takewhile
from math import log

from summarizer_tool.digests import ranks
from summarizer_tool.digests.logs import LogTemplate, summed
from summarizer_tool.digests.notable import BAD
from summarizer_tool.digests.places import LONGEST_PART, form
from summarizer_tool.digests.statements import CUT, DigestStatement, focus_words, one_line
from summarizer_tool.text import word_vectors
from summarizer_tool.text.ranking import idf
from summarizer_tool.text.scoring import content_stem
from summarizer_tool.text.terms import stem

_MATCHED, _TOWARD, _MEANT = 1.0, 0.8, 0.8
"""What counts how much: the words of the question, against the part that has most of them; the direction of all words
together; for each word of the question the one that is likest;"""
_WRONG, _RARE = 0.2, 0.4  # a word of what went wrong; that no other part has the same form
_EXACT = 0.3  # and what it has of the question as it is written there
_LITERAL, _SHORT = 0.6, 3  # what a name or number with digits counts beside all this, if it has more characters
_EXACT_WORDS = 24
_CERTAIN = 1.0  # what the best part has at least
_K1, _B = 1.2, 0.75  # of BM25: Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009

_SAME_FORM = 3  # parts of one form that are looked at, of those without a word of the question
_LOOKED_AT = 6000  # parts, at most

_TOLD_SHARE = 0.5  # what a part is about the question, against the best one, from which it is told
_FEW, _USUAL, _ABOVE = 12, 0.2, 1.1
"""and against what a fifth of the parts have: what is about the question no more than that tells nothing of it,"""
_SAYS = log(2)  # unless it has words of it that most parts have not
_TOLD = 60  # parts that are told at most
_ODD = 0.05  # what one counts more that is told for another reason, too
_OF_FORM = 2  # parts of one form from which each further one loses in rank
_SEVERAL = 3  # lines of one template from which they are told together, too
_BELOW = {':': 2, '{': 5, '[': 5, '(': 5}
"""Parts told with one that ends with a sign; what begins with a sign, as the lines of JSON do, heads nothing."""

_AS_DIGITS = str.maketrans('123456789', '000000000')
_WORD = re.compile(r'\w+')
_PART = re.compile(r'[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+|[^\W\d_]+')


@dataclass(frozen=True, slots=True)
class OutputPart:
    """A line, or a piece of a long one."""

    text: str
    name: str = ''
    """What it is a part of, where that has a name."""
    lines: tuple[int, ...] = ()
    """Its number, from 1, where it is known."""
    depth: int = 0
    """Characters by which it stands in."""

    def __str__(self) -> str:
        is_said = self.name.partition(CUT)[0] in one_line(self.text)
        return self.text if is_said else f'{self.name}: {self.text}'


@dataclass(frozen=True, slots=True)
class Relevance:
    """How much a text is about a question."""

    score: float
    """Against the best one, 1.0."""
    matched: float
    """How much it has of its words, 0.0 for none; of those that all texts have little."""


def relevant(
    parts: Sequence[OutputPart], question: str, odd: Container[int], templates: Sequence[LogTemplate] = ()
) -> Iterator[DigestStatement]:
    """Tell the parts, in order, that are most about a question; those on odd lines count for more.

    Of lines of one template there is told how many there are, and what varies in them.
    """
    template_of = {event.line: each for each in templates if len(each.members) >= _SEVERAL for event in each.members}
    counted: set[int] = set()
    found = relevances([*map(str, parts)], question)
    by_score = sorted((each.score for each in found.values()), reverse=True)
    usual = max(_FEW, round(_USUAL * len(parts)))
    above = _ABOVE * by_score[usual] if usual < len(by_score) else 0.0
    scores = {
        at: each.score + _ODD * any(line in odd for line in parts[at].lines)
        for at, each in found.items()
        if each.score >= _TOLD_SHARE and (each.matched >= _SAYS or each.score >= above)
    }
    times: Counter[str] = Counter()
    for at in sorted(scores, key=lambda each: -scores[each])[:_TOLD]:
        times[shape := form(parts[at].text)] += 1
        told = [parts[at], *_below(parts, at)]
        lines = (*chain.from_iterable(each.lines for each in told),)
        text = ' '.join([str(told[0]), *(each.text for each in told[1:])])
        rank = ranks.RELEVANT + ranks.RELEVANCE * scores[at] - ranks.STEP * max(0, times[shape] - _OF_FORM)
        yield DigestStatement(one_line(f'{lines[0]}| {text}' if lines else text), rank, 'mentioned', lines)
        template = template_of.get(lines[0]) if lines else None
        if template and id(template) not in counted:
            counted.add(id(template))
            yield DigestStatement(summed(template), rank - 2 * ranks.STEP, 'mentioned')


def _below(parts: Sequence[OutputPart], at: int) -> Sequence[OutputPart]:
    """What is told with a part that is a heading."""
    text = parts[at].text
    most = _BELOW.get(text[-1], 0) if text[-1] == ':' or text[0] not in '"{[' else 0
    below = parts[at + 1 : at + 1 + most]
    is_apart = text[-1] == ':' and ' ' in text
    return [*takewhile(lambda part: part.depth > parts[at].depth or is_apart, below)]


def relevances(texts: Sequence[str], question: str) -> dict[int, Relevance]:
    """How much texts, in order, are about a question, by index; of many of one form the first ones."""
    asked = [*dict.fromkeys(word for word in _words(question) if len(word) > 1 and content_stem(word))]
    if not asked or not (chosen := _chosen(texts, asked)):
        return {}
    forms = {at: form(texts[at]) for at in chosen}
    times = Counter(forms.values())
    words = [_words(texts[at]) for at in chosen]
    worth, matched = _matched(words, asked, len(texts))
    # Texts that differ in their numbers mean the same.
    said = [tuple(word for word in each if len(word) > 2 and word.isalpha()) for each in words]
    distinct = {each: nth for nth, each in enumerate(dict.fromkeys(said))}
    toward, alike = word_vectors.alike([*distinct], asked)
    meant = [sum(map(float.__mul__, worth, map(float, row))) / sum(worth) for row in alike]
    exact = _exact(texts, chosen, question)
    literals = [word for word in focus_words(question) if len(word) > _SHORT and any(map(str.isdigit, word))]
    with_literal = [{at for at in chosen if word in texts[at].lower()} for word in literals]
    # What many have, as a day or a host, finds none of them.
    few = max(_FEW, _USUAL * len(texts))
    literal = {at for found in with_literal if len(found) <= few for at in found}
    most, most_exact = max(matched) or 1.0, max(exact.values()) or 1.0
    scores = {
        at: _MATCHED * match / most
        + _TOWARD * toward[distinct[own]]
        + _MEANT * meant[distinct[own]]
        + _EXACT * exact[at] / most_exact
        + _WRONG * (BAD.search(texts[at][:LONGEST_PART]) is not None)
        + _RARE / times[forms[at]]
        for at, match, own in zip(chosen, matched, said, strict=True)
    }
    best = max(_CERTAIN, *scores.values())
    return {
        at: Relevance(min(1.0, scores[at] / best + _LITERAL * (at in literal)), max(match, exact[at]))
        for at, match in zip(chosen, matched, strict=True)
    }


def _exact(texts: Sequence[str], chosen: Sequence[int], question: str) -> dict[int, float]:
    """How much each text has of a question as it is written there: its names, numbers, paths."""
    words = sorted(focus_words(question), key=len, reverse=True)[:_EXACT_WORDS]
    any_word = re.compile('|'.join(rf'(?<![\w.-]){re.escape(word)}(?![\w/-]|\.\w)' for word in words) or r'(?!)')
    found = {at: {*any_word.findall(texts[at][:LONGEST_PART].lower())} for at in chosen}
    counts = Counter(chain.from_iterable(found.values()))
    return {at: sum(log(len(texts) / counts[word]) for word in each) for at, each in found.items()}


def _words(text: str) -> list[str]:
    """The words of a text in lower case, those within a name, and names that have digits, such as `u31`, whole, too."""
    found: list[str] = []
    for word in _WORD.findall(text[:LONGEST_PART]):
        parts = _PART.findall(word)
        found += map(str.lower, parts if len(parts) < 2 or word.isalpha() else [*parts, word])
    return found


def _chosen(texts: Sequence[str], asked: Sequence[str]) -> list[int]:
    """Indices of what is looked at: what may have words of the question, and of the others the first of each form."""
    roots = {root[:-1] if len(root) > 3 else root for root in map(stem, asked)}
    may_have = re.compile('|'.join(map(re.escape, roots)))
    met: Counter[str] = Counter()
    having: dict[int, int] = {}
    for at, text in enumerate(texts):
        met[shape := text[:LONGEST_PART].translate(_AS_DIGITS)] += 1
        found = len({*may_have.findall(text[:LONGEST_PART].lower())})
        if text.strip() and (found or met[shape] <= _SAME_FORM):
            having[at] = found
    return sorted(sorted(having, key=lambda at: -having[at])[:_LOOKED_AT])


def _matched(texts: Sequence[Sequence[str]], asked: Sequence[str], total: int) -> tuple[list[float], list[float]]:
    """How much each word that is asked for says, and how much each of some texts has of them, of all that may."""
    stems = [*map(stem, asked)]
    counts = [Counter(map(stem, words)) for words in texts]
    having = Counter(word for each in counts for word in each)
    worth = [idf(having[each], total) for each in stems]
    length = sum(map(len, texts)) / len(texts) or 1.0
    matched: list[float] = []
    for each, words in zip(counts, texts, strict=True):
        damped = _K1 * (1 - _B + _B * len(words) / length)
        matched.append(
            sum(
                value * each[word] * (_K1 + 1) / (each[word] + damped) for word, value in zip(stems, worth, strict=True)
            )
        )
    return worth, matched
