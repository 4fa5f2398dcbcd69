"""Where in its source a passage stands: near what the question speaks of, or not. Pure computing."""

import re
from bisect import bisect_right
from collections.abc import Container, Sequence
from itertools import accumulate

from summarizer_tool.documents.passage import Passage
from summarizer_tool.prompts import Focus
from summarizer_tool.text import relevance

STRETCH = 700
"""Words of the stretch of text that an answer is looked for in: it rather stands in one place than in many."""

OF_STRETCH = 0.7
"""Share of a passage's relevance that it has by the best stretch which holds it."""

_PARAGRAPHS = re.compile(r'\n\s*\n')


def relevances(passages: Sequence[Passage], question: str) -> list[float]:
    """How much each passage stands where the question is spoken of, 0 to 1: as its best paragraph does.

    The relevance of a paragraph is that for a focus, and more so that of the best stretch of text which holds it.
    Passages come in the order of their ids; those that do not follow the one before are apart.
    """
    texts: list[str] = []
    of_passage: list[int] = []
    breaks: set[int] = set()
    for index, passage in enumerate(passages):
        before = passages[index - 1] if index else passage
        if before.source_id != passage.source_id or before.id + 1 < passage.id:
            breaks.add(len(texts))
        paragraphs = _PARAGRAPHS.split(passage.text)
        paragraphs[0] = ' '.join((*passage.path, passage.header, paragraphs[0]))
        texts += paragraphs
        of_passage += [index] * len(paragraphs)
    own = relevance.relevances(texts, Focus(focus_areas=question), breaks)
    best = best_stretches(own, [max(1, len(text.split())) for text in texts], breaks)
    found = [0.0] * len(passages)
    for index, value, around in zip(of_passage, own, best, strict=True):
        found[index] = max(found[index], (1 - OF_STRETCH) * value + OF_STRETCH * around)
    return found


def best_stretches(values: Sequence[float], sizes: Sequence[int], breaks: Container[int]) -> list[float]:
    """For each text, of so many words, what the best stretch that holds it has of the values, from 0 to 1."""
    sums = [0.0, *accumulate(value * size for value, size in zip(values, sizes, strict=True))]
    ends = [*accumulate(size + STRETCH * (index in breaks) for index, size in enumerate(sizes))]
    stretches: list[tuple[float, int, int]] = []
    for first, (end, size) in enumerate(zip(ends, sizes, strict=True)):
        after = max(first + 1, bisect_right(ends, end - size + STRETCH))
        stretches.append((sums[after] - sums[first], first, after))
    best = [0.0] * len(values)
    for total, first, after in sorted(stretches):
        best[first:after] = [total] * (after - first)
    most = max(best, default=0.0) or 1.0
    return [total / most for total in best]
