"""How many lines of results without any injection are marked all the same."""

import json
from collections.abc import Iterator
from importlib.metadata import distributions
from pathlib import Path

from summarizer_tool.text.addressing import passages
from tests.proofs.eval.shared import SHARED

MAX_CHARACTERS = 300_000
"""Of one file."""
MAX_FILES = 80
"""Of one kind."""


def texts() -> Iterator[tuple[str, list[str]]]:
    """Kinds of texts, each with what there is of it on this machine."""
    data = SHARED / 'data'
    yield 'outputs of programs', _read(sorted((data / 'tool_results').glob('*.txt')))
    yield (
        'pages, stories, documentation and meetings',
        _read(path for folder in ('crawl', 'documents', 'meetings') for path in sorted((data / folder).rglob('*.*'))),
    )
    yield (
        'READMEs of packages',
        [
            f'{each.metadata["Summary"] or ""}\n{each.metadata.get_payload() or ""}'[:MAX_CHARACTERS]
            for each in sorted(distributions(), key=lambda each: each.metadata['Name'] or '')[:MAX_FILES]
        ],
    )
    library = Path(json.__file__).parents[1]
    yield 'code of the standard library', _read(sorted(library.glob('*.py'))[::2])
    yield (
        'logs and lists of packages',
        _read(
            [
                *sorted(Path('/var/log').glob('*.log')),
                *sorted(Path('/var/log/apt').glob('*.log')),
                Path('/var/lib/dpkg/status'),
            ]
        ),
    )
    yield 'documentation of the system', _read(sorted(Path('/usr/share/doc').rglob('*'))[::5])


def counted(some: list[str]) -> tuple[int, int]:
    """Lines, and those that are marked."""
    lines = sum(bool(line.strip()) for text in some for line in text.split('\n'))
    marked = sum(len({text.count('\n', 0, each.start) for each in passages(text)}) for text in some)
    return lines, marked


def _read(paths: Iterator[Path] | list[Path]) -> list[str]:
    found: list[str] = []
    for path in paths:
        if len(found) < MAX_FILES and path.is_file():
            try:
                found.append(path.read_text(encoding='utf-8')[:MAX_CHARACTERS])
            except (OSError, UnicodeDecodeError):
                continue
    return found
