"""What an agent reads of pages at the source: parts of the summary that the briefs are made of, and no other."""

from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import pytest
from inline_snapshot import snapshot
from pydantic_ai import Agent
from pydantic_ai.exceptions import UsageLimitExceeded

from researcher_integration.lore.configuration import load_tiers, load_topics
from researcher_integration.lore.crawl.crawling import Crawler, StepDeps
from researcher_integration.lore.crawl.researcher import Way
from researcher_integration.lore.steps.reading import SummaryReading
from researcher_integration.lore.steps.step_summarizer import ZoneSummarizer, without_pages
from researcher_integration.lore.summaries.backends import InProcess, SourceSummary, SummaryUnavailableError
from summarizer_tool import Document, RequestOptions, SourceStore
from tests.proofs.research.simulated import Researcher
from tests.proofs.research.zone import World, role
from tests.support.backends import kept, local
from tests.support.replies import MODEL, Behaviour, Reply, Request
from tests.support.research_agent import summarize
from tests.support.research_world import page
from tests.support.scripted import call, returns, scripted
from tests.support.texts import CHRONICLE

if TYPE_CHECKING:
    from researcher_integration.lore.material import CrawledPage

pytestmark = pytest.mark.anyio

TEXT = """\
# Cold Ferry: a history
Corvin Hask sank the toll boats.
## The siege
It lasted two winters.
# Cold Ferry
The ferry crosses the strait.
# A very long title of a page that nobo…
Nobody reads it.
Also named: Tern Rock.
"""


def test_what_stands_under_the_titles_of_other_pages_is_left_out() -> None:
    assert without_pages(TEXT, ['*Cold Ferry*', 'A very long title of a page that nobody reads']) == snapshot("""\
# Cold Ferry: a history
Corvin Hask sank the toll boats.
## The siege
It lasted two winters.\
""")
    assert without_pages(TEXT, []) == TEXT.strip()
    assert without_pages('# C++\nIt is old.\n# Go\nIt is not.', ['C#', 'Go'], ['C++']) == '# C++\nIt is old.'


@pytest.mark.parametrize('titles', [('History', 'History'), ('C++', 'C#'), ('???', '!!!')])
async def test_pages_that_are_called_alike_are_read(titles: tuple[str, str]) -> None:
    with SourceStore() as store:
        pages: list[CrawledPage] = []
        for number, title in enumerate(titles, 1):
            ships = [f'Captain Tull{number} lost {ship} ships at the weir in {ship + 300}.' for ship in range(90)]
            document = Document('\n\n'.join(ships), title=title)
            store.collection().add(document)
            name = f'{title} ({number})' if title in titles[: number - 1] else title
            changes = {'source_id': document.id, 'title': name, 'tokens': 90 * 20}
            pages.append(page(number).model_copy(update=changes))
        backend, topics = local(store), load_topics().topics
        summarizer = ZoneSummarizer(backend, backend, topics)
        for each in pages:
            said = await summarizer.read(topics[0], pages, [each.source_id], 900, RequestOptions())
            assert f'Tull{each.number}' in said


async def test_pages_are_summarized_once_and_where_nothing_is_said_of_one_that_is_told() -> None:
    topics = load_topics().topics
    said = SourceSummary({topics[0].header: '# One\nIt is long.'}, 'a-model', ('1 part was not summarized',))
    pages = [page(1).model_copy(update={'title': 'One'}), page(2).model_copy(update={'title': 'Two'})]
    asked: list[Sequence[str]] = []

    class Backend(InProcess):
        async def condense(self, source_ids: Sequence[str], *_: object, **__: object) -> SourceSummary:
            asked.append(source_ids)
            return said

    with SourceStore() as store:
        backend = Backend(local(store).service.summarizer.settings, store)
        summarizer = ZoneSummarizer(backend, backend, topics)
        one, two = ([each.source_id] for each in pages)
        for known in (pages[:1], pages[:1], pages):
            assert 'It is long.' in await summarizer.read(None, known, one, 900, RequestOptions())
        assert asked == [one]
        for _ in range(2):
            with pytest.raises(SummaryUnavailableError, match='nothing of these; read_source'):
                await summarizer.read(None, pages, two, 900, RequestOptions())
        assert asked == [one, [*one, *two]]


async def test_once_the_limit_is_reached_no_model_is_asked_again() -> None:
    class Backend(InProcess):
        asked = 0

        async def condense(self, *_: object, **__: object) -> SourceSummary:
            self.asked += 1
            raise UsageLimitExceeded('no more requests')

    with SourceStore() as store:
        backend = Backend(local(store).service.summarizer.settings, store)
        summarizer = ZoneSummarizer(backend, backend, load_topics().topics)
        for _ in range(2):
            with pytest.raises(UsageLimitExceeded):
                await summarizer.read(None, [page(1)], [page(1).source_id], 900, RequestOptions())
        assert backend.asked == 1


async def results(read: Any, *calls: Any) -> list[tuple[str, str]]:
    """How calls of an agent end that has crawled one page, and what comes back."""
    with SourceStore() as store:
        [handle] = kept(store, CHRONICLE)
        service = local(store).service
        known = page(1).model_copy(update={'source_id': handle})
        deps = StepDeps(Crawler(service, load_tiers(), {'https://marn.example/1': known}))
        reading = SummaryReading(local(store).toolset(), read)
        run = await Agent(scripted(*calls, 'Done.'), deps_type=StepDeps, toolsets=[reading]).run('Read.', deps=deps)
    return [(part.outcome, part.model_response_str()) for part in returns(run.all_messages())]


async def test_crawled_pages_are_read_up_to_what_is_asked_for() -> None:
    asked: list[Collection[str]] = []

    async def read(handles: Collection[str]) -> str:
        asked.append(handles)
        return 'Of Characters:\nCorvin Hask sank the toll boats.\nThe ferry crosses the strait.'

    with SourceStore() as store:
        [handle] = kept(store, CHRONICLE)
    assert await results(
        read,
        summarize(handle, budget=16),
        call('summarize', content=handle.upper(), max_output_tokens=0),
        call('read_source', source_id=handle, max_tokens=40),
        call('summarize', source_ids=[handle, 'src_0123456789ab']),
        call('summarize', content='Short.'),
        call('summarize', content=f'A note on {handle}.'),
    ) == snapshot(
        [
            (
                'success',
                """\
Of Characters:
Corvin Hask sank the toll boats.\
""",
            ),
            (
                'success',
                """\
Of Characters:
Corvin Hask sank the toll boats.
The ferry crosses the strait.\
""",
            ),
            (
                'success',
                """\
1| ## Year 601 of the Bellwater chronicle
[src_2d59fc28c0fd, 1 to 1 of 27 lines; to read on: start_line=2.]\
""",
            ),
            (
                'failed',
                '{"error":"there is no source \\"src_0123456789ab\\"; the last used are src_2d59fc28c0fd (\\"Annals of Marn, volume 1\\"); a text or a URL that is added as a source gets a handle"}',
            ),
            ('success', 'Short.'),
            ('success', 'A note on src_2d59fc28c0fd.'),
        ]
    )
    assert asked == [{handle}] * 2


@pytest.mark.parametrize(
    'error', [SummaryUnavailableError('the server is away'), UsageLimitExceeded('no more requests. Raise it.')]
)
async def test_without_a_summary_the_agent_is_told_why(error: Exception) -> None:
    async def read(_: Collection[str]) -> str:
        raise error

    with SourceStore() as store:
        [handle] = kept(store, CHRONICLE)
    [(outcome, said)] = await results(read, summarize(handle, budget=50))
    assert outcome == 'failed'
    assert str(error).partition('.')[0] in said


@pytest.mark.usefixtures('model_requests')
async def test_what_an_agent_has_read_is_not_read_again_for_the_briefs(zone: World, tmp_path: Path) -> None:
    asked: dict[str, int] = {}
    read: list[str] = []

    def answer(request: Request) -> Reply:
        read.extend(message.text for message in request.body.messages if message.role == 'tool')
        return Researcher()(request)

    zone.provider.behaviour = Behaviour(answer)
    for way in get_args(Way):
        before = len(zone.provider.requests)
        package = await zone.research(tmp_path / way, way=way, llm_model=MODEL).run()
        roles = Counter(map(role, zone.provider.requests[before:]))
        assert package.statistics.summaries.requests == roles['summary']
        assert sum(step.agent.requests for step in package.statistics.steps.values()) == roles['agent']
        assert package.statistics.total.requests == roles.total()
        mapped = [request for request in zone.provider.requests[before:] if '<source' in request.user_texts[-1]]
        asked[way] = sum('<missing>' not in request.user_texts[-1] for request in mapped)
    assert any('Of Characters:\n' in text for text in read)
    # Of six chunks one or two are asked about again, for a larger budget; by page it would be all of them.
    assert asked['in-pipeline'] == 6
    assert 6 <= asked['at-source'] <= 8
