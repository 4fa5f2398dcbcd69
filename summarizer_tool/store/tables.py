"""The tables of a store's file."""

from typing import Final

from summarizer_tool.settings import variable
from summarizer_tool.store import index, page_details
from summarizer_tool.store.sqlite_file import DatabaseFormat

_SOURCES = (
    # The text stands apart, since a changed row is written as a whole, and `used_at` changes often.
    """CREATE TABLE sources (
        collection TEXT NOT NULL, id TEXT NOT NULL, title TEXT NOT NULL, url TEXT NOT NULL,
        fetched_at INTEGER, added_at INTEGER NOT NULL, used_at INTEGER NOT NULL,
        size INTEGER NOT NULL, tokens INTEGER NOT NULL, lines INTEGER NOT NULL, digest BLOB NOT NULL,
        -- Bytes of all that is kept of it: its text, passages and their words, vectors, images and links.
        held INTEGER NOT NULL,
        PRIMARY KEY (collection, id)) STRICT""",
    # A BLOB, since SQLite's own functions end a TEXT at its first NUL character.
    """CREATE TABLE texts (
        collection TEXT NOT NULL, id TEXT NOT NULL, text BLOB NOT NULL, PRIMARY KEY (collection, id)) STRICT""",
    """CREATE TABLE work (
        collection TEXT NOT NULL, kind TEXT NOT NULL, key BLOB NOT NULL, target INTEGER NOT NULL,
        used_at INTEGER NOT NULL, size INTEGER NOT NULL, text BLOB NOT NULL,
        PRIMARY KEY (collection, kind, key, target)) STRICT""",
    """CREATE TABLE evicted (
        number INTEGER PRIMARY KEY, collection TEXT NOT NULL, id TEXT NOT NULL, title TEXT NOT NULL,
        evicted_at INTEGER NOT NULL, UNIQUE (collection, id)) STRICT""",
    # They cover what is asked for to make room, and what is used last.
    'CREATE INDEX sources_by_use ON sources (collection, used_at, held)',
    'CREATE INDEX work_by_use ON work (collection, used_at, size)',
    # The running total changes in the transaction of what it counts, whoever writes and whenever the process dies.
    'CREATE TABLE total (bytes INTEGER NOT NULL) STRICT',
    'INSERT INTO total VALUES (0)',
    'CREATE TRIGGER source_added AFTER INSERT ON sources BEGIN UPDATE total SET bytes = bytes + new.held; END',
    """CREATE TRIGGER source_grown AFTER UPDATE OF held ON sources BEGIN
        UPDATE total SET bytes = bytes + new.held - old.held; END""",
    """CREATE TRIGGER source_deleted AFTER DELETE ON sources BEGIN
        UPDATE total SET bytes = bytes - old.held;
        DELETE FROM texts WHERE collection = old.collection AND id = old.id; END""",
    'CREATE TRIGGER work_added AFTER INSERT ON work BEGIN UPDATE total SET bytes = bytes + new.size; END',
    'CREATE TRIGGER work_deleted AFTER DELETE ON work BEGIN UPDATE total SET bytes = bytes - old.size; END',
)

FORMAT: Final = DatabaseFormat(
    application=0x53756D31,  # 'Sum1'
    version=3,
    tables=(*_SOURCES, *index.SCHEMA, *page_details.SCHEMA),
    unusable=f'{variable("store")}={{path}} cannot be used',
    way_out=f'move it away, or set {variable("store")} to another path',
    # One process may be storing 50 MB on a slow disk, and others wait before us.
    busy_seconds=60.0,
)
"""The files of a store."""
