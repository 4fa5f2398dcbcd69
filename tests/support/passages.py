"""The passages of a source, as the index has them."""

from summarizer_tool.documents.passage import Passage
from summarizer_tool.store import index
from summarizer_tool.store.collection import Collection


def passages_of(collection: Collection, source_id: str) -> list[Passage]:
    with collection.database.read() as db:
        return index.passages_of_source(db, collection.name, source_id)
