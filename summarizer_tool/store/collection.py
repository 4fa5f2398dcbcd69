"""The sources, the finished work and the index of one owner."""

import hashlib
from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from datetime import datetime

from summarizer_tool.documents.document import Document
from summarizer_tool.documents.passage import Passage
from summarizer_tool.errors import StoreError, UnknownSourceError
from summarizer_tool.html.page import Link
from summarizer_tool.prompts import encodable
from summarizer_tool.settings import variable
from summarizer_tool.store import index, page_details
from summarizer_tool.store.connection import StoreConnection
from summarizer_tool.store.database import Database
from summarizer_tool.store.page_details import keep_addresses, path_of, stored_at, written
from summarizer_tool.store.source import (
    COLUMNS,
    Row,
    Source,
    StoreTotals,
    find,
    handle_in,
    microseconds,
    source_of,
    unknown_source,
)
from summarizer_tool.text.addresses import is_url
from summarizer_tool.text.addresses import shown as shown_url

_SOURCE_BYTES = 400  # about what SQLite takes for the rows of a source beside their texts


@dataclass(frozen=True, slots=True)
class Collection:
    """The sources and the finished work of one owner: what another collection has, this one does not see.

    Every method raises `StoreError` if the store cannot be read or written.
    """

    database: Database
    name: str

    def add(
        self,
        document: Document,
        *,
        fetched_at: datetime | None = None,
        links: Sequence[Link] = (),
        addresses: Sequence[str] = (),
        entry: index.IndexEntry | None = None,
    ) -> Source:
        """Keep a document and index its passages.

        One that is there already takes the new title, URL, time and links where they are given.

        Args:
            document: Any text up to the size cap.
            fetched_at: When it was fetched from its URL; with its time zone.
            links: Where its page leads; the first 3,000.
            addresses: What `at` finds it under beside its own URL: the one asked for, before redirects; of a file its
                path.
            entry: Its passages and their words, where they are cut already.

        Raises:
            ValueError: If `fetched_at` has no time zone.
            StoreError: If the text is larger than the cap, or has the handle of another text, or cannot be written.
        """
        text = document.text.encode()
        fetched = None if fetched_at is None else microseconds(fetched_at)
        place = (self.name, document.id)
        leading = written(links)
        self._check_size(len(text), len(text))
        # What takes seconds for a large text is computed before the transaction.
        if entry is None and not self.has(document.id):
            _ = document.tokens
            entry = index.entry_of(document)
        with self.database.write() as db:
            now = self.database.now()
            kept = db.execute(
                'SELECT digest, title, url FROM sources WHERE collection = ? AND id = ?', place
            ).fetchone()
            before = self._held(db, place) if kept else 0
            if kept is None:
                lines = document.text.count('\n') + (not document.text.endswith('\n'))
                row = (document.title, document.url, fetched, now, now, len(text), document.tokens, lines)
                db.execute(
                    'INSERT INTO sources VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)', (*place, *row, document.digest)
                )
                db.execute('INSERT INTO texts VALUES (?, ?, ?)', (*place, text))
                index.add(db, self.name, entry or index.entry_of(document))
            elif kept[0] != document.digest:
                raise StoreError(
                    f'another text in this collection has the handle {document.id} already (their hashes begin alike); '
                    'change a character of this one, such as a line break at its end, and add it again'
                )
            else:
                title, url = document.title or kept[1], document.url or kept[2]
                index.retitle(db, self.name, Document(document.text, title=title))
                db.execute(
                    'UPDATE sources SET title = ?, url = ?, fetched_at = coalesce(?, fetched_at), '
                    'used_at = max(used_at, ?) WHERE collection = ? AND id = ?',
                    (title, url, fetched, now, *place),
                )
            if leading:
                db.execute(page_details.KEEP_LINKS, (*place, leading))
            keep_addresses(db, place, document.url, addresses, now)
            held = self._held(db, place)
            self._check_size(len(text), held)
            db.execute('UPDATE sources SET held = held + ? WHERE collection = ? AND id = ?', (held - before, *place))
            self.database.make_room(db, now)
            return source_of(find(db, place) or ())

    def _held(self, db: StoreConnection, place: tuple[str, str]) -> int:
        """About how many bytes a source takes with all that is kept of it, but its vectors."""
        [title, url, size, indexed] = db.execute(
            'SELECT s.title, s.url, s.size, i.size FROM sources s JOIN indexed i '
            'ON i.collection = s.collection AND i.source = s.id WHERE s.collection = ? AND s.id = ?',
            place,
        ).fetchone()
        beside = len(title.encode()) + len(url.encode()) + page_details.size_of(db, place)
        return _SOURCE_BYTES + size + indexed + beside

    def _read(self, query: str, *values: object) -> Row | None:
        with self.database.read() as db:
            return db.execute(query, (self.name, *values)).fetchone()

    def document(self, source_id: str) -> Document:
        """The document with a handle; counts as a use of it. Quotes, brackets, `source://` and capitals do no harm.

        Raises:
            UnknownSourceError: If there is none in this collection; says which are near.
            StoreError: If the store cannot be read, or the text is damaged.
        """
        found = self._read(
            'SELECT s.rowid, s.used_at, s.id, s.title, s.url, s.tokens, t.text FROM sources s JOIN texts t '
            'ON t.collection = s.collection AND t.id = s.id WHERE s.collection = ? AND s.id = ?',
            handle_in(source_id),
        )
        if found is None:
            raise self._unknown(source_id)
        row, used_at, kept_id, title, url, count, text = found
        document = Document(text.decode(errors='replace'), title=title, url=url)
        if document.id != kept_id:
            raise StoreError(
                f'the text of {kept_id} in {self.database.path} is damaged; move the file away and start again'
            )
        document.remember(tokens=count)
        self.database.touch('sources', row, used_at)
        return document

    def same(self, document: Document) -> Document | None:
        """What is kept of the same text, which is not read; counts as a use of it."""
        found = self._read(
            'SELECT rowid, used_at, title, url, tokens FROM sources WHERE collection = ? AND id = ? AND digest = ?',
            document.id,
            document.digest,
        )
        if found is None:
            return None
        row, used_at, title, url, count = found
        kept = copy(document)
        vars(kept).update(title=title, url=url, tokens=count)
        self.database.touch('sources', row, used_at)
        return kept

    def has(self, source_id: str) -> bool:
        """Return whether a source, by its exact handle, is kept here; no use of it."""
        return bool(self.kept([source_id]))

    def source(self, source_id: str) -> Source:
        """What is known of a source without its text; by its handle, and raises, as `document`; no use of it."""
        if found := self.kept([handle_in(source_id)]):
            return found[0]
        raise self._unknown(source_id)

    def kept(self, source_ids: Iterable[str]) -> list[Source]:
        """What is known of sources by exact handles, in that order, without those not here; no use of them."""
        with self.database.read() as db:
            rows = [find(db, (self.name, source_id)) for source_id in source_ids]
        return [source_of(row) for row in rows if row is not None]

    def sources(self, limit: int = 100) -> list[Source]:
        """The sources of this collection, most recently used first, at most `limit`."""
        self.database.write_touches()
        return self._sources('ORDER BY used_at DESC LIMIT ?', max(0, limit))

    def links(self, source_id: str) -> tuple[Link, ...]:
        """The links of a source's page, by its exact handle; none where it is no page."""
        with self.database.read() as db:
            return page_details.links(db, (self.name, source_id))

    def at(self, url: str) -> Source | None:
        """The source that was stored last under a URL, its own or one of its addresses, in any spelling; no use of it.

        A fragment counts where something was stored with it, else the page does.
        """
        return next(iter(self.versions(url)), None)

    def find(self, place: str) -> Source:
        """The source that somebody means: by URL, path or name of its file, title where it has neither, or handle.

        Raises `UnknownSourceError` where there is none; of a URL it names host and path, never the query.
        """
        if is_url(place):
            if found := self.at(place):
                return found
            raise self._unknown(shown_url(place))
        name = place.removeprefix('file://').replace('\\', '/').rpartition('/')[2]
        for each in filter(None, (place, name)):
            if found := self.at(each) or next(iter(self.titled(each)), None):
                return found
        return self.source(place)

    def versions(self, url: str) -> list[Source]:
        """All sources that were stored under a URL, as for `at`, the last stored one first; no use of them."""
        with self.database.read() as db:
            stored = stored_at(db, self.name, url)
        return self.kept(stored)

    def versions_of(self, source: Source, place: str = '') -> list[Source]:
        """All that was stored under a source's URL, path or, without one, its title, the last stored one first.

        Of several paths `place` is meant; by default the last one.
        """
        with self.database.read() as db:
            place = source.url if is_url(source.url) else path_of(db, (self.name, source.id), place)
        if place:
            return self.versions(place)
        return self.titled(source.title) if source.title else [source]

    def titled(self, title: str) -> list[Source]:
        """All sources without a URL that have a title, such as the name of a file, the last stored one first."""
        return self._sources('AND title = ? AND url = ? ORDER BY added_at DESC', encodable(title), '')

    def _sources(self, which: str, *values: str | int) -> list[Source]:
        query = f'SELECT {COLUMNS} FROM sources WHERE collection = ? {which}'  # noqa: S608 - fixed text
        with self.database.read() as db:
            return [source_of(row) for row in db.execute(query, (self.name, *values)).fetchall()]

    def passages(self, ids: Sequence[int]) -> list[Passage]:
        """Passages by `Passage.id`, in the given order; those that are not there any more are left out."""
        with self.database.read() as db:
            return index.passages(db, self.name, ids)

    def passage_count(self, source_ids: Sequence[str] = ()) -> int:
        """How many passages some sources have, by exact handles, or all of the collection."""
        with self.database.read() as db:
            return index.count_passages(db, self.name, source_ids)

    def totals(self) -> StoreTotals:
        """What the collection holds."""
        found = self._read('SELECT count(*), coalesce(sum(tokens), 0) FROM sources WHERE collection = ?') or (0, 0)
        return StoreTotals(found[0], self.passage_count(), found[1])

    def answer(self, key: str, *, least: int, most: int) -> str | None:
        """A kept answer that was made for a target between two bounds in tokens, the smallest of those.

        The key names the question: chunk, prompt, focus, model. `most` is 0 for a whole summary.
        """
        found = self._read(
            'SELECT rowid, used_at, text FROM work '
            'WHERE collection = ? AND kind = ? AND key = ? AND target BETWEEN ? AND ? ORDER BY target LIMIT 1',
            *('answer' if most else 'summary', _key(key), least, most),
        )
        if found is None:
            return None
        row, used_at, text = found
        self.database.touch('work', row, used_at)
        return text.decode(errors='surrogatepass')

    def keep_answer(self, key: str, target: int, answer: str) -> None:
        """Keep one chunk summary, merge or whole summary; one larger than the size cap is not kept.

        The key names the question; the target is that in tokens which it was made for, 0 for a whole summary.
        """
        encoded = answer.encode(errors='surrogatepass')
        if len(encoded) > self.database.cap:
            return  # it would have to go first, and work that is done must not fail for it
        place = (self.name, 'answer' if target else 'summary', _key(key), target)
        with self.database.write() as db:
            db.execute('DELETE FROM work WHERE collection = ? AND kind = ? AND key = ? AND target = ?', place)
            now = self.database.now()
            db.execute('INSERT INTO work VALUES (?, ?, ?, ?, ?, ?, ?)', (*place, now, len(encoded), encoded))
            self.database.make_room(db, now)

    def _check_size(self, size: int, held: int) -> None:
        if held > self.database.cap:
            with_index = f', {_mb(held)} with its index' if held > size else ''
            limit = f'{variable("store_max_mb")}={self.database.max_mb:g}'
            raise StoreError(
                f'the text is {_mb(size)} MB{with_index}, over {limit}, all that the store may hold; '
                'split it or raise the limit'
            )

    def _unknown(self, asked: str) -> UnknownSourceError:
        with self.database.read() as db:
            return unknown_source(db, self.name, asked)


def _key(key: str) -> bytes:
    """A key as it is kept: short whatever it is, and without the text that may be in it."""
    return hashlib.sha256(key.encode(errors='surrogatepass')).digest()


def _mb(size: int) -> str:
    return f'{size / 1e6:.6g}'
