"""One HTML file that shows a summary beside its sources: nothing is loaded, and no text of a source can run."""

import base64
import hashlib
import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from summarizer_tool.documents.document import Document
from summarizer_tool.documents.page_numbers import PageNumbers
from summarizer_tool.schemas import Audit, Evidence, Summary
from summarizer_tool.text.lines import one_line
from summarizer_tool.text.own_lines import as_line

ReportPlace = tuple[int, int, int, str]
"""Where something stands: index of the document (-1 for one that is not shown), segment, line, and the handle."""

_FILES = Path(__file__).parent
_SLOT = re.compile(r'\{\{(\w+)\}\}')
_BLANK_LINES = re.compile(r'\A\s*\n')

# What could end the block of data, begin a comment in it, or be no text that UTF-8 can carry.
_UNSAFE = re.compile('[<>&\u2028\u2029\ud800-\udfff]')

_POLICY = (
    "default-src 'none'; script-src '{script}'; style-src '{style}'; base-uri 'none'; form-action 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)


ReportTable = tuple[str, Sequence[str], list[list[str | ReportPlace]]]
"""Title, columns and rows of something more to tell; a cell is a text, or a place, which then leads to its line."""


@dataclass(frozen=True, slots=True)
class _ShownSource:
    """A document as the page shows it."""

    id: str
    title: str
    url: str
    segments: list[tuple[int, str]]
    """The line that each begins on, and its text; lines that no segment begins on are blank."""
    parts: list[tuple[int, int, int, int, str, str]]
    """First and last segment, first and last line, state and reason."""
    pages: Sequence[int]
    """The line that each page but the last ends on; none of a text without pages."""


@dataclass(frozen=True, slots=True)
class _ShownPage:
    """All that the page is told."""

    state: str
    stats: dict[str, object]
    warnings: list[str]
    text: list[int | str]
    """The summary line by line: the index of a fact, or a line that is none."""
    facts: list[tuple[str, list[ReportPlace]]]
    """What each says, and where it stands."""
    sources: list[_ShownSource]
    tables: Sequence[ReportTable]


def render(summary: Summary, documents: Iterable[Document]) -> str:
    """Write a page that shows a summary beside its sources, to be opened in a browser: HTML, complete in itself.

    It holds the whole text of the documents; facts of one that is not given are shown without their lines.
    """
    style, script = (_read(name) for name in ('page.css', 'page.js'))
    page = _page(summary, list({document.id: document for document in documents}.values()))
    filled = {
        'policy': _POLICY.format(script=_digest(script), style=_digest(style)),
        'style': style,
        'script': script,
        'data': _json(page),
    }
    return _SLOT.sub(lambda slot: filled[slot[1]], _read('page.html'))


def _page(summary: Summary, documents: Sequence[Document]) -> _ShownPage:
    index_of = {document.id: index for index, document in enumerate(documents)}

    def place(evidence: Evidence) -> ReportPlace:
        return index_of.get(evidence.source_id, -1), evidence.segment, evidence.line, evidence.source_id

    text, facts = _text(summary)
    return _ShownPage(
        state=summary.state,
        stats=summary.stats.model_dump(mode='json', exclude={'usage'}),
        warnings=summary.warnings,
        text=text,
        facts=[
            (said, [place(each) for each in fact.evidence]) for said, fact in zip(facts, summary.facts, strict=True)
        ],
        sources=[_source(document, summary) for document in documents],
        tables=_audited(summary.coverage, place) if summary.coverage else (),
    )


def _audited(audit: Audit, place: Callable[[Evidence], ReportPlace]) -> tuple[ReportTable, ReportTable]:
    """What the text has kept of what its sources name, and what it has not."""
    kinds = ((f'{kind}s', each) for kind, each in audit.by_kind.items())
    counted = [('all', audit), *kinds, *((each.title, each) for each in audit.by_document)]
    kept: list[list[str | ReportPlace]] = [
        [name, f'{each.kept} of {each.total}', f'{each.share:.0%}'] for name, each in counted
    ]
    lost = [[each.text, each.kind, str(each.times), place(each)] for each in audit.losses]
    return (
        ('Kept of what the sources name', ('Of', 'Distinct ones', 'Share'), kept),
        ('Not said, the most frequent first', ('What', 'Kind', 'Times', 'First'), lost),
    )


def _source(document: Document, summary: Summary) -> _ShownSource:
    segments = [document.segment(number) for number in range(1, len(document.segment_starts) + 1)]
    texts = (_BLANK_LINES.sub('', document.text[each.start : each.end]) for each in segments)
    return _ShownSource(
        id=document.id,
        title=document.title,
        url=document.url,
        # Sentences of one line keep the space between them.
        segments=[
            (each.line, text.rstrip() if text.endswith('\n') else text)
            for each, text in zip(segments, texts, strict=True)
        ],
        parts=[
            (part.first_segment, part.last_segment, part.first_line, part.last_line, part.state, part.reason)
            for part in summary.parts
            if part.source_id == document.id
        ],
        pages=PageNumbers.of(document.text).lines,
    )


def _text(summary: Summary) -> tuple[list[int | str], list[str]]:
    """The text line by line, a line that says a fact as the fact's index, then the facts that it does not write out.

    And each fact as it is said there: it may have whom it is about before it.
    """
    lines: list[int | str] = []
    facts = [one_line(fact.text) for fact in summary.facts]
    unsaid = {index: as_line(said) for index, said in enumerate(facts)}
    # The original is the sources.
    for line in () if summary.state in ('unchanged', 'original') else summary.text.split('\n'):
        # It has a heading before it, or none where that stands above it.
        said = (at for at, fact in unsaid.items() if f': {line}'.endswith(f': {fact}') or fact.endswith(f': {line}'))
        if (index := next(said, None)) is None:
            lines.append(line)
        else:
            del unsaid[index]
            facts[index] = max(facts[index], line, key=len)
            lines.append(index)
    return ([*lines, *unsaid] if lines else []), facts


def _json(page: _ShownPage) -> str:
    """JSON that may stand in a script element."""
    text = json.dumps(asdict(page), ensure_ascii=False, separators=(',', ':'))
    return _UNSAFE.sub(lambda found: f'\\u{ord(found[0]):04x}', text)


def _digest(text: str) -> str:
    return f'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'


def _read(name: str) -> str:
    return (_FILES / name).read_text(encoding='utf-8')
