"""The words of passages, in FTS5 or in a table of Postgres with GIN: the one thing that the two do not do alike.

Both give the passages of a word in the order of their ids, and neither reads the words of other collections for it.
"""

import sqlite3
from collections.abc import Sequence

from summarizer_tool.store.connection import StoreConnection
from summarizer_tool.text.terms import CONNECTORS

COLLECTION_BITS = 32  # a collection has room for 2³² passages, ever: an id is given once

# The words come ready, with white space between; `ascii` takes all that is not ASCII for letters.
TABLE = f"""CREATE VIRTUAL TABLE words USING fts5(
    terms, content='', columnsize=0, detail=none, tokenize="ascii tokenchars '_{CONNECTORS}'")"""

# The terms, each with the number of its collection before it, stand apart from the ids, which are read often. Words
# stay in the vocabulary when their last passage goes; then they lead to none. Each question has a plan of its own, as
# that depends on how frequent its words are; and none that looks into the terms of rows, which takes long.
IN_POSTGRES = """
    CREATE TABLE words (rowid BIGINT PRIMARY KEY, terms TEXT[] NOT NULL) WITH (toast_tuple_target = 128);
    CREATE INDEX words_of_passages ON words USING gin (terms);
    CREATE TABLE vocabulary (term TEXT COLLATE "C" PRIMARY KEY);
    CREATE FUNCTION matching(asked TEXT[], first BIGINT, last BIGINT, most BIGINT) RETURNS TABLE (id BIGINT)
    LANGUAGE plpgsql STABLE
    SET plan_cache_mode = force_custom_plan SET enable_seqscan = off SET enable_indexscan = off AS $$ BEGIN
        RETURN QUERY SELECT rowid FROM words WHERE terms @> asked AND rowid BETWEEN first AND last
        ORDER BY rowid LIMIT most; END $$"""
"""What `TABLE` is there."""

_MATCH = 'SELECT rowid FROM words WHERE words MATCH ? AND rowid BETWEEN ? AND ? LIMIT ?'
_MATCHING = 'SELECT id AS rowid FROM matching(?, ?, ?, ?)'


def add(db: StoreConnection, rows: Sequence[tuple[int, str]]) -> None:
    """Note, within a transaction, the terms of passages: by id, with spaces between."""
    if isinstance(db, sqlite3.Connection):
        db.executemany('INSERT INTO words (rowid, terms) VALUES (?, ?)', rows)
        return
    terms = {term for _, joined in rows for term in joined.split()}
    db.execute('INSERT INTO vocabulary SELECT unnest(CAST(? AS TEXT[])) ON CONFLICT DO NOTHING', (sorted(terms),))
    db.executemany(
        'INSERT INTO words VALUES (?, ?)', ((row, _in_collection(row, joined.split())) for row, joined in rows)
    )


def remove(db: StoreConnection, rows: Sequence[tuple[int, str]]) -> None:
    """Take the same out again."""
    if isinstance(db, sqlite3.Connection):
        db.executemany("INSERT INTO words (words, rowid, terms) VALUES ('delete', ?, ?)", rows)
    else:
        db.execute('DELETE FROM words WHERE rowid = ANY(?)', ([row for row, _ in rows],))


def matching(db: StoreConnection, terms: Sequence[str], first: int, last: int, most: int) -> list[int]:
    """The passages from one id to another that have all of these terms, in order, `most` at most."""
    query, asked = _matching(db, terms, first)
    return [row for (row,) in db.execute(query, (asked, first, last, most))]


def counted(db: StoreConnection, term: str, first: int, last: int, most: int) -> int:
    """How many passages from one id to another have a term, `most` at most."""
    query, asked = _matching(db, [term], first)
    counting = f'SELECT count(*) FROM ({query}) AS found'  # noqa: S608 - fixed text
    return db.execute(counting, (asked, first, last, most)).fetchone()[0]


def beginning_with(db: StoreConnection, beginning: str) -> list[str]:
    """The words of all passages that begin so, in order, not too many."""
    vocabulary = 'vocabulary'
    if isinstance(db, sqlite3.Connection):
        vocabulary = 'temp.vocabulary'
        db.execute("CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab('main', 'words', 'row')")
    query = f'SELECT term FROM {vocabulary} WHERE term >= ? AND term < ? ORDER BY term LIMIT 500'  # noqa: S608 - fixed text
    return [word for (word,) in db.execute(query, (beginning, beginning + '\U0010ffff'))]


def _matching(db: StoreConnection, terms: Sequence[str], first: int) -> tuple[str, str | list[str]]:
    if isinstance(db, sqlite3.Connection):
        return _MATCH, ' AND '.join('"' + term.replace('"', '""') + '"' for term in terms)
    return _MATCHING, _in_collection(first, terms)


def _in_collection(passage: int, terms: Sequence[str]) -> list[str]:
    return [f'{passage >> COLLECTION_BITS} {term}' for term in terms]
