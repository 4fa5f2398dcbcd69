"""What the settings make: the summarizer, and what ranks by meaning, for whatever collection is asked about."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from summarizer_tool.mapreduce.summarizer import Summarizer
from summarizer_tool.service.service import Service
from summarizer_tool.store.collection import Collection

if TYPE_CHECKING:
    from summarizer_tool.evidence.search.embedded_passages import EmbeddedPassages
    from summarizer_tool.service.retrieval import Retriever


@dataclass(frozen=True, slots=True)
class Setup:
    """Who does the work for all collections."""

    summarizer: Summarizer
    similar: 'EmbeddedPassages | None'
    """Ranks by meaning, where the settings name a model for that."""

    @classmethod
    def of(cls, summarizer: Summarizer) -> Self:
        """Check what its settings say of ranking now; raises `ConfigurationError`."""
        if not summarizer.settings.embedding_model:
            return cls(summarizer, None)
        from summarizer_tool.evidence.search.embedded_passages import EmbeddedPassages

        return cls(summarizer, EmbeddedPassages.of(summarizer.settings))

    def service(self, collection: Collection) -> Service:
        """What summarizes and stores in a collection."""
        return Service(self.summarizer, collection)

    def retriever(self, collection: Collection) -> 'Retriever':
        """What searches and answers, too; it is loaded where it is first asked for."""
        from summarizer_tool.service.retrieval import Retriever

        return Retriever(self.service(collection), similar=self.similar)
