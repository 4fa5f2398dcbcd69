"""The embedded model's facts of a chunk, for a worker process: it imports nothing that asks models. Pure computing."""

from summarizer_tool.extractive import choosing
from summarizer_tool.mapreduce import grounding
from summarizer_tool.mapreduce.grounding import Grounding
from summarizer_tool.mapreduce.numbering import Numbered
from summarizer_tool.prompts import Focus, ParsedRequest


def load() -> None:
    """Do nothing: a process that can call this has imported all that `extract` needs."""


def extract(numbered: Numbered, focus: Focus, target: int) -> tuple[int, Grounding]:
    """How many facts the embedded model has of a chunk, and those that are grounded."""
    answer = choosing.summarize_sources(ParsedRequest(numbered.sources, focus, target, merges=False), target)
    return len(answer.facts), grounding.ground(answer, numbered.lines, numbered.context)
