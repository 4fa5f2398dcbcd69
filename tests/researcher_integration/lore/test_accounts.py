"""What models have cost, counted against the provider's own count; what does not fit; what has been lost."""

import json
from collections import Counter
from pathlib import Path

import pytest

from researcher_integration.lore.crawl.researcher import Way
from tests.proofs.research.simulated import Researcher
from tests.proofs.research.zone import World, role
from tests.support.replies import MODEL, Answer, Error, Reply, Request

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures('model_requests')]


def refusing_agents(request: Request) -> Reply:
    return Error(500) if role(request) == 'agent' else Researcher()(request)


@pytest.mark.parametrize(('way', 'answer'), [('at-source', Researcher()), ('in-pipeline', refusing_agents)])
async def test_the_figures_are_those_of_the_provider(zone: World, tmp_path: Path, way: Way, answer: Answer) -> None:
    zone.answer_with(answer)
    names = ['history', 'siege-of-tern-rock']
    package = await zone.research(tmp_path, names=names, way=way, window=3_800, llm_model=MODEL).run()
    answered = Counter(role(request) for request in zone.provider.requests)
    steps = package.statistics.steps.values()
    assert package.statistics.summaries.requests > 0
    assert package.statistics.extraction.requests == answered['extraction'] + answered['cross-reference']
    if answer is not refusing_agents:
        assert sum(step.agent.requests for step in steps) >= answered['agent']
        assert package.statistics.total.requests == len(zone.provider.requests)
    assert all(step.agent.requests >= 0 and step.agent.input_tokens >= 0 for step in steps)


async def test_agents_that_failed_are_asked_again(zone: World, tmp_path: Path) -> None:
    zone.answer_with(refusing_agents)
    research = zone.research(tmp_path, names=['items'])
    failed = await research.run()
    assert all('the agent failed: HTTP 500' in step.warnings for step in failed.statistics.steps.values())
    zone.answer_with(Researcher())
    whole = await research.run(resume=True)
    assert all(step.agent.requests for step in whole.statistics.steps.values())
    assert not whole.statistics.warnings
    assert zone.site.requests == {'/items.md': 1}


async def test_nobody_reads_the_password_of_an_address(zone: World, tmp_path: Path) -> None:
    address = zone.site.origin.replace('http://', 'http://warden:geheim@') + '/harrow-sound.md?token=verborgen'
    missing = address.replace('harrow-sound', 'nowhere')
    told: list[str] = []
    research = zone.research(tmp_path, names=['items'], research_model=None)
    research.request = research.request.model_copy(update={'places': (*research.request.places, address, missing)})
    research.on_progress = lambda progress: told.append(progress.message)
    package = await research.run()
    shown = json.dumps(told) + package.model_dump_json() + package.statistics.model_dump_json()
    assert 'geheim' not in shown
    assert 'verborgen' not in json.dumps(told) + str(package.statistics.failures)
    assert (tmp_path / 'checkpoint.json').stat().st_mode & 0o077 == 0
