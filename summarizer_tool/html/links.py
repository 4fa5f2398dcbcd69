"""The links of a page, each with what stands around it."""

import re
from collections.abc import Iterable, Iterator, Sequence

from summarizer_tool.html.page import Link
from summarizer_tool.html.page_blocks import LINK_CLOSE, LINK_OPEN, PageBlock
from summarizer_tool.html.targets import absolute
from summarizer_tool.html.titles import title_line
from summarizer_tool.text.abbreviations import is_abbreviated
from summarizer_tool.text.addresses import host_of

MAX_LINKS = 3000
"""Of one page, the first ones; a page of more is an index of everything."""
MAX_AROUND = 200
"""Characters that stand around a link, with its own."""
_SENTENCE = 60
"""Characters of a sentence that says what its link is about; a shorter one, as `Read more.`, goes on from others."""

_MOST_BLOCKS = 3
"""Blocks beside a link that may say what it is about."""

_CONTENTS = 10
"""Links of a table of contents, or more."""

_MARK = re.compile(f'[{LINK_OPEN}{LINK_CLOSE}]')
_STOP = re.compile(r'[.!?…]["\'”’»)\]]{0,2}(?=\s)|[。！？]|\n')


def page_links(blocks: Iterable[PageBlock], sections: Iterable[str], base: str, own: str) -> list[Link]:
    """The links of those blocks that are kept, or that belong to them; the first to each page, `MAX_LINKS` at most.

    Where none of these leads on within the site, those of all other blocks, too, if they are as many as a table of
    contents has: it was taken for a menu, and a menu is a way to go on.
    """
    seen = {absolute('', own), ''}
    every = list(zip(blocks, sections, strict=True))
    kept = [block.is_kept or block.leads_on for block, _ in every]
    found = list(_links_of(every, kept, base, seen))
    if not any(host_of(link.url) == host_of(own) for link in found):
        others = list(_links_of(every, [not is_kept for is_kept in kept], base, seen))
        found += others if len(others) >= _CONTENTS else []
    return found


def _links_of(
    blocks: Sequence[tuple[PageBlock, str]], chosen: Sequence[bool], base: str, seen: set[str]
) -> Iterator[Link]:
    """The links of the chosen blocks to pages that were not seen."""
    every = [block for block, _ in blocks]
    for place, (block, section) in enumerate(blocks):
        if not block.links or not chosen[place]:
            continue
        words = block.words
        for target, (start, end) in zip(block.links, _spans(block.text), strict=False):
            url = absolute(base, target)
            if url not in seen and (text := title_line(words[start:end])):
                if len(seen) >= MAX_LINKS + 2:
                    return
                seen.add(url)
                is_alone = words[start:end].strip() == words.strip()
                yield Link(url, text, section, _teaser(every, place, text) if is_alone else _around(words, start, end))


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """Where links begin and end in the text of a block, as if their marks were not in it."""
    start = -1
    for passed, mark in enumerate(_MARK.finditer(text)):
        if mark.group() == LINK_OPEN:
            start = mark.start() - passed
        elif start >= 0:
            yield start, mark.start() - passed
            start = -1


def _teaser(blocks: Sequence[PageBlock], place: int, text: str) -> str:
    """The text and, after a colon, what is said of it where a link is a block of its own; empty if that is nothing.

    That is what follows under a heading, in the same item or row, or as the definition of a term; or else what stands
    between a link such as `Read more` and the heading above it.
    """
    after = _said(blocks, range(place + 1, min(len(blocks), place + 1 + _MOST_BLOCKS)), blocks[place])
    before = [] if after or blocks[place].kind == 'heading' else _said_before(blocks, place)
    teaser = title_line(' '.join(after or before))
    return f'{text}: {teaser}'[:MAX_AROUND].rstrip() if teaser else ''


def _said(blocks: Sequence[PageBlock], places: Iterable[int], link: PageBlock) -> list[str]:
    """The blocks after a link that speak of it, which link nowhere else."""
    found: list[str] = []
    for place in places:
        block = blocks[place]
        if block.kind != 'text' or block.region is not link.region or {*block.links} - {*link.links}:
            break
        if link.kind != 'heading' and not _are_together(link, block):
            break
        found.append(block.words)
    return found


def _said_before(blocks: Sequence[PageBlock], place: int) -> list[str]:
    """What stands between the heading above and a link, if that links nowhere."""
    found: list[str] = []
    for block in reversed(blocks[max(0, place - _MOST_BLOCKS) : place]):
        if block.kind == 'heading':
            return found[::-1]
        if block.kind != 'text' or block.links or block.region is not blocks[place].region:
            break
        found.append(block.words)
    return []


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
    high = next((stop for stop in _stops(words, end, high)), high)
    begins = [0] if low == 0 else []
    begins += _stops(words, low, start)
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


def _stops(words: str, low: int, high: int) -> list[int]:
    """Where sentences end."""
    stops = (stop.end() for stop in _STOP.finditer(words, low, high))
    return [stop for stop in stops if not is_abbreviated(words, stop)]
