"""Which blocks of a page are its content.

Trafilatura votes; a score of each block weighs its vote with what else is seen of it and around it. Then what stands
between two that are kept is kept, too, and links that stand alone go.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from itertools import pairwise, takewhile

from summarizer_tool.html.block_score import PROSE, SHORT, ends_a_sentence, is_prose, score
from summarizer_tool.html.page_blocks import Blocks, Frame, FrameKind, PageBlock, Region
from summarizer_tool.text import boilerplate_lines

_MAX_CHROME_SHARE = 0.35
"""Of the voted text: parts named as chrome that hold more of it are the content, whatever they are called."""
_MIN_WHOLE = 0.4
"""Of a table or list: where more of it is kept, all of it is."""
_LEAST = -2.5
"""The score below which running text between two kept blocks is none of theirs, however it is placed."""
_FEW = 20
"""Blocks of a page whose text is what trafilatura takes for it."""
_QUESTION = 400
"""Characters of a text that is no more than what comments answer to."""
_ASKS = '?', '？', '؟'
"""What ends the title of a page whose text may be a longer one."""
_AFTER = 12
"""Lists, paragraphs … after the content whose links may belong to it."""
_GAP = 12
"""Lists, tables, paragraphs … that may have been lost between two that are kept."""
_ALL = 0.85
"""Of a block that is a link, and perhaps a label."""
_SENTENCE = 20
"""Characters of a sentence."""

_BOXES = frozenset({'aside', 'sidebar'})
_LINES = frozenset({'p', 'center'})
"""Boxes of text, however short it is."""
_WHOLES: tuple[FrameKind, ...] = ('table', 'terms', 'list')


def choose(page: Blocks, votes: Collection[int]) -> None:
    """Say of each block and picture whether it is kept, given the numbers of the text nodes that trafilatura keeps.

    Where there are blocks, some are kept.
    """
    blocks = page.blocks
    is_voted = votes_of(page, votes)
    scores = score(page, is_voted) if any(is_voted) else [float(block.size - 2 * block.linked) for block in blocks]
    shown = [block for block in blocks if not block.is_chrome]
    # What leads nowhere has no furniture to be told from, and little text has none of it by its place.
    is_plain = len(blocks) < _FEW or not any(block.linked for block in blocks)
    forms = {block.form for block, voted in zip(blocks, is_voted, strict=True) if voted and _is_text(block)}
    for block, voted, points in zip(blocks, is_voted, scores, strict=True):
        is_text = not (block.is_chrome or block.level)
        # Of a page's sections, as the posts of a blog, some may have no votes.
        is_alike = points > _LEAST and block.form in forms and is_prose(block, _SENTENCE)
        is_content = points > 0 or (is_text and (is_alike or (voted and is_plain)))
        block.is_kept = is_content and not block.is_chrome
    _keep_wholes(shown)
    _keep_between(blocks, scores)
    for block in blocks:
        block.is_kept = block.is_kept and not _leads_away(block)
    _drop_bare_headings(blocks)
    if not any(block.is_kept and not block.level for block in blocks):  # nothing like the articles it was made from
        for block in shown or blocks:
            block.is_kept = True
    _follow_on(blocks)
    for block in shown:
        if block.region is not None and block.region.is_box:
            block.is_kept = not block.level  # what stands below the box is not said of it
    told: set[str] = set()
    for block in blocks:
        if block.is_kept:
            block.is_kept = not (block.is_in('caption') and block.words in told)
            told.add(block.words)
    for picture in page.pictures:
        beside = blocks[max(picture.place - 1, 0) : picture.place + 1]
        picture.is_kept = not (picture.region and picture.region.is_chrome) and any(block.is_kept for block in beside)


def votes_of(page: Blocks, votes: Collection[int]) -> list[bool]:
    """Say of each block whether half of its text or more was voted for, and of each part whether it is chrome.

    Comments, for which there are no votes, have them where they are longer than the other text, and this is short, as
    in a forum.
    """
    is_voted = [_is_voted_for(block, votes) for block in page.blocks]
    is_said = [_is_comment(block.region) and is_prose(block, _SENTENCE) for block in page.blocks]
    asked = sum(block.size for block, voted in zip(page.blocks, is_voted, strict=True) if voted and _is_text(block))
    told = sum(block.size for block, said in zip(page.blocks, is_said, strict=True) if said)
    is_asked = any(block.level == 1 and block.text.rstrip().endswith(_ASKS) for block in page.blocks)
    if asked < told and (asked < _QUESTION or is_asked):
        is_voted = [voted or said for voted, said in zip(is_voted, is_said, strict=True)]
    _judge_parts(page, is_voted)
    return is_voted


def _is_voted_for(block: PageBlock, votes: Collection[int]) -> bool:
    marks = block.marks
    kept = sum(marks[place + 1] for place in range(0, len(marks), 2) if marks[place] in votes)
    return 2 * kept >= (sum(marks[1::2]) or 1)


def _find_boxes(blocks: Sequence[PageBlock]) -> None:
    """Mark the asides of nothing but terms, not all links, between the title and the end of the text: infoboxes."""
    title = next((at for at, block in enumerate(blocks) if block.level == 1), len(blocks))
    end = max((at for at, block in enumerate(blocks) if _is_text(block)), default=0)
    inside: dict[Region, list[PageBlock]] = {}
    for block in blocks[title:end]:
        if block.region is not None and block.region.tag == 'aside' and not block.level:
            inside.setdefault(block.region, []).append(block)
    for region, held in inside.items():
        are_terms = all(block.is_in('terms', 'cell', 'caption', 'figure') for block in held)
        region.is_box = are_terms and [block.linked for block in held if block.is_in('term')].count(0) > 1


def _judge_parts(page: Blocks, is_voted: Sequence[bool]) -> None:
    """Say of the parts that are named as chrome whether they are: where the name, or one around, has few votes."""
    _find_boxes(page.blocks)
    kept: Counter[str] = Counter()
    sizes: Counter[Region | None] = Counter()
    links: Counter[Region | None] = Counter()
    total = 0
    for block, voted in zip(page.blocks, is_voted, strict=True):
        sizes[block.region] += block.size
        links[block.region] += block.linked
        if voted:
            total += block.size
            kept.update(dict.fromkeys(_names(block.region), block.size))
    beside = {block.group for block in page.blocks if _is_text(block)}
    for region in {part.region for part in (*page.blocks, *page.pictures) if part.region is not None}:
        # A column at the side stands beside what holds the text; a box or table of the text among its paragraphs.
        is_box = region.tag == 'table' or region.name.casefold() in _BOXES
        is_part = region.is_box or (is_box and region.group in beside and 3 * links[region] < sizes[region])
        names = _names(region.parent if is_part else region)
        region.is_chrome = any(kept[name] <= _MAX_CHROME_SHARE * total for name in names)


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
    return not block.is_chrome and is_prose(block) and not block.is_in('caption')


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


def _keep_between(blocks: Sequence[PageBlock], scores: Sequence[float]) -> None:
    """Keep the title, and what is no chrome between two blocks that are kept, with the headings above it."""
    kept = [at for at, block in enumerate(blocks) if block.is_kept]
    above = [block for block in blocks[: kept[0]] if not block.is_chrome] if kept else []
    title = next((block for block in reversed(above) if block.level == 1), None)
    if title is not None:
        title.is_kept = True
    for heading in takewhile(lambda block: block.level > 1, reversed(above)):
        heading.is_kept = heading.group == blocks[kept[0]].group
    for before, after in pairwise(kept):
        between = blocks[before + 1 : after]
        if len({_unit(block) for block in between}) > _GAP:
            continue
        around = {blocks[before].group, blocks[after].group}
        lead_in = blocks[before]
        for block, points in zip(between, scores[before + 1 : after], strict=True):
            is_inner = block.is_in('list', 'terms')
            is_among = is_inner or (block.frame is None and block.group in around)
            is_introduced = is_among and lead_in.words.rstrip().endswith((':', '：'))
            is_part = is_introduced or (points > _LEAST and _is_part(block, around))
            block.is_kept = is_part and not block.is_chrome
            lead_in = lead_in if is_inner else block
        for heading, following in reversed([*pairwise((*between, blocks[after]))]):
            if heading.level and following.is_kept and not heading.is_chrome:
                heading.is_kept = True


def _is_part(block: PageBlock, around: Collection[int]) -> bool:
    """Return whether it belongs to the text that stands on both sides of it, in the elements `around`."""
    if 4 * block.linked >= block.size:
        return False
    is_sentence = block.size >= _SENTENCE and ends_a_sentence(block.words)
    if block.kind in ('code', 'math') or block.frame is not None:
        return is_sentence or not block.is_in('caption', 'figure')
    is_among = block.box in around or block.group in around
    is_line = block.region is None and (block.box in around or (is_among and block.tag in _LINES))
    is_of_text = is_among or block.region is not None or block.size >= PROSE
    return (is_line and any(map(str.isalpha, block.words))) or (is_sentence and is_of_text)


def _unit(block: PageBlock) -> PageBlock | Frame | Region:
    """What stands or falls as one, at most."""
    return block.region or (block.frame.chain()[0] if block.frame is not None else block)


def _leads_away(block: PageBlock) -> bool:
    """Return whether it is a link that stands alone, or is worded as boilerplate; headings may lead to what is kept."""
    words = block.words
    if (
        block.level == 1
        or block.kind not in ('text', 'heading')
        or (block.level and boilerplate_lines.leads_away(words))
    ):
        return False
    is_link = block.kind == 'text' and block.frame is None and block.linked > _ALL * block.size
    return is_link or (block.size < SHORT and block.frame is None and boilerplate_lines.is_boilerplate(words))


def _follow_on(blocks: Sequence[PageBlock]) -> None:
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
            is_other = block.is_chrome or (block.frame is None and is_prose(block) and title is None)
            if is_other or len(passed) > _AFTER:
                break
        block.leads_on = not (block.is_kept or block.is_chrome)


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
