"""The tools by which an agent looks into stored results: `search_source`, `read_source` and `query_source`."""

import re
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from typing import Annotated, Any

from pydantic import BeforeValidator
from pydantic_ai import Tool, ToolFailed

from researcher_integration.prompted_tool import prompted_tool
from summarizer_tool import (
    Collection,
    Document,
    ExtractiveModel,
    QuerySourceRequest,
    ReadSourceRequest,
    Retriever,
    Service,
    Settings,
    Summarizer,
    SummarizerError,
    UnknownSourceError,
    count_tokens,
    focus_words,
    in_io_thread,
    in_thread,
    render_prompt,
    truncate_tokens,
)

DEFAULT_TOKENS = 2000

MIN_TOKENS, MAX_TOKENS = 50, 20_000
"""Bounds of what is shown at once."""

LONG_LINE = 600
"""Characters of a line up to which it is shown whole; of a longer one what is around the text."""

AROUND = 200  # characters before and after the text in a long line
MAX_SHOWN = 500  # lines in one answer
INDEXED_TOKENS = 8000  # of the passages in which lines with the words of a question are looked for
RESERVED = 45  # tokens of the line that says how lines were found

OWN = 'summarize_tool_results'
"""Key in the metadata of the tools under which their own names stand, whatever the model calls them."""

_NUMBERED = re.compile(r'^(\d+)\| (.+)$', re.MULTILINE)


def _number(default: int) -> BeforeValidator:
    """Models write `null` for what they leave out."""
    return BeforeValidator(lambda value: default if value is None else value)


MaxTokens = Annotated[int, _number(DEFAULT_TOKENS)]
Line = Annotated[int, _number(1)]
Offset = Annotated[int, _number(0)]


class Reading:
    """Shows what is in the stored results of one collection."""

    def __init__(self, settings: Settings, collection: Collection) -> None:
        self._collection = collection
        # It reads, and needs no model for that.
        self._service = Service(Summarizer(settings, model=ExtractiveModel()), collection)
        self._retriever = Retriever(self._service)

    def tools(self) -> list[Tool[Any]]:
        """Its methods as tools, whose own results are never summarized."""
        return [
            prompted_tool(
                f'tool_results/{function.__name__}',
                function,
                takes_ctx=False,
                metadata={'summarize': 'never', OWN: function.__name__},
            )
            for function in (self.search_source, self.read_source, self.query_source)
        ]

    async def search_source(self, source_id: str, text: str, max_tokens: MaxTokens = DEFAULT_TOKENS) -> str:
        """The lines that have a text, else those that have most of its words."""
        with _told_to_the_model(source_id):
            document = await in_io_thread(self._collection.document, source_id)
            if _first_line(text).lower() not in document.text.lower():
                # The index knows where the words of a question stand.
                brief = await self._retriever.search(text, source_ids=[document.id], max_tokens=INDEXED_TOKENS)
                if found := lines_by_words(brief.text, focus_words(text), document, max_tokens):
                    return found
            return await in_thread(find_lines, document, text, max_tokens)

    async def read_source(
        self, source_id: str, start_line: Line = 1, max_tokens: MaxTokens = DEFAULT_TOKENS, offset: Offset = 0
    ) -> str:
        """Lines from one on."""
        with _told_to_the_model(source_id):
            return await self._service.read_source(
                ReadSourceRequest(source_id=source_id, start_line=start_line, max_tokens=max_tokens, offset=offset)
            )

    async def query_source(self, source_id: str, query: str, max_tokens: MaxTokens = DEFAULT_TOKENS) -> str:
        """What a query gives."""
        with _told_to_the_model(source_id):
            return await self._service.query_source(
                QuerySourceRequest(source_id=source_id, query=query, max_tokens=max_tokens)
            )


def lines_by_words(brief: str, words: Sequence[str], document: Document, max_tokens: int) -> str:
    """The lines of a brief that have most of the words, in their order and as many as fit; empty if none has any."""
    numbered = {int(number): f'{number}| {line}' for number, line in _NUMBERED.findall(brief)}
    having = {number: sum(word in line.lower() for word in words) for number, line in numbered.items()}
    best = max(having.values(), default=0)
    lines = [number for number in sorted(having, key=lambda each: (-having[each], each)) if 2 * having[number] > best]
    room = min(max(max_tokens, MIN_TOKENS), MAX_TOKENS) - RESERVED
    shown = len(_fitting((numbered[number] for number in lines), room)) if best else 0
    found = '\n'.join(numbered[number] for number in sorted(lines[:shown]))
    return render_prompt('tool_results/found_by_words', id=document.id, lines=found) if found else ''


def _fitting(lines: Iterable[str], room: int) -> list[str]:
    """The first lines that have room, in tokens."""
    fitting: list[str] = []
    for line in lines:
        room -= count_tokens(line) + 1
        if room < 0:
            break
        fitting.append(line)
    return fitting


def find_lines(document: Document, text: str, max_tokens: int = DEFAULT_TOKENS) -> str:
    """The lines that contain a literal text, with their numbers, as many as fit, and a last line that counts them.

    Capitals do not matter, nor white space around it; of several lines the first is looked for. `max_tokens` is
    brought between 50 and 20,000.
    """
    lines = document.text.removesuffix('\n').split('\n')
    wanted = re.compile(re.escape(_first_line(text)), re.IGNORECASE)
    found = [(number, line) for number, line in enumerate(lines, 1) if wanted.pattern and wanted.search(line)]
    if not found:
        return render_prompt('tool_results/not_found', id=document.id, total=str(len(lines)))
    told = {'id': document.id, 'found': str(len(found)), 'total': str(len(lines))}
    room = min(max(max_tokens, MIN_TOKENS), MAX_TOKENS)
    room -= count_tokens(render_prompt('tool_results/found', lines='', shown=str(len(found)), **told)) + 2
    shown = _fitting((_line(number, line.rstrip('\r'), wanted) for number, line in found[:MAX_SHOWN]), room)
    if not shown:  # not even what was looked for may fit, with all that is around it
        narrow, *_ = _line(*found[0], wanted, longest=0, around=15).split('\n')
        shown = [truncate_tokens(narrow, max(1, room))]
    return render_prompt('tool_results/found', lines='\n'.join(shown), shown=str(len(shown)), **told)


def _first_line(text: str) -> str:
    return text.strip().partition('\n')[0].rstrip()


def _line(number: int, line: str, wanted: re.Pattern[str], longest: int = LONG_LINE, around: int = AROUND) -> str:
    if len(line) <= longest:
        return f'{number}| {line}'
    windows: list[tuple[int, int]] = []
    for match in wanted.finditer(line):
        begin, stop = max(0, match.start() - around), min(len(line), match.end() + around)
        if windows and begin <= windows[-1][1]:
            windows[-1] = (windows[-1][0], stop)
        else:
            windows.append((begin, stop))
    return '\n'.join(f'{number}| (offset {begin}) … {line[begin:stop]} …' for begin, stop in windows[:20])


@contextmanager
def _told_to_the_model(source_id: str) -> Generator[None]:
    """Make what goes wrong a failed tool result, which says the way out."""
    try:
        yield
    except UnknownSourceError:
        # Its own words name other handles, which may be of other conversations.
        raise ToolFailed(render_prompt('tool_results/unknown', id=repr(source_id[:60]))) from None
    except SummarizerError as error:
        raise ToolFailed(str(error)) from error
