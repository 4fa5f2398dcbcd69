"""What a search leaves out unless it is named: texts of pages that have been stored with another text since."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence

from summarizer_tool.store.connection import AMONG, Among, StoreConnection
from summarizer_tool.store.index import Span, joined


def spans(db: StoreConnection, collection: str) -> list[Span]:
    """Where the passages of such sources are, ascending, and one span for sources that are side by side."""
    rows = db.execute(
        'SELECT first, first + passages - 1 FROM outdated o JOIN indexed i ON i.collection = o.collection '
        'AND i.source = o.id WHERE o.collection = ? AND passages > 0 ORDER BY first',
        (collection,),
    )
    return joined(rows)


def searched(db: StoreConnection, collection: str, source_ids: Sequence[str] = ()) -> tuple[int, int]:
    """How many documents and passages a search looks at: in some sources, or in all that are not outdated."""
    if source_ids:
        chosen, value = f'source {AMONG}', Among(source_ids)
    else:
        chosen, value = 'source NOT IN (SELECT id FROM outdated WHERE collection = ?)', collection
    return db.execute(
        f'SELECT count(*), coalesce(sum(passages), 0) FROM indexed WHERE collection = ? AND {chosen}',  # noqa: S608 - fixed text
        (collection, value),
    ).fetchone()


def gaps(spans: Sequence[Span], holes: Iterable[Span], most: int) -> list[Span]:
    """What is left of ascending spans without others within them; the spans as they were where that is over `most`."""
    left: list[Span] = []
    rest = [*spans]
    for first, last in holes:
        while rest and rest[0][1] < first:
            left.append(rest.pop(0))
        if not rest:
            break
        start, end = rest[0]
        if start < first:
            left.append((start, first - 1))
        if last < end:
            rest[0] = (last + 1, end)
        else:
            rest.pop(0)
        if len(left) > most:
            return [*spans]
    return left + rest


def outside(rows: Iterable[int], spans: Sequence[Span]) -> list[int]:
    """The passages that are in none of some spans, which ascend."""
    if not spans:
        return [*rows]
    starts = [first for first, _ in spans]
    return [row for row in rows if not (at := bisect_right(starts, row)) or spans[at - 1][1] < row]
