"""The cross-reference: what the sources of a zone contradict each other in, by a model, held against the pages."""

from pydantic import BaseModel, ConfigDict

from researcher_integration.lore.extraction.records import Name, Records, Sources, Text, bare
from researcher_integration.lore.extraction.typed_extraction import PageIndex, words
from researcher_integration.lore.extraction.windowed_query import QuestionOutcome, WindowedQuery
from summarizer_tool import Settings, TypedQuery, says_no_more


class Claim(BaseModel):
    """What one source states."""

    model_config = ConfigDict(frozen=True)

    text: str
    source: int


class Conflict(BaseModel):
    """Two claims about one subject that cannot both be true."""

    model_config = ConfigDict(frozen=True)

    subject: str
    attribute: str
    """What they disagree on, as the model calls it."""
    claims: tuple[Claim, Claim]
    """That of the more trusted source first."""


def is_same(first: str, second: str) -> bool:
    """Say whether two claims agree; in other words, or with one that only says more, they do.

    The numbers in them must be the same.
    """
    one, other = sorted((words(text).split() for text in (first, second)), key=len)
    return [*filter(str.isdigit, one)] == [*filter(str.isdigit, other)] and says_no_more(one, other)


class FoundConflict(BaseModel):
    """A conflict as a model returns it."""

    model_config = ConfigDict(json_schema_extra=bare)

    subject: Name
    attribute: Text = ''
    first: Text
    first_source: Sources
    second: Text
    second_source: Sources


class CrossReference(QuestionOutcome):
    """The conflicts of a zone, and what became of the search for them."""

    conflicts: tuple[Conflict, ...] = ()
    dropped: int = 0
    """Those that no two pages support."""


def conflict_query(settings: Settings) -> WindowedQuery[Records[FoundConflict]]:
    """The question for what the sections contradict each other in."""
    query = TypedQuery('lore_cross_referencer', 'research/cross_reference', Records[FoundConflict], members='records')
    return WindowedQuery(settings, query, 'research/cross_reference_request')


def compared(outcome: QuestionOutcome, answer: Records[FoundConflict] | None, index: PageIndex) -> CrossReference:
    """Keep the conflicts of which two different pages name the subject, and whose claims differ; count the others.

    That a page states a claim in these words is not checked: claims are told in the model's own.
    """
    found = answer.records if answer else ()
    ranked = [*index.weights]
    kept: list[Conflict] = []
    for conflict in found:
        naming = index.naming(conflict.subject)
        claims = [
            Claim(text=text, source=source)
            for text, sources in ((conflict.first, conflict.first_source), (conflict.second, conflict.second_source))
            for source in sources[:1]
            if text and source in naming
        ]
        is_supported = len(claims) == 2 and claims[0].source != claims[1].source
        if is_supported and not is_same(claims[0].text, claims[1].text):
            first, second = sorted(claims, key=lambda claim: ranked.index(claim.source))
            kept.append(Conflict(subject=conflict.subject, attribute=conflict.attribute, claims=(first, second)))
    return CrossReference(conflicts=tuple(kept), dropped=len(found) - len(kept), **dict(outcome))
