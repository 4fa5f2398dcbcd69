"""The whole zone in each combination: how much is read, kept and asked for, and that nothing is lost or read twice."""

import json
import runpy
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from summarizer_tool.text import tokens
from tests.proofs.load.goals import Goals
from tests.proofs.research.proof_world import COMBINATIONS, REAL, ROOT, Combination, Outcome, World
from tests.proofs.research.zone import role, sent_tokens

SCORE = ROOT.parent / 'shared' / 'tools' / 'score.py'


async def prove(folder: Path, goals: Goals, world: World) -> None:
    size = f'{len(world.pages)} pages, {sum(tokens.count(text) for text in world.pages.values()):,} tokens'
    goals.note('pages', size)
    if not REAL.is_dir():
        goals.skip('a zone of real size', f'{REAL} is absent, so these are the pages of the sample crawl')
    score = _score(world)
    outcomes: dict[Combination, Outcome] = {}
    for number, combination in enumerate(COMBINATIONS):
        print(f'{number + 1}. {combination.name}')
        outcomes[combination] = outcome = await world.research(combination, folder / f'research-{number}')
        _report(outcome, goals, world, score)
        if combination.through_server:
            here = outcomes[Combination(combination.form, combination.way, combination.by_provider, False)]
            goals.so(
                'the sections are those that were made in process',
                is_so=outcome.package.sections == here.package.sections
                and outcome.package.statistics.summarizer != here.package.statistics.summarizer,
            )


def _report(outcome: Outcome, goals: Goals, world: World, score: Callable[[str], str]) -> None:
    figures = outcome.package.statistics
    sections = '\n\n'.join(outcome.package.sections.values())
    asked = Counter(role(request) for request in outcome.requests)
    states = Counter(step.state for step in figures.steps.values())
    records = sum(len(category.records) for category in outcome.package.extracted.categories.values())
    goals.note(
        'figures',
        f'{outcome.seconds:.1f} s; {figures.tokens_crawled:,} tokens crawled, {figures.tokens_kept:,} kept, '
        f'ratio {figures.ratio:g}; {dict(states)}; {records} records',
    )
    goals.note('requests', ', '.join(f'{who} {times}' for who, times in sorted(asked.items())))
    goals.note('what was kept', score(sections))
    largest = {
        who: max((sent_tokens(request) for request in outcome.requests if role(request) == who), default=0)
        for who in asked
    }
    goals.note('largest prompt of the agent and of a summary', [largest.get('agent'), largest.get('summary')])
    for who in ('extraction', 'cross-reference'):
        goals.at_most(f'largest prompt of {who}', largest.get(who, 0) / 1000, world.window / 1000, 'k tokens')
    twice = [path for path, times in outcome.fetched.items() if times > 1]
    goals.so(f'no page is fetched twice {twice}', is_so=not twice and len(outcome.fetched) == len(world.pages))
    listed = {page.url.rpartition('/')[2].partition('.')[0] for page in outcome.package.extracted.sources}
    in_briefs = {name for name in world.pages if any(f'/{name}.' in text for text in outcome.package.briefs.values())}
    goals.so(f'all {len(world.pages)} pages are in the package', is_so=listed == in_briefs == set(world.pages))
    goals.so('no page failed, and none was left as it is', is_so=not figures.failures and not states['degraded'])
    for warning in figures.warnings:
        goals.note('warning', warning)


def _score(world: World) -> Callable[[str], str]:
    """What of the gold entities and relations a text has, if there is gold."""
    if not (REAL.is_dir() and SCORE.is_file()):
        return lambda _: 'not scored, as there is no gold'
    recall: Callable[[list[Any], str], tuple[float, float]] = runpy.run_path(str(SCORE))['recall']
    gold = json.loads((REAL / 'gold.json').read_text(encoding='utf-8'))
    of_source = recall(gold, '\n\n'.join(world.pages.values()))

    def score(text: str) -> str:
        entities, relations = recall(gold, text)
        return f'entities {entities:.3f}, relations {relations / of_source[1]:.3f} (of those that the pages have)'

    return score
