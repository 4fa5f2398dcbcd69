"""How much texts are about what is asked for: by their own words, and by the place where they stand. Pure computing."""

from collections.abc import Container, Sequence
from itertools import chain
from typing import TYPE_CHECKING

from summarizer_tool.text import names, passage_score
from summarizer_tool.text.passage_score import PassageWords
from summarizer_tool.text.ranking import WeighedQuestion, weigh
from summarizer_tool.text.scoring import Aim, content_words
from summarizer_tool.text.terms import QueryTerms, asked, stem, terms_of, words_of

if TYPE_CHECKING:
    from summarizer_tool.prompts import Focus

PASSAGE = 80
"""Words of neighbouring texts that are judged as one passage, as a search does: a turn may be a single word."""

SHARPNESS = 2
"""The power of the relevance that a place has: it sets the best places off from those that share a frequent word."""

OWN = 0.8
"""Share of a text's relevance that it has by its own words; the rest it has by the place where it stands."""

BY_PLACE = 0.3
"""The most that a fact about a schema is relevant by its place alone."""

BESIDE = 0.5
"""What any other text is relevant for, where one is said of just what is asked for."""

LONGEST_LEAD = 100
"""Characters up to which what stands before a colon says what a text is about."""

_FEW = 2
_FEW_SHARE = 0.01
"""Texts, and share of them, up to which a word of the focus is rare."""


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
        if not passages or left < 0 or index in breaks or text.startswith('#'):
            passages.append([])
            starts.append(index in breaks)
            left = PASSAGE - size
        passages[-1].append(text)
    joined = ['\n'.join(passage) for passage in passages]
    question = _weighed(joined, focus)
    words = [words_of(text.casefold()) for text in joined]
    read = [
        PassageWords(each, *question.read(each), text, is_apart)
        for each, text, is_apart in zip(words, joined, starts, strict=True)
    ]
    values = _scaled(passage_score.values(read, question.weights, _text_of(focus)))
    return [value**SHARPNESS for passage, value in zip(passages, values, strict=True) for _ in passage]


def relevant(places: Sequence[float], texts: Sequence[str], focus: 'Focus') -> list[float]:
    """Relevance by place, as from `relevances`, together with how well each text matches by itself.

    An answer is looked for where it is spoken of; what fills a schema has its words in it: `Leader: Ada Brook`. What is
    said of just that which is asked for, as by its definition, answers wherever it stands.
    """
    own = matches(texts, focus)
    if Aim.of(focus) is Aim.NAMES:
        return [max(BY_PLACE * place, each) for place, each in zip(places, own, strict=True)]
    query = asked(_text_of(focus))
    wanted = {frozenset(each) for each in (query.terms, *query.phrases)}
    said_of = [each >= BY_PLACE and _is_said_of(wanted, text) for each, text in zip(own, texts, strict=True)]
    other = BESIDE if any(said_of) else 1.0
    return [
        1.0 if is_of else other * place * (1 - OWN + OWN * each)
        for place, each, is_of in zip(places, own, said_of, strict=True)
    ]


def _is_said_of(wanted: Container[frozenset[str]], text: str) -> bool:
    """Return whether what stands before the colon of a text, or one name of it, is what is wanted, numbers aside.

    That is all that a question asks for, or what stands in it in quotation marks.
    """
    lead, mark, _ = text[:LONGEST_LEAD].partition(': ')
    return bool(mark) and any(
        frozenset(term for term in asked(name).terms if any(map(str.isalpha, term))) in wanted
        or frozenset(terms_of(name)) in wanted
        for name in {lead, *lead.split(', ')}
    )


def rare_words(texts: Sequence[str], focus: 'Focus', headings: Sequence[str] = ()) -> list[bool]:
    """Whether each text has a word of the focus that few of them have, and no heading: who asks for it wants them."""
    asked = _words_of(focus)
    if not asked:
        return [False] * len(texts)
    bags = [set(content_words(text)) for text in texts]
    above = set(chain.from_iterable(map(content_words, headings)))
    times = {word: sum(word in bag for bag in bags) for word in asked if word not in above}
    rare = {word for word, count in times.items() if count <= max(_FEW, _FEW_SHARE * len(texts))}
    return [not rare.isdisjoint(bag) for bag in bags]


def _words_of(focus: 'Focus') -> list[str]:
    """The words that a focus asks for, stemmed; none where it names only kinds of things, which all texts have."""
    return [word for word in content_words(_text_of(focus)) if word not in _KINDS]


def _text_of(focus: 'Focus') -> str:
    return focus.questions or f'{focus.focus_areas} {focus.schema_hint}'


def _weighed(texts: Sequence[str], focus: 'Focus') -> WeighedQuestion:
    """What is asked for, each term with its weight among the texts; not the kinds of things that all texts have."""
    wanted = asked(_text_of(focus))
    terms = tuple(term for term in wanted.terms if term not in _KINDS)
    found = [terms_of(text) for text in texts]
    frequencies = {term: sum(term in each for each in found) for term in terms}
    return weigh(QueryTerms(terms, wanted.wholes, wanted.phrases), QueryTerms(), frequencies, len(texts))


def _scaled(scores: Sequence[float]) -> list[float]:
    best = max(scores, default=0.0) or 1.0
    return [score / best for score in scores]
