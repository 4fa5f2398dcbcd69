"""Let the embedded model summarize a chunk on which the model has failed. Pure computing."""

from summarizer_tool.extractive import choosing
from summarizer_tool.mapreduce import grounding
from summarizer_tool.mapreduce.grounding import Grounding
from summarizer_tool.mapreduce.merging import GroundedFact
from summarizer_tool.mapreduce.numbering import Numbered
from summarizer_tool.prompts import Focus, ParsedRequest


def load() -> None:
    """Do nothing: a process that can call this has imported all that the functions below need."""


def extract(numbered: Numbered, focus: Focus, target_tokens: int) -> tuple[int, Grounding]:
    """The embedded model's facts of a chunk."""
    answer = choosing.summarize_sources(
        ParsedRequest(numbered.sources, focus, target_tokens, merges=False), target_tokens
    )
    return len(answer.facts), grounding.ground(answer, numbered.lines, numbered.context)


def first_statements(numbered: Numbered, target_tokens: int) -> list[GroundedFact]:
    """The first statements of a chunk, at next to no cost."""
    answer = choosing.first_statements(numbered.lines, target_tokens)
    return [GroundedFact(fact.text, 3, (numbered.places[fact.evidence[0] - 1],)) for fact in answer.facts]
