"""The sections of a brief other than its evidence, each written within a number of tokens or items."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from summarizer_tool.evidence.answer.page_loading import Trace, TracePage
from summarizer_tool.evidence.brief import quoting
from summarizer_tool.evidence.brief.brief import Brief, BriefSource
from summarizer_tool.evidence.brief.citations import Citation
from summarizer_tool.evidence.brief.fitting import SourceLabels
from summarizer_tool.store.source import Source
from summarizer_tool.text import tokens

_TRACE_URL_TOKENS = 60
FAILURE_TOKENS = 30

_ROOT = -1


def _trace_head(trace: Trace) -> str:
    """What the tree has in common: rounds, why it ended, and how all URLs in it begin."""
    rounds = f'{trace.rounds} round{"s" if trace.rounds != 1 else ""}'
    prefix = _prefix(trace)
    return f'{rounds}; stopped: {trace.stop_reason}' + (f'; every URL begins with {prefix}' if prefix else '')


def _trace_rows(trace: Trace, called: Mapping[str, str]) -> list[str]:
    """A line for each page, a page before those it has led to; sources by what they are called in the brief."""
    children: defaultdict[int, list[int]] = defaultdict(list)
    for index, page in enumerate(trace.pages):
        parent = page.parent
        children[parent if parent is not None and 0 <= parent < index else _ROOT].append(index)
    cut = len(_prefix(trace))
    return [
        f'{branch} {_address(trace.pages[index])[cut:] or "."} | {_result(trace.pages[index], called)}'
        for branch, index in _walk(children)
    ]


def _walk(children: Mapping[int, list[int]]) -> Iterator[tuple[str, int]]:
    """The branch before each page, and its index; without recursion, since nobody bounds the depth here."""
    waiting = [(index, '', index == children[_ROOT][-1]) for index in reversed(children.get(_ROOT, []))]
    while waiting:
        index, indent, is_last = waiting.pop()
        yield f'{indent}{"`" if is_last else "|"}--', index
        below = children.get(index, [])
        deeper = indent + ('    ' if is_last else '|   ')
        waiting += [(child, deeper, child == below[-1]) for child in reversed(below)]


def _address(page: TracePage) -> str:
    return quoting.address(page.url, _TRACE_URL_TOKENS)


def _result(page: TracePage, called: Mapping[str, str]) -> str:
    if page.failure or not page.source_id:
        why = quoting.reason(page.url, page.failure, FAILURE_TOKENS)
        return f'depth {page.depth} | {page.ms:,} ms | failed: {why}'
    source = called.get(page.source_id, page.source_id)
    if page.was_stored:
        return f'depth {page.depth} | {source} | stored before'
    score = f'score {page.score_before:.2f} -> {page.score_after:.2f}'
    return f'depth {page.depth} | {source} | +{page.passages:,} passages | {score} | {page.ms:,} ms'


def _prefix(trace: Trace) -> str:
    """How all the URLs begin, up to a slash, if they share a host; else nothing."""
    urls = [_address(page) for page in trace.pages]
    if len(urls) < 2:
        return ''
    low, high = min(urls), max(urls)
    same = next((index for index, (one, other) in enumerate(zip(low, high, strict=False)) if one != other), len(low))
    path, _, _ = low[:same].partition('?')
    prefix = path[: path.rfind('/') + 1]
    return prefix if prefix.count('/') > 2 else ''


TITLE_TOKENS = 40

URL_TOKENS = 120
HEADING_TOKENS = 16
_MAX_HEADINGS = 8
"""Headings that a source is listed with where there is room."""

_STAT_TOKENS = 48

_END = '\n\n'


@dataclass(frozen=True, slots=True)
class BriefSection:
    """A section that may show some of its items, the first ones."""

    write: Callable[[int], str]
    """Its text with so many items; it begins with `[`."""
    total: int

    def cost(self, count: int) -> int:
        """Tokens with so many items and the blank line after it; these add up, since no section begins with a blank."""
        return tokens.count(self.write(count) + _END) if self.total else 0

    def most(self, room: int) -> int:
        """How many of the items have room; none where not even the head has."""
        low, high = 0, self.total
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if self.cost(middle) <= room else (low, middle - 1)
        return low


def head(name: str, count: int, total: int) -> str:
    """`[SOURCES] 12`, or `[SOURCES] showing 4 of 12`."""
    return f'[{name}] {total:,}' if count == total else f'[{name}] showing {count:,} of {total:,}'


def of_rows(name: str, rows: Sequence[str], total: int) -> BriefSection:
    """A head that counts the rows, and as many of them as are shown."""
    return BriefSection(lambda count: '\n'.join((head(name, count, total), *rows[:count])), len(rows))


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

    return write(BriefSection(write, len(rows)).most(room))


def sources(brief: Brief, numbers: Collection[int], *, is_full: bool = False) -> str:
    """The sources with these numbers: handle, URL and title; in full also size, time and headings."""
    rows = [source_row(number, brief.sources[number - 1], is_full=is_full) for number in sorted(numbers)]
    return '\n'.join((head('SOURCES', len(rows), len(brief.sources)), *rows))


def source_line(number: int, source: BriefSource | Source, when: str) -> str:
    """A source in one line; its title, which may say anything, comes last."""
    address = quoting.address(source.url, URL_TOKENS)
    title = quoting.label(source.title, TITLE_TOKENS) or 'untitled'
    return ' · '.join(filter(None, (f'{number}. {source.id}', f'{source.tokens:,} tokens', when, address, title)))


def source_row(number: int, source: BriefSource, *, is_full: bool = False) -> str:
    """A source in one line, or two with its headings."""
    if not is_full:
        title = quoting.label(source.title, TITLE_TOKENS) or 'untitled'
        return ' · '.join(filter(None, (f'{number}. {source.id}', quoting.address(source.url, URL_TOKENS), title)))
    fetched = '' if source.fetched_at is None else f'fetched {source.fetched_at:%Y-%m-%d}'
    line = source_line(number, source, fetched)
    named = [label for heading in source.headings[:_MAX_HEADINGS] if (label := quoting.label(heading, HEADING_TOKENS))]
    if not named:
        return line
    more = len(source.headings) - len(named)
    return f'{line}\n§ {" · ".join(named)}{f" (+{more} more)" if more > 0 else ""}'


def trace(found: Trace | None, name: SourceLabels) -> BriefSection:
    """The tree of what was fetched, under what it has in common."""
    if found is None or not found.pages:
        return BriefSection(lambda _: '', 0)
    called = {source.id: name(number) for number, source in enumerate(name.sources, 1)}
    rows = _trace_rows(found, called)
    common = _trace_head(found)

    def write(count: int) -> str:
        return '\n'.join((head('EXPANSION TRACE', count, len(rows)), *((common, *rows[:count]) if count else ())))

    return BriefSection(write, len(rows))


def citations(
    brief: Brief, quoted: Sequence[Citation], name: SourceLabels, block_of: Callable[[Citation], int | None]
) -> BriefSection:
    """The verified quotes: each says first where it stands, so that its words cannot."""
    numbers = {source.id: number for number, source in enumerate(name.sources, 1)}

    def line(number: int, citation: Citation) -> str:
        source_id, lines = citation.source_id, (citation.first_line, citation.last_line)
        block, called, page = block_of(citation), name(numbers[source_id]), ''
        if pages := name.pages.get(source_id):
            start = brief.texts[source_id].find(citation.quote, *quoting.span(brief.texts[source_id], *lines))
            page = pages.of_characters(start, start + len(citation.quote))
        source = called if called == source_id else f'{called} ({source_id})'
        places = (f'E{block}' if block else '', source, quoting.ranges(range(lines[0], lines[1] + 1)), page)
        return f'[C{number}] {" · ".join(filter(None, places))} · "{citation.quote}"'

    rows = [line(number, citation) for number, citation in enumerate(quoted, 1)]
    return of_rows('CITATIONS', rows, len(rows))


def stats(values: Sequence[tuple[str, str]], count: int, used: int, budget: int) -> str:
    """What was done to find all this: so many of the values, and the tokens."""
    rows = [f'{name}: {quoting.label(value, _STAT_TOKENS)}' for name, value in values[:count]]
    return '\n'.join(('[STATS]', *rows, f'tokens: {used:,} of at most {budget:,}'))
