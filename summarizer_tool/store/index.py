"""The index of passages in the store's database: its tables, and what goes in and out of them.

Passages are rows of an ordinary table; FTS5 holds for each of their words the rows it is in, and nothing else: no text,
no places, no lengths. Words are cut in Python (`terms.py`), so that all languages and identifiers are found, and a
question's text never is query syntax. `candidates.py` looks words up, `ranking.py` ranks what is found.

The passages of a source have ids in a row, and those of a collection lie in a range of their own: FTS5 reads no other
part of a word's rows, so another collection neither shows nor costs anything.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from summarizer_tool.documents.document import Document
from summarizer_tool.documents.passage import Passage
from summarizer_tool.documents.passage_splitting import passages_of
from summarizer_tool.store import words
from summarizer_tool.store.connection import AMONG, Among, StoreConnection
from summarizer_tool.store.words import COLLECTION_BITS
from summarizer_tool.text.terms import terms_of

Span = tuple[int, int]
"""The first and the last id of passages in a row."""

_MUCH_OF_A_TITLE = 500  # characters of a title whose words count; it may be a megabyte
_PASSAGE_BYTES = 100  # about what SQLite takes for the rows of a passage beside their texts

SCHEMA = (
    'CREATE TABLE collections (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, next INTEGER NOT NULL) STRICT',
    # What was indexed, under which title (its words are those of each passage, too) and under which ids.
    """CREATE TABLE indexed (
        collection TEXT NOT NULL, source TEXT NOT NULL, title TEXT NOT NULL,
        first INTEGER NOT NULL, passages INTEGER NOT NULL, size INTEGER NOT NULL,
        PRIMARY KEY (collection, source)) STRICT, WITHOUT ROWID""",
    """CREATE TABLE passages (
        id INTEGER PRIMARY KEY, collection TEXT NOT NULL, source TEXT NOT NULL, number INTEGER NOT NULL,
        first_line INTEGER NOT NULL, last_line INTEGER NOT NULL, "offset" INTEGER NOT NULL,
        path TEXT NOT NULL, text TEXT NOT NULL, header TEXT NOT NULL, header_line INTEGER NOT NULL) STRICT""",
    'CREATE UNIQUE INDEX passages_of_source ON passages (collection, source, number)',
    words.TABLE,
    """CREATE TABLE vectors (
        model TEXT NOT NULL, passage INTEGER NOT NULL, vector BLOB NOT NULL,
        PRIMARY KEY (model, passage)) STRICT, WITHOUT ROWID""",
    'CREATE INDEX vectors_of_passage ON vectors (passage)',
    """CREATE TRIGGER passage_deleted BEFORE DELETE ON passages BEGIN
        DELETE FROM vectors WHERE passage = old.id; END""",
    """CREATE TRIGGER vector_added AFTER INSERT ON vectors BEGIN
        UPDATE sources SET held = held + length(new.vector)
        WHERE (collection, id) = (SELECT collection, source FROM passages WHERE id = new.passage); END""",
    """CREATE TRIGGER vector_deleted BEFORE DELETE ON vectors BEGIN
        UPDATE sources SET held = held - length(old.vector)
        WHERE (collection, id) = (SELECT collection, source FROM passages WHERE id = old.passage); END""",
    # The words of its passages are taken out by `forget` before.
    """CREATE TRIGGER source_left_index AFTER DELETE ON sources BEGIN
        DELETE FROM passages WHERE collection = old.collection AND source = old.id;
        DELETE FROM indexed WHERE collection = old.collection AND source = old.id; END""",
)


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """A document as it goes into the index, computed before the transaction that puts it there."""

    source_id: str
    title: str
    rows: list[tuple[int, int, int, int, str, str, str, int]]
    """Of each passage, from its number on."""
    terms: list[str]
    """Of each passage, with spaces between."""

    @property
    def size(self) -> int:
        """About how many bytes the index takes for it: each passage with what stands above it, and its words."""
        texts = (f'{path}{text}{header}' for *_, path, text, header, _ in self.rows)
        return _PASSAGE_BYTES * len(self.rows) + sum(len(text.encode()) for text in (*texts, *self.terms))


@lru_cache(maxsize=1024)
def _heading_terms(title: str, path: str, header: str) -> frozenset[str]:
    return frozenset(terms_of(f'{title[:_MUCH_OF_A_TITLE]}\n{path}\n{header}'))


def terms_above(passage: Passage, titles: Mapping[str, str]) -> frozenset[str]:
    """The terms of what stands above a passage, with the title under which its source was indexed."""
    return _heading_terms(titles.get(passage.source_id, ''), '\n'.join(passage.path), passage.header)


def _indexed_terms(title: str, path: str, header: str, text: str) -> str:
    return ' '.join(terms_of(text) | _heading_terms(title, path, header))


def entry_of(document: Document) -> IndexEntry:
    """Cut a document into passages, and those into words: 20 MB a second."""
    text, title = document.text, document.title
    rows = [
        (
            *(number, cut.first_line, cut.last_line, cut.offset, '\n'.join(cut.path)),
            *(text[cut.start : cut.end], text[slice(*cut.header)], cut.header_line),
        )
        for number, cut in enumerate(passages_of(text), 1)
    ]
    terms = [_indexed_terms(title, path, header, words) for *_, path, words, header, _ in rows]
    return IndexEntry(document.id, title, rows, terms)


def add(db: StoreConnection, collection: str, entry: IndexEntry) -> None:
    """Put a document into the index, within a transaction of the caller's; it must not be there yet."""
    db.execute('INSERT INTO collections (name, next) VALUES (?, 0) ON CONFLICT (name) DO NOTHING', (collection,))
    [number, after] = db.execute(
        'UPDATE collections SET next = next + ? WHERE name = ? RETURNING number, next', (len(entry.rows), collection)
    ).fetchone()
    first = (number << COLLECTION_BITS) + after - len(entry.rows)
    db.executemany(
        'INSERT INTO passages VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
        ((place, collection, entry.source_id, *row) for place, row in enumerate(entry.rows, first)),
    )
    words.add(db, [*enumerate(entry.terms, first)])
    db.execute(
        'INSERT INTO indexed VALUES (?, ?, ?, ?, ?, ?)',
        (collection, entry.source_id, entry.title, first, len(entry.rows), entry.size),
    )


def retitle(db: StoreConnection, collection: str, document: Document) -> None:
    """Index a kept document anew, within a transaction of the caller's, where it has another title by now."""
    place = (collection, document.id)
    found = db.execute('SELECT title FROM indexed WHERE collection = ? AND source = ?', place).fetchone()
    if found is not None and found[0] != document.title:
        forget(db, collection, document.id)
        for table in ('passages', 'indexed'):
            db.execute(f'DELETE FROM {table} WHERE collection = ? AND source = ?', place)  # noqa: S608 - one of two
        add(db, collection, entry_of(document))


def forget(db: StoreConnection, collection: str, source_id: str) -> None:
    """Take the words of a source out of the index, within a transaction of the caller's, which then deletes it."""
    rows = db.execute(
        'SELECT p.id, i.title, p.path, p.header, p.text FROM passages p JOIN indexed i '
        'ON i.collection = p.collection AND i.source = p.source WHERE p.collection = ? AND p.source = ?',
        (collection, source_id),
    )
    words.remove(db, [(row, _indexed_terms(*texts)) for row, *texts in rows])


def count_passages(db: StoreConnection, collection: str, source_ids: Sequence[str] = ()) -> int:
    """How many passages some sources have, or all of the collection."""
    chosen = f' AND source {AMONG}' if source_ids else ''
    [found] = db.execute(
        f'SELECT coalesce(sum(passages), 0) FROM indexed WHERE collection = ?{chosen}',  # noqa: S608 - fixed text
        (collection, Among(source_ids)) if source_ids else (collection,),
    ).fetchone()
    return found


def spans_of(db: StoreConnection, collection: str, source_ids: Sequence[str] = ()) -> list[Span]:
    """Where the passages of some sources are, or of all; ascending, and one span for sources that are side by side."""
    if not source_ids:
        place = db.execute('SELECT number, next FROM collections WHERE name = ?', (collection,)).fetchone()
        if place is None or not place[1]:
            return []
        first = place[0] << COLLECTION_BITS
        return [(first, first + place[1] - 1)]
    rows = db.execute(
        'SELECT first, first + passages - 1 FROM indexed '  # noqa: S608 - fixed text
        f'WHERE collection = ? AND passages > 0 AND source {AMONG} ORDER BY first',
        (collection, Among(source_ids)),
    )
    return joined(rows)


def joined(spans: Iterable[Span]) -> list[Span]:
    """Ascending spans, those that are side by side as one."""
    found: list[Span] = []
    for first, last in spans:
        if found and found[-1][1] + 1 == first:
            found[-1] = (found[-1][0], last)
        else:
            found.append((first, last))
    return found


_PASSAGE = 'id, source, number, first_line, last_line, "offset", path, text, header, header_line'


def _passage(row: tuple[int, str, int, int, int, int, str, str, str, int]) -> Passage:
    path = tuple(row[6].split('\n')) if row[6] else ()
    return Passage(*row[:6], path, *row[7:])


def passages(db: StoreConnection, collection: str, ids: Sequence[int]) -> list[Passage]:
    """Passages of a collection by their ids, in that order; those that are not there any more are left out."""
    rows = db.execute(
        f'SELECT {_PASSAGE} FROM passages '  # noqa: S608 - fixed text
        # By id: the index of collections, which the sign keeps SQLite from, would go through all of one.
        f'WHERE id {AMONG} AND +collection = ?',
        (Among(ids), collection),
    )
    found = {row[0]: _passage(row) for row in rows}
    return [found[number] for number in dict.fromkeys(ids) if number in found]


def passages_of_source(db: StoreConnection, collection: str, source_id: str) -> list[Passage]:
    """The passages of a source, in order."""
    found = f'SELECT {_PASSAGE} FROM passages WHERE collection = ? AND source = ? ORDER BY number'  # noqa: S608 - fixed
    return [_passage(row) for row in db.execute(found, (collection, source_id))]


def titles(db: StoreConnection, collection: str, source_ids: Iterable[str]) -> dict[str, str]:
    """The titles under which sources were indexed."""
    return dict(
        db.execute(
            f'SELECT source, title FROM indexed WHERE collection = ? AND source {AMONG}',  # noqa: S608 - fixed text
            (collection, Among(source_ids)),
        ).fetchall()
    )
