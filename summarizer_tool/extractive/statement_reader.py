"""What a text states, collected line by line: sentences with whom they speak of, items and rows said together."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import regex

from summarizer_tool.extractive.pointing_back import DENIES, POINTS_BACK, PRONOUN
from summarizer_tool.extractive.printed import is_printed
from summarizer_tool.extractive.section_subject import SectionSubject, named_in
from summarizer_tool.extractive.speakers import turn_of
from summarizer_tool.extractive.statement import HeadingSection, Kind, Statement
from summarizer_tool.extractive.under_headings import NUMBERING, is_name, subject_of
from summarizer_tool.prompts import NumberedLine
from summarizer_tool.text import boilerplate_lines, names
from summarizer_tool.text.lines import word_count
from summarizer_tool.text.references import opens_references
from summarizer_tool.text.scoring import content_words
from summarizer_tool.text.sentences import VERB, Sentence, bare, is_whole, plain, sentences, shown
from summarizer_tool.text.stop_words import is_stop_word

_GROUP_WORDS = 24
"""Words of short items that are said together."""

_LONGEST_ABOUT = 30
"""Characters of a heading without a name that is said with rows of labels and values, as what these are."""

_PAIR_WORDS = 12
"""The same of rows of labels and values, any of which may be what was asked for."""

ASIDE_REACH = 60
"""Characters up to which a sentence within a paragraph may be boilerplate: "See Calendar."."""

_ANTECEDENT_REACH = 300
"""Characters of what a sentence that points back is said together with."""

LONGEST_LEAD = 120
"""Characters of a sentence that leads to a list and is said with each part of it."""

# A mark of emphasis that goes on over several sentences.
_OPEN_MARK = regex.compile(r'^((?:\p{Lu}[^:*_]{0,40}: (?=\*+\p{Lu}))?)(\*{1,3}|_{1,3})(?=\p{L})(?!.*\2)')
_EDITORIAL = regex.compile(r'^\[[^\[\]]*\]?$|^[^\[\]]*\]$')
# How people go on who speak.
_AND_SO = regex.compile(r'^((?:And|But|Because|Now|Okay|So|Then|Well|Yeah|I mean)\b,? )+(\p{L})')
# "See X for details", "For more, see X": it says nothing but where something is said.
_ELSEWHERE = regex.compile(
    r'^(?:(?:[Pp]lease )?(?:See|Refer to)\b'
    r'|(?:(?:For|To|If)\b[^.;:]{0,140},|For (?:additional|details|further|information|more)\b[^.;:]{0,140})'
    r' (?:see|refer to|please (?:check|see|visit|consult))\b)'
    r'(?! (?:an?|Drs?|if|that|to|whether|your)\b)'
    r'|^(?:\p{L}+ )?[Tt]hanks,? (?:to )?@(?!.*(?:: |, \p{Ll}+ \p{Ll}))'
    r'|^(?:Siehe|(?:Mehr|Weitere) Informationen|Voir|Véase|Veja|Vedi|Zie)\b'
)
# Without it what stands below would hold always.
_HOLDS_IF = regex.compile(r'(?:After|Before|During|If|In (?:case|the event)|Unless|Until|Upon|When|Where)\b[^.;]*:$')
# `Best case:`
_LABEL_WORDS = 3
_AMID = regex.compile(r'["“„«‘(]?\p{Ll}')
_LABEL = regex.compile(r'[\p{Latin}\p{P}\s]*[^.!?]')


def breaks_off(before: str, text: str) -> bool:
    """Return whether a line ends amid a sentence, and the next one goes on with it."""
    is_open = before.rstrip(' )]"\'”’»')[-1:] not in '.!?:;。！？'
    return is_open and (text[:1].islower() or len(before) >= ASIDE_REACH)


NOTHING = Sentence('', ())


@dataclass(slots=True)
class StatementReader:
    """Where the reading of one source stands."""

    sections: list[HeadingSection]
    language: str = 'en'
    speakers: frozenset[str] = frozenset()
    labels: frozenset[str] = frozenset()
    """What begins a line of its own before a colon: speakers, and fields."""
    is_chat: bool = False
    """Whether nearly all lines begin with who speaks."""
    talk: range = range(0)
    """The lines of a conversation: what begins without a name before or after them is nobody's."""
    speaker: tuple[str, int] | None = None
    """Who speaks, in a conversation, and the line that says so."""
    out: list[Statement] = field(default_factory=list[Statement])
    levels: list[int] = field(default_factory=list[int])
    paragraph_count: int = 0
    paragraph: list[NumberedLine] = field(default_factory=list[NumberedLine])
    items: list[NumberedLine] = field(default_factory=list[NumberedLine])
    item_indent: int = 0
    """How far the last item stands in."""
    columns: list[str] = field(default_factory=list[str])
    column_line: int = 0
    pairs: list[NumberedLine] = field(default_factory=list[NumberedLine])
    """The rows at hand of a table of labels and values."""
    is_item: bool = False
    """Whether what is said is a list item's, which speaks of what its first words name."""
    is_listed: bool = False
    """Whether items stand below what leads to the list at hand."""
    leads_away: bool = False
    """Whether the list at hand is one of other pages."""
    references: int | None = None
    """The level of the heading over the list of references at hand, if any."""
    quoted: int = 0
    """How many `>` the lines at hand stand behind."""
    before: Sentence = NOTHING
    """The last sentence of the paragraph before, those of quotations aside."""
    quotes: list[Sentence] = field(default_factory=list[Sentence])
    """The last sentence before the quotations at hand, outermost first."""
    lead_ins: list[tuple[int, Sentence]] = field(default_factory=list[tuple[int, Sentence]])
    """The items that lead to the lists at hand, outermost first, each with how far it stands in."""
    subject: SectionSubject = field(init=False)
    """Whom the section at hand is about."""
    term: Sentence = NOTHING
    """What the definition at hand defines, which is said of what stands below it further in than `term_indent`."""
    term_indent: int = 0
    question: Sentence = NOTHING
    """What the heading at hand asks, or an item, until something answers it."""
    asked: int = 0
    """How much had been said after that item."""

    def __post_init__(self) -> None:
        self.subject = SectionSubject(self.sections[-1])

    @property
    def is_conversation(self) -> bool:
        """Whether paragraphs are those of people who speak."""
        return len(self.talk) > 0

    def open_section(self, level: int, title: str, number: int) -> None:
        """Go on under a heading, which may have marks."""
        self.flush()
        title = plain(title)
        depth = sum(open_level < level for open_level in self.levels)
        self.levels[depth:] = [level]
        above = self.sections[-1]
        self.sections.append(HeadingSection((*above.titles[:depth], title), (*above.numbers[:depth], number)))
        self.subject = SectionSubject(self.sections[-1])
        self.speaker, self.before, self.term = None, NOTHING, NOTHING
        self.lead_ins.clear()
        asks = title.endswith(('?', '？'))
        self.question = Sentence(NUMBERING.sub('', title).rstrip('?？ '), (number,)) if asks else NOTHING
        self.asked = 0
        self.leads_away = boilerplate_lines.leads_away(title)
        if opens_references(title):
            self.references = level
        elif self.references is not None and level <= self.references:
            self.references = None

    def say(self, text: str, evidence: Iterable[int], kind: Kind = Kind.PROSE, lead: str = '') -> None:
        """Say something, with the heading it needs if it begins with a pronoun."""
        text, lead = shown(text), shown(lead)
        if not any(map(str.isalnum, text)) or (len(text) < ASIDE_REACH and boilerplate_lines.is_boilerplate(text)):
            return
        lines, thing = tuple(dict.fromkeys(evidence)), len(self.out)
        section = len(self.sections) - 1
        opens = not (self.out and self.out[-1].section == section)
        if not lead and kind in (Kind.PROSE, Kind.FRAGMENT):
            lead, kind, said_on = self._about(text, kind)
            lines = (*lines, *filter(None, said_on))
        if (question := self.question).text and kind in (Kind.PROSE, Kind.FRAGMENT):
            if not (lead or text.endswith('?') or {*content_words(question.text)} <= {*content_words(text)}):
                is_asked = self.asked == thing > 0
                lead, kind = question.text, Kind.PROSE if opens or is_asked else kind
                lines = (*lines, *filter(None, question.evidence))
                if is_asked:
                    thing = self.out.pop().thing
            self.question = NOTHING
        before, kind = self._needed(text, kind, lead)
        if before is not None:
            if DENIES.match(text):  # alone the other would mislead
                self.out.pop()
            text, lead, thing = f'{before.text} {text}', before.lead, before.thing
            lines = tuple(dict.fromkeys((*before.evidence, *lines)))
        self.out.append(Statement(text, lines, section, self.paragraph_count, kind, lead, thing))

    def _about(self, text: str, kind: Kind) -> tuple[str, Kind, Sequence[int]]:
        """The term or the heading that something is said with, where it needs one, its kind then, and their lines."""
        above = self.sections[-1]
        if self.term.text:
            points_back = PRONOUN.match(text) or POINTS_BACK.match(text)
            is_understood = self.term.text in text or (points_back and self._sentence_before())
            return ('', kind, ()) if is_understood else (self.term.text, kind, self.term.evidence)
        lead = self.subject.heading_for(text, self.paragraph_count) if kind is Kind.PROSE else ''
        return lead, kind, above.numbers[-1:] if lead else ()

    def _needed(self, text: str, kind: Kind, lead: str) -> tuple[Statement | None, Kind]:
        """The statement without which one is not understood, or misleads, and the kind of the latter."""
        is_spoken = bool(lead) and self._speaks(lead)
        begins = _AND_SO.sub(lambda said: said[2].upper(), text) if is_spoken else text
        if not lead and DENIES.match(text):
            kind = Kind.PROSE
        elif (lead and not is_spoken) or not (PRONOUN.match(begins) or POINTS_BACK.match(begins)):
            return None, kind
        before = self._sentence_before()
        if kind is Kind.PROSE and before is None and not is_spoken:
            kind = kind if named_in(text) else Kind.FRAGMENT  # what it names it still tells of
        return (before if kind is Kind.PROSE else None), kind

    def _sentence_before(self) -> Statement | None:
        """The sentence before in the same paragraph, if one that points back to it can be said together with it."""
        before = self.out[-1] if self.out else None
        if before is None or before.paragraph != self.paragraph_count or not before.is_sentence:
            return None
        return before if len(before.text) < _ANTECEDENT_REACH else None

    def _speaks(self, label: str) -> bool:
        """Return whether a label before a colon is somebody who speaks: in a conversation, any name."""
        return label in self.speakers or (self.is_conversation and is_name(label))

    def say_sentences(self, lines: Sequence[NumberedLine], label: str = '', *, is_bold: bool = True) -> None:
        """Say a paragraph or list item.

        Args:
            lines: Its lines.
            label: What stands at its beginning, in bold or before a colon: the sentences after it are about that.
            is_bold: Whether it does in bold, so that they are, whatever else they name.
        """
        lead, said_on, lines = self._led(lines)
        if not (lead or label or self.is_item) and is_printed(lines):
            for line in lines:
                self.say(line.text.strip(), (line.number,), Kind.FRAGMENT)
            self.before = NOTHING
            return
        goes_on = len(self.before.text) >= ASIDE_REACH and breaks_off(self.before.text, lines[0].text)
        said = [*sentences(lines, self.language)]
        led = self._lead_in() if self.is_item and (not lead or lead in self.speakers) else NOTHING
        # A name, or "You may not:", of which each item is the end, however whole it looks.
        ends = led.text.rstrip(': ').rpartition(' ')[2]
        is_open = not led.text.endswith(':') or is_stop_word(ends, self.language)
        is_label = 1 < len(led.text.split()) <= _LABEL_WORDS and VERB.search(led.text.lower()) is None
        goes_on_in_items = is_open or is_label or _HOLDS_IF.match(led.text) is not None
        self.is_listed = self.is_item
        if not self.is_item:
            self.lead_ins.clear()
            self._remember(said[-1:])
        is_end = self.is_item and not led.text and self.before.text[-1:].isalnum()
        for place, sentence in enumerate(said):
            text = _OPEN_MARK.sub(r'\1', bare(sentence.text))  # marks that go on over several lines
            if label and place and (is_bold or not named_in(text)):
                lead = f'> {label}' if lead == '>' else lead or label
            if _ELSEWHERE.match(text.lstrip('(')):
                continue
            is_said = is_whole(text, self.language) and not (is_end and not place)
            kind = Kind.PROSE if is_said else Kind.FRAGMENT
            if led.text and not place and (not is_said or goes_on_in_items):
                kind = Kind.PROSE if is_said else Kind.LIST
                leads = ': '.join(filter(None, (led.text.rstrip('.:, '), lead)))
                self.say(text, (*sentence.evidence, *led.evidence), kind, leads)
                continue
            if not (is_said or (lead and not self.quoted)) and self._is_scrap(
                text, goes_on=goes_on and not place, leads=place + 1 < len(said), alone=len(said) == 1
            ):
                continue
            self.say(text, (*sentence.evidence, *said_on), kind, lead)
        if self.is_item and not lead:
            self._ask(said)

    def _ask(self, said: Sequence[Sentence]) -> None:
        """Keep what an item asks, if it does nothing else, until something answers it."""
        is_said = len(said) == 1 and self.out and self.out[-1].evidence == said[0].evidence
        if is_said and (text := said[0].text).endswith(('?', '？')):
            self.question, self.asked = Sentence(shown(bare(text)).rstrip('?？ '), said[0].evidence), len(self.out)

    def _remember(self, last: Sequence[Sentence]) -> None:
        """Keep the last sentence of a paragraph, if it has any, for what it may lead to."""
        for each in last:
            self.quotes = [*[*self.quotes, *[NOTHING] * self.quoted][: self.quoted], each]
            self.before = self.before if self.quoted else each

    def _led(self, lines: Sequence[NumberedLine]) -> tuple[str, list[int], Sequence[NumberedLine]]:
        """Who says a paragraph, or what leads to it where it is quoted, on which lines, and the lines without that."""
        match = turn_of(lines[0].text)
        if match and match.end() == len(lines[0].text) and not (self.is_conversation and match[1] in self.speakers):
            match = None  # a heading, a time of a programme, or what is defined below
        if match:
            self.speaker = (match.group(1), lines[0].number) if self._speaks(match.group(1)) else None
        elif lines[0].number not in self.talk and not self.before.text.endswith(':'):
            self.speaker = None
        lead, *said_on = self.speaker or ('',)
        if match and lead:
            lead = lines[0].text[: match.end()].rstrip(': ')
            lead = lead if lines[0].text[match.end() :] else lead.rstrip('.')
            lines = [replace(lines[0], text=lines[0].text[match.end() :]), *lines[1:]]
        if not self.is_conversation or (self.is_item and not match and not self.before.text.endswith(':')):
            self.speaker, lead, said_on = None, lead if match else '', []
        if self.quoted and not lead:
            before = [self.before, *self.quotes[1:], *[NOTHING] * self.quoted][self.quoted - 1]
            is_led = before.text.endswith(':') and not self.is_listed
            lead, said_on = (names.writer(before.text), [*before.evidence]) if is_led else ('>', [])
        return lead, said_on, lines

    def leave_lists(self, indent: int) -> None:
        """Go on with an item that stands in so far: what leads to items further in does not lead to it."""
        if self.items and indent != self.item_indent:
            self.flush()
        self.item_indent = indent
        while self.lead_ins and self.lead_ins[-1][0] >= indent:
            self.flush()
            self.lead_ins.pop()

    def _lead_in(self) -> Sentence:
        """What leads to the list at hand, if that is short enough to be said with each part of it."""
        if self.lead_ins:
            return self.lead_ins[-1][1]
        return self.before if self.before.text.endswith(':') and len(self.before.text) <= LONGEST_LEAD else NOTHING

    def _is_scrap(self, text: str, *, goes_on: bool, leads: bool, alone: bool) -> bool:
        """Return whether what is no sentence states nothing: an end without its beginning, a heading, a label."""
        is_end = goes_on and _AMID.match(text) is not None
        is_heading = (
            leads
            and not self.question.text
            and len(text) < ASIDE_REACH
            and is_name(text)
            and VERB.search(text.lower()) is None
        )
        is_label = (
            alone and len(text.split()) <= _LABEL_WORDS and ': ' not in text and _LABEL.fullmatch(text) is not None
        )
        return is_end or is_heading or is_label or text.endswith((',', ':'))

    def flush(self) -> None:
        """Say what was collected: the open paragraph, the open list, and forget the open table."""
        self.paragraph_count += 1
        if self.out and self.out[-1].section == len(self.sections) - 1 and self.asked != len(self.out):
            self.question = NOTHING
        text = ' '.join(line.text for line in self.paragraph)
        if self.paragraph and not _EDITORIAL.match(text):  # as remarks of editors do, it stands in brackets
            self.say_sentences(self.paragraph)
        self.paragraph.clear()
        for group in _groups(self.items, _GROUP_WORDS):
            self._say_items(group)
        for group in _groups(self.pairs, _PAIR_WORDS):
            self._say_pairs(group)
        self.items.clear()
        self.pairs.clear()
        self.columns = []
        self.quoted = 0

    def _say_items(self, group: Sequence[NumberedLine]) -> None:
        above = self.sections[-1]
        lead, numbers = (
            (above.titles[-1].rstrip(' :'), above.numbers[-1:]) if above.titles and above.numbers[-1] else ('', ())
        )
        if (led := self._lead_in()).text:
            lead, numbers = led.text.rstrip('.:, '), led.evidence
        numbers = (*(item.number for item in group), *numbers)
        # One alone says little, unless it is a value.
        is_value = ': ' in group[0].text or any(map(str.isdigit, group[0].text))
        kind = Kind.LIST if led.text or len(group) > 1 or (lead and is_value) else Kind.FRAGMENT
        self.say('; '.join(item.text for item in group), numbers, kind, lead)

    def _say_pairs(self, group: Sequence[NumberedLine]) -> None:
        above = self.sections[-1]
        title = above.titles[-1] if above.titles else ''
        about = subject_of(title) or (title if len(title) <= _LONGEST_ABOUT else '')
        cells = [*filter(None, [about]), *(pair.text for pair in group)]
        numbers = (*(pair.number for pair in group), *filter(None, above.numbers[-1:] if about else ()))
        self.say(f'| {" | ".join(cells)} |', numbers, Kind.ROW)


def _groups(items: Sequence[NumberedLine], words: int) -> Iterator[list[NumberedLine]]:
    """Items that are said together: a few words each."""
    group: list[NumberedLine] = []
    for item in items:
        group.append(item)
        if sum(word_count(each.text) for each in group) >= words:
            yield group
            group = []
    if group:
        yield group
