"""Ask typed questions about research material in requests that keep to a window, whose size is known beforehand."""

import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

import anyio.to_thread
from pydantic import BaseModel, TypeAdapter
from pydantic_ai.models import Model
from pydantic_ai.tools import GenerateToolJsonSchema
from pydantic_ai.usage import RunUsage, UsageLimits

from researcher_integration.lore.material import CrawledPage, Material
from researcher_integration.usage import Spent
from summarizer_tool import Settings, SummarizerError, TypedQuery, count_tokens, load_prompt

RETRIES = 2
"""Times that a request is made again when nothing of the answer could be read."""

FORM_TOKENS = 100
"""What goes around request and form of the answer at most, whether that is asked for as a tool, natively or by prompt:
names, a template, the roles and switches of a provider's format."""

ReadPage = Callable[[str], Awaitable[str]]
"""Gives the raw text of a page by its handle."""

EnvelopeT = TypeVar('EnvelopeT', bound=BaseModel)


@dataclass(frozen=True, slots=True)
class MaterialAnswer(Generic[EnvelopeT]):
    """What a model answers about a material, or why it does not, and the raw pages to hold the answer against."""

    output: EnvelopeT | None = None
    raw: dict[int, str] = field(default_factory=dict[int, str])
    """Raw texts by page number."""
    unread: tuple[int, ...] = ()
    """Numbers of the pages whose raw text could not be had."""
    is_partial: bool = False
    """Whether the answer was cut off or broken, and only its complete members were kept."""
    reason: str = ''
    spent: Spent = field(default_factory=Spent)


class WindowedQuery(Generic[EnvelopeT]):
    """A typed question about a material, in requests of a known size.

    It is asked up to three times, each time in a new run, so that no request grows by the answers before it.
    """

    def __init__(
        self,
        model: Model | None,
        settings: Settings,
        query: TypedQuery[EnvelopeT],
        request: Callable[[Material], str],
    ) -> None:
        """Measure what goes with each request; without a model nothing can be asked, but sizes are known."""
        self.request = request
        self._model = model
        self._query = replace(query.configured(settings), again_prompt='research/answer_again', retries=RETRIES)
        form = TypeAdapter(query.output_type).json_schema(schema_generator=GenerateToolJsonSchema)
        self._tokens_beside = count_tokens(load_prompt(query.prompt)) + count_tokens(json.dumps(form)) + FORM_TOKENS

    def most_tokens(self, material: Material) -> int:
        """What is sent at most, in cl100k tokens: request, instructions and the form of the answer, asked again."""
        return count_tokens(self._query.again(self.request(material))) + self._tokens_beside

    async def ask(
        self, material: Material, read: ReadPage, *, usage: RunUsage, usage_limits: UsageLimits | None
    ) -> MaterialAnswer[EnvelopeT]:
        """Ask about a material, unless nothing could come of it; what fails on the way is the answer's `reason`."""
        request = await anyio.to_thread.run_sync(self.request, material)
        if self._model is None:
            return MaterialAnswer(reason='no model')
        if not any(section.text.strip() for section in material.sections):
            return MaterialAnswer(reason='the sections hold no text')
        raw = await _read_pages(material.pages, read)
        unread = tuple(page.number for page in material.pages if page.number not in raw)
        if not raw:  # nothing could be verified, so nothing is paid for
            return MaterialAnswer(unread=unread, reason='no page can be read')
        spent = RunUsage()
        result = await self._query.ask(self._model, request, usage=usage, spent=spent, usage_limits=usage_limits)
        return MaterialAnswer(result.output, raw, unread, result.is_partial, result.reason, Spent.of(spent))


async def _read_pages(pages: Sequence[CrawledPage], read: ReadPage) -> dict[int, str]:
    """The raw texts by page number, without those that cannot be had."""
    raw: dict[int, str] = {}
    for page in pages:
        try:
            raw[page.number] = await read(page.source_id)
        except (SummarizerError, OSError):  # evicted, or the store fails: the answer says which are missing
            continue
    return raw
