"""`python -m tests.proofs.evidence.search_load`: searches over 5,000 documents of 50 million characters, and their index.

The documents are generated: a vocabulary whose words are as unequally frequent as those of a language (Zipf), names and
numbers that are rare, sections with headings. It prints what it measures, and ends with 1 if a goal is missed.
"""

import argparse
import asyncio
import gc
import itertools
import multiprocessing
import os
import random
import sys
import tempfile
import time
from multiprocessing.synchronize import Event
from pathlib import Path

from summarizer_tool.documents.document import Document
from summarizer_tool.evidence.search.results import Query
from summarizer_tool.evidence.search.search import search
from summarizer_tool.store.source_store import SourceStore
from summarizer_tool.text import tokens
from tests.proofs.load.goals import Goals, percentile

BUILD_MB = 2.0
P50_MS, P99_MS = 30.0, 150.0
FLAT_MB = 30.0
"""What may come to memory over 500 searches: caches that fill, not what grows."""

READERS = 10
WRITING_SECONDS = 10.0

_CONSONANTS, _VOWELS = 'bcdfghklmnprstvwz', 'aeiou'
_COMMON = tuple('the of and a to in is was for on that with as it by from at are this be which have not their'.split())  # noqa: SIM905


class Language:
    """Makes texts and questions, always the same ones."""

    def __init__(self, size: int = 60_000) -> None:
        made = random.Random(7)
        words = dict.fromkeys(_COMMON)
        while len(words) < size:
            syllables = (
                made.choice(_CONSONANTS) + made.choice(_VOWELS) for _ in range(made.choice((1, 2, 2, 3, 3, 4)))
            )
            words[''.join(syllables) + made.choice(('', 'n', 's', 'ing', 'ed', 'er'))] = None
        self.words = list(words)
        self._weights = list(itertools.accumulate(1 / (rank + 2.7) for rank in range(size)))

    def sample(self, source: random.Random, count: int) -> list[str]:
        """Words as frequent as they are in the language."""
        return source.choices(self.words, cum_weights=self._weights, k=count)

    def name(self, source: random.Random) -> str:
        """One of some 10,000 names."""
        return (
            f'{self.words[source.randrange(20_000, 20_100)].title()} {self.words[source.randrange(900, 1000)].title()}'
        )

    def document(self, number: int, characters: int = 10_000) -> Document:
        """A document in sections of paragraphs."""
        source = random.Random(number)
        parts = [f'# {self.name(source)}']
        size = 0
        while size < characters:
            if source.random() < 0.15:
                parts.append(f'## {" ".join(self.sample(source, 3))}')
            sentences: list[str] = []
            for _ in range(source.randint(2, 7)):
                words = self.sample(source, source.randint(6, 22))
                if source.random() < 0.2:
                    words.insert(source.randrange(len(words)), self.name(source))
                if source.random() < 0.1:
                    words.append(f'{source.randrange(100_000)}')
                sentences.append(f'{" ".join(words).capitalize()}.')
            parts.append(' '.join(sentences))
            size += len(parts[-1])
        return Document('\n\n'.join(parts), title=f'Volume {number}')

    def question(self, source: random.Random, kind: str, handles: list[str]) -> Query:
        """A question of a kind."""
        rare = self.words[source.randrange(5_000, 50_000)]
        common = self.words[source.randrange(30, 200)]
        if kind == 'a rare word':
            return Query(rare)
        if kind == 'a frequent word':
            return Query(common)
        if kind == 'three frequent words':
            return Query(' '.join(self.words[source.randrange(24, 150)] for _ in range(3)))
        if kind == 'a name':
            return Query(f'Who is {self.name(source)}?')
        if kind == 'twelve words':
            return Query(' '.join(self.sample(source, 12)))
        if kind == 'two parts':
            parts = (f'what did {self.name(source)} do', f'when was the {rare} {common}')
            return Query(' and '.join(parts), parts=parts)
        return Query(' '.join(self.sample(source, 6)), source_ids=tuple(source.sample(handles, 3)))


KINDS = (
    'a rare word', 'a frequent word', 'three frequent words', 'a name', 'twelve words', 'two parts', 'three sources'
)  # fmt: skip


def rss_mb() -> float:
    """Memory of this process now."""
    pages = int(Path('/proc/self/statm').read_text().split()[1])
    return pages * os.sysconf('SC_PAGE_SIZE') / 1e6


def build(store: SourceStore, language: Language, documents: int, goals: Goals) -> list[str]:
    """Store the documents, and time it."""
    collection = store.collection()
    handles: list[str] = []
    size = counting = adding = 0.0
    gc.collect()
    before = rss_mb()
    for number in range(documents):
        document = language.document(number)
        size += len(document.text.encode()) / 1e6
        started = time.perf_counter()
        _ = document.tokens
        counted = time.perf_counter()
        handles.append(collection.add(document).id)
        adding += time.perf_counter() - counted
        counting += counted - started
    totals = collection.totals()
    print(f'     {totals.documents} documents, {size:.1f} MB, {totals.passages} passages, {totals.tokens} tokens')
    print(
        f'     storing and indexing alone: {size / adding:.1f} MB/s; counting tokens is {counting / (counting + adding):.0%} of the time'
    )
    goals.at_least('index build, tokens counted', size / (counting + adding), BUILD_MB, 'MB/s')
    print(f'     memory while building: {before:.0f} -> {rss_mb():.0f} MB')
    with collection.database.read() as db:
        db.execute('PRAGMA wal_checkpoint(TRUNCATE)').fetchall()
        [words] = db.execute('SELECT sum(length(block)) FROM words_data').fetchone()
        [text] = db.execute('SELECT sum(length(text)) FROM passages').fetchone()
    whole = Path(store.path).stat().st_size / 1e6
    print(
        f'     the file has {whole / size:.2f} bytes for each of text: {words / 1e6 / size:.2f} words, {text / 1e6 / size:.2f} passages, 1 the texts themselves'
    )
    return handles


async def searches(store: SourceStore, language: Language, handles: list[str], count: int, goals: Goals) -> None:
    """Search one after the other, and time each."""
    collection = store.collection()
    times: dict[str, list[float]] = {kind: [] for kind in KINDS}
    source = random.Random(11)
    found = 0
    after_warm_up = 0.0
    for number in range(count + 50):
        kind = KINDS[number % len(KINDS)]
        query = language.question(source, kind, handles)
        started = time.perf_counter()
        result = await search(collection, query)
        taken = (time.perf_counter() - started) * 1000
        if number == 49:
            gc.collect()
            after_warm_up = rss_mb()
        if number >= 50:
            times[kind].append(taken)
            found += bool(result.hits)
    every = [taken for each in times.values() for taken in each]
    for kind, each in times.items():
        print(f'     {kind:<22} p50 {percentile(each, 0.5):6.1f} ms   p99 {percentile(each, 0.99):6.1f} ms')
    print(f'     {found} of {len(every)} found something')
    goals.at_most('searches, p50', percentile(every, 0.5), P50_MS, 'ms')
    goals.at_most('searches, p99', percentile(every, 0.99), P99_MS, 'ms')
    gc.collect()
    print(f'     memory over {count} searches: {after_warm_up:.0f} -> {rss_mb():.0f} MB')
    goals.at_most('memory that came', rss_mb() - after_warm_up, FLAT_MB, 'MB')


def read_on(path: str, seed: int, end: Event, results: 'multiprocessing.Queue[tuple[list[float], list[str]]]') -> None:
    """A process that searches until the end; each result must be whole and up to date."""
    language, times, errors = Language(), list[float](), list[str]()
    source = random.Random(seed)
    with SourceStore(path) as store:
        collection = store.collection()
        handles = [each.id for each in collection.sources(200)]
        while not end.is_set():
            kind = KINDS[len(times) % len(KINDS)]
            query = language.question(source, kind, handles)
            before = collection.passage_count(query.source_ids)
            started = time.perf_counter()
            try:
                result = asyncio.run(search(collection, query))
                times.append((time.perf_counter() - started) * 1000)
                if result.passages < before:
                    errors.append(f'stale: {result.passages} passages searched, {before} were there')
                for hit in result.hits[:3]:
                    text = collection.document(hit.passage.source_id).text
                    if hit.passage.text not in text:
                        errors.append('torn: a passage that is not in its text')
            except Exception as error:  # noqa: BLE001 - every error counts
                errors.append(f'{type(error).__name__}: {error}')
    results.put((times, errors))


def crowd(store: SourceStore, language: Language, documents: int, goals: Goals) -> None:
    """Ten processes that search while this one stores."""
    spawn = multiprocessing.get_context('spawn')
    end, results = spawn.Event(), spawn.Queue()
    readers = [spawn.Process(target=read_on, args=(store.path, seed, end, results)) for seed in range(READERS)]
    for reader in readers:
        reader.start()
    time.sleep(3)
    collection = store.collection()
    written, waits = 0, list[float]()
    until = time.monotonic() + WRITING_SECONDS
    while time.monotonic() < until:
        document = language.document(documents + written)
        started = time.perf_counter()
        collection.add(document)
        waits.append((time.perf_counter() - started) * 1000)
        written += 1
    end.set()
    gathered = [results.get(timeout=60) for _ in readers]
    for reader in readers:
        reader.join(30)
    times = [taken for each, _ in gathered for taken in each]
    errors = [error for _, each in gathered for error in each]
    print(f'     {READERS} processes searched {len(times)} times while {written} documents were written')
    if times:
        print(
            f'     each p50 {percentile(times, 0.5):.0f} ms, p99 {percentile(times, 0.99):.0f} ms, on {os.cpu_count()} cores; a write p50 {percentile(waits, 0.5):.0f} ms'
        )
    for error in sorted(set(errors))[:5]:
        print(f'     {error}')
    goals.at_most('errors of readers', len(errors), 0, '')
    goals.at_least('searches beside the writer', len(times), READERS)


def main() -> int:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--documents', type=int, default=5000)
    parser.add_argument('--searches', type=int, default=700)
    options = parser.parse_args()
    goals, language = Goals(), Language()
    tokens.count('the encoder is loaded')
    with tempfile.TemporaryDirectory() as folder, SourceStore(Path(folder) / 'store.db') as store:
        handles = build(store, language, options.documents, goals)
        asyncio.run(searches(store, language, handles, options.searches, goals))
        crowd(store, language, options.documents, goals)
    return goals.report()


if __name__ == '__main__':
    sys.exit(main())
