"""The cross-reference: what the sources of a zone contradict each other in, found by rules and by a model."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

import anyio.to_thread
from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic_ai.usage import RunUsage, UsageLimits

from researcher_integration.lore.extraction import material_prompts
from researcher_integration.lore.extraction.contradictions import Claim, Conflict, compare, distinct, is_same, ranked
from researcher_integration.lore.extraction.lenient_fields import Name, Sources, Text, as_records, bare
from researcher_integration.lore.extraction.typed_extraction import Extraction
from researcher_integration.lore.extraction.verification import PageIndex
from researcher_integration.lore.extraction.windowed_query import LoreModel, ReadPage, WindowedQuery
from researcher_integration.lore.material import CrawledPage, Material
from researcher_integration.usage import Spent
from summarizer_tool import TypedQuery

__all__ = ('Claim', 'Conflict', 'CrossReference', 'CrossReferencer', 'compare', 'verify_conflicts')


class FoundConflict(BaseModel):
    """A conflict as a model returns it."""

    model_config = ConfigDict(json_schema_extra=bare)

    subject: Name
    attribute: Text = ''
    first: Text
    first_source: Sources
    second: Text
    second_source: Sources


class FoundConflicts(BaseModel):
    """What a model answers."""

    model_config = ConfigDict(json_schema_extra=bare)

    conflicts: list[FoundConflict]

    @model_validator(mode='before')
    @classmethod
    def _enveloped(cls, value: object) -> object:
        return as_records(value, 'conflicts', 'subject')


class CrossReference(BaseModel):
    """The conflicts of a zone, and what became of the model's search for them."""

    model_config = ConfigDict(frozen=True)

    conflicts: tuple[Conflict, ...] = ()
    """Those that rules have found first."""
    dropped: int = 0
    """Conflicts of the model that no two pages support."""
    is_partial: bool = False
    """Whether the model's answer was cut off or broken, and only its complete conflicts were kept."""
    reason: str = ''
    """Why the model has looked for none, where there is a reason; the rules' conflicts are there all the same."""
    spent: Spent = Field(default_factory=Spent)


class CrossReferencer:
    """Compares the records by rules, and asks a model what the sections contradict each other in."""

    def __init__(self, model: LoreModel) -> None:
        self.question = WindowedQuery(
            model,
            TypedQuery('lore_cross_referencer', 'research/cross_reference', FoundConflicts, members='conflicts'),
            partial(material_prompts.request, 'research/cross_reference_request'),
        )

    async def cross_reference(
        self,
        material: Material,
        extractions: Iterable[Extraction],
        read: ReadPage,
        *,
        usage: RunUsage,
        usage_limits: UsageLimits | None,
    ) -> CrossReference:
        """Compare by rules, ask the model, and hold its conflicts against the raw pages."""
        ruled = compare(extractions, material.pages)
        answer = await self.question.ask(material, read, usage=usage, usage_limits=usage_limits)
        found = answer.output.conflicts if answer.output else []
        modelled, dropped = await anyio.to_thread.run_sync(partial(verify_conflicts, found, material.pages, answer.raw))
        return CrossReference(
            conflicts=tuple(distinct([*ruled, *modelled])),
            dropped=dropped,
            is_partial=answer.is_partial,
            reason=answer.reason,
            spent=answer.spent,
        )


def verify_conflicts(
    found: Iterable[FoundConflict], pages: Sequence[CrawledPage], texts: Mapping[int, str]
) -> tuple[list[Conflict], int]:
    """Keep the conflicts of which two different pages name the subject, and whose claims differ; count the others.

    That a page states a claim in these words is not checked: claims are told in the model's own.
    """
    index = PageIndex(pages, texts)
    kept: list[Conflict] = []
    dropped = 0
    for conflict in found:
        naming = index.naming(conflict.subject)
        claims = [
            Claim(text=text, source=source)
            for text, sources in ((conflict.first, conflict.first_source), (conflict.second, conflict.second_source))
            for source in sources[:1]
            if text and source in naming
        ]
        is_supported = len(claims) == 2 and claims[0].source != claims[1].source
        if not is_supported or is_same(claims[0].text, claims[1].text, counted=True):
            dropped += 1
            continue
        kept.append(
            Conflict(
                subject=conflict.subject,
                attribute=conflict.attribute,
                claims=ranked(claims, index),
                found_by='model',
            )
        )
    return kept, dropped
