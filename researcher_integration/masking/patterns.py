"""Secrets that have a form of their own, as regular expressions: own ones, and those of `detect-secrets`."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import regex
from detect_secrets.plugins.base import RegexBasedDetector

from researcher_integration.masking.findings import Find, Finding

if TYPE_CHECKING:
    import re

SECONDS = 10.0
SECONDS_PER_MB = 4.0
"""What one expression may take; each takes far less, unless a text was made to hold it up."""


def seconds_for(text: str) -> float:
    """How long one expression may search a text."""
    return SECONDS + SECONDS_PER_MB * len(text) / 1e6


@dataclass(frozen=True, slots=True)
class Pattern:
    """Secrets that an expression describes."""

    kind: str
    expression: 'regex.Pattern[str]'
    """With a group `secret` where only a part of what it matches is one."""
    anchors: tuple[str, ...] = ()
    """Lower case; where none of them is in a text, the expression need not be tried. None: always."""
    keep: Callable[[str], bool] | None = None
    """Tells a secret from what only has its form."""
    whole: bool = False
    """Whether a numbered group is none of a secret."""

    def __call__(self, text: str, lower: str) -> Iterator[Finding]:
        """Find them, as `Find` says."""
        if self.anchors and not any(anchor in lower for anchor in self.anchors):
            return
        group = (
            'secret' if 'secret' in self.expression.groupindex else 0 if self.whole or not self.expression.groups else 1
        )
        for match in self.expression.finditer(text, timeout=seconds_for(text)):
            start, end = match.span(group)
            if start < 0:
                start, end = match.span()
            if self.keep is None or self.keep(text[start:end]):
                yield Finding(start, end, self.kind)


def from_plugin(
    kind: str,
    plugin: RegexBasedDetector,
    *anchors: str,
    keep: Callable[[str], bool] | None = None,
    whole: bool = True,
) -> list[Find]:
    """The expressions of a plugin.

    Its own `analyze_string` gives the text of groups, which for some is a mere prefix, and not where it stands.

    Args:
        kind: What is written in the mask.
        plugin: With its expressions.
        anchors: As of a `Pattern`.
        keep: As of a `Pattern`.
        whole: Whether all that matches is the secret, or only its group.
    """
    patterns: list[Find] = []
    # The plugins do not say that their expressions are of text.
    for each in cast('Iterable[re.Pattern[str]]', plugin.denylist):  # pyright: ignore[reportUnknownMemberType]
        expression = regex.compile(f'(?P<secret>{each.pattern})' if whole else each.pattern, each.flags)
        patterns.append(Pattern(kind, expression, anchors, keep))
    return patterns


def own(kind: str, pattern: str, *anchors: str, keep: Callable[[str], bool] | None = None) -> Pattern:
    """A pattern; its arguments are the fields of `Pattern`."""
    return Pattern(kind, regex.compile(pattern), anchors, keep)


def looks_generated(value: str) -> bool:
    """Whether what follows a scheme is a credential, and no word: `Bearer authentication`."""
    return len(value) >= 24 or '=' in value or any(c.isdigit() for c in value)
