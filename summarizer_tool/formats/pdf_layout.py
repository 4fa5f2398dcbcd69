"""From the pages of a PDF to markdown: paragraphs, headings, lists, tables, page breaks.

The order is that of the file, which programs write as it is to be read, columns one after the other. Between two pages
stands a form feed, see `documents.page_numbers`.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from summarizer_tool.documents.page_numbers import PAGE_BREAK
from summarizer_tool.formats.joining import Vocabulary, join
from summarizer_tool.formats.pdf_page import PdfPage, TextLine
from summarizer_tool.formats.pdf_tables import LEADERS, table_at
from summarizer_tool.html.block_score import ends_a_sentence

_BULLET = re.compile(r'[•◦▪‣∙●○■□❖➢✓·*–-]\s+(?=\S)')
_NUMBERED = re.compile(r'(?:\(?\d{1,3}[.)]|\(?[a-z]\))\s+(?=\S)')
_MARK = re.compile(r'(?=[#>|]|[-+*]\s|\d+[.)]\s)')
"""What markdown would take for more than text at the beginning of a line."""

_LEAST_PAGES = 3
"""On which a running title stands."""
_SHARE = 0.7
"""Of the numbers that must count pages."""
_DIGITS = re.compile(r'\d+|\b[ivxlc]+\b')
_PAGE_NUMBER = re.compile(
    r'^\W*(?:\d+|[ivxlc]+)(?:\s?/\s?\d+)?(?:\W*$|\W?\s{3})|\s{3}\W*(?:\d+|[ivxlc]+)(?:\s?/\s?\d+)?\W*$'
    r'|\s[|·•–—-]\s+\d+\W*$|(?:^\W*|\s)\d+\s?(?:/|de|di|of|sur|von|из)\s?\d+\W*$'
    r'|\b(?:blatt|folie|sheet|slide|pages?|pg|p|seite|página|pagina|sid[ae]|strona|strana|stránka|страница|стр)\b\W{0,3}\d',
    re.IGNORECASE,
)
"""A number that stands alone, apart from the words beside it, or is said to be a page's."""
_MOST_BOLD = 0.3
"""Of a text, in which a bold line is a heading."""
_LONGEST_BOLD = 80
_IS_SAID = re.compile(r'\n|: |[.,:;!?。！？]["\'”’»)\]]*$|[a-z]{2}[.!?] ')
"""In a bold line that is none."""
_NO_TEXT = '[Page {number} is an image without text: reading it needs OCR]'
_BROKEN = '[Page {number} is damaged and cannot be read]'


@dataclass(slots=True)
class _Block:
    """A paragraph, a list item, a heading, or a table."""

    text: str
    size: float
    is_table: bool = False
    level: int = 0
    is_bold: bool = False
    """Whether each of its lines is."""

    @property
    def is_open(self) -> bool:
        """Whether it may go on in the next column or on the next page."""
        return not (self.is_table or self.level) and not ends_a_sentence(self.text) and len(self.text) > 40


def markdown_of(pages: Sequence[PdfPage]) -> str:
    """The text of all pages, with a form feed between two."""
    lines = _without_running_titles([page.lines for page in pages])
    vocabulary = Vocabulary([line.text for page in lines for line in page])
    made = [list(_blocks(page, vocabulary)) for page in lines]
    _set_levels(made)
    return _written(made, pages, vocabulary)


# Running titles


def _without_running_titles(pages: Sequence[list[TextLine]]) -> list[list[TextLine]]:
    """Leave out what stands at the edge of many pages, but for the first time; of page numbers, each."""
    found: defaultdict[tuple[str, int], list[str]] = defaultdict(list)
    edges: list[dict[int, list[tuple[str, int]]]] = []
    for lines in pages:
        order = sorted(range(len(lines)), key=lambda index: -lines[index].top)
        turned = [[index for index in order if lines[index].turn == turn] for turn in range(4)]
        edges.append({})
        for index in dict.fromkeys(index for each in turned for index in (*each[:2], *each[-2:])):
            said = '   '.join(cell.text for cell in lines[index].cells).casefold()
            edges[-1][index] = [(form, round(lines[index].bottom / 4)) for form in _forms(said)]
            for place in edges[-1][index]:
                found[place].append(said)
    running = {place for place, said in found.items() if len(said) >= _LEAST_PAGES and _recurs(place[0], said)}
    seen: set[tuple[str, int]] = set()
    left: list[list[TextLine]] = []
    for lines, outer in zip(pages, edges, strict=True):
        gone: set[int] = set()
        for index, places in outer.items():
            if here := running.intersection(places):
                if seen & here or any('\0' in form and not any(map(str.isalpha, form)) for form, _ in here):
                    gone.add(index)
                seen |= here
        left.append([line for index, line in enumerate(lines) if index not in gone])
    return left


def _forms(line: str) -> list[str]:
    """What a line at the edge of a page may share with others: its words, and these but for a page's number."""
    words = ' '.join(line.split())
    return [words, _DIGITS.sub('\0', words)] if _PAGE_NUMBER.search(line) else [words]


def _recurs(form: str, lines: list[str]) -> bool:
    """Return whether lines of a form are alike, or a number in them counts one up, or two on every other page."""
    if '\0' not in form:
        return True
    for column in zip(*map(_DIGITS.findall, lines), strict=True):
        if not all(map(str.isdecimal, column)):  # in Roman numerals a preface is counted
            return True
        steps = [int(after) - int(before) for before, after in pairwise(column)]
        if max(steps.count(1), steps.count(2)) >= _SHARE * len(steps):
            return True
    return False


# Blocks


def _blocks(lines: Sequence[TextLine], vocabulary: Vocabulary) -> Iterator[_Block]:
    pitch = _pitch(lines)
    place = 0
    while place < len(lines):
        if table := table_at(lines, place):
            rows, place = table
            yield _Block('\n'.join(rows), 0.0, is_table=True)
            continue
        end = place + 1
        while end < len(lines) and _is_together(lines[end - 1], lines[end], pitch) and not table_at(lines, end):
            end += 1
        yield from _paragraphs(lines[place:end], vocabulary)
        place = end


def _pitch(lines: Sequence[TextLine]) -> float:
    """From one line to the next, in sizes of the font; 1.2 is usual."""
    steps = [
        (above.bottom - below.bottom) / above.size
        for above, below in pairwise(lines)
        if 0.5 * above.size < above.bottom - below.bottom < 3 * above.size
    ]
    return median(steps) if steps else 1.2


def _is_together(above: TextLine, below: TextLine, pitch: float) -> bool:
    size = max(above.size, below.size)
    step = above.bottom - below.bottom
    is_beside = below.left > above.right or below.right < above.left
    return abs(above.size - below.size) <= 0.13 * size and 0 < step <= (pitch * 1.25 + 0.05) * size and not is_beside


def _paragraphs(lines: Sequence[TextLine], vocabulary: Vocabulary) -> Iterator[_Block]:
    """The paragraphs of lines that stand closely: one ends where a word would have fitted, or the next is indented."""
    edge, margin = max(line.right for line in lines), min(line.left for line in lines)
    size = median(line.size for line in lines)
    run: list[TextLine] = []
    paragraphs: list[list[TextLine]] = []
    for index, line in enumerate(lines):
        if run and _begins(lines, index, edge, margin, is_item=_is_item(run[0].text)):
            paragraphs.append(run)
            run = []
        run.append(line)
    paragraphs.append(run)
    # Lines that all stand for themselves, as of code or an address, stay together.
    if (
        len(lines) > 2
        and not LEADERS.search(lines[0].text)
        and all(len(each) == 1 for each in paragraphs)
        and not any(above.is_bold and len(below.text) > _LONGEST_BOLD for above, below in pairwise(lines))
        and not any(_is_item(paragraph[0].text) for paragraph in paragraphs)
    ):
        width = median((line.right - line.left) / max(1, len(line.text)) for line in lines)
        indented = [' ' * round((line.left - margin) / (width or 1)) + line.text for line in lines]
        yield _Block('\n'.join(indented), size)
        return
    for each in paragraphs:
        text = LEADERS.sub('… ', join([line.text for line in each], vocabulary))
        is_bold = all(line.is_bold for line in each)
        yield _Block(_BULLET.sub('- ', text, count=1) if _BULLET.match(text) else text, size, is_bold=is_bold)


def _is_item(text: str) -> bool:
    return (_BULLET.match(text) or _NUMBERED.match(text)) is not None


def _begins(lines: Sequence[TextLine], index: int, edge: float, margin: float, *, is_item: bool) -> bool:
    """Return whether a line begins a paragraph or an item rather than going on with the one above."""
    above, line = lines[index - 1], lines[index]
    if _is_item(line.text) or LEADERS.search(above.text):
        return True
    word = line.text.partition(' ')[0]
    width = (line.right - line.left) / max(1, len(line.text)) * (len(word) + 1)
    if above.right + width < edge - 0.5 * line.size:  # the word would have fitted
        return True
    indent = line.left - above.left
    if not is_item and indent > 0.7 * line.size and above.left - margin < 0.5 * line.size:
        following = lines[index + 1] if index + 1 < len(lines) else None
        if following is None or following.left < line.left - 0.5 * line.size:
            return True
        return line.right < edge - 4 * line.size  # no line of a text, though all around it are indented, as in code
    return False


# Headings


def _set_levels(pages: Sequence[Sequence[_Block]]) -> None:
    """Find the headings: what is short and larger than the text, or bold."""
    sizes: Counter[float] = Counter()
    bold: Counter[bool] = Counter()
    for page in pages:
        for block in page:
            sizes[round(block.size, 1)] += 0 if block.is_table else len(block.text)
            bold[block.is_bold] += len(block.text)
    if not sizes:
        return
    [(body, _)] = sizes.most_common(1)
    larger = [block for page in pages for block in page if _is_title(block, body)]
    ranks = sorted({round(block.size) for block in larger}, reverse=True)
    for block in larger:
        block.level = min(4, ranks.index(round(block.size)) + 1)
    if bold[True] < _MOST_BOLD * bold.total():
        for page in pages:
            _set_bold(page, min(5, max(1, len(ranks)) + 1))


def _set_bold(page: Sequence[_Block], level: int) -> None:
    """Find the headings that are no larger: short bold lines, one or a few, above a paragraph."""
    is_above = False
    for block in reversed(page):
        if block.is_bold and len(block.text) <= _LONGEST_BOLD and not _IS_SAID.search(block.text):
            block.level = block.level or (level if is_above and any(map(str.isalpha, block.text)) else 0)
        else:
            is_above = not block.is_table and len(block.text) > _LONGEST_BOLD


def _is_title(block: _Block, body: float) -> bool:
    is_short = len(block.text) <= 150 and not any(sign in block.text for sign in ('\n', '… '))  # … of contents
    return not block.is_table and is_short and block.size > 1.12 * body and any(map(str.isalpha, block.text))


# Writing


def _written(made: Sequence[Sequence[_Block]], pages: Sequence[PdfPage], vocabulary: Vocabulary) -> str:
    parts: list[str] = []
    before: _Block | None = None
    """The last block of the page above, or of the column."""
    for number, (blocks, page) in enumerate(zip(made, pages, strict=True), 1):
        if number > 1:
            parts.append(PAGE_BREAK)
        if not blocks and (page.has_image or page.is_broken):
            parts.append((_NO_TEXT if page.has_image else _BROKEN).format(number=number))
            before = None
        for block in blocks:
            if before is not None and before.is_open and _goes_on(before, block):
                break_here = parts[-1] == PAGE_BREAK
                if break_here:
                    parts.pop()
                parts[-1] = join([parts[-1], block.text], vocabulary, between=PAGE_BREAK if break_here else '')
            else:
                parts.append(_shown(block))
            before = block
    return '\n\n'.join(parts)


def _goes_on(before: _Block, block: _Block) -> bool:
    is_text = not (block.is_table or block.level) and '\n' not in before.text
    return is_text and block.text[:1].islower() and abs(before.size - block.size) < 0.3 * max(before.size, block.size)


def _shown(block: _Block) -> str:
    if block.level:
        return f'{"#" * block.level} {block.text}'
    if block.is_table or block.text.startswith('- ') or _NUMBERED.match(block.text):
        return block.text
    return f'\\{block.text}' if _MARK.match(block.text) else block.text
