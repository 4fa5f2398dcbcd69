"""How likely each block of a page is content: a linear model of what is seen of a block and of what stands around it.

The weights are those of a logistic regression on the even half of the pages that trafilatura is measured on:
`python -m tests.proofs.web_pages --corpus … --fit`.
"""

import re
from collections.abc import Sequence
from math import log1p

from summarizer_tool.html.page_blocks import PageBlock

WEIGHTS: dict[str, float] = {
    'is a block': -4.45,
    'is voted for': 3.47,
    'is voted for, and last': -0.43,
    'blocks before are voted for': 1.57,
    'text passed': -2.4,
    'between title and text': 1.94,
    'length': 0.62,
    'is linked': -2.0,
    'ends as a sentence': 1.18,
    'ends with a colon': -1.34,
    'capitals': -2.89,
    'heads what is voted for': 0.74,
    'stands in a list': 1.54,
    'stands in a div': -0.99,
}
"""What each feature adds to the score; above 0 a block is content."""

SHORT = 240
"""Characters; a longer text that mentions newsletters or cookies is one about them."""
_MUCH = 300
"""Characters of a block that count for those beside it; of one with 1000, what it is is plain."""
_NEAR = 3
"""Blocks before one that speak for it."""
_SAID = 40
"""Characters of a block that the text of a page may begin with."""

SENTENCE_END = re.compile(r'[.!?:;…。！？؟।։]["\'”’»)\]]*\s*$')
_NETWORKS = re.compile(
    r'\b(?:newsletter|whats-?app|telegram|facebook|twitter|instagram|youtube|tiktok|linkedin|pinterest'
    r'|subscri|abonn|suscr|app store|google play)',
    re.IGNORECASE,
)


def ends_a_sentence(text: str) -> bool:
    """Return whether a text ends as sentences do, in any script."""
    return SENTENCE_END.search(text, max(0, len(text) - 20)) is not None


def names_networks(block: PageBlock) -> bool:
    """Return whether a short block with links speaks of newsletters, apps or social networks."""
    return 0 < block.size < SHORT and bool(block.links) and _NETWORKS.search(block.words) is not None


def score(blocks: Sequence[PageBlock], is_voted: Sequence[bool]) -> list[float]:
    """The scores of all blocks of a page; `is_voted` says of each whether trafilatura keeps most of it."""
    return [sum(WEIGHTS[name] * value for name, value in seen.items()) for seen in features(blocks, is_voted)]


def features(blocks: Sequence[PageBlock], is_voted: Sequence[bool]) -> list[dict[str, float]]:
    """What the score of each block rests on, by name."""
    total = sum(block.size for block, voted in zip(blocks, is_voted, strict=True) if voted) or 1
    first = next((at for at, block in enumerate(blocks) if is_voted[at] and block.size >= _SAID), len(blocks))
    title = next((at for at, block in enumerate(blocks) if block.level == 1), first)
    counted = [min(block.size, _MUCH) for block in blocks]
    passed = 0
    found: list[dict[str, float]] = []
    for at, (block, voted) in enumerate(zip(blocks, is_voted, strict=True)):
        near = range(max(0, at - _NEAR), at)
        words = block.words
        found.append(
            {
                'is a block': 1,
                'is voted for': voted,
                'is voted for, and last': voted and total - passed < 0.05 * total,
                'blocks before are voted for': sum(counted[each] for each in near if is_voted[each])
                / max(1, sum(counted[each] for each in near)),
                'text passed': passed / total,
                'between title and text': title < at < first,
                'length': log1p(min(block.size, 1000)),
                'is linked': block.linked / max(1, block.size),
                'ends as a sentence': ends_a_sentence(words),
                'ends with a colon': words.rstrip().endswith(':'),
                'capitals': sum(map(str.isupper, words[:200])) / max(1, len(words[:200])),
                'heads what is voted for': block.level > 1 and any(is_voted[at + 1 : at + 2]),
                'stands in a list': block.is_in('list'),
                'stands in a div': block.tag in ('div', 'section'),
            }
        )
        passed += block.size * voted
    return found
