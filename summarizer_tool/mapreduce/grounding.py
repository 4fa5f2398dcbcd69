"""Check each fact against the lines it cites: what it names must stand there, or at least in its chunk.

No model is needed: names, dates and numbers are looked up as words, in one form for what writers write in several
(`text/normalize.py`). A fact whose names stand on other lines than it cites gets those lines as evidence; a fact that
names what stands nowhere, or only where something else is spoken of, is dropped, and counted, and so is one that its
own sentence contradicts (`contradiction.py`). Numbers in words ("three") are not looked up: they may count what is
there.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain

import regex

from summarizer_tool.mapreduce.contradiction import closest, contradicts, has_other_unit, stands_in
from summarizer_tool.prompts import NumberedLine
from summarizer_tool.schemas import ChunkSummary, Fact
from summarizer_tool.text import names
from summarizer_tool.text.boilerplate_lines import is_boilerplate
from summarizer_tool.text.lines import SPACELESS, is_heading, one_line
from summarizer_tool.text.normalize import amounts, asked, inflections, measures, relatives, sequence, stated
from summarizer_tool.text.terms import stem

MAX_EVIDENCE = 8
"""Lines one fact may cite; a statement that rests on more is a summary of its chunk, and the first ones lead there."""

MAX_TOGETHER = 3
"""The parts of one name may stand on different lines of up to so many cited ones; a fact that cites more is vague."""

COMMON = 200
"""Lines up to which a word tells where a fact stands."""

NEAR = 40
"""Lines under one heading within which a text speaks of one thing."""

LEAST_TIED = 0.4
"""Share of the other words of a fact that a line farther off must have for the fact to rest on it, too."""

LEAST_OVERLAP = 0.5
"""Share of the content words that a fact without sound evidence must have in common with its chunk."""

# What models put around a statement although nobody asked: the number of its line, a bullet, its citation.
_LEAD = regex.compile(r'^(?:[-*•]\s+)+')
_NUMBER = regex.compile(r'^(\d{1,9})(?:([|:.)])\s*|\s+)(?=\S)')
_CITATION = regex.compile(r'\s*(?:\[|\()(lines?\s+)?(\d{1,9}(?:\s*[-–,]\s*\d{1,9})*)(?:\]|\))(?=\.?$)')
_WORD = regex.compile(rf'[^\s{SPACELESS}]+')
_MARKS = ' #*_`.:'
_SMALL = frozenset(('of', 'the', 'and'))
_INITIAL = regex.compile(r'\b\p{L}\.\s?')
_OPENS = regex.compile(r'(?:^|[.!?:;]\s+)["“\'(*_]*$')
_MONTH = regex.compile(r'(?i)\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)')

# How English nouns and adjectives that can begin a sentence without an article end: plurals and abstracta.
_ORDINARY = regex.compile(
    r'(?i)^(?:\p{L}{2,}(?:[^aiosuy]s|ies|es|ing|ed|ly|tion|sion|ment|ness|ity|ance|ence|ism|ship|hood|age|ure|ive|ous|ful|less'
    r'|able|ible|ical|ary)|people|trade|food|water|access|damage|part|life|death|war|peace|magic|power|men|women|children'
    r'|work|legend|history|local|old|new|young|great|small|big|main|total|full|high|low|long|short|good|bad|free|real)$'
)


@dataclass(frozen=True, slots=True)
class Grounding:
    """The part of a ChunkSummary that its lines support, and the counts of the rest."""

    facts: list[Fact]
    """Their evidence is ascending, at least one line of the request."""
    entities: list[str]
    unsupported: int
    """Facts dropped."""
    repaired: int
    """Facts whose evidence was corrected."""


class _Lines:
    """The lines of a request, by number and by word."""

    def __init__(self, lines: Sequence[NumberedLine], context: str) -> None:
        self.texts = {line.number: line.text for line in lines}
        # Read when first asked for: most facts are sound, and their own lines are enough.
        self.words = cache(self._words)
        self.sequence = cache(self._sequence)
        self.context = stated(context)
        self.headings = {line.text.strip(_MARKS) for line in lines if is_heading(line.text)}

    def _words(self, number: int) -> frozenset[str]:
        return stated(self.texts.get(number, ''))

    def _sequence(self, number: int) -> list[str]:
        return sequence(self.texts.get(number, ''))

    @cached_property
    def _stems(self) -> frozenset[str]:
        return frozenset(stem(known) for known in (*self.on, *self.context))

    @cached_property
    def _beginnings(self) -> dict[str, str]:
        vocabulary = sorted({*self.on, *self.context}, reverse=True)  # the same in every process
        return {begin: known for known in vocabulary for begin in inflections(known)}

    @cached_property
    def on(self) -> dict[str, list[int]]:
        """The numbers of the lines that each word stands on, ascending."""
        on: dict[str, list[int]] = {}
        for number in self.texts:
            for word in self.words(number):
                on.setdefault(word, []).append(number)
        return on

    @cached_property
    def running_text(self) -> str:
        """All lines as one text, case-folded."""
        return '\n'.join(self.texts.values()).casefold()

    def holds(self, word: str) -> bool:
        return word in self.on or word in self.context

    def together(self, numbers: Iterable[int]) -> frozenset[str]:
        return frozenset(word for number in numbers for word in self.words(number))

    def say(self, text: str, numbers: Sequence[int]) -> bool:
        """Return whether a text stands on one of the lines, or its words do on a few that follow each other."""
        if any(stands_in(text, self.texts[number]) for number in numbers):
            return True
        lines = range(min(numbers, default=0), max(numbers, default=-1) + 1)
        if len(numbers) < 2 or any(self.words(number) for number in lines if number not in numbers):
            return False
        there = [word for number in lines for word in self.sequence(number)]
        return f' {" ".join(sequence(text))} ' in f' {" ".join(there)} '

    def locate(self, wanted: frozenset[str], spelled: str, near: Sequence[int]) -> list[int] | None:
        """The lines that together state `wanted`: none if the headings do, one, or two if that is how it stands.

        `spelled` is the name, date or number as it is written; of several lines the nearest to `near` is meant.
        """
        wanted -= self.context | _SMALL
        if not wanted:
            return []
        if not all(word in self.on for word in wanted):
            return None
        rarest = min(wanted, key=lambda word: (len(self.on[word]), word))
        candidates = [number for number in self.on[rarest] if wanted <= self.words(number)]
        if candidates:
            return [_nearest(candidates, near)]
        return self._scattered(wanted, spelled, near)

    def _scattered(self, wanted: frozenset[str], spelled: str, near: Sequence[int]) -> list[int] | None:
        """Most of a name on one line and its title or first name on another; a date under its year."""
        held = Counter(chain.from_iterable(self.on[word] for word in wanted))
        most = max(held.values())
        if 2 * most < len(wanted) or (2 * most == len(wanted) and not _MONTH.search(spelled)):
            return None
        best = _nearest([number for number, times in held.items() if times == most], near)
        rest = wanted - self.words(best)
        others = [number for number in self.on[next(iter(rest))] if rest <= self.words(number)]
        return [best, _nearest(others, [best])] if others else None

    def kin(self, word: str) -> str | None:
        """A word of the chunk of which `word` is another form: derived from it, or in another grammatical case."""
        for other in relatives(word):
            if self.holds(other):
                return other
        return next((self._beginnings[begin] for begin in inflections(word) if begin in self._beginnings), None)

    def has_common(self, word: str, folded: Iterable[str]) -> bool:
        """Return whether the chunk has a word in lower case, or not as it is but one of the same stem."""
        there = [number for form in folded for number in self.on.get(form, ())]
        if there:
            return any(word.lower() in self.texts[number] for number in there)
        return stem(word.casefold()) in self._stems

    @cached_property
    def _sections(self) -> dict[int, int]:
        """The line of the heading under which each line stands."""
        heading = 0
        sections: dict[int, int] = {}
        for number, text in self.texts.items():
            heading = number if is_heading(text) else heading
            sections[number] = heading
        return sections

    def belongs(self, number: int, cited: Sequence[int], words: frozenset[str]) -> bool:
        """Return whether a line may speak of the same as the cited ones: it is near them, or says much of `words`."""
        if not cited or any(
            abs(number - each) <= NEAR and self._sections[number] == self._sections[each] for each in cited
        ):
            return True
        wanted = {word for word in words if len(word) > 3 or word[0].isdigit()}
        return len(wanted & self.words(number)) >= LEAST_TIED * len(wanted)

    def are_boilerplate(self, numbers: Sequence[int]) -> bool:
        """Return whether some lines, if there are any, say nothing of their own."""
        return all(is_boilerplate(self.texts[number]) for number in numbers)

    def are_one(self, word: str, other: str) -> bool:
        """Return whether two words stand beside each other somewhere, as the parts of a name do."""
        text = self.running_text
        return f'{word} {other}'.casefold() in text or f'{other} {word}'.casefold() in text

    def best_for(self, text: str, least: float) -> int | None:
        """The line with most of the words of `text`, if the chunk has at least that share of them."""
        wanted = content(text)
        if not wanted or sum(word in self.on for word in wanted) < least * len(wanted):
            return None
        # A word that is nearly everywhere leads to no line, as long as there are others.
        telling = [word for word in wanted if len(self.on.get(word, ())) <= COMMON] or wanted
        found = {number for word in telling for number in self.on.get(word, ())}
        return max(found, key=lambda number: (len(wanted & self.words(number)), -number)) if found else None


def _nearest(candidates: Sequence[int], near: Sequence[int]) -> int:
    return min(candidates, key=lambda number: (min((abs(number - each) for each in near), default=0), number))


def content(text: str) -> frozenset[str]:
    """The words of `text` that say what it is about: the longer ones, and all in scripts without spaces."""
    return frozenset(word for word in asked(text) if len(word) > 3 or not word.isascii() or word[0].isdigit())


def ground(summary: ChunkSummary, lines: Sequence[NumberedLine], context: str = '') -> Grounding:
    """Hold a ChunkSummary against the lines it was made from, and the headings and titles beside them (`context`)."""
    known = _Lines(lines, context)
    called = frozenset(word for entity in summary.entities for word in asked(entity))
    kept: list[Fact] = []
    unsupported = repaired = 0
    for fact in summary.facts:
        text = _statement(fact.text, fact.evidence, known.texts)
        cited = list(dict.fromkeys(number for number in fact.evidence if number in known.texts))
        evidence = _evidence(text, cited, known, called)
        is_empty = known.are_boilerplate(evidence)
        if evidence and is_empty:  # cited at random: it may stand elsewhere
            is_empty = known.are_boilerplate(evidence := _evidence(text, [], known, called))
        if is_empty:
            unsupported += 1
            continue
        repaired += set(evidence) != set(fact.evidence)
        kept.append(fact.model_copy(update={'text': text, 'evidence': sorted(evidence)}))
    entities: dict[str, str] = {}
    for name in dict.fromkeys(summary.entities):
        entity = one_line(name.encode('utf-8', 'replace').decode())
        if (words := asked(entity)) and (
            entity.casefold() in known.running_text or known.locate(words, entity, ()) is not None
        ):
            entities.setdefault(names.key(entity), entity)
    return Grounding(kept, list(entities.values()), unsupported, repaired)


def _statement(text: str, cited: Sequence[int], lines: Mapping[int, str]) -> str:
    """The statement on one line, without the number, bullet or citation that a model has put around it."""
    text = _LEAD.sub('', one_line(text.encode('utf-8', 'replace').decode()))
    number = _NUMBER.match(text)
    if (
        number
        and int(number[1]) in cited
        and not any(number[1] in lines.get(line, '') for line in cited)
        # `12 guards` may count them, where the line says `Twelve guards`.
        and (number[2] or lines.get(int(number[1]), '').startswith(text[number.end() :].partition(' ')[0]))
    ):
        text = _LEAD.sub('', text[number.end() :])
    citation = _CITATION.search(text) if text.endswith((']', ')', '].', ').')) else None
    if citation and (citation.group(1) or set(map(int, regex.findall(r'\d+', citation.group(2)))) <= set(cited)):
        text = text[: citation.start()] + text[citation.end() :]
    return text


def _evidence(text: str, cited: list[int], known: _Lines, called: frozenset[str]) -> list[int]:
    """The lines that support a fact, the cited ones first; empty if it names something that stands nowhere."""
    if not any(character.isalnum() for character in text):
        return []
    # Neither a word nor a heading says anything of anything.
    if (_WORD.fullmatch(text) and text not in known.texts.values()) or text.strip(_MARKS) in known.headings:
        return []
    if known.say(text.rstrip('.'), cited):
        return _fewest(text, cited, known)
    said = asked(text)
    if _is_contradicted(text, cited, known):
        return []
    if any(said <= known.words(number) for number in cited):
        return _fewest(text, cited, known)
    # What the number before it counts, as in `80 Tonnen`, is no name.
    mentioned = [
        mention
        for mention in names.mentions(text)
        if not text[: text.find(mention)].rstrip()[-1:].isdigit() or not any(measures(f'1 {mention}')['1'][0])
    ]
    if not cited:
        best = known.best_for(text, 0.0 if mentioned else LEAST_OVERLAP)
        cited = [] if best is None else [best]
        if _is_contradicted(text, cited, known):
            return []
    elif not mentioned and not _overlaps(text, cited, known):
        best = known.best_for(text, LEAST_OVERLAP)
        return [] if best is None else [best]
    added: list[int] = []
    for mention in mentioned:
        near = [*cited, *added]
        found = _locate(mention, text, near, known, called)
        if found is None or not all(known.belongs(number, near, said - asked(mention)) for number in found):
            return []
        added += found
    if added:
        cited = [number for number in cited if _overlaps(text, [number], known)]
    return _fewest(text, list(dict.fromkeys([*cited, *added])), known)


def _is_contradicted(text: str, cited: Sequence[int], known: _Lines) -> bool:
    """Return whether the sentence of the cited lines that is most like a fact says otherwise."""
    # No other line is nearer than those that have all of its words.
    is_held = content(text) <= known.together(cited)
    nearest = None if is_held else known.best_for(text, LEAST_OVERLAP)
    numbers = cited if nearest is None else dict.fromkeys([*cited, nearest])
    line, sentence = closest(text, {number: known.texts[number] for number in numbers})
    others = known.together(number for number in cited if number != line)
    evidence = '\n'.join(known.texts[number] for number in numbers)
    return has_other_unit(text, evidence) or contradicts(text, sentence, others.__contains__, known.are_one)


def _locate(
    mention: str, text: str, near: Sequence[int], known: _Lines, called: frozenset[str]
) -> Iterable[int] | None:
    """The lines beside `near` that state a mention, in whatever form; None if it stands nowhere."""
    together = known.together(near) if len(near) <= MAX_TOGETHER else frozenset[str]()
    for wanted in _forms(mention, text, known, called):
        if wanted <= together or any(wanted <= known.words(number) for number in near):
            return ()
        found = known.locate(wanted, mention, near)
        if found is not None:
            return found
        if wanted <= together | known.context:
            return ()
        for number in near:
            if wanted <= known.words(number) | known.words(number + 1):
                return (number + 1,)
    return None


def _forms(mention: str, text: str, known: _Lines, called: frozenset[str]) -> Iterator[frozenset[str]]:
    """The words that must stand somewhere for a mention to be supported, in the forms it may have there."""
    wanted = asked(mention)
    yield wanted
    place = text.find(mention)
    yield from (frozenset([value]) for value in amounts(text, place))
    if '.' in mention and (bare := asked(_INITIAL.sub('', mention))):
        yield bare
    if '.' in mention or '-' in mention:
        yield asked(regex.sub(r'[.-]', '', mention))
    kin = {word: word if known.holds(word) else known.kin(word) for word in wanted}
    if all(kin.values()):
        yield frozenset(other for other in kin.values() if other)
    first = mention.split(' ', 1)[0]
    if _OPENS.search(text, 0, place) and (opener := asked(first)) and not opener & called and not first[0].isdigit():
        # A capital at the beginning of a sentence makes no name.
        word = ''.join(character for character in first if character.isalpha())
        if known.has_common(word, opener) or _ORDINARY.match(word):
            yield (bare := wanted - opener)
            yield frozenset(kin[word] or word for word in bare)


def _overlaps(text: str, evidence: Sequence[int], known: _Lines) -> bool:
    """Return whether a fact has a content word in common with what it cites."""
    wanted = content(text)
    there = known.together(evidence)
    if not wanted or wanted & there:
        return True
    stems = {stem(word) for word in there if len(word) > 3}
    return any(stem(word) in stems for word in wanted)


def _fewest(text: str, evidence: list[int], known: _Lines) -> list[int]:
    """At most `MAX_EVIDENCE` lines: those that have most in common with the fact."""
    if len(evidence) <= MAX_EVIDENCE:
        return evidence
    wanted = content(text)
    return sorted(evidence, key=lambda number: -len(wanted & known.words(number)))[:MAX_EVIDENCE]
