"""Sources that a crawler has stored, and summaries of them by a backend."""

from collections.abc import Sequence

from researcher_integration.lore.summaries.backends import InProcess, SourceSummary
from researcher_integration.lore.summaries.over_mcp import SummaryBackend
from summarizer_tool import Document, ExtractiveModel, RequestOptions, Settings, SourceStore, SummaryTopic

KEYLESS = {'llm_model': 'extractive', 'store': ':memory:', 'worker_processes': 0}


def kept(store: SourceStore, *texts: str) -> list[str]:
    """Put texts into a store as a crawler does; their handles."""
    documents = [
        Document(text, title=f'Annals of Marn, volume {number}', url=f'https://marn.example/{number}')
        for number, text in enumerate(texts, 1)
    ]
    for document in documents:
        store.collection().add(document)
    return [document.id for document in documents]


def local(store: SourceStore) -> InProcess:
    """What a server's summaries are made of: the sources of this process."""
    return InProcess(Settings.load(**KEYLESS), store, ExtractiveModel())


async def condensed(
    backend: SummaryBackend, handles: Sequence[str], hint: str, budget: int = 300, options: RequestOptions | None = None
) -> SourceSummary:
    topics = [SummaryTopic(name='Marn', schema_hint=hint)]
    return await backend.condense(handles, topics, budget, options or RequestOptions())


def without_port(error: BaseException) -> str:
    return ' '.join('HOST' if word.startswith('127.0.0.1:') else word for word in str(error).split())
