"""What is known of a stored source beside its text, its row in the tables, and handles as callers write them."""

import difflib
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from summarizer_tool.errors import UnknownSourceError
from summarizer_tool.prompts import encodable
from summarizer_tool.store.connection import StoreConnection

DEFAULT_COLLECTION: Final = 'default'

Row = tuple[Any, ...]
"""`COLUMNS` of a source."""

COLUMNS = 'rowid, id, title, url, fetched_at, added_at, used_at, size, tokens, lines'

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Source:
    """A stored document without its text."""

    id: str
    """The handle: `src_` and 12 hex digits."""
    title: str
    url: str
    fetched_at: datetime | None
    """UTC; when it was fetched from its URL, if it was."""
    added_at: datetime
    """UTC; when it was first added."""
    used_at: datetime
    """UTC; when it was last added or read."""
    size: int
    """Bytes of its text as UTF-8."""
    tokens: int
    """cl100k tokens of its text."""
    lines: int
    """Lines of its text; one at least, and a line feed at the end begins none."""


@dataclass(frozen=True, slots=True)
class StoreTotals:
    """What a collection holds."""

    documents: int
    passages: int
    tokens: int
    """cl100k tokens of all texts."""


def find(db: StoreConnection, place: tuple[str, str]) -> Row | None:
    """The row of the source at a place, which is a collection and a handle."""
    return db.execute(
        f'SELECT {COLUMNS} FROM sources WHERE collection = ? AND id = ?',  # noqa: S608 - fixed text
        place,
    ).fetchone()


def source_of(row: Row) -> Source:
    """The source of a row."""
    _, source_id, title, url, fetched_at, added_at, used_at, *sizes = row
    fetched = None if fetched_at is None else _datetime(fetched_at)
    return Source(source_id, title, url, fetched, _datetime(added_at), _datetime(used_at), *sizes)


def microseconds(moment: datetime) -> int:
    """Microseconds since 1970; raises `ValueError` if the moment has no time zone."""
    if moment.utcoffset() is None:
        raise ValueError('fetched_at needs a time zone, such as datetime.now(UTC) has')
    return (moment - _EPOCH) // timedelta(microseconds=1)


def _datetime(count: int) -> datetime:
    return _EPOCH + timedelta(microseconds=count)


_MAX_SHOWN = 80  # characters of a title or a wrong handle that an error repeats

_NEAR = 5
_CANDIDATES = 200
"""Most recently used sources that a wrong handle is compared with: with long titles about 40 ms."""

HANDLE = re.compile(r'src_[0-9a-f]{12}', re.IGNORECASE)

# A handle as models write it: quoted, in brackets, as a resource, in capitals.
_HANDLE = re.compile(r'[\s"\'`“”‘’\[(<{]*(?:source://)?(src_[0-9a-f]{12})[\s"\'`“”‘’\])>}.,;:]*', re.IGNORECASE)


def shown(text: str) -> str:
    """A short and printable form of any text, on one line."""
    cut = text.strip()[: _MAX_SHOWN + 1]
    line = ' '.join(''.join(character if character.isprintable() else ' ' for character in cut).split())
    return line if len(cut) <= _MAX_SHOWN else f'{line[: _MAX_SHOWN - 1]}…'


def handle_in(asked: str) -> str:
    """The handle within what a caller wrote, or the beginning of that."""
    text = asked.strip()[:_MAX_SHOWN]
    match = _HANDLE.fullmatch(text)
    return match[1].lower() if match else encodable(text)


def unknown_source(db: StoreConnection, collection: str, asked: str) -> UnknownSourceError:
    """That there is no such source in a collection, which the size cap may have evicted, and what there is instead."""
    rows: list[tuple[str, str]] = db.execute(
        'SELECT id, title FROM sources WHERE collection = ? ORDER BY used_at DESC LIMIT ?', (collection, _CANDIDATES)
    ).fetchall()
    problem = f'there is no source "{shown(asked)}"'
    if not rows:
        return UnknownSourceError(
            f'{problem}, nor any other yet; add a text or a URL as a source, which gives a handle'
        )
    named = {source_id: f'{source_id} ("{shown(title)}")' if title.strip() else source_id for source_id, title in rows}
    wanted = handle_in(asked).casefold()
    near = difflib.get_close_matches(wanted, named, _NEAR, 0.65) or [
        source_id for source_id, title in rows if len(wanted) > 2 and wanted in title.casefold()
    ]
    listed = ', '.join(named[source_id] for source_id in (near or [*named])[:_NEAR])
    known = f'did you mean {listed}?' if near else f'the last used are {listed};'
    return UnknownSourceError(f'{problem}; {known} a text or a URL that is added as a source gets a handle')
