"""Faults of the store and of processes: each with what becomes of it, and the test that shows it."""

import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Fault:
    """A line of the table."""

    outcome: str
    """What the test asserts."""
    test: str
    """Its id, without parameters: all of them."""

    @property
    def exists(self) -> bool:
        """Whether there is such a test."""
        file, _, name = self.test.partition('::')
        return bool(re.search(rf'^(?:async )?def {name}\(', (REPOSITORY / file).read_text('utf-8'), re.MULTILINE))


FAULTS: dict[str, Fault] = {
    'disk full': Fault(
        'an error that says so; what was kept is whole, and goes on once there is room',
        'tests/store/test_files.py::test_a_full_disk_is_told_and_survived',
    ),
    'no page left in the file': Fault(
        'an error that says what to do; nothing is counted twice',
        'tests/store/test_files.py::test_a_full_store_is_told',
    ),
    'file or folder read-only': Fault(
        'an error when it is opened; nothing is changed or left beside it',
        'tests/store/test_files.py::test_what_may_not_be_written_stays_and_is_told',
    ),
    'file deleted while it is open': Fault(
        'an error; no empty file in its place', 'tests/store/test_files.py::test_a_file_that_was_taken_away'
    ),
    'file of another program, or of another version': Fault(
        'an error; it is left as it is', 'tests/store/test_files.py::test_the_files_of_others_are_left_alone'
    ),
    'file damaged before it is opened': Fault(
        'set aside with a warning, an empty one in its place',
        'tests/store/test_damaged_files.py::test_at_opening',
    ),
    'file damaged while it is open': Fault(
        'one call raises and says where it is now; all who share it go on with the new one',
        'tests/store/test_damaged_files.py::test_in_use',
    ),
    'damage found by several processes at once': Fault(
        'set aside once; no addition is lost',
        'tests/store/test_damaged_files.py::test_processes_that_find_it_at_once_replace_it_once',
    ),
    'damage found by a summary': Fault(
        'complete, with a warning; the next one has its handle',
        'tests/service/test_service.py::test_a_damaged_store_is_told_and_the_summary_made_all_the_same',
    ),
    'bytes of a text changed': Fault(
        'an error that names its handle; never another text', 'tests/store/test_files.py::test_damage_is_told'
    ),
    'locked by another writer': Fault(
        'reads wait for nobody; a write waits, then says why it failed',
        'tests/store/test_concurrency.py::test_reads_wait_for_no_writer',
    ),
    'clock set forwards and back': Fault(
        'uses and versions keep their order', 'tests/store/test_clock_jumps.py::test_the_order_of_uses_and_versions'
    ),
    'writer killed at any moment': Fault(
        'all that it said it had written is there', 'tests/store/test_concurrency.py::test_killed_at_any_moment'
    ),
    'SIGTERM and kill -9 of the command line: reading, mapping, reducing, writing': Fault(
        'it ends, leaves no process and a sound store; the next run asks for nothing that was answered',
        'tests/cli/test_ended_at_each_stage.py::test_the_command_line',
    ),
    'SIGTERM and kill -9 of the server: reading, mapping, reducing, writing': Fault(
        'told to end, it answers first, with exit code 0; else as above',
        'tests/server/test_ended_at_each_stage.py::test_the_server',
    ),
    'SIGTERM with calls in flight, over HTTP': Fault(
        'answered within the grace period, degraded; exit code 0',
        'tests/server/test_process.py::test_calls_in_flight_are_answered',
    ),
    'a second SIGTERM': Fault('ends at once', 'tests/server/test_process.py::test_a_second_signal_ends_it_at_once'),
    'kill -9 of the server, and a restart': Fault(
        'sources are there', 'tests/server/test_process.py::test_sources_outlive_a_restart'
    ),
    'garbage on stdin': Fault(
        'an error of one line for each; the next message is answered',
        'tests/server/test_stdio_faults.py::test_garbage_between_messages',
    ),
    'end of stdin at any byte': Fault(
        'what came whole is answered; exit code 0', 'tests/server/test_stdio_faults.py::test_the_end_at_any_byte'
    ),
    'a storm of cancellations, both protocols': Fault(
        'no call and no request to the model runs on; no file or connection is left',
        'tests/server/test_cancel_storms.py::test_a_storm_of_cancellations',
    ),
    'a client lost in a call, both protocols': Fault(
        'the requests to the model end', 'tests/server/test_calls.py::test_a_lost_client_stops_the_model_calls'
    ),
}
"""By what happens to the store or the process."""


def rows() -> list[str]:
    """The lines of the table, by the outline of `HEADER`."""
    return [f'{name} | {fault.outcome} | `{fault.test}`' for name, fault in FAULTS.items()]


def unproved() -> list[str]:
    """Run the tests of all lines; the names of those that did not pass."""
    tests = dict.fromkeys(fault.test for fault in FAULTS.values())
    command = [sys.executable, '-m', 'pytest', '-q', '-rA', '-m', 'slow or not slow', *tests]
    done = subprocess.run(command, cwd=REPOSITORY, stdout=subprocess.PIPE, text=True, check=False)
    outcomes = re.findall(r'^(PASSED|FAILED|ERROR) (\S+?::\w+)', done.stdout, re.MULTILINE)
    failed = {test for outcome, test in outcomes if outcome != 'PASSED'}
    passed = {test for _, test in outcomes} - failed
    if failed:
        print(done.stdout)
    return [name for name, fault in FAULTS.items() if fault.test not in passed]


HEADER = """
## Faults of the store and of processes

What becomes of a store whose file, disk, clock or lock fails, and of a program that is told to end, killed or fed garbage. `make fault-matrix` runs each test, and writes this table where all pass.

What happens | What becomes of it | Shown by
--- | --- | ---
"""
