"""From what was found to a brief, over a real store."""

import re
from dataclasses import replace
from itertools import pairwise

import pytest
from inline_snapshot import snapshot

from summarizer_tool.documents.document import Document
from summarizer_tool.documents.passage import Passage
from summarizer_tool.evidence.brief.assembling import search_brief
from summarizer_tool.evidence.brief.citations import Citation, verify
from summarizer_tool.evidence.brief.rendering import render
from summarizer_tool.evidence.search.results import Hit, Query
from summarizer_tool.store.collection import Collection
from summarizer_tool.store.source_store import SourceStore
from tests.support.passages import passages_of
from tests.support.power_plant import (
    BLADES,
    BUILT,
    GUIDE,
    TURBINES,
    blocks,
    evidence_of,
    found,
    passage,
)


def test_neighbours_that_touch_are_one_block_with_their_hit(collection: Collection) -> None:
    brief = search_brief(
        found(
            collection,
            Hit(TURBINES, 0.9, 'how many turbines'),
            Hit(BUILT, 0.4, 'how many turbines', is_adjacent=True),
            Hit(BLADES, 0.3, is_adjacent=True),
        ),
        Query('how many turbines are there?'),
        collection,
    )

    assert evidence_of(brief) == snapshot("""\
[EVIDENCE] 3 passages
[E1] source 1 · lines 7-15 · relevance 0.90 · for "how many turbines"
§ Turbines
7| There are six turbines in the hall.
8| Each of them gives 1.4 MW at spring tide.
10| They were built in 1987.
11| The makers were Brandt and Sons.
13| ## Blades
15| The blades are made of bronze.\
""")
    assert brief.citations == (Citation('There are six turbines in the hall.', GUIDE.id, 7, 0),)


def test_neighbours_before_a_hit_come_first_and_far_ones_stay_apart(collection: Collection) -> None:
    brief = search_brief(
        found(collection, Hit(BUILT, 0.9), Hit(TURBINES, 0.4, is_adjacent=True)), Query('built'), collection
    )
    assert evidence_of(brief) == snapshot("""\
[EVIDENCE] 2 passages
[E1] source 1 · lines 7-11 · relevance 0.90
§ Turbines
7| There are six turbines in the hall.
8| Each of them gives 1.4 MW at spring tide.
10| They were built in 1987.
11| The makers were Brandt and Sons.\
""")
    # One that has another number, and one with lines between.
    for hit, near in ((BUILT, replace(TURBINES, number=1)), (TURBINES, passage(GUIDE, 3, 11, 11, 'Turbines'))):
        apart = found(collection, Hit(hit, 0.9), Hit(near, 0.4, is_adjacent=True))
        written = evidence_of(search_brief(apart, Query('built'), collection))
        assert len(written.split('\n[E')) == 3


def test_hits_that_touch_are_one_block_as_good_as_its_best(collection: Collection) -> None:
    hits = (Hit(BLADES, 0.8, 'blades'), Hit(BUILT, 0.7, 'makers'), Hit(TURBINES, 0.5, 'how many'))
    assert evidence_of(search_brief(found(collection, *hits), Query('?'), collection)) == snapshot("""\
[EVIDENCE] 3 passages
[E1] source 1 · lines 7-15 · relevance 0.80 · for "blades", "makers", "how many"
§ Turbines
7| There are six turbines in the hall.
8| Each of them gives 1.4 MW at spring tide.
10| They were built in 1987.
11| The makers were Brandt and Sons.
13| ## Blades
15| The blades are made of bronze.\
""")


# What enters


LOG = Document(
    '\n\n'.join(
        f'Keeper {name}: ' + f'On day {day} the tide {did}, and all was written down in the book. ' * 6
        for day, (name, did) in enumerate(
            [('Ada', 'rose'), ('Ben', 'fell'), ('Cora', 'stood'), ('Dan', 'broke'), ('Eve', 'sank')], 1
        )
    ),
    title='Log',
)


def turn(day: int) -> Passage:
    return passage(LOG, day, 2 * day - 1, 2 * day - 1)


@pytest.mark.parametrize(
    ('budget', 'shown', 'first', 'second'),
    [
        (500, 'showing 3 of 5 passages', 'lines 1-3 · relevance 0.90', 'line 9'),
        (620, 'showing 4 of 5 passages', 'lines 1-5 · relevance 0.90', 'line 9'),
        (900, '5 passages', 'lines 1-9 · relevance 0.90', ''),
        (1100, '5 passages', 'lines 1-9 · relevance 0.90', ''),
    ],
)
def test_neighbours_enter_in_their_own_order(
    collection: Collection, budget: int, shown: str, first: str, second: str
) -> None:
    """A hit elsewhere may come before a neighbour, and after another one."""
    collection.add(LOG)
    hits = (
        Hit(turn(2), 0.9),
        Hit(turn(1), 0.6, is_adjacent=True),
        Hit(turn(5), 0.44),
        Hit(turn(3), 0.45, is_adjacent=True),
        Hit(turn(4), 0.3, is_adjacent=True),
    )
    rendered = render(search_brief(found(collection, *hits), Query('tide'), collection), budget)

    assert re.findall(r'^\[EVIDENCE\] (.*)', rendered.text, re.MULTILINE) == [shown]
    assert re.findall(r'^\[E\d\] source 1 · (.*)', rendered.text, re.MULTILINE) == [
        first,
        *([f'{second} · relevance 0.44'] if second else []),
    ]
    assert rendered.tokens <= budget


def test_passages_of_one_long_line_are_one_line(collection: Collection) -> None:
    document = Document('The north gauge is rusty. The south gauge is new.  The third one is lost. ' * 3)
    collection.add(document)
    text = document.text
    cuts = [0, text.index('The south'), text.index('The third'), text.index('The north', 9)]
    first, second, third = (
        Passage(n, document.id, n, 1, 1, begin, (), text[begin:end].rstrip())
        for n, (begin, end) in enumerate(pairwise(cuts), 1)
    )
    hits = (Hit(second, 0.9), Hit(third, 0.8), Hit(first, 0.7, is_adjacent=True))

    assert evidence_of(search_brief(found(collection, *hits), Query('gauge'), collection)) == snapshot("""\
[EVIDENCE] 3 passages
[E1] source 1 · line 1 · relevance 0.90
1| The north gauge is rusty. The south gauge is new.  The third one is lost.\
""")


GAUGES = Document(
    '# Gauges\n\n| Gauge | Height | Keeper |\n|---|---|---|\n'
    + ''.join(f'| Gauge {n} | {n * 7} cm | Maud Ferrin, who reads it at noon and at dusk |\n' for n in range(1, 60)),
    title='Gauges',
)


def test_rows_of_a_table_stand_under_its_first_row(collection: Collection) -> None:
    source = collection.add(GAUGES)
    passages = passages_of(collection, source.id)
    hits = (
        Hit(passages[3], 0.9),
        Hit(passages[4], 0.5, is_adjacent=True),
        Hit(passages[1], 0.8),
        Hit(passages[0], 0.2),
    )
    brief = search_brief(found(collection, *hits), Query('height of the gauges'), collection)
    written = evidence_of(brief).splitlines()

    assert [line for line in written if not line.startswith(('[EV', '|')) and ' cm |' not in line] == snapshot(
        [
            '[E1] source 1 · lines 34-53 · relevance 0.90',
            '3| | Gauge | Height | Keeper |',
            '[E2] source 1 · lines 3-23 · relevance 0.80',
            '3| | Gauge | Height | Keeper |',
            '4| |---|---|---|',
        ]
    )
    assert written.count('3| | Gauge | Height | Keeper |') == 2


def test_lines_left_out_below_the_line_it_stands_under_are_marked(collection: Collection) -> None:
    lines = ''.join(f'   gauge {number} of the river, which Maud reads at noon and at dusk,\n' for number in range(60))
    source = collection.add(
        Document(f'# River\n\nWho reads, by the rule of the harbour of Morn,\n{lines}', title='River')
    )
    passages = passages_of(collection, source.id)
    last = next(each for each in reversed(passages) if each.header)
    brief = search_brief(found(collection, Hit(last, 0.9)), Query('who reads'), collection)
    assert evidence_of(brief).splitlines()[2:5] == snapshot(
        [
            '3| Who reads, by the rule of the harbour of Morn,',
            '…',
            '54|    gauge 50 of the river, which Maud reads at noon and at dusk,',
        ]
    )


# Citations


def test_a_quote_names_a_block_only_where_that_shows_it(collection: Collection) -> None:
    document = Document('The tide was low, as it always is. ' * 60 + '\n\nAt noon the bell Osric rang.\n', title='Bell')
    collection.add(document)
    hit = Hit(passage(document, 1, 1, 3), 0.9)
    for budget, names in ((600, False), (1500, True)):
        brief = search_brief(found(collection, hit), Query('When did the bell Osric ring?'), collection)
        cited = render(brief, budget).text.split('[CITATIONS]')[1]
        assert ('[C1] E1 · ' in cited) is names
        assert '"At noon the bell Osric rang."' in cited


def test_a_passage_within_a_long_line(collection: Collection) -> None:
    document = Document('The north gauge is rusty. The south gauge is new. ' * 20)
    collection.add(document)
    inner = passage(document, 2, 1, 1, offset=26)
    brief = search_brief(found(collection, Hit(inner, 0.5)), Query('south gauge'), collection)

    assert render(brief, 1000).text.split('[EVIDENCE] 1 passage\n')[1][:80] == snapshot("""\
[E1] source 1 · line 1 · offset 26 · relevance 0.50
1| The south gauge is new. T\
""")
    assert all(verify(quote.quote, document.text, 1) for quote in brief.citations)


def test_a_source_that_is_gone_is_said_to_be(collection: Collection) -> None:
    search = found(collection, Hit(TURBINES, 0.9))
    with SourceStore() as empty:
        brief = search_brief(search, Query('turbines', source_ids=('src_aaaaaaaaaaaa',)), empty.collection())

    assert blocks(brief.evidence)[0].lines[0] == (7, 'There are six turbines in the hall.')
    assert brief.citations == ()
    assert brief.partial == snapshot(
        (
            'src_aaaaaaaaaaaa was removed from the store while this was put together; add it again.',
            'src_db629a009aea was removed from the store while this was put together; add it again.',
        )
    )
