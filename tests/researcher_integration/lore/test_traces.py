"""The spans of a research: zone, step, crawl and summary, down to the model; and nothing of what pages or prompts say."""

import json
import re
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from dirty_equals import IsInt
from inline_snapshot import snapshot
from logfire.testing import CaptureLogfire
from pydantic_ai import Agent
from pydantic_ai.models.instrumented import InstrumentationSettings

from researcher_integration.lore.checkpoint import ResearchRequest
from researcher_integration.lore.configuration import Configuration, ResearchSettings, load_tiers, load_topics
from researcher_integration.lore.crawl.researcher import Way
from researcher_integration.lore.package import Package
from researcher_integration.lore.pipeline import Research
from tests.proofs.research.simulated import Researcher
from tests.proofs.research.site import site
from tests.support import provider, replies, serving
from tests.support.replies import Answer, Behaviour, Error

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.usefixtures('model_requests'),
    # The trace of the client goes on in the server, which is meant.
    pytest.mark.filterwarnings('ignore:Found propagated trace context'),
]

ZONE = 'Heron Water'

SECRETS = re.compile('Thistlewick|Ghyll|cinderberr|encyclopedia|handle stands for', re.IGNORECASE)
"""From titles, texts, and prompts."""


def _lines(count: int, text: str) -> str:
    return '\n\n'.join(text.format(number=number, year=300 + number) for number in range(1, count + 1))


PAGES = {
    'heron-water': '# Heron Water, or Thistlewick\n\n'
    + _lines(4, 'Ghyll {number} is a settlement of the zone, on its map since {year}. It sells cinderberries.'),
    'people': '# Characters of Thistlewick\n\n'
    + _lines(120, 'Warden Ghyll the {number}th, a merchant and trainer, was born in {year} and sells cinderberries.'),
    'leech': '# The Leech of Thistlewick\n\n'
    + _lines(40, 'In {year} the Leech cured ward {number} of Ghyll with cinderberries, and took no coin for it.'),
}
"""A small page and a large one that are given, and a large one that the agent finds."""


@dataclass
class Traced:
    """A research that was traced."""

    package: Package
    spans: list[dict[str, Any]]
    events: list[dict[str, Any]]

    def named(self, name: str) -> list[dict[str, Any]]:
        """What the spans of a name say, beside what Logfire adds."""
        return [
            {
                key: value
                for key, value in span['attributes'].items()
                if not key.startswith(('logfire.', 'code.', 'gen_ai.'))
            }
            for span in sorted(self.spans, key=lambda span: span['start_time'])
            if span['name'] == name
        ]

    @property
    def traces(self) -> set[int]:
        return {span['context']['trace_id'] for span in self.spans}

    def tells(self, agent: str) -> bool:
        """Whether the spans of an agent say what pages do."""
        return any(SECRETS.search(json.dumps(attributes)) for attributes in self.named(f'invoke_agent {agent}'))

    def below(self, label: str) -> list[str]:
        """What stands below a span of the second level."""
        lines = [line.removeprefix('  ') for line in self.tree()]
        first = lines.index(label) + 1
        end = next(index for index in range(first, len(lines)) if not lines[index].startswith(' '))
        return [line.removeprefix('  ') for line in lines[first:end]]

    def tree(self) -> list[str]:
        """The spans below their parents, an only child beside its own; what repeats side by side once, with a mark."""
        known = {span['context']['span_id'] for span in self.spans}

        def below(parent: int | None) -> list[str]:
            branches: list[list[str]] = []
            is_several: list[bool] = []
            for span in sorted(self.spans, key=lambda span: span['start_time']):
                above = (span['parent'] or {}).get('span_id')
                if (above if above in known else None) != parent:
                    continue
                children = below(span['context']['span_id'])
                if sum(not line.startswith(' ') for line in children) == 1:
                    branch = [f'{_label(span)} > {children[0]}', *children[1:]]
                else:
                    branch = [_label(span), *(f'  {line}' for line in children)]
                if branches and branches[-1] == branch:
                    is_several[-1] = True
                else:
                    branches.append(branch)
                    is_several.append(False)
            return [
                f'several: {line}' if several and index == 0 else line
                for branch, several in zip(branches, is_several, strict=True)
                for index, line in enumerate(branch)
            ]

        return below(None)


def _label(span: dict[str, Any]) -> str:
    attributes = span['attributes']
    which = [attributes[key] for key in ('topic', 'category', 'number') if key in attributes]
    return ' '.join([span['name'], *map(str, which)])


def _verbose(answer: Answer) -> Answer:
    """A model that says more of each chunk than it was asked for, so that there is something to merge."""

    def reply(request: replies.Request) -> replies.Reply:
        if any('<source' in text for text in request.user_texts):
            body = request.body.model_copy(update={'max_tokens': 4000, 'max_completion_tokens': None})
            return answer(replace(request, body=body))
        return answer(request)

    return reply


@contextmanager
def _served(**settings: Any) -> Generator[str]:
    with serving.serve(default_chunk_size_tokens=1200, max_concurrent_llm_calls=1, **settings) as server:
        yield server.url


async def research(
    capfire: CaptureLogfire,
    folder: Path,
    way: Way,
    *,
    over_mcp: bool = False,
    found: str = 'leech',
    answer: Callable[[Answer], Answer] = lambda answer: answer,
    **settings: Any,
) -> Traced:
    """Research the zone: two pages are given, one is found in the step about characters.

    Args:
        capfire: Has the spans.
        folder: For the package.
        way: Who summarizes.
        over_mcp: Whether the server does.
        found: The name of the page that the agent crawls.
        answer: Changes what the provider answers.
        settings: Beside those of the test.
    """
    with ExitStack() as stack:
        wiki = stack.enter_context(site(PAGES))
        researcher = Researcher(urls={f'Find the characters of {ZONE}': [f'{wiki.origin}/{found}.md']}, records=3)
        running = stack.enter_context(provider.serve(Behaviour(answer(_verbose(researcher)), ignore_limit=True)))
        model = {'llm_model': replies.MODEL, 'openrouter_base_url': running.base_url}
        if over_mcp:
            settings['mcp_summarizer_url'] = stack.enter_context(_served(**model))
        loaded = ResearchSettings.load(
            **model,
            fetch_allow_hosts=wiki.host,
            default_chunk_size_tokens=1200,
            max_concurrent_llm_calls=1,
            worker_processes=0,
            **settings,
        )
        package = await Research(
            ResearchRequest(
                zone=ZONE,
                places=tuple(f'{wiki.origin}/{name}.md' for name in ('heron-water', 'people')),
                way=way,
                window_tokens=4500,
            ),
            Configuration(load_topics(), load_tiers()),
            loaded,
            folder,
        ).run()
    spans = capfire.exporter.exported_spans_as_dict(parse_json_attributes=True)
    # Logfire's remark that a server and its client are in one process, which is so in tests alone.
    spans = [span for span in spans if not span['name'].startswith('Found propagated')]
    return Traced(package, spans, capfire.log_exporter.exported_logs_as_dicts())


def hides_what_pages_say(traced: Traced, caplog: pytest.LogCaptureFixture) -> bool:
    said = json.dumps([traced.spans, traced.events, [vars(record) for record in caplog.records]], default=str)
    return not SECRETS.search(said)


async def test_a_zone_is_one_trace(capfire: CaptureLogfire, caplog: pytest.LogCaptureFixture, tmp_path: Path) -> None:
    traced = await research(capfire, tmp_path, 'in-pipeline')

    assert traced.tree() == snapshot(
        [
            'research zone',
            '  crawl 1',
            '  crawl 2',
            '  research step zone_overview > several: invoke_agent lore_researcher > chat openai/gpt-4o-mini',
            '  research step npcs',
            '    invoke_agent lore_researcher',
            '      chat openai/gpt-4o-mini',
            '      execute_tool crawl_webpage > crawl 3',
            '      chat openai/gpt-4o-mini',
            '    invoke_agent lore_researcher > chat openai/gpt-4o-mini',
            '  research step factions > several: invoke_agent lore_researcher > chat openai/gpt-4o-mini',
            '  research step lore > several: invoke_agent lore_researcher > chat openai/gpt-4o-mini',
            '  research step narrative_items > several: invoke_agent lore_researcher > chat openai/gpt-4o-mini',
            '  summarize zone > summarize',
            '    several: map chunk > invoke_agent chunk_summarizer > chat openai/gpt-4o-mini',
            '    reduce group > invoke_agent merger > chat openai/gpt-4o-mini',
            '    fit',
            '  extract zone_overview > invoke_agent lore_extractor > chat openai/gpt-4o-mini',
            '  extract npcs > invoke_agent lore_extractor > chat openai/gpt-4o-mini',
            '  extract factions > invoke_agent lore_extractor > chat openai/gpt-4o-mini',
            '  extract lore > invoke_agent lore_extractor > chat openai/gpt-4o-mini',
            '  extract narrative_items > invoke_agent lore_extractor > chat openai/gpt-4o-mini',
            '  cross-reference > invoke_agent lore_cross_referencer > chat openai/gpt-4o-mini',
        ]
    )
    assert len(traced.traces) == 1
    assert hides_what_pages_say(traced, caplog)
    assert traced.named('research zone') == snapshot([{'zone': 'Heron Water', 'way': 'in-pipeline'}])
    assert list(traced.named('research step')[0]) == ['topic', 'way', 'pages', 'requests']
    assert [tuple(step.values()) for step in traced.named('research step')[:3]] == snapshot(
        [('zone_overview', 'in-pipeline', 1, 2), ('npcs', 'in-pipeline', 2, 3), ('factions', 'in-pipeline', 0, 2)]
    )
    assert traced.named('summarize zone') == snapshot([{'pages': 3, 'way': 'in-pipeline', 'requests': 5}])
    crawled = traced.named('crawl')
    assert [(page['number'], page['source_id'], page['tokens']) for page in crawled] == snapshot(
        [
            (1, 'src_f6ab6765b8b6', 110),
            (2, 'src_61d1238f9f68', 3127),
            (3, 'src_b932a853f845', 1049),
        ]
    )
    assert traced.named('extract')[:2] == snapshot(
        [
            {'category': 'zone_overview', 'records': IsInt, 'dropped': IsInt},
            {'category': 'npcs', 'records': IsInt, 'dropped': IsInt},
        ]
    )
    assert traced.named('cross-reference') == snapshot([{'conflicts': 0}])


async def test_a_server_goes_on_with_the_trace_below_the_agent(
    capfire: CaptureLogfire, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    Agent.instrument_all(InstrumentationSettings(include_content=True))  # as an application may, for agents of its own
    try:
        traced = await research(capfire, tmp_path, 'at-source', over_mcp=True)
    finally:
        Agent.instrument_all(False)

    # Which chunk is finished first, and merged, differs.
    below = (line.replace('several: ', '') for line in traced.below('research step npcs'))
    assert [*dict.fromkeys(below)] == snapshot(
        [
            'invoke_agent lore_researcher',
            '  chat openai/gpt-4o-mini',
            '  execute_tool crawl_webpage > crawl 3',
            '  execute_tool summarize_for_extraction > summarize zone',
            '    MCP send server/discover > server/discover',
            '    MCP send tools/call add_source > tools/call add_source',
            '    MCP send tools/list > tools/list',
            '    MCP send tools/call summarize_for_extraction > tools/call summarize_for_extraction > summarize',
            '      map chunk > invoke_agent chunk_summarizer > chat openai/gpt-4o-mini',
            '      reduce group > invoke_agent merger > chat openai/gpt-4o-mini',
            '      fit',
            'invoke_agent lore_researcher > chat openai/gpt-4o-mini',
        ]
    )
    assert len(traced.traces) == 1
    assert hides_what_pages_say(traced, caplog)


async def test_failures_quote_nothing(
    capfire: CaptureLogfire, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    """Neither the addresses of pages that are missing nor what a provider repeats of its prompt."""
    traced = await research(capfire, tmp_path, 'at-source', found='lost-in-thistlewick', answer=_only_steps)

    assert traced.below('research step npcs') == snapshot(
        [
            'invoke_agent lore_researcher',
            '  chat openai/gpt-4o-mini',
            '  execute_tool crawl_webpage > crawl',
            '  chat openai/gpt-4o-mini',
            '  execute_tool summarize_for_extraction > summarize zone > summarize > several: map chunk > invoke_agent chunk_summarizer > chat openai/gpt-4o-mini',
            '  chat openai/gpt-4o-mini',
            'invoke_agent lore_researcher > chat openai/gpt-4o-mini',
        ]
    )
    assert traced.package.statistics.steps['npcs'].state == 'degraded'
    assert len(traced.traces) == 1
    assert hides_what_pages_say(traced, caplog)


def _only_steps(answer: Answer) -> Answer:
    """A provider that refuses all but the agent's requests, and repeats them."""

    def reply(request: replies.Request) -> replies.Reply:
        if any(tool.function and tool.function.name == 'crawl_webpage' for tool in request.body.tools):
            return answer(request)
        return Error(400, body={'error': {'code': 400, 'message': f'flagged: {request.prompt}'}})

    return reply


async def test_content_is_traced_if_the_settings_say_so(
    capfire: CaptureLogfire, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    traced = await research(capfire, tmp_path, 'at-source', trace_content=True)

    assert not hides_what_pages_say(traced, caplog)
    told = {name for name in ('lore_researcher', 'chunk_summarizer', 'lore_extractor') if traced.tells(name)}
    assert told == {'lore_researcher', 'chunk_summarizer', 'lore_extractor'}
