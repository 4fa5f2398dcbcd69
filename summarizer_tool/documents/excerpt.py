"""A document without some of its segments, and where each character that is left stands in the whole."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TypeAlias

from summarizer_tool.documents.document import Document

Span: TypeAlias = tuple[int, int]
"""Offsets of a first character and after a last one."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A document without some spans, as a document of its own."""

    whole: Document
    left: Document
    spans: Sequence[Span]
    """The spans of the whole that are left out, ascending."""
    _joints: Sequence[int]
    """Offsets in what is left at which the spans were."""
    _shifts: Sequence[int]
    """Characters left out before the first span, after it, after the second, and so on."""

    @classmethod
    def of(cls, document: Document, spans: Sequence[Span] = ()) -> 'Excerpt':
        """Leave spans out of a document: whole segments of it, ascending, apart from each other or side by side."""
        shifts = list(accumulate((end - start for start, end in spans), initial=0))
        joints = [start - shift for (start, _), shift in zip(spans, shifts, strict=False)]
        if not spans:
            return cls(document, document, spans, joints, shifts)
        text, starts = document.text, document.segment_starts
        edges = [0, *(edge for span in spans for edge in span), len(text)]
        left = Document(
            ''.join([text[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True)]),
            title=document.title,
            url=document.url,
        )
        # Segments end where lines do, so that those that are left are still what they were.
        left.remember(
            segment_starts=[
                place - shift
                for start, end, shift in zip(edges[::2], edges[1::2], shifts, strict=True)
                for place in starts[bisect_left(starts, start) : bisect_left(starts, end)]
            ]
        )
        return cls(document, left, spans, joints, shifts)

    def start_of(self, offset: int) -> int:
        """Where in the whole a piece begins that begins at `offset` of what is left."""
        return offset + self._shifts[bisect_right(self._joints, offset)]

    def end_of(self, offset: int) -> int:
        """Where in the whole a piece ends that ends before `offset` of what is left."""
        return offset + self._shifts[bisect_left(self._joints, offset)]

    def left_out(self, start: int, end: int) -> tuple[Span, ...]:
        """The spans that are left out between `start` and `end` of the whole."""
        return tuple(span for span in self.spans if start <= span[0] and span[1] <= end)
