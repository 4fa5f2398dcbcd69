"""`python -m tests.proofs.evidence.meetings`: what a search finds of long meetings, for questions whose evidence is known.

For each question: which share of the content words of the turns that answer it stands in 1,500 tokens of what is found,
beside as many tokens of leading text, of passages taken at random, and of the turns themselves.
"""

import argparse
import json
import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import mean
from typing import Any, Final

import anyio
import regex

from summarizer_tool.documents.document import Document
from summarizer_tool.evidence.search.results import Query
from summarizer_tool.evidence.search.search import search
from summarizer_tool.mapreduce.summarizer import Summarizer
from summarizer_tool.service.retrieval import Retriever
from summarizer_tool.service.service import Service
from summarizer_tool.settings import Settings
from summarizer_tool.store.collection import Collection
from summarizer_tool.store.source import Source
from summarizer_tool.store.source_store import SourceStore
from summarizer_tool.text import tokens

DATA: Final = Path(__file__).parents[4] / 'shared' / 'data' / 'meetings'

BUDGET: Final = 1500
"""Tokens."""

RANDOM_DRAWS: Final = 20
RANDOM_PASSAGE: Final = 120
"""Tokens of a run of turns that is drawn at random, at least."""

_MARK = regex.compile(r'\{[^{}]*\}')
"""What was heard and is no word: `{vocalsound}`."""
_SPEAKER = regex.compile(r'^[\p{L}\p{N} .-]{1,40}:', regex.MULTILINE)
_WORD = regex.compile(r"\p{L}[\p{L}']{2,}|\p{N}+")

# Written down here, and not taken from the search: a measure must not follow what it measures.
_STOPPED: Final = """
    a about actually after again all alright also although always am an and any anything are aren't as at back be because
    been before being both but by came can can't cannot come cuz could did didn't do does doesn't doing don't done down each
    either else even ever every few for from get gets getting go goes going gonna good got great had has have haven't having
    he her here hers him his hmm how huh i if in into is isn't it its it's just kind know least let let's like little lot
    made make many may maybe me mean might mine mmm more most much must my need never nice no none nor not nothing now of off
    oh ok okay on once one ones only or other others our out over own part pretty probably put quite rather really right said
    same say says see seem seems shall she should so some somebody somehow someone something sort still stuff such sure take
    than thank thanks that that's the their them then there there's these they thing things think this those though thought
    through to too two uh uhm um until up us use very wanna want was wasn't way we well we're were what whatever when where
    whether which while who whole whom why will with within without won't would wouldn't yeah yep yes yet you you're your
    """
_STOP_WORDS: Final = frozenset(_STOPPED.split())


@dataclass(frozen=True, slots=True)
class Asked:
    """A question about a meeting."""

    query: str
    turns: tuple[tuple[int, int], ...]
    """First and last of each run of turns that answers it, from 0; empty where the whole meeting does."""


@dataclass(frozen=True, slots=True)
class Meeting:
    """A transcript and what is asked about it."""

    name: str
    turns: tuple[str, ...]
    asked: tuple[Asked, ...]

    @property
    def text(self) -> str:
        return '\n\n'.join(self.turns) + '\n'

    def gold(self, asked: Asked) -> str:
        """The turns that answer a question; each once."""
        numbers = {number for first, last in asked.turns for number in range(first, last + 1)}
        return '\n\n'.join(self.turns[number] for number in sorted(numbers or range(len(self.turns))))


@dataclass(frozen=True, slots=True)
class Shares:
    """For one question: which share of the words it wants, 0 to 1, is held by each way to spend the budget."""

    asked: Asked
    gold_tokens: int
    held: dict[str, float]
    """By the name of the way."""


def meetings(folder: Path) -> list[Meeting]:
    """The transcripts of a folder: `NAME.md`, a turn a line with blank lines between, and `NAME.json`."""
    found: list[Meeting] = []
    for path in sorted(folder.glob('*.json')):
        questions: dict[str, Any] = json.loads(path.read_text(encoding='utf-8'))
        asked = [
            Asked(question['query'], tuple((int(first), int(last)) for first, last in question.get('turns', ())))
            for question in (*questions['queries'], *questions.get('general', ()))
        ]
        turns = path.with_suffix('.md').read_text(encoding='utf-8').removesuffix('\n').split('\n\n')
        found.append(Meeting(path.stem, tuple(turns), tuple(asked)))
    return found


def content_words(text: str) -> set[str]:
    """The distinct words that say something, in lower case: no names of speakers, no stop words, no fragments."""
    said = _SPEAKER.sub(' ', _MARK.sub(' ', text)).lower().replace('’', "'").replace(" '", "'")
    return set(_WORD.findall(said)) - _STOP_WORDS


def share(wanted: set[str], text: str) -> float:
    return len(wanted & content_words(text)) / len(wanted) if wanted else 1.0


def packed(texts: Iterable[str]) -> str:
    """Texts in their order, up to the first that does not fit the budget any more."""
    held = ''
    for text in texts:
        longer = f'{held}\n\n{text}' if held else text
        if tokens.count(longer) > BUDGET:
            break
        held = longer
    return held


def drawn(meeting: Meeting, seed: int) -> str:
    """Runs of turns, at random."""
    runs: list[list[str]] = [[]]
    for turn in meeting.turns:
        runs[-1].append(turn)
        if tokens.count('\n\n'.join(runs[-1])) >= RANDOM_PASSAGE:
            runs.append([])
    texts = ['\n\n'.join(run) for run in runs if run]
    Random(seed).shuffle(texts)
    return packed(texts)


async def found(collection: Collection, asked: Asked) -> str:
    """The best passages of a search."""
    result = await search(collection, Query(asked.query))  # twenty passages and their neighbours: more than fit
    return packed(hit.passage.text for hit in result.hits)


async def brief(retriever: Retriever, source: Source, asked: Asked) -> str:
    """What a client is given: the same with sources, citations and statistics, all within the budget."""
    answer = await retriever.search(asked.query, source_ids=[source.id], max_tokens=BUDGET)
    assert tokens.count(answer.text) <= BUDGET
    return answer.text


async def measure(meeting: Meeting) -> list[Shares]:
    """All questions about one meeting, over a collection that holds nothing else."""
    leading = tokens.truncate(meeting.text, BUDGET)
    randomly = [drawn(meeting, seed) for seed in range(RANDOM_DRAWS)]
    measured: list[Shares] = []
    with SourceStore() as store:
        collection = store.collection()
        source = collection.add(Document(meeting.text, title=meeting.name))
        retriever = Retriever(Service(Summarizer(Settings.load(llm_model='extractive')), collection))
        for asked in meeting.asked:
            gold = meeting.gold(asked)
            wanted = content_words(gold)
            held = {
                'search': share(wanted, await found(collection, asked)),
                'leading': share(wanted, leading),
                'random': mean(share(wanted, text) for text in randomly),
                'brief': share(wanted, await brief(retriever, source, asked)),
                'gold turns': share(wanted, tokens.truncate(gold, BUDGET)),
            }
            measured.append(Shares(asked, tokens.count(gold), held))
    return measured


def table(rows: Sequence[tuple[str, Sequence[Shares]]]) -> str:
    """A line for each row, with the mean of each way."""
    ways = list(rows[0][1][0].held)
    lines = [f'{"":64} {"gold":>6} ' + ' '.join(f'{way:>10}' for way in ways)]
    for name, shares in rows:
        label = name if len(name) <= 64 else name[:63] + '…'
        size = f'{mean(one.gold_tokens for one in shares):6.0f}'
        lines.append(f'{label:64} {size} ' + ' '.join(f'{mean(one.held[way] for one in shares):10.3f}' for way in ways))
    return '\n'.join(lines)


def report(measured: dict[str, list[Shares]], *, by_question: bool) -> str:
    """The figures, those of questions about whole meetings apart."""
    parts: list[str] = []
    kinds: list[tuple[str, Callable[[Shares], bool]]] = [
        ('questions about parts of a meeting', lambda one: bool(one.asked.turns)),
        ('questions about a whole meeting', lambda one: not one.asked.turns),
    ]
    for title, belongs in kinds:
        chosen = {name: [one for one in shares if belongs(one)] for name, shares in measured.items()}
        every = [one for shares in chosen.values() for one in shares]
        rows: list[tuple[str, Sequence[Shares]]] = []
        for name, shares in chosen.items():
            rows += [(f'{name}: {one.asked.query}', [one]) for one in shares] if by_question else []
            rows += [(f'{name}, all', shares)] if shares else []
        if every:
            parts.append(f'{title}\n{table([*rows, (f"all {len(every)} questions", every)])}')
    return '\n\n'.join(parts)


async def _measure_all(folder: Path) -> dict[str, list[Shares]]:
    return {meeting.name: await measure(meeting) for meeting in meetings(folder)}


def main() -> None:
    parser = argparse.ArgumentParser(prog='python -m tests.proofs.evidence.meetings', description=__doc__)
    parser.add_argument('--data', type=Path, default=DATA, help='folder of NAME.md and NAME.json')
    parser.add_argument('--by-question', action='store_true', help='a line for each question, too')
    arguments = parser.parse_args()
    logging.disable(logging.INFO)
    measured = anyio.run(_measure_all, arguments.data)
    if not measured:
        raise SystemExit(f'{arguments.data} holds no transcripts (NAME.md and NAME.json); nothing is measured')
    print(f'Share of the content words of the turns that answer, in {BUDGET:,} tokens; gold: tokens of those turns.\n')
    print(report(measured, by_question=arguments.by_question))


if __name__ == '__main__':
    main()
