"""What is measured, case by case: each makes its summaries with one summarizer and gives figures from 0 to 1."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from summarizer_tool import Document, Summarizer, Summary
from tests.proofs.eval import gate, measures
from tests.proofs.eval.cases import OWN, Told
from tests.proofs.eval.shared import EXAMPLES, SHARED, gold, tool

HINT = 'people, places, organizations, dates, works and how they relate'

RATIO = 5
"""Tokens in for each token out, where what is kept is measured."""

FOCUS_TOKENS = 1500
PLOT_TOKENS = 330

GROUPS = ('retention', 'examples', 'own', 'reading', 'focus', 'plots', 'gate')

Figures = dict[str, float]

LEAST: dict[str, Figures] = {
    'retention': {'entities': 0.59, 'relations': 0.43, 'coverage': 0.50, 'sentences': 0.90},
    'examples': {'coverage': 0.65, 'sentences': 0.85},
    'reading': {'sentences': 0.93},
    'focus': {'words': 0.75, 'span': 0.23},
    'plots': {'rouge1': 0.33},
    'own': {'found': 0.95, 'clean': 0.95},
    'a few pages': {'entities': 0.53, 'relations': 0.42, 'coverage': 0.50, 'sentences': 0.90},
    'a few questions': {'words': 0.65, 'span': 0.12},
    'gate': {'balanced': 0.97, 'fast enough': 1.0},
}
"""The means that no group may fall below: a little under what the embedded model reaches."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One case."""

    name: str
    group: str
    """The kind of case; the means of a group have bounds."""
    measure: Callable[[Summarizer], Awaitable[Figures]]


def read(paths: Sequence[Path]) -> list[Document]:
    return [Document(path.read_text(encoding='utf-8'), title=path.stem) for path in paths]


def everything(step: int) -> Iterator[Measured]:
    """All cases that can be measured here.

    Args:
        step: Every so many questions about meetings are asked.
    """
    crawl = sorted((SHARED / 'data' / 'crawl').glob('*.md'))
    if crawl and tool('score'):
        yield Measured(f'crawl of {len(crawl)} pages', 'retention', partial(_retention, crawl))
    yield from own_and_examples()
    documents = SHARED / 'data' / 'documents'
    yield from (
        Measured(path.stem, 'reading', partial(_reading, path))
        for path in sorted(documents.glob('*.*'))
        if path.suffix in ('.md', '.txt')
    )
    if focus := tool('focus'):
        for path, turns, query in list(focus.queries())[::step]:
            yield Measured(f'{path.stem}: {query["query"]}', 'focus', partial(_focus, path, turns, query))
    if tool('plots'):
        yield from (
            Measured(path.stem, 'plots', partial(_plot, path)) for path in sorted(documents.glob('story-*.txt'))
        )
    if gold():
        yield Measured('odd pages', 'gate', _gate)


def own_and_examples() -> Iterator[Measured]:
    """What needs nothing but this repository."""
    yield Measured('the sample crawl', 'examples', partial(_examples, sorted(EXAMPLES.glob('*.md'))))
    for make in OWN:
        told = make()
        yield Measured(told.name, 'own', partial(_told, told))


def small() -> Iterator[Measured]:
    """What the tests measure in some seconds: our own cases but the long one, a few pages, and a few questions."""
    for each in everything(23):
        if each.group == 'retention':
            pages = sorted((SHARED / 'data' / 'crawl').glob('*.md'))[::4]
            yield Measured('every fourth page', 'a few pages', partial(_retention, pages))
        elif each.group == 'examples' or (each.group == 'own' and each.name != OWN[-1]().name):
            yield each
        elif each.group == 'focus':
            yield replace(each, group='a few questions')


async def _extracted(
    summarizer: Summarizer, documents: Sequence[Document], hint: str = HINT, budget: int = 0
) -> Summary:
    budget = budget or sum(document.tokens for document in documents) // RATIO
    return await summarizer.summarize_for_extraction(list(documents), hint, max_output_tokens=budget)


def _coverage(summary: Summary) -> float:
    return summary.coverage.share if summary.coverage else 1.0


async def _retention(paths: Sequence[Path], summarizer: Summarizer) -> Figures:
    summary = await _extracted(summarizer, read(paths))
    kept = measures.retention(summary.text, [path.name for path in paths])
    return {**kept, 'coverage': _coverage(summary), 'sentences': measures.whole_sentences(summary.text)}


async def _examples(paths: Sequence[Path], summarizer: Summarizer) -> Figures:
    summary = await _extracted(summarizer, read(paths))
    return {'coverage': _coverage(summary), 'sentences': measures.whole_sentences(summary.text)}


async def _told(told: Told, summarizer: Summarizer) -> Figures:
    if told.schema:
        summary = await _extracted(summarizer, told.documents, told.schema, told.budget)
    else:
        summary = await summarizer.summarize(told.documents, max_output_tokens=told.budget, focus_areas=told.focus)
    return told.scores(summary.text)


async def _reading(path: Path, summarizer: Summarizer) -> Figures:
    (document,) = read([path])
    summary = await summarizer.summarize(document, max_output_tokens=max(300, document.tokens // RATIO))
    return {'sentences': measures.sentences(summary.text, document.text)}


async def _focus(path: Path, turns: list[str], query: dict[str, str], summarizer: Summarizer) -> Figures:
    summary = await summarizer.summarize(read([path]), max_output_tokens=FOCUS_TOKENS, focus_areas=query['query'])
    focus = tool('focus')
    assert focus is not None
    words, span = focus.score(turns, query, summary.text)
    return {'words': words, 'span': span}


async def _plot(path: Path, summarizer: Summarizer) -> Figures:
    summary = await summarizer.summarize(read([path]), max_output_tokens=PLOT_TOKENS)
    plots = tool('plots')
    assert plots is not None
    rouge1, rouge2 = plots.score(path, summary.text)
    return {'rouge1': rouge1, 'rouge2': rouge2}


async def _gate(summarizer: Summarizer) -> Figures:
    scores = gate.measure([each for each in gate.pages() if each.is_reported])
    return {'balanced': scores.balanced, 'fast enough': float(scores.seconds < gate.MOST_SECONDS), **scores.accuracy}


def means(figures: dict[tuple[str, str], Figures]) -> dict[str, Figures]:
    """The mean of each figure over the cases of each group.

    Args:
        figures: By group and name of the case.
    """
    groups: dict[str, dict[str, list[float]]] = {}
    for (group, _), one in figures.items():
        for name, value in one.items():
            groups.setdefault(group, {}).setdefault(name, []).append(value)
    return {group: {name: sum(all_) / len(all_) for name, all_ in one.items()} for group, one in groups.items()}


def missed(found: dict[str, Figures]) -> list[str]:
    """The figures that are under their bounds; what was not measured is under none."""
    return [
        f'{group}: {name} is {found[group][name]:.3f}, under {bound:.3f}'
        for group, bounds in LEAST.items()
        for name, bound in bounds.items()
        if name in found.get(group, {}) and found[group][name] < bound
    ]
