"""How often the gate (`mapreduce/grounding.py`) is wrong: sentences of the crawl with a gold pair, half of them changed.

Each true sentence is held against its page with the number of its line, and so is each changed one. The pages with an
even number are for tuning; those with an odd one are reported. Nothing of the pages is kept here.
"""

import calendar
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random

from summarizer_tool.documents.document import Document
from summarizer_tool.mapreduce.grounding import ground
from summarizer_tool.prompts import NumberedLine
from summarizer_tool.schemas import ChunkSummary, Fact
from tests.proofs.eval.shared import gold, page

KINDS = ('name', 'number', 'date', 'negation')
"""What counts; roles are only reported."""

LEAST = 0.90
"""Balanced accuracy over those."""

MOST_SECONDS = 0.001
"""For one fact."""

_SENTENCE = re.compile(r'(?<=[.!?])\s+')
_YEAR = re.compile(r'\b(?:1[0-9]{3}|20[0-2][0-9])\b')
_NUMBER = re.compile(r'(?<![\d.,:/–-])\d{1,3}(?:,\d{3})*(?:\.\d+)?(?![\d:/–-]|[.,]\d)')
_MONTHS = [calendar.month_name[number] for number in range(1, 13)]
_MONTH = re.compile(rf'\b(?:{"|".join(_MONTHS)})\b(?=,? \d)|(?<=\d )(?:{"|".join(_MONTHS)})\b')
_DAY = re.compile(rf'\b\d{{1,2}}(?= (?:{"|".join(_MONTHS)})\b)|(?<=\b)(?:{"|".join(_MONTHS)}) \d{{1,2}}\b')
_NOT = re.compile(r' (?:not|never)(?= )|(?<=\w)n[\'’]t\b')
_HELPER = re.compile(r'\b(?:is|are|was|were|has|had|have|will|would|can|could|did|does)\b(?! (?:not|never)\b)')


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a page, with the number of its line and a gold pair that it names."""

    text: str
    line: int
    head: str
    tail: str


@dataclass(slots=True)
class Page:
    """A page as the gate sees it."""

    name: str
    lines: list[NumberedLine]
    sentences: list[Sentence]
    names: list[str]
    """The gold names of all its articles."""
    numbers: list[str] = field(default_factory=list[str])
    years: list[str] = field(default_factory=list[str])

    @property
    def is_reported(self) -> bool:
        return int(re.sub(r'\D', '', self.name)) % 2 == 1


def read(name: str, *, by_line: bool = False) -> Page:
    """A page, its lines as the engine numbers them, or each line of the file as one."""
    document = Document(page(name))
    if by_line:
        lines = [
            NumberedLine(number, line) for number, line in enumerate(document.text.splitlines(), 1) if line.strip()
        ]
    else:
        count = len(document.segment_starts)
        lines = [NumberedLine(number, document.segment_text(number)) for number in range(1, count + 1)]
    titles = {f'## {article["title"]}': article for article in gold() if article['page'] == name}
    sentences: list[Sentence] = []
    names: set[str] = set()
    pairs: list[tuple[list[str], list[str]]] = []
    for line in lines:
        if line.text in titles:
            article = titles[line.text]
            pairs = [(head, tail) for head, tail in article['relations']]
            names |= {
                alias for entity in article['entities'] for alias in entity if re.match(r'[A-Z][^\d]{3,}$', alias)
            }
            continue
        for text in _SENTENCE.split(line.text):
            found = _pair(text, pairs)
            if found and 6 <= len(text.split()) <= 60:
                sentences.append(Sentence(text, line.number, *found))
    text = document.text
    return Page(
        name, lines, sentences, sorted(names), sorted(set(_NUMBER.findall(text))), sorted(set(_YEAR.findall(text)))
    )


def _pair(text: str, pairs: Sequence[tuple[list[str], list[str]]]) -> tuple[str, str] | None:
    for heads, tails in pairs:
        for head in heads:
            for tail in tails:
                if head in text and tail in text and head not in tail and tail not in head:
                    return head, tail
    return None


Change = Callable[[Sentence, Page, Random], str | None]


def swap_name(sentence: Sentence, page: Page, chance: Random) -> str | None:
    """One of the pair's names for another of the page."""
    names = [name for name in (sentence.head, sentence.tail) if name in page.names]
    others = [name for name in page.names if name not in sentence.text]
    if not names or not others:
        return None
    return sentence.text.replace(chance.choice(names), chance.choice(others))


def change_number(sentence: Sentence, page: Page, chance: Random) -> str | None:
    """A number that is no date: for another of the page, or by one digit."""
    spans = list(_NUMBER.finditer(_DAY.sub(lambda match: '_' * len(match.group()), sentence.text)))
    if not spans:
        return None
    match = chance.choice(spans)
    said = set(_NUMBER.findall(sentence.text))
    others = [number for number in page.numbers if number not in said]
    digit = match.group()[0]
    changed = chance.choice([each for each in '123456789' if each != digit]) + match.group()[1:]
    new = chance.choice(others) if others and chance.random() < 0.5 else changed
    return sentence.text[: match.start()] + new + sentence.text[match.end() :]


def change_date(sentence: Sentence, page: Page, chance: Random) -> str | None:
    """A year for another of the page or one near it, or a month for another."""
    spans = [*_YEAR.finditer(sentence.text), *_MONTH.finditer(sentence.text)]
    if not spans:
        return None
    match = chance.choice(spans)
    if match.group().isalpha():
        new = chance.choice([month for month in _MONTHS if month not in sentence.text])
    elif chance.random() < 0.5:
        new = chance.choice([year for year in page.years if year not in sentence.text])
    else:
        new = str(int(match.group()) + chance.choice([-11, -3, -2, -1, 1, 2, 3, 11]))
    return None if new in sentence.text else sentence.text[: match.start()] + new + sentence.text[match.end() :]


def negate(sentence: Sentence, page: Page, chance: Random) -> str | None:
    """`not` taken out where there is one, else put in."""
    if found := list(_NOT.finditer(sentence.text)):
        match = chance.choice(found)
        return sentence.text[: match.start()] + sentence.text[match.end() :]
    if not (helpers := list(_HELPER.finditer(sentence.text))):
        return None
    end = chance.choice(helpers).end()
    return f'{sentence.text[:end]} {chance.choice(["not", "never"])}{sentence.text[end:]}'


def swap_roles(sentence: Sentence, page: Page, chance: Random) -> str | None:
    """The two of the pair in each other's place."""
    first, second = sentence.text.split(sentence.head, 1)
    if sentence.tail in second:
        return first + sentence.tail + second.replace(sentence.tail, sentence.head, 1)
    if sentence.tail in first:
        return first.replace(sentence.tail, sentence.head, 1) + sentence.tail + second
    return None


CHANGES: dict[str, Change] = {
    'name': swap_name, 'number': change_number, 'date': change_date, 'negation': negate, 'roles': swap_roles,
}  # fmt: skip


@dataclass(slots=True)
class Score:
    """Facts of one kind that were looked at, and how many of them were let through."""

    facts: int = 0
    kept: int = 0

    def add(self, is_kept: bool) -> None:
        self.facts += 1
        self.kept += is_kept

    @property
    def share(self) -> float:
        return self.kept / self.facts if self.facts else 0.0


def pages(*, by_line: bool = False) -> Iterator[Page]:
    for name in sorted({article['page'] for article in gold()}):
        yield read(name, by_line=by_line)


@dataclass(slots=True)
class GateScores:
    """The scores of some pages, true sentences and each kind of change, and the time that a fact takes."""

    true: Score
    reworded: Score
    changed: dict[str, Score]
    seconds: float = 0.0

    @property
    def accuracy(self) -> dict[str, float]:
        """Balanced, by kind: the mean of the share of true ones that are kept and of changed ones that are not."""
        return {kind: (self.true.share + 1 - score.share) / 2 for kind, score in self.changed.items()}

    @property
    def balanced(self) -> float:
        """Over the kinds that count, each with the same weight."""
        dropped = [1 - self.changed[kind].share for kind in KINDS]
        return (self.true.share + sum(dropped) / len(dropped)) / 2


def reword(sentence: Sentence, page: Page, chance: Random) -> tuple[str, int] | None:
    """A true sentence as a model may say it: without an aside, without what follows a comma, or with another line."""
    text = re.sub(r'\s*\([^()]*\)', '', sentence.text)
    if ', ' in text[len(text) // 2 :] and chance.random() < 0.5:
        text = text[: text.rindex(', ')] + '.'
    line = sentence.line + chance.choice([0, 0, 1, -1])
    return (text, line) if text != sentence.text else None


def measure(chosen: Sequence[Page], seed: int = 1) -> GateScores:
    """Every second sentence as it is, and every other one changed in each way in turn."""
    scores = GateScores(Score(), Score(), {kind: Score() for kind in CHANGES})
    facts = 0
    began = time.process_time()
    for each in chosen:
        chance = Random(f'{seed} {each.name}')
        said: list[tuple[Score, str, int]] = []
        for place, sentence in enumerate(each.sentences):
            if place % 2:
                said.append((scores.true, sentence.text, sentence.line))
                if reworded := reword(sentence, each, chance):
                    said.append((scores.reworded, *reworded))
            else:
                for kind, change in CHANGES.items():
                    text = change(sentence, each, chance)
                    if text is not None and text != sentence.text:
                        said.append((scores.changed[kind], text, sentence.line))
        kept = _kept(each, [(text, line) for _, text, line in said])
        for (score, _, _), is_kept in zip(said, kept, strict=True):
            score.add(is_kept)
        facts += len(said)
    scores.seconds = (time.process_time() - began) / max(1, facts)
    return scores


def _kept(each: Page, said: Sequence[tuple[str, int]]) -> list[bool]:
    """Which facts the gate lets through: all of a page in one answer, with a line of the page after each as a mark."""
    line = next(line for line in each.lines if not line.text.startswith('#'))  # a heading is no fact
    mark = Fact(text=line.text, evidence=[line.number], importance=1)
    facts = [fact for text, line in said for fact in (Fact(text=text, evidence=[line], importance=5), mark)]
    found: list[bool] = []
    is_kept = False
    for fact in ground(ChunkSummary(facts=facts), each.lines).facts:
        if fact.importance == mark.importance:
            found.append(is_kept)
        is_kept = fact.importance != mark.importance
    return found


def table(scores: GateScores) -> str:
    """The figures, as they stand in `docs/models.md`."""
    lines = ['Kind | Facts | Kept | Balanced accuracy', '--- | --- | --- | ---']
    lines.append(f'true | {scores.true.facts} | {scores.true.share:.1%} | ')
    lines.append(f'true, shortened or with the line beside | {scores.reworded.facts} | {scores.reworded.share:.1%} | ')
    for kind, score in scores.changed.items():
        lines.append(f'{kind} changed | {score.facts} | {score.share:.1%} | {scores.accuracy[kind]:.3f}')
    lines.append(f'{", ".join(KINDS)} | | | {scores.balanced:.3f}')
    return '\n'.join(lines)


def main() -> None:
    if not gold():
        raise SystemExit('no crawl with gold relations; set SUMMARIZER_SHARED to the folder that has data/crawl')
    for by_line in (False, True) if '--by-line' in sys.argv else (False,):
        every = list(pages(by_line=by_line))
        for title, chosen in {
            'even pages (tuned on)': [each for each in every if not each.is_reported],
            'odd pages (reported)': [each for each in every if each.is_reported],
        }.items():
            scores = measure(chosen)
            print(
                f'{title}, lines as {"in the file" if by_line else "numbered"}: {scores.seconds * 1000:.2f} ms a fact'
            )
            print(table(scores) + '\n')


if __name__ == '__main__':
    main()
