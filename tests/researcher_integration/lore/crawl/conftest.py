"""The site that pages are crawled from, and the zone of the researcher's agent."""

from collections.abc import Iterator

import pytest

from researcher_integration.lore.crawl.crawling import Crawler, StepDeps
from researcher_integration.lore.summaries.backends import InProcess
from summarizer_tool import Service, Settings, SourceStore, Summarizer
from tests.proofs.research.site import Site, site
from tests.support.crawled_pages import PAGES, ByPath
from tests.support.research_agent import ORDERS, PIKE, REACH, Zone


@pytest.fixture(scope='module')
def served() -> Iterator[Site]:
    with site({}) as running:
        yield running


@pytest.fixture
def zone(served: Site) -> Iterator[Zone]:
    served.pages = {'reach': REACH, 'pike': PIKE, 'orders': ORDERS}
    served.requests.clear()
    served.slow.clear()
    served.delay = 0.1
    settings = Settings.load(llm_model='extractive', store=':memory:', fetch_allow_hosts=served.host)
    with SourceStore() as store:
        crawler = Crawler(Service(Summarizer(settings), store.collection()), ByPath())
        yield Zone(served, store, settings, crawler, InProcess(settings, store), StepDeps(crawler))


@pytest.fixture
def wiki(served: Site) -> Site:
    served.pages = dict(PAGES)
    served.requests.clear()
    served.slow.clear()
    return served


@pytest.fixture
def service(served: Site) -> Iterator[Service]:
    limits = {'fetch_max_mb': 0.1, 'max_input_mb': 0.1}
    settings = Settings.load(llm_model='extractive', store=':memory:', fetch_allow_hosts=served.host, **limits)
    with SourceStore() as store:
        yield Service(Summarizer(settings), store.collection('zone'))


@pytest.fixture
def crawler(service: Service) -> Crawler:
    return Crawler(service, ByPath())
