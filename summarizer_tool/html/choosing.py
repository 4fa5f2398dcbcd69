"""Which blocks of a page are its content.

Trafilatura votes; a score of each block weighs its vote with what else is seen of it and around it. Then what belongs
together is kept together, and what leads to other pages goes.
"""

import re
from collections import Counter
from collections.abc import Collection, Sequence
from itertools import pairwise, takewhile

from summarizer_tool.html.block_score import PROSE, SHORT, ends_a_sentence, is_prose, names_networks, score
from summarizer_tool.html.page_blocks import LINK_CLOSE, LINK_OPEN, Blocks, Frame, FrameKind, PageBlock, Region
from summarizer_tool.text import boilerplate_lines

_MAX_CHROME_SHARE = 0.35
"""Of the voted text: parts named as chrome that hold more of it are the content, whatever they are called."""
_MIN_WHOLE = 0.4
"""Of a table or list: where more of it is kept, all of it is."""
_LEAST = -2.5
"""The score below which running text between two kept blocks is none of theirs, however it is placed."""
_AFTER = 12
"""Lists, paragraphs … after the content whose links may belong to it."""
_LINE = 80
"""Characters of a line that only leads on."""
_GAP = 12
"""Lists, tables, paragraphs … that may have been lost between two that are kept."""
_SENTENCE = 20
"""Characters of a sentence."""

_BOX = re.compile(r'(?:aside|sidebar)', re.IGNORECASE)
_LINES = frozenset({'p', 'center'})
"""Boxes of text, however short it is."""
_WHOLES: tuple[FrameKind, ...] = ('table', 'terms', 'list')
_LABEL = re.compile(
    f'[^{LINK_OPEN}]{{0,40}}[:：»>|–-]\\s*{LINK_OPEN}[^{LINK_OPEN}{LINK_CLOSE}]*{LINK_CLOSE}[\\s.]*',
)
"""`Read more: a link` in any language."""


def choose(page: Blocks, votes: Collection[int]) -> None:
    """Say of each block and picture whether it is kept, given the numbers of the text nodes that trafilatura keeps.

    Where there are blocks, some are kept.
    """
    blocks = page.blocks
    is_voted = votes_of(page, votes)
    scores = score(page, is_voted) if any(is_voted) else [float(block.size - 2 * block.linked) for block in blocks]
    boxes = _boxes(blocks) | _notes(blocks)
    out = _chrome(page, is_voted, boxes)
    shown = [block for block in blocks if block.region not in out]
    forms = {block.form for block, voted in zip(blocks, is_voted, strict=True) if voted and _is_text(block)}
    # What leads nowhere has no furniture to be told from.
    is_bare = not any(block.linked for block in blocks)
    for block, voted, points in zip(blocks, is_voted, scores, strict=True):
        # Of a page's sections, as the posts of a blog, some may have no votes.
        is_alike = block.form in forms and block.region is None and is_prose(block, _SENTENCE)
        is_content = points > 0 or (is_alike and points > _LEAST) or (voted and (is_bare or not _is_running(block)))
        block.is_kept = is_content and block.region not in out
    _keep_wholes(shown)
    _keep_between(blocks, out, scores)
    _drop_what_leads_away(blocks)
    _drop_bare_headings(blocks)
    if not any(block.is_kept and not block.level for block in blocks):  # nothing like the articles it was made from
        for block in shown or blocks:
            block.is_kept = True
    _follow_on(blocks, out)
    for block in shown:
        if block.region in boxes:
            block.is_kept = not block.level  # what stands below the box is not said of it
    told: set[str] = set()
    for block in blocks:
        if block.is_kept:
            block.is_kept = not (block.is_in('caption') and block.words in told)
            told.add(block.words)
    for picture in page.pictures:
        beside = blocks[max(picture.place - 1, 0) : picture.place + 1]
        picture.is_kept = picture.region not in out and any(block.is_kept for block in beside)


def votes_of(page: Blocks, votes: Collection[int]) -> list[bool]:
    """Say of each block whether half of its text or more was voted for.

    Comments, for which there are no votes, have them where there is no other prose, as in a forum.
    """
    is_voted = [_is_voted_for(block, votes) for block in page.blocks]
    if not any(voted and _is_text(block) for block, voted in zip(page.blocks, is_voted, strict=True)):
        return [
            voted or (_is_comment(block.region) and is_prose(block, _SENTENCE))
            for block, voted in zip(page.blocks, is_voted, strict=True)
        ]
    return is_voted


def _is_voted_for(block: PageBlock, votes: Collection[int]) -> bool:
    marks = block.marks
    kept = sum(marks[place + 1] for place in range(0, len(marks), 2) if marks[place] in votes)
    return 2 * kept >= (sum(marks[1::2]) or 1)


def _is_running(block: PageBlock) -> bool:
    """Return whether it is text or a heading, not code, a formula, or a part of a table, of terms, of a figure."""
    return block.kind in ('text', 'heading') and not block.is_in('cell', 'terms', 'figure', 'caption')


def _boxes(blocks: Sequence[PageBlock]) -> set[Region]:
    """The asides of nothing but terms, not all of them links, between the title and the end of the text: infoboxes."""
    inside: dict[Region, list[PageBlock]] = {}
    for block in _text_of(blocks, [_is_text(block) for block in blocks]):
        if block.region is not None and block.region.tag == 'aside' and not block.level:
            inside.setdefault(block.region, []).append(block)
    return {
        region
        for region, held in inside.items()
        if all(block.is_in('terms', 'cell', 'caption', 'figure') for block in held)
        and [block.linked for block in held if block.is_in('term')].count(0) > 1
    }


def _notes(blocks: Sequence[PageBlock]) -> set[Region]:
    """The asides of nothing but numbered items, few of them links: notes to the text."""
    others = {
        block.region
        for block in blocks
        if 3 * block.linked >= block.size or not any(frame.is_ordered for frame in block.frames())
    }
    return {each.region for each in blocks if each.region is not None and each.region.tag == 'aside'} - others


def _text_of(blocks: Sequence[PageBlock], are_text: Sequence[bool]) -> Sequence[PageBlock]:
    """The blocks from the title to the last of its text; none where it has no title."""
    title = next((at for at, block in enumerate(blocks) if block.level == 1), len(blocks))
    return blocks[title : max((at for at, is_text in enumerate(are_text) if is_text), default=0)]


def _chrome(page: Blocks, is_voted: Sequence[bool], boxes: Collection[Region]) -> Collection[Region | None]:
    """Which of the parts that are named as chrome are it: those whose name, or that of one around, has few votes."""
    kept: Counter[str] = Counter()
    sizes: Counter[Region | None] = Counter()
    links: Counter[Region | None] = Counter()
    for block, voted in zip(page.blocks, is_voted, strict=True):
        sizes[block.region] += block.size
        links[block.region] += block.linked
        kept.update(dict.fromkeys(_names(block.region) if voted else (), block.size))
    most = _MAX_CHROME_SHARE * sum(block.size for block, voted in zip(page.blocks, is_voted, strict=True) if voted)
    beside = {block.group for block in page.blocks if _is_text(block)}
    out: set[Region | None] = set()
    for region in {part.region for part in (*page.blocks, *page.pictures) if part.region is not None}:
        # A column at the side stands beside what holds the text; a box or table of the text among its paragraphs.
        is_box = _BOX.fullmatch(region.name) is not None or region.tag == 'table'
        is_part = region in boxes or (is_box and region.group in beside and 3 * links[region] < sizes[region])
        if any(kept[name] <= most for name in _names(region.parent if is_part else region)):
            out.add(region)
    return out


def _names(region: Region | None) -> set[str]:
    names: set[str] = set()
    while region is not None:
        names.add(region.name)
        region = region.parent
    return names


def _is_comment(region: Region | None) -> bool:
    return any('comment' in name.casefold() for name in _names(region))


def _is_text(block: PageBlock) -> bool:
    """Return whether it is a sentence or more, in no part named as chrome, and no caption."""
    return block.region is None and is_prose(block) and not block.is_in('caption')


def _keep_wholes(blocks: Sequence[PageBlock]) -> None:
    """Keep the rest of a table, of a list, of terms of which much is kept."""
    held: dict[Frame, list[PageBlock]] = {}
    for block in blocks:
        for frame in block.frames() if block.is_in(*_WHOLES) else ():
            if frame.kind in _WHOLES and not frame.is_layout:
                held.setdefault(frame, []).append(block)
    for inside in held.values():
        if sum(block.size * block.is_kept for block in inside) >= _MIN_WHOLE * sum(block.size for block in inside):
            for block in inside:
                block.is_kept = True


def _keep_between(blocks: Sequence[PageBlock], out: Collection[Region | None], scores: Sequence[float]) -> None:
    """Keep the title, and what is no chrome between two blocks that are kept, with the headings above it."""
    kept = [at for at, block in enumerate(blocks) if block.is_kept]
    above = [block for block in blocks[: kept[0]] if block.region not in out] if kept else []
    title = next((block for block in reversed(above) if block.level == 1), None)
    if title is not None:
        title.is_kept = True
    for heading in takewhile(lambda block: block.level > 1, reversed(above)):
        heading.is_kept = heading.group == blocks[kept[0]].group
    for before, after in pairwise(kept):
        between = blocks[before + 1 : after]
        around = {blocks[before].group, blocks[after].group}
        lead_in = blocks[before]
        if len({_unit(block) for block in between}) > _GAP:
            continue
        for block, points in zip(between, scores[before + 1 : after], strict=True):
            is_introduced = (
                block.is_in('list', 'terms') or _stands_among(block, around)
            ) and lead_in.words.rstrip().endswith((':', '：'))
            is_part = is_introduced or (points > _LEAST and _is_part(block, around))
            block.is_kept = is_part and block.region not in out
            lead_in = lead_in if block.is_in('list', 'terms') else block
        for heading, following in reversed([*pairwise((*between, blocks[after]))]):
            if heading.level and following.is_kept and heading.region not in out:
                heading.is_kept = True


def _is_part(block: PageBlock, around: Collection[int]) -> bool:
    """Return whether it belongs to the text that stands on both sides of it, in the elements `around`."""
    if 4 * block.linked >= block.size:
        return False
    if block.kind in ('code', 'math') or (block.text.startswith('$') and block.text.endswith('$')):
        return True
    is_sentence = block.size >= _SENTENCE and ends_a_sentence(block.words)
    if block.frame is not None:
        return is_sentence or not block.is_in('caption', 'figure')
    is_line = _stands_among(block, around) and (block.box in around or block.tag in _LINES)
    is_beside = block.box in around or block.group in around or block.region is not None
    return (is_line and any(map(str.isalpha, block.words))) or (is_sentence and (is_beside or block.size >= PROSE))


def _stands_among(block: PageBlock, around: Collection[int]) -> bool:
    """Return whether it is text directly in the elements `around`, no heading and no chrome, or a box there."""
    is_bare = block.frame is None and block.region is None and not block.level
    return is_bare and (block.box in around or block.group in around)


def _unit(block: PageBlock) -> PageBlock | Frame | Region:
    """What stands or falls as one, at most."""
    return block.region or (block.frame.chain()[0] if block.frame is not None else block)


def _drop_what_leads_away(blocks: Sequence[PageBlock]) -> None:
    kept = [block for block in blocks if block.is_kept]
    _drop_lists_of_other_pages(kept)
    kept = [block for block in kept if block.is_kept and (block.kind == 'text' or block.level > 1)]
    for block in kept:
        is_of_the_site = block.frame is None and _is_of_the_site(block)
        block.is_kept = not (is_of_the_site or _points_elsewhere(block))


def _is_of_the_site(block: PageBlock) -> bool:
    """Return whether it asks to follow or subscribe, or is worded as boilerplate; headings may lead to what is kept."""
    words = block.words
    if block.level and boilerplate_lines.leads_away(words):
        return False
    return block.size < SHORT and (names_networks(block) or boilerplate_lines.is_boilerplate(words))


def _drop_lists_of_other_pages(kept: Sequence[PageBlock]) -> None:
    """Drop a line such as "Read also", and the links that follow it; under a heading like it text may stand."""
    leading: PageBlock | None = None
    for block in kept:
        is_other = 2 * block.linked > block.size
        if leading is not None and (is_other or block.level):
            leading.is_kept = False
        if block.level != 1 and block.size < _LINE and boilerplate_lines.leads_away(block.words):
            leading = block
            block.is_kept = block.level > 0
        elif is_other and leading is not None:
            block.is_kept = False
        else:
            leading = None
    if leading is not None:
        leading.is_kept = False


def _points_elsewhere(block: PageBlock) -> bool:
    """Return whether it is a link that stands alone, perhaps after a label."""
    if not block.linked or block.frame is not None:
        return False
    return (block.kind == 'text' and block.linked > 0.85 * block.size) or _LABEL.fullmatch(block.text) is not None


def _follow_on(blocks: Sequence[PageBlock], out: Collection[Region | None]) -> None:
    """Mark what has links and stands within the content, or directly after it: a reader finds the next page there."""
    kept = [place for place, block in enumerate(blocks) if block.is_kept]
    if not kept:
        return
    passed: set[PageBlock | Frame | Region | int] = set()
    for place in range(kept[0], len(blocks)):
        block = blocks[place]
        if place > kept[-1]:
            # A listing is headings that are links, each with a teaser: those of one level count once.
            title = next(
                (each for each in blocks[place : place - 2 : -1] if each.kind == 'heading' and each.links), None
            )
            passed.add(title.level if title else _unit(block))
            is_other = block.region in out or (block.frame is None and is_prose(block) and title is None)
            if is_other or len(passed) > _AFTER:
                break
        block.leads_on = not block.is_kept and block.region not in out


def _drop_bare_headings(blocks: Sequence[PageBlock]) -> None:
    """Leave out headings whose text is left out; the title stays."""
    following: int | None = None
    for place in range(len(blocks) - 1, -1, -1):
        block = blocks[place]
        if not block.is_kept:
            continue
        if block.level > 1:
            level = blocks[following].level if following is not None else 0
            is_bare = following is None or (0 < level <= block.level and following > place + 1)
            if is_bare:
                block.is_kept = False
                continue
        following = place
