"""How much binary content of one result goes on to a model, and what stands in the place of the rest."""

from dataclasses import dataclass

from summarizer_tool import render_prompt

MAX_FILE_BYTES = 8_000
"""Of a file that a client of the proxy writes out for its model, a token for every few bytes."""

MAX_KIND = 80
"""Characters of a media type that are repeated."""


@dataclass(slots=True)
class BinaryRoom:
    """What is left of one result's limit."""

    limit_kb: int
    """Of all that models are shown as such, images and sound above all."""
    used: int = 0
    """Bytes."""

    def refused(self, kind: str, size: int, *, is_shown: bool = True) -> str:
        """The note in the place of content that has no room; empty for what goes on.

        Args:
            kind: The media type.
            size: Bytes.
            is_shown: Whether models are shown it as such.
        """
        limit = self.limit_kb * 1000 if is_shown else MAX_FILE_BYTES
        if size + self.used * is_shown > limit:
            kilobytes = {'size': f'{-(-size // 1000):,}', 'limit': f'{limit // 1000:,}'}
            return render_prompt('tool_results/left_out', what=kind[:MAX_KIND], **kilobytes)
        self.used += size * is_shown
        return ''
