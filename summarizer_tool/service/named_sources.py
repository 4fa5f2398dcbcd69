"""The stored sources that a question names, by handle or URL, as models write these."""

import re
from collections.abc import Sequence

from summarizer_tool.errors import RequestError
from summarizer_tool.evidence.brief import problems
from summarizer_tool.evidence.brief.problems import Problem
from summarizer_tool.store.collection import Collection
from summarizer_tool.store.source import Source
from summarizer_tool.text.addresses import host_of, likeness

MAX_LISTED = 1000
"""Sources that a status looks at; a brief's budget lists fewer."""

MAX_NAMED = 100
"""Sources that one search may name."""

# URLs may have commas in them; before a handle or another URL, or between quotes, one stands between places.
_APART = re.compile(r'\s+|[,;](?=src_|https?://)|(?<=["\'])[,;](?=["\'])', re.IGNORECASE)
_AROUND = ' ,;"\'`<>[]'


def listed(places: str | Sequence[str]) -> list[str]:
    """Places as a model gives them: a list, or one string with several in it, perhaps as JSON."""
    items = [places] if isinstance(places, str) else places
    parts = (part.strip(_AROUND) for item in items for part in _APART.split(item))
    return list(dict.fromkeys(part for part in parts if part))


def sources_named(collection: Collection, places: Sequence[str], budget: int) -> list[Source] | Problem:
    """The sources at these places, or that one is not stored; raises `RequestError` over `MAX_NAMED` places."""
    if len(places) > MAX_NAMED:
        raise RequestError(f'{len(places)} sources are named, over {MAX_NAMED}; name fewer, or none for all')
    chosen: dict[str, Source] = {}
    for place in places:
        source = collection.find(place)
        if source is None:
            return not_stored(collection, place, budget)
        chosen[source.id] = source
    return list(chosen.values())


def not_stored(collection: Collection, url: str, budget: int) -> Problem:
    """That nothing is stored at a place, and what is stored near it."""
    host = host_of(url)
    stored = collection.sources(MAX_LISTED + 1)
    near = [source for source in stored[:MAX_LISTED] if source.url and host_of(source.url) == host]
    near.sort(key=lambda source: likeness(url, source.url), reverse=True)
    return problems.not_stored(url, near, budget, is_all=len(stored) <= MAX_LISTED)
