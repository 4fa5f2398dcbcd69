"""A guide to a plant, what a search finds in it, and the section that a brief makes of that."""

from dataclasses import replace
from datetime import UTC, datetime

from summarizer_tool.documents.document import Document
from summarizer_tool.documents.passage import Passage
from summarizer_tool.evidence.brief.brief import Brief, EvidenceBlock
from summarizer_tool.evidence.brief.rendering import render
from summarizer_tool.evidence.search.results import Hit, SearchResult
from summarizer_tool.store.collection import Collection

DAY = datetime(2026, 1, 2, 10, 30, tzinfo=UTC)
GUIDE = Document(
    """\
# Guide to the plant

The plant stands at Orrin Sound.

## Turbines

There are six turbines in the hall.
Each of them gives 1.4 MW at spring tide.

They were built in 1987.
The makers were Brandt and Sons.

## Blades

The blades are made of bronze.
""",
    title='Guide to the plant',
    url='https://orrin.example/guide',
)
NOTE = Document('Visitors are let in on Mondays.', title='Note')


def passage(document: Document, number: int, first: int, last: int, *path: str, offset: int = 0) -> Passage:
    text = '\n'.join(document.text.split('\n')[first - 1 : last])[offset:]
    return Passage(number, document.id, number, first, last, offset, path, text)


def blocks(evidence: tuple[object, ...]) -> list[EvidenceBlock]:
    return [block for block in evidence if isinstance(block, EvidenceBlock)]


def evidence_of(brief: Brief, budget: int = 4000) -> str:
    """The section as it is written."""
    text = render(brief, budget).text
    return text[text.index('[EVIDENCE]') :].split('\n\n')[0]


TURBINES = passage(GUIDE, 2, 7, 8, 'Turbines')
BUILT = passage(GUIDE, 3, 10, 11, 'Turbines')
BLADES = passage(GUIDE, 4, 15, 15, 'Blades')


def found(collection: Collection, *hits: Hit) -> SearchResult:
    ids = dict.fromkeys(hit.passage.source_id for hit in hits)
    valued = tuple(replace(hit, value=hit.score) for hit in hits)
    return SearchResult(valued, tuple(collection.source(source_id) for source_id in ids), 2, 5, 3)
