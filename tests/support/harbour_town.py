"""Short texts about a town, a collection of them, what ranks and judges them, and what is seen of a search there."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from summarizer_tool.documents.document import Document
from summarizer_tool.evidence.search.results import SearchResult
from summarizer_tool.store.collection import Collection
from summarizer_tool.store.source_store import SourceStore
from tests.support.passages import passages_of

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

TALE = [
    f'{beginning} Of this the chronicle of the {place} has {number} leaves, and each is signed by another hand than the '
    f'one before, so that nobody can say for certain what the {trade} of the {place} has seen with his own eyes, and what '
    f'he was told by the {other} in the winter after; the {number} seals are lost, and so is the box they were in.'
    for number, (beginning, place, trade, other) in enumerate(
        (
            ('The weir was dear.', 'mill', 'carter', 'abbot'),
            ('Zanzibar sent a letter.', 'port', 'pilot', 'notary'),
            ('It asked for tar.', 'kiln', 'potter', 'bailiff'),
            ('It was paid.', 'moor', 'shepherd', 'widow'),
            ('Geese came.', 'fair', 'juggler', 'hangman'),
            ('Zanzibar and tar were forgotten.', 'heath', 'piper', 'midwife'),
        ),
        11,
    )
]
"""Long passages that share most of their words."""


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


@dataclass
class Meaning:
    """Ranks by meaning, as it is told."""

    by_question: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    error: Exception | None = None
    warning: str = ''
    asked: list[tuple[list[str], list[str]]] = field(default_factory=list[tuple[list[str], list[str]]])
    limits: list[int] = field(default_factory=list[int])

    async def nearest(
        self, collection: Collection, queries: Sequence[str], source_ids: Sequence[str], limit: int
    ) -> tuple[list[list[int]], str]:
        """The passages that begin as told."""
        self.asked.append((list(queries), list(source_ids)))
        self.limits.append(limit)
        if self.error:
            raise self.error
        assert limit >= 50
        passages = [passage for source in collection.sources() for passage in passages_of(collection, source.id)]
        return (
            [
                [
                    each.id
                    for start in self.by_question.get(query, [])
                    for each in passages
                    if each.text.startswith(start)
                ]
                for query in queries
            ],
            self.warning,
        )
