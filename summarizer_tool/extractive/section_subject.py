"""Whom a sentence of a section speaks of that does not say so itself: what the heading names."""

from dataclasses import dataclass

import regex

from summarizer_tool.extractive.pointing_back import PRONOUN
from summarizer_tool.extractive.statement import HeadingSection
from summarizer_tool.extractive.under_headings import subject_of
from summarizer_tool.text import names

_GENDERS = {'he': 'm', 'his': 'm', 'she': 'f', 'her': 'f', 'it': 'n', 'its': 'n', 'they': 'p', 'their': 'p'}
# The full name of whom something happens to, or who is a relative: `married Carl Weir`, `her brother Carl Weir`.
_OTHER = regex.compile(
    r'(?<=\b(?:(?!named\b)\p{Ll}{2,}ed|beat|knew|met|wed|brother|daughter|father|husband|mother|sister|son|wife) )'
    r"\p{Lu}[\p{L}'’-]+ \p{Lu}[\p{L}'’-]+"
)


def named_in(text: str) -> list[str]:
    """The names in a text, numbers and dates aside."""
    return [name for kind, name, _ in names.located(text) if kind not in ('number', 'date')]


@dataclass(slots=True)
class SectionSubject:
    """What the heading of a section names, as far as sentences go on about it."""

    section: HeadingSection
    paragraph: int = -1
    """The one in which the last name that began a sentence was this."""
    gender: str = ''
    """As far as its pronouns tell."""
    names_another: bool = False
    """Whether the sentence before names somebody else, too, of whom a pronoun may speak."""

    def heading_for(self, text: str, paragraph: int) -> str:
        """The heading of a sentence that begins with a pronoun which must stand for it.

        That is so while no sentence of the paragraph began with somebody else, and the pronoun is the one that the
        section has used for its subject before. A wrong subject is worse than none.
        """
        subject = subject_of(self.section.titles[-1]) if self.section.titles else ''
        if match := PRONOUN.match(text):
            gender = _GENDERS[(match.group(1) or match.group(2)).lower()]
            is_own = bool(subject) and self.paragraph == paragraph and self.gender in ('', gender)
            is_own = is_own and (self.gender == gender or gender not in ('m', 'f') or not self.names_another)
            self.gender = gender if is_own else self.gender
            return subject if is_own else ''
        first = next(iter(names.mentions(text)), '')
        if first and text.removeprefix('The ').startswith(first):
            own = {*subject.split()}
            self.paragraph = paragraph if {*first.split()} & own else -1
            self.names_another = any(not own.issuperset(name.split()) for name in _OTHER.findall(text))
        return ''
