"""`make mutants`: change the modules that guard something, one place at a time, and say which changes no test notices.

Slow: every change runs the tests of its module. `make mutants MUTANTS='deadline http --every 5'` tries a fifth of the
changes of two modules. The changes are made by cosmic-ray, in a copy of the repository.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.proofs.load.goals import Goals

ROOT = Path(__file__).parents[3]

GUARDS: dict[str, tuple[str, Sequence[str]]] = {
    'answer_cache': (
        'summarizer_tool/mapreduce/answer_cache.py',
        ['tests/mapreduce/test_cache_keys.py', 'tests/mapreduce/test_answer_cache.py'],
    ),
    'calls': ('summarizer_tool/server/calls.py', ['tests/server/test_call_times.py', 'tests/server/test_calls.py']),
    'deadline': (
        'summarizer_tool/runtime/deadline.py',
        ['tests/runtime/test_deadline.py', 'tests/server/test_call_times.py'],
    ),
    'grounding': ('summarizer_tool/mapreduce/grounding.py', ['tests/mapreduce/test_grounding.py']),
    'http': ('summarizer_tool/server/http.py', ['tests/server/test_http.py']),
    'masking': ('researcher_integration/masking', ['tests/researcher_integration/masking']),
    'page_details': (
        'summarizer_tool/store/page_details.py',
        ['tests/store/test_addresses.py', 'tests/store/test_page_texts.py'],
    ),
    'provider_limit': ('summarizer_tool/llm/provider_limit.py', ['tests/llm/test_provider_limit.py']),
}
"""The module or folder, and what pytest runs for it."""

CONFIG = """\
[cosmic-ray]
module-path = {module}
timeout = {timeout}
excluded-modules = []
test-command = {command}

[cosmic-ray.distributor]
name = "local"

# In annotations, `|` is not computed.
[cosmic-ray.filters.operators-filter]
exclude-operators = ["core/ReplaceBinaryOperator_BitOr_.*"]
"""

SECONDS = 120
"""Of all tests of a module; a change that makes them hang is noticed."""


def copy_of_repository(folder: Path) -> Path:
    """The tracked and new files, without what git ignores."""
    copy = folder / 'repository'
    listed = subprocess.run(
        ['git', 'ls-files', '--cached', '--others', '--exclude-standard', '-z'],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    for name in listed.stdout.decode().split('\0'):
        if name and (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, copy / name)
    return copy


def survivors(copy: Path, name: str, every: int) -> tuple[int, list[str]]:
    """How many changes of a module were tried, and those that no test noticed."""
    module, tests = GUARDS[name]
    command = f'{sys.executable} -m pytest -x -q -p no:randomly -p no:cacheprovider {" ".join(tests)}'
    config, session = copy / f'{name}.toml', copy / f'{name}.sqlite'
    config.write_text(CONFIG.format(module=json.dumps(module), timeout=SECONDS, command=json.dumps(command)))
    tool = str(Path(sys.executable).with_name('cosmic-ray'))
    subprocess.run(command.split(), cwd=copy, check=True, stdout=subprocess.DEVNULL)  # without a change all pass
    subprocess.run([tool, 'init', config.name, session.name], cwd=copy, check=True, stdout=subprocess.DEVNULL)
    filtering = str(Path(sys.executable).with_name('cr-filter-operators'))
    subprocess.run([filtering, session.name, config.name], cwd=copy, check=True, stdout=subprocess.DEVNULL)
    _keep_every(session, every)
    subprocess.run([tool, 'exec', config.name, session.name], cwd=copy, check=True)
    dumped = subprocess.run([tool, 'dump', session.name], cwd=copy, check=True, capture_output=True, text=True)
    tried, lived = 0, list[str]()
    for line in dumped.stdout.splitlines():
        work, result = json.loads(line)
        if not result or result['worker_outcome'] != 'normal':
            continue
        tried += 1
        if result['test_outcome'] == 'survived':
            [mutation] = work['mutations']
            row, _ = mutation['start_pos']
            lived.append(
                f'{mutation["module_path"]}:{row} {mutation["operator_name"].removeprefix("core/")}\n{result["diff"]}'
            )
    return tried, lived


def _keep_every(session: Path, every: int) -> None:
    """Leave out all but every so many changes."""
    import sqlite3

    with sqlite3.connect(session) as db:
        jobs = [
            job
            for (job,) in db.execute('SELECT job_id FROM mutation_specs ORDER BY module_path, start_pos_row, job_id')
        ]
        left_out = [(job,) for index, job in enumerate(jobs) if index % every]
        for table in ('mutation_specs', 'work_results', 'work_items'):
            db.executemany(f'DELETE FROM {table} WHERE job_id = ?', left_out)
    db.close()


def main() -> None:
    parser = argparse.ArgumentParser(prog='python -m tests.proofs.mutants', description=__doc__)
    parser.add_argument('guards', nargs='*', choices=[*GUARDS, []], help=f'of {", ".join(GUARDS)}; by default all')
    parser.add_argument('--every', type=int, default=1, help='try only every so many changes')
    asked = parser.parse_args()
    goals = Goals()
    with tempfile.TemporaryDirectory() as folder:
        copy = copy_of_repository(Path(folder))
        for name in asked.guards or GUARDS:
            tried, lived = survivors(copy, name, asked.every)
            for change in lived:
                print(change)
            goals.note(name, f'{tried} changes, {len(lived)} survive')
            goals.so(f'{name}: some changes were tried, and most are noticed', is_so=len(lived) < tried / 2)
    sys.exit(goals.report())


if __name__ == '__main__':
    main()
