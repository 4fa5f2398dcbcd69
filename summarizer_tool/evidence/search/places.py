"""Where in its source a passage stands: near what the question speaks of, or not. Pure computing."""

import re
from collections.abc import Sequence

from summarizer_tool.documents.passage import Passage
from summarizer_tool.prompts import Focus
from summarizer_tool.text import relevance

_PARAGRAPHS = re.compile(r'\n\s*\n')


def relevances(passages: Sequence[Passage], question: str) -> list[float]:
    """How much each passage stands where the question is spoken of, 0 to 1: its best paragraph, as for a focus.

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
    found = [0.0] * len(passages)
    values = relevance.relevances(texts, Focus(focus_areas=question), breaks)
    for index, value in zip(of_passage, values, strict=True):
        found[index] = max(found[index], value)
    return found
