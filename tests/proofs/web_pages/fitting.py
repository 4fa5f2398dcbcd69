"""The trees of `html/block_score.py`: gradient boosting on labelled strings and on pages whose whole text is known."""

import gzip
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from summarizer_tool.html import content, parsing
from summarizer_tool.html.block_score import Tree, features
from summarizer_tool.html.choosing import votes_of
from summarizer_tool.html.convert import votes
from summarizer_tool.html.page_blocks import Blocks, PageBlock
from summarizer_tool.html.walking import TreeWalk
from tests.proofs.web_pages.corpus import LabelledPage
from tests.proofs.web_pages.scoring import bare

_MOST_BLOCKS = 3000
"""Of a page whose whole text is known."""
_MOST_ROWS = 40_000
"""Of these pages together, drawn at random."""
_PART = 0.9
"""That each of them counts for, in strings."""
_GRAMS = 4
_START = -0.3
"""Points that each block begins with: of those around it some are kept whatever they have."""

Row = tuple[list[float], bool, float]
"""What is seen of a block, whether it is content, and how much it counts."""
_Labels = list[tuple[int, bool, float]]
NAMES = [*features(Blocks([PageBlock('text', 'a')]), [True])[0]]


def fit(pages: Iterable[LabelledPage], others: Path) -> str:
    """The features' names and the trees, as JSON.

    Args:
        pages: Those whose strings are labelled; each string counts once, in however many blocks it stands.
        others: The folder `dev` of WCXB (https://github.com/Murrough-Foley/web-content-extraction-benchmark, CC BY
            4.0).
    """
    rows = [row for page in pages for row in rows_of(page.body, lambda found, page=page: of_strings(found, page))]
    more: list[Row] = []
    for file in sorted((others / 'ground-truth').glob('*.json')):
        said = json.loads(file.read_text(encoding='utf-8'))['ground_truth']['main_content']
        body = gzip.decompress((others / 'html' / f'{file.stem}.html.gz').read_bytes())
        more += rows_of(body, lambda found, said=said: of_text(found, said))
    return boosted(rows, more)


def boosted(rows: Sequence[Row], more: Sequence[Row]) -> str:
    """Fit the trees. `lightgbm` is none of the packages that are installed for tests."""
    from lightgbm import LGBMClassifier

    chosen = np.random.default_rng(0).permutation(len(more))[:_MOST_ROWS]
    scale = len(more) / max(1, len(chosen))
    every = [*rows, *((more[at][0], more[at][1], more[at][2] * scale) for at in chosen)]
    model = LGBMClassifier(
        n_estimators=100,
        learning_rate=0.12,
        num_leaves=10,
        min_child_samples=20,
        colsample_bytree=0.4,
        subsample=0.8,
        subsample_freq=1,
        reg_lambda=5,
        random_state=1,
        n_jobs=1,
        deterministic=True,
        verbose=-1,
    )
    seen, labels, weights = (np.array([row[at] for row in every], dtype=float) for at in range(3))
    model.fit(seen, labels, sample_weight=weights)
    trees: list[Tree] = [_START]
    trees += [tree_of(said['tree_structure']) for said in model.booster_.dump_model()['tree_info']]
    lines = ',\n'.join(json.dumps(tree, separators=(',', ':')) for tree in trees)
    return f'{{"features":{json.dumps(NAMES)},\n"trees":[\n{lines}\n]}}\n'


def tree_of(node: dict) -> Tree:
    """A tree of lightgbm as `block_score` reads it."""
    if 'leaf_value' in node:
        return round(float(node['leaf_value']), 3)
    limit = float(f'{node["threshold"]:.4g}')
    return node['split_feature'], limit, tree_of(node['left_child']), tree_of(node['right_child'])


def rows_of(body: bytes, labels) -> Iterator[Row]:
    """The rows of a page, by what says which of its blocks are content."""
    text = content.decode(body)
    tree, is_whole = parsing.parse(text)
    if tree is not None and is_whole:
        found = TreeWalk().run(tree)
        voted = votes(tree, found.depth, len(text))
        if voted.nodes:
            yield from seen_rows(found, voted.nodes, labels(found))


def seen_rows(found: Blocks, nodes: frozenset[int], labels: _Labels) -> Iterator[Row]:
    """What is seen of the labelled blocks that are in no part that is chrome."""
    seen = features(found, votes_of(found, nodes)) if labels else []
    for place, is_content, weight in labels:
        if seen[place]:
            yield [float(value) for value in seen[place].values()], is_content, weight


def of_strings(found: Blocks, page: LabelledPage) -> _Labels:
    """The blocks with labelled strings."""
    words = [bare(block.words) for block in found.blocks]
    labels: _Labels = []
    for said, is_content in [(each, True) for each in page.content] + [(each, False) for each in page.chrome]:
        places = [place for place, text in enumerate(words) if bare(said) in text]
        labels += [(place, is_content, 1 / len(places)) for place in places]
    return labels


def of_text(found: Blocks, said: str) -> _Labels:
    """All blocks, by how many of the runs of four words of each are in the text; a short one whether it is a part."""
    if len(found.blocks) > _MOST_BLOCKS:
        return []
    text = _words(said)
    grams = {*zip(*(text[start:] for start in range(_GRAMS)), strict=False)}
    lines = {' '.join(_words(line)) for line in said.split('\n')}
    whole = f' {" ".join(text)} '
    labels: _Labels = []
    for place, block in enumerate(found.blocks):
        words = _words(block.words)
        if len(words) >= 2 * _GRAMS:
            own = [*zip(*(words[start:] for start in range(_GRAMS)), strict=False)]
            share = sum(gram in grams for gram in own) / len(own)
            labels.append((place, share >= 0.5, min(len(words), 100) ** 0.5 * (0.3 if 0.2 <= share <= 0.7 else 1)))
        elif words:
            is_line = ' '.join(words) in lines
            is_content = is_line or f' {" ".join(words)} ' in whole
            is_doubtful = is_content and not is_line and len(words) < _GRAMS
            labels.append((place, is_content, len(words) ** 0.5 * (0.3 if is_doubtful else 1)))
    total = sum(weight for _, _, weight in labels) or 1
    if sum(weight for _, is_content, weight in labels if is_content) < 0.02 * total:  # its text is made by a script
        return []
    return [(place, is_content, _PART * weight / total) for place, is_content, weight in labels]


def _words(text: str) -> list[str]:
    return re.findall(r'\w+', text.lower())
