"""Which statements of a text are said: by what they name, by what was asked, by what the text is about."""

from collections.abc import Iterator, Sequence
from itertools import chain, groupby
from typing import NamedTuple

import regex

from summarizer_tool import prompts
from summarizer_tool.extractive import gist
from summarizer_tool.extractive.entities import entities, names_seen
from summarizer_tool.extractive.reading import SourceStatements, read
from summarizer_tool.extractive.statement import Kind, Statement
from summarizer_tool.prompts import NumberedLine
from summarizer_tool.schemas import ChunkSummary, Fact
from summarizer_tool.text import boilerplate_lines, names, scoring, tokens
from summarizer_tool.text.relevance import asked_values, relevances, relevant, speaks
from summarizer_tool.text.scoring import Aim
from summarizer_tool.text.sentences import MAX_WORDS, ended, plain

ANSWERS = 0.7
"""Share of the best answer's relevance from which a statement must survive any cut."""

SAYING_COST = 6
"""Tokens that any statement costs its reader, whatever its length: many scraps are worse than a few sentences."""

SAYING_COST_OF_GIST = 20
"""The same where nothing was asked for, and what is said shall hang together."""

SAYING_COST_OF_TALK = 100
"""The same where people talk, most of whose sentences are short and say nothing without the ones around them."""

DISFLUENT_WEIGHT = 0.4
"""Weight of a sentence that is broken off and begun again, as people speak."""

LEAST_LEADING_WORDS = 5
"""Words of a line from which it is taken for a statement without a closer look."""


class _Candidate(NamedTuple):
    """A statement that may be said."""

    text: str
    evidence: tuple[int, ...]
    item: scoring.Item
    importance: int


def summarize_sources(request: prompts.ParsedRequest, target_tokens: int) -> ChunkSummary:
    """Summarize numbered source lines."""
    aim = Aim.of(request.focus)
    reading = read(request, aim, target_tokens)
    found = reading.statements
    common = frozenset(filter(str.islower, chain.from_iterable(statement.text.split() for statement in found)))
    is_name = names_seen(found, common)
    candidates = list(_candidates(reading, is_name, request.focus, aim))
    items = [each.item for each in candidates]
    said = [candidates[index] for index in sorted(scoring.choose(items, target_tokens, aim, fill=True))]
    facts = [Fact(text=each.text, importance=each.importance, evidence=list(each.evidence)) for each in said]
    # What is out of date is only said beside what stands instead, and never in its place.
    texts = {each.text for each in said}
    facts += [
        Fact(text=each.said(each.text), importance=1, evidence=list(each.evidence))
        for each, newest in reading.former
        if newest in texts
    ]
    said_names = {name for each in said for name in each.item.names}
    return ChunkSummary(facts=facts, entities=entities(found, is_name, said_names, common, target_tokens))


def _candidates(
    reading: SourceStatements, is_name: frozenset[str], focus: prompts.Focus, aim: Aim
) -> Iterator[_Candidate]:
    """The statements with what each is worth to the aim."""
    found, headings = reading.statements, reading.headings
    relevance = _relevances(found, headings, focus)
    language = scoring.language_of_texts(each.text for each in found)
    updates = {newest for _, newest in reading.former}
    # Of those who speak: not of headings.
    is_talk = speaks('' if each.lead.partition(': ')[0] in headings[each.section] else each.lead for each in found)
    cost_of_gist = SAYING_COST_OF_TALK if is_talk else SAYING_COST_OF_GIST
    hangs_together = reading.is_story or is_talk
    saying_cost = cost_of_gist if aim is Aim.GIST else SAYING_COST
    texts = [statement.said(statement.text) for statement in found]
    # One after the other: between other work the tokenizer takes twice as long.
    costs = [tokens.count_cached(text) + 1 for text in texts]
    for index, statement in enumerate(found):
        whole, cost = texts[index], costs[index]
        is_binding = whole in updates or statement.is_opening or statement.text in reading.binding
        mentioned = [name for name in names.mentions(whole) if name in is_name]
        weight = scoring.fact_weight(scoring.MOST_IMPORTANT if is_binding else 3, relevance[index], aim)
        # Not every verb is known by its form, and what answers may be a sentence for all that.
        is_answer = aim is Aim.ANSWER and statement.is_sentence
        weight *= max(statement.kind.weight, Kind.ROW.weight if is_answer else 0.0)
        weight *= gist.share_of_gist(statement, hangs_together=hangs_together) if aim is Aim.GIST else 1.0
        weight *= statement.prominence if not reading.is_story else 1.0
        if statement.lead and _DISFLUENT.search(statement.text):
            weight *= DISFLUENT_WEIGHT
        bonus = scoring.ASKED_BONUS * relevance[index] if aim is Aim.NAMES else 0.0
        matters = scoring.MOST_IMPORTANT if is_binding else statement.kind.importance
        words = scoring.content_words(whole, language)
        values = (f'{statement.section}:{value}' for value in asked_values(statement.text, focus))
        item = scoring.Item(
            cost=cost,
            names=tuple(dict.fromkeys((*map(names.key, mentioned), *values))),
            words=words,
            weight=weight * cost / (cost + saying_cost),
            bonus=bonus + scoring.vital(matters, words, aim),
            section=statement.section,
            variant_of=statement.thing if statement.thing >= 0 else None,
        )
        importance = scoring.MOST_IMPORTANT if relevance[index] > ANSWERS else matters
        yield _Candidate(whole, statement.evidence, item, importance)


def _relevances(found: Sequence[Statement], headings: Sequence[str], focus: prompts.Focus) -> list[float]:
    """How much the paragraph of each statement is about the focus, headings included."""
    if focus == prompts.Focus():
        return [0.0] * len(found)
    paragraphs = [list(group) for _, group in groupby(found, lambda said: (said.section, said.paragraph))]
    texts = [' '.join((headings[group[0].section], *(said.text for said in group))) for group in paragraphs]
    scores = relevances(texts, focus)
    places = [score for group, score in zip(paragraphs, scores, strict=True) for _ in group]
    texts = [said.said(said.text) for said in found]
    above = [f'{headings[said.section]} {text}' for said, text in zip(found, texts, strict=True)]
    return relevant(places, texts, focus, above)


def first_statements(lines: Sequence[NumberedLine], target_tokens: int) -> ChunkSummary:
    """The first statements of numbered lines: what is left to do when there is no time."""
    facts: list[Fact] = []
    room = target_tokens
    for line in lines:
        words = plain(line.text).split()
        text = f'{" ".join(words[:MAX_WORDS])}…' if len(words) > MAX_WORDS else ended(' '.join(words))
        if len(words) >= LEAST_LEADING_WORDS and not boilerplate_lines.is_boilerplate(line.text):
            room -= tokens.count(text) + 1
            if room < 0:
                break
            facts.append(Fact(text=text, evidence=[line.number]))
    return ChunkSummary(facts=facts)


_DISFLUENT = regex.compile(
    r'\b(?:u[hm]+|erm?|mm+|hmm+|mm-hmm)\b| - |\b(\p{L}+),? \1\b|(?:\.\.|…|--)$', regex.IGNORECASE
)
