"""The SQLite file below a log of timelines."""

from typing import Final

from summarizer_tool import DatabaseFormat

MEMORY: Final = ':memory:'
"""The path of a log that ends with its process."""

_TABLES = (
    """CREATE TABLE runs (
        number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, began_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
        is_closed INTEGER NOT NULL DEFAULT 0, reserved INTEGER NOT NULL DEFAULT 0, events INTEGER NOT NULL DEFAULT 0,
        bytes INTEGER NOT NULL DEFAULT 0, dropped INTEGER NOT NULL DEFAULT 0) STRICT""",
    """CREATE TABLE events (
        run INTEGER NOT NULL, seq INTEGER NOT NULL, body BLOB NOT NULL, PRIMARY KEY (run, seq)) STRICT""",
    'CREATE INDEX runs_by_use ON runs (is_closed DESC, updated_at)',
    # The sum changes in the transaction of what it counts, whoever writes and whenever the process dies.
    'CREATE TABLE total (bytes INTEGER NOT NULL) STRICT',
    'INSERT INTO total VALUES (0)',
    """CREATE TRIGGER run_changed AFTER UPDATE OF bytes ON runs BEGIN
        UPDATE total SET bytes = bytes + new.bytes - old.bytes; END""",
    """CREATE TRIGGER run_deleted AFTER DELETE ON runs BEGIN
        UPDATE total SET bytes = bytes - old.bytes; DELETE FROM events WHERE run = old.number; END""",
)

FORMAT = DatabaseFormat(
    application=0x54696D31,  # 'Tim1'
    version=1,
    tables=_TABLES,
    unusable='{path} cannot be used as a log of timelines',
    busy_seconds=10.0,
)
