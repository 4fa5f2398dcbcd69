"""An embedding model for which words of one meaning are one, and what it ranks."""

import zlib
from collections.abc import Awaitable, Callable, Sequence

import anyio
import anyio.lowlevel
from pydantic_ai.embeddings import EmbeddingModel, EmbeddingResult, EmbeddingSettings
from pydantic_ai.embeddings.result import EmbedInputType
from pydantic_ai.usage import RequestUsage

from summarizer_tool.documents.document import Document
from summarizer_tool.evidence.search.embedded_passages import EmbeddedPassages
from summarizer_tool.settings import Settings
from summarizer_tool.store.collection import Collection

SIZE = 64


SYNONYMS = {
    'vessel': 'boat', 'ship': 'boat', 'ferry': 'boat', 'sank': 'sink', 'foundered': 'sink', 'physician': 'doctor',
    'healer': 'doctor', 'illness': 'fever', 'sickness': 'fever', 'payment': 'wage', 'salary': 'wage', 'paid': 'wage',
}  # fmt: skip


HARBOUR = Document(
    '# Harbour\n\n## Losses\n\nThe ferry Marn foundered off the pier in the winter of 1871.\n\n'
    '## Crew\n\nDeckhands had a salary of nine crowns a month.\n',
    title='Harbour',
)


TOWN = Document('# Town\n\nThe healer Ada Brook kept the sickness out of the lower streets.\n', title='Town of Velm')


class Meaning(EmbeddingModel):
    """A model for which words of one meaning are one: a hashed bag of them."""

    def __init__(self, name: str = 'meaning', size: int = SIZE) -> None:
        super().__init__()
        self.name = name
        self.size = size
        self.sent: list[tuple[str, list[str]]] = []
        self.settings_seen: list[EmbeddingSettings | None] = []
        self.running = self.most_running = 0
        self.before: Callable[[list[str]], Awaitable[None]] | None = None

    @property
    def model_name(self) -> str:
        return self.name

    @property
    def system(self) -> str:
        return 'tests'

    async def embed(
        self, inputs: str | Sequence[str], *, input_type: EmbedInputType, settings: EmbeddingSettings | None = None
    ) -> EmbeddingResult:
        texts, settings = self.prepare_embed(inputs, settings)
        self.sent.append((input_type, texts))
        self.settings_seen.append(settings)
        self.running += 1
        self.most_running = max(self.most_running, self.running)
        try:
            await anyio.lowlevel.checkpoint()
            if self.before:
                await self.before(texts)
        finally:
            self.running -= 1
        return EmbeddingResult(
            embeddings=[self.vector(text) for text in texts],
            inputs=texts,
            input_type=input_type,
            model_name=self.name,
            provider_name=self.system,
            usage=RequestUsage(input_tokens=len(texts)),
        )

    def vector(self, text: str) -> list[float]:
        numbers = [0.0] * self.size
        for word in text.lower().replace('.', ' ').replace('?', ' ').split():
            if len(word) > 3:
                numbers[zlib.crc32(SYNONYMS.get(word, word).encode()) % self.size] += 3.0
        return numbers

    @property
    def documents(self) -> list[list[str]]:
        return [texts for kind, texts in self.sent if kind == 'document']


def embedded(model: EmbeddingModel, **settings: object) -> EmbeddedPassages:
    made = EmbeddedPassages.of(Settings.load(llm_timeout_seconds=5, **settings), model=model)
    assert made is not None
    return made


async def nearest(
    passages: EmbeddedPassages, collection: Collection, queries: Sequence[str], source_ids: Sequence[str], limit: int
) -> list[list[int]]:
    rankings, _ = await passages.nearest(collection, queries, source_ids, limit)
    return rankings


def texts(collection: Collection, found: list[list[int]]) -> list[list[str]]:
    return [[passage.text for passage in collection.passages(ids)] for ids in found]


def many(count: int) -> Document:
    return Document(''.join(f'## Part {number}\n\nvessel number{number} sank\n\n' for number in range(count)))


def blobs(collection: Collection) -> list[tuple[str, int, bytes]]:
    with collection.database.read() as db:
        return db.execute('SELECT model, passage, vector FROM vectors ORDER BY model, passage').fetchall()
