"""Ask typed questions about research material in requests that keep to a window."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Generic, TypeVar

from pydantic import BaseModel, ConfigDict
from pydantic_ai.models import Model
from pydantic_ai.usage import RunUsage, UsageLimits

from researcher_integration.lore.material import CrawledPage, Material, ResearchError, titled
from researcher_integration.usage import Spent
from summarizer_tool import (
    Settings,
    TypedQuery,
    count_tokens,
    in_thread,
    one_line,
    register_tag,
    render_prompt,
    truncate_tokens,
    wrap_in_tag,
)

# Names that no HTML has: what spells a registered tag is escaped in all frames.
PAGES_TAG = register_tag('crawled_pages')
SECTION_TAG = register_tag('kept_section')

RESERVED_TOKENS = 1_250
"""Of a window, for all but zone, pages and sections: instructions, task and form of the answer, and what is said when
it is asked for again."""


def page_list(pages: Sequence[CrawledPage]) -> str:
    """The pages as a frame: a number, a short title and a tier each; addresses are not needed."""
    return wrap_in_tag(
        PAGES_TAG, '\n' + ''.join(f'[{page.number}] {titled(page.title)} ({page.tier})\n' for page in pages)
    )


def framed(header: str, text: str) -> str:
    """A section as a frame, escaped text within the section's tokens; empty if it has no text."""
    if not text.strip():
        return ''
    escaped = wrap_in_tag(SECTION_TAG, text.strip()).removeprefix(f'<{SECTION_TAG}>').removesuffix(f'</{SECTION_TAG}>')
    kept = truncate_tokens(escaped, count_tokens(text))
    return wrap_in_tag(SECTION_TAG, f'\n{kept}\n', header=one_line(header))  # escapes what ends at the cut


def room(zone: str, pages: Sequence[CrawledPage], window_tokens: int) -> int:
    """Tokens that the sections of a material may have together for a request about it to keep to the window."""
    taken = RESERVED_TOKENS + count_tokens(one_line(zone)) + count_tokens(page_list(pages))
    if taken >= window_tokens:
        raise ResearchError(
            f'instructions, zone and the list of {len(pages)} pages take {taken:,} tokens, which leaves no room in '
            f'window_tokens={window_tokens:,}; give fewer pages or a larger window (--window)'
        )
    return window_tokens - taken


RETRIES = 2
"""Times that a request is made again when nothing of the answer could be read."""

EnvelopeT = TypeVar('EnvelopeT', bound=BaseModel)


class QuestionOutcome(BaseModel):
    """What became of a question about a material."""

    model_config = ConfigDict(frozen=True)

    is_partial: bool = False
    """Whether the answer was cut off or broken, and only its complete members were kept."""
    unread: tuple[int, ...] = ()
    reason: str = ''
    """Why there is no answer, where there is a reason: the model has failed, or a limit was reached."""
    spent: Spent = RunUsage()


class WindowedQuery(Generic[EnvelopeT]):
    """A typed question about a material.

    It is asked up to three times, each time in a new run, so that no request grows by the answers before it.
    """

    def __init__(self, settings: Settings, query: TypedQuery[EnvelopeT], template: str, **values: str) -> None:
        """Each request is a template with the material and these values."""
        self._template, self._values = template, values
        self._query = replace(query.configured(settings), again_prompt='research/answer_again', retries=RETRIES)

    def request(self, material: Material) -> str:
        """The user prompt."""
        return render_prompt(
            self._template,
            zone=one_line(material.zone),
            pages=page_list(material.pages),
            sections='\n\n'.join(filter(None, (framed(*each) for each in material.sections.items()))),
            **self._values,
        )

    async def ask(
        self, model: Model, material: Material, *, usage: RunUsage, usage_limits: UsageLimits | None
    ) -> tuple[QuestionOutcome, EnvelopeT | None]:
        """Ask about a material, unless nothing could come of it; what fails on the way is the outcome's `reason`."""
        unread = tuple(page.number for page in material.pages if page.number not in material.raw)
        if not any(map(str.strip, material.sections.values())):
            return QuestionOutcome(reason='the sections hold no text'), None
        if not material.raw:  # nothing could be verified, so nothing is paid for
            return QuestionOutcome(unread=unread, reason='no page can be read'), None
        said = await in_thread(self.request, material)
        spent = RunUsage()
        result = await self._query.ask(model, said, usage=usage, spent=spent, usage_limits=usage_limits)
        outcome = QuestionOutcome(is_partial=result.is_partial, unread=unread, reason=result.reason, spent=spent)
        return outcome, result.output
