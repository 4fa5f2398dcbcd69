"""Typed extraction: a category's records out of what the research steps have kept, verified against the raw pages."""

from functools import partial
from typing import Any

import anyio.to_thread
from pydantic import BaseModel, ConfigDict, Field, SerializeAsAny, ValidationInfo, field_validator
from pydantic_ai.models import Model
from pydantic_ai.usage import RunUsage, UsageLimits

from researcher_integration.lore.extraction import material_prompts
from researcher_integration.lore.extraction.records import RECORDS, Record, Records, typed
from researcher_integration.lore.extraction.verification import verify
from researcher_integration.lore.extraction.windowed_query import ReadPage, WindowedQuery
from researcher_integration.lore.material import Material, TopicId
from researcher_integration.usage import Spent
from summarizer_tool import Settings, TypedQuery, load_prompt


class Extraction(BaseModel):
    """The records of one category, and what became of the others."""

    model_config = ConfigDict(frozen=True)

    category: TopicId
    records: list[SerializeAsAny[Record]] = Field(default_factory=list[SerializeAsAny[Record]])
    """Of the category's type, also when they are read back from JSON."""
    dropped: int = 0
    """Records whose name stands on no page."""
    repaired: int = 0
    """Records and relations whose sources were corrected."""
    is_partial: bool = False
    """Whether the answer was cut off or broken, and only its complete records were kept."""
    unread: tuple[int, ...] = ()
    """Numbers of the pages whose raw text could not be had; records were held against the others."""
    reason: str = ''
    """Why there are no records, where there is a reason: the model has failed, or a limit was reached."""
    spent: Spent = Field(default_factory=Spent)

    @field_validator('records', mode='before')
    @classmethod
    def _of_category(cls, value: list[Any], info: ValidationInfo) -> list[Any]:
        """Records as JSON say nothing of their type; the category does."""
        return typed(info.data['category'], value)


class Extractor:
    """Asks a model for the records of each category, in requests that keep to a window."""

    def __init__(self, model: Model | None, settings: Settings) -> None:
        self.questions: dict[TopicId, WindowedQuery[Records[Any]]] = {
            category: WindowedQuery(
                model,
                settings,
                TypedQuery('lore_extractor', 'research/extraction', Records[record_type], members='records'),
                partial(_request, category),
            )
            for category, record_type in RECORDS.items()
        }

    async def extract(
        self,
        category: TopicId,
        material: Material,
        read: ReadPage,
        *,
        usage: RunUsage,
        usage_limits: UsageLimits | None,
    ) -> Extraction:
        """Ask for the records of one category and hold them against the raw pages.

        What fails on the way (the model, the provider, a limit, an answer of which nothing can be read) is the
        extraction's `reason`.
        """
        answer = await self.questions[category].ask(material, read, usage=usage, usage_limits=usage_limits)
        made = Extraction(category=category, unread=answer.unread, reason=answer.reason, spent=answer.spent)
        if answer.output is None:
            return made
        verified = await anyio.to_thread.run_sync(partial(verify, answer.output.records, material.pages, answer.raw))
        return made.model_copy(
            update={
                'records': verified.records,
                'dropped': verified.dropped,
                'repaired': verified.repaired,
                'is_partial': answer.is_partial,
            }
        )


def _request(category: TopicId, material: Material) -> str:
    task = load_prompt(f'research/extraction/{category}')
    return material_prompts.request('research/extraction_request', material, task=task)
