"""Whatever is in a brief: its budget holds, its room is used, and each section gives way in its turn."""

import re
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from summarizer_tool.documents.document import Document
from summarizer_tool.documents.passage import Passage
from summarizer_tool.evidence.brief.assembling import join
from summarizer_tool.evidence.brief.brief import Brief, EvidenceBlock
from summarizer_tool.evidence.brief.citations import Citation, choose, verify
from summarizer_tool.evidence.brief.rendering import render
from summarizer_tool.evidence.search.results import Hit
from summarizer_tool.text import tokens
from tests.evidence.brief.test_brief import BRIEF, TIDES, listed, source
from tests.support.asked_site import counted

WORDS = st.text(st.sampled_from('ab é漢👩‍ \t\n\r[]|"·\u2028\x00\U000e0041{}'), max_size=60)
TEXTS = WORDS | st.integers(1, 400).map('tide '.__mul__) | st.integers(1, 3000).map('漢\U0001f3dd'.__mul__)


@st.composite
def briefs(draw: st.DrawFn) -> Brief:
    documents = [Document(text) for text in draw(st.lists(TEXTS, min_size=1, max_size=6))]
    number = st.integers(1, len(documents))
    blocks = st.builds(
        EvidenceBlock,
        number,
        st.lists(st.tuples(st.integers(1, 9999), TEXTS), min_size=1, max_size=6).map(tuple),
        st.lists(WORDS, max_size=3).map(tuple),
        st.none() | st.floats(0, 1),
        WORDS,
    )
    return Brief(
        sources=tuple(listed(document.id, draw(TEXTS), draw(WORDS)) for document in documents),
        evidence=tuple(draw(st.lists(blocks, max_size=30))),
        citations=tuple(
            Citation(document.text, document.id, 1)
            for document in documents
            if document.text and document.text.isprintable()
        ),
        texts={document.id: document.text for document in documents},
        question=draw(TEXTS),
        parts=tuple(draw(st.lists(TEXTS, max_size=4))),
        partial=tuple(draw(st.lists(TEXTS, max_size=4))),
        notices=tuple(draw(st.lists(TEXTS, max_size=4))),
    )


@hypothesis_settings(max_examples=30)
@given(briefs(), st.integers(500, 4000))
def test_a_brief_keeps_its_budget_and_its_order(brief: Brief, budget: int) -> None:
    rendered = render(brief, budget)

    assert rendered.tokens == tokens.count(rendered.text) <= budget
    assert len(rendered.text.splitlines()) == len(rendered.text.split('\n'))
    for citation in rendered.citations:
        assert verify(citation.quote, brief.texts[citation.source_id], citation.line)
        assert f'"{citation.quote}"' in rendered.text
    assert counted(rendered.text, 'EVIDENCE') == (rendered.shown, len(brief.evidence))


@pytest.mark.parametrize('budget', range(500, 640, 14))
def test_what_crowds_a_small_budget_leaves_evidence_before_quotes(budget: int) -> None:
    lines = [f'The zephyrine valve {number} opens to salt and tide, harbour and lantern.' for number in range(60)]
    document = Document('\n'.join(lines), title='Valves ' * 9)
    crowded = replace(
        BRIEF,
        sources=tuple(replace(source(document), url=f'https://a.example/{n}') for n in range(20)),
        evidence=tuple(EvidenceBlock(1, ((n, line),), relevance=0.5) for n, line in enumerate(lines, 1)),
        citations=tuple(Citation(line, document.id, n, n - 1) for n, line in enumerate(lines[:16], 1)),
        texts={document.id: document.text},
        question='What of the zephyrine valve' + ' and of the salt keeper' * 12 + '?',
        partial=tuple(f'http://10.0.0.{n}/page: leads to an address that is not public' for n in range(5)),
        notices=('the passages were ranked by words alone, since the model failed',),
    )
    rendered = render(crowded, budget)
    assert tokens.count(rendered.text) == rendered.tokens <= budget
    assert rendered.shown >= 1


@hypothesis_settings(max_examples=20)
@given(st.lists(st.integers(3, 120), min_size=30, max_size=60), st.integers(600, 3000))
def test_room_is_not_wasted_while_evidence_is_dropped(sizes: list[int], budget: int) -> None:
    evidence = tuple(
        EvidenceBlock(
            1, tuple((n, f'Gauge {n}: ' + 'the tide rose ' * (size // 4)) for n in range(1, 3)), relevance=0.5
        )
        for size in sizes
    )
    rendered = render(Brief((source(TIDES),), evidence), budget)

    if rendered.shown < counted(rendered.text, 'EVIDENCE')[1]:
        # The next block has at most 120 tokens and a head.
        assert rendered.tokens >= budget * 0.97 - 200


@st.composite
def searches(draw: st.DrawFn) -> tuple[Document, list[Hit]]:
    """A text whose passages have one to three lines, and some of them as hits, best first."""
    sizes = draw(st.lists(st.lists(st.integers(1, 40), min_size=1, max_size=3), min_size=4, max_size=40))
    lines: list[str] = []
    passages: list[Passage] = []
    for number, words in enumerate(sizes, 1):
        first = len(lines) + 1
        lines += [f'{number}.{at}: ' + ' '.join(['the tide rose'] * count) for at, count in enumerate(words)]
        text = '\n'.join(lines[first - 1 :])
        passages.append(Passage(number, 'src_000000000001', number, first, len(lines), 0, (), text))
        lines += [''] * draw(st.integers(0, 1))
    chosen = draw(st.lists(st.sampled_from(passages), min_size=1, unique_by=lambda passage: passage.id))
    scores = sorted((draw(st.floats(0.01, 1)) for _ in chosen), reverse=True)
    return Document('\n'.join(lines)), [
        Hit(passage, score, is_adjacent=bool(place) and draw(st.booleans()))
        for place, (passage, score) in enumerate(zip(chosen, scores, strict=True))
    ]


@hypothesis_settings(max_examples=50)
@given(searches(), st.integers(500, 2500))
def test_passages_that_touch_are_shown_once_and_as_they_are(search: tuple[Document, list[Hit]], budget: int) -> None:
    document, hits = search
    blocks, _ = join(hits, {'src_000000000001': 1}, {'src_000000000001': document})
    rendered = render(Brief((source(document),), tuple(blocks), texts={document.id: document.text}), budget)
    found = rendered.text[rendered.text.index('[EVIDENCE]') :]

    assert rendered.tokens == tokens.count(rendered.text) <= budget
    rows = [(int(number), text) for number, text in re.findall(r'^(\d+)\| (.*)', found, re.MULTILINE)]
    numbers = [number for number, _ in rows]
    lines = document.text.split('\n')
    assert len(numbers) == len(set(numbers))
    assert all(text and lines[number - 1].startswith(text) for number, text in rows)
    # What has anything shown is counted.
    by_line = {line: hit for hit in hits for line in range(hit.passage.first_line, hit.passage.last_line + 1)}
    shown = {by_line[number].passage.id for number in numbers}
    assert len(shown) == rendered.shown
    best: list[float] = []
    for block in found.split('\n[E')[1:]:
        mine = [int(number) for number in re.findall(r'^(\d+)\| ', block, re.MULTILINE)]
        assert mine == [line for line in range(mine[0], mine[-1] + 1) if lines[line - 1]]
        best.append(max(by_line[line].score for line in mine))
    assert best == sorted(best, reverse=True)


def before_a_hit() -> tuple[Document, list[Hit]]:
    """A search whose sixth hit has two lines, the last of which touches what is shown of the second one."""
    lines: list[str] = []
    passages: list[Passage] = []
    for number, sizes in enumerate(([4], [5], [1], [1], [1], [1, 9], [4], [40], [1], [1]), 1):
        said = [f'{number}.{at}: ' + ' '.join(['the tide rose'] * count) for at, count in enumerate(sizes)]
        place = (len(lines) + 1, len(lines) + len(said))
        passages.append(Passage(number, 'src_000000000001', number, *place, 0, (), '\n'.join(said)))
        lines += said
    order = (1, 7, 10, 8, 2, 6, 3, 4, 5, 9)
    return Document('\n'.join(lines)), [Hit(passages[n - 1], 1.0, is_adjacent=n == 10) for n in order]


@hypothesis_settings(max_examples=40)
@given(searches(), st.integers(500, 2500), st.integers(1, 400))
@example(before_a_hit(), 500, 1)
def test_more_room_never_shows_less(search: tuple[Document, list[Hit]], budget: int, more: int) -> None:
    document, hits = search
    blocks, quotables = join(hits, {'src_000000000001': 1}, {'src_000000000001': document})
    others = tuple(replace(source(TIDES), id=f'src_{n:012x}', url=f'https://orrin.example/{n}') for n in range(9))
    brief = replace(
        BRIEF,
        sources=(replace(source(document), id='src_000000000001'), *others),
        evidence=tuple(blocks),
        citations=tuple(choose(quotables, frozenset(('tide', 'rose')))),
        texts={'src_000000000001': document.text},
    )
    small, large = render(brief, budget), render(brief, budget + more)

    for name in ('SOURCES', 'EVIDENCE'):
        assert counted(small.text, name)[0] <= counted(large.text, name)[0]
    assert set(small.citations) <= set(large.citations)
    shown = [set(re.findall(r'^\d+(?=\| )|https://\S+', each.text, re.MULTILINE)) for each in (small, large)]
    assert shown[0] <= shown[1]
