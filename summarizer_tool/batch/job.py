"""What a worker is given, and what it gives back: plain JSON, so that any machine can do it."""

import base64
import hashlib
import zlib
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, TypeAdapter

from summarizer_tool.documents.document import Document
from summarizer_tool.errors import FetchError
from summarizer_tool.mapreduce.request import ExtractionRequest, SummarizeRequest
from summarizer_tool.schemas import Summary, SummaryState
from summarizer_tool.settings import Settings


def pack(content: bytes) -> str:
    """Bytes as a short text."""
    return base64.b85encode(zlib.compress(content, 6)).decode()


def unpack(packed: str) -> bytes:
    """The bytes of a packed text."""
    return zlib.decompress(base64.b85decode(packed))


class Asked(BaseModel):
    """What is asked for of every document of a batch."""

    model_config = ConfigDict(frozen=True)

    model: str
    """The model that answers, as in `LLM_MODEL`: the same on all machines."""
    max_output_tokens: int = 0
    default_output_tokens: int = Settings.model_fields['default_max_output_tokens'].default
    """What `DEFAULT_MAX_OUTPUT_TOKENS` is where the batch is begun; workers elsewhere keep to it."""
    focus_areas: tuple[str, ...] = ()
    schema_hint: str = ''

    def request(self) -> SummarizeRequest:
        """The request of one document; raises `RequestError` for a value that a parameter cannot have."""
        kind = ExtractionRequest if self.schema_hint else SummarizeRequest
        return kind.of({**self.model_dump(exclude={'model', 'default_output_tokens'}), 'names_handles': False})


_TEXTS = TypeAdapter(list[tuple[str, str, str]])

Kind = Literal['file', 'texts', 'refused']
"""Whether content is the bytes of a file that is yet to be read, or texts that have been: title, URL and text of each,
or why a file cannot be read, which is told as of any other."""


class BatchJob(BaseModel):
    """One document, or several texts, to summarize."""

    model_config = ConfigDict(frozen=True)

    name: str
    """Where its results stand, below the folder of the batch."""
    kind: Kind
    content: str
    """Packed."""
    digest: str
    """Of the content, unpacked."""
    asked: Asked

    @classmethod
    def of(cls, name: str, kind: Kind, raw: bytes, asked: Asked) -> Self:
        """The job of some content."""
        digest = hashlib.sha256(raw).hexdigest()
        return cls(name=name, kind=kind, content=pack(raw), digest=digest, asked=asked)

    @classmethod
    def of_documents(cls, name: str, documents: list[Document], asked: Asked) -> Self:
        """Texts that become one summary."""
        texts = [(document.title, document.url, document.text) for document in documents]
        return cls.of(name, 'texts', _TEXTS.dump_json(texts), asked)

    @property
    def key(self) -> str:
        """The same for the same work, 24 hex digits."""
        parts = (self.name, self.kind, self.digest, self.asked.model_dump_json())
        return hashlib.sha256('\0'.join(parts).encode()).hexdigest()[:24]

    def documents(self) -> list[Document]:
        """What is to be summarized; raises `FetchError` if a file cannot be read, is no text, or holds none."""
        raw = unpack(self.content)
        if self.kind == 'refused':
            raise FetchError(raw.decode())
        if self.kind == 'file':
            from summarizer_tool.formats.files import read_file

            document = read_file(raw, self.name).document
            if not document.text.strip():
                raise FetchError('holds no text')
            return [document]
        return [Document(text, title=title, url=url) for title, url, text in _TEXTS.validate_json(raw)]


class Outcome(BaseModel):
    """What has become of one document, without its text."""

    state: SummaryState | Literal['set aside']
    title: str = ''
    tokens_in: int = 0
    tokens_out: int = 0
    calls: int = 0
    cached_calls: int = 0
    """Calls that were not made, since another attempt or another document had made them."""
    cost: float | None = 0.0
    """US dollars; unknown where the price of the model is."""
    seconds: float = 0.0
    degraded_parts: int = 0
    warnings: list[str] = []
    error: str = ''
    """Why it was set aside."""

    @classmethod
    def of(cls, summary: Summary) -> Self:
        """That of a summary."""
        stats = summary.stats
        return cls(
            **stats.model_dump(include={'tokens_in', 'tokens_out', 'cached_calls', 'cost', 'seconds'}),
            state=summary.state,
            title=summary.parts[0].title if summary.parts else '',
            calls=stats.map_calls + stats.reduce_calls + stats.repair_calls,
            degraded_parts=len(summary.degraded),
            warnings=summary.warnings,
        )
