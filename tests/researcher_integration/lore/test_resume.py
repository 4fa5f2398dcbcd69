"""A research that is killed (-9) and resumed: the same package, no page requested twice, no answer paid for twice."""

import asyncio
import os
import signal
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from researcher_integration.lore.checkpoint import Checkpoint
from researcher_integration.lore.crawl.researcher import Way
from researcher_integration.lore.material import TOPIC_IDS
from researcher_integration.lore.package import Package
from tests.proofs.research import killed
from tests.proofs.research.simulated import Researcher
from tests.proofs.research.zone import PAGES, World, role, world
from tests.support import forking
from tests.support.replies import MODEL, Request

pytestmark = pytest.mark.usefixtures('model_requests')

ONCE = Counter({f'/{name}.md': 1 for name in PAGES})
"""What the site is asked for."""

BETWEEN = ('crawl', *(f'step:{number}' for number in range(1, 6)), 'cross-reference')
"""Where a research can be killed between two pieces of work."""

Prompts = Counter[tuple[str, str]]
"""How often the provider was asked what, and by whom."""


def kill(point: str, folder: Path, of: World, *options: str) -> Checkpoint:
    """Begin a research, or go on with it, in a process of its own that dies at a point; what it has written last."""
    places = of.places
    done = forking.run(
        killed.__name__,
        point,
        folder,
        places.host,
        places.base_url,
        *options,
        environment=os.environ,
        cwd=folder.parent,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()
    checkpoint = Checkpoint.load(folder)
    assert checkpoint is not None
    return checkpoint


def resume(folder: Path, of: World, **options: Any) -> Package:
    return asyncio.run(of.research(folder, llm_model=MODEL, **options).run(resume=True))


def all_but_seconds(package: Package) -> dict[str, Any]:
    content = package.model_dump(exclude={'statistics': {'seconds'}})
    for figures in content['statistics']['steps'].values():
        del figures['seconds']
    return content


def prompts(requests: Sequence[Request]) -> Prompts:
    return Counter((role(request), request.prompt) for request in requests)


@dataclass
class Zone:
    """The world, and what uninterrupted researches of it come to."""

    world: World
    begun: int = 0
    """Requests to the provider before the present test."""
    _whole: dict[Way, tuple[Package, Prompts]] = field(default_factory=dict)

    def whole(self, folder: Path, way: Way = 'in-pipeline') -> tuple[Package, Prompts]:
        """An uninterrupted research, made once: its package, and what it has asked the provider."""
        if way not in self._whole:
            before = len(self.world.provider.requests)
            package = asyncio.run(self.world.research(folder, way=way, llm_model=MODEL).run())
            self._whole[way] = package, prompts(self.world.provider.requests[before:])
        self.begin()
        return self._whole[way]

    def begin(self) -> None:
        """Forget what was asked for so far."""
        self.world.site.requests.clear()
        self.begun = len(self.world.provider.requests)

    @property
    def asked(self) -> Prompts:
        """What the provider was asked since."""
        return prompts(self.world.provider.requests[self.begun :])


@pytest.fixture(scope='module')
def zone() -> Iterator[Zone]:
    with world() as running:
        yield Zone(running)


# Between two pieces of work: nothing at all is done again


@pytest.mark.parametrize(
    ('way', 'points'),
    [
        pytest.param('in-pipeline', ('crawl', 'step:1', 'step:4', 'cross-reference'), marks=pytest.mark.slow),
        pytest.param('at-source', ('step:3',), marks=pytest.mark.slow),
        *(pytest.param(way, BETWEEN, marks=pytest.mark.slow) for way in ('in-pipeline', 'at-source')),
    ],
)
def test_killed_again_and_again(zone: Zone, tmp_path: Path, way: Way, points: Sequence[str]) -> None:
    whole, asked = zone.whole(tmp_path / 'whole', way)
    for point in points:
        checkpoint = kill(point, tmp_path / 'killed', zone.world, way)
        assert killed.is_reached(point, checkpoint)
    package = resume(tmp_path / 'killed', zone.world, way=way)
    assert all_but_seconds(package) == all_but_seconds(whole)
    assert zone.world.site.requests == ONCE
    assert zone.asked == asked
    assert set(asked.values()) == {1}


# Amid a piece of work: what of it was finished is not done again


def test_killed_while_crawling(zone: Zone, tmp_path: Path) -> None:
    whole, asked = zone.whole(tmp_path / 'whole')
    checkpoint = kill('page:3', tmp_path / 'killed', zone.world)
    there = {f'/{page.url.rsplit("/")[-1]}' for page in checkpoint.pages.values()}
    package = resume(tmp_path / 'killed', zone.world)
    assert all_but_seconds(package) == all_but_seconds(whole)
    assert len(there) == 3
    assert {path: zone.world.site.requests[path] for path in there} == dict.fromkeys(there, 1)
    assert zone.asked == asked


@pytest.mark.slow
def test_killed_amid_a_summary(zone: Zone, tmp_path: Path) -> None:
    whole, asked = zone.whole(tmp_path / 'whole')
    kill('summary:2', tmp_path / 'killed', zone.world, 'in-pipeline', '1')
    chunks = Counter(who for who, _ in zone.asked)['summary']
    package = resume(tmp_path / 'killed', zone.world)
    assert (package.sections, package.extracted) == (whole.sections, whole.extracted)
    assert zone.world.site.requests == ONCE
    # The agent's run of this step and the chunks that were summarized had been kept.
    assert zone.asked == asked
    assert 2 <= chunks < Counter(who for who, _ in asked)['summary']
    assert package.statistics.summaries.requests == whole.statistics.summaries.requests - 2


@pytest.mark.slow
def test_killed_after_an_agent_has_crawled(tmp_path: Path) -> None:
    with world() as running:
        running.agent_crawls(npcs='isaude-merrow')
        whole = asyncio.run(running.research(tmp_path / 'whole', llm_model=MODEL).run())
        running.site.requests.clear()
        checkpoint = kill('page:7', tmp_path / 'killed', running)
        running.answer_with(Researcher())  # which does not ask for the page again
        package = resume(tmp_path / 'killed', running)
        assert running.site.requests == ONCE + Counter({'/isaude-merrow.md': 1})
    assert list(checkpoint.gathered) == ['zone_overview']
    assert package.extracted.sources == whole.extracted.sources
    for topic in TOPIC_IDS:
        before, after = whole.statistics.steps[topic], package.statistics.steps[topic]
        assert (after.state, after.pages, after.tokens_crawled) == (before.state, before.pages, before.tokens_crawled)
    assert package.statistics.steps['npcs'].pages == 7
    # The step begins anew with the same budget, so that chunks which it had summarized would not be paid for again.
    assert package.statistics.steps['npcs'].budget == whole.statistics.steps['npcs'].budget


@pytest.mark.slow
def test_killed_amid_the_extraction(zone: Zone, tmp_path: Path) -> None:
    whole, asked = zone.whole(tmp_path / 'whole')
    checkpoint = kill('extraction:2', tmp_path / 'killed', zone.world)
    extracted = list(checkpoint.extractions)
    assert len(extracted) >= 2
    package = resume(tmp_path / 'killed', zone.world)
    # What was on its way is paid for twice, and counted.
    total = whole.statistics.total
    assert package.statistics.total.requests - total.requests <= len(TOPIC_IDS) - len(extracted)
    anew = package.statistics.model_copy(update={'total': total})
    assert all_but_seconds(package.model_copy(update={'statistics': anew})) == all_but_seconds(whole)
    assert not asked - zone.asked
    # All five are asked for at once. What had been answered is not asked for again.
    again = list((zone.asked - asked).elements())
    assert {who for who, _ in again} <= {'extraction'}
    assert len(again) <= len(TOPIC_IDS) - len(extracted)
