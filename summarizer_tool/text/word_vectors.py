"""How near texts are to a question by what their words mean, where the extra `wordllama` is installed.

Of that package only the two files in its wheel are read, the vectors of pieces of words and the tokenizer that cuts
words into them: its own modules fetch from the network what they do not find, and set up the logs of the process.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from summarizer_tool.text import names
from summarizer_tool.text.stop_words import stop_words
from summarizer_tool.text.terms import LONGEST_TERM, stem

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from tokenizers import Tokenizer

    Matrix = NDArray[np.float32]

_VECTORS = 'weights/l2_supercat_256.safetensors'
_TOKENIZER = 'tokenizers/l2_supercat_tokenizer_config.json'

_MOST_KNOWN = 49_152
"""Words over which the vectors of those met before are forgotten: 19 MB."""

_FEW = 64
"""Words whose cosines are made at once."""

_SAYS = 0.3
"""The cosine from which a word may stand for another one,"""
_ALIKE = 0.5
"""and that from which it says something of what the other one does."""

_logger = logging.getLogger('summarizer_tool')


@dataclass(frozen=True, slots=True)
class WordVectors:
    """Vectors of words: the sums of those of their pieces, each of length 1."""

    tokenizer: 'Tokenizer'
    pieces: 'Matrix'
    """A row for each piece."""
    known: dict[str, bytes] = field(default_factory=dict[str, bytes])
    """The directions of the vectors of words that were met before, a byte for each number."""

    def of(self, words: Sequence[str]) -> 'Matrix':
        """A row for each of some distinct words; zeros for what is too long to be one."""
        import numpy as np

        known = self.known
        words = [word if len(word) <= LONGEST_TERM else '' for word in words]
        if len(known) > _MOST_KNOWN:
            known.clear()
        if new := [word for word in dict.fromkeys(words) if word not in known]:
            known.update(zip(new, map(bytes, self._read(new)), strict=True))
        rows = np.frombuffer(b''.join(map(known.__getitem__, words)), np.int8)
        rows = rows.reshape(len(words), -1).astype(np.float32)
        rows /= np.maximum(np.sqrt(np.einsum('ij,ij->i', rows, rows)), 1)[:, None]
        return rows

    def _read(self, words: Sequence[str]) -> 'NDArray[np.int8]':
        """A row for each word: the sum of those of its pieces, its greatest number made 127."""
        import numpy as np

        # Not as a batch, whose threads cost more than they gain for single words.
        pieces = [self.tokenizer.encode(word, add_special_tokens=False).ids for word in words]
        sums = np.zeros((len(words), self.pieces.shape[1]), dtype=np.float32)
        rows = range(len(words))
        for place in range(max(map(len, pieces))):
            rows = [row for row in rows if len(pieces[row]) > place]
            sums[rows] += self.pieces[[pieces[row][place] for row in rows]]
        return np.rint(sums * (127 / np.maximum(np.abs(sums).max(axis=1, keepdims=True), 1e-9))).astype(np.int8)


@cache
def installed() -> WordVectors | None:
    """The vectors of the package `wordllama`, read once for a process; `None` if it is not installed."""
    spec = find_spec('wordllama')
    if spec is None or not spec.submodule_search_locations:
        return None
    folder = Path(spec.submodule_search_locations[0])
    try:
        from safetensors.numpy import load_file  # pyright: ignore[reportUnknownVariableType] - what paths it takes
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(folder / _TOKENIZER))
        [pieces] = load_file(folder / _VECTORS).values()
    except Exception as error:  # noqa: BLE001 - its readers raise errors of no common kind; words alone serve, too
        _logger.warning('the vectors of wordllama cannot be read', extra={'reason': type(error).__name__})
        return None
    return WordVectors(tokenizer, pieces)


def likeness(
    texts: Sequence[Sequence[str]],
    question: Sequence[str],
    near: Sequence[Mapping[int, float]],
    around: Sequence[Mapping[int, float]],
) -> tuple[list[float], list[float]]:
    """The cosine with a question, as words, of what is near each text, and how often its words are meant around it.

    In the cosines each word counts the same, however common it is. Meant is a word as far as the cosine of one that is
    said is over `_ALIKE`; it is the mean over the question of the logarithm of how often. `near` and `around` say for
    each text which texts count there for the one and the other, by index, and how much. Without vectors all are zeros.
    """
    vectors = installed() if texts and question else None
    if vectors is None:
        return [0.0] * len(texts), [0.0] * len(texts)
    import numpy as np

    rows, places, asked, cosines = _compared(vectors, texts, question)
    alike = np.maximum(cosines - _ALIKE, 0) / (1 - _ALIKE)
    said = np.array([rows[each].sum(axis=0) for each in places])
    meant = _spread(np.array([alike[each].sum(axis=0) for each in places]), around)
    return _toward(_spread(said, near), asked), np.log1p(meant).mean(axis=1).tolist()


def _spread(said: 'Matrix', fading: Sequence[Mapping[int, float]]) -> 'Matrix':
    """What is said where each text is."""
    import numpy as np

    return np.array([np.array([*shares.values()]) @ said[[*shares]] for shares in fading])


def alike(texts: Sequence[Sequence[str]], question: Sequence[str]) -> tuple[list[float], Sequence[Sequence[float]]]:
    """The cosine of each text with a question, and for each word of this how like the likest word of the text is.

    Both are words. Without vectors there are no cosines, and like is only what has the same stem.
    """
    vectors = installed() if texts and question else None
    if vectors is None:
        stems = [*map(stem, question)]
        said = [{*map(stem, text)} for text in texts]
        return [0.0] * len(texts), [[float(each in words) for each in stems] for words in said]
    import numpy as np

    rows, places, asked, cosines = _compared(vectors, texts, question)
    near = np.maximum(cosines - _SAYS, 0) / (1 - _SAYS)
    best = [near[each].max(axis=0).tolist() if each else [0.0] * len(question) for each in places]
    toward = _toward(np.array([rows[each].sum(axis=0) for each in places]), asked)
    return [max(0.0, each) for each in toward], best


def nearness(texts: Sequence[Sequence[str]], question: str) -> list[float]:
    """The cosine of each text, as words, with a question, without the words that say nothing in its language."""
    asked = names.words(question)
    idle = stop_words(asked)
    kept = [[word for word in text if word not in idle] for text in texts]
    alone = [{place: 1.0} for place in range(len(texts))]
    return likeness(kept, [word for word in asked if word not in idle], alone, alone)[0]


def _compared(
    vectors: WordVectors, texts: Sequence[Sequence[str]], question: Sequence[str]
) -> 'tuple[Matrix, list[list[int]], Matrix, Matrix]':
    """The vectors of all words, the rows of each text's, the vectors of the question's, and the cosines of both."""
    import numpy as np

    every = {word: place for place, word in enumerate(dict.fromkeys(chain(question, *texts)))}
    rows = vectors.of([*every])
    asked = rows[[*map(every.__getitem__, question)]]
    # A few rows at a time, for which no threads are started: these cost more than they gain.
    cosines = np.concatenate([rows[at : at + _FEW] @ asked.T for at in range(0, len(rows), _FEW)])
    return rows, [[*map(every.__getitem__, text)] for text in texts], asked, cosines


def _toward(said: 'Matrix', asked: 'Matrix') -> list[float]:
    """The cosine of each of some vectors with the sum of others."""
    import numpy as np

    toward = asked.sum(axis=0)
    cosines = said @ toward / np.maximum(np.linalg.norm(said, axis=1) * np.linalg.norm(toward), 1e-9)
    return cosines.tolist()
