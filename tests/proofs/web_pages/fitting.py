"""The weights of `html/block_score.py`: a logistic regression on the labelled strings of some pages."""

from collections.abc import Iterable, Iterator

import numpy as np
import numpy.typing as npt

from summarizer_tool.html import content, parsing
from summarizer_tool.html.block_score import features
from summarizer_tool.html.choosing import is_scored, is_voted_for
from summarizer_tool.html.convert import votes
from summarizer_tool.html.walking import TreeWalk
from tests.proofs.web_pages.corpus import LabelledPage
from tests.proofs.web_pages.scoring import bare

_PENALTY = 3.0
"""Of the squares of the weights, each of a feature of standard deviation 1."""
_STEPS = 12
"""Of Newton's method, which has converged by then."""


def fit(pages: Iterable[LabelledPage]) -> dict[str, float]:
    """The weights, by the name of the feature; each string counts once, in however many blocks it stands."""
    rows = [row for page in pages for row in _rows(page)]
    names = [*rows[0][0]]
    seen = np.array([[float(row[0][name]) for name in names] for row in rows])
    is_content = np.array([float(row[1]) for row in rows])
    counts = np.array([row[2] for row in rows])
    spread: npt.NDArray[np.float64] = seen.std(axis=0)
    spread[spread == 0] = 1
    scaled = seen / spread
    penalty = _PENALTY * np.eye(len(names))
    penalty[0, 0] = 0  # the constant
    weights = np.zeros(len(names))
    for _ in range(_STEPS):
        expected = 1 / (1 + np.exp(-scaled @ weights))
        slope = counts * expected * (1 - expected) + 1e-9
        gradient = scaled.T @ (counts * (is_content - expected)) - penalty @ weights
        weights = weights + np.linalg.solve((scaled * slope[:, None]).T @ scaled + penalty, gradient)
    return {name: round(float(weight), 2) for name, weight in zip(names, weights / spread, strict=True)}


def _rows(page: LabelledPage) -> Iterator[tuple[dict[str, float], bool, float]]:
    """What is seen of each block with a labelled string, whether that is content, and its part of the string."""
    text = content.decode(page.body)
    tree, is_whole = parsing.parse(text)
    if tree is None or not is_whole:
        return
    found = TreeWalk().run(tree)
    voted = votes(tree, found.depth, len(text))
    if not voted.nodes:
        return
    seen = features(found.blocks, [is_voted_for(block, voted.nodes) for block in found.blocks])
    words = [bare(block.words) for block in found.blocks]
    for said, is_content in [(each, True) for each in page.content] + [(each, False) for each in page.chrome]:
        places = [place for place, text in enumerate(words) if bare(said) in text]
        for place in places:
            if is_scored(found.blocks[place]):
                yield seen[place], is_content, 1 / len(places)
