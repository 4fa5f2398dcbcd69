"""A detector that is a regular expression."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from researcher_integration.masking.findings import Finding

if TYPE_CHECKING:
    import regex

SECONDS = 10.0
SECONDS_PER_MB = 4.0
"""What one expression may take; each takes far less, unless a text was made to hold it up."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """Secrets that an expression describes; a `Find`."""

    kind: str
    expression: 'regex.Pattern[str]'
    """With a group `secret` where only a part of what it matches is one."""
    anchors: tuple[str, ...] = ()
    """Lower case; where none of them is in a text, the expression need not be tried. None: always."""
    keep: Callable[[str], bool] | None = None
    """Tells a secret from what only has its form."""
    group: int = 0
    """The secret, where no group is called so."""

    def __call__(self, text: str, lower: str) -> Iterator[Finding]:
        """Find them, as `Find` says."""
        if self.anchors and not any(anchor in lower for anchor in self.anchors):
            return
        group = 'secret' if 'secret' in self.expression.groupindex else self.group
        for match in self.expression.finditer(text, timeout=SECONDS + SECONDS_PER_MB * len(text) / 1e6):
            # A group that takes no part in a match leaves all of it to be masked.
            start, end = match.span(group) if match[group] is not None else match.span()
            if self.keep is None or self.keep(text[start:end]):
                yield Finding(start, end, self.kind)
