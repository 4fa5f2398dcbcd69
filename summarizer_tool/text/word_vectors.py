"""How near texts are to a question by what their words mean, where the extra `wordllama` is installed.

Of that package only the two files in its wheel are read, the vectors of pieces of words and the tokenizer that cuts
words into them: its own modules fetch from the network what they do not find, and set up the logs of the process.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from summarizer_tool.text.terms import LONGEST_TERM

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from tokenizers import Tokenizer

    Matrix = NDArray[np.float32]

_VECTORS = 'weights/l2_supercat_256.safetensors'
_TOKENIZER = 'tokenizers/l2_supercat_tokenizer_config.json'

_NEAREST = 0.2
"""The share of texts that may be near: how far the others are says nothing."""

_FEW_WORDS = 20
"""A text of fewer words is less near: one that is a single word of the question says little."""

_SUMMED = 500
"""Groups of rows that are summed at once: what bounds memory."""

_MOST_KNOWN = 65_536
"""Words whose pieces are kept."""

_logger = logging.getLogger('summarizer_tool')


@dataclass(frozen=True, slots=True)
class WordVectors:
    """Vectors of words: the sums of those of their pieces."""

    tokenizer: 'Tokenizer'
    pieces: 'Matrix'
    """A row for each piece."""
    known: 'dict[str, NDArray[np.intp]]' = field(default_factory=dict[str, 'NDArray[np.intp]'])
    """The pieces of words that were cut before."""

    def of(self, words: Sequence[str]) -> 'Matrix':
        """A row for each word; zeros for what is too long to be one."""
        import numpy as np

        ids = {word: known for word in words if (known := self.known.get(word)) is not None}
        new = [word for word in words if word not in ids]
        cut = [word if len(word) <= LONGEST_TERM else '' for word in new]
        encoded = self.tokenizer.encode_batch(cut, add_special_tokens=False)
        ids |= {word: np.array(each.ids, dtype=np.intp) for word, each in zip(new, encoded, strict=True)}
        if len(self.known) + len(new) > _MOST_KNOWN:
            self.known.clear()
        self.known.update((word, ids[word]) for word in new if len(word) <= LONGEST_TERM)
        return _sums(self.pieces, [ids[word] for word in words])

    def nearness(self, texts: Sequence[Sequence[str]], question: Sequence[str]) -> list[float]:
        """How near each text is to the question, both as words: over 0 for the few that are nearest.

        The cosine of the sums of their vectors, as far as it is above that of most texts, squared.
        """
        import numpy as np

        words = {word: index for index, word in enumerate(dict.fromkeys(word for text in texts for word in text))}
        of_texts = [np.fromiter((words[word] for word in text), dtype=np.intp, count=len(text)) for text in texts]
        sums = _sums(self.of([*words]), of_texts)
        asked = self.of(question).sum(axis=0)
        lengths = np.linalg.norm(sums, axis=1) * np.linalg.norm(asked)
        cosines = sums @ asked / np.maximum(lengths, 1e-9)
        cosines *= np.minimum(1.0, np.array([len(text) for text in texts]) / _FEW_WORDS)
        above = np.maximum(0.0, cosines - np.quantile(cosines, 1 - _NEAREST))
        return (above**2).tolist()

    def cosines(
        self, texts: Sequence[Sequence[str]], question: Sequence[str], near: Sequence[Mapping[int, float]] = ()
    ) -> list[float]:
        """The cosine of each text with the question, both as words; each word counts the same, however common it is.

        `near` says for each text which texts count there, by index, and how much; without it, only itself.
        """
        import numpy as np

        every = dict.fromkeys(word for text in (*texts, question) for word in text)
        rows = self.of([*every])
        rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
        places = {word: index for index, word in enumerate(every)}
        *sums, asked = _sums(
            rows, [np.array([places[word] for word in text], dtype=np.intp) for text in (*texts, question)]
        )
        rows = np.array(sums)
        if near:
            rows = np.array([np.array([*shares.values()]) @ rows[[*shares]] for shares in near])
        lengths = np.linalg.norm(rows, axis=1) * np.linalg.norm(asked)
        return (rows @ asked / np.maximum(lengths, 1e-9)).tolist()


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


def nearness(texts: Sequence[Sequence[str]], question: Sequence[str]) -> list[float]:
    """How near each text is to the question, as `WordVectors.nearness` says; zeros where there are no vectors."""
    vectors = installed() if texts and question else None
    return vectors.nearness(texts, question) if vectors else [0.0] * len(texts)


def cosines(
    texts: Sequence[Sequence[str]], question: Sequence[str], near: Sequence[Mapping[int, float]] = ()
) -> list[float]:
    """The cosine of each text with the question, as `WordVectors.cosines` says; zeros where there are no vectors."""
    vectors = installed() if texts and question else None
    return vectors.cosines(texts, question, near) if vectors else [0.0] * len(texts)


def _sums(rows: 'Matrix', groups: 'Sequence[NDArray[np.intp]]') -> 'Matrix':
    """The sum of some rows for each group, as single precision."""
    import numpy as np

    sums = np.zeros((len(groups), rows.shape[1]), dtype=np.float32)
    filled = [index for index, group in enumerate(groups) if len(group)]
    for start in range(0, len(filled), _SUMMED):
        some = filled[start : start + _SUMMED]
        sizes = [len(groups[index]) for index in some]
        together = rows[np.concatenate([groups[index] for index in some])]
        sums[some] = np.add.reduceat(together, np.cumsum([0, *sizes[:-1]]), axis=0, dtype=np.float32)
    return sums
