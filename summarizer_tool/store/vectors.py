"""The vectors of a collection's passages by one model: which are missing, keeping them, and the nearest to a query.

They lie beside the passages in the store's database as normalised float32, little endian, and go with their source.
Those of other models stay until then: whoever changes the model back has them still.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from summarizer_tool.extras import naming_extra
from summarizer_tool.store import index
from summarizer_tool.store.database import Database

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]

BLOCK_BYTES = 8 * 1024 * 1024
"""Of vectors that are in memory at once, however many there are."""

_MAX_BLOCK = 20_000  # vectors that are in memory at once, however short they are


def require_numpy() -> None:
    """See that the package that compares vectors is there, which is an extra."""
    with naming_extra():
        import_module('numpy')


def normalised(vectors: Sequence[Sequence[float]]) -> 'Matrix':
    """Vectors of length 1 or 0; raises `ValueError` if they differ in size, or hold what is no number."""
    import numpy as np

    matrix = np.asarray(vectors, dtype=np.float64)
    if matrix.ndim != 2 or not matrix.shape[1] or not np.isfinite(matrix).all():
        raise ValueError('the vectors differ in size, or hold what is no number')
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    return (matrix / np.where(lengths > 0, lengths, 1.0)).astype('<f4')


@dataclass(frozen=True, slots=True)
class Vectors:
    """What one model has made of one collection. Calls block, a search for as long as reading all its vectors takes."""

    database: Database
    collection: str
    model: str
    """Whatever tells apart what cannot be compared; the vectors under one name are of one size."""

    def missing(self, source_ids: Sequence[str], limit: int) -> dict[int, str]:
        """The passages that have no vector yet, those that were stored last first, with the titles of their sources."""
        found: dict[int, str] = {}
        with self.database.read() as db:
            for first, last in reversed(index.spans_of(db, self.collection, source_ids)):
                # The sign keeps SQLite to the index on `passage` alone: the table itself is as large as its vectors.
                rows: list[tuple[int, str]] = db.execute(
                    'SELECT p.id, i.title FROM passages p '
                    'JOIN indexed i ON i.collection = p.collection AND i.source = p.source '
                    'WHERE p.id BETWEEN ? AND ? '
                    'AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.passage = p.id AND +v.model = ?) '
                    'ORDER BY p.id DESC LIMIT ?',
                    (first, last, self.model, limit - len(found)),
                ).fetchall()
                found.update(rows)
        return found

    def keep(self, passages: Iterable[int], vectors: 'Matrix') -> None:
        """Write vectors of passages that are still there; what another process has written meanwhile is replaced."""
        with self.database.write() as db:
            db.executemany(
                'INSERT INTO vectors (model, passage, vector) SELECT ?, id, ? FROM passages '
                'WHERE id = ? AND collection = ? '
                'ON CONFLICT (model, passage) DO UPDATE SET vector = excluded.vector',
                [
                    (self.model, vector.tobytes(), passage, self.collection)
                    for passage, vector in zip(passages, vectors, strict=True)
                ],
            )
            self.database.make_room(db, self.database.now())

    def nearest(self, queries: 'Matrix', source_ids: Sequence[str], limit: int) -> list[list[int]]:
        """The passages with vectors nearest to each query's, exactly, by cosine; none that points the other way."""
        import numpy as np

        blocks = [
            # Rounded, as equal vectors come out of the product a little different in different places.
            (ids, (vectors @ queries.T).round(6))
            for ids, vectors in self._blocks(queries.shape[1], source_ids)
        ]
        if not blocks:
            return [[] for _ in queries]
        ids, near = (np.concatenate(part) for part in zip(*blocks, strict=True))
        best = [np.lexsort((ids, -near[:, place]))[:limit] for place in range(len(queries))]
        return [[int(ids[row]) for row in rows if near[row, place] > 0] for place, rows in enumerate(best)]

    def _blocks(self, dimensions: int, source_ids: Sequence[str]) -> 'Iterator[tuple[NDArray[np.int64], Matrix]]':
        """The vectors of the chosen sources, as many at a time as memory should hold."""
        import numpy as np

        size = max(1, min(_MAX_BLOCK, BLOCK_BYTES // (4 * dimensions)))
        with self.database.read() as db:
            spans = index.spans_of(db, self.collection, source_ids)
        for first, last in spans:
            while first <= last:
                with self.database.read() as db:  # for one block each, so that others get their turn in between
                    rows: list[tuple[int, bytes]] = db.execute(
                        'SELECT passage, vector FROM vectors '
                        'WHERE model = ? AND passage BETWEEN ? AND ? ORDER BY passage LIMIT ?',
                        (self.model, first, last, size),
                    ).fetchall()
                if rows:
                    matrix = np.frombuffer(b''.join(vector for _, vector in rows), dtype='<f4')
                    yield np.array([passage for passage, _ in rows]), matrix.reshape(-1, dimensions)
                first = rows[-1][0] + 1 if len(rows) == size else last + 1
