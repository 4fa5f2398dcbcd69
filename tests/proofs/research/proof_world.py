"""A zone of real size on a local site, who plays the models, and one research of it with what was asked for."""

import os
import time
from collections import Counter
from collections.abc import AsyncGenerator, Generator, Mapping, Sequence
from contextlib import asynccontextmanager, chdir, contextmanager
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, Literal

from researcher_integration.lore.checkpoint import ResearchRequest
from researcher_integration.lore.configuration import (
    EXTRACTIVE,
    Configuration,
    ResearchSettings,
    load_tiers,
    load_topics,
)
from researcher_integration.lore.crawl.researcher import Way
from researcher_integration.lore.package import Package
from researcher_integration.lore.pipeline import Research
from tests.proofs.research.simulated import Researcher
from tests.proofs.research.site import Site, site
from tests.support import provider, replies, serving
from tests.support.provider import Provider
from tests.support.replies import Behaviour

ZONE = 'The Far Shore'

ROOT = Path(__file__).parents[3]
REAL = ROOT.parent / 'shared' / 'data' / 'crawl'
SAMPLE = ROOT / 'examples' / 'crawl'

WINDOW = 25_000
"""Tokens of the prompt of an extraction, at most."""

SAMPLE_WINDOW = 9_000
"""The same for the sample crawl, which would fit the other as it is."""

FOUND = 5
"""Pages that are not given beforehand: the agent crawls one in each step."""

Form = Literal['html', 'md']
_OURS = ('MCP_', 'OPENROUTER_', 'DEFAULT_', 'SUMMARIZER_', 'LLM_', 'RESEARCH_', 'LOGFIRE_', 'OTEL_', 'MAX_CONCURRENT_')


@dataclass(frozen=True, slots=True)
class Combination:
    """One of the ways in which a zone can be researched."""

    form: Form
    way: Way
    by_provider: bool
    """Whether the simulated provider summarizes; otherwise the embedded model does."""
    through_server: bool

    @property
    def name(self) -> str:
        where = 'through the server' if self.through_server else 'in process'
        return f'{self.form}, {self.way}, summaries by {self.summarizer}, {where}'

    @property
    def summarizer(self) -> str:
        return replies.MODEL if self.by_provider else EXTRACTIVE


_FORMS: Sequence[Form] = ('html', 'md')
_WAYS: Sequence[Way] = ('in-pipeline', 'at-source')

COMBINATIONS = [Combination(*each) for each in product(_FORMS, _WAYS, (False, True), (False, True))]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a research has made, and what it asked for."""

    package: Package
    folder: Path
    seconds: float
    requests: Sequence[replies.Request]
    fetched: Counter[str]
    """Pages of the site, by path."""


@dataclass(frozen=True, slots=True)
class World:
    """The site and the provider."""

    pages: Mapping[str, str]
    """Markdown by name."""
    window: int
    site: Site
    llm: Provider

    def request(self, form: Form, way: Way) -> ResearchRequest:
        """A research that is given all pages but those that the agent finds."""
        places = tuple(f'{self.site.origin}/{name}.{form}' for name in list(self.pages)[:-FOUND])
        return ResearchRequest(zone=ZONE, places=places, way=way, window_tokens=self.window)

    def begin(self, folder: Path, form: Form) -> int:
        """Make the folder of a research, count the pages that are fetched anew, and have a provider that behaves well.

        Its researcher crawls one page more in each step, and asks for it a second time.

        Returns:
            How many requests the provider has had before.
        """
        folder.mkdir()
        self.site.requests.clear()
        found = [f'{self.site.origin}/{name}.{form}' for name in list(self.pages)[-FOUND:]]
        topics = load_topics().topics
        phrases = [topic.instructions.gather.partition('{{zone}}')[0].strip() for topic in topics]
        urls = {phrase: (url, f'{url}#history') for phrase, url in zip(phrases, found, strict=True)}
        self.llm.behaviour = Behaviour(Researcher(urls))
        return len(self.llm.requests)

    def settings(self, combination: Combination, server: str | None) -> dict[str, Any]:
        """Those of a research, by the names of `ResearchSettings`."""
        return {
            'llm_model': combination.summarizer,
            'research_model': replies.MODEL,
            'openrouter_base_url': self.llm.base_url,
            'fetch_allow_hosts': self.site.host,
            'mcp_summarizer_url': server,
        }

    async def research(self, combination: Combination, folder: Path) -> Outcome:
        """Do one from beginning to end, in this process, with a store of its own."""
        before = self.begin(folder, combination.form)
        async with self.server(combination, folder) as url:
            started = time.monotonic()
            package = await Research(
                self.request(combination.form, combination.way),
                Configuration(load_topics(), load_tiers()),
                ResearchSettings.load(**self.settings(combination, url)),
                folder,
            ).run()
            seconds = time.monotonic() - started
        return Outcome(package, folder, seconds, self.llm.requests[before:], Counter(self.site.requests))

    @asynccontextmanager
    async def server(self, combination: Combination, folder: Path) -> AsyncGenerator[str | None]:
        """The URL of a server process with a store of its own; none where the combination needs none."""
        if not combination.through_server:
            yield None
            return
        variables = {
            'LLM_MODEL': combination.summarizer,
            'OPENROUTER_BASE_URL': self.llm.base_url,
            'SUMMARIZER_STORE': str(folder / 'server.sqlite3'),
            'SUMMARIZER_WORKER_PROCESSES': '',
        }
        with serving.program(folder, **variables) as server:
            yield server.url


@contextmanager
def world(folder: Path) -> Generator[World]:
    """Serve the pages and a provider until the block ends, with nothing of what the machine has set of settings.

    Args:
        folder: The working directory meanwhile, as a `.env` of the repository is somebody's own.
    """
    for name in [name for name in os.environ if name.upper().startswith(_OURS)]:
        del os.environ[name]
    crawl, window = (REAL, WINDOW) if REAL.is_dir() else (SAMPLE, SAMPLE_WINDOW)
    pages = {path.stem: path.read_text(encoding='utf-8') for path in sorted(crawl.glob('*.md'))}
    with chdir(folder), site(pages) as wiki, provider.serve() as llm:
        yield World(pages, window, wiki, llm)
