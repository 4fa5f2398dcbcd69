"""What the queries of a store ask of a connection, which SQLite's own has; `postgres.py` has another."""

import json
import os
import sqlite3
import threading
from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from summarizer_tool.errors import StoreError


class StoreConnection(Protocol):
    """A connection to the database of a store; queries are in the SQL of SQLite."""

    def execute(self, sql: str, parameters: Sequence[Any] = ..., /) -> Any:
        """Run a query; what it gives is a cursor of the driver."""

    def executemany(self, sql: str, parameters: Iterable[Sequence[Any]], /) -> Any:
        """Run a query for each row of parameters."""


class Among(list[Any]):
    """Values for the one parameter of `AMONG`."""

    def __conform__(self, protocol: object) -> str | None:
        return json.dumps(self) if protocol is sqlite3.PrepareProtocol else None


AMONG = 'IN (SELECT value FROM json_each(?))'


class Pool:
    """What the connections to a file and those to a Postgres have in common."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.writing = threading.Lock()
        """Held by the thread that writes."""
        self._is_closed = False
        self._process = os.getpid()

    def _check(self) -> None:
        if os.getpid() != self._process:  # which has the locks that SQLite believes to have here
            raise StoreError(f'the store {self.path} was opened before a fork; open it in the process that uses it')
        if self._is_closed:
            raise StoreError(f'the store {self.path} is closed')
