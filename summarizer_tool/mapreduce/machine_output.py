"""Documents that machines wrote, where no model reads them: digests of them whole. Pure computing.

What is odd in a log only shows against all of it, and none of it is a sentence: it is neither cut nor ranked as prose.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from summarizer_tool.digests.digest import Digest, digest_of, machine_output
from summarizer_tool.digests.statements import TOPICS, DigestStatement
from summarizer_tool.documents.cutting import repeats_among
from summarizer_tool.documents.document import Document
from summarizer_tool.mapreduce.job import Job
from summarizer_tool.mapreduce.render import shorten, title_line
from summarizer_tool.mapreduce.report import evidence_at, joined_tokens, part_of, repeated_part
from summarizer_tool.prompts import Focus
from summarizer_tool.schemas import SourcedFact, Summary
from summarizer_tool.text import names, tokens

_PLACES = 5
"""Lines of one fact that are named: of many the first ones, of the whole its beginning."""
_FIRST_FACT = 40
"""Tokens of a sentence and the title above it."""
_IMPORTANT = frozenset(TOPICS[: TOPICS.index('odd items') + 1])


def digests_of(documents: Sequence[Document], budget: int, focus: Focus) -> dict[int, Digest]:
    """The digest of each document that a machine wrote, by its index, within its share of the budget.

    Each document, whoever wrote it, first has room for a fact, or for all of it. What is left is shared by the root of
    the size, since much of what is long is said again and again; what one digest leaves the next ones may use. That of
    an earlier one's equal is empty.
    """
    again = repeats_among(documents)
    whole = {
        index: document.tokens + _cost_of_title(documents, index)
        for index, document in enumerate(documents)
        if index not in again
    }
    first = {index: min(cost, _FIRST_FACT, budget // len(whole)) for index, cost in whole.items()}
    sizes = {index: len(documents[index].text) ** 0.5 if first[index] < cost else 0.0 for index, cost in whole.items()}
    asked = f'{focus.focus_areas} {focus.hint}'
    found: dict[int, Digest] = {}
    left, size = budget - sum(first.values()), sum(sizes.values())
    for index in sorted(sizes, key=lambda each: sizes[each]):
        if (read := machine_output(documents[index].text)) is None:
            continue
        share = first[index] + int(left * sizes[index] / max(1.0, size)) - _cost_of_title(documents, index)
        found[index] = digest_of(read, share, asked)
        left -= tokens.count(told(documents, index, found[index])) + 1 - first[index]
        size -= sizes[index]
    return found | {index: Digest('', found[kept_in].kind, ()) for index, kept_in in again.items() if kept_in in found}


def with_digests(job: Job, digests: Mapping[int, Digest], other: Summary | None, model_name: str) -> Summary:
    """The summary of a job: the digests, after what was made of its other documents."""
    texts = [text for index in sorted(digests) if (text := told(job.documents, index, digests[index]))]
    if other:
        begins, rest = other.text.split('\n', 1)[0].rstrip(), other.text.rstrip()
        texts = [*(each for each in _heading_of_rest(job, digests) if each != begins), rest, *texts]
    text = shorten('\n'.join(texts), job.budget)
    facts = [fact for index in sorted(digests) for fact in _facts(job.documents[index], digests[index].lines)]
    again = repeats_among(job.documents)
    parts = [
        repeated_part(job.documents[index], again[index])
        if index in again
        else part_of(job.documents[index], 'summarized')
        for index in sorted(digests)
    ]
    if other is None:
        other = Summary(text='', state='complete', stats=job.stats(model_name))
    order = {document.id: place for place, document in enumerate(job.documents)}
    before, more = other.stats, len(facts)
    counted = {'tokens_in': job.tokens_in, 'tokens_out': tokens.count(text), 'budget': job.budget}
    counted |= {'facts_in': before.facts_in + more, 'facts_out': before.facts_out + more}
    return other.model_copy(
        update={
            'text': text,
            'state': 'complete' if other.state in ('unchanged', 'empty') else other.state,
            'facts': [*other.facts, *facts],
            'parts': sorted([*other.parts, *parts], key=lambda part: order[part.source_id]),
            'stats': before.model_copy(update=counted),
        }
    )


def without(job: Job, digests: Mapping[int, Digest]) -> Job:
    """What is left of a job beside the digests of some of its documents."""
    documents = [document for index, document in enumerate(job.documents) if index not in digests]
    texts = [*_heading_of_rest(job, digests), *(told(job.documents, index, digests[index]) for index in digests)]
    return replace(
        job,
        documents=documents,
        budget=max(1, job.budget - sum(tokens.count(text) + 1 for text in texts)),
        tokens_in=joined_tokens(documents),
    )


def _heading_of_rest(job: Job, digests: Mapping[int, Digest]) -> list[str]:
    """The heading of what is beside the digests, if it is one document: several have headings in their own summary."""
    rest = [document for index, document in enumerate(job.documents) if index not in digests]
    return [title_line(rest[0].title)] if len(rest) == 1 else []


def told(documents: Sequence[Document], index: int, found: Digest) -> str:
    """A digest as it stands in a text, if it is not empty, under the heading of its document if there are several."""
    return '\n'.join(filter(None, (_title_of(documents, index), found.text))) if found.text else ''


def _title_of(documents: Sequence[Document], index: int) -> str:
    return title_line(documents[index].title) if len(documents) > 1 else ''


def _cost_of_title(documents: Sequence[Document], index: int) -> int:
    return tokens.count(f'{_title_of(documents, index)}\n') + 1 if len(documents) > 1 else 0


def _facts(document: Document, lines: Iterable[DigestStatement]) -> list[SourcedFact]:
    starts = document.line_starts
    return [
        SourcedFact(
            text=line.text,
            importance=4 if line.topic in _IMPORTANT else 3,
            names=[*names.mentions(line.text)],
            evidence=[
                evidence_at(document, document.segment_at(starts[number - 1]))
                for number in (line.lines or (1,))[:_PLACES]
                if number <= len(starts)
            ],
        )
        for line in lines
    ]
