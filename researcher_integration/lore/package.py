"""The research package: briefs for people, the extraction and the statistics as JSON for programs.

What stands on pages was written by strangers. In a brief it is text that may have headings, lists and tables of its
own, but it fetches no image, runs no HTML, gives no `[3]` another meaning, and has no heading that could be taken for
one of the brief.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from urllib.parse import quote

from pydantic import BaseModel, ConfigDict, computed_field
from pydantic_ai.usage import RunUsage

from researcher_integration.lore.checkpoint import (
    FILE,
    Checkpoint,
    Failure,
    ResearchRequest,
    Step,
    StepFigures,
    StepState,
    write,
)
from researcher_integration.lore.configuration import Topic
from researcher_integration.lore.crawl.pages import without_user
from researcher_integration.lore.extraction.cross_reference import Conflict, CrossReference
from researcher_integration.lore.extraction.typed_extraction import Extraction
from researcher_integration.lore.material import (
    TOPIC_IDS,
    CrawledPage,
    Material,
    ResearchError,
    TopicId,
)
from researcher_integration.usage import Spent
from summarizer_tool import count_tokens, one_line

CONFLICTS_FILE = 'conflicts.md'

MAX_TITLE = 200
"""Characters of a title or a claim."""

_DEEPER = 2
"""Levels that headings of pages go down: below the title of a brief and its sections."""

_MARKS = re.compile(r'([\\`*_~\[\]<>|#&!])')
_UNSAFE_IN_LINK = re.compile(r'[^\w\-.~:/?#@!$&*+,;=%]')

# A line: what opens quotes and lists, and the rest. What would begin a heading, or code, to whose end a reader of
# markdown takes everything, stands at the beginning of the rest.
_LINE = re.compile(r'((?:[ \t>]|[*+-](?=[ \t]+\S)|\d{1,9}[.)](?=[ \t]+\S))*)(.*)')
_HEADING = re.compile(r'(#{1,6})(?:[ \t]+(.*))?')
_UNDERLINE = re.compile(r'(?:=+|-+)[ \t]*')
_FENCE = re.compile(r'`{3}|~{3}')
_LIVE = re.compile(r'(?<!\\)((?:\\\\)*)(?=<[A-Za-z/!?]|!\[)')
"""Before what a reader of markdown would run or fetch; not where it is escaped already."""
_HOW: Mapping[StepState, str] = {
    'summarized': 'summarized',
    'unchanged': 'unchanged',
    'degraded': 'summarized by the embedded model',
    'empty': 'nothing',
}


def brief(topic: Topic, zone: str, step: Step, section: str, pages: Sequence[CrawledPage], via: str) -> str:
    """The brief of a topic: figures, warnings, what was kept, and its sources with numbers and handles."""
    known = {page.source_id: page for page in pages}
    listed = [known[handle] for handle in step.pages]
    lines = [f'# {plain(topic.header)}: {plain(zone)}', '', _figures(step, section, via)]
    lines += [f'\n> {plain(warning)}' for warning in step.warnings]
    lines += ['', quoted(section, listed) or 'Nothing was found.', '', *_sources(listed)]
    return '\n'.join(lines) + '\n'


def conflicts(zone: str, found: Sequence[Conflict], pages: Sequence[CrawledPage], reason: str = '') -> str:
    """The conflicts between sources: for each, both claims and both sources."""
    numbered = {page.number: page for page in pages}
    cited = {claim.source for conflict in found for claim in conflict.claims}
    said = 'None were found.'
    if found:
        said = (
            f'{_counted(len(found), "conflict")}, undecided; of each the claim of the more trusted source comes first.'
        )
    elif reason:
        said = 'None are listed.'
    lines = [f'# Conflicts: {plain(zone)}', '', said]
    lines += [f'\n> {plain(reason)}'] if reason else []
    for conflict in found:
        about = f': {plain(conflict.attribute.replace("_", " "))}' if conflict.attribute else ''
        lines += ['', f'## {plain(conflict.subject)}{about}', '']
        lines += [
            f'- [{claim.source}] {plain(claim.text)}'
            + (f' ({numbered[claim.source].tier})' if claim.source in numbered else '')
            for claim in conflict.claims
        ]
    lines += ['', *_sources([page for page in pages if page.number in cited])] if cited else []
    return '\n'.join(lines) + '\n'


def plain(text: str) -> str:
    """Untrusted text as one printable line in which no markdown takes effect."""
    line = one_line(''.join(letter if letter.isprintable() else ' ' for letter in text), MAX_TITLE)
    return _MARKS.sub(r'\\\1', line)


def quoted(text: str, pages: Sequence[CrawledPage]) -> str:
    """Kept text as part of a brief: headings one level deeper, page titles numbered, no active HTML."""
    numbers = {one_line(page.title): page.number for page in pages}
    lines: list[str] = []
    for line in text.strip().splitlines():
        is_below = bool(lines and lines[-1].strip())
        lines.append(_quoted(line, numbers, is_below=is_below))
    return re.sub(r'\n{3,}', '\n\n', '\n'.join(lines)).strip()


def _quoted(line: str, numbers: Mapping[str, int], *, is_below: bool) -> str:
    found = _LINE.fullmatch(line)
    opening, rest = (found[1], found[2]) if found else ('', line)
    heading = _HEADING.fullmatch(rest)
    if heading and not opening.strip():
        level, title = min(6, len(heading[1]) + _DEEPER), (heading[2] or '').strip()
        number = f'[{numbers[title]}] ' if title in numbers else ''
        return f'\n{"#" * level} {number}{_inert(title)}\n'
    if heading or _FENCE.match(rest) or (is_below and _UNDERLINE.fullmatch(rest)):
        rest = f'\\{rest}'
    # Summaries have a statement in each line; two spaces keep them apart where others would make one paragraph of them.
    return opening + _inert(rest) + ('  ' if rest.endswith(('.', '!', '?', ':')) else '')


def _inert(line: str) -> str:
    return _LIVE.sub(r'\1\\', line).replace(']:', ']\\:')


def _figures(step: Step, section: str, via: str) -> str:
    pages = _counted(len(step.pages), 'page')
    if step.state == 'empty':
        return f'{pages}.'
    by = f' by {step.model}, {via}' if step.model and step.state == 'summarized' else ''
    kept = count_tokens(section)
    return f'{pages}, {step.tokens_crawled:,} tokens crawled, {kept:,} kept; {_HOW[step.state]}{by}.'


def _sources(pages: Sequence[CrawledPage]) -> list[str]:
    lines = [_source(page) for page in sorted(pages, key=lambda page: page.number)]
    return ['## Sources', '', *(lines or ['None.'])]


def _source(page: CrawledPage) -> str:
    title = plain(page.title) or 'untitled'
    if page.url.startswith(('http://', 'https://')):
        title = f'[{title}]({_UNSAFE_IN_LINK.sub(lambda match: quote(match[0], errors="replace"), page.url)})'
    elif page.url != page.title:
        title = f'{title} ({plain(page.url)})'
    return f'- [{page.number}] {title}: `{page.source_id}`, {page.tier} ({page.weight:g}), {page.tokens:,} tokens'


def _counted(number: int, what: str) -> str:
    return f'{number} {what}' if number == 1 else f'{number} {what}s'


BRIEFS = 'briefs'
EXTRACTION_FILE = 'extraction.json'
STATISTICS_FILE = 'statistics.json'
PREVIOUS = 'previous'

_BRIEF = re.compile(
    rf'\d\d-(?:{"|".join(topic.replace("_", "-") for topic in TOPIC_IDS)})\.md|{re.escape(CONFLICTS_FILE)}'
)
"""The names of briefs, in whatever order a configuration has the topics."""

NO_MODEL = 'typed extraction needs a model'


class Extracted(BaseModel):
    """`extraction.json`."""

    zone: str
    sources: list[CrawledPage]
    categories: dict[TopicId, Extraction]
    conflicts: list[Conflict]


class StepStatistics(StepFigures):
    """A step in figures."""

    pages: int


class Statistics(BaseModel):
    """`statistics.json`."""

    model_config = ConfigDict(frozen=True)

    request: ResearchRequest
    summarizer: str
    pages: int
    tokens_crawled: int
    tokens_kept: int
    """Of the sections that the extraction reads, headings included."""
    steps: dict[TopicId, StepStatistics]
    summaries: Spent = RunUsage()
    extraction: Spent
    total: Spent
    """Also on work that was interrupted, came to nothing, or was done anew."""
    seconds: float
    failures: list[Failure]
    warnings: list[str]

    @computed_field
    @property
    def ratio(self) -> float:
        """Tokens crawled for each one that the extraction reads."""
        return round(self.tokens_crawled / self.tokens_kept, 2) if self.tokens_kept else 0.0

    @computed_field
    @property
    def cost(self) -> Decimal | None:
        """USD, as far as prices are known."""
        return self.total.cost


class Package(BaseModel):
    """The result of a research."""

    briefs: dict[str, str]
    extracted: Extracted
    statistics: Statistics
    sections: dict[TopicId, str]


def build(
    checkpoint: Checkpoint,
    topics: Sequence[Topic],
    material: Material,
    *,
    via: str,
    has_model: bool,
) -> Package:
    """Build the package of a finished research."""
    written = {
        f'{number:02}-{topic.id.replace("_", "-")}.md': brief(
            topic, material.zone, checkpoint.steps[topic.id], material.sections[topic.header], material.pages, via
        )
        for number, topic in enumerate(topics, 1)
    }
    found = checkpoint.cross_reference
    written[CONFLICTS_FILE] = conflicts(
        material.zone,
        found.conflicts if found else (),
        material.pages,
        _said(found) if found else '' if has_model else 'they were not looked for: that needs a model',
    )
    extracted = Extracted(
        zone=material.zone,
        sources=list(material.pages),
        categories={
            topic.id: checkpoint.extractions.get(topic.id) or Extraction(category=topic.id, reason=NO_MODEL)
            for topic in topics
        },
        conflicts=list(found.conflicts) if found else [],
    )
    return Package(
        briefs=written,
        extracted=extracted,
        statistics=_statistics(checkpoint, topics, material, extracted, via),
        sections={topic.id: material.sections[topic.header] for topic in topics},
    )


def put_aside(folder: Path) -> None:
    """Move an earlier research into `previous/`, in the place of the one there, and nothing that is of no research."""
    if not (folder / FILE).exists():
        return
    previous = folder / PREVIOUS
    try:
        for path in [*_files(previous)]:
            path.unlink()
        for path in [*_files(folder)]:
            kept = previous / path.relative_to(folder)
            kept.parent.mkdir(parents=True, exist_ok=True)
            path.rename(kept)
    except OSError as error:
        raise ResearchError(f'{folder} cannot be cleared for a new research: {error.strerror}') from None


def _files(folder: Path) -> Iterator[Path]:
    """The files of a research, its checkpoint last: without it they are of none."""
    yield from _briefs(folder)
    yield from (path for name in (EXTRACTION_FILE, STATISTICS_FILE, FILE) if (path := folder / name).is_file())


def _briefs(folder: Path) -> Iterator[Path]:
    return (path for path in (folder / BRIEFS).glob('*.md') if _BRIEF.fullmatch(path.name))


def write_to(package: Package, folder: Path) -> None:
    """Write the files atomically, and remove an earlier package's briefs that have other names."""
    for name, text in package.briefs.items():
        write(folder / BRIEFS / name, text)
    for path in [*_briefs(folder)]:
        if path.name not in package.briefs:
            path.unlink()
    write(folder / EXTRACTION_FILE, package.extracted.model_dump_json(indent=2) + '\n')
    write(folder / STATISTICS_FILE, package.statistics.model_dump_json(indent=2) + '\n')


def _said(done: Extraction | CrossReference) -> str:
    said = [done.reason] if done.reason else []
    if done.is_partial:
        said.append('the answer was cut off or broken, and only what was complete in it was kept')
    if done.unread:
        said.append(f'pages whose text could not be read, so that nothing was held against them: {len(done.unread)}')
    return '; '.join(said)


def _statistics(
    checkpoint: Checkpoint, topics: Sequence[Topic], material: Material, extracted: Extracted, via: str
) -> Statistics:
    steps, found = checkpoint.steps, checkpoint.cross_reference
    warnings = [f'{topic.header}: {warning}' for topic in topics for warning in steps[topic.id].warnings]
    warnings += [f'summary: {warning}' for warning in checkpoint.warnings]
    warnings += [
        f'{topic.header}: extraction: {said}'
        for topic in topics
        if topic.id in checkpoint.extractions and (said := _said(extracted.categories[topic.id]))
    ]
    if found and (said := _said(found)):
        warnings.append(f'cross-reference: {said}')
    extraction = sum((each.spent for each in checkpoint.extractions.values()), found.spent if found else RunUsage())
    return Statistics(
        request=checkpoint.request.model_copy(update={'places': tuple(map(without_user, checkpoint.request.places))}),
        summarizer=via,
        pages=len(material.pages),
        tokens_crawled=sum(page.tokens for page in material.pages),
        tokens_kept=sum(map(count_tokens, material.sections.values())),
        steps={
            topic: StepStatistics(pages=len(step.pages), **step.model_dump(include={*StepFigures.model_fields}))
            for topic, step in steps.items()
        },
        summaries=checkpoint.summarized,
        extraction=extraction,
        total=checkpoint.spent,
        seconds=checkpoint.seconds,
        failures=checkpoint.failures,
        warnings=warnings,
    )
