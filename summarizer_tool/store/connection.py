"""What the queries of a store ask of a connection, which SQLite's own has; `postgres.py` has another."""

import json
import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any, Protocol


class StoreConnection(Protocol):
    """A connection to the database of a store; queries are in the SQL of SQLite."""

    def execute(self, sql: str, parameters: Sequence[Any] = ..., /) -> Any:
        """Run a query; what it gives is a cursor of the driver."""

    def executemany(self, sql: str, parameters: Iterable[Sequence[Any]], /) -> Any:
        """Run a query for each row of parameters."""


class Among(list[Any]):
    """Values for the one parameter of `AMONG`."""

    def __conform__(self, protocol: object) -> str | None:
        """What SQLite is given."""
        return json.dumps(self) if protocol is sqlite3.PrepareProtocol else None


AMONG = 'IN (SELECT value FROM json_each(?))'
