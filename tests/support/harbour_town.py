"""Three short texts about a town, a collection of them, and what is seen of what a search finds there."""

from summarizer_tool.documents.document import Document
from summarizer_tool.evidence.search.results import SearchResult
from summarizer_tool.store.collection import Collection
from summarizer_tool.store.source_store import SourceStore

GUILD = """\
# The guild

## Origins

Ada Brook, a miller's daughter, founded the salt guild in 1203, after the second flood had taken the old pans.

## Ships

The guild owned twelve ships. The largest of them, the Grey Heron, carried salt to the northern ports every spring.

The Grey Heron was lost in 1260 on the Teeth, with all hands.

## Fees

Each member paid a fee of three marks a year, which error E-4021 of the later ledger shows as thirty.
"""
HARBOUR = """\
# The harbour

The harbour was dug in 1203 and silted up twice. Its master was chosen by the town.

The lighthouse on the Teeth was lit first in 1262, two years after a great ship had been lost there.
"""
TOWN = '# The town\n\n' + '\n\n'.join(
    f'In the ward of {name} there were {number} houses, a well and a chapel, and its people kept geese.'
    for number, name in enumerate(('Millgate', 'Saltmarket', 'Northbridge', 'Underhill', 'Tannery', 'Weir'), 20)
)


def town() -> Collection:
    """A collection of all three."""
    collection = SourceStore().collection()
    for text, title in ((GUILD, 'Salt guild'), (HARBOUR, 'Harbour'), (TOWN, 'Town')):
        collection.add(Document(text, title=title))
    return collection


def shown(found: SearchResult) -> list[tuple[str, float, str]]:
    """What is seen of hits: how they begin, their scores, and why they are there."""
    return [
        (hit.passage.text[:40], round(hit.score, 2), ('adjacent ' if hit.is_adjacent else '') + hit.query)
        for hit in found.hits
    ]
