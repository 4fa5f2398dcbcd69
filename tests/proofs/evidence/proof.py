"""What `answer` and `search` do on two sites on loopback, in each mode, from empty collections."""

import time
from dataclasses import dataclass
from statistics import mean
from typing import Final, get_args

from summarizer_tool.evidence.question import ResearchMode
from summarizer_tool.service.retrieval import EvidenceBrief
from summarizer_tool.store.collection import Collection
from summarizer_tool.text import tokens
from tests.proofs.evidence.island import MORE_QUESTIONS, Layout, island
from tests.proofs.evidence.island import QUESTIONS as QUESTIONS_OF_ISLAND
from tests.proofs.load.goals import Goals
from tests.support.asked_site import asking, fetching, holds, quotes, section
from tests.support.site import FORBIDDEN, QUESTIONS, Site, site

BUDGETS: Final = (24_000, 1500, 500)

ANSWERED: Final[dict[ResearchMode, float]] = {'fast': 1 / 18, 'auto': 0.8, 'deep': 0.9}
"""Share of the questions that should be answered from the guide: one answer stands there, most are one link away, two
of them two and three."""

MOST_PAGES: Final = 13
"""That one answer may read: the guide, and `SUMMARIZER_ANSWER_MAX_PAGES` by its links."""


ISLAND_PAGES: Final = 10
"""That one question to the island may take, the first page among them."""

FOUND: Final[dict[ResearchMode, float]] = {'auto': 0.65, 'deep': 0.65}
"""Share of the island's pages that are found at least; wanted are 0.7 and 0.9."""

SHARE: Final = 0.8
"""Of a brief: what is evidence, with the quotes."""


@dataclass(slots=True)
class Checked:
    """What was looked at in all briefs."""

    citations: int = 0
    verbatim: int = 0
    briefs: int = 0
    fullest: float = 0.0
    """The largest share of its budget that a brief has."""
    miscounted: int = 0


async def prove(goals: Goals) -> None:
    """Ask every question in every mode, and by name of its page, and tempt the program where nobody may go."""
    checked = Checked()
    with site() as web:
        web.slow(0)
        for mode in ANSWERED:
            await _ask_from_the_guide(web, mode, goals, checked)
        await _ask_the_page(web, goals, checked)
        await _search(web, goals, checked)
        for temptation in web.temptations:
            with asking(web, answer_max_pages=40) as retriever:
                await retriever.answer(web.url(temptation.path), temptation.query, research_mode='deep')
        goals.at_most('requests to the other server', len(web.canary.hits), 0, '')
        goals.at_most('requests that robots.txt forbids', len({*FORBIDDEN} & {*web.hits}), 0, '')
        goals.note('requests to the site', f'{len(web.hits):,}, at most {web.concurrent_max} at a time')
    for layout in get_args(Layout):
        with island(layout) as origin:
            for mode, least in FOUND.items():
                await _ask_the_island(origin, layout, mode, least, goals)
    goals.so(
        f'citations that stand in their lines: {checked.verbatim:,} of {checked.citations:,}',
        is_so=checked.verbatim == checked.citations > 0,
    )
    goals.at_most(f'the fullest of {checked.briefs:,} briefs', 100 * checked.fullest, 100, '% of its budget')
    goals.at_most('briefs whose tokens are miscounted', checked.miscounted, 0, '')


async def _ask_from_the_guide(web: Site, mode: ResearchMode, goals: Goals, checked: Checked) -> None:
    answered, pages, seconds = 0, list[int](), list[float]()
    for question in QUESTIONS:
        with asking(web) as retriever:
            for budget in BUDGETS:
                started = time.perf_counter()
                found = await retriever.answer(
                    web.url('/guide/'), question.query, research_mode=mode, max_tokens=budget
                )
                _check(found, budget, retriever.collection, checked)
                if budget == BUDGETS[0]:
                    seconds.append(time.perf_counter() - started)
                    answered += holds(found.text, question.words)
                    pages.append(int(found.figures.get('pages', 0)) - int(found.figures.get('failures', 0)))
    share = answered / len(QUESTIONS)
    goals.at_least(f'{mode}: {answered} of {len(QUESTIONS)} questions answered', share, ANSWERED[mode])
    goals.at_most(f'{mode}: most pages for a question', max(pages), 1 if mode == 'fast' else MOST_PAGES, 'pages')
    goals.note(f'{mode}: on average', f'{mean(pages):.1f} pages, {1000 * mean(seconds):.0f} ms')


async def _ask_the_page(web: Site, goals: Goals, checked: Checked) -> None:
    answered = 0
    for question in QUESTIONS:
        with asking(web) as retriever:
            found = await retriever.answer(web.url(question.path), question.query, research_mode='fast')
            _check(found, BUDGETS[0], retriever.collection, checked)
            answered += holds(found.text, question.words)
    goals.at_least('answered from the page that has the answer', answered, len(QUESTIONS), 'questions')


async def _ask_the_island(origin: str, layout: Layout, mode: ResearchMode, least: float, goals: Goals) -> None:
    """Ask from the first page: whether the page that answers was read, and its words are in a small brief."""
    found = list[bool]()
    words = {budget: list[bool]() for budget in (1500, 4000)}
    pages = list[int]()
    for question in (*QUESTIONS_OF_ISLAND, *MORE_QUESTIONS):
        with fetching(origin) as retriever:
            for budget, held in words.items():
                # What was read is there, the second time.
                places, way = (f'{origin}/', mode) if budget == 1500 else ((), 'fast')
                asked = await retriever.answer(
                    places, question.query, research_mode=way, expansion_budget=ISLAND_PAGES - 1, max_tokens=budget
                )
                held.append(holds(asked.text, question.words))
            read = retriever.collection.sources(ISLAND_PAGES + 10)
            found.append(any(source.url == origin + question.path for source in read))
            pages.append(len(read))
    first, more = found[: len(QUESTIONS_OF_ISLAND)], found[len(QUESTIONS_OF_ISLAND) :]
    parts = ', '.join(f'{mean(some):.2f}' for some in (first[::2], first[1::2], more))
    name = f'island, {layout}, {mode}'
    goals.at_least(f'{name}: pages found ({parts} of the three parts)', mean(found), least)
    goals.at_most(f'{name}: most pages for a question', max(pages), ISLAND_PAGES, 'pages')
    for budget, held in words.items():
        goals.note(f'{name}: answered in {budget:,} tokens', f'{sum(held)} of {len(held)}, {sum(found)} pages found')


async def _search(web: Site, goals: Goals, checked: Checked) -> None:
    with asking(web) as retriever:
        for path in dict.fromkeys(question.path for question in QUESTIONS):
            await retriever.service.add_page(web.url(path))
        for budget in BUDGETS:
            found = [(each, await retriever.search(each.query, max_tokens=budget)) for each in QUESTIONS]
            for _, evidence in found:
                _check(evidence, budget, retriever.collection, checked)
            answered = sum(holds(evidence.text, each.words) for each, evidence in found)
            if budget == 1500:
                shares = [
                    sum(tokens.count(section(evidence.text, name)) for name in ('EVIDENCE', 'CITATIONS')) / budget
                    for _, evidence in found
                ]
                cited = mean(len(quotes(evidence.text)) for _, evidence in found)
                goals.at_least(f'evidence in {budget:,} tokens, {cited:.1f} quotes in it', mean(shares), SHARE)
            if budget == BUDGETS[-1]:
                goals.note(f'found by search in {budget:,} tokens', f'{answered} of {len(QUESTIONS)}')
            else:
                goals.at_least(f'found by search in {budget:,} tokens', answered, len(QUESTIONS), 'questions')


def _check(found: EvidenceBrief, budget: int, collection: Collection, checked: Checked) -> None:
    size = tokens.count(found.text)
    cited = quotes(found.text)
    checked.briefs += 1
    checked.fullest = max(checked.fullest, size / budget)
    checked.miscounted += size != found.tokens
    checked.citations += len(cited)
    checked.verbatim += sum(quote.stands_in(collection) for quote in cited)
