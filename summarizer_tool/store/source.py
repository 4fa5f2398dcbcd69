"""What is known of a stored source beside its text, and its row in the store's tables."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

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


def source_of(row: Row, last_use: int = 0) -> Source:
    """The source of a row; `last_use`, in microseconds since 1970, counts where a use is not written yet."""
    _, source_id, title, url, fetched_at, added_at, used_at, size, count, lines = row
    return Source(
        id=source_id,
        title=title,
        url=url,
        fetched_at=None if fetched_at is None else _datetime(fetched_at),
        added_at=_datetime(added_at),
        used_at=_datetime(max(used_at, last_use)),
        size=size,
        tokens=count,
        lines=lines,
    )


def microseconds(moment: datetime) -> int:
    """Microseconds since 1970; raises `ValueError` if the moment has no time zone."""
    if moment.utcoffset() is None:
        raise ValueError('fetched_at needs a time zone, such as datetime.now(UTC) has')
    return (moment - _EPOCH) // timedelta(microseconds=1)


def _datetime(count: int) -> datetime:
    return _EPOCH + timedelta(microseconds=count)
