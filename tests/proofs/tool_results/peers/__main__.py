"""`make tool-results-peers`: what an agent still learns from ten outputs of other programs, beside three peers.

Each peer runs in an environment of its own, which this makes at first. Nothing here needs a key; where summaries are
those of a model, simulated ones make them. The outputs and the facts that are planted in them are no part of this
repository: they are looked for in `../shared`, or where `SUMMARIZER_SHARED` says.
"""

import json
import os
import statistics
import subprocess
import sys
import venv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from summarizer_tool.text import tokens
from tests.proofs.eval import shared
from tests.proofs.load.goals import Goals

OUTPUTS = shared.SHARED / 'data' / 'tool_results'
ROOT = Path(__file__).resolve().parents[4]
ENVIRONMENTS = ROOT / 'build' / 'peers'

KEPT = 0.9
"""The share of the facts that summaries without a model keep, at least."""


@dataclass(frozen=True, slots=True)
class Peer:
    """What is run."""

    module: str
    arguments: Sequence[str] = ()
    packages: Sequence[str] = ()
    """What its environment needs; none where it runs in this one."""

    def run(self) -> dict[str, dict[str, tuple[str, float]]]:
        """What is shown, and seconds, by way and output."""
        python = _environment(self.packages) if self.packages else Path(sys.executable)
        home = ENVIRONMENTS / 'home'  # what they keep on disk
        home.mkdir(parents=True, exist_ok=True)
        done = subprocess.run(
            [python, '-m', f'tests.proofs.tool_results.peers.{self.module}', OUTPUTS, *self.arguments],
            cwd=ROOT,
            env={**os.environ, 'HOME': str(home), 'PYTHONPATH': str(ROOT)},
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        return json.loads(done.stdout.splitlines()[-1])


PEERS = (
    Peer('of_agents'),
    Peer('of_agents', ['harness'], ['-e', f'{ROOT}[tool-results]', 'pydantic-ai-harness==0.62.0']),
    Peer('of_headroom', packages=['headroom-ai==0.42.0']),
    Peer('of_distil', packages=['distil-llm==1.58.0']),
)


@dataclass(frozen=True, slots=True)
class Row:
    """What one way makes of all outputs."""

    way: str
    kept: Mapping[str, int]
    """Facts, by output."""
    sizes: Sequence[int]
    """Tokens shown."""
    seconds: Sequence[float]

    def line(self) -> str:
        return (
            f'| {self.way} | {sum(self.kept.values())} | {statistics.median(self.sizes):,.0f} | {max(self.sizes):,} '
            f'| {sum(self.seconds):.1f} | {max(self.seconds):.1f} |'
        )


def _environment(packages: Sequence[str]) -> Path:
    folder = ENVIRONMENTS / packages[-1].partition('==')[0]
    python, made = folder / 'bin' / 'python', folder / 'packages'
    if not made.is_file() or made.read_text() != '\n'.join(packages):
        venv.create(folder, with_pip=True, clear=True)
        subprocess.run(
            [python, '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', *packages], check=True
        )
        made.write_text('\n'.join(packages))
    return python


def _rows() -> list[Row]:
    scoring = shared.tool('tool_results')
    assert scoring is not None
    rows: list[Row] = []
    for peer in PEERS:
        for way, shown in peer.run().items():
            kept = {name: len(scoring.score(name, text)[0]) for name, (text, _) in shown.items()}
            sizes = [tokens.count(text) for text, _ in shown.values()]
            rows.append(Row(way, kept, sizes, [seconds for _, seconds in shown.values()]))
    return rows


def main() -> None:
    goals = Goals()
    scoring = shared.tool('tool_results')
    if scoring is None:
        goals.skip('the outputs', f'{OUTPUTS} is not there; SUMMARIZER_SHARED names the folder above data and tools')
        sys.exit(goals.report())
    planted = {name: len(facts) for name, facts in scoring.FACTS.items()}
    total = sum(planted.values())
    rows = _rows()
    print(f'| Way | Facts of {total} | Tokens shown, median | most | Seconds for all | for the slowest |')
    print('| --- | --: | --: | --: | --: | --: |')
    for row in rows:
        print(row.line())
    print()
    print('| Facts kept of | ' + ' | '.join(f'{name} {number}' for name, number in planted.items()) + ' |')
    print('| --- |' + ' --: |' * len(planted))
    for row in rows:
        print(f'| {row.way} | ' + ' | '.join(str(row.kept[name]) for name in planted) + ' |')
    print()
    goals.at_least('facts kept without a model', sum(rows[0].kept.values()) / total, KEPT)
    sys.exit(goals.report())


if __name__ == '__main__':
    main()
