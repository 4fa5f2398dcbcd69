"""What is stored beside a page's text: its links, and the URLs under which it is found.

A text is outdated when each of the URLs that are its own has been given another text since. It stays, and is found by
name; what has no URL is never outdated.
"""

from collections.abc import Sequence
from hashlib import sha256

from pydantic import TypeAdapter

from summarizer_tool.html.page import Link
from summarizer_tool.prompts import encodable
from summarizer_tool.store.connection import StoreConnection
from summarizer_tool.text.addresses import is_url, key_of, other_scheme

SCHEMA = (
    # The links of a page, as JSON.
    """CREATE TABLE details (
        collection TEXT NOT NULL, id TEXT NOT NULL, links BLOB NOT NULL,
        PRIMARY KEY (collection, id)) STRICT, WITHOUT ROWID""",
    # Every URL under which a text was stored: the one asked for, and the one it led to, which is its own. All ways to
    # write a URL share `key`. `page` holds the fragment, too: a caller may store the sections of a page one by one.
    """CREATE TABLE addresses (
        collection TEXT NOT NULL, url TEXT NOT NULL, key TEXT NOT NULL, page TEXT NOT NULL, id TEXT NOT NULL,
        stored_at INTEGER NOT NULL, is_own INTEGER NOT NULL,
        PRIMARY KEY (collection, url, id)) STRICT, WITHOUT ROWID""",
    'CREATE INDEX addresses_by_key ON addresses (collection, key, stored_at)',
    'CREATE INDEX addresses_of_source ON addresses (collection, id)',
    """CREATE TRIGGER source_left_details AFTER DELETE ON sources BEGIN
        DELETE FROM details WHERE collection = old.collection AND id = old.id;
        DELETE FROM addresses WHERE collection = old.collection AND id = old.id; END""",
)

OUTDATED = """
    SELECT id FROM (SELECT id, rank() OVER (PARTITION BY page ORDER BY stored_at DESC) AS place FROM addresses
    WHERE collection = ? AND is_own = 1) AS stored GROUP BY id HAVING min(place) > 1"""
"""The handles of what is outdated in a collection."""

_LONG = 500
"""Characters of a URL; of a longer one, which indexes of Postgres do not take, the hash is kept."""

MAX_LINKS = 3000  # of one page

MAX_ADDRESSES = 100
"""Of one text, the last under which it was stored: one page may stand under any number of URLs, as a notice does."""

_ADDRESS_BYTES = 200  # about what SQLite takes for the rows of an address beside its texts

_LINKS = TypeAdapter(tuple[Link, ...])


def written(links: Sequence[Link]) -> bytes:
    """Links up to the limit as they are kept, computed before the transaction; empty where there are none."""
    # Lone surrogates, which no encoding can carry, may be in what a page says.
    leading = tuple(
        Link(*map(encodable, (link.url, link.text, link.section, link.around))) for link in links[:MAX_LINKS]
    )
    return _LINKS.dump_json(leading) if leading else b''


KEEP_LINKS = 'INSERT INTO details VALUES (?, ?, ?) ON CONFLICT (collection, id) DO UPDATE SET links = excluded.links'


def links(db: StoreConnection, place: tuple[str, str]) -> tuple[Link, ...]:
    """The links of a source; none where there are none."""
    found = db.execute('SELECT links FROM details WHERE collection = ? AND id = ?', place).fetchone()
    return _LINKS.validate_json(found[0]) if found else ()


def keep_addresses(db: StoreConnection, place: tuple[str, str], own: str, others: Sequence[str], now: int) -> None:
    """Note, within a transaction, that a source was stored under its own URL and those that led to it, if not empty.

    Where that is the name of a file, which others may have, too, its path is its own.
    """
    collection, source_id = place
    urls = [url for url in dict.fromkeys(map(encodable, (own, *others))) if url]
    own = encodable(others[0] if own and others and not is_url(own) else own)
    if not urls:
        return
    db.executemany(
        'INSERT INTO addresses VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (collection, url, id) '
        'DO UPDATE SET stored_at = excluded.stored_at, is_own = max(addresses.is_own, excluded.is_own)',
        [(collection, _short(url), _key(url), _page(url), source_id, now, int(url == own)) for url in urls],
    )
    db.execute(
        'DELETE FROM addresses WHERE collection = ? AND id = ? AND url NOT IN (SELECT url FROM addresses '
        'WHERE collection = ? AND id = ? ORDER BY stored_at DESC, is_own DESC LIMIT ?)',
        (*place, *place, MAX_ADDRESSES),
    )


def size_of(db: StoreConnection, place: tuple[str, str]) -> int:
    """About how many bytes the links and addresses of a source take."""
    [addresses] = db.execute(
        f'SELECT coalesce(sum({_ADDRESS_BYTES} + length(url) + 2 * length(key) + length(page)), 0) '  # noqa: S608 - a number
        'FROM addresses WHERE collection = ? AND id = ?',
        place,
    ).fetchone()
    kept = db.execute('SELECT length(links) FROM details WHERE collection = ? AND id = ?', place).fetchone()
    return addresses + (kept[0] if kept else 0)


def stored_at(db: StoreConnection, collection: str, url: str) -> list[str]:
    """The handles of what was stored under a URL, however it is written; the last one first.

    With a fragment, what was stored with the same one, if anything was. Under `http` and `https` stands the same page,
    where only one of them is known.
    """
    url = encodable(url)
    for each in (url, *([other_scheme(url)] if is_url(url) else [])):
        rows: list[tuple[str, int]] = db.execute(
            'SELECT id, max(CASE WHEN page = ? THEN 1 ELSE 0 END) AS is_same FROM addresses '
            'WHERE collection = ? AND key = ? GROUP BY id ORDER BY is_same DESC, max(stored_at) DESC',
            # Without a fragment all of the page is meant, also what was stored with one.
            (_page(each) if '#' in each else '', collection, _key(each)),
        ).fetchall()
        if rows:
            return [source_id for source_id, is_same in rows if is_same or not rows[0][1]]
    return []


def path_of(db: StoreConnection, place: tuple[str, str], asked: str) -> str:
    """The path that was asked for or, if the file was not stored from it, the last one; empty for what is no file."""
    found = db.execute(
        'SELECT url FROM addresses WHERE collection = ? AND id = ? AND is_own = 1 '
        'ORDER BY CASE WHEN url = ? THEN 0 ELSE 1 END, stored_at DESC LIMIT 1',
        (*place, _short(encodable(asked))),
    ).fetchone()
    return found[0] if found else ''


def _key(url: str) -> str:
    """What all ways to write a URL share; other texts are their own."""
    return _short(encodable(key_of(url)) if is_url(url) else url)


def _short(url: str) -> str:
    return url if len(url) <= _LONG else sha256(url.encode()).hexdigest()


def _page(url: str) -> str:
    fragment = url.partition('#')[2].strip() if is_url(url) else ''
    return f'{_key(url)}#{fragment}' if fragment else _key(url)
