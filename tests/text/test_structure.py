"""What counts as a heading, a fence and a table, and which place is the best to cut."""

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from summarizer_tool.documents.document import segment_starts
from summarizer_tool.text.structure import Boundary, parse


def headings(text: str) -> list[tuple[int, str]]:
    """The level and the title of each heading."""
    found = parse(text)
    return [(level, found.title(index)) for index, level in enumerate(found.levels)]


def blocks(text: str) -> list[str]:
    """The fences, tables and front matter."""
    found = parse(text)
    return [text[start:end] for start, end in zip(found.block_starts, found.block_ends, strict=True)]


def test_headings_of_all_kinds() -> None:
    text = """\
Harbour
of *Marn*
=========
# One ##
  ### Three {#three .wide}
####### seven
#hashtag

    # indented code
Two
---
#
###### Six
"""
    assert headings(text) == snapshot(
        [(1, 'Harbour of *Marn*'), (1, 'One'), (3, 'Three'), (2, 'Two'), (1, ''), (6, 'Six')]
    )


def test_what_looks_like_an_underline_and_is_none() -> None:
    front = '---\ntitle: Harbour\ntags:\n  - sea\n---\n# Harbour\n'
    assert (headings(front), blocks(front)) == ([(1, 'Harbour')], [front.partition('# ')[0]])
    toml = '+++\ntitle = "Harbour"\n\n[params]\nsea=true\n+++\n# Harbour\n'
    assert (headings(toml), blocks(toml)) == ([(1, 'Harbour')], [toml.partition('# ')[0]])
    assert headings('| a | b |\n| --- | --- |\n| 1 | 2 |\n') == []
    assert headings('a | b\n--- | ---\n1 | 2\n') == []
    assert headings('text\n\n---\n') == []
    assert headings('- item\n---\n> quote\n---\n- item\n  goes on\n---\n') == []
    assert headings(f'{"a long paragraph " * 20}\n---\n') == []
    assert headings('***\nTitle\n---\n') == snapshot([(2, 'Title')])


def test_a_hash_in_a_fence_is_no_heading() -> None:
    text = """\
```` python
# comment
```
~~~~
````
# Real
~~~
# also code
```
~~~~~
- ```
  # in a list
  ```
1. step
    ```
    # deeper
    ```
## Real too
```unclosed
# code to the end
"""
    assert headings(text) == snapshot([(1, 'Real'), (2, 'Real too')])
    assert [block.splitlines()[0] for block in blocks(text)] == snapshot(
        ['```` python', '~~~', '- ```', '    ```', '```unclosed']
    )


def test_a_fence_in_a_list_item_ends_with_the_item() -> None:
    assert headings('- item\n\n    ```\n    never closed\n\n# After\n') == snapshot([(1, 'After')])


def test_a_table_is_a_block_with_its_header() -> None:
    text = 'Before\n\n| a | b |\n|:--|--:|\n| 1 | 2 |\n| 3 | 4 |\n\nAfter | all\n'
    assert blocks(text) == ['| a | b |\n|:--|--:|\n| 1 | 2 |\n| 3 | 4 |\n']


def test_a_megabyte_of_heading() -> None:
    text = f'# a{" " * 1_000_000}b {"{" * 1000}\n\n{"=" * 1000}\n# {"long " * 100}'
    first, (level, title) = headings(text)
    assert (first, level) == ((1, 'a'), 1)
    assert title.startswith('long long ')
    assert (title[-5:], len(title)) == ('long…', 200)


def test_heading_paths() -> None:
    text = '# Westfall\n\ntext\n\n## Mines\n\ntext\n\n#### Bosses\n\ntext\n\n## Towns\n\ntext\n'
    found = parse(text)
    assert {text[at : text.index('\n', at)]: found.path(at) for at in found.heading_starts} == snapshot(
        {'# Westfall': (), '## Mines': ('Westfall',), '#### Bosses': ('Westfall', 'Mines'), '## Towns': ('Westfall',)}
    )
    assert found.path(len(text)) == snapshot(('Westfall', 'Towns'))


def test_how_good_each_place_is() -> None:
    text = """\
# Title

A paragraph
on two lines.

* * *

- item
  - nested

| row
## Section
text
"""
    found, starts = parse(text), segment_starts(text)
    ranks = [found.boundary(at, starts[index - 1]) for index, at in enumerate(starts)]
    names = [f'H{rank}' if 1 <= rank <= 6 else Boundary(rank).name for rank in ranks]
    assert [f'{name:9} {text[at:].splitlines()[0]}' for name, at in zip(names, starts, strict=True)] == snapshot(
        [
            'DOCUMENT  # Title',
            'PARAGRAPH A paragraph',
            'LINE      on two lines.',
            'PARAGRAPH * * *',
            'RULE      - item',
            'LINE        - nested',
            'PARAGRAPH | row',
            'H2        ## Section',
            'LINE      text',
        ]
    )


@pytest.mark.parametrize(
    'line', ['a', '# a', '```', '~~~', '---', '===', '| a | b |', '|---|---|', '    ', '> q', '- x']
)
def test_endless_repetition(line: str) -> None:
    found = parse(f'{line}\n' * 20_000)
    assert len(found.levels) in (0, 10_000, 20_000)


_FENCES = ['```', '````', '~~~', '  ```py', '    ```', '- ```']
_HEADINGS = ['# H', '## H2 ##', '\t# x', '####### x', '---', '===', '***']
_OTHERS = ['text', '    text', '', ' ', '\r', 'a\r', '- item', '1. x', '> q', '| a | b |', '|---|---|', 'key: value']
lines = st.one_of(map(st.sampled_from, (_FENCES, _HEADINGS, _OTHERS)))


@given(st.lists(lines, max_size=25).map('\n'.join))
def test_blocks_are_apart_and_headings_are_not_in_them(text: str) -> None:
    found = parse(text)
    spans = list(zip(found.block_starts, found.block_ends, strict=True))
    assert all(start < end for start, end in spans)
    assert all(a[1] <= b[0] for a, b in pairwise(spans))
    assert found.heading_starts == sorted(set(found.heading_starts))
    assert not any(start <= at < end for at in found.heading_starts for start, end in spans)


@example('####### x\n    ```\n---')
@example('text\n    text\n    ```\n---')
@given(st.lists(lines.filter(lambda line: '|' not in line and ':' not in line), max_size=12).map('\n'.join))
def test_it_agrees_with_a_commonmark_parser(text: str) -> None:
    markdown = pytest.importorskip('markdown_it').MarkdownIt('commonmark')
    outside = [token for token in markdown.parse(text) if token.level == 0]
    if any(token.type in ('bullet_list_open', 'ordered_list_open', 'blockquote_open') for token in outside):
        return  # what stands inside lists and quotes is no structure of the document
    expected = [(token.map[0], int(token.tag[1])) for token in outside if token.type == 'heading_open']
    found = parse(text)
    assert [
        (text.count('\n', 0, start), level) for start, level in zip(found.heading_starts, found.levels, strict=True)
    ] == expected


def test_tildes_below_a_title_underline_it() -> None:
    text = '1.0\n~~~\nFixed the gate.\n\n0.9.0b\n~~~~~~\nMoved the gate.\n\n~~~~\ncode\n~~~~\n'
    found = parse(text)
    assert [text[start:end] for start, end in zip(found.heading_starts, found.heading_ends, strict=True)] == [
        '1.0\n~~~',
        '0.9.0b\n~~~~~~',
    ]
    assert [text[start:end] for start, end in zip(found.block_starts, found.block_ends, strict=True)] == [
        '~~~~\ncode\n~~~~\n'
    ]
