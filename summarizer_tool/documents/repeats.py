"""Find what repeats over the documents of one job, so that it is sent to a model only once.

A block (a paragraph, a list: what stands between blank lines and headings) that an earlier document holds already, word
for word, may be left out of a later one. Most may not: under the headings of two creatures `Level: 12`, "An orc of the
Horde." and "Sold by the smith." are two facts each, and one of them would be lost. What loses none:

1. A menu or a notice of the site by its wording, wherever it stands: it speaks of no page.
2. What stands before the page's own heading (of level 1, and no other document has it), in three documents, or in two
   where it is a menu or comes before one: the page has not begun.
3. A whole document that an earlier one contains, if title or heading name what both are about.

Headings, tables, fences, `label: value`, and what follows a colon stay even so, but for 3. What stands twice in one
document is no repeat: there the place may say something.
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from summarizer_tool.documents.document import Document
from summarizer_tool.documents.site_boilerplate import is_bound, is_menu, is_site
from summarizer_tool.text.blocks import MarkdownBlock, blocks, keys, lines_of, normal
from summarizer_tool.text.lines import one_line
from summarizer_tool.text.structure import LONGEST_TITLE

MANY = 3
"""Documents in which a place on the page says enough without wording."""

LEAST_WORDS = 40
"""Words from which a document that is another's equal names its own subject, whatever its title."""


@dataclass(frozen=True, slots=True)
class Repeat:
    """A run of segments of one document that stands in an earlier one, too."""

    start: int
    """Offset of its first character in its document's text."""
    end: int
    """Offset after its last character, blank lines after it included."""
    first_segment: int
    """The number, from 1, of its first segment."""
    last_segment: int
    kept_in: int
    """Index of the earlier document."""
    kept_first: int
    """The number of the first segment there."""
    kept_last: int


def find(documents: Sequence[Document]) -> list[list[Repeat]]:
    """Find what later documents may leave out: for each its repeats, in order, and of no block its first occurrence."""
    found: list[list[Repeat]] = [[] for _ in documents]
    if len(documents) < 2:
        return found
    outlines = [keys(document.text) for document in documents]
    seen: set[int] = set()
    shared: set[int] = set()
    for outline in outlines:
        shared |= seen.intersection(outline)
        seen.update(outline)
    if not shared:
        return found
    whole = _contained(documents, outlines, shared)
    pages = [
        _Page(index, document)
        for index, (document, outline) in enumerate(zip(documents, outlines, strict=True))
        if index not in whole and not shared.isdisjoint(outline)
    ]
    search = _RepeatSearch(pages)
    for page in pages:
        found[page.index] = list(search.repeats(page))
    for index, repeat in whole.items():
        found[index] = [repeat]
    return found


# Whole documents


def _contained(documents: Sequence[Document], outlines: Sequence[Sequence[int]], shared: set[int]) -> dict[int, Repeat]:
    """The documents that an earlier one contains, by index."""
    found: dict[int, Repeat] = {}
    equals: dict[str, int] = {}
    first: dict[int, int] = {}
    for index, (document, outline) in enumerate(zip(documents, outlines, strict=True)):
        if shared.issuperset(outline) and outline:
            equal = equals.setdefault(document.id, index)
            holder = first.get(outline[-1])
            if equal != index and _is_same(documents[equal], document):
                found[index] = _in_whole(document, documents[equal], equal, 0)
            elif holder is not None and _names_itself(document):
                # One document is looked into, the first that ends alike, so that many cost no more.
                at = _place(documents[holder].text, document.text.strip())
                if at >= 0:
                    found[index] = _in_whole(document, documents[holder], holder, at)
        if index not in found:
            for key in shared.intersection(outline):
                first.setdefault(key, index)
    return found


def _is_same(one: Document, other: Document) -> bool:
    """Return whether two documents are about the same; a short one without a title may go on with the one before."""
    title, again = (one_line(document.title, LONGEST_TITLE).casefold() for document in (one, other))
    if one.text != other.text or (title != again and not _names_itself(other)):
        return False
    return bool(title) or _is_long(other)


def _is_long(document: Document) -> bool:
    return len(document.text.split(None, LEAST_WORDS)) >= LEAST_WORDS


def _names_itself(document: Document) -> bool:
    """Return whether a text of some length begins with a heading of level 1."""
    return document.text.lstrip()[:2] in ('# ', '#\t') and _is_long(document)


def _place(text: str, part: str) -> int:
    """Where `part` stands in a text as whole lines, or -1."""
    at = text.find(f'{part}\n')
    if at < 0 and text.endswith(part):
        at = len(text) - len(part)
    return at if at <= 0 or text[at - 1] == '\n' else -1


def _in_whole(document: Document, holder: Document, index: int, at: int) -> Repeat:
    """All of a document as a repeat of what stands in another at an offset."""
    end = len(holder.text) if document.text == holder.text else at + len(document.text.strip())
    return Repeat(
        start=0,
        end=len(document.text),
        first_segment=1,
        last_segment=len(document.segment_starts),
        kept_in=index,
        kept_first=holder.segment_at(at),
        kept_last=holder.segment_at(end - 1),
    )


# Blocks


class _Page:
    """A document that shares blocks with others."""

    def __init__(self, index: int, document: Document) -> None:
        self.index = index
        self.document = document
        self.blocks = blocks(document.text, document.segment_starts)

    def text(self, block: MarkdownBlock) -> str:
        """The text of a block."""
        return self.document.text[block.start : block.end]


class _RepeatSearch:
    """The pages of one job, and what they have in common."""

    def __init__(self, pages: Sequence[_Page]) -> None:
        self._wordings: dict[tuple[int, Callable[[Sequence[str]], bool]], bool] = {}
        self._first: dict[int, tuple[_Page, MarkdownBlock]] = {}
        held: Counter[int] = Counter()
        headings: Counter[int] = Counter()
        for page in pages:
            for block in page.blocks:
                if block.kind == 'text':
                    self._first.setdefault(block.key, (page, block))
            held.update({block.key for block in page.blocks if block.kind == 'text'})
            headings.update({block.key for block in page.blocks if block.kind == 'heading'})
        self._shared = {key for key, times in held.items() if times > 1}
        self._own = {key for key, times in headings.items() if times == 1}
        self._beginnings = {page.index: self._beginning(page) for page in pages}
        self._begun = Counter(
            key for page in pages for key in {page.blocks[at].key for at in self._beginnings[page.index]}
        )

    def repeats(self, page: _Page) -> Iterator[Repeat]:
        """The repeats of a page, neighbours as one where they are neighbours in the earlier document, too."""
        starts = page.document.segment_starts
        run: tuple[MarkdownBlock, MarkdownBlock, _Page, MarkdownBlock, MarkdownBlock] | None = None
        runs: list[tuple[MarkdownBlock, MarkdownBlock, _Page, MarkdownBlock, MarkdownBlock]] = []
        for at in self._left_out(page):
            block = page.blocks[at]
            holder, kept = self._first[block.key]
            if run and run[1].end == block.start and run[2] is holder and run[4].end == kept.start:
                run = runs[-1] = (run[0], block, holder, run[3], kept)
            else:
                run = (block, block, holder, kept, kept)
                runs.append(run)
        for first, last, holder, kept_first, kept_last in runs:
            yield Repeat(
                start=first.start,
                end=last.end,
                first_segment=bisect_right(starts, first.start),
                last_segment=bisect_left(starts, last.end),
                kept_in=holder.index,
                kept_first=bisect_right(holder.document.segment_starts, kept_first.start),
                kept_last=bisect_left(holder.document.segment_starts, kept_last.end),
            )

    def _left_out(self, page: _Page) -> Iterator[int]:
        """The numbers of the blocks that a page need not say again."""
        placed = self._sure_at_beginning(page)
        introduces = False
        for at, block in enumerate(page.blocks):
            if block.kind == 'rule':
                continue
            introduced, introduces = introduces, False
            if block.kind != 'text':
                continue
            text = page.text(block)
            introduces = text.rstrip(' \n\r\t*_').endswith(':')
            if introduced or block.key not in self._shared:
                continue
            holder, kept = self._first[block.key]
            if holder is page or normal(holder.text(kept)) != normal(text):
                continue
            if (at in placed or self._is(is_site, page, at)) and not self._is(is_bound, page, at):
                yield at

    def _is(self, kind: Callable[[Sequence[str]], bool], page: _Page, at: int) -> bool:
        """The kind of a block by its words alone, looked at once for all documents that hold it."""
        block = page.blocks[at]
        if (block.key, kind) not in self._wordings:
            self._wordings[block.key, kind] = kind(lines_of(page.text(block)))
        return self._wordings[block.key, kind]

    def _beginning(self, page: _Page) -> list[int]:
        """The shared blocks before the heading that is a page's own; none where other text stands before it."""
        found: list[int] = []
        for at, block in enumerate(page.blocks):
            if block.kind == 'heading' and block.key in self._own:
                return found if block.level == 1 else []
            if block.kind == 'whole' or (block.kind == 'text' and block.key not in self._shared):
                return []
            if block.kind == 'text':
                found.append(at)
        return []

    def _sure_at_beginning(self, page: _Page) -> list[int]:
        """The blocks at a page's beginning that are boilerplate."""
        beginning = [at for at in self._beginnings[page.index] if self._begun[page.blocks[at].key] > 1]
        menus = [at for at in beginning if self._is(is_site, page, at) or self._is(is_menu, page, at)]
        last = menus[-1] if menus else -1
        return [at for at in beginning if at <= last or self._begun[page.blocks[at].key] >= MANY]
