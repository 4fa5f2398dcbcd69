"""The whole research against a local site and a simulated provider: both ways, in process and through the server."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from inline_snapshot import snapshot

from researcher_integration.lore.checkpoint import Checkpoint
from researcher_integration.lore.configuration import Limits, load_topics
from researcher_integration.lore.crawl.researcher import Way
from researcher_integration.lore.extraction.records import RECORDS
from researcher_integration.lore.material import TOPIC_IDS, TopicId
from researcher_integration.lore.package import BRIEFS, EXTRACTION_FILE, STATISTICS_FILE, Extracted, Package, Statistics
from researcher_integration.lore.steps import planning
from summarizer_tool.text import tokens
from tests.proofs.research.simulated import Researcher
from tests.proofs.research.zone import CHUNK, FURTHER, PAGES, WINDOW, Role, World, role, sent_tokens
from tests.support import serving
from tests.support.replies import MODEL, Error, Json, Reply, Request, Text
from tests.support.serving import Served

if TYPE_CHECKING:
    from pydantic import JsonValue

    from researcher_integration.lore.steps.steps import ResearchProgress

CALLS = 5
"""Of a model at once, as the settings have it."""

HEADERS = [topic.header for topic in load_topics().topics]

ONCE = Counter({f'/{name}.md': 1 for name in PAGES})
"""What the site is asked for."""

EVERYWHERE = {name: [*TOPIC_IDS] for name in PAGES}
"""The steps of the given pages, which are too large together to stay as they are: each draws on all of them."""

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures('model_requests')]


@pytest.fixture(scope='module')
def server() -> Iterator[Served]:
    with serving.serve(default_chunk_size_tokens=CHUNK) as served:
        yield served


def steps_of_pages(folder: Path) -> dict[str, list[TopicId]]:
    """Which steps each page belongs to, by its name."""
    checkpoint = Checkpoint.load(folder)
    assert checkpoint is not None
    names = {page.source_id: page.url.rsplit('/')[-1].partition('.')[0] for page in checkpoint.pages.values()}
    found: dict[str, list[TopicId]] = {name: [] for name in names.values()}
    for topic, step in checkpoint.steps.items():
        for handle in step.pages:
            found[names[handle]].append(topic)
    return found


def is_valid(package: Package, folder: Path) -> bool:
    """Whether the files are the package, and the models of the package can be read from them."""
    extraction = (folder / EXTRACTION_FILE).read_text(encoding='utf-8')
    statistics = (folder / STATISTICS_FILE).read_text(encoding='utf-8')
    written = {path.name: path.read_text(encoding='utf-8') for path in (folder / BRIEFS).iterdir()}
    extracted = Extracted.model_validate_json(extraction)
    return (
        extracted == package.extracted
        and Statistics.model_validate_json(statistics) == package.statistics
        and json.loads(extraction) == package.extracted.model_dump(mode='json')
        and all(type(each) is RECORDS[topic] for topic in TOPIC_IDS for each in extracted.categories[topic].records)
        and written == package.briefs
        and tuple(package.sections) == TOPIC_IDS
    )


def without_sizes(message: str) -> str:
    """A message without tokens and ports: they are not what matters."""
    return re.sub(r'(?<=127\.0\.0\.1:)\d+|[\d,]+(?= tokens)|(?<=budget of )\d+', '…', message)


def extractions(zone: World) -> list[Request]:
    return [request for request in zone.provider.requests if role(request) == 'extraction']


def kept_to_the_window(zone: World) -> bool:
    """Whether all that the provider was sent to extract from, messages and schemas, kept to the window."""
    asked = [request for request in zone.provider.requests if role(request) in ('extraction', 'cross-reference')]
    return bool(asked) and max(map(sent_tokens, asked)) <= WINDOW


def adds_up(statistics: Statistics, extracted: Extracted) -> bool:
    steps = statistics.steps.values()
    spent = [*(step.agent for step in steps), statistics.summaries, statistics.extraction]
    return (
        statistics.pages == len(extracted.sources) >= max(step.pages for step in steps)
        and statistics.tokens_crawled == sum(page.tokens for page in extracted.sources)
        and statistics.total.requests >= sum(each.requests for each in spent)
        and statistics.total.input_tokens >= sum(each.input_tokens for each in spent)
        and statistics.total.output_tokens >= sum(each.output_tokens for each in spent)
    )


# All of it


@pytest.mark.parametrize(
    ('way', 'form'), [('in-pipeline', 'html'), pytest.param('at-source', 'md', marks=pytest.mark.slow)]
)
async def test_a_whole_research(zone: World, server: Served, tmp_path: Path, way: Way, form: str) -> None:
    told: list[ResearchProgress] = []
    here = await zone.research(tmp_path / 'here', way=way, form=form, on_progress=told.append).run()
    requested = Counter(map(role, zone.provider.requests))
    there = await zone.research(tmp_path / 'there', way=way, form=form, mcp_summarizer_url=server.url).run()

    assert there.sections == here.sections
    assert there.extracted.categories == here.extracted.categories
    assert [here.statistics.summarizer, there.statistics.summarizer] == ['in process', 'MCP server']
    assert zone.site.requests == Counter({f'/{name}.{form}': 2 for name in PAGES})
    assert kept_to_the_window(zone)
    assert is_told(told)
    assert sorted(here.briefs) == snapshot(
        ['01-zone-overview.md', '02-npcs.md', '03-factions.md', '04-lore.md', '05-narrative-items.md', 'conflicts.md']
    )
    text, _, sources = here.briefs['04-lore.md'].partition('## Sources')
    assert text.startswith('# Lore and history: Harrow Sound\n')
    assert 'the Night of Eleven Cups' in text
    assert all(page.source_id in sources for page in here.extracted.sources)
    for package, folder in ((here, tmp_path / 'here'), (there, tmp_path / 'there')):
        figures = package.statistics
        assert is_valid(package, folder)
        assert adds_up(figures, package.extracted)
        assert all(steps_of_pages(folder).values())
        assert steps_of_pages(folder) == EVERYWHERE
        assert figures.warnings == []
        assert figures.failures == []
        assert figures.tokens_kept == sum(map(tokens.count, package.sections.values())) < figures.tokens_crawled
        assert figures.ratio == round(figures.tokens_crawled / figures.tokens_kept, 2) > 1.7
        steps = figures.steps.values()
        assert sum(step.tokens_kept for step in steps) <= sum(step.budget for step in steps) + len(TOPIC_IDS)
        assert all(
            category.state == 'extracted' and category.records for category in package.extracted.categories.values()
        )
        assert sum(step.agent.requests for step in figures.steps.values()) == requested['agent']
        assert figures.extraction.requests == requested['extraction'] + requested['cross-reference'] == 6


def is_told(told: list['ResearchProgress']) -> bool:
    """Whether all stages were told of, in their order."""
    steps = [(each.done, each.total) for each in told if each.stage == 'step']
    return (
        steps == [(number, 5) for number in range(1, 6)]
        and [(each.done, each.total) for each in told if each.stage == 'crawl'] == [(n, 6) for n in range(1, 7)]
        and [(each.done, each.total) for each in told if each.stage == 'extract'] == [(n, 5) for n in range(1, 6)]
        and list(dict.fromkeys(each.stage for each in told))
        == ['plan', 'crawl', 'step', 'summarize', 'extract', 'cross-reference', 'package']
    )


# Pages that the agent adds


async def test_pages_that_the_agent_adds(zone: World, tmp_path: Path) -> None:
    """A new page in the second step, a known one in the third."""
    zone.agent_crawls(npcs='isaude-merrow', factions='history')
    package = await zone.research(tmp_path, way='at-source').run()
    steps = steps_of_pages(tmp_path)
    assert (steps['isaude-merrow'], steps['history']) == ([*TOPIC_IDS], [*TOPIC_IDS])
    assert all(steps.values())
    assert zone.site.requests == ONCE + Counter({'/isaude-merrow.md': 1})
    assert [page.url.rsplit('/')[-1] for page in package.extracted.sources][-1] == 'isaude-merrow.md'
    assert 'Isaude Merrow' in package.briefs['02-npcs.md'].rpartition('## Sources')[2]
    only_there = ('Dorn Pike', 'Jory Flint', 'Sabine Holt', 'Edric Moss')
    assert any(name in text for name in only_there for text in package.sections.values())
    assert kept_to_the_window(zone)
    assert is_valid(package, tmp_path)
    figures = package.statistics
    assert figures.pages == 7
    assert figures.tokens_crawled == sum(page.tokens for page in package.extracted.sources)


# What fails on the way


def refusing(who: Role, reply: Reply, saying: str = '') -> Callable[[Request], Reply]:
    """A provider that gives a reply to one role, if its request says something, and does well otherwise."""
    well_behaved = Researcher()
    return lambda request: reply if role(request) == who and saying in request.prompt else well_behaved(request)


@pytest.mark.slow
async def test_the_server_is_down_and_comes_back(zone: World, server: Served, tmp_path: Path) -> None:
    url = f'http://127.0.0.1:{serving.free_port()}/mcp'
    raw = await zone.research(tmp_path, way='at-source', mcp_summarizer_url=url).run()
    checkpoint = Checkpoint.load(tmp_path)
    assert checkpoint is not None
    for step in checkpoint.steps.values():
        assert step.state == 'degraded'
        assert step.summary
    reason = (
        'the MCP server at 127.0.0.1:… cannot be used: no connection to its address: All connection attempts failed'
    )
    assert list(map(without_sizes, raw.statistics.warnings)) == [
        f'{header}: not summarized by a model: {reason}' for header in HEADERS
    ]
    assert is_valid(raw, tmp_path)
    assert kept_to_the_window(zone)
    asked = Counter(map(role, zone.provider.requests))

    whole = await zone.research(tmp_path, way='at-source', mcp_summarizer_url=server.url).run(resume=True)
    assert {step.state for step in whole.statistics.steps.values()} <= {'summarized', 'unchanged'}
    assert whole.statistics.warnings == []
    assert is_valid(whole, tmp_path)
    assert kept_to_the_window(zone)
    assert all(steps_of_pages(tmp_path).values())
    assert zone.site.requests == ONCE
    # The server's model is the embedded one, too: the briefs are the same, and nothing is extracted anew.
    assert Counter(map(role, zone.provider.requests)) == asked
    assert whole.statistics.extraction.requests == raw.statistics.extraction.requests == 6
    assert whole.statistics.total.requests == len(zone.provider.requests)


async def test_summaries_fail(zone: World, tmp_path: Path) -> None:
    zone.answer_with(refusing('summary', Error(500)))
    names = ['history', 'siege-of-tern-rock']
    research = zone.research(tmp_path, names=names, window=3_800, llm_model=MODEL, research_model='extractive')
    raw = await research.run()
    states = {topic: step.state for topic, step in raw.statistics.steps.items()}
    assert set(states.values()) == {'degraded'}
    assert without_sizes(raw.statistics.warnings[0]) == snapshot(
        'Zone overview: not summarized by a model: every model call failed (HTTP 500): this is the original content, … tokens for a budget of …'
    )
    assert is_valid(raw, tmp_path)
    zone.answer_with(Researcher())
    whole = await research.run(resume=True)
    assert whole.statistics.steps['lore'].state == 'summarized'
    assert whole.statistics.warnings == []


async def test_one_category_cannot_be_extracted(zone: World, tmp_path: Path) -> None:
    of_npcs = 'one record for each named person or creature'
    zone.answer_with(refusing('extraction', Text('As an archivist I would rather not.'), of_npcs))
    research = zone.research(tmp_path, names=['harrow-sound', 'characters'])
    package = await research.run()
    assert package.statistics.warnings == ['Characters: extraction: invalid output']
    assert {topic for topic, each in package.extracted.categories.items() if each.state == 'failed'} == {'npcs'}
    assert package.extracted.categories['zone_overview'].records
    assert package.extracted.conflicts == []
    assert is_valid(package, tmp_path)
    assert len(extractions(zone)) == 7  # three attempts at one

    # When the research is resumed, that one is asked for again, and all are compared again.
    one: JsonValue = [{'name': 'Bram Oddery', 'level': '46', 'sources': [2]}]
    zone.answer_with(refusing('extraction', Json({'records': one}), of_npcs))
    resumed = await research.run(resume=True)
    assert resumed.statistics.warnings == []
    assert len(extractions(zone)) == 8
    [record] = resumed.extracted.categories['npcs'].records
    assert record.name == 'Bram Oddery'
    # What was paid for stays counted.
    extracting = [request for request in zone.provider.requests if role(request) in ('extraction', 'cross-reference')]
    assert len(extracting) == 10
    assert resumed.statistics.total.requests == len(zone.provider.requests)


async def test_a_page_is_missing(zone: World, tmp_path: Path) -> None:
    research = zone.research(tmp_path, names=['items', 'nowhere'])
    package = await research.run()
    [failure] = package.statistics.failures
    assert (failure.place, failure.reason) == (
        f'{zone.site.host}/nowhere.md',
        f'{zone.site.host}/nowhere.md answered HTTP 404',
    )
    assert len(package.extracted.sources) == 1
    assert is_valid(package, tmp_path)
    # It is there when the research is resumed: the step that it is most about takes it, and all is extracted anew.
    zone.site.pages['nowhere'] = FURTHER['lantern-wardens']
    asked = len(extractions(zone))
    resumed = await research.run(resume=True)
    assert resumed.statistics.failures == []
    assert len(resumed.extracted.sources) == 2
    assert steps_of_pages(tmp_path)['nowhere'] == ['factions']
    assert len(extractions(zone)) == asked + 5
    assert kept_to_the_window(zone)


@pytest.mark.slow
async def test_an_agent_that_never_ends_leaves_requests_for_summaries(zone: World, tmp_path: Path) -> None:
    well_behaved = Researcher()

    def endless(request: Request) -> Reply:
        if role(request) == 'agent':
            return Json({'url': zone.places.url('history')}, tool='crawl_webpage')
        return well_behaved(request)

    zone.answer_with(endless)
    package = await zone.research(tmp_path, limits=Limits(requests=240), window=4_000, llm_model=MODEL).run()
    steps = package.statistics.steps.values()
    asked = Counter(map(role, zone.provider.requests))
    assert asked['agent'] <= 240 * planning.AGENTS + len(TOPIC_IDS)  # the share of each step is rounded up
    assert {step.state for step in steps} == {'summarized'}
    assert package.statistics.summaries.requests == asked['summary'] > 0
    assert any('limits: in the file of the topics raises it' in warning for warning in package.statistics.warnings)


async def test_limits_are_reached(zone: World, tmp_path: Path) -> None:
    given: dict[str, Any] = {'names': ['history', 'characters', 'items'], 'window': 5_000, 'llm_model': MODEL}
    package = await zone.research(tmp_path, limits=Limits(requests=8), **given).run()
    # As many calls as there may be at once do not know of each other. Those that are on their way when one of them is
    # refused are lost, and nothing says what they have cost.
    assert package.statistics.total.requests <= len(zone.provider.requests) < 8 + CALLS
    assert 'degraded' in {step.state for step in package.statistics.steps.values()}
    assert {each.reason for each in package.extracted.categories.values()} <= {'', 'usage limit'}
    assert is_valid(package, tmp_path)
    assert adds_up(package.statistics, package.extracted)
    assert any('limit' in warning for warning in package.statistics.warnings)
    # More is allowed: it goes on from there.
    resumed = await zone.research(tmp_path, limits=Limits(requests=100), **given).run(resume=True)
    assert {step.state for step in resumed.statistics.steps.values()} <= {'summarized', 'unchanged'}
    assert all(category.records for category in resumed.extracted.categories.values())
    assert package.statistics.total.requests < resumed.statistics.total.requests <= len(zone.provider.requests)
    assert kept_to_the_window(zone)
