"""Give a statement the subject that its place in the text gives it: from its heading, or from the sentence before.

A summary takes sentences out of their paragraph, so a pronoun at the beginning is replaced by what it stands for, and a
fragment ("Born 489, foster-child of ...") is said of what its section is about. Where that is not clear, nothing is
done: a wrong subject is worse than none.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import regex

from summarizer_tool.extractive.statements import HeadingSection, Kind, Statement
from summarizer_tool.text import names

_PRONOUN = regex.compile(r'^(He|She|It|They)(?= \p{Ll})')
_POSSESSIVE = regex.compile(r'^(His|Her|Its|Their)(?= \p{L})')
_INNER = regex.compile(
    r'^(?:In|On|At|By|After|Before|During|From|Since|Until|Born|Upon|As|Later|Then)\b[^.;:]{0,80}?, '
    r'(he|she|it)(?= \p{Ll})'
)
_GENDERS = {'he': 'm', 'his': 'm', 'she': 'f', 'her': 'f', 'it': 'n', 'its': 'n', 'they': 'p', 'their': 'p'}
_POSSESSIVES = frozenset(['His', 'Her', 'Its', 'Their'])
_FOLLOWS = regex.compile(
    r',| [–—-] | ?\('
    r'| (?!(?:of|and|or|in|at|on|to|for|with|by|from|as|the|a|an|since|until|when|who|whose|which|that)\b)(?=\p{Ll})'
)
_FRAGMENT = regex.compile(
    r"^(?!(?:Members|People|Most|Some)\b)[\p{Lu}][\p{L}'’-]+(?:[,;.]| (?:of|at|in|by|to|for|with|since|from)\b| \d)"
)
_BORN = regex.compile(r'^(?:born|founded|built|named|called|located|now|also|formerly)\b', regex.IGNORECASE)
_LABEL = regex.compile(r"^\p{L}[\p{L}\d'’/-]*(?: [\p{L}\d'’/-]+){0,2}:\s")
_ASIDE = regex.compile(r' ?[(\[][^()\[\]]{0,200}[)\]]')
_NUMBERING = regex.compile(r'^(?:\d{1,3}(?:\.\d{1,3})*[.)]|[IVX]{1,5}[.)])\s+')
_LISTING = regex.compile(r'^(?:List|Outline|Index|Timeline|Table) of\b')
_FRAGMENT_WORDS = 4
"""A statement of fewer words has no room for both a subject and what it does."""


@dataclass(frozen=True, slots=True)
class _Subject:
    name: str
    evidence: tuple[int, ...]
    """Lines that name it."""
    gender: str = ''
    """`m`, `f`, `n` or `p`(lural), as far as the text tells."""
    is_inherited: bool = False
    """Whether it is what a section further up is about."""

    @property
    def possessive(self) -> str:
        return f"{self.name}'" if self.name.endswith('s') else f"{self.name}'s"

    def fits(self, pronoun: str, *, is_near: bool) -> bool:
        """Return whether `pronoun` stands for it; "it" and "they" reach back one sentence (`is_near`)."""
        gender = _GENDERS[pronoun.lower()]
        is_plural = self.name.endswith('s') and not self.name.endswith('ss')
        if gender == 'p':
            return is_near and is_plural
        if gender == 'n' and not is_near:
            return False
        if gender != 'n' and is_plural and self.name.startswith('The '):
            return False
        return self.gender == gender or (not self.gender and not self.is_inherited)


def subject_of(heading: str) -> str:
    """The subject of a section, if its heading is a name: `Mola di Bari (town)` is about Mola di Bari."""
    title = _NUMBERING.sub('', _ASIDE.sub('', heading)).strip(' :-–—')
    found = names.mentions(title)
    if not found or len(title.split()) > 8 or _LISTING.match(title):
        return ''
    words = [word for word in title.split() if len(word) > 3]
    return title if title[0].isupper() and sum(word[0].isupper() for word in words) * 2 > len(words) else ''


def with_subjects(found: Sequence[Statement], sections: Sequence[HeadingSection]) -> list[Statement]:
    """Put subjects into the statements of one source that lack one."""
    by_section: list[list[Statement]] = [[] for _ in sections]
    for statement in found:
        by_section[statement.section].append(statement)
    said = {
        mention
        for statement in found
        for mention in names.mentions(statement.text)
        if not names.opens_sentence(statement.text, mention)
    }
    subjects: dict[tuple[int, str], _Subject | None] = {}
    out: list[Statement] = []
    for section, inside in zip(sections, by_section, strict=True):
        subject: _Subject | None = None
        for depth, key in enumerate(zip(section.numbers, section.titles, strict=True), 1):
            is_own = depth == len(section.titles)
            if key not in subjects:
                subjects[key] = _about(*key, inside if is_own else (), said)
            if here := subjects[key]:
                subject = replace(here, is_inherited=not is_own)
        out += _Section(section, subject, said).resolve(inside)
    return out


def _about(number: int, title: str, inside: Sequence[Statement], said: set[str]) -> _Subject | None:
    """The subject that a heading names, if the text below it or elsewhere uses it as a name."""
    name = subject_of(title)
    if not name:
        return None
    beginning = ' '.join(statement.text for statement in inside[:3])
    parts = name.split()
    if name.removeprefix('The ') not in said and parts[-1] not in beginning and parts[0] not in beginning:
        return None
    return _Subject(name, (number,) if number else (), _gender(inside, set(parts)))


def _gender(inside: Sequence[Statement], parts: set[str]) -> str:
    """The gender of what a section is about: that of its first pronoun, if no other name was the subject before."""
    for statement in inside:
        match = _PRONOUN.match(statement.text) or _POSSESSIVE.match(statement.text)
        match = match or _INNER.match(statement.text)
        if match:
            return _GENDERS[match.group(1).lower()]
        if (name := _first_name(statement.text)) and not parts & set(name.split()):
            break
    return ''


def _first_name(text: str) -> str:
    """The name that a sentence begins with, if what follows says something of it."""
    bare = text.removeprefix('The ')
    mentioned = names.mentions(text) if text[:1].isupper() else ()
    if mentioned and bare.startswith(mentioned[0]) and _FOLLOWS.match(bare, len(mentioned[0])):
        return text[: len(text) - len(bare)] + mentioned[0]
    return ''


class _Section:
    """Goes through the statements of a section and keeps track of what they are about."""

    def __init__(self, section: HeadingSection, subject: _Subject | None, said: set[str]) -> None:
        self.subject = subject
        self.said = said
        self.heading: _Subject | None = None
        # A heading that is not among the lines may be the name of a file.
        if section.titles and section.numbers[-1] and (title := _NUMBERING.sub('', section.titles[-1])):
            self.heading = _Subject(title, (section.numbers[-1],))
        self.named_on: set[int] = set()
        """Lines that name the subject in full; the heading need not be cited beside them."""
        self.current = subject
        self.is_near = False
        self.is_ambiguous = False
        """Whether the sentence before is about someone else than the section."""

    def resolve(self, inside: Sequence[Statement]) -> list[Statement]:
        """The statements with their subjects."""
        out: list[Statement] = []
        paragraph = -1
        if self.subject is not None:
            self.named_on = {s.evidence[0] for s in inside if len(s.evidence) == 1 and self.subject.name in s.text}
        for statement in inside:
            if statement.paragraph != paragraph:
                paragraph = statement.paragraph
                self.current, self.is_ambiguous = self.subject, False
                self.is_near = self.subject is not None and not self.subject.is_inherited
            out.append(statement if statement.kind in (Kind.CODE, Kind.ROW) else self._one(statement))
        return out

    def _one(self, statement: Statement) -> Statement:
        text, used = self._pronoun_resolved(statement.text)
        if used is None and (not text or (statement.kind is Kind.PIECE and not self.is_near)):
            self.is_near = False
            return replace(statement, is_dangling=True)
        if used is None and (about := self._lacking(statement)) is not None:
            joint = ', ' if _LABEL.match(text) else ': '
            text = text[0].lower() + text[1:] if _BORN.match(text) else text
            text, used = f'{about.name}{joint}{text}', about
        if used is None:
            self._follow(statement)
            return statement
        self.is_near = used == self.current
        evidence = statement.evidence
        if used != self.subject or self.named_on.isdisjoint(evidence):
            evidence = tuple(dict.fromkeys((*evidence, *used.evidence)))
        return replace(statement, text=text, evidence=evidence)

    def _pronoun_resolved(self, text: str) -> tuple[str, _Subject | None]:
        """The text with its first pronoun replaced, and by what; no text if it has one that cannot be resolved."""
        initial = _PRONOUN.match(text) or _POSSESSIVE.match(text)
        match = initial or _INNER.match(text)
        if match is None:
            return text, None
        pronoun = match.group(1)
        start, end = match.span(1)
        if self.current is None or not self.current.fits(pronoun, is_near=self.is_near) or self._may_be_other(pronoun):
            return ('' if initial else text), None
        name = self.current.possessive if pronoun in _POSSESSIVES else self.current.name
        return text[:start] + name + text[end:], self.current

    def _may_be_other(self, pronoun: str) -> bool:
        """Return whether the sentence before was about someone else, and the section's subject would fit as well."""
        return self.is_ambiguous and self.subject is not None and self.subject.gender in ('', _GENDERS[pronoun.lower()])

    def _follow(self, statement: Statement) -> None:
        """See what the next pronoun stands for: the name that this statement begins with, if it does."""
        name = _first_name(statement.text)
        bare = name.removeprefix('The ')
        if not name or (' ' not in bare and bare not in self.said):
            self.is_near = False
        elif self.subject is not None and set(bare.split()) & set(self.subject.name.split()):
            self.current, self.is_near, self.is_ambiguous = self.subject, True, False
        else:
            self.current, self.is_near, self.is_ambiguous = _Subject(name, statement.evidence), True, True

    def _lacking(self, statement: Statement) -> _Subject | None:
        """The subject of a statement that does not say it."""
        named = self.subject if self.subject is not None and not self.subject.is_inherited else None
        about = self.current if self.is_near and statement.kind is not Kind.LIST else named or self.heading
        if about is None or any(
            word in statement.text for word in about.name.split() if len(word) > 3 or word[0].isupper()
        ):
            return None
        if named is not None and _LABEL.match(statement.text):
            return named
        return about if self._is_fragment(statement) else None

    def _is_fragment(self, statement: Statement) -> bool:
        """Return whether a statement says something without saying of what."""
        text = statement.text
        if statement.kind in (Kind.LIST, Kind.PIECE):
            return True
        if _BORN.match(text):
            return True
        name = _first_name(text)
        is_known = (' ' in name and ' of ' not in name) or name.removeprefix('The ') in self.said
        if name and (is_known or not text.startswith(',', len(name))):
            return not is_known and len(text.split()) < _FRAGMENT_WORDS
        if len(text.split()) < _FRAGMENT_WORDS:
            return not text.endswith(('!', '?'))
        return not names.is_opener(text.split(None, 1)[0]) and _FRAGMENT.match(text) is not None
