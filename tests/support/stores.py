"""Stores to test: a document, and what a file holds."""

import os
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
from dirty_equals import IsDatetime

from summarizer_tool.documents.document import Document
from summarizer_tool.evidence.search import candidates
from summarizer_tool.store import database, index, page_details
from summarizer_tool.store.collection import Collection
from summarizer_tool.store.source_store import SourceStore
from summarizer_tool.store.sqlite_file import MEMORY
from summarizer_tool.text.terms import asked

TODAY = datetime(2026, 11, 1, 12, tzinfo=UTC)
"""The time by which stores go in tests."""

NOW = IsDatetime(delta=timedelta(seconds=1), approx=TODAY, enforce_tz=True)

HARBOUR = Document('# Harbour\n\nAda Brook founded the guild.\n', title='Harbour', url='https://wiki.example/harbour')


POSTGRES = os.environ.get('TEST_POSTGRES_URL', '')
KINDS = ('postgres',) if POSTGRES else ('memory', 'file')


def place_of(kind: str, folder: Path | None = None) -> str:
    """The place of an empty store."""
    if kind == 'postgres':
        with psycopg.connect(POSTGRES) as db:
            db.execute(f'DROP SCHEMA IF EXISTS summarizer_store_{database.FORMAT.version} CASCADE'.encode())
        return POSTGRES
    return MEMORY if kind == 'memory' or folder is None else str(folder / 'store.db')


def taken(*documents: Document) -> int:
    """The bytes that different documents take of a store's cap, with their index."""
    with SourceStore() as store:
        for document in documents:
            store.collection().add(document)
        return store.size()


def held(path: Path) -> int:
    """The bytes that all that is in a file takes, reckoned from what is there."""
    names = {str(name) for (name,) in query(path, 'SELECT DISTINCT collection FROM sources')}
    documents = query(path, 'SELECT collection, text, title FROM sources JOIN texts USING (collection, id)')
    [(beside,)] = query(
        path,
        'SELECT total(size) FROM (SELECT length(vector) AS size FROM vectors UNION ALL '
        'SELECT length(text) FROM work UNION ALL SELECT length(links) FROM details UNION ALL '
        'SELECT length(CAST(url AS BLOB)) FROM sources UNION ALL '
        f'SELECT {page_details._ADDRESS_BYTES} + length(url) + 2 * length(key) + length(page) FROM addresses)',
    )
    return sum(
        taken(*(Document(bytes(text).decode(), str(title)) for of, text, title in documents if of == name))
        for name in names
    ) + round(beside)


def make_room(collection: Collection, *, to: int) -> None:
    """Evict until no more than so many bytes are left."""
    with collection.database.write() as db:
        cap, collection.database.cap = collection.database.cap, to
        collection.database.make_room(db, collection.database.now())
        collection.database.cap = cap


def ids(collection: Collection) -> list[str]:
    return [source.id for source in collection.sources()]


def titles(collection: Collection) -> list[str]:
    return [source.title for source in collection.sources()]


def found(collection: Collection, question: str) -> list[str]:
    """The texts of the passages that have all terms of a question."""
    with collection.database.read() as db:
        rows = candidates.rows_with(db, asked(question).terms, index.spans_of(db, collection.name), 100)
    return [passage.text for passage in collection.passages(rows)]


def rows(collection: Collection, sql: str) -> int:
    """What SQL counts."""
    with collection.database.read() as db:
        [count] = db.execute(sql).fetchone()
        return count


def query(path: Path, sql: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(path)) as db:
        return db.execute(sql).fetchall()


def sound(path: Path) -> bool:
    """Whether SQLite finds no fault, and the running total, the texts and the index agree with the rows."""
    assert query(path, 'PRAGMA integrity_check') == [('ok',)]
    assert query(path, "INSERT INTO words (words) VALUES ('integrity-check')") == []
    assert query(path, 'SELECT count(*) FROM sources') == query(
        path, 'SELECT count(*) FROM indexed JOIN sources ON id = source AND sources.collection = indexed.collection'
    )
    assert query(path, 'SELECT coalesce(sum(passages), 0) FROM indexed') == query(
        path,
        'SELECT count(*) FROM passages JOIN sources ON sources.id = source AND sources.collection = passages.collection',
    )
    assert query(path, 'SELECT count(*) FROM sources') == query(
        path, 'SELECT count(*) FROM texts JOIN sources USING (collection, id)'
    )
    return query(path, 'SELECT bytes FROM total') == [(held(path),)]
