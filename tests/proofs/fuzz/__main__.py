"""`make fuzz`: repeated texts that cost a reader more than a linear time, searched for; the exit code says if any did.

Hypothesis draws what is repeated, and goes after what costs most. Each reader then has its costliest texts in four
times the size: more than that (and its logarithm) is growth that a hostile page or result could use.
"""

import argparse
import gc
import math
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from types import FrameType

from hypothesis import HealthCheck, Phase, given, settings, target
from hypothesis import strategies as st

from researcher_integration.masking.masking import Masker
from researcher_integration.untrusted import framing
from summarizer_tool import prompts
from summarizer_tool.cli import terminal
from summarizer_tool.digests.digest import digest
from summarizer_tool.documents.chunking import chunk
from summarizer_tool.documents.document import Document
from summarizer_tool.documents.querying import read_records
from summarizer_tool.errors import SummarizerError
from summarizer_tool.evidence.brief.citations import quotes_in
from summarizer_tool.extractive import choosing as extractive
from summarizer_tool.formats.reading import plain_text, read
from summarizer_tool.html.convert import to_markdown
from summarizer_tool.llm.recover_partial import recover_partial
from summarizer_tool.mapreduce.grounding import ground
from summarizer_tool.prompts import NumberedLine
from summarizer_tool.schemas import ChunkSummary, Fact
from summarizer_tool.store import index
from summarizer_tool.text import names, own_lines, structure, tokens
from tests.html.test_hostile import ATTRIBUTES, TAGS
from tests.proofs.load.goals import Goals

SMALL = 20_000
"""Characters of a text while it is searched for."""

GROWN = 4
"""Times of that to see how it grows."""

TOO_LONG = 60
"""Seconds after which a text is given up."""

NEGLIGIBLE = 0.05
"""CPU seconds below which a ratio says more of the machine than of the code."""

# More than n log n, with room for caches that a larger text no longer fits.
MOST_GROWTH = 1.5 * GROWN * math.log(GROWN * SMALL) / math.log(SMALL)

PIECES = st.sampled_from(
    [
        *'.,;:!?-–—_*#>|`~^/()[]{}<>"=+&%$@', '\\', "'", '\n', '\r\n', '\n\n', '\t', ' ', '  ', '\f', '\x00', '\x1b[31m', 'e\u0301',
        'a', 'I', 'The', 'Mara', 'Vell', '1921', '3.5', '2026-03-14', '02:00:00', 'ERROR', 'level=warn', 'No.', 'e.g.', '第', '章。', 'مرحبا',
        '# ', '## x\n', '- ', '1. ', '```', '| a | b |\n', '|---|---|\n', '[a](b)', '![', '](', '**', '    ', '> ', '---\n',
        '{"a":', '{"a": 1}', '],', '"\\', 'null', '<a>', '</a>', '<!--', '-->', '&amp;', '&#', 'http://a.b/', 'a@b.c', '<source',
        'key=', 'password: ', 'token ', 'sk-', 'AKIA', '-----BEGIN ', 'eyJ', '=3D', 'Traceback (most recent call last):\n', ' said: ',
        '[src_aaaaaaaaaaaa: x]', 'data:;base64,', 'def f(', 'import a\n', 'INSERT INTO t (',
    ]
)  # fmt: skip
MARKUP = st.sampled_from(TAGS).flatmap(
    lambda tag: st.sampled_from([f'<{tag}{attribute}>' for attribute in ATTRIBUTES] + [f'</{tag}>'])
)
PLAIN = st.lists(PIECES, min_size=1, max_size=6).map(''.join)
PAGES = st.lists(MARKUP | PIECES, min_size=1, max_size=6).map(''.join)


def _lines(text: str) -> list[NumberedLine]:
    return [NumberedLine(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]


def _ground(text: str) -> object:
    lines = _lines(text)[:2000]
    return ground(ChunkSummary(facts=[Fact(text=line.text, evidence=[1]) for line in lines[:50]]), lines)


def _summarize(text: str) -> object:
    source = prompts.PromptSource(_lines(text))
    return extractive.summarize_sources(prompts.parse(prompts.chunk_request([source], prompts.Focus(), 300)), 300)


READERS: dict[str, Callable[[str], object]] = {
    'HTML': lambda text: to_markdown(text, 'https://a.example/'),
    'bytes of any kind': lambda text: read(text.encode(errors='replace')),
    'wrapped text': lambda text: plain_text(text, 'a.txt'),
    'tokens': lambda text: (tokens.count(text), tokens.truncate(text, 100)),
    'markdown': structure.parse,
    'chunks': lambda text: chunk([Document(text)], size=1000),
    'names': lambda text: list(names.located(text)),
    'lines of ours': own_lines.without_own,
    'prompt': lambda text: prompts.chunk_request([prompts.PromptSource(_lines(text))], prompts.Focus(text), 300),
    'prompt read back': prompts.parse,
    'keyless summary': _summarize,
    'grounding': _ground,
    'broken-off answer': lambda text: recover_partial('{"facts": [' + text, ChunkSummary, 'facts'),
    'index': lambda text: index.entry_of(Document(text)),
    'quotes': lambda text: [quotes_in(line) for line in text.splitlines()],
    'records': read_records,
    'masking': Masker().mask,
    'digest': lambda text: digest(text, 1000, focus='Is anything wrong?'),
    'frame': framing.framed,
    'mark': framing.marked,
    'terminal': terminal.harmless,
}


class _TookTooLongError(Exception):
    """A text was not read in time."""


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise _TookTooLongError


def _seconds(read_text: Callable[[str], object], text: str) -> float:
    """CPU seconds for a text."""
    gc.collect()
    signal.setitimer(signal.ITIMER_PROF, TOO_LONG)
    started = time.process_time()
    try:
        read_text(text)
    except SummarizerError:  # a refusal is an answer, too
        pass
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return time.process_time() - started


@dataclass(frozen=True, slots=True)
class Shape:
    """A text of any size."""

    before: str
    unit: str
    after: str

    def text(self, size: int) -> str:
        """So many characters of it, about."""
        return self.before + self.unit * (size // len(self.unit)) + self.after


@dataclass(slots=True)
class Search:
    """What is found for one reader."""

    name: str
    costs: dict[Shape, float] = field(default_factory=dict[Shape, float])

    def run(self, examples: int) -> None:
        """Try shapes, and go after the costliest."""
        read_text = READERS[self.name]
        units = PAGES if self.name == 'HTML' else PLAIN
        read_text('Mara Vell keeps the gate. ' * 40)  # what is loaded once is nobody's growth

        @settings(
            max_examples=examples,
            deadline=None,
            database=None,
            phases=[Phase.generate, Phase.target],
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
        )
        @given(st.builds(Shape, st.just('') | units, units, st.just('') | units))
        def attempt(shape: Shape) -> None:
            self.costs[shape] = cost = _seconds(read_text, shape.text(SMALL))
            target(cost)

        attempt()

    def judge(self, goals: Goals) -> None:
        """See how the costliest grow."""
        read_text = READERS[self.name]
        growth, worst = 0.0, next(iter(self.costs))
        for shape in sorted(self.costs, key=lambda each: -self.costs[each])[:4]:
            ratio = min(self._growth(read_text, shape) for _ in range(2))
            if ratio > growth:
                growth, worst = ratio, shape
        rate = max(self.costs.values()) / SMALL * 1e6
        goals.at_most(
            f'{self.name}: {len(self.costs)} shapes, at most {rate:.1f} s/MB; growth', growth, MOST_GROWTH, 'x'
        )
        if growth > MOST_GROWTH:
            goals.note('of', repr(worst))

    def _growth(self, read_text: Callable[[str], object], shape: Shape) -> float:
        large = _seconds(read_text, shape.text(GROWN * SMALL))
        if large < NEGLIGIBLE:
            return 1.0
        return large / max(_seconds(read_text, shape.text(SMALL)), NEGLIGIBLE / GROWN)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('readers', nargs='*', choices=[[], *READERS], help='by default all')
    parser.add_argument('--examples', type=int, default=200, help='shapes for each (default: 200)')
    given_arguments = parser.parse_args()
    signal.signal(signal.SIGPROF, _interrupt)
    goals = Goals()
    for name in given_arguments.readers or READERS:
        search = Search(name)
        try:
            search.run(given_arguments.examples)
            search.judge(goals)
        except (_TookTooLongError, RecursionError) as error:
            goals.so(f'{name}: every shape is read ({type(error).__name__}: {list(search.costs)[-1:]})', is_so=False)
    sys.exit(goals.report())


if __name__ == '__main__':
    main()
