"""Which statements of a text are said: by what they name, by what was asked, by what the text is about."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, groupby

import regex

from summarizer_tool import prompts
from summarizer_tool.extractive import gist
from summarizer_tool.extractive.entities import entities, names_seen
from summarizer_tool.extractive.outline import LEGAL, outlined
from summarizer_tool.extractive.pointing_back import DENIES, OUTCOME, PRONOUN, SAID_BEFORE, TAKES_BACK
from summarizer_tool.extractive.statement import HeadingSection, Kind, Statement
from summarizer_tool.extractive.statements import statements
from summarizer_tool.extractive.under_headings import under_headings
from summarizer_tool.prompts import NumberedLine
from summarizer_tool.schemas import ChunkSummary, Fact
from summarizer_tool.text import boilerplate_lines, names, scoring, tokens
from summarizer_tool.text.relevance import rare_words, relevances, relevant, speaks
from summarizer_tool.text.sentences import MAX_WORDS, ended, is_whole, plain
from summarizer_tool.text.superseding import superseded

KIND_WEIGHTS = {
    Kind.PROSE: 1.0,
    Kind.DECLARATION: 1.0,
    Kind.MEMBER: 0.15,
    Kind.ROW: 0.6,
    Kind.LIST: 0.4,
    Kind.COMMENT: 0.05,
    Kind.FRAGMENT: 0.02,
    Kind.CODE: 0.02,
    Kind.REFERENCE: 0.02,
}
"""Prose relates what it names; rows and lists are as full of names and state less, code and fragments state nothing."""

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

ROUTINE_TIMES = 3
"""What is said in the same words this many times is routine, such as the answers of an assistant."""

ENOUGH = 0.6
"""Share of the target that the rest must fill, so that routine is left out."""

LEAST_LEADING_WORDS = 5
"""Words of a line from which it is taken for a statement without a closer look."""


def summarize_sources(request: prompts.ParsedRequest, target_tokens: int) -> ChunkSummary:
    """Summarize numbered source lines."""
    aim = scoring.Aim.of(request.focus)
    is_gist = aim is scoring.Aim.GIST
    found: list[Statement] = []
    headings: list[str] = []
    former: list[tuple[Statement, str]] = []
    count = 0
    for source in request.sources:
        said, sections = outlined(source.lines, source.path)
        if not said:
            said, sections = statements(source.lines, source.path)
            said = under_headings(said, sections)
        read = len(said)
        said = _without_halves(said, _TAKEN_BACK if aim is scoring.Aim.NAMES else _HALVES)
        if len(source.path) < 2:  # under the title alone: the text begins here
            said = _with_opening(said, sections, is_gist=is_gist and len(sections) > 1)
        if is_gist:
            said = gist.placed(said, begins=len(source.path) < 2)
        said, outdated = _standing(said, sections)
        if aim is not scoring.Aim.ANSWER:
            said = _without_routine(said, source.lines, target_tokens)
        former += outdated
        if headings:  # of a source before
            said = [
                replace(each, section=each.section + len(headings), thing=each.thing + count if each.thing >= 0 else -1)
                for each in said
            ]
        found += said
        headings += [' '.join(section.titles[-2:]) for section in sections]
        count += read
    found = [statement for statement in found if _says_something(statement)] or found
    updates = {newest for _, newest in former}
    is_story = gist.is_story([each.text for each in found])
    binding = gist.binding(found, headings, target_tokens, is_story=is_story) if is_gist else frozenset[str]()
    found = _translated(found, target_tokens) if is_gist else found
    found = _answering(found, request.focus) if aim is scoring.Aim.ANSWER else _solid(found, target_tokens)
    common = frozenset(filter(str.islower, chain.from_iterable(statement.text.split() for statement in found)))
    is_name = names_seen(found, common)
    relevance = _relevances(found, headings, request.focus)
    language = scoring.language_of_texts(each.text for each in found)
    asked = prompts.Focus(focus_areas=request.focus.focus_areas)
    answers = relevance if asked == request.focus else _relevances(found, headings, asked)
    is_named = rare_words([each.said(each.text) for each in found], request.focus, headings)
    # Of those who speak: not of headings.
    is_talk = speaks('' if each.lead.partition(': ')[0] in headings[each.section] else each.lead for each in found)
    hangs_together = is_story or is_talk
    cost_of_gist = SAYING_COST_OF_TALK if is_talk else SAYING_COST_OF_GIST
    saying_cost = cost_of_gist if is_gist else SAYING_COST
    items: list[scoring.Item] = []
    texts = [statement.said(statement.text) for statement in found]
    # One after the other: between other work the tokenizer takes twice as long.
    costs = [tokens.count_cached(text) + 1 for text in texts]
    answered: list[float] = []
    importance: list[int] = []
    for index, statement in enumerate(found):
        whole, cost = texts[index], costs[index]
        is_update = whole in updates
        is_binding = is_update or statement.is_opening or statement.text in binding
        mentioned = [name for name in names.mentions(whole) if name in is_name]
        weight = scoring.fact_weight(scoring.MOST_IMPORTANT if is_binding else 3, relevance[index], aim)
        # Not every verb is known by its form, and what answers may be a sentence for all that.
        may_be_one = aim is scoring.Aim.ANSWER and statement.kind is Kind.FRAGMENT and not PRONOUN.match(statement.text)
        is_sentence = may_be_one and is_whole(statement.text, '')
        weight *= KIND_WEIGHTS[Kind.ROW if is_sentence or statement.is_decided else statement.kind]
        bonus = scoring.ASKED_BONUS * max(answers[index], float(is_named[index])) if aim is scoring.Aim.NAMES else 0.0
        weight *= gist.share_of_gist(statement, hangs_together=hangs_together) if is_gist else 1.0
        weight *= statement.prominence if not is_story else 1.0
        if statement.lead and _DISFLUENT.search(statement.text):
            weight *= DISFLUENT_WEIGHT
        matters = scoring.MOST_IMPORTANT if is_binding else gist.importance(statement, hangs_together=hangs_together)
        words = scoring.content_words(whole, language)
        items.append(
            scoring.Item(
                cost=cost,
                names=tuple(dict.fromkeys(map(names.key, mentioned))),
                words=words,
                weight=weight * cost / (cost + saying_cost),
                bonus=bonus + scoring.vital(matters, words, aim),
                section=statement.section,
                variant_of=statement.thing if statement.thing >= 0 else None,
            )
        )
        answered.append(max(answers[index], float(is_named[index])))
        importance.append(matters)
    chosen = _extended(scoring.choose(items, target_tokens, aim, fill=True), items, target_tokens)
    facts = [
        Fact(
            text=texts[index],
            importance=5 if answered[index] > ANSWERS else importance[index],
            evidence=list(found[index].evidence),
        )
        for index in sorted(chosen)
    ]
    # What is out of date is only said beside what stands instead, and never in its place.
    spoken = {texts[index] for index in chosen}
    facts += [
        Fact(text=each.said(each.text), importance=1, evidence=list(each.evidence))
        for each, newest in former
        if newest in spoken
    ]
    said_names = {name for index in chosen for name in items[index].names}
    return ChunkSummary(facts=facts, entities=entities(found, is_name, said_names, common, target_tokens))


def _extended(chosen: Sequence[int], items: Sequence[scoring.Item], target_tokens: int) -> list[int]:
    """The choice, with what points back to its sentences said together with them as far as there is much room.

    The last choice, among the facts of all chunks, has less of it, and a long fact may be too long for that.
    """
    left = target_tokens // 2 - sum(items[index].cost for index in chosen)
    extended: list[int] = []
    for index in chosen:
        longest = index
        while longest + 1 < len(items) and items[longest + 1].variant_of == items[index].variant_of is not None:
            extra = items[longest + 1].cost - items[longest].cost
            if extra > left:
                break
            longest, left = longest + 1, left - extra
        extended.append(longest)
    return extended


def _with_opening(said: list[Statement], sections: Sequence[HeadingSection], *, is_gist: bool) -> list[Statement]:
    """The statements of the beginning of a text, with what tells what it is about marked as such.

    For an overview it is told with the title above it, if it names nothing itself.
    """
    named = next((place for place, each in enumerate(said[:_OPENING]) if _DECLARES.match(each.text)), None)
    if named is not None and said[named].kind is Kind.FRAGMENT:
        said[named] = replace(said[named], text=ended(said[named].text), kind=Kind.DECLARATION)
    # Below a heading, where names were asked for, since those of a title are said first; of an overview, which has any.
    saying = (
        place
        for place, each in enumerate(said[:_OPENING])
        if not each.lead
        and not LEGAL.search(each.text)
        and not _BYLINE.search(each.text)
        and (_opens(each, sections[each.section]) if is_gist else each.section and each.kind is Kind.PROSE)
    )
    # Names of programs are in small letters, titles of pages are not.
    first = named if is_gist and named is not None and said[named].text[0].islower() else next(saying, None)
    if first is not None:
        kind = Kind.PROSE if said[first].kind is Kind.FRAGMENT else said[first].kind
        said[first] = replace(said[first], is_opening=True, kind=kind)
        section = said[first].section
        *_, title = '', *sections[section].titles
        *_, number = 0, *sections[section].numbers
        text = said[first].text
        said_names = (
            each for each in names.mentions(text) if not (each[0].isdigit() or names.opens_sentence(text, each))
        )
        is_named = any(said_names) or title in text or first == named
        if is_gist and not is_named and number and len(title) <= _LONGEST_TITLE:
            said[first] = replace(said[first], lead=title, evidence=(*said[first].evidence, number))
    return said


def _opens(statement: Statement, section: HeadingSection) -> bool:
    """Return whether something is a sentence, or ends as a short one does that names what the heading above it does."""
    return statement.is_sentence or (
        statement.text.endswith('.') and section.titles[-1:] == (statement.text.split()[0],)
    )


def _answering(found: list[Statement], focus: prompts.Focus) -> list[Statement]:
    """The statements without the lines of code that have no word of what is asked."""
    asked = {*scoring.content_words(focus.questions or focus.focus_areas)}
    return [
        each
        for each in found
        if each.kind is not Kind.CODE or not asked.isdisjoint(scoring.content_words(_apart(each.text)))
    ] or found


def _solid(found: list[Statement], target_tokens: int) -> list[Statement]:
    """The statements without references and lines of code, and without scraps where the others fill the room."""
    found = [each for each in found if each.kind not in (Kind.REFERENCE, Kind.CODE)] or found
    solid = [each for each in found if each.kind not in _SCRAPS]
    return solid if sum(len(each.text) for each in solid) > gist.CHARACTERS_PER_TOKEN * target_tokens else found


def _translated(found: list[Statement], target_tokens: int) -> list[Statement]:
    """The statements without those in another script than most of the text has, where the others fill the room."""
    is_latin = _is_latin(' '.join(each.text for each in found))
    own = [each for each in found if _is_latin(each.text) == is_latin]
    fills = len(own) < len(found) and sum(tokens.count_cached(each.text) for each in own) > target_tokens
    return own if fills else found


def _is_latin(text: str) -> bool:
    """Return whether most words of a text are in Latin letters, of which a word has about three times as many."""
    return text.isascii() or 4 * len(_OTHER_LETTERS.findall(text)) <= sum(map(str.isalpha, text))


def _standing(
    said: list[Statement], sections: Sequence[HeadingSection]
) -> tuple[list[Statement], list[tuple[Statement, str]]]:
    """The statements without those that a later one puts out of date; and these, each with what stands instead."""
    claims = [index for index, each in enumerate(said) if each.kind in (Kind.PROSE, Kind.LIST, Kind.FRAGMENT)]
    later_of = superseded(
        [said[index].said(said[index].text) for index in claims],
        [' / '.join(sections[said[index].section].titles) for index in claims],
    )
    former: list[tuple[Statement, str]] = []
    for place, later in later_of.items():
        while later in later_of:
            later = later_of[later]
        newest = said[claims[later]]
        former.append((said[claims[place]], newest.said(newest.text)))
    outdated = {claims[place] for place in later_of}
    return [each for index, each in enumerate(said) if index not in outdated], former


def _without_halves(said: list[Statement], halves_by: regex.Pattern[str]) -> list[Statement]:
    """The statements without those that stand in another one, too, with a sentence that takes them back."""
    last: dict[int, int] = {}
    halves: set[int] = set()
    for index, longer in enumerate(said):
        at = last.get(longer.thing)
        if at is not None and longer.text.startswith(said[at].text):
            more = longer.text[len(said[at].text) + 1 :]
            halves.update([at] if halves_by.match(more) or SAID_BEFORE.search(said[at].text) else [])
        if longer.thing >= 0:
            last[longer.thing] = index
    return [each for index, each in enumerate(said) if index not in halves]


def _without_routine(said: list[Statement], lines: Sequence[NumberedLine], target_tokens: int) -> list[Statement]:
    """The statements without those whose lines stand there again and again, where the others fill the room."""
    text_of = {line.number: line.text for line in lines}
    times = Counter(text_of.values())
    news = [each for each in said if times[text_of[each.evidence[0]]] < ROUTINE_TIMES or gist.binds(each.text)]
    fills = len(news) < len(said) and sum(tokens.count_cached(each.text) for each in news) > ENOUGH * target_tokens
    return news if fills else said


def _relevances(found: Sequence[Statement], headings: Sequence[str], focus: prompts.Focus) -> list[float]:
    """How much the paragraph of each statement is about the focus, headings included."""
    if focus == prompts.Focus():
        return [0.0] * len(found)
    paragraphs = [list(group) for _, group in groupby(found, lambda said: (said.section, said.paragraph))]
    texts = [' '.join((headings[group[0].section], *(_apart(said.text) for said in group))) for group in paragraphs]
    scores = relevances(texts, focus)
    places = [score for group, score in zip(paragraphs, scores, strict=True) for _ in group]
    texts = [_apart(said.said(said.text)) for said in found]
    above = [f'{headings[said.section]} {text}' for said, text in zip(found, texts, strict=True)]
    return relevant(places, texts, focus, above)


def _apart(text: str) -> str:
    """A text with the words of its identifiers behind it: `pageSize` is about the size of a page."""
    if not _HAS_HUMP.search(text):  # found much faster than the words are
        return text
    return ' '.join((text, *(_HUMP.sub(' ', word) for word in _HUMPED.findall(text))))


_OTHER_LETTERS = regex.compile(r'[^\P{L}\p{Latin}]')
_HAS_HUMP = re.compile(r'[A-Z](?<=[a-z\d].)')
_HUMP = regex.compile(r'(?<=[a-z\d])(?=[A-Z])')
_HUMPED = regex.compile(r'\b\w+?[a-z\d][A-Z]\w*')


_TAKEN_BACK = regex.compile(f'{OUTCOME.pattern}|{DENIES.pattern}')
_HALVES = regex.compile(f'{TAKES_BACK.pattern}|{_TAKEN_BACK.pattern}')

_OPENING = 50
"""Statements among which a text says what it is about."""
_LONGEST_TITLE = 80
"""Characters of a title that is told with what tells what a text is about."""
_SCRAPS = (Kind.FRAGMENT, Kind.COMMENT)
# `By Ada Orme · 12 May`, `Weir & Sons Ltd — Safety Dept.`
_BYLINE = regex.compile(
    r'^[Bb]y \p{Lu}\p{L}+ \p{Lu}| [·|•] '
    r'|^(?:\p{Lu}[\p{L}.&]*|&|of|and|the)(?: (?:[\p{Lu}&–—-][\p{L}.]*|of|and|the)){0,20}$'
)
# `ls - list directory contents`
_DECLARES = regex.compile(r'^[\p{L}\d][\w.+@:/-]*(?:, [\w.+@:/-]+)* [-–—] \p{L}[^.;]{2,120}$')

_LEAST_CONTENT = 2
"""Words with a meaning, below which a statement says nothing: "Right.", "Mm-hmm, okay."."""
_WHEN = re.compile(r'[\[(]?\d{1,2}(?::\d\d){1,2}[\])]?\.?')
_DISFLUENT = regex.compile(
    r'\b(?:u[hm]+|erm?|mm+|hmm+|mm-hmm)\b| - |\b(\p{L}+),? \1\b|(?:\.\.|…|--)$', regex.IGNORECASE
)


def _says_something(statement: Statement) -> bool:
    """Return whether a statement has words of content or a number, and is no number alone, nor when it was said."""
    text = statement.text
    if _WHEN.fullmatch(text) or not (statement.lead or any(map(str.isalpha, text))):
        return False
    return len(text) >= 40 or any(map(str.isdigit, text)) or len(scoring.content_words(text)) >= _LEAST_CONTENT


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


def merge_facts(request: prompts.ParsedRequest, target_tokens: int) -> ChunkSummary:
    """Choose among numbered facts."""
    lines = [line for source in request.sources for line in source.lines]
    aim = scoring.Aim.of(request.focus)
    relevance = relevances([line.text for line in lines], request.focus)
    items = [
        scoring.Item(
            cost=tokens.count_cached(line.text) + 1,
            names=tuple(dict.fromkeys(map(names.key, names.mentions(line.text)))),
            words=scoring.content_words(line.text),
            weight=scoring.fact_weight(3, relevance[index], aim),
        )
        for index, line in enumerate(lines)
    ]
    chosen = scoring.choose(items, target_tokens, aim, fill=True)
    facts = [Fact(text=lines[index].text, evidence=[lines[index].number]) for index in sorted(chosen)]
    return ChunkSummary(facts=facts)
