"""The database of batches, SQLite or Postgres: what DBOS keeps, and beside that answers, and who works on what."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import sqlalchemy
from dbos import DBOS, DBOSClient, DBOSPortableJSONSerializer
from dbos import error as dbos_errors
from sqlalchemy.exc import SQLAlchemyError

from summarizer_tool.errors import ConfigurationError, StoreError
from summarizer_tool.store.postgres import one_at_a_time, parsed_url, shown, unusable

APPLICATION = 'summarizer'
"""Whose workflows and queues these are, where others keep theirs in the same database."""

SERIALIZER = DBOSPortableJSONSerializer()
"""JSON: what is read from a database that others can write to must not be able to run code."""

_TABLES = (
    """CREATE TABLE IF NOT EXISTS summarizer_answers (
        key TEXT NOT NULL, target BIGINT NOT NULL, answer TEXT NOT NULL, PRIMARY KEY (key, target))""",
    """CREATE TABLE IF NOT EXISTS summarizer_counts (
        kind TEXT NOT NULL, name TEXT NOT NULL, times BIGINT NOT NULL, PRIMARY KEY (kind, name))""",
)

Counted = Literal['worker', 'job']
"""How often a worker has said that it lives; how often a job was begun and never ended, since its worker died."""


class BatchDatabase:
    """A database that is there, with its tables."""

    def __init__(self, url: str) -> None:
        """Connect to `postgresql://…` or `sqlite:///PATH`; raises `ConfigurationError`, which has no password in it."""
        parsed = parsed_url(url)
        self.is_sqlite = parsed.drivername == 'sqlite'
        self.shown = shown(parsed)
        """Its URL without the password."""
        # With any other name SQLAlchemy would look for a driver that dbos does not bring.
        driver = 'sqlite' if self.is_sqlite else 'postgresql+psycopg'
        self.url = url if self.is_sqlite else parsed.set(drivername='postgresql').render_as_string(hide_password=False)
        options = {'connect_args': {'timeout': 30}} if self.is_sqlite else {'pool_pre_ping': True}
        self._engine = sqlalchemy.create_engine(parsed.set(drivername=driver), **options)
        try:
            self._make_tables()
            DBOS.migrate(self.url)
        except (SQLAlchemyError, dbos_errors.DBOSException, OSError) as error:
            raise ConfigurationError(unusable(self.shown, error)) from None

    @classmethod
    def in_file(cls, path: Path) -> 'BatchDatabase':
        """A database of this machine alone."""
        return cls(sqlalchemy.URL.create('sqlite', database=str(path.resolve())).render_as_string())

    def client(self) -> DBOSClient:
        """What enqueues, lists and cancels workflows."""
        return DBOSClient(system_database_url=self.url, serializer=SERIALIZER, application_name=APPLICATION)

    @contextmanager
    def in_use(self) -> Generator[None]:
        """Work with it, also by DBOS; raises `StoreError`, as every method does, if it cannot be read or written."""
        try:
            yield
        except (SQLAlchemyError, dbos_errors.DBOSException) as error:
            raise StoreError(unusable(self.shown, error)) from error

    # Answers by what was asked, whoever asked it: whoever goes on with a document finds those that it has already. The
    # calls of a document are no steps of its workflow: DBOS knows steps by the order in which they begin, which must be
    # the same when a workflow runs again, and calls begin when others end. Their content is the same.

    def answer(self, key: str, *, least: int, most: int) -> str | None:
        """The answer for the smallest target in a range, if any; no whole result, which DBOS keeps of a step."""
        query = (
            'SELECT answer FROM summarizer_answers WHERE key = :key AND target BETWEEN :least AND :most ORDER BY target'
        )
        found = self._run(f'{query} LIMIT 1', key=key, least=least, most=most)
        return found[0][0] if found else None

    def keep_answer(self, key: str, target: int, answer: str) -> None:
        """Keep an answer made for a target, but no whole result; the first one stays."""
        if not target:
            return
        insert = 'INSERT INTO summarizer_answers VALUES (:key, :target, :answer) ON CONFLICT DO NOTHING'
        self._run(insert, key=key, target=target, answer=answer)

    def count(self, kind: Counted, name: str) -> None:
        """Count once more."""
        insert = (
            'INSERT INTO summarizer_counts VALUES (:kind, :name, 1) '
            'ON CONFLICT (kind, name) DO UPDATE SET times = summarizer_counts.times + 1'
        )
        self._run(insert, kind=kind, name=name)

    def counts(self, kind: Counted) -> dict[str, int]:
        """What has been counted, by name."""
        found = self._run('SELECT name, times FROM summarizer_counts WHERE kind = :kind', kind=kind)
        return {row.name: row.times for row in found}

    def forget(self, kind: Counted, name: str) -> None:
        """Take a worker for dead; or a job for ended, or its end for no death."""
        self._run('DELETE FROM summarizer_counts WHERE kind = :kind AND name = :name', kind=kind, name=name)

    def forget_workers_of(self, batch: str) -> None:
        """Take for dead whatever workers `summarizer batch` has started for a batch."""
        delete = "DELETE FROM summarizer_counts WHERE kind = 'worker' AND substr(name, 1, length(:batch)) = :batch"
        self._run(delete, batch=batch)

    def close(self) -> None:
        """Close its connections."""
        self._engine.dispose()

    def _make_tables(self) -> None:
        with self._engine.begin() as connection:
            if self.is_sqlite:
                # It stays so in the file: whoever reads does not keep the others from writing.
                connection.exec_driver_sql('PRAGMA journal_mode = WAL')
            else:
                connection.execute(
                    sqlalchemy.text('SELECT pg_advisory_xact_lock(:key)'), {'key': one_at_a_time(APPLICATION)}
                )
            for table in _TABLES:
                connection.execute(sqlalchemy.text(table))

    def _run(self, query: str, **values: str | int) -> Sequence[sqlalchemy.Row[Any]]:
        with self.in_use(), self._engine.begin() as connection:
            result = connection.execute(sqlalchemy.text(query), values)
            return result.all() if result.returns_rows else ()
