"""How much texts are about what is asked for: by their own words, and by the place where they stand. Pure computing."""

import math
from collections import Counter
from collections.abc import Container, Iterable, Sequence
from itertools import chain
from operator import mul
from typing import TYPE_CHECKING

import regex

from summarizer_tool.text import names, passage_score, word_vectors
from summarizer_tool.text.lines import is_heading
from summarizer_tool.text.passage_score import PassageWords
from summarizer_tool.text.ranking import WeighedQuestion, idf, weigh
from summarizer_tool.text.scoring import Aim, content_stem, content_words
from summarizer_tool.text.terms import QueryTerms, asked, stem, terms_of, words_of

if TYPE_CHECKING:
    from summarizer_tool.prompts import Focus

PASSAGE = 80
"""Words of neighbouring texts that are judged as one passage, as a search does: a turn may be a single word."""

SHARPNESS = 2
"""The power of the relevance that a place has: it sets the best places off from those that share a frequent word."""

WEIGHTS = (3.85, 1.3, 1.5)
"""What a text that answers has of a question, each from 0 to 1, in a linear model of how likely it is that one: its
words or others of that meaning, the direction of all its words together, and the logarithm of what its place has. They
maximize the likelihood of the sentences that answer 62 questions on 25 texts of many kinds, which ask in other words
than theirs, 150 of XQuAD and 160 of the train split of QMSum."""

NO_PLACE = 0.005
"""What any place has."""

BY_PLACE = 0.3
"""The most that a fact about a schema is relevant by its place alone."""

# `| Ada Orme | Race: Human |`, `Seat: Vant Hold; Founded: 1204`; of a table of two columns `| Race | Value: Human |`.
_LABELLED = regex.compile(r'(?<=^|[|;:] )(\p{L}[\p{L} ]{0,30}): (?=([^|;]*[^|;\s]))')
_PAIR = regex.compile(r'^\| (\p{L}[\p{L} ]{0,30}) \| (?:[^|:]+: )?([^|]+) \|$')

# Words by which schemas ask for kinds of names. Names are wanted anyway; "people" in a sentence says nothing about it.
_KINDS = frozenset(
    map(
        stem,
        """people person persons place places location locations organization organizations organisation
        organisations group groups date dates time times year years event events number numbers name names title
        titles work works thing things item items character characters entity entities relation relations relate
        related relationship relationships fact facts detail details list description type kind string integer
        object array properties required null""".split(),  # noqa: SIM905
    )
)


def matches(texts: Sequence[str], focus: 'Focus') -> list[float]:
    """How well the words of each text match the focus, from 0 to 1."""
    if not _words_of(focus):
        return [0.0] * len(texts)
    question = _weighed(texts, focus)
    return _scaled([question.score(text) for text in texts])


def is_met(texts: Sequence[str], focus: 'Focus') -> bool:
    """Return whether any of the texts has a word of the focus, or that has none to be looked for."""
    return not _words_of(focus) or any(matches(texts, focus))


def relevances(texts: Sequence[str], focus: 'Focus', breaks: Container[int] = ()) -> list[float]:
    """How much each of the texts, which follow each other, stands where the focus is spoken of, from 0 to 1.

    `breaks` are the indices of those that do not follow the one before, such as the first one of another source.
    Neighbours under one heading are judged together, as a search judges its passages.
    """
    if not _words_of(focus):
        return [0.0] * len(texts)
    passages: list[list[str]] = []
    starts: list[bool] = []
    left = 0
    for index, text in enumerate(texts):
        left -= (size := len(names.words(text)))
        if not passages or left < 0 or index in breaks or is_heading(text):
            passages.append([])
            starts.append(index in breaks)
            left = PASSAGE - size
        passages[-1].append(text)
    joined = ['\n'.join(passage) for passage in passages]
    question = _weighed(joined, focus)
    words = [words_of(text.casefold()) for text in joined]
    read = [PassageWords(each, *question.read(each), is_apart) for each, is_apart in zip(words, starts, strict=True)]
    values = _scaled(passage_score.values(read, question.weights, _text_of(focus)))
    return [value**SHARPNESS for passage, value in zip(passages, values, strict=True) for _ in passage]


def relevant(places: Sequence[float], texts: Sequence[str], focus: 'Focus', above: Sequence[str] = ()) -> list[float]:
    """Relevance by place, as from `relevances`, together with how well each text matches by itself.

    An answer is looked for where it is spoken of; what fills a schema has its words in it: `Leader: Ada Brook`. `above`
    are the texts with the headings above them, if these are known.
    """
    if Aim.of(focus) is Aim.NAMES:
        return [max(BY_PLACE * place, own) for place, own in zip(places, matches(texts, focus), strict=True)]
    return _likely(places, above or texts, focus)


def speaks(leads: Iterable[str]) -> bool:
    """Return whether most texts are said by somebody, whose name is given: speakers recur, other labels do not."""
    every = [*leads]
    named = [*filter(None, every)]
    return 2 * len(named) > len(every) and 4 * len({*named}) <= len(named)


def _likely(places: Sequence[float], texts: Sequence[str], focus: 'Focus') -> list[float]:
    """How likely each text is one that answers, against the best one: a linear model of words, meaning and place."""
    asked_for = [*dict.fromkeys(word for word in names.words(_text_of(focus)) if content_stem(word))]
    words = [[word for word in names.words(text) if content_stem(word)] for text in texts]
    if not any(places) and not asked_for:
        return [0.0] * len(texts)
    meaning, alike = word_vectors.alike(words, asked_for)
    known = Counter(chain.from_iterable({*map(content_stem, each)} for each in words))
    rare = [idf(known[content_stem(word)], len(texts)) for word in asked_for]
    total = sum(rare) or 1.0
    by_words, by_meaning, by_place = WEIGHTS
    scores = [
        by_words * sum(map(mul, rare, row)) / total
        + by_meaning * near
        + by_place * math.log(place ** (1 / SHARPNESS) + NO_PLACE)
        for place, near, row in zip(places, meaning, alike, strict=True)
    ]
    best = max(scores, default=0.0)
    return [math.exp(score - best) for score in scores]


def asked_values(text: str, focus: 'Focus') -> list[str]:
    """What a text says below labels that the schema or a topic names: `race:human`, which is of its subject alone."""
    labelled = [*_LABELLED.findall(text), *_PAIR.findall(text)]
    hints = (focus.hint, *(topic.schema_hint for topic in focus.topics)) if labelled else ()
    wanted = {*content_words(' '.join(hints))}
    asked = [each for each in labelled if (words := content_words(each[0])) and wanted.issuperset(words)]
    return [':'.join(each).casefold().replace(' ', '_') for each in asked]


def _words_of(focus: 'Focus') -> list[str]:
    """The words that a focus asks for, stemmed; none where it names only kinds of things, which all texts have."""
    return [word for word in content_words(_text_of(focus)) if word not in _KINDS]


def _text_of(focus: 'Focus') -> str:
    return focus.questions or f'{focus.focus_areas} {focus.hint}'


def _weighed(texts: Sequence[str], focus: 'Focus') -> WeighedQuestion:
    """What is asked for, each term with its weight among the texts; not the kinds of things that all texts have."""
    wanted = asked(_text_of(focus))
    terms = tuple(term for term in wanted.terms if term not in _KINDS)
    found = [terms_of(text) for text in texts]
    frequencies = {term: sum(term in each for each in found) for term in terms}
    return weigh(QueryTerms(terms, wanted.wholes), QueryTerms(), frequencies, len(texts))


def _scaled(scores: Sequence[float]) -> list[float]:
    best = max(scores, default=0.0) or 1.0
    return [score / best for score in scores]
