"""A web page as markdown, with its links beside it."""

import logging
import re
import unicodedata
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import urldefrag, urljoin

from summarizer_tool.extras import naming_extra
from summarizer_tool.html import parsing
from summarizer_tool.html.choosing import choose
from summarizer_tool.html.page import Link, Page
from summarizer_tool.html.page_blocks import LINK_CLOSE, LINK_OPEN, Blocks, PageBlock
from summarizer_tool.html.tables import find_layout
from summarizer_tool.html.titles import page_title, title_line
from summarizer_tool.html.walking import MARKS, TreeWalk
from summarizer_tool.html.writing import write
from summarizer_tool.text.abbreviations import is_abbreviated
from summarizer_tool.text.addresses import host_of

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


def to_markdown(html: str, base_url: str = '', *, is_document: bool = False) -> Page:
    """The main content of a page: headings, lists, tables, code, formulas and notes as markdown, without its chrome.

    Where no main content is found, as in a page of a few words, it is all the text there is, as it is where all is
    content (`is_document`), such as a chapter of a book. Never raises: of a broken page it is what a browser might
    show, of one that is no page at all an empty `Page`. Without its URL, relative links are left out.
    """
    tree, is_whole = parsing.parse(html)
    if tree is None:
        return Page('')
    base = _base(tree, base_url)
    found = TreeWalk().run(tree)
    if not found.blocks:
        return Page('', page_title(tree, found.blocks))
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


def _link_sections(blocks: list[PageBlock]) -> Iterator[str]:
    """For each block the heading it stands under; one that is left out counts for links that only lead on."""
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


MAX_LINKS = 3000
"""Of one page, the first ones; a page of more is an index of everything."""
MAX_AROUND = 200
"""Characters that stand around a link, with its own."""
_SENTENCE = 60
"""Characters of a sentence that says what its link is about; a shorter one, as `Read more.`, goes on from others."""

_MOST_BLOCKS = 3
"""Blocks beside a link that may say what it is about."""

_MAX_URL = 2000
"""Characters of a URL; a longer one leads nowhere that can be fetched."""

_WEB = re.compile(r'https?://[^\s/?#]', re.IGNORECASE)
_CONTENTS = 10
"""Links of a table of contents, or more."""

_LINK_MARK = re.compile(f'[{LINK_OPEN}{LINK_CLOSE}]')
_STOP = re.compile(r'[.!?…]["\'”’»)\]]{0,2}(?=\s)|[。！？]|\n')


def page_links(blocks: Iterable[PageBlock], sections: Iterable[str], base: str, own: str) -> list[Link]:
    """The links of those blocks that are kept, or that belong to them; the first to each page, `MAX_LINKS` at most.

    Where none of these leads on within the site, those of all other blocks, too, if they are as many as a table of
    contents has: it was taken for a menu, and a menu is a way to go on.
    """
    seen = {_absolute('', own), ''}
    every = list(zip(blocks, sections, strict=True))
    kept = [block.is_kept or block.leads_on for block, _ in every]
    found = list(_links_of(every, kept, base, seen))
    if not any(host_of(link.url) == host_of(own) for link in found):
        others = list(_links_of(every, [not is_kept for is_kept in kept], base, seen))
        found += others if len(others) >= _CONTENTS else []
    return found


def _absolute(base: str, target: str) -> str:
    """The http or https URL that a target means on a page, without fragment; empty if it is none."""
    target = target.strip()
    if not target or len(target) > _MAX_URL or target.startswith('#'):
        return ''
    try:
        url = urldefrag(urljoin(base, target)).url if base else urldefrag(target).url
    except ValueError:
        return ''
    if not _WEB.match(url) or not url.isprintable():
        return ''
    return url.replace(' ', '%20').replace('(', '%28').replace(')', '%29')


def _links_of(
    blocks: Sequence[tuple[PageBlock, str]], chosen: Sequence[bool], base: str, seen: set[str]
) -> Iterator[Link]:
    every = [block for block, _ in blocks]
    for place, (block, section) in enumerate(blocks):
        if not block.links or not chosen[place]:
            continue
        words = block.words
        for target, (start, end) in zip(block.links, _spans(block.text), strict=False):
            url = _absolute(base, target)
            if url not in seen and (text := title_line(words[start:end])):
                if len(seen) >= MAX_LINKS + 2:
                    return
                seen.add(url)
                is_alone = words[start:end].strip() == words.strip()
                yield Link(url, text, section, _teaser(every, place, text) if is_alone else _around(words, start, end))


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """Where links begin and end in the text of a block, as if their marks were not in it."""
    start = -1
    for passed, mark in enumerate(_LINK_MARK.finditer(text)):
        if mark.group() == LINK_OPEN:
            start = mark.start() - passed
        elif start >= 0:
            yield start, mark.start() - passed
            start = -1


def _teaser(blocks: Sequence[PageBlock], place: int, text: str) -> str:
    """The text and, after a colon, what is said of it where a link is a block of its own; empty if that is nothing.

    That is what follows under a heading, in the same item or row, or as the definition of a term, and links nowhere
    else.
    """
    link = blocks[place]
    said: list[str] = []
    for block in blocks[place + 1 : place + 1 + _MOST_BLOCKS]:
        if block.kind != 'text' or block.region is not link.region or {*block.links} - {*link.links}:
            break
        if link.kind != 'heading' and not _are_together(link, block):
            break
        said.append(block.words)
    teaser = title_line(' '.join(said))
    return f'{text}: {teaser}'[:MAX_AROUND].rstrip() if teaser else ''


def _are_together(link: PageBlock, block: PageBlock) -> bool:
    """Return whether a block is in the same item or row as a link, or is the definition of the term that it is."""
    holders = [frame for frame in link.frames() if frame.kind in ('item', 'row')]
    if holders:
        return holders[0] in block.frames()
    return [frame.kind for frame in (link.frame, block.frame) if frame] == ['term', 'definition']


def _around(words: str, start: int, end: int) -> str:
    """The sentence of a link, with those before it where it is short; empty if the link is all, or too much, of it."""
    if end - start >= MAX_AROUND:
        return ''
    low, high = max(0, end - MAX_AROUND), min(len(words), start + MAX_AROUND)
    stops = [stop.end() for stop in _STOP.finditer(words, low, high) if not is_abbreviated(words, stop.end())]
    high = next((stop for stop in stops if stop >= end), high)
    begins = [0] * (low == 0) + [stop for stop in stops if stop <= start]
    within = [begin for begin in begins if high - begin <= MAX_AROUND]
    if within:
        low = within[-1] if high - within[-1] >= _SENTENCE else within[0]
    else:
        spare = max(0, MAX_AROUND - (end - start)) // 2
        low, high = max(low, start - spare), min(high, end + spare)
    # Half a word would be another one.
    while 0 < low < start and words[low - 1].isalnum() and words[low].isalnum():
        low += 1
    while end < high < len(words) and words[high - 1].isalnum() and words[high].isalnum():
        high -= 1
    around = title_line(words[low:high])[:MAX_AROUND]
    return around if around != title_line(words[start:end]) else ''
