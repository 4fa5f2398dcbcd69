"""Passages: a few whole lines each, under their headings, and nothing left out."""

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from inline_snapshot import snapshot

from summarizer_tool.documents.passage_splitting import LEAST, MOST, WHOLE, passages_of
from summarizer_tool.text.structure import parse

HARBOUR = """\
Ships land here all year.

# Harbour

The harbour of Gannet Dyke was dug in 1203.
It silted up twice.

## Trade

- Salt, from the pans
  in the north
- Wool

| Year | Ships |
| --- | --- |
| 1204 | 12 |

Setext
------

```sh
# no heading
ls -l
```
"""


def shown(text: str) -> list[tuple[str, str, str]]:
    """Where each passage stands, under which headings, and what is in it."""
    return [
        (f'{cut.first_line}-{cut.last_line}+{cut.offset}', ' > '.join(cut.path), text[cut.start : cut.end])
        for cut in passages_of(text)
    ]


def sizes(text: str) -> list[int]:
    return [cut.end - cut.start for cut in passages_of(text)]


def test_a_text_with_headings() -> None:
    lines = HARBOUR.split('\n')
    assert shown(HARBOUR) == [
        ('1-1+0', '', 'Ships land here all year.'),
        ('5-6+0', 'Harbour', '\n'.join(lines[4:6])),
        ('10-16+0', 'Harbour > Trade', '\n'.join(lines[9:16])),
        ('21-24+0', 'Harbour > Setext', '\n'.join(lines[20:24])),
    ]


def test_nothing_to_cut() -> None:
    for text in ('', '\n\n', '   ', '#', '# \n\n## ##\n\n', '\ufeff'):
        assert [cut for cut in passages_of(text) if text[cut.start : cut.end].strip('\ufeff')] == []


def test_headings_without_text_are_passages_of_their_own() -> None:
    changes = (
        '# Changes\n\n## 2.4.1 (14 March) zephyrine support\n\n## 2.4.0 (1 March)\n\n### Thanks\n\nTo all.\n\n## 2.3.9'
    )
    assert shown(changes) == snapshot(
        [
            ('3-3+0', 'Changes', '## 2.4.1 (14 March) zephyrine support'),
            ('9-9+0', 'Changes > 2.4.0 (1 March) > Thanks', 'To all.'),
            ('11-11+0', 'Changes', '## 2.3.9'),
        ]
    )
    # Comments of a configuration file look like headings.
    settings = '# of the station\n# sluice_timeout is 90 seconds\n# for the sake of the valves\ntimeout: 5\n'
    assert shown(settings) == [
        ('1-2+0', '', '# of the station\n# sluice_timeout is 90 seconds'),
        ('4-4+0', 'for the sake of the valves', 'timeout: 5'),
    ]
    # What stands under different headings is not told under one path.
    assert shown('# Salt\n\n## Pans\n\nWhite.\n\n### Depth\n\n## Wool\n\n# Tar') == snapshot(
        [
            ('5-5+0', 'Salt > Pans', 'White.'),
            ('7-7+0', 'Salt > Pans', '### Depth'),
            ('9-9+0', 'Salt', '## Wool'),
            ('11-11+0', '', '# Tar'),
        ]
    )
    only = 'The rotor has five blades\n=========================\n\n## It is of bronze\n'
    assert [text for _, _, text in shown(only)] == [only.strip()]


def test_a_long_heading_begins_the_passage_below_it() -> None:
    heading = '## How the keepers of the sluice counted the tides, and why the count of 1203 has 712 of them'
    first, second = 'They cut notches. ' * 30, 'Then they wrote. ' * 20
    assert shown(f'# Tides\n\n{heading}\n\n{first}\n\n{second}') == [
        ('3-5+0', f'Tides > {heading[3:]}', f'{heading}\n\n{first.strip()}'),
        ('7-7+0', f'Tides > {heading[3:]}', second.strip()),
    ]
    # Also where the text is not its own, but stands below another heading.
    assert shown(f'# {heading[3:]}\n\n## Notches\n\nTen.') == [
        ('1-5+0', f'{heading[3:]} > Notches', f'{heading[1:]}\n\n## Notches\n\nTen.'),
    ]
    endless = '# ' + 'The tide of the year that came after. ' * 60
    assert ' '.join(text for _, _, text in shown(endless)) == endless.strip()
    assert max(sizes(endless)) <= WHOLE


def test_paragraphs_stay_together_while_they_are_short() -> None:
    paragraph = 'The keeper of the dyke counts the sluices. ' * 4
    text = '\n\n'.join(f'{number}. {paragraph}' for number in range(12))
    assert sizes(text) == snapshot([351, 351, 351, 351, 351, 353])
    assert all(text[cut.start :].startswith(f'{index * 2}. ') for index, cut in enumerate(passages_of(text)))


def test_a_long_line_is_cut_where_sentences_end() -> None:
    text = 'The sluice keeper wrote down each tide, and what the tide had left on the sill. ' * 40
    found = passages_of(text)
    assert [(cut.first_line, cut.last_line, cut.offset == cut.start) for cut in found] == [(1, 1, True)] * len(found)
    assert sizes(text) == snapshot([639, 639, 639, 639, 639])
    assert {text[cut.start : cut.end][-5:] for cut in found} == {'sill.'}


def test_turns_and_items_stay_whole() -> None:
    turn = 'well, the sluice has to be opened before the tide, or the lock keeper is late. '
    text = '\n\n'.join(
        f'{name}: {turn * count}' for name, count in (('Ada Brook', 10), ('Tom', 9), ('Ada Brook', 8)) * 3
    )
    assert max(sizes(text)) > MOST
    assert [text[cut.start : cut.end].splitlines()[0][:4] for cut in passages_of(text)] == snapshot(
        ['Ada ', 'Tom:', 'Ada ', 'Ada ', 'Tom:', 'Ada ', 'Ada ', 'Tom:', 'Ada ']
    )
    items = '\n'.join(f'- {turn}\n  and so on, {turn}\n  {turn}' for _ in range(9))
    assert {text[:2] for _, _, text in shown(items)} == {'- '}


def test_an_item_that_does_not_fit_begins_the_next_passage() -> None:
    tide = 'The tide left weed and timber on the sill of the sluice, and nobody took it away. '
    text = f'- {tide * 4}\n- Keys:\n  {tide * 3}\n  {tide * 2}\n- {tide * 4}'
    assert [(cut.first_line, cut.last_line) for cut in passages_of(text)] == [(1, 1), (2, 4), (5, 5)]


def test_tables_and_fences_are_cut_at_rows() -> None:
    rows = '\n'.join(f'| {number} | {"a ship of salt and wool " * (number % 5 * 4)} |' for number in range(40))
    table = f'| No | Cargo |\n| --- | --- |\n{rows}'
    assert all(text.startswith('|') and text.endswith('|') for _, _, text in shown(table))
    assert max(sizes(table)) <= WHOLE
    fence = '```\n' + '\n\n'.join(f'  row {number} of the ledger, kept as it was' for number in range(60)) + '\n```'
    assert all(text.startswith(('```', '  row')) for _, _, text in shown(fence))
    assert min(sizes(fence)[:-1]) >= LEAST


BLOCKS = st.sampled_from(
    ['# Salt', '## Wool {#wool}', 'Title\n=====', '- item\n  goes on', '| a |\n|---|\n| c |', '```\n# x\n```']
)
TEXTS = st.lists(
    BLOCKS | st.text(max_size=40) | st.integers(1, 2000).map('Salt. and wool'.__mul__), max_size=12
).flatmap(lambda blocks: st.sampled_from(['\n', '\n\n', '\r\n', '\n \n']).map(lambda between: between.join(blocks)))


@hypothesis_settings(max_examples=60)
@given(TEXTS)
def test_nothing_is_left_out_or_twice(text: str) -> None:
    found = passages_of(text)
    structure = parse(text)
    covered = [False] * len(text)
    lines = text.split('\n')
    for cut in found:
        assert not any(covered[cut.start : cut.end])
        covered[cut.start : cut.end] = [True] * (cut.end - cut.start)
        passage = text[cut.start : cut.end]
        assert passage.strip()
        assert passage == passage.rstrip()
        assert len(passage) <= WHOLE
        span = '\n'.join(lines[cut.first_line - 1 : cut.last_line])
        assert span[cut.offset :].startswith(passage)
        assert '\n'.join([*lines[: cut.first_line - 1], ''])[: cut.start] + span[: cut.offset] == text[: cut.start]
    places = enumerate(zip(structure.heading_starts, structure.heading_ends, strict=True))
    for number, (start, end) in places:
        # A heading is in a passage as a whole, or in the path of one.
        title = structure.title(number)
        assert (
            all(covered[start : start + len(text[start:end].rstrip())])
            or any(title in cut.path for cut in found)
            or not title
        )
        covered[start:end] = [True] * (end - start)
    assert all(done or character.isspace() for done, character in zip(covered, text, strict=True))
    assert found == sorted(found, key=lambda cut: cut.start)
    for cut in found:
        # The path is what is open where the text begins, below a heading that is shown with it.
        below = [
            end
            for start, end in zip(structure.heading_starts, structure.heading_ends, strict=True)
            if start == cut.start
        ]
        assert cut.path in (structure.path(cut.start), *map(structure.path, below))


@pytest.mark.parametrize(
    'text',
    ['x' * 100_000, '\n' * 100_000, '| ' * 50_000, '# a\n' * 20_000, '- ' * 50_000, 'A: ' * 50_000, '`' * 100_000],
)
def test_large_and_odd_texts(text: str) -> None:
    found = passages_of(text)
    assert sum(cut.end - cut.start for cut in found) <= len(text)
    assert max(sizes(text), default=0) <= WHOLE


def test_what_is_indented_is_under_the_line_above_that_is_not() -> None:
    text = (
        f'# Options\n\n--keel\n  : Lay it first. {"Oak. " * 150}\n\n  : Lay it down. {"Elm. " * 150}\n\n'
        f'- by sea:\n  - a boat. {"Rows. " * 120}\n  - a ship. {"Sails. " * 120}\n\nPlain. {"Pine. " * 150}\n'
    )
    found = {text[cut.start : cut.end].split('.')[0]: text[slice(*cut.header)] for cut in passages_of(text)}
    assert {first: above for first, above in found.items() if above} == {
        '  : Lay it down': '--keel',
        '  - a ship': '- by sea:',
    }
