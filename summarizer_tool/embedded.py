"""What the embedded model does for a chunk without a request: the way out where a model has failed. Pure computing."""

from summarizer_tool import extractive, grounding
from summarizer_tool.grounding import Grounding
from summarizer_tool.merging import Found
from summarizer_tool.numbering import Numbered
from summarizer_tool.prompts import Request, Wish


def extract(numbered: Numbered, wish: Wish, target_tokens: int) -> tuple[int, Grounding]:
    """The embedded model's facts of a chunk.

    Args:
        numbered: The chunk's lines.
        wish: What to keep.
        target_tokens: Size of the facts wanted.

    Returns:
        How many facts there were, and those that hold.
    """
    answer = extractive.summarize_sources(Request(numbered.sources, wish, target_tokens, merges=False), target_tokens)
    return len(answer.facts), grounding.ground(answer, numbered.lines, numbered.context)


def lead(numbered: Numbered, target_tokens: int) -> list[Found]:
    """The first statements of a chunk, at next to no cost."""
    answer = extractive.leading(numbered.lines, target_tokens)
    return [Found(fact.text, 3, (numbered.places[fact.evidence[0] - 1],)) for fact in answer.facts]
