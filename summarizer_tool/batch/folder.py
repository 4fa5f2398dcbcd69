"""The output folder of a batch: what it was asked for, its results, and the account of every document."""

import json
import os
import secrets
from collections.abc import Generator, Iterable
from contextlib import AbstractContextManager, suppress
from pathlib import Path, PurePath

from pydantic import BaseModel, Field, ValidationError

from summarizer_tool.batch.job import Asked, Outcome
from summarizer_tool.errors import ConfigurationError
from summarizer_tool.runtime.folders import alone_in, write_whole
from summarizer_tool.schemas import Summary

DOCUMENTS = 'documents'
MERGED = 'merged'

SUFFIXES = ('.md', '.json')
"""Of the two files of a result."""
_LONGEST_PART = 240
"""Bytes of a part of a path, for a file system that allows 255 with the suffixes."""


class BatchRecord(BaseModel):
    """What `batch.json` says."""

    id: str = Field(default_factory=lambda: secrets.token_hex(8))
    """16 hex digits: what its jobs and its queue are called in the database."""
    source: str
    """The folder or the manifest."""
    asked: Asked
    merge: bool = False
    database: str
    """Where its jobs are, without a password."""
    per_worker: int
    """Documents at once in each process."""
    at_once: int | None = None
    """Documents at once in all processes together."""
    per_minute: int | None = None
    """Documents that are begun in a minute, by all processes together."""


class BatchFolder:
    """The folder that names a batch, and holds what comes of it."""

    def __init__(self, path: Path) -> None:
        self.path = Path(os.path.realpath(path))

    @property
    def database(self) -> Path:
        """The SQLite file, where no other database is named."""
        return self.path / 'batch.sqlite3'

    def record(self) -> BatchRecord | None:
        """What was asked for, if anything was; raises `ConfigurationError` if that cannot be read."""
        try:
            return BatchRecord.model_validate_json((self.path / 'batch.json').read_bytes())
        except FileNotFoundError:
            return None
        except (OSError, ValidationError):
            raise ConfigurationError(
                f'{self.path / "batch.json"} is not what this program has written; name another folder with --out'
            ) from None

    def begin(self, record: BatchRecord) -> BatchRecord:
        """Say what is asked for; what was done here before for the same request stays done."""
        if before := self.record():
            record = record.model_copy(update={'id': before.id})
        self._write('batch.json', record.model_dump_json(indent=2))
        return record

    def alone(self) -> AbstractContextManager[None]:
        """Keep other processes from the same batch; raises `ConfigurationError` if one has it, or no folder can be."""
        busy = f'another process runs the batch in {self.path}; wait for it, or look with --status'
        return alone_in(self.path, 'batch.lock', ConfigurationError, busy=busy, name=f'--out {self.path}')

    def keep(self, name: str, summary: Summary) -> None:
        """Write a result: the text, and beside it all of the summary as JSON."""
        self._write(f'{name}.md', f'{summary.text}\n' if summary.text else '')
        self._write(f'{name}.json', summary.model_dump_json(indent=1))

    def drop(self, name: str) -> None:
        """Delete a result, if there is one; one that cannot be deleted stays, beside what the report says of it."""
        for suffix in SUFFIXES:
            with suppress(OSError):
                (self.path / f'{name}{suffix}').unlink()

    def text(self, name: str) -> str:
        """The text of a result."""
        return (self.path / f'{name}.md').read_text(encoding='utf-8')

    def report(self, lines: Iterable[tuple[str, Outcome]]) -> None:
        """Write the account: a line of JSON for each document, those first that were set aside."""
        ordered = sorted(lines, key=lambda line: (line[1].state != 'set aside', line[0]))
        told = (json.dumps({'document': name, **outcome.model_dump()}, ensure_ascii=False) for name, outcome in ordered)
        self._write('report.jsonl', ''.join(f'{line}\n' for line in told))

    def _write(self, name: str, text: str) -> None:
        write_whole(self.path / name, text, ConfigurationError)


def files_of(source: Path, leave_out: Path) -> Generator[tuple[str, Path]]:
    """The files of a folder, those in its folders too, or those that a manifest names, each with a name of its own.

    A manifest is a text file with a path a line, from its own folder on. Empty lines, and those that begin with `#`, do
    not count; nor do hidden files, nor those in the folder `leave_out`. A name is the path, as far as it lies below a
    folder; where results of two files would meet, that of the second one begins with a number, and where a folder is
    called as a result may be, there is a `_` behind it.

    Raises `ConfigurationError` if it cannot be read, has none, or is no manifest: few of its lines are files.
    """
    taken: set[str] = set()
    try:
        if source.is_dir():
            if source.resolve() == leave_out:
                raise ConfigurationError(f'{source} is the folder of the results; name another one with --out')
            for folder, folders, names in os.walk(source):
                folders[:] = sorted(n for n in folders if n[0] != '.' and Path(folder, n).resolve() != leave_out)
                names += [name for name in folders if Path(folder, name).is_symlink()]  # which are not gone into
                for name in sorted(name for name in names if name[0] != '.'):
                    path = Path(folder, name)
                    yield _free_name(path.relative_to(source), taken), path
        else:
            with source.open(encoding='utf-8-sig') as manifest:
                lines: dict[str, str] = {}
                for line in map(str.strip, manifest):
                    if line and not line.startswith('#'):  # a path that is spelled in two ways is that of one file
                        lines.setdefault(os.path.normpath(source.parent.absolute() / line), line)
            files = sum(map(os.path.isfile, lines))
            if 2 * files < len(lines):
                raise ConfigurationError(
                    f'of the {len(lines):,} lines of {source} {files:,} name files; '
                    'give a folder, a list of files, or one document to `summarizer run`'
                )
            for path, line in lines.items():
                yield _free_name(PurePath(line), taken), Path(path)
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, 'strerror', None) or 'it is no list of files in UTF-8'
        raise ConfigurationError(f'{source} cannot be read: {reason}') from None
    if not taken:
        raise ConfigurationError(f'there are no files in {source}')


def _free_name(path: PurePath, taken: set[str]) -> str:
    """A path below the folder of results, whatever the path of the document is, where no other result stands."""
    parts = [part for part in path.parts if part not in ('..', '.', path.anchor)]
    clean = [
        part.replace('\0', '?').encode('utf-8', 'replace')[-_LONGEST_PART:].decode('utf-8', 'ignore') for part in parts
    ]
    folders = [f'{part}_' if part.endswith(SUFFIXES) else part for part in clean[:-1]]
    name = path_name = '/'.join((*folders, *clean[-1:]))
    number = 1
    while name in taken:
        number += 1
        name = f'{number}/{path_name}'
    taken.add(name)
    return name
