"""Events whose lines differ only in what varies, brought together: by their words, then by all words but one."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from summarizer_tool.digests.log_lines import Event, Severity
from summarizer_tool.digests.places import CutLine, cut, without_digits

WORDS = 40
"""Words of a line by which it is compared with others."""

_VARIES = '*'


@dataclass(frozen=True, slots=True)
class Group:
    """Events of one template."""

    words: Sequence[str]
    """With a sign for each that varies."""
    severity: Severity
    members: list[int] = field(default_factory=list[int])
    """Indices of the events, in order."""
    lines: list[CutLine] = field(default_factory=list[CutLine])
    """Those of the members."""

    def column(self, place: int) -> list[str]:
        """The words of all lines in one place."""
        return [line.words[place][0] for line in self.lines]

    def constant_words(self) -> set[str]:
        """The words that stand in all lines."""
        return {word for word in self.words if word != _VARIES}

    def told(self, shown: Callable[[Sequence[str]], str]) -> str:
        """The template, each place in which words vary with what `shown` says of them."""
        text = ''
        for place, (word, signs) in enumerate(self.lines[0].words[:WORDS]):
            column = self.column(place)
            text += signs + (word if len({*column}) == 1 else shown(column))
        return text + (' …' if len(self.words) == WORDS else self.lines[0].end)


_Key = tuple[Sequence[str], str, Severity]
"""The words of a template, the signs between them, and how bad it is."""


def grouped(events: Sequence[Event]) -> list[Group]:
    """Bring events of one template together, in the order of their first ones."""
    groups: dict[_Key, Group] = {}
    lines = [cut(event.message) for event in events]
    for index, (event, line) in enumerate(zip(events, lines, strict=True)):
        words = tuple(_masked(word, signs) for word, signs in line.words[:WORDS])
        key = words, ''.join(signs for _, signs in line.words[:WORDS]), event.severity
        group = groups.setdefault(key, Group(words, event.severity))
        group.members.append(index)
        group.lines.append(line)
    return [*groups.values()]


def _masked(word: str, signs: str) -> str:
    """A word, or a sign for one that varies: the value of a name, a path, whatever has digits."""
    if ' ' in word:
        return without_digits(word)
    return _VARIES if signs.endswith('=') or '/' in word or any(map(str.isdigit, word)) else word
