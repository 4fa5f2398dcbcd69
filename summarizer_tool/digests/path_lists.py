"""Lists of files: in which folders they are, and of which kinds."""

from collections.abc import Iterator, Sequence
from os.path import commonpath
from pathlib import PurePosixPath

from summarizer_tool.digests.records import usual_statements
from summarizer_tool.digests.statements import DigestStatement

_LEAST = 13
_PATHS = 0.9
"""Share of the lines that have a folder and no blanks."""


def are_paths(lines: Sequence[str]) -> bool:
    """Return whether a text is a list of files, one a line."""
    filled = [line.strip() for line in lines if line.strip()]
    paths = sum('/' in line and '://' not in line and len(line.split()) == 1 for line in filled)
    return len(filled) >= _LEAST and paths >= _PATHS * len(filled)


def path_statements(lines: Sequence[str]) -> Iterator[DigestStatement]:
    """How many files there are, below which folder, how many in each folder of that, and of which kinds."""
    paths = [PurePosixPath(line.strip()) for line in lines if line.strip()]
    rooted = [path for path in paths if path.is_absolute() == paths[0].is_absolute()]
    top = PurePosixPath(commonpath([path.parent for path in rooted]))
    inner = [path.relative_to(top) for path in rooted]
    rows = [{'folder': path.parts[0] if len(path.parts) > 1 else '', 'kind': path.suffix} for path in inner]
    yield from usual_statements(f'paths below {top}' if top.name else 'paths', rows)
