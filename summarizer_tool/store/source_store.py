"""The place for large text and for finished work: sources by handle, and answers by key, in SQLite or Postgres.

A source belongs to a collection, and every look-up goes through one. What has not been used for longest is evicted
when everything together is over the size cap. Several processes and threads may share one file, several machines
a Postgres.
"""

from pathlib import Path
from typing import Self

from summarizer_tool.settings import Settings
from summarizer_tool.store.collection import Collection
from summarizer_tool.store.database import Database, total_of
from summarizer_tool.store.source import DEFAULT_COLLECTION
from summarizer_tool.store.sqlite_file import MEMORY


class SourceStore:
    """Sources and finished work, in an SQLite file, in memory or in Postgres; a context manager that closes it.

    May be used by several threads, and a file by several processes, each of which opens it: what was opened before a
    fork raises a `StoreError` after it. Calls block: for milliseconds, with large texts for as long as the disk takes.

    A file that turns out to be damaged becomes `NAME.damaged-` with the time, and an empty one takes its place: the
    log has a warning, and the call that found the damage raises a `StoreError`.

    Args:
        path: The file, made with its folder if absent, for its owner alone; or `:memory:`; or the URL of a Postgres,
            `postgresql://user:password@host/name`, which needs the extra `batch`.
        max_mb: The size cap in MB (10⁶ bytes) of all texts with their index, vectors and addresses, and all answers.
            The index takes about twice the text, a vector 4 bytes for each dimension; the file is about as large.

    Raises:
        ConfigurationError: If the file cannot be made or written, or the server not be reached.
        StoreError: If the file belongs to another program, or to another version of this one.
    """

    path: str
    """The absolute path of the file, or `:memory:`, or the URL without its password."""

    def __init__(self, path: str | Path = MEMORY, *, max_mb: float = 1000.0) -> None:
        self._database = Database(path, max_mb)
        self.path = self._database.path

    @classmethod
    def open(cls, settings: Settings, *, default: str | Path = MEMORY) -> 'SourceStore':
        """The store that `store` or `database_url` of the settings name, else one at `default`; raises as the class."""
        return cls(settings.kept_in or default, max_mb=settings.store_max_mb)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def collection(self, name: str = DEFAULT_COLLECTION) -> 'Collection':
        """The sources and work under a name, made by the first addition; raises `ValueError` for half a character."""
        name.encode()
        return Collection(self._database, name)

    def size(self) -> int:
        """The bytes that count against the cap: all texts with their index, and answers, of all collections."""
        with self._database.read() as db:
            return total_of(db)

    def close(self) -> None:
        """Close the file; a second time does nothing. Calls in flight in other threads are finished."""
        self._database.close()
