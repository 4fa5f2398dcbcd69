"""The words of passages, in FTS5 or in a table of Postgres: the one thing that the two do not do alike.

Both tell the passages of a word in the order of their ids, and read no more of them than is asked for.
"""

import sqlite3
from collections.abc import Iterable, Sequence

from summarizer_tool.store.connection import Connection
from summarizer_tool.text.terms import CONNECTORS

# The words come ready, with white space between; `ascii` takes all that is not ASCII for letters.
TABLE = f"""CREATE VIRTUAL TABLE words USING fts5(
    terms, content='', columnsize=0, detail=none, tokenize="ascii tokenchars '_{CONNECTORS}'")"""
ADD = 'INSERT INTO words (rowid, terms) VALUES (?, ?)'
REMOVE = "INSERT INTO words (words, rowid, terms) VALUES ('delete', ?, ?)"

IN_POSTGRES = {
    TABLE: 'CREATE TABLE words (term TEXT COLLATE "C", rowid BIGINT, PRIMARY KEY (term, rowid))',
    ADD: "INSERT INTO words (rowid, term) SELECT ?, unnest(string_to_array(nullif(?, ''), ' '))",
    REMOVE: "DELETE FROM words WHERE rowid = ? AND term = ANY(string_to_array(?, ' '))",
}
"""What is said there instead."""

_MATCH = 'SELECT rowid FROM words WHERE words MATCH ? AND rowid BETWEEN ? AND ? LIMIT ?'

_VOCABULARY = 'SELECT term FROM temp.vocabulary WHERE term >= ? AND term < ? LIMIT ?'

# From one word to the next, since a word may be in very many passages.
_NEXT_WORD = """
    WITH RECURSIVE vocabulary AS (
        (SELECT term FROM words WHERE term >= ? ORDER BY term LIMIT 1) UNION ALL
        SELECT (SELECT term FROM words WHERE term > last.term ORDER BY term LIMIT 1) FROM vocabulary AS last
        WHERE last.term IS NOT NULL)
    SELECT term FROM vocabulary WHERE term < ? LIMIT ?"""


def add(db: Connection, words: Iterable[tuple[int, str]]) -> None:
    """Note, within a transaction, the terms of passages: by id, with spaces between."""
    db.executemany(ADD, words)


def remove(db: Connection, words: Iterable[tuple[int, str]]) -> None:
    """Take the same out again."""
    db.executemany(REMOVE, words)


def matching(db: Connection, terms: Sequence[str], first: int, last: int, most: int) -> list[int]:
    """The passages from one id to another that have all of these terms, in order, `most` at most."""
    query, parameters = _matching(db, terms)
    return [row for (row,) in db.execute(query, (*parameters, first, last, most))]


def counted(db: Connection, term: str, first: int, last: int, most: int) -> tuple[int, int]:
    """How many passages from one id to another have a term, `most` at most, and the last of them."""
    query, parameters = _matching(db, [term])
    counting = f'SELECT count(*), max(rowid) FROM ({query}) AS found'  # noqa: S608 - fixed text
    return db.execute(counting, (*parameters, first, last, most)).fetchone()


def _matching(db: Connection, terms: Sequence[str]) -> tuple[str, list[str]]:
    if isinstance(db, sqlite3.Connection):
        return _MATCH, [' AND '.join('"' + term.replace('"', '""') + '"' for term in terms)]
    joins = ''.join(
        f' JOIN words AS w{number} ON w{number}.rowid = words.rowid AND w{number}.term = ?'
        for number in range(1, len(terms))
    )
    query = (
        f'SELECT words.rowid FROM words{joins} WHERE words.term = ? '  # noqa: S608 - fixed text
        'AND words.rowid BETWEEN ? AND ? ORDER BY words.rowid LIMIT ?'
    )
    return query, [*terms[1:], terms[0]]


def beginning_with(db: Connection, beginning: str, most: int) -> list[str]:
    """The words of all passages that begin so, in order, `most` at most."""
    query = _NEXT_WORD
    if isinstance(db, sqlite3.Connection):
        query = _VOCABULARY
        db.execute("CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab('main', 'words', 'row')")
    return [word for (word,) in db.execute(query, (beginning, beginning + '\U0010ffff', most))]
