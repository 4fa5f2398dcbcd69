"""A web page as markdown, with its headings, images and links beside it."""

import logging
import re
import unicodedata
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import urljoin

from summarizer_tool.extras import naming_extra
from summarizer_tool.html import parsing
from summarizer_tool.html.choosing import choose
from summarizer_tool.html.links import page_links
from summarizer_tool.html.page import Heading, Image, Page
from summarizer_tool.html.page_blocks import Blocks, PageBlock
from summarizer_tool.html.tables import find_layout
from summarizer_tool.html.titles import page_title, title_line
from summarizer_tool.html.walking import MARKS, TreeWalk
from summarizer_tool.html.writing import write

MAX_ELEMENTS = 30_000
MAX_CHARACTERS = 4_000_000
MAX_WORK = 1_000_000
"""Of a page that is put to the vote: its elements, its text, and its elements times their depth. Trafilatura copies and
walks it some dozen times, and looks from each level at all below. A larger page, which then takes some seconds, is read
by our own rules alone: they take all that is no chrome."""

MIN_ELEMENTS = 2_000
_LEAST_SIZE = 24
"""Characters of an element, on the average, where there are more of them: those of 990 pages of the web have 33."""

_MARK = re.compile(f'[{chr(MARKS[0])}-{chr(MARKS[1])}]')

_MIN_TOLD = 250
"""Characters of an article that is in no text of its page; less is a description."""


@dataclass(frozen=True, slots=True)
class Votes:
    """What trafilatura takes for the main content."""

    nodes: frozenset[int] = frozenset()
    """The numbers of its text nodes; none if it fails."""
    told: tuple[str, ...] = ()
    """Its paragraphs, where it is in none: some pages hold their text as JSON or a template, for a script to show."""


def votes(tree: Any, depth: int, size: int) -> Votes:
    """Ask trafilatura for the main content of a page of some depth, in elements, and size, in characters.

    It carries the marks of a `TreeWalk` through like any other letter: so what it keeps is known by place, whatever it
    does to tables, code and formulas.
    """
    elements = tree.xpath('count(//*)')
    most = min(MAX_ELEMENTS, MAX_WORK / max(depth, 1), max(MIN_ELEMENTS, size / _LEAST_SIZE))
    if elements > most or (size > MAX_CHARACTERS and tree.xpath('string-length()') > MAX_CHARACTERS):
        return Votes()
    trafilatura = _trafilatura()
    try:
        found = trafilatura.bare_extraction(tree, include_comments=False, output_format='txt')
        body = found.body if found is not None else None
        paragraphs = [''.join(part.itertext()) for part in body] if body is not None else []
    except Exception:  # noqa: BLE001 - pages of any kind find its bugs, and our own rules still serve
        return Votes()
    text = '\n'.join(paragraphs)
    nodes = frozenset(map(ord, _MARK.findall(text)))
    return Votes(nodes, tuple(paragraphs) if not nodes and len(text) >= _MIN_TOLD else ())


@cache
def _trafilatura() -> Any:
    # It is slow to import, and it speaks of pages as it goes: an application may listen, but stderr is not for that.
    logger = logging.getLogger('trafilatura')
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())
    with naming_extra(), warnings.catch_warnings():
        warnings.simplefilter('ignore')  # it asks for a proxy that it then does without
        import trafilatura

        return trafilatura


_MIN_ALT_WORDS = 4
"""Of what is written for those who do not see a picture; fewer name a file or a person already named beside it."""

_WORDLESS = ('head', 'title', 'script', 'style', 'template', 'noscript')


def to_markdown(html: str, base_url: str = '', *, is_document: bool = False) -> Page:
    """The main content of a page: headings, lists, tables, code, formulas and notes as markdown, without its chrome.

    Where no main content is found, as in a page of a few words, it is all the text there is, as it is where all is
    content (`is_document`), such as a chapter of a book. Never raises: of a broken page it is what a browser might
    show, of one that is no page at all an empty `Page`. Without its URL, relative links and images are left out.
    """
    tree, is_whole = parsing.parse(html)
    if tree is None:
        return Page('')
    base = _base(tree, base_url)
    found = TreeWalk(base).run(tree)
    if not found.blocks:
        return Page(_bare_text(tree), page_title(tree, found.blocks))
    # Where tags nest without end, trafilatura would lose what is in them.
    voted = votes(tree, found.depth, len(html)) if is_whole and not is_document else Votes()
    if voted.told:
        found = Blocks([PageBlock('text', ' '.join(told.split()), is_kept=True) for told in voted.told if told.strip()])
    else:
        find_layout(found.blocks)
        if is_document:
            for part in (*found.blocks, *found.pictures):
                part.is_kept = True
        else:
            choose(found, voted.nodes)
    markdown = unicodedata.normalize('NFC', write(_with_pictures(found)))
    return Page(
        markdown,
        page_title(tree, found.blocks),
        tuple(Heading(block.level, title_line(block.words)) for block in found.blocks if block.is_kept and block.level),
        tuple(_images(found)),
        tuple(page_links(found.blocks, _link_sections(found.blocks), base, base_url)),
    )


def _base(tree: Any, url: str) -> str:
    """What targets on the page are relative to."""
    said = next(tree.iter('base'), None)
    target = (said.get('href') or '').strip() if said is not None else ''
    try:
        return urljoin(url, target) if target else url
    except ValueError:
        return url


def _bare_text(tree: Any) -> str:
    """What text there is where there is none to read: in a button, in a drawing."""
    parsing.remove(tree, *_WORDLESS)
    return ' '.join(parsing.UNFIT.sub('', ''.join(tree.itertext())).split())


def _sections(blocks: list[PageBlock]) -> Iterator[str]:
    """For each block the heading it stands under."""
    section = ''
    for block in blocks:
        if block.is_kept and block.level:
            section = title_line(block.words)
        yield section


def _link_sections(blocks: list[PageBlock]) -> Iterator[str]:
    """As `_sections`, but of a heading the one above it; one that is left out counts for links that only lead on."""
    open_: list[PageBlock] = []
    for block in blocks:
        if block.level:
            open_ = [heading for heading in open_ if heading.level < block.level]
        above = [heading for heading in open_ if heading.is_kept or block.leads_on]
        yield title_line(above[-1].words) if above else ''
        if block.level:
            open_.append(block)


def _with_pictures(page: Blocks) -> list[PageBlock]:
    """The blocks, and where a kept picture is described in words that stand nowhere else, a line that says so."""
    said = {title_line(block.words) for block in page.blocks}
    kept = [block.words if block.is_kept else '' for block in page.blocks]
    blocks: list[PageBlock] = []
    done = 0
    for picture in page.pictures:
        beside = kept[max(picture.place - 1, 0) : picture.place + 2]
        if (
            picture.is_kept
            and len(picture.alt.split()) >= _MIN_ALT_WORDS
            and title_line(picture.alt) not in said
            and not any(picture.alt.rstrip('.') in text for text in beside)
        ):
            said.add(title_line(picture.alt))
            blocks += page.blocks[done : picture.place]
            done = max(done, picture.place)
            blocks.append(PageBlock('text', f'[Image: {picture.alt}]', picture.frame, is_kept=True))
    return blocks + page.blocks[done:]


def _images(page: Blocks) -> Iterator[Image]:
    sections = ['', *_sections(page.blocks)]
    captions = {
        frame: title_line(block.words)
        for block in page.blocks
        if block.is_in('caption')
        for frame in block.frames()
        if frame.kind == 'figure'
    }
    seen: set[str] = set()
    for picture in page.pictures:
        if picture.is_kept and picture.url and picture.url not in seen:
            seen.add(picture.url)
            caption = captions.get(picture.figure, '') if picture.figure is not None else ''
            yield Image(picture.url, title_line(picture.alt), caption, sections[picture.place])
