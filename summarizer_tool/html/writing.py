"""The kept blocks of a page as markdown."""

import re
from collections.abc import Iterable, Sequence
from itertools import groupby, takewhile

from summarizer_tool.html import code, tables
from summarizer_tool.html.page_blocks import Frame, PageBlock
from summarizer_tool.html.titles import UNSEEN
from summarizer_tool.text import list_numbers

_MARKUP = re.compile(r'(?m)^(?=#{1,6}(?:\s|$)|>|```|~~~|\||=+\s*$|-{2,}\s*$)')
"""Where a line of text would be read as markup."""
_MAX_LEVELS = 12
"""Of quotes, lists and terms that show; what is deeper stands at the last."""
_MAX_LINES = 20_000
"""Of a block; a longer one is not set off, lest what its lines begin with outgrows them."""


def write(blocks: Sequence[PageBlock]) -> str:
    """The markdown of those blocks that are kept, in their order, without the targets of links."""
    return _Writer().run([block for block in blocks if block.is_kept])


class _Writer:
    def __init__(self) -> None:
        self._out: list[str] = []
        self._last: list[Frame] = []
        """The containers of what was written last."""
        self._rests: list[str] = []
        """What lines after the first begin with, for each of them."""
        self._frame: Frame | None = None
        """The innermost container of what was written last."""
        self._was_text = False
        self._opened: set[Frame] = set()
        self._spanned = [tables.MAX_SPANNED]

    def run(self, blocks: Sequence[PageBlock]) -> str:
        for table, run in groupby(blocks, _table_of):
            if table is not None:
                self._table(table, run)
                continue
            for block in run:
                self._write(block)
        return ''.join(self._out)

    def _write(self, block: PageBlock) -> None:
        match block.kind:
            case 'heading':
                self._put(f'{"#" * block.level} {_inline(block)}', block.frame)
            case 'code':
                self._put(code.fenced(block.text, block.language), block.frame)
            case 'math':
                self._put(f'$$\n{block.text}\n$$', block.frame)
            case 'text':
                self._put(_MARKUP.sub('\\\\', _inline(block)), block.frame, is_text=True)

    def _table(self, table: Frame, blocks: Iterable[PageBlock]) -> None:
        cells: dict[Frame, list[str]] = {}
        captions: list[str] = []
        last: Frame | None = None
        for block in blocks:
            around = [*takewhile(lambda frame: frame is not table, block.frames())]
            cell = next((frame for frame in reversed(around) if frame.kind == 'cell'), None)
            if cell is None or cell.parent is None or cell.parent.parent is not table:  # in no row of it
                captions.append(_inline(block))
                continue
            inside = around[: around.index(cell)]
            row = next((frame for frame in inside if frame.kind == 'row'), None)
            parts = cells.setdefault(cell, [])
            text = self._in_cell(block, inside)
            if parts and row is not None and row is last:
                parts[-1] = f'{parts[-1]} / {text}'
            else:
                parts.append(text)
            last = row
        for caption in captions:
            self._put(_MARKUP.sub('\\\\', caption), table.parent)
        if text := tables.pipes(table, {cell: '<br>'.join(parts) for cell, parts in cells.items()}, self._spanned):
            self._put(text, table.parent)

    def _in_cell(self, block: PageBlock, inside: Sequence[Frame]) -> str:
        if block.kind == 'code':
            text = '<br>'.join(code.inline(line) for line in block.text.split('\n') if line.strip())
        elif block.kind == 'math':
            text = f'${block.text}$'
        else:
            text = _inline(block).replace('\n', '<br>')
        text = text.replace('|', '\\|')
        new = {frame for frame in inside if frame.kind == 'item'} - self._opened
        self._opened |= new
        return f'- {text}' if new else text

    def _put(self, text: str, frame: Frame | None, *, is_text: bool = False) -> None:
        """Add lines within the containers around them."""
        chain, rests = self._last, self._rests
        first = ''.join(rests)
        is_new = False
        goes_on = frame is self._frame
        if not goes_on:
            chain = [f for f in (frame.chain() if frame is not None else ()) if _shows(f)]
            first, rests = '', []
        self._frame = frame
        for shown in () if goes_on else chain[:_MAX_LEVELS]:
            is_new = shown not in self._opened
            self._opened.add(shown)
            mark = _mark(shown)
            rests.append(mark if shown.kind == 'quote' else ' ' * len(mark))
            first += mark if is_new else rests[-1]
        self._separate(chain, is_tight=is_text and self._was_text and is_new)
        lines = text.split('\n')
        rest = ''.join(rests)
        if len(lines) > _MAX_LINES:
            first = rest = ''
        blank = rest.rstrip()
        self._out.append(first + lines[0])
        self._out += (f'\n{rest}{line}' if line else f'\n{blank}' for line in lines[1:])
        self._last, self._rests = chain, rests
        self._was_text = is_text

    def _separate(self, chain: list[Frame], *, is_tight: bool) -> None:
        """Add a line break, or an empty line within the containers that go on."""
        if not self._out:
            return
        last = self._last
        if is_tight and chain and last and _is_next(last, chain[-1]):
            self._out.append('\n')
            return
        shared = len(self._rests) if chain is last else 0
        while shared < min(len(self._rests), len(chain)) and last[shared] is chain[shared]:
            shared += 1
        self._out.append(f'\n{"".join(self._rests[:shared]).rstrip()}\n')


_MARKS: dict[str, str] = {'quote': '> ', 'item': '- ', 'definition': ': ', 'term': ''}


def _shows(frame: Frame) -> bool:
    return frame.kind in _MARKS and (frame.kind == 'quote' or frame.parent is None or not frame.parent.is_layout)


def _mark(frame: Frame) -> str:
    if frame.kind != 'item' or frame.parent is None or not frame.parent.is_ordered:
        return _MARKS[frame.kind]
    # Markdown numbers its items with digits alone.
    number = list_numbers.shown(frame.number, frame.parent.form)
    return f'{number}. ' if number.isdigit() else f'- {number}. '


def _is_next(last: list[Frame], new: Frame) -> bool:
    """Return whether a new container continues the last block: the next item, or its first one."""
    if new.kind == 'definition':
        return last[-1].kind in ('term', 'definition') and last[-1].parent is new.parent
    around = new.parent
    if new.kind != 'item' or around is None:
        return False
    if around.parent is not None and last[-1].kind == 'term':  # the first of a list that is said of it
        return _is_next(last, around.parent)
    return any(f.parent is around or (f.kind == 'item' and f is around.parent) for f in last)


def _table_of(block: PageBlock) -> Frame | None:
    """The outermost table around a block that is not one of layout."""
    if block.frame is None:
        return None
    return next((f for f in block.frame.chain() if f.kind == 'table' and not f.is_layout), None)


def _inline(block: PageBlock) -> str:
    """The text of a block; white space at the edges of links is one space with that around it."""
    text = '\n'.join(' '.join(line.split()) for line in block.words.split('\n')) if block.links else block.text
    return UNSEEN.sub('', text)
