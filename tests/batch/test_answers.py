"""Answers that several processes share: in SQLite beside DBOS, and in Postgres where there is one."""

import os
from collections.abc import Generator
from contextlib import closing
from pathlib import Path

import pytest

from summarizer_tool.batch.database import BatchDatabase
from summarizer_tool.errors import ConfigurationError, StoreError

POSTGRES = os.environ.get('TEST_POSTGRES_URL', '')
"""Set by `make test-postgres`."""

ON_POSTGRES = pytest.param('postgres', marks=pytest.mark.skipif(not POSTGRES, reason='make test-postgres runs it'))


@pytest.fixture(params=['sqlite', ON_POSTGRES])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[BatchDatabase]:
    url = POSTGRES if request.param == 'postgres' else f'sqlite:///{tmp_path / "batch.sqlite3"}'
    with closing(BatchDatabase(url)) as opened:
        yield opened


def test_the_answer_for_the_smallest_target_in_a_range(database: BatchDatabase, tmp_path: Path) -> None:
    key = f'key of {tmp_path}'
    assert database.answer(key, least=0, most=10**9) is None
    for target in (400, 100, 200):
        database.keep_answer(key, target, f'{{"for": {target}, "text": "Überblick \\u0000 𝒜"}}')
    answers = [database.answer(key, least=least, most=most) for least, most in ((100, 400), (101, 400), (201, 399))]
    assert answers == [
        '{"for": 100, "text": "Überblick \\u0000 𝒜"}',
        '{"for": 200, "text": "Überblick \\u0000 𝒜"}',
        None,
    ]
    assert database.answer('another key', least=0, most=10**9) is None


def test_a_database_that_two_processes_open(tmp_path: Path) -> None:
    """Each is one of many that make its tables; what one keeps, the other finds, and who lives both see."""
    folder = tmp_path / 'what? 100%41'
    folder.mkdir()
    first, second = (BatchDatabase.in_file(folder / 'batch.sqlite3') for _ in range(2))
    assert (folder / 'batch.sqlite3').is_file()
    first.keep_answer('key', 5, 'answer')
    assert second.answer('key', least=5, most=5) == 'answer'
    for counting, name in ((first, 'a'), (second, 'b'), (first, 'a'), (second, 'batch-1'), (second, 'a batch-3')):
        counting.count('worker', name)
    first.count('job', 'a')
    assert second.counts('worker') == {'a': 2, 'b': 1, 'batch-1': 1, 'a batch-3': 1}
    second.forget('worker', 'a')
    second.forget_workers_of('batch-')
    assert (first.counts('worker'), first.counts('job')) == ({'b': 1, 'a batch-3': 1}, {'a': 1})


def test_a_disk_without_room_is_told_of_the_file(tmp_path: Path) -> None:
    database = BatchDatabase.in_file(tmp_path / 'batch.sqlite3')
    with database._engine.connect() as connection:  # SQLite's own limit, which fails as a full disk does
        connection.exec_driver_sql('PRAGMA max_page_count = 1')
    with closing(database), pytest.raises(StoreError, match='is full; see that its disk has room, and that the file'):
        database.keep_answer('key', 1, 'x' * 1_000_000)


def test_a_database_that_fails(tmp_path: Path) -> None:
    database = BatchDatabase.in_file(tmp_path / 'batch.sqlite3')
    database.close()
    (tmp_path / 'batch.sqlite3').write_bytes(b'no database at all, but some text' * 100)
    with pytest.raises(StoreError, match='cannot be used: file is not a database; see that its disk has room'):
        database.answer('key', least=0, most=1)
    with pytest.raises(StoreError, match='file is not a database'), database.in_use():
        database.client().list_workflows()
    with pytest.raises(ConfigurationError, match='check SUMMARIZER_DATABASE_URL') as told:
        BatchDatabase('postgresql://someone:secret@127.0.0.1:1/batches')
    assert 'secret' not in str(told.value)
