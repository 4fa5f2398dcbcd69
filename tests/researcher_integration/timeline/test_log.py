"""The log: what it keeps, what goes first, and who may read it meanwhile."""

import sqlite3
import stat
from datetime import UTC, datetime
from pathlib import Path
from threading import Thread

import pytest
from inline_snapshot import snapshot

from researcher_integration.timeline.events import Draft, encoded
from researcher_integration.timeline.log import EventLog
from summarizer_tool import ConfigurationError, StoreError
from tests.support.timeline import result

NOON = datetime(2031, 5, 4, 12, tzinfo=UTC)


def event(seq: int, text: str = 'all is well', run: str = 'run') -> Draft:
    return result(text).model_copy(update={'run_id': run, 'seq': seq, 'time': NOON})


def seqs(log: EventLog, run: str = 'run', after: int = 0) -> list[int]:
    return [found.seq for found in log.read(run, after=after)]


@pytest.fixture(params=['memory', 'file'])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> str | Path:
    return ':memory:' if request.param == 'memory' else tmp_path / 'new' / 'timeline.sqlite3'


def test_events_are_read_in_order_from_a_number_on(path: str | Path) -> None:
    with EventLog(path) as log:
        for seq in (1, 2, 5, 6):
            log.append(event(seq))
        log.append(event(1, run='other'))
        assert log.read('run', after=2) == [event(5), event(6)]
        assert log.read('run', limit=2) == [event(1), event(2)]
        assert log.read('run', after=2**70) == []
        assert log.read('unknown') == []
        assert log.run('unknown') is None
        with pytest.raises(StoreError, match='UNIQUE'):
            log.append(event(2))
        log.append(event(7))


def test_what_is_known_of_runs() -> None:
    with EventLog() as log:
        log.append(event(1, run='first'))
        log.append(event(3, run='first'))
        log.end('first')
        log.append(event(1, run='second'))
        known = [run.model_dump(exclude={'began_at', 'updated_at'}) for run in log.runs()]
        assert known == snapshot(
            [
                {'run_id': 'second', 'is_closed': False, 'last_seq': 1, 'events': 1, 'dropped': 0},
                {'run_id': 'first', 'is_closed': True, 'last_seq': 3, 'events': 2, 'dropped': 0},
            ]
        )
        first = log.run('first')
        assert first is not None
        assert first.began_at <= first.updated_at <= datetime.now(UTC)
        assert log.begin('first') == 3
        again = log.run('first')
        assert again is not None
        assert (first.is_closed, again.is_closed) == (True, False)


def test_the_oldest_events_go_first_and_with_their_last_one_runs_that_have_ended() -> None:
    with EventLog(max_mb=0.05) as log:
        for run in ('live', 'a', 'b', 'c'):
            log.append(event(1, 'x' * 9_000, run=run))
            if run != 'live':
                log.end(run)
        for seq in (1, 2, 3):
            log.append(event(seq, 'x' * 9_000, run='d'))
        assert {run.run_id for run in log.runs()} == {'live', 'b', 'c', 'd'}
        assert seqs(log, 'live') == []
        assert log.run('a') is None
        for seq in range(4, 20):
            log.append(event(seq, 'x' * 9_000, run='d'))
            assert sum(map(len, map(encoded, log.read('d')))) <= 50_000
        assert {run.run_id for run in log.runs()} == {'live', 'd'}
        left = log.run('d')
        assert left is not None
        assert (left.events, left.dropped, left.last_seq) == snapshot((5, 14, 19))
        assert seqs(log, 'd') == snapshot([15, 16, 17, 18, 19])


def test_the_file_is_its_owners_alone(tmp_path: Path) -> None:
    with EventLog(tmp_path / 'new' / 't.sqlite3') as log:
        log.append(event(1))
        for file in Path(log.path).parent.iterdir():
            assert stat.S_IMODE(file.stat().st_mode) == 0o600, file


def test_what_cannot_be_a_log(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match='cannot be used as a log of timelines'):
        EventLog(tmp_path)
    foreign = tmp_path / 'foreign.sqlite3'
    db = sqlite3.connect(foreign)
    db.execute('CREATE TABLE theirs (a)')
    db.commit()
    db.close()
    before = foreign.read_bytes()
    with pytest.raises(StoreError, match='belongs to another program; it is left as it is: name another path'):
        EventLog(foreign)
    assert foreign.read_bytes() == before
    text = tmp_path / 'notes.txt'
    text.write_text('no database, and long enough to be read as one. ' * 40)
    with pytest.raises(StoreError, match='is no SQLite file, or is damaged'):
        EventLog(text)


def test_a_closed_log_says_so() -> None:
    log = EventLog()
    log.close()
    log.close()
    with pytest.raises(StoreError, match='is closed'):
        log.read('run')


def test_threads_share_a_log(path: str | Path) -> None:
    with EventLog(path) as log:
        runs = [f'run-{number}' for number in range(4)]

        def write(run: str) -> None:
            for seq in range(1, 41):
                log.append(event(seq, run=run))

        threads = [Thread(target=write, args=(run,)) for run in runs]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert all(seqs(log, run) == list(range(1, 41)) for run in runs)
