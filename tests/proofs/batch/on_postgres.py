"""`make test-postgres`: tests of batches and of stores on a server of their own; the exit code is that of pytest."""

import os
import sys
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.postgres import postgres

if TYPE_CHECKING:
    from summarizer_tool.store.connections import Connections
    from summarizer_tool.store.postgres import PostgresConnections

TESTS = (
    'tests/batch',
    'tests/store/test_addresses.py',
    'tests/store/test_concurrency.py',
    'tests/store/test_index.py',
    'tests/store/test_index_words.py',
    'tests/store/test_page_texts.py',
    'tests/store/test_postgres.py',
    'tests/store/test_size_cap.py',
    'tests/store/test_source_store.py',
    'tests/mapreduce/test_answer_cache.py',
    'tests/evidence/search',
    'tests/server/test_replicas.py',
)


class InPostgres:
    """Lets each store that would be in memory be in a schema of its own."""

    def __init__(self, url: str) -> None:
        self._url = url

    def pytest_sessionstart(self) -> None:
        """Begin."""
        from summarizer_tool.store import database
        from summarizer_tool.store.postgres import PostgresConnections

        opened, number = database.connections_to, count(10_000)

        def connections_to(path: str | Path) -> 'Connections | PostgresConnections':
            if str(path) == database.MEMORY:
                return PostgresConnections(self._url, next(number), database.FORMAT.tables)
            return opened(path)

        database.connections_to = connections_to


def main() -> None:
    """Run them."""
    with postgres() as url:
        os.environ['TEST_POSTGRES_URL'] = url
        code = pytest.main(['-n', '0', *(sys.argv[1:] or TESTS)], plugins=[InPostgres(url)])
    sys.exit(code)


if __name__ == '__main__':
    main()
