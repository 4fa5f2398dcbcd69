"""Questions to the site on loopback, each answered from an empty collection, and what can be checked of a brief."""

import re
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from summarizer_tool import Settings, SourceStore
from summarizer_tool.mapreduce.summarizer import Summarizer
from summarizer_tool.service.retrieval import Retriever
from summarizer_tool.service.service import Service
from summarizer_tool.store.collection import Collection
from tests.support.site import Site

SECTIONS: Final = (
    'QUESTION',
    'PARTIAL',
    'NOTICE',
    'SOURCES',
    'EVIDENCE',
    'CITATIONS',
)
"""Of a brief, in their order."""

_HEAD = re.compile(rf'^\[({"|".join(SECTIONS)})\](.*)$', re.MULTILINE)
_CITATION = re.compile(r'^\[C\d+\] .*?\((src_\w{12})\) · lines? (\d+)(?:-(\d+))? · "(.*)"$')
_UNSTABLE: Final = (
    # A port that a failure was cut off in.
    (re.compile(r'(?<=ALLOW_HOSTS=)127\.0\.0\.1(?::\d*)?…'), 'canary…'),
    (re.compile(r'(?<=fetched )\d{4}-\d\d-\d\d'), 'DAY'),
    (re.compile(r'[\d,]+ ms\b'), '… ms'),
    (re.compile(r'[\d.]+(?= seconds)'), '…'),
)


@dataclass(frozen=True, slots=True)
class Quote:
    """A citation as a brief writes it."""

    source_id: str
    first_line: int
    last_line: int
    words: str

    def stands_in(self, collection: Collection) -> bool:
        """Whether its words stand, character for character, in the lines that it names of the stored text."""
        lines = collection.document(self.source_id).text.split('\n')[self.first_line - 1 : self.last_line]
        return bool(self.words) and self.words in '\n'.join(lines)


def quotes(brief: str) -> list[Quote]:
    """The citations of a brief; every line of their section must be one."""
    found: list[Quote] = []
    for line in section(brief, 'CITATIONS').splitlines()[1:]:
        match = _CITATION.match(line)
        assert match, line
        source_id, first, last, words = match.groups()
        found.append(Quote(source_id, int(first), int(last or first), words))
    return found


def counted(text: str, name: str) -> tuple[int, int]:
    """How many items a section of a brief shows, and of how many."""
    found = re.search(rf'^\[{name}\] (?:showing ([\d,]+) of )?([\d,]+)', text, re.MULTILINE)
    total = int(found[2].replace(',', '')) if found else 0
    return int(found[1].replace(',', '')) if found and found[1] else total, total


def section(brief: str, name: str) -> str:
    """One section of a brief with its head; empty if it has none."""
    heads = list(_HEAD.finditer(brief))
    for head, after in zip(heads, [*heads[1:], None], strict=False):
        if head[1] == name:
            return brief[head.start() : after.start() if after else len(brief)].rstrip()
    return ''


def heads(brief: str) -> list[str]:
    """The heads of its sections, with how much of each is shown."""
    return [f'{name}{shown}' for name, shown in _HEAD.findall(brief) if name != 'QUESTION']


def holds(brief: str, words: str) -> bool:
    """Whether the words of an answer stand in its evidence, whatever the line breaks and their numbers."""
    evidence = re.sub(r'^\d+\| ', '', section(brief, 'EVIDENCE'), flags=re.MULTILINE)
    return ' '.join(words.split()) in ' '.join(evidence.split())


def steady(brief: str, web: Site) -> str:
    """A brief without what differs between runs: ports, days, times, and the tokens that these take."""
    brief = brief.replace(web.canary.host, 'canary.example').replace(web.host, 'station.example')
    for pattern, instead in _UNSTABLE:
        brief = pattern.sub(instead, brief)
    return brief


@contextmanager
def asking(web: Site, **settings: Any) -> Generator[Retriever]:
    """Who answers, from a collection of its own that is empty."""
    with fetching(web.origin, **settings) as retriever:
        yield retriever


@contextmanager
def fetching(origin: str, **settings: Any) -> Generator[Retriever]:
    """Who answers from any local server, from a collection of its own that is empty."""
    host = origin.removeprefix('http://')
    with SourceStore() as store:
        yield retriever_of(store, **{'fetch_allow_hosts': host, **settings})


def retriever_of(store: SourceStore, collection: str = 'default', **settings: Any) -> Retriever:
    """Who answers from a collection of a store."""
    given = Settings.load(**{'llm_model': 'extractive', 'worker_processes': 0} | settings)
    return Retriever(Service(Summarizer(given), store.collection(collection)))
