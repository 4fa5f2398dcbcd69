"""What a text states, collected line by line: sentences with whom they speak of, items and rows said together."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import regex

from summarizer_tool.extractive.pointing_back import DENIES, POINTS_BACK, PRONOUN
from summarizer_tool.extractive.printed import is_printed
from summarizer_tool.extractive.speakers import ABOVE, SPEAKER
from summarizer_tool.extractive.statement import HeadingSection, Kind, Statement
from summarizer_tool.extractive.under_headings import NUMBERING, is_name, subject_of
from summarizer_tool.prompts import NumberedLine
from summarizer_tool.text import boilerplate_lines, names
from summarizer_tool.text.lines import word_count
from summarizer_tool.text.references import opens_references
from summarizer_tool.text.scoring import content_words
from summarizer_tool.text.sentences import Sentence, bare, ended, is_whole, plain, sentences, shown

_GROUP_WORDS = 24
"""Words of short items that are said together."""

_PAIR_WORDS = 12
"""The same of rows of labels and values, any of which may be what was asked for."""

_LONGEST_ABOUT = 30
"""Characters of a heading without a name that is said with rows of labels and values, as what these are."""

ASIDE_REACH = 60
"""Characters up to which a sentence within a paragraph may be boilerplate: "See Calendar."."""

_ANTECEDENT_REACH = 300
"""Characters of what a sentence that points back is said together with."""

LONGEST_LEAD = 120
"""Characters of a sentence that leads to a list and is said with each part of it."""

_LABEL_WORDS = 3
"""Words of a line that is no sentence and states nothing by itself."""

# "See X for details", "For more, see X": it says nothing but where something is said.
_ELSEWHERE = regex.compile(
    r'^(?:(?:[Pp]lease )?(?:See|Refer to)\b'
    r'|(?:(?:For|To|If)\b[^.;:]{0,140},|For (?:additional|details|further|information|more)\b[^.;:]{0,140})'
    r' (?:see|refer to|please (?:check|see|visit|consult))\b)'
    r'(?! (?:an?|Drs?|if|that|to|whether|your)\b)'
    r'|^(?:Siehe|(?:Mehr|Weitere) Informationen|Voir|Véase|Veja|Vedi|Zie)\b'
)
# Without it what stands below would hold always.
_HOLDS_IF = regex.compile(r'(?:After|Before|During|If|In (?:case|the event)|Unless|Until|Upon|When|Where)\b')
_ASKS = ('?', '？')
# A mark of emphasis that goes on over several sentences.
_OPEN_MARK = regex.compile(r'^(\*{1,3}|_{1,3})(?=\p{L})(?!.*\1)')
# Of who has taken down what people say: `(Applause.)`; of others it tells something: `(Deprecated.)`.
_REMARK = regex.compile(r'^\(\p{Lu}\p{Ll}+(?: \p{Ll}+){0,2}\.\) (?=\p{Lu})')
# As remarks of editors do, it stands in brackets.
_EDITORIAL = regex.compile(r'^\[[^\[\]]*\]?$|^[^\[\]]*\]$')
_AMID = regex.compile(r'["“„«‘(]?\p{Ll}')

_GENDERS = {'he': 'm', 'his': 'm', 'she': 'f', 'her': 'f', 'it': 'n', 'its': 'n', 'they': 'p', 'their': 'p'}
# The full name of whom something happens to, or who is a relative: `married Carl Weir`, `her brother Carl Weir`.
_OTHER = regex.compile(
    r'(?<=\b(?:(?!named\b)\p{Ll}{2,}ed|beat|knew|met|wed|brother|daughter|father|husband|mother|sister|son|wife) )'
    r"\p{Lu}[\p{L}'’-]+ \p{Lu}[\p{L}'’-]+"
)

NOTHING = Sentence('', ())


@dataclass(slots=True)
class StatementReader:
    """Where the reading of one source stands."""

    sections: list[HeadingSection]
    language: str = 'en'
    labels: frozenset[str] = frozenset()
    """What begins several lines before a colon: who speaks, and fields."""
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
    leads_away: bool = False
    """Whether the list at hand is one of other pages."""
    references: int | None = None
    """The level of the heading over the list of references at hand, if any."""
    quoted: int = 0
    """How many `>` the lines at hand stand behind."""
    before: Sentence = NOTHING
    """The last sentence of the paragraph before, those of quotations aside."""
    lead_ins: list[tuple[int, Sentence]] = field(default_factory=list[tuple[int, Sentence]])
    """The items that lead to the lists at hand, outermost first, each with how far it stands in."""
    gender: str = ''
    """Of whom the section at hand is about, as far as its pronouns tell."""
    lasts: list[Sentence] = field(default_factory=list[Sentence])
    """The last sentence of the text and of each of the quotations in it at hand, outermost first."""
    term: Sentence = NOTHING
    """What the definition at hand defines, which is said of what stands below it further in than `term_indent`."""
    term_indent: int = 0

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
        self.speaker, self.before, self.term, self.gender = None, NOTHING, NOTHING, ''
        self.lead_ins.clear()
        self.leads_away = boilerplate_lines.leads_away(title)
        if opens_references(title):
            self.references = level
        elif self.references is not None and level <= self.references:
            self.references = None

    def say(self, text: str, evidence: Iterable[int], kind: Kind = Kind.PROSE, lead: str = '') -> None:
        """Say something, with what it needs."""
        text, lead = shown(text), shown(lead)
        if not any(map(str.isalnum, text)) or (len(text) < ASIDE_REACH and boilerplate_lines.is_boilerplate(text)):
            return
        lines, thing = tuple(dict.fromkeys(evidence)), len(self.out)
        if not lead and kind in (Kind.PROSE, Kind.FRAGMENT):
            lead, kind, said_on = self._about(text, kind)
            lines = (*lines, *filter(None, said_on))
        before, kind = self._needed(text, kind, lead)
        if before is not None:
            if DENIES.match(text):  # alone the other would mislead
                self.out.pop()
            text, lead, thing = f'{before.text} {text}', before.lead, before.thing
            lines = tuple(dict.fromkeys((*before.evidence, *lines)))
        section = len(self.sections) - 1
        self.out.append(Statement(text, lines, section, self.paragraph_count, kind, lead, thing))

    def _about(self, text: str, kind: Kind) -> tuple[str, Kind, Sequence[int]]:
        """The term, question or name that something is said with, if it needs one, its kind then, and their lines."""
        if self.term.text:
            points_back = PRONOUN.match(text) or POINTS_BACK.match(text)
            is_understood = self.term.text in text or (points_back and self._sentence_before())
            return ('', kind, ()) if is_understood else (self.term.text, kind, self.term.evidence)
        above = self.sections[-1]
        title = above.titles[-1] if above.titles else ''
        opens = not (self.out and self.out[-1].section == len(self.sections) - 1)
        is_asked = opens and title.endswith(_ASKS) and not text.endswith(_ASKS) and self.levels[-1] > 1
        if is_asked and not {*content_words(title)} <= {*content_words(text)}:
            return NUMBERING.sub('', title).rstrip('?？ '), Kind.PROSE, above.numbers[-1:]
        lead = self._subject_of(text) if kind is Kind.PROSE else ''
        return lead, kind, above.numbers[-1:] if lead else ()

    def _subject_of(self, text: str) -> str:
        """The heading of a sentence whose pronoun must stand for it: the one before is about it, and no other person.

        A wrong subject is worse than none.
        """
        before, titles = self._sentence_before(), self.sections[-1].titles
        subject, pronoun = subject_of(titles[-1]) if titles else '', PRONOUN.match(text)
        if not subject or before is None or not pronoun:
            return ''
        own, first = {*subject.split()}, next(iter(names.mentions(before.text)), '')
        is_about = before.text.removeprefix('The ').startswith(first or '\0') and own.issuperset(first.split())
        is_about = is_about or (before.lead == subject and PRONOUN.match(before.text) is not None)
        is_alone = all(own.issuperset(name.split()) for name in _OTHER.findall(before.text))
        gender = _GENDERS[pronoun[1].lower()]
        is_own = is_about and is_alone and self.gender in ('', gender)
        self.gender = gender if is_own else self.gender
        return subject if is_own else ''

    def _needed(self, text: str, kind: Kind, lead: str) -> tuple[Statement | None, Kind]:
        """The statement without which one is not understood, or misleads, and the kind of the latter."""
        is_spoken = bool(lead) and self.speaks(lead)
        if not lead and DENIES.match(text):
            kind = Kind.PROSE
        elif (lead and not is_spoken) or not (PRONOUN.match(text) or POINTS_BACK.match(text)):
            return None, kind
        before = self._sentence_before()
        if kind is Kind.PROSE and before is None and not is_spoken:
            kind = kind if _named_in(text) else Kind.FRAGMENT  # what it names it still tells of
        return (before if kind is Kind.PROSE else None), kind

    def _sentence_before(self) -> Statement | None:
        """The sentence before in the same paragraph, if one that points back to it can be said together with it."""
        before = self.out[-1] if self.out else None
        if before is None or before.paragraph != self.paragraph_count or not before.is_sentence:
            return None
        return before if len(before.text) < _ANTECEDENT_REACH else None

    def speaks(self, label: str) -> bool:
        """Return whether a label before a colon is somebody who speaks: in a conversation, any name."""
        return label in self.labels or (self.is_conversation and is_name(label))

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
        led = self._lead_in() if self.is_item and (not lead or lead in self.labels) else NOTHING
        goes_on_in_items = not is_whole(ended(led.text)) or _HOLDS_IF.match(led.text) is not None
        if not self.is_item:
            self.lead_ins.clear()
            self.before = said[-1] if said and not self.quoted else self.before
            self.lasts = [*[*self.lasts, *[NOTHING] * self.quoted][: self.quoted], *said[-1:]]
        for place, sentence in enumerate(said):
            text = _OPEN_MARK.sub('', bare(sentence.text))
            text = _REMARK.sub('', text) if lead and (self.is_chat or self.is_conversation) else text
            if label and place and (is_bold or not _named_in(text)):
                lead = f'> {label}' if lead == '>' else lead or label
            if _ELSEWHERE.match(text.lstrip('(')):
                continue
            is_said = is_whole(text, self.language)
            kind = Kind.PROSE if is_said else Kind.FRAGMENT
            if led.text and not place and (not is_said or goes_on_in_items):
                kind = Kind.PROSE if is_said else Kind.LIST
                leads = ': '.join(filter(None, (lead, led.text.rstrip('.:, '))))
                self.say(text, (*sentence.evidence, *led.evidence), kind, leads)
                continue
            is_end = goes_on and not place and _AMID.match(text) is not None
            if is_said or (lead and not self.quoted) or not (is_end or _is_scrap(text, alone=len(said) == 1)):
                self.say(text, (*sentence.evidence, *said_on), kind, lead)

    def _led(self, lines: Sequence[NumberedLine]) -> tuple[str, Sequence[int], Sequence[NumberedLine]]:
        """Who says a paragraph, on which other line that stands, and the lines without it."""
        above = self.speaker_above(lines[0].text)
        match = above or SPEAKER.match(lines[0].text)
        if match and self.speaks(match[1]):
            lead = match[1] if above else match.group().rstrip(': ')
            self.speaker = (lead, lines[0].number) if self.is_conversation else None
            return lead, (), [replace(lines[0], text=lines[0].text[match.end() :]), *lines[1:]]
        if match or not (lines[0].number in self.talk or self.before.text.endswith(':')):
            self.speaker = None
        if self.speaker and (not self.is_item or self.before.text.endswith(':')):
            return self.speaker[0], (self.speaker[1],), lines
        return *self._quoted(), lines

    def speaker_above(self, text: str) -> regex.Match[str] | None:
        """Who says what stands below a line, in a conversation: any other such line is a heading."""
        above = ABOVE.match(text) if self.is_conversation and len(text) < ASIDE_REACH else None
        return above if above and (above[1] in self.labels or '(' in text) else None

    def _quoted(self) -> tuple[str, Sequence[int]]:
        """Who wrote a quotation, as far as the sentence that leads to it tells, and on which lines."""
        if not self.quoted:
            return '', ()
        before = [*self.lasts, *[NOTHING] * self.quoted][self.quoted - 1]
        writer = names.writer(before.text)
        return (writer, before.evidence) if writer else ('>', ())

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

    def flush(self) -> None:
        """Say what was collected: the open paragraph, the open list, and forget the open table."""
        self.paragraph_count += 1
        if self.paragraph and not _EDITORIAL.match(' '.join(line.text for line in self.paragraph)):
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


def _named_in(text: str) -> list[str]:
    """The names in a text, numbers and dates aside."""
    return [name for kind, name, _ in names.located(text) if kind not in ('number', 'date')]


def breaks_off(before: str, text: str) -> bool:
    """Return whether a line ends amid a sentence, and the next one goes on with it."""
    is_open = before.rstrip(' )]"\'”’»')[-1:] not in '.!?:;。！？'
    return is_open and (text[:1].islower() or len(before) >= ASIDE_REACH)


def _is_scrap(text: str, *, alone: bool) -> bool:
    """Return whether what is no sentence states nothing: a label, or what leads to something."""
    is_label = len(text.split()) <= _LABEL_WORDS and text[-1:] not in '.!?' and ': ' not in text
    return text.endswith((',', ':')) or (alone and is_label)


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
