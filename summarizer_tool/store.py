"""The place for large text and for finished work: sources by handle, and answers by key, in SQLite.

A source belongs to a collection, and every look-up goes through one. What has not been used for longest is evicted
when everything together is over the size cap. Several processes and threads may share one file.
"""

import difflib
import hashlib
import re
import sqlite3
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final, Self

from summarizer_tool.database import MAX_SHOWN, MEMORY, Database, absolute, shown, total_of
from summarizer_tool.documents import Document
from summarizer_tool.errors import StoreError, UnknownSourceError
from summarizer_tool.settings import Settings, variable

DEFAULT_COLLECTION: Final = 'default'

MAX_TEXT_MB = 1000.0
"""SQLite holds no larger value."""

_NEAR = 5
_CANDIDATES = 200
"""Most recently used sources that a wrong handle is compared with: with long titles about 40 ms."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

# A handle as models write it: quoted, in brackets, as a resource, in capitals.
_HANDLE = re.compile(r'[\s"\'`“”‘’\[(<{]*(?:source://)?(src_[0-9a-f]{12})[\s"\'`“”‘’\])>}.,;:]*', re.IGNORECASE)

_Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Source:
    """A stored document without its text."""

    id: str
    """The handle: `src_` and 12 hex digits."""
    title: str
    url: str
    fetched_at: datetime | None
    """UTC; when it was fetched from its URL, if it was."""
    added_at: datetime
    """UTC; when it was first added."""
    used_at: datetime
    """UTC; when it was last added or read."""
    size: int
    """Bytes of its text as UTF-8."""
    tokens: int
    """cl100k tokens of its text."""
    lines: int
    """Lines of its text; one at least, and a line feed at the end begins none."""


class SourceStore:
    """Sources and finished work, in one SQLite file or in memory; a context manager that closes it.

    May be used by several threads, and a file by several processes; a fork is safe, and the child of a store in memory
    goes on with a copy. Calls block: for milliseconds, with large texts for as long as the disk takes.

    Args:
        path: The file, made with its folder if absent, for its owner alone; or `:memory:`.
        max_mb: The size cap in MB (10⁶ bytes) of all texts and answers together.

    Raises:
        ConfigurationError: If the file cannot be made or written.
        StoreError: If the file belongs to another program, or to another version of this one.
    """

    path: str
    """The absolute path of the file, or `:memory:`."""

    def __init__(self, path: str | Path = MEMORY, *, max_mb: float = 1000.0) -> None:
        self.path = absolute(path)
        self._database = Database(self.path, max_mb)

    @classmethod
    def open(cls, settings: Settings, *, default: str | Path = MEMORY) -> 'SourceStore':
        """The store that the settings name.

        Args:
            settings: For `store` and `store_max_mb`.
            default: The path where `store` is not set.

        Raises:
            ConfigurationError: If the file cannot be made or written.
            StoreError: If the file belongs to another program, or to another version of this one.
        """
        return cls(settings.store or default, max_mb=settings.store_max_mb)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def collection(self, name: str = DEFAULT_COLLECTION) -> 'Collection':
        """The sources and the finished work under a name; made by the first addition.

        Raises:
            ValueError: If the name cannot be encoded.
        """
        name.encode()
        return Collection(self._database, name)

    def size(self) -> int:
        """The bytes that count against the cap: all texts and answers of all collections.

        Raises:
            StoreError: If the store cannot be read.
        """
        with self._database.read() as db:
            return total_of(db)

    def close(self) -> None:
        """Close the file; a second time does nothing. Calls in flight in other threads are finished."""
        self._database.close()


class Collection:
    """The sources and the finished work of one owner: what another collection has, this one does not see."""

    __slots__ = ('_database', 'name')

    def __init__(self, database: 'Database', name: str) -> None:
        self._database = database
        self.name = name

    def add(self, document: Document, *, fetched_at: datetime | None = None) -> Source:
        """Keep a document; one that is there already takes the new title, URL and time where they are given.

        Args:
            document: Any text up to the size cap.
            fetched_at: When it was fetched from its URL; with its time zone.

        Returns:
            What is stored now.

        Raises:
            ValueError: If `fetched_at` has no time zone.
            StoreError: If the text is larger than the cap, or has the handle of another text, or cannot be written.
        """
        text = document.text.encode()
        self._check_size(len(text))
        digest = hashlib.sha256(text).digest()
        fetched = None if fetched_at is None else _microseconds(fetched_at)
        place = (self.name, document.id)
        if not self.has(document.id):
            _ = document.tokens  # takes seconds for a large text, and so is counted before the transaction
        with self._database.write() as db:
            now = self._database.now()
            kept = db.execute('SELECT digest FROM sources WHERE collection = ? AND id = ?', place).fetchone()
            if kept is None:
                self._database.make_room(db, len(text))
                size = (len(text), document.tokens, _lines(document.text))
                db.execute(
                    'INSERT INTO sources VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
                    (*place, document.title, document.url, fetched, now, now, *size, digest),
                )
                db.execute('INSERT INTO texts VALUES (?, ?, ?)', (*place, text))
                db.execute('DELETE FROM evicted WHERE collection = ? AND id = ?', place)
            elif kept[0] != digest:
                raise StoreError(
                    f'another text in this collection has the handle {document.id} already (their hashes begin alike); '
                    'change a character of this one, such as a line break at its end, and add it again'
                )
            else:
                db.execute(
                    "UPDATE sources SET title = coalesce(nullif(?, ''), title), url = coalesce(nullif(?, ''), url), "
                    'fetched_at = coalesce(?, fetched_at), used_at = max(used_at, ?) WHERE collection = ? AND id = ?',
                    (document.title, document.url, fetched, now, *place),
                )
            return self._source(_find(db, place))

    def document(self, source_id: str) -> Document:
        """The document with a handle; counts as a use of it.

        Args:
            source_id: A handle; quotes, brackets, `source://` and capitals do no harm.

        Raises:
            UnknownSourceError: If there is none in this collection; says which are near, or that it was evicted.
            StoreError: If the store cannot be read, or the text is damaged.
        """
        with self._database.read() as db:
            found: _Row | None = db.execute(
                'SELECT s.rowid, s.used_at, s.id, s.title, s.url, s.tokens, t.text FROM sources s JOIN texts t '
                'ON t.collection = s.collection AND t.id = s.id WHERE s.collection = ? AND s.id = ?',
                (self.name, _handle(source_id)),
            ).fetchone()
        if found is None:
            raise self._unknown(source_id)
        row, used_at, kept_id, title, url, count, text = found
        document = Document(text.decode(errors='replace'), title=title, url=url)
        if document.id != kept_id:
            raise StoreError(
                f'the text of {kept_id} in {self._database.path} is damaged; move the file away and start again'
            )
        vars(document)['tokens'] = count  # so that nobody counts them again
        self._database.touch('sources', row, used_at)
        return document

    def has(self, source_id: str) -> bool:
        """Whether a source is kept here; no use of it.

        Args:
            source_id: The exact handle.

        Raises:
            StoreError: If the store cannot be read.
        """
        with self._database.read() as db:
            return _find(db, (self.name, source_id)) is not None

    def source(self, source_id: str) -> Source:
        """What is known of a source without its text; no use of it.

        Args:
            source_id: A handle; quotes, brackets, `source://` and capitals do no harm.

        Raises:
            UnknownSourceError: If there is none in this collection; says which are near, or that it was evicted.
            StoreError: If the store cannot be read.
        """
        with self._database.read() as db:
            found = _find(db, (self.name, _handle(source_id)))
        if found is None:
            raise self._unknown(source_id)
        return self._source(found)

    def sources(self, limit: int = 100) -> list[Source]:
        """The sources of this collection, most recently used first.

        Args:
            limit: How many at most.

        Raises:
            StoreError: If the store cannot be read.
        """
        self._database.write_touches()
        with self._database.read() as db:
            rows: list[_Row] = db.execute(
                'SELECT rowid, id, title, url, fetched_at, added_at, used_at, size, tokens, lines FROM sources '
                'WHERE collection = ? ORDER BY used_at DESC LIMIT ?',
                (self.name, max(0, limit)),
            ).fetchall()
        return [self._source(row) for row in rows]

    def answer(self, key: str, *, least: int, most: int) -> str | None:
        """A kept answer that was made for a target between two bounds, the smallest of those.

        Args:
            key: Whatever names the question: chunk, prompt, focus, model.
            least: Tokens, the smallest target that serves.
            most: Tokens, the largest that serves.

        Raises:
            StoreError: If the store cannot be read.
        """
        return self._work('answer', key, least, most)

    def keep_answer(self, key: str, target: int, answer: str) -> None:
        """Keep one chunk summary or merge; one larger than the size cap is not kept.

        Args:
            key: Whatever names the question.
            target: Tokens it was made for.
            answer: Any text.

        Raises:
            StoreError: If the store cannot be written.
        """
        self._keep_work('answer', key, target, answer)

    def summary(self, key: str) -> str | None:
        """A kept summary.

        Raises:
            StoreError: If the store cannot be read.
        """
        return self._work('summary', key, 0, 0)

    def keep_summary(self, key: str, summary: str) -> None:
        """Keep a whole summary; one larger than the size cap is not kept.

        Raises:
            StoreError: If the store cannot be written.
        """
        self._keep_work('summary', key, 0, summary)

    def _work(self, kind: str, key: str, least: int, most: int) -> str | None:
        with self._database.read() as db:
            found: _Row | None = db.execute(
                'SELECT rowid, used_at, text FROM work '
                'WHERE collection = ? AND kind = ? AND key = ? AND target BETWEEN ? AND ? ORDER BY target LIMIT 1',
                (self.name, kind, _key(key), least, most),
            ).fetchone()
        if found is None:
            return None
        row, used_at, text = found
        self._database.touch('work', row, used_at)
        return text.decode(errors='surrogatepass')

    def _keep_work(self, kind: str, key: str, target: int, text: str) -> None:
        encoded = text.encode(errors='surrogatepass')
        if len(encoded) > min(self._database.cap, MAX_TEXT_MB * 1e6):
            return  # it would have to go first, and work that is done must not fail for it
        place = (self.name, kind, _key(key), target)
        with self._database.write() as db:
            db.execute('DELETE FROM work WHERE collection = ? AND kind = ? AND key = ? AND target = ?', place)
            self._database.make_room(db, len(encoded))
            db.execute(
                'INSERT INTO work VALUES (?, ?, ?, ?, ?, ?, ?)', (*place, self._database.now(), len(encoded), encoded)
            )

    def _check_size(self, size: int) -> None:
        limit, name = self._database.max_mb, variable('store_max_mb')
        if size > self._database.cap:
            raise StoreError(
                f'the text is {_mb(size)} MB, over {name}={limit:g}, all that the store may hold; '
                'split it or raise the limit'
            )
        if size > MAX_TEXT_MB * 1e6:
            raise StoreError(f'the text is {_mb(size)} MB, and the store takes at most {MAX_TEXT_MB:g}; split it')

    def _source(self, row: _Row | None) -> Source:
        assert row is not None  # noqa: S101 - for the type checker; the row was written or found just before
        number, source_id, title, url, fetched_at, added_at, used_at, size, count, lines = row
        return Source(
            id=source_id,
            title=title,
            url=url,
            fetched_at=None if fetched_at is None else _datetime(fetched_at),
            added_at=_datetime(added_at),
            used_at=_datetime(max(used_at, self._database.touched.get(('sources', number), 0))),
            size=size,
            tokens=count,
            lines=lines,
        )

    def _unknown(self, asked: str) -> UnknownSourceError:
        """Why there is no such source, and what there is instead."""
        handle = _handle(asked)
        with self._database.read() as db:
            tombstone: _Row | None = db.execute(
                'SELECT title, evicted_at FROM evicted WHERE collection = ? AND id = ?', (self.name, handle)
            ).fetchone()
            rows: list[tuple[str, str]] = db.execute(
                'SELECT id, title FROM sources WHERE collection = ? ORDER BY used_at DESC LIMIT ?',
                (self.name, _CANDIDATES),
            ).fetchall()
        if tombstone:
            title, evicted_at = tombstone
            return UnknownSourceError(
                f'{_named(handle, title)} was evicted on {_datetime(evicted_at):%Y-%m-%d}, the store is over '
                f'{variable("store_max_mb")}={self._database.max_mb:g}; add it again'
            )
        problem = f'there is no source "{shown(asked)}"'
        if not rows:
            return UnknownSourceError(
                f'{problem}, nor any other yet; add_source takes a text or a URL and gives a handle'
            )
        near = _near(handle, rows)
        listed = ', '.join(_named(source_id, title) for source_id, title in near or rows[:_NEAR])
        known = f'did you mean {listed}?' if near else f'the last used are {listed};'
        return UnknownSourceError(f'{problem}; {known} add_source gives a handle for a text or a URL')


def _lines(text: str) -> int:
    return text.count('\n') + (not text.endswith('\n'))


def _find(db: sqlite3.Connection, place: tuple[str, str]) -> _Row | None:
    return db.execute(
        'SELECT rowid, id, title, url, fetched_at, added_at, used_at, size, tokens, lines FROM sources '
        'WHERE collection = ? AND id = ?',
        place,
    ).fetchone()


def _key(key: str) -> bytes:
    """A key as it is kept: short whatever it is, and without the text that may be in it."""
    return hashlib.sha256(key.encode(errors='surrogatepass')).digest()


def _handle(asked: str) -> str:
    """The handle within what a caller wrote, or the beginning of that."""
    text = asked.strip()[:MAX_SHOWN]
    match = _HANDLE.fullmatch(text)
    return match[1].lower() if match else text.encode(errors='replace').decode()


def _near(handle: str, rows: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The sources that a wrong handle may have meant: those whose handle is alike, else those whose title is."""
    titles = dict(rows)
    alike = difflib.get_close_matches(handle.lower(), titles, _NEAR, 0.65)
    if alike:
        return [(source_id, titles[source_id]) for source_id in alike]
    asked = handle.casefold()
    if len(asked) < 3 or _HANDLE.fullmatch(handle):
        return []
    folded = [(shown(title).casefold(), source_id) for source_id, title in rows if title.strip()]
    close = set(difflib.get_close_matches(asked, {title for title, _ in folded}, _NEAR))
    found = [source_id for title, source_id in folded if asked in title or title in close]
    return [(source_id, titles[source_id]) for source_id in found[:_NEAR]]


def _named(source_id: str, title: str) -> str:
    return f'{source_id} ("{shown(title)}")' if title.strip() else source_id


def _mb(size: int) -> str:
    return f'{size / 1e6:.6g}'


def _microseconds(moment: datetime) -> int:
    if moment.utcoffset() is None:
        raise ValueError('fetched_at needs a time zone, such as datetime.now(UTC) has')
    return (moment - _EPOCH) // timedelta(microseconds=1)


def _datetime(microseconds: int) -> datetime:
    return _EPOCH + timedelta(microseconds=microseconds)
