"""Lists of files: in which folders they are, and of which kinds."""

from collections import Counter
from collections.abc import Iterator, Sequence
from os.path import commonpath
from pathlib import PurePosixPath

from summarizer_tool.digests.statements import DigestStatement, one_line

_LEAST = 10
_PATHS = 0.9
"""Share of the lines that have a folder and no blanks."""
_SHOWN = 24


def are_paths(lines: Sequence[str]) -> bool:
    """Return whether a text is a list of files, one a line."""
    filled = [line.strip() for line in lines if line.strip()]
    paths = sum('/' in line and '://' not in line and len(line.split()) == 1 for line in filled)
    return len(filled) >= _LEAST and paths >= _PATHS * len(filled)


def path_statements(lines: Sequence[str]) -> Iterator[DigestStatement]:
    """How many files there are, below which folder, how many in each, and of which kinds."""
    paths = [PurePosixPath(line.strip()) for line in lines if line.strip()]
    rooted = [path for path in paths if path.is_absolute() == paths[0].is_absolute()]
    top = PurePosixPath(commonpath([path.parent for path in rooted]))
    below = f' below {top}' if top.name else ''
    folders = len({path.parent for path in paths})
    yield DigestStatement(f'list of {len(paths)} paths in {folders} folders{below}', 100.0, 'overview')
    inner = [path.relative_to(top).parts for path in rooted]
    # A path that is above another one is a folder.
    counts = Counter(f'{parts[0]}/' for parts in inner if len(parts) > 1)
    if alone := sum(len(parts) == 1 and f'{parts[0]}/' not in counts for parts in inner):
        counts['beside these'] = alone
    yield DigestStatement(f'folders: {_listed(counts)}', 80.0, 'fields')
    yield DigestStatement(f'kinds: {_listed(Counter(path.suffix or "none" for path in paths))}', 60.0, 'fields')


def _listed(counts: Counter[str]) -> str:
    more = f', … {len(counts) - _SHOWN} more' if len(counts) > _SHOWN else ''
    return ', '.join(f'{one_line(name, 60)} ×{count}' for name, count in counts.most_common(_SHOWN)) + more
