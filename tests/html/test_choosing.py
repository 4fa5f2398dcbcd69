"""Which blocks are kept, by what trafilatura voted for and where they stand."""

from dataclasses import replace
from typing import Any

import pytest
from inline_snapshot import snapshot

from summarizer_tool.html import choosing, convert, parsing, tables
from summarizer_tool.html.choosing import choose
from summarizer_tool.html.page_blocks import Blocks, Frame, PageBlock, Picture, Region
from summarizer_tool.html.walking import TreeWalk
from tests.support.fictional import article

SENTENCE = 'The keepers of the gate have counted every ship that passed it since the flood. '


def page(*blocks: PageBlock) -> Blocks:
    """A page of blocks, each of one text node that has the number of its place."""
    for place, block in enumerate(blocks):
        block.size = len(block.text)
        block.marks = [place, block.size]
        block.box = 100 + place
        block.form = block.form or 100 + place
    return Blocks(list(blocks), parents=[0] * (100 + len(blocks)))


def text(words: str = SENTENCE, tag: str = 'p', **more: Any) -> PageBlock:
    return PageBlock('text', words, tag=tag, **more)


def heading(level: int, words: str = 'Keepers') -> PageBlock:
    return PageBlock('heading', words, tag=f'h{level}', level=level)


def kept(found: Blocks, *votes: int) -> list[int]:
    choose(found, votes)
    return [place for place, block in enumerate(found.blocks) if block.is_kept]


def test_the_title_goes_before_the_text() -> None:
    shown = page(
        text('A line above the title, about whatever it may be, of some length, too.'),
        heading(1),
        text('What the keepers of the gate counted since the flood, as it is told there now.', tag='h2'),
        text('Share this', tag='div'),
        text(
            'A picture of the gate since the flood, by one who never passed it.',
            frame=Frame('caption', Frame('figure')),
        ),
        text(SENTENCE * 2),
    )
    assert kept(shown, 5) == snapshot([1, 2, 4, 5])


def test_no_lead_without_a_title() -> None:
    shown = page(heading(2), text('Kept for four hundred years by nine families, in turn, without a break.'), text())
    shown.blocks[2].text += SENTENCE
    assert kept(page(*shown.blocks), 2) == [2]


def test_tables_are_kept_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    row = Frame('row', Frame('table'))
    cells = [text(f'Keeper {number}', tag='td', frame=Frame('cell', row)) for number in range(4)]
    scored = page(text(), *cells)
    for scores, shown in (([1, 1, -9, 1, -9], [0, 1, 2, 3, 4]), ([1, 1, -9, -9, -9], [0, 1])):
        monkeypatch.setattr(choosing, 'score', lambda *_, scores=scores: scores)
        assert kept(scored, 0) == shown


def test_a_part_named_as_chrome_is_left_out_unless_it_is_the_page() -> None:
    comments = Region(None, 'comments', 'div')
    talk = text(region=comments)
    assert kept(page(text(SENTENCE * 4), talk, text(SENTENCE * 4)), 0, 1, 2) == [0, 2]
    more = text(f'And more: {SENTENCE}', region=Region(None, 'comments', 'div'))
    assert kept(page(text(), talk, more), 0, 1, 2) == [0, 1, 2]


def test_paragraphs_between_their_kept_siblings_are_kept() -> None:
    def between(group: int) -> list[int]:
        return kept(
            page(text(group=1), text('He was the ninth of them.', group=group), text(SENTENCE * 2, group=1)), 0, 2
        )

    assert between(1) == [0, 1, 2]
    assert between(2) == [0, 2]


def test_code_and_tables_between_what_is_kept_are_kept() -> None:
    built = [
        PageBlock('code', 'open 9', tag='pre'),
        text('3 t', tag='td', frame=Frame('cell', Frame('row', Frame('table')))),
    ]
    assert kept(page(text(), *built, text(SENTENCE * 2)), 0, 3) == [0, 1, 2, 3]
    assert kept(page(text(), *built), 0) == [0]


def test_headings_whose_text_is_left_out_go_with_it() -> None:
    shown = page(
        heading(1),
        text(),
        heading(2),
        heading(3),
        text(SENTENCE * 2),
        heading(2, 'See'),
        text('x', tag='li'),
        heading(2, 'Or'),
    )
    assert kept(shown, 0, 1, 2, 3, 4, 5, 7) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ('words', 'links'),
    [
        ('Read more: \x02The bells of the gate\x03', 21),
        ('\x02The bells of the gate\x03', 21),
        ('\x02Home\x03 | \x02Gates\x03 | \x02Wards\x03', 14),
    ],
)
def test_what_leads_away_is_left_out(words: str, links: int) -> None:
    shown = page(text(), text(words, linked=links, links=['/x'] * words.count('\x02')), text(SENTENCE * 2))
    shown.blocks[1].size = len(words.replace('\x02', '').replace('\x03', ''))
    assert kept(shown, 0, 1, 2) == [0, 2]


def test_a_sentence_that_links_what_it_says_of_a_network_stays() -> None:
    said = 'Meta bought \x02Instagram\x03 in 2012 for 1 billion dollars.'
    shown = page(text(), text(said, linked=9, links=['/i']), text(SENTENCE * 2))
    shown.blocks[1].size = len(said) - 2
    assert kept(shown, 0, 1, 2) == [0, 1, 2]


@pytest.mark.parametrize('line', [heading(2, 'Advertisement'), text('Zuletzt aktualisiert: 3. Mai')])
def test_boilerplate_is_left_out(line: PageBlock) -> None:
    assert kept(page(text(), line, text(SENTENCE * 2)), 0, 1, 2) == [0, 2]


def test_a_heading_that_leads_on_stays_with_its_text() -> None:
    assert kept(page(text(), heading(2, 'See also'), text(SENTENCE * 2)), 0, 1, 2) == [0, 1, 2]


def test_what_is_said_below_each_heading_is_kept_there() -> None:
    again = [heading(2), text('All prices are in pence of the old mint.')] * 3
    assert kept(page(text(), *(replace(block) for block in again)), *range(7)) == [0, 1, 2, 3, 4, 5, 6]


def test_sections_set_like_those_with_votes_are_kept() -> None:
    def after(form: int) -> list[int]:
        told = [text(SENTENCE * 6, form=1), text(SENTENCE, form=1), heading(2), text(SENTENCE, form=form), text('x')]
        return kept(page(*told), 0, 1)

    assert (after(1), after(2)) == ([0, 1, 2, 3], [0, 1])


def test_comments_are_the_text_of_a_forum() -> None:
    def shown(first: str, title: str = 'The bells') -> list[int]:
        says = [text(SENTENCE * 2, region=Region(None, 'comments', 'ul')) for _ in range(2)]
        return kept(page(heading(1, title), text(first), text('ada, 2 hours ago'), *says), 1, 2)

    assert shown('214 points') == shown(SENTENCE) == [0, 1, 2, 3, 4]
    assert shown(SENTENCE * 6) == shown(SENTENCE * 6, 'Who rings?') == [0, 1, 2]


def test_longer_answers_to_a_long_question_are_kept() -> None:
    says = [text(SENTENCE * 5, region=Region(None, 'comments', 'ul')) for _ in range(9)]
    shown = [heading(1, 'Who rings?'), text(SENTENCE * 6), *says]
    assert kept(page(*shown), 1) == [*range(11)]
    shown[0] = heading(1, 'The bells')
    assert kept(page(*shown), 1) == [0, 1]


def test_something_is_always_kept() -> None:
    assert kept(page(text('Home', region=Region(None, 'nav', 'nav')))) == [0]
    assert kept(page()) == []


def test_pictures_are_kept_beside_what_is() -> None:
    shown = page(text(), text('Menu', tag='li'), text('Menu', tag='li'))
    shown.pictures = [Picture(place, '', None, None) for place in range(4)]
    choose(shown, {0})
    assert [picture.is_kept for picture in shown.pictures] == [True, True, False, False]


def test_spans_end_when_they_grow_too_many() -> None:
    table = Frame('table')
    for _ in range(50):
        row = Frame('row', table)
        row.children = [Frame('cell', row, rows=50), Frame('cell', row)]
        table.children.append(row)
    texts = {cell: 'x' for row in table.children for cell in row.children}
    assert tables.pipes(table, texts, [20]).count('x') < 150 < tables.pipes(table, texts, [5000]).count('x')


def test_a_caption_stands_once() -> None:
    figure = '<figure><img src="/a.png"><figcaption>The gate in the year of the flood, as Wren drew it.</figcaption></figure>'
    assert convert.to_markdown(article(3 * figure)).markdown.count('as Wren drew it') == 1


def test_trees_are_never_deeper_than_they_may_be() -> None:
    for tag in ('div', 'i'):
        tree, is_whole = parsing.parse(f'<{tag}>' * 5000 + 'x')
        assert not is_whole
        assert tree is not None
        assert TreeWalk().run(tree).depth <= 256
    assert parsing.parse('<p>x')[1]


def test_only_pages_of_some_size_are_put_to_the_vote(monkeypatch: pytest.MonkeyPatch) -> None:
    def voted() -> bool:
        tree, _ = parsing.parse(article('<table><tr><td rowspan=9 colspan=9>x</td><td>y</td></tr></table>'))
        assert tree is not None
        depth = TreeWalk().run(tree).depth
        # trafilatura would spread the cells, in quadratic time.
        assert not tree.xpath('//*[@rowspan or @colspan]')
        return bool(convert.votes(tree, depth, 60).nodes)

    assert voted()
    for name, value in (('MIN_ELEMENTS', 5), ('MAX_ELEMENTS', 5), ('MAX_CHARACTERS', 50), ('MAX_WORK', 50)):
        with monkeypatch.context() as patch:
            patch.setattr(convert, name, value)
            assert not voted()
