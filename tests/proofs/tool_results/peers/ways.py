"""What runs in the environment of a peer: each of its ways on each text of a folder, timed, as JSON on the last line.

Standard library only.
"""

import json
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

QUESTION = 'Is anything wrong or unusual here?'

Way = Callable[[str], str]
"""What an agent is shown in place of a text."""


def show(ways: Mapping[str, Way]) -> None:
    """Print `{way: {name: [what is shown, seconds]}}` for the texts of the folder in the arguments."""
    folder = Path(sys.argv[1])
    shown = {
        name: {path.stem: _timed(way, path.read_text(encoding='utf-8')) for path in sorted(folder.glob('*.txt'))}
        for name, way in ways.items()
    }
    print(json.dumps(shown))


def _timed(way: Way, text: str) -> tuple[str, float]:
    started = time.perf_counter()
    shown = way(text)
    return shown, time.perf_counter() - started
