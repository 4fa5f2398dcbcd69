"""Typed extraction: a category's records out of what the research steps have kept, verified against the raw pages."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any, cast

import anyio.to_thread
from pydantic import BaseModel, ConfigDict, Field, SerializeAsAny, ValidationInfo, field_validator
from pydantic_ai.models import Model
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import RunUsage, UsageLimits

from researcher_integration.lore.extraction import material_prompts
from researcher_integration.lore.extraction.records import RECORDS, Record, Records
from researcher_integration.lore.extraction.typed_answers import OutputMode, TypedQuestion, again
from researcher_integration.lore.extraction.verification import verify
from researcher_integration.lore.material import TOPIC_IDS, CrawledPage, Material, TopicId
from researcher_integration.usage import Spent
from summarizer_tool import SummarizerError, load_prompt

WINDOW_TOKENS = 25_000
"""What a request may have, in cl100k tokens: instructions, material, and the form of the answer."""

NO_MATERIAL = 'the sections hold no text'
NO_PAGES = 'no page can be read'
NO_MODEL = 'no model'

Texts = Callable[[str], Awaitable[str]]
"""Gives the raw text of a page by its handle."""


class Extraction(BaseModel):
    """The records of one category, and what became of the others."""

    model_config = ConfigDict(frozen=True)

    category: TopicId
    records: list[SerializeAsAny[Record]] = Field(default_factory=list[SerializeAsAny[Record]])
    """Of the category's type, also when they are read back from JSON."""
    dropped: int = 0
    """Records whose name stands on no page."""
    dropped_relations: int = 0
    """Relations, of the records that are kept, to what stands on no page."""
    repaired: int = 0
    """Records and relations whose sources were corrected."""
    salvaged: bool = False
    """Whether the answer was cut off or broken, and only its whole records were kept."""
    unread: tuple[int, ...] = ()
    """Numbers of the pages whose raw text could not be had; records were held against the others."""
    reason: str = ''
    """Why there are no records, where there is a reason: the model has failed, or a limit was reached."""
    spent: Spent = Field(default_factory=Spent)

    @field_validator('records', mode='before')
    @classmethod
    def _of_category(cls, value: object, info: ValidationInfo) -> object:
        """Records as JSON say nothing of their type; the category does."""
        record_type = RECORDS.get(info.data.get('category', ''))
        if record_type is None or not isinstance(value, list):
            return value  # pyright: ignore[reportUnknownVariableType]
        return [
            record_type.model_validate(record) if isinstance(record, dict) else record
            for record in cast('list[object]', value)
        ]


class Extractor:
    """Asks a model for the records of each category, in requests that keep to a window."""

    def __init__(
        self,
        model: Model | None,
        *,
        window_tokens: int = WINDOW_TOKENS,
        output_mode: OutputMode = 'auto',
        model_settings: ModelSettings | None = None,
        trace_content: bool = False,
    ) -> None:
        """Prepare the five questions.

        Args:
            model: Who is asked. Without one nothing can be extracted, but sizes are known.
            window_tokens: What each request may have, in cl100k tokens.
            output_mode: How the form of the answer is asked for; `auto`: as the model's profile says.
            model_settings: For the requests: `max_tokens`, a timeout.
            trace_content: Whether prompts and answers go into traces.
        """
        self.window_tokens = window_tokens
        self._model = model
        self._model_settings = model_settings
        instructions = load_prompt('research/extraction')
        self._questions: dict[TopicId, TypedQuestion[Records[Any]]] = {
            category: TypedQuestion(
                'lore_extractor',
                instructions,
                Records[record_type],
                'records',
                output_mode=output_mode,
                trace_content=trace_content,
            )
            for category, record_type in RECORDS.items()
        }

    def prompt(self, category: TopicId, material: Material) -> str:
        """The user prompt."""
        task = load_prompt(f'research/extraction/{category}')
        return material_prompts.request('research/extraction_request', material, task=task)

    def prompt_tokens(self, category: TopicId, material: Material) -> int:
        """Tokens of all that is sent: instructions, user prompt, and the form of the answer as JSON.

        Args:
            category: What is asked for.
            material: What is extracted from.

        Raises:
            UserError: If the model cannot answer in the output mode.
        """
        return self._tokens(category, self.prompt(category, material))

    def _tokens(self, category: TopicId, request: str) -> int:
        return self._questions[category].tokens(self._model, request)

    def room(self, zone: str, pages: Sequence[CrawledPage]) -> int:
        """Tokens that all sections may have together.

        Whenever there is at most one section for each topic, and their texts have at most so many tokens in sum, each
        request keeps to the window, whatever the category and whatever the texts, retries included.

        Args:
            zone: Name of the zone.
            pages: The pages that will be listed.

        Raises:
            ValueError: If zone and page list leave no room.
            UserError: If the model cannot answer in the output mode.
        """

        def largest(material: Material) -> int:
            return max(self._tokens(each, again(self.prompt(each, material))) for each in TOPIC_IDS)

        return material_prompts.room(largest, zone, pages, self.window_tokens)

    def _request(self, category: TopicId, material: Material) -> str:
        request = self.prompt(category, material)
        sent = self._tokens(category, again(request))
        if sent > self.window_tokens:
            raise ValueError(
                f'the request for {category} has {sent:,} tokens, over window_tokens={self.window_tokens:,}; '
                'give sections of at most room(zone, pages) tokens'
            )
        return request

    async def extract(
        self, category: TopicId, material: Material, texts: Texts, *, usage: RunUsage, usage_limits: UsageLimits | None
    ) -> Extraction:
        """Ask for the records of one category and hold them against the raw pages.

        What fails on the way (the model, the provider, a limit, an answer of which nothing can be read) is the
        extraction's `reason`.

        Args:
            category: What is asked for.
            material: What is extracted from.
            texts: Gives the raw text of a page by its handle.
            usage: Counts what the research has cost; this request's is added. Several categories may run at once.
            usage_limits: For `usage`.

        Raises:
            ValueError: If the request would be over the window; `room` says how much the sections may have.
            UserError: If the model cannot answer in the output mode.
        """
        request = await anyio.to_thread.run_sync(self._request, category, material)
        if self._model is None or not any(section.text.strip() for section in material.sections):
            return Extraction(category=category, reason=NO_MATERIAL if self._model else NO_MODEL)
        raw = await read_pages(material.pages, texts)
        unread = tuple(page.number for page in material.pages if page.number not in raw)
        if not raw:  # nothing could be verified, so nothing is paid for
            return Extraction(category=category, unread=unread, reason=NO_PAGES)
        answer = await self._questions[category].ask(
            self._model, request, usage=usage, usage_limits=usage_limits, model_settings=self._model_settings
        )
        spent = Spent.of(answer.usage)
        if answer.output is None:
            return Extraction(category=category, unread=unread, reason=answer.reason, spent=spent)
        verified = await anyio.to_thread.run_sync(partial(verify, answer.output.records, material.pages, raw))
        return Extraction(
            category=category,
            records=verified.records,
            dropped=verified.dropped,
            dropped_relations=verified.dropped_relations,
            repaired=verified.repaired,
            salvaged=answer.salvaged,
            unread=unread,
            spent=spent,
        )


async def read_pages(pages: Sequence[CrawledPage], texts: Texts) -> dict[int, str]:
    """The raw texts by page number, without those that cannot be had."""
    raw: dict[int, str] = {}
    for page in pages:
        try:
            raw[page.number] = await texts(page.source_id)
        except (SummarizerError, OSError):  # evicted, or the store fails: the extraction says which are missing
            continue
    return raw
