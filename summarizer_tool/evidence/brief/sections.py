"""The sections of a brief other than its evidence, each written within a number of tokens or items."""

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from summarizer_tool.documents.page_numbers import PageNumbers
from summarizer_tool.evidence.brief import quoting
from summarizer_tool.evidence.brief.brief import Brief
from summarizer_tool.evidence.brief.citations import Citation
from summarizer_tool.store.source import Source
from summarizer_tool.text import tokens

URL_TOKENS = 120

_END = '\n\n'


Write = Callable[[int], str]
"""Writes a section with so many of its items, the first ones; it begins with `[`."""


def most(write: Write, total: int, room: int) -> int:
    """How many of a section's items have room, with the blank line after it; none where not even the head has."""
    counts = range(1, total + 1)
    return bisect_right(counts, room, key=lambda count: tokens.count(write(count) + _END))


def head(name: str, count: int, total: int) -> str:
    """`[SOURCES] 12`, or `[SOURCES] showing 4 of 12`."""
    return f'[{name}] {total:,}' if count == total else f'[{name}] showing {count:,} of {total:,}'


def of_rows(name: str, rows: Sequence[str], total: int) -> Write:
    """A head that counts the rows, and as many of them as are shown."""
    return lambda count: '\n'.join((head(name, count, total), *rows[:count]))


def question(brief: Brief, room: int) -> str:
    """The question on one line, and its parts; nothing where there is none."""
    if not brief.question.strip():
        return ''
    asked = quoting.label(brief.question, max(8, room // 2))
    section = f'[QUESTION] {asked}'
    for number, part in enumerate(brief.parts if len(brief.parts) > 1 else (), 1):
        longer = f'{section}\n{number}. {quoting.label(part, max(8, room // 4))}'
        if not tokens.fits(longer, room):
            break
        section = longer
    return section


def listed(name: str, lines: Sequence[str], room: int) -> str:
    """Lines under a head, as many as fit; the first is shortened if need be, and the others are counted."""
    if not lines:
        return ''
    share = max(8, room // min(2, len(lines)) - 10)
    rows = [f'- {quoting.label(line, share)}' for line in lines]

    def write(count: int) -> str:
        return '\n'.join((f'[{name}]' if count == len(rows) else head(name, count, len(rows)), *rows[:count]))

    return write(most(write, len(rows), room))


def sources(brief: Brief, numbers: Collection[int]) -> str:
    """The sources with these numbers: handle, URL and title."""
    rows = [source_row(number, brief.sources[number - 1]) for number in sorted(numbers)]
    return '\n'.join((head('SOURCES', len(rows), len(brief.sources)), *rows))


def source_row(number: int, source: Source, *known: str) -> str:
    """A source in one line, with what else is known of it; its title, which may say anything, comes last."""
    address = quoting.address(source.url, URL_TOKENS)
    title = quoting.label(source.title, quoting.TITLE_TOKENS) or 'untitled'
    return ' · '.join(filter(None, (f'{number}. {source.id}', *known, address, title)))


def quotes(brief: Brief, quoted: Sequence[Citation], pages: Mapping[str, PageNumbers]) -> list[str]:
    """Each verified quote; it says first where that stands, so that its words cannot."""
    numbers = {source.id: number for number, source in enumerate(brief.sources, 1)}

    def line(citation: Citation) -> str:
        source_id, page = citation.source_id, ''
        if of_source := pages.get(source_id):
            text = brief.texts[source_id]
            start = text.find(citation.quote, *quoting.line_at(text, citation.line))
            page = of_source.of_characters(start, start + len(citation.quote))
        source = f'source {numbers[source_id]} ({source_id})'
        return f'{" · ".join(filter(None, (source, f"line {citation.line}", page)))} · "{citation.quote}"'

    return [line(citation) for citation in quoted]


def citations(written: Sequence[str], blocks: Iterable[int | None]) -> list[str]:
    """A line for each of the first quotes, with the number of the block that shows it."""
    numbered = enumerate(zip(written, blocks, strict=False), 1)
    return [f'[C{number}] {f"E{block} · " if block else ""}{quote}' for number, (quote, block) in numbered]
