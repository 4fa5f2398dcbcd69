"""How likely each block of a page is content, by what is seen of it and of the parts of the page it stands in.

`content_trees.json` holds decision trees whose values add up, fitted on the even half of the pages that trafilatura is
measured on and on pages of WCXB by Murrough Foley (https://github.com/Murrough-Foley/web-content-extraction-benchmark,
CC BY 4.0): `python -m tests.proofs.web_pages --corpus … --fit …`.
"""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, compress
from pathlib import Path
from typing import Any, TypeAlias

from summarizer_tool.html.page_blocks import Blocks, PageBlock

SHORT = 240
"""Characters; a longer text that mentions newsletters or cookies is one about them."""
_MUCH = 300
"""Characters of a block that count for those beside it; of one with 1000, what it is is plain."""
_FADING = 0.7
"""Weight of what stands one block further away."""
_MOST = 0.6
"""Of the text: the innermost element that holds more of it holds the content."""
PROSE = 80
"""Characters of what is likely a sentence or more."""
_SURE = 2.5
"""A score that the trees that are left would hardly turn."""
_FAR = 20
"""Blocks; what is further away is as far."""
_SAID = 40
"""Characters of a block that the text of a page may begin with."""

_WORD = re.compile(r'\w{5,}')
"""What tells of what a text is about, in most languages."""
SENTENCE_END = re.compile(r'[.!?:;…。！？؟।։]["\'”’»)\]]*\s*$')


def ends_a_sentence(text: str) -> bool:
    """Return whether a text ends as sentences do, in any script."""
    return SENTENCE_END.search(text, max(0, len(text) - 20)) is not None


Tree: TypeAlias = 'float | tuple[int, float, Tree, Tree]'
"""A value; or a feature's number, a limit, the tree for what is at most this, and the one for what is more."""


@dataclass(slots=True)
class _Sum:
    """What blocks hold together: their number, their characters, those in links, voted for and in prose."""

    blocks: int = 0
    text: int = 0
    linked: int = 0
    voted: int = 0
    prose: int = 0

    def add(self, other: '_Sum') -> None:
        self.blocks += other.blocks
        self.text += other.text
        self.linked += other.linked
        self.voted += other.voted
        self.prose += other.prose


def score(page: Blocks, is_voted: Sequence[bool]) -> list[float]:
    """The scores of all blocks of a page: above 0 one is content. `is_voted`: whether trafilatura keeps most of it."""
    names, trees = _model()
    return [_points(trees, [seen[name] for name in names]) if seen else -_SURE for seen in features(page, is_voted)]


@cache
def _model() -> tuple[list[str], list[Tree]]:
    """The names of the features, by number, and the trees."""
    said = json.loads(Path(__file__).with_name('content_trees.json').read_text(encoding='utf-8'))
    return said['features'], said['trees']


def _points(trees: Iterable[Any], row: Sequence[float]) -> float:
    points = 0.0
    for tree in trees:
        while not isinstance(tree, float):  # one type: it takes most of the time
            feature, limit, low, high = tree
            tree = low if row[feature] <= limit else high
        points += tree
        if not -_SURE < points < _SURE:
            break
    return points


def is_prose(block: PageBlock, least: int = PROSE) -> bool:
    """Return whether it is a sentence or more, of so many characters, few of them links."""
    return block.size >= least and 4 * block.linked < block.size and ends_a_sentence(block.words)


def features(page: Blocks, is_voted: Sequence[bool]) -> list[dict[str, float]]:
    """What the score of each block rests on, by name; of one in a part that is chrome nothing."""
    blocks = page.blocks
    are_prose = [not block.is_chrome and is_prose(block) for block in blocks]
    elements = [_Sum() for _ in page.parents]
    forms: defaultdict[int, _Sum] = defaultdict(_Sum)
    for block, voted, prose in zip(blocks, is_voted, are_prose, strict=True):
        own = _Sum(1, block.size, block.linked, block.size * voted, block.size * prose)
        elements[block.box].add(own)
        forms[block.form].add(own)
    for number in range(len(elements) - 1, 0, -1):
        elements[page.parents[number]].add(elements[number])
    total, prose_total = elements[0].voted or 1, elements[0].prose or 1
    to_voted, after_voted = _ways(page.parents, [each.voted >= _MOST * total for each in elements])
    _, after_prose = _ways(page.parents, [each.prose >= _MOST * prose_total for each in elements])
    said = [at for at, block in enumerate(blocks) if is_voted[at] and block.size >= _SAID] or [len(blocks), 0]
    first, last = said[0], said[-1]
    title = next((at for at, block in enumerate(blocks) if block.level == 1), first)
    sizes = [min(block.size, _MUCH) for block in blocks]
    links = [block.linked / max(1, block.size) for block in blocks]
    links_before, voted_before = _faded(links, sizes), _faded(is_voted, sizes)
    links_after, voted_after = (_faded(each[::-1], sizes[::-1])[::-1] for each in (links, is_voted))
    vocabularies = [set(_WORD.findall(block.words.casefold())) for block in blocks]
    told = Counter(chain.from_iterable(compress(vocabularies, is_voted)))
    passed = text_passed = 0
    found: list[dict[str, float]] = []
    for at, (block, voted) in enumerate(zip(blocks, is_voted, strict=True)):
        if block.is_chrome:
            found.append({})
            passed += block.size * voted
            text_passed += block.size
            continue
        words = block.words
        begins = words[:200]
        vocabulary = vocabularies[at]
        own, alike = elements[block.box], forms[block.form]
        parent = page.parents[block.box]
        around, further = elements[parent], elements[page.parents[page.parents[parent]]]
        found.append(
            {
                'is voted for': voted,
                'voted for before': voted_before[at],
                'voted for after': voted_after[at],
                'voted text passed': passed / total,
                'text passed': text_passed / (elements[0].text or 1),
                'between title and text': title < at < first,
                'after title': max(-1, at - title),
                'after first': max(-_FAR, min(_FAR, at - first)),
                'after last': max(-_FAR, min(_FAR, at - last)),
                'length': block.size,
                'words': len(words.split()),
                'is linked': links[at],
                'linked before': links_before[at],
                'linked after': links_after[at],
                'ends as a sentence': ends_a_sentence(words),
                'capitals': sum(map(str.isupper, begins)) / max(1, len(begins)),
                'commas': words.count(',') / max(1, len(words)),
                'shared words': sum(told[word] > voted for word in vocabulary) / (len(vocabulary) or 1),
                'alike': alike.blocks,
                'length of alike': alike.text / alike.blocks,
                'alike voted for': alike.voted / (alike.text or 1),
                'share of alike': alike.voted / total,
                'length in box': own.text / own.blocks,
                'voted for in box': own.voted / (own.text or 1),
                'share of box': own.voted / total,
                'linked in box': own.linked / (own.text or 1),
                'prose in box': own.prose / (own.text or 1),
                'linked around': around.linked / (around.text or 1),
                'prose around': around.prose / (around.text or 1),
                'share further around': further.voted / total,
                'text further around': further.text / (elements[0].text or 1),
                'to what is voted for': to_voted[block.box],
                'after what is voted for': after_voted[block.box],
                'after prose': after_prose[block.box],
            }
        )
        passed += block.size * voted
        text_passed += block.size
    return found


def _ways(parents: Sequence[int], hold_most: Sequence[bool]) -> tuple[list[int], list[int]]:
    """For each element how far out of it the innermost that holds most is, and whether it is before, in or after it."""
    most = max((number for number, holds in enumerate(hold_most) if holds), default=0)
    around = [most]
    while around[-1]:
        around.append(parents[around[-1]])
    steps = {number: step for step, number in enumerate(around)}
    ways: list[int] = []
    for number, parent in enumerate(parents):
        ways.append(steps[number] if number in steps else ways[parent])
    return ways, [-1 if number < most else int(way > 0) for number, way in enumerate(ways)]


def _faded(values: Iterable[float], sizes: Iterable[int]) -> list[float]:
    """The mean of the values before each one, the nearer the weightier."""
    total, weight = 0.0, 1e-9
    means: list[float] = []
    for value, size in zip(values, sizes, strict=True):
        means.append(total / weight)
        total, weight = total * _FADING + value * size, weight * _FADING + size
    return means
