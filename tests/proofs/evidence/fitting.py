"""`python -m tests.proofs.evidence.fitting`: the weights of `text/passage_score.py`.

They are fitted on questions whose answers are known as parts of a text: on the train split of QMSum (github.com/
Yale-LILY/QMSum, `data/ALL/train`), on XQuAD in English (github.com/google-deepmind/xquad, `xquad.en.json`), and on pages
of documentation in markdown, where a heading is the question, what stands below it the answer, and the heading itself
is taken out. A question about a meeting counts as much as two of the others.
"""

import argparse
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

import numpy as np
import numpy.typing as npt

from summarizer_tool.documents.document import Document
from summarizer_tool.evidence.search.candidates import score_passages, weigh_questions
from summarizer_tool.store import index
from summarizer_tool.store.source_store import SourceStore
from summarizer_tool.text import passage_score
from summarizer_tool.text.scoring import content_words
from tests.proofs.evidence import meetings

Matrix = npt.NDArray[np.float64]

_PENALTY = 0.01
"""Of the squares of the weights, each of a feature of standard deviation 1, against the likelihood of a question."""
_LEAST_STEP = 1e-3
"""Of Newton's method; where a step makes it worse, half of it is tried."""
_OTHERS = 0.5
"""What a question counts that is not about a meeting."""
_TOGETHER = 12
_PAGES = 5
"""Articles, and pages of documentation, that make one text."""
_HEADINGS = 12
"""Of one such text that are asked."""
_HEADING = re.compile(r'^(#{2,6}) +(.+)\n', re.MULTILINE)
_LEAST_SECTION = 200
"""Characters."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A text, what is asked about it, and where the answers stand."""

    text: str
    questions: tuple[tuple[str, tuple[tuple[int, int], ...]], ...]
    """Each with the first character and the one after the last of each part that answers."""
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Seen:
    """What is known of the passages of one text for one question."""

    stretches: passage_score.Stretches
    terms: dict[str, float]
    features: dict[str, Sequence[float]]
    gold: Matrix
    """By passage, which share of it is a part of the answer; their sum is 1."""
    weight: float


def of_meetings(folder: Path, without: Sequence[str] = ()) -> Iterator[Sample]:
    """The meetings of a split of QMSum but for some of them, by name."""
    for path in sorted(folder.glob('*.json')):
        if path.stem in without:
            continue
        meeting = json.loads(path.read_text(encoding='utf-8'))
        turns = [f'{turn["speaker"]}: {" ".join(turn["content"].split())}' for turn in meeting['meeting_transcripts']]
        starts = np.cumsum([0, *(len(turn) + 2 for turn in turns)])
        yield Sample(
            '\n\n'.join(turns),
            tuple(
                (
                    each['query'],
                    tuple(
                        (int(starts[int(first)]), int(starts[min(int(last), len(turns) - 1) + 1]) - 2)
                        for first, last in each['relevant_text_span']
                    ),
                )
                for each in meeting['specific_query_list']
            ),
        )


def of_articles(path: Path, random: Random) -> Iterator[Sample]:
    """Articles of XQuAD, some of them together; two questions about each paragraph, which is the answer."""
    articles = json.loads(path.read_text(encoding='utf-8'))['data']
    random.shuffle(articles)
    for first in range(0, len(articles), _TOGETHER):
        paragraphs = [each for article in articles[first : first + _TOGETHER] for each in article['paragraphs']]
        text, questions = '', list[tuple[str, tuple[tuple[int, int], ...]]]()
        for paragraph in paragraphs:
            place = (len(text), len(text) + len(paragraph['context']))
            asked = random.sample(paragraph['qas'], min(2, len(paragraph['qas'])))
            questions += [(each['question'], (place,)) for each in asked]
            text += paragraph['context'] + '\n\n'
        yield Sample(text, tuple(questions), _OTHERS)


def of_pages(folder: Path, random: Random) -> Iterator[Sample]:
    """Pages of documentation, some of them together, once for each heading that is asked."""
    pages = [path.read_text(encoding='utf-8', errors='replace') for path in sorted(folder.rglob('*.md'))]
    random.shuffle(pages)
    for first in range(0, len(pages), _PAGES):
        text = '\n\n'.join(pages[first : first + _PAGES])
        headings = [*_HEADING.finditer(text)]
        random.shuffle(headings)
        asked = 0
        for heading in headings:
            below = re.compile(rf'^#{{1,{len(heading[1])}}} ', re.MULTILINE).search(text, heading.end())
            end = below.start() if below else len(text)
            if asked < _HEADINGS and len(content_words(heading[2])) > 1 and end - heading.end() >= _LEAST_SECTION:
                asked += 1
                answer = (heading.start(), end - len(heading[0]))
                yield Sample(text[: heading.start()] + text[heading.end() :], ((heading[2], (answer,)),), _OTHERS)


def seen(sample: Sample) -> Iterator[Seen]:
    """The features of the passages of a text, for each question with a part that answers."""
    with SourceStore() as store:
        collection = store.collection()
        source = collection.add(Document(sample.text))
        document = collection.document(source.id)
        starts = [0, *(match.end() for match in re.finditer('\n', document.text))]
        with collection.database.read() as db:
            passages = index.passages_of_source(db, collection.name, source.id)
            begins = [starts[passage.first_line - 1] + passage.offset for passage in passages]
            for question, spans in sample.questions:
                gold = np.array(
                    [
                        min(
                            1.0,
                            sum(max(0, min(begin + len(each.text), end) - max(begin, start)) for start, end in spans)
                            / max(1, len(each.text)),
                        )
                        for begin, each in zip(begins, passages, strict=True)
                    ]
                )
                if not gold.any():
                    continue
                [weighed], _ = weigh_questions(db, collection.name, [question], '')
                read = score_passages(db, collection.name, weighed, passages)
                stretches = passage_score.Stretches(read)
                features = passage_score.features(stretches, read, weighed.weights, question)
                yield Seen(stretches, dict(weighed.weights), features, gold / gold.sum(), sample.weight)


def fit(rows: Sequence[Seen]) -> dict[str, float]:
    """The weights, by the name of the feature, that make the passages which answer most likely."""
    names = [*rows[0].features]
    every = np.concatenate([_matrix(row, names) for row in rows])
    spread: Matrix = every.std(axis=0)
    spread[spread == 0] = 1
    scaled = [(_matrix(row, names) / spread, row.gold, row.weight / sum(each.weight for each in rows)) for row in rows]
    weights, step = np.zeros(len(names)), 1.0
    likelihood, slope, bend = _likelihood(scaled, weights)
    while step > _LEAST_STEP:
        tried = weights + step * np.linalg.solve(bend, slope)
        found = _likelihood(scaled, tried)
        if found[0] > likelihood:
            weights, (likelihood, slope, bend), step = tried, found, min(1.0, 2 * step)
        else:
            step /= 2
    return {name: round(float(weight), 2) for name, weight in zip(names, weights / spread, strict=True)}


def _likelihood(scaled: Sequence[tuple[Matrix, Matrix, float]], weights: Matrix) -> tuple[float, Matrix, Matrix]:
    """The penalized log likelihood of the answers with some weights, its slope, and how it bends."""
    value = -_PENALTY * float(weights @ weights)
    slope, bend = -2 * _PENALTY * weights, 2 * _PENALTY * np.eye(len(weights))
    for seen, gold, counts in scaled:
        sums = seen @ weights
        sums = sums - sums.max()
        likely = np.exp(sums)
        value += counts * float(gold @ sums - np.log(likely.sum()))
        likely /= likely.sum()
        mean = likely @ seen
        slope = slope + counts * (gold @ seen - mean)
        bend = bend + counts * ((seen * likely[:, None]).T @ seen - np.outer(mean, mean))
    return value, slope, bend


def _matrix(row: Seen, names: Sequence[str]) -> Matrix:
    return np.array([row.features[name] for name in names], dtype=np.float64).T


def with_feedback(row: Seen, weights: dict[str, float]) -> Seen:
    """The same with the feature that rests on what is best at first."""
    first = passage_score.exponentials(row.features, weights)
    more = passage_score.feedback(row.stretches, first, row.terms)
    return Seen(row.stretches, row.terms, row.features | {'feedback': more}, row.gold, row.weight)


def main() -> None:
    parser = argparse.ArgumentParser(prog='python -m tests.proofs.evidence.fitting', description=__doc__)
    parser.add_argument('--meetings', type=Path, required=True, help='data/ALL/train of QMSum')
    parser.add_argument('--articles', type=Path, required=True, help='xquad.en.json')
    parser.add_argument('--pages', type=Path, required=True, help='folder of documentation in markdown')
    arguments = parser.parse_args()
    random = Random(1)
    measured = [path.stem for path in meetings.DATA.glob('*.json')]
    samples = (
        *of_meetings(arguments.meetings, measured),
        *of_articles(arguments.articles, random),
        *of_pages(arguments.pages, random),
    )
    rows = [row for sample in samples for row in seen(sample)]
    weights = fit(rows)
    print(f'{len(rows):,} questions; without feedback: {weights}')
    print(f'with feedback: {fit([with_feedback(row, weights) for row in rows])}')


if __name__ == '__main__':
    main()
