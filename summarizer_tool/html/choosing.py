"""Which blocks of a page are its content.

Trafilatura votes. On top of its votes go a few rules about where a block stands, for what it is known to lose (leads,
lists and tables in the middle of the text) and to take along (pointers to other pages, appeals to subscribe).
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from itertools import pairwise, takewhile

from summarizer_tool.html.page_blocks import LINK_CLOSE, LINK_OPEN, Blocks, Frame, FrameKind, PageBlock, Region
from summarizer_tool.text import boilerplate_lines

_MAX_CHROME_SHARE = 0.35
"""Of the voted text: parts named as chrome that hold more of it are the content, whatever they are called."""
_MIN_SHARE = 0.4
"""Of the prose that is not in chrome: where less of it was voted for, trafilatura has missed the content."""
_MIN_WHOLE = 0.4
"""Of a table or list: where more of it is kept, all of it is."""
_PROSE = 80
"""Characters of what is likely a sentence or more."""
_LEAD = 60
"""Characters that what stands between title and text has at least, or half of that if it is named as a lead."""
_LEAD_REACH = 30
"""Blocks from a title to its text, at most."""
_GAP = 12
"""Lists, tables, paragraphs … that may have been lost between two that are kept."""
_AFTER = 12
"""Lists, paragraphs … after the content whose links may belong to it."""
_AROUND = 4
"""Blocks on each side of a picture that may be a heading and captions alone."""
_SHORT = 240
"""Characters; a longer text that mentions newsletters is one about newsletters."""
_SIBLING = 20

_WHOLES: tuple[FrameKind, ...] = ('table', 'terms', 'list')
_PROSE_TAGS = frozenset({'p', 'li', 'td', 'blockquote', 'dd'})
_LABEL = re.compile(
    f'[^{LINK_OPEN}]{{0,40}}[:：»>|–-]\\s*{LINK_OPEN}[^{LINK_OPEN}{LINK_CLOSE}]*{LINK_CLOSE}[\\s.]*',
)
"""`Read more: a link` in any language."""
_NETWORKS = re.compile(
    r'\b(?:newsletter|whats-?app|telegram|facebook|twitter|instagram|youtube|tiktok|linkedin|pinterest'
    r'|subscri|abonn|suscr|app store|google play|ios\b.{1,12}\bandroid|android\b.{1,12}\bios)',
    re.IGNORECASE,
)
_CREDIT = re.compile(
    r'\W*(?:fotos?|photos?|bild(?:er|quelle|nachweis)?|images?|credits?|crédits?(?: photos?)?|copyright'
    r'|imagen|fotograf)\s*:\s*\S',
    re.IGNORECASE,
)
_BOX = re.compile(r'(?:aside|sidebar)', re.IGNORECASE)
_LINE = 80
"""Characters of a credit, or of a line that only leads on."""
_MAX_LOOSE = 3
"""Lines at the end that say nothing by themselves; more of them are what the page is about."""
_HERE = re.compile(
    f'(?:\\b(?:here|hier|aquí|aqui|ici|qui|tutaj)|{LINK_OPEN}(?:https?://|www\\.)\\S+)\\s*{LINK_CLOSE}',
    re.IGNORECASE,
)
"""A link that says nothing of what it leads to."""
_SENTENCE_END = re.compile(r'[.!?:;…。！？؟।։]["\'”’»)\]]*\s*$')

_IsOut = Callable[[Region | None], bool]


def choose(page: Blocks, votes: Collection[int]) -> None:
    """Say of each block and picture whether it is kept, given the numbers of the text nodes that trafilatura keeps.

    Where there are blocks, some are kept.
    """
    blocks = page.blocks
    shares = [_voted(block, votes) for block in blocks]
    is_out = _regions(blocks, shares)
    for block, share in zip(blocks, shares, strict=True):
        block.is_kept = share >= 0.5 and not is_out(block.region)
    if not any(block.is_kept for block in blocks):
        for block in blocks:
            block.is_kept = block.region is None and 2 * block.linked <= block.size
    _keep_prose(blocks, is_out)
    _keep_lead(blocks, is_out)
    _keep_wholes(blocks, is_out)
    _keep_between(blocks, is_out)
    _drop_what_leads_away(blocks)
    _keep_titles(blocks)
    _drop_bare_headings(blocks)
    if not any(block.is_kept and not block.level for block in blocks):
        shown = [block for block in blocks if not is_out(block.region)]
        for block in shown or blocks:
            block.is_kept = True
    _follow_on(blocks, is_out)
    for picture in page.pictures:
        picture.is_kept = not is_out(picture.region) and _is_among_kept(blocks, picture.place)


def _is_among_kept(blocks: Sequence[PageBlock], place: int) -> bool:
    """Return whether what is kept stands directly beside a place, or not far away on both sides of it.

    A section of nothing but pictures has a heading and captions, which are no content by themselves.
    """
    before, after = blocks[max(place - _AROUND, 0) : place], blocks[place : place + _AROUND]
    directly = any(block.is_kept for block in (*before[-1:], *after[:1]))
    return directly or (any(block.is_kept for block in before) and any(block.is_kept for block in after))


def _voted(block: PageBlock, votes: Collection[int]) -> float:
    """The share of its text that was voted for."""
    marks = block.marks
    if len(marks) == 2:
        return float(marks[0] in votes)
    kept = sum(marks[place + 1] for place in range(0, len(marks), 2) if marks[place] in votes)
    return kept / (sum(marks[1::2]) or 1)


def _regions(blocks: Sequence[PageBlock], shares: Sequence[float]) -> _IsOut:
    """Which of the parts that are named as chrome are it."""
    kept: Counter[str] = Counter()
    for block, share in zip(blocks, shares, strict=True):
        if block.region is not None and share >= 0.5:
            kept.update(dict.fromkeys(_names(block.region), block.size))
    headed = {
        block.region
        for block in blocks
        if block.region is not None
        and block.region.tag == 'table'
        and block.is_in('cell')
        and any(frame.is_header for frame in block.frames())
    }
    linked: Counter[Region] = Counter()
    for block in blocks:
        if block.region in headed:
            linked[block.region] += 2 * block.linked - block.size
    most = _MAX_CHROME_SHARE * sum(block.size for block, share in zip(blocks, shares, strict=True) if share >= 0.5)
    beside = {block.group for block in blocks if block.region is None and _is_prose(block)}
    sizes: Counter[Region] = Counter()
    links: Counter[Region] = Counter()
    for block in blocks:
        if block.region is not None:
            sizes[block.region] += block.size
            links[block.region] += block.linked
    known: dict[Region, bool] = {}

    def is_out(region: Region | None) -> bool:
        if region is None:
            return False
        if region not in known:
            # A column at the side stands beside what holds the text; a box of the text among its paragraphs.
            is_box = _BOX.fullmatch(region.name) is not None and region.group in beside
            is_data = (region in headed and linked[region] < 0) or (is_box and 3 * links[region] < sizes[region])
            above = region.parent if is_data else region
            known[region] = any(kept[name] <= most for name in _names(above))
        return known[region]

    return is_out


def _names(region: Region | None) -> set[str]:
    names: set[str] = set()
    while region is not None:
        names.add(region.name)
        region = region.parent
    return names


def _is_text(block: PageBlock, size: int) -> bool:
    is_beside = block.kind == 'text' and (
        block.is_in('caption') or (block.is_in('figure') and not block.is_in('quote'))
    )
    return block.size >= size and 4 * block.linked < block.size and not is_beside


def _keep_prose(blocks: Sequence[PageBlock], is_out: _IsOut) -> None:
    """Where the votes hold little of the page's prose, keep all of that."""
    prose = [block for block in blocks if _is_prose(block) and not is_out(block.region)]
    kept = sum(block.size for block in blocks if block.is_kept and block.kind != 'code')
    if kept < _MIN_SHARE * sum(block.size for block in prose):
        for block in prose:
            block.is_kept = True


def _is_prose(block: PageBlock) -> bool:
    """Return whether it is a paragraph, or a text in any other element that ends as sentences do."""
    is_paragraph = block.tag in _PROSE_TAGS or (block.kind == 'text' and _SENTENCE_END.search(block.words) is not None)
    return is_paragraph and _is_text(block, _PROSE)


def _keep_lead(blocks: Sequence[PageBlock], is_out: _IsOut) -> None:
    """Keep the title, and what stands between it and the text: trafilatura takes a lead for a teaser."""
    first = next((place for place, block in enumerate(blocks) if block.is_kept and block.size > _PROSE), None)
    if first is None:
        return
    above = range(first, max(first - _LEAD_REACH, -1), -1)
    top = next((place for place in above if blocks[place].level == 1), None)
    if top is None:
        return
    blocks[top].is_kept = True
    for block in blocks[top + 1 : first]:
        is_lead = block.is_lead or block.tag in ('p', 'h2')
        if is_lead and _is_text(block, _LEAD // (1 + block.is_lead)) and not is_out(block.region):
            block.is_kept = True


def _keep_wholes(blocks: Sequence[PageBlock], is_out: _IsOut) -> None:
    """Keep the rest of a table, of a list, of terms of which much is kept."""
    held: dict[Frame, list[PageBlock]] = {}
    for block in blocks:
        for frame in block.frames() if block.is_in(*_WHOLES) else ():
            if frame.kind in _WHOLES and not frame.is_layout:
                held.setdefault(frame, []).append(block)
    for inside in held.values():
        if sum(block.size for block in inside if block.is_kept) >= _MIN_WHOLE * sum(block.size for block in inside):
            for block in inside:
                block.is_kept = block.is_kept or not is_out(block.region)


def _keep_between(blocks: Sequence[PageBlock], is_out: _IsOut) -> None:
    """Keep what is no chrome between two that are kept: lists, tables, code, captions, text, headings."""
    last = -1
    for place, block in enumerate(blocks):
        if not block.is_kept:
            continue
        between = blocks[last + 1 : place] if last >= 0 else ()
        if between and len({_unit(inner) for inner in between}) <= _GAP:
            _keep_gap(between, blocks[last], block, is_out)
        elif last < 0:
            for heading in takewhile(lambda above: above.level > 1, reversed(blocks[:place])):
                heading.is_kept = heading.group == block.group and not is_out(heading.region)
        last = place


def _keep_gap(between: Sequence[PageBlock], before: PageBlock, after: PageBlock, is_out: _IsOut) -> None:
    around = {before.group, after.group}
    lead_in = before
    for inner in between:
        is_sentence = _SENTENCE_END.search(inner.words) is not None
        if inner.region is not None and is_out(inner.region):
            # An `aside` that nobody has named may be one of the text.
            inner.is_kept = inner.region.name == 'aside' and is_sentence and inner.size >= _SIBLING and not inner.linked
            continue
        is_formula = inner.kind == 'math' or (inner.text.startswith('$') and inner.text.endswith('$'))
        if inner.frame is not None or inner.kind == 'code' or is_formula:
            is_introduced = (
                inner.is_in('list', 'terms') and lead_in.is_kept and lead_in.words.rstrip().endswith((':', '：'))
            )
            is_told = inner.is_in('caption') and (is_sentence or inner.size >= _SHORT)
            inner.is_kept = is_introduced or _is_text(inner, 1) or is_told
        else:
            is_sibling = (
                (inner.group in around or inner.region is not None)
                and inner.size >= _SIBLING
                and (inner.tag == 'p' or is_sentence)
            )
            is_prose = is_sentence and inner.size >= _PROSE and _stands_free(inner)
            inner.is_kept = (inner.box in around or is_sibling or is_prose) and _is_text(inner, 1)
            lead_in = inner
    for heading, following in reversed(list(pairwise((*between, after)))):
        if heading.level and following.is_kept and not is_out(heading.region):
            heading.is_kept = True


def _unit(block: PageBlock) -> PageBlock | Frame | Region:
    """What stands or falls as one, at most."""
    return block.region or (block.frame.chain()[0] if block.frame is not None else block)


def _drop_what_leads_away(blocks: Sequence[PageBlock]) -> None:
    _drop_lists_of_other_pages([block for block in blocks if block.is_kept])
    kept = [block for block in blocks if block.is_kept]
    again = Counter(block.text for block in kept if block.size > 20)
    ends = frozenset(kept[-3:])
    seen: set[str] = set()
    for block in kept:
        is_text = block.kind == 'text'
        is_repeated = is_text and block.text in seen and again[block.text] > 2 and not block.is_in('cell', 'definition')
        seen.add(block.text)
        is_pointer = (is_text or block.kind == 'heading') and block.linked > 0 and _points_elsewhere(block)
        is_appeal = is_text and block.frame is None and block.size < _SHORT and _appeals(block, block in ends)
        words = block.words if block.level > 1 else ''
        is_sign = boilerplate_lines.is_boilerplate(words) and not boilerplate_lines.leads_away(words)
        block.is_kept = not (is_repeated or is_pointer or is_appeal or is_sign)
    _drop_loose_ends([block for block in blocks if block.is_kept])


def _drop_lists_of_other_pages(kept: Sequence[PageBlock]) -> None:
    """Drop a line such as "Read also", and the links that follow it; under a heading like it text may stand."""
    leading: PageBlock | None = None
    for block in kept:
        is_other = 2 * block.linked > block.size
        if leading is not None and (is_other or block.level):
            leading.is_kept = False
        if (
            block.level != 1
            and block.size < _LINE
            and _stands_free(block)
            and boilerplate_lines.leads_away(block.words)
        ):
            leading = block
            block.is_kept = block.level > 0
        elif is_other and leading is not None:
            block.is_kept = False
        else:
            leading = None
    if leading is not None:
        leading.is_kept = False


def _drop_loose_ends(kept: Sequence[PageBlock]) -> None:
    """Drop what after the last paragraph says nothing by itself: the label of what is left out, a pointer elsewhere."""
    loose = list(takewhile(_is_loose, reversed(kept)))
    before = kept[: len(kept) - len(loose)]
    if len(loose) <= _MAX_LOOSE and before and _SENTENCE_END.search(before[-1].words):
        for block in loose:
            block.is_kept = False


def _is_loose(block: PageBlock) -> bool:
    if block.kind != 'text' or '\n' in block.text or block.size >= _LINE or not _stands_free(block):
        return False
    words = block.words.rstrip()
    is_cut_short = block.size < _SIBLING and not _SENTENCE_END.search(words) and not any(map(str.isdigit, words))
    return is_cut_short or words.endswith((':', '：')) or _HERE.search(block.text) is not None


def _stands_free(block: PageBlock) -> bool:
    """Return whether it is no part of a list, a table or the like."""
    if block.kind not in ('text', 'heading') or block.is_in('quote', 'figure', 'caption'):
        return False
    return not block.is_in(*_WHOLES) or all(frame.is_layout for frame in block.frames() if frame.kind in _WHOLES)


def _points_elsewhere(block: PageBlock) -> bool:
    """Return whether it is a menu, or a link that stands alone, perhaps after a label."""
    if len(block.links) > 2 and 5 * block.linked > 4 * block.size and block.size < 25 * len(block.links):
        return True
    if block.kind == 'text' and block.frame is None and block.linked > 0.85 * block.size:
        return True
    return (block.kind == 'heading' or block.frame is None) and _LABEL.fullmatch(block.text) is not None


def _appeals(block: PageBlock, is_at_the_end: bool) -> bool:
    """Return whether it asks to follow, to subscribe, or says whose a picture is."""
    words = block.words
    if block.size < _LINE and _CREDIT.match(words):
        return True
    named = len({found.lower() for found in _NETWORKS.findall(words)}) if block.links else 0
    return named > 1 or (named == 1 and is_at_the_end) or boilerplate_lines.is_boilerplate(words)


def _follow_on(blocks: Sequence[PageBlock], is_out: _IsOut) -> None:
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
            is_other = is_out(block.region) or (block.frame is None and _is_text(block, _PROSE) and title is None)
            if is_other or len(passed) > _AFTER:
                break
        block.leads_on = not block.is_kept and not is_out(block.region)


def _keep_titles(blocks: Sequence[PageBlock]) -> None:
    """Keep the titles of notes of which anything is kept, and no others."""
    for title, following in pairwise(blocks):
        if title.title_of is not None:
            title.is_kept = following.is_kept and title.title_of in following.frames()


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
