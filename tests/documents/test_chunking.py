"""Chunks keep within their size, lose nothing, and end where the text offers a place."""

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from inline_snapshot import snapshot

from summarizer_tool.documents.chunking import Chunk, ChunkPiece, chunk, fingerprint
from summarizer_tool.documents.document import Document
from summarizer_tool.documents.token_index import index_tokens
from summarizer_tool.text import tokens
from tests.text.test_structure import lines
from tests.text.test_tokens import texts

GUIDE = """\
# Westfall

Westfall is a zone of golden fields.

## The Deadmines

A dungeon below Moonbrook, for levels 15 to 21.

### Bosses

| Boss | Level |
| --- | --- |
| Rhahk'Zor | 19 |
| Sneed | 20 |
| Edwin VanCleef | 21 |

Edwin VanCleef leads the Defias Brotherhood.

```lua
# not a heading
local boss = "Cookie"
print(boss)
```

## Towns

Sentinel Hill is the only town that the People's Militia still holds.
"""


def body(piece: ChunkPiece, documents: list[Document]) -> str:
    return documents[piece.document].text[piece.start : piece.end]


def text_of(made: Chunk, documents: list[Document]) -> str:
    """The text of a chunk as a reader gets it, each piece on a line of its own."""
    text = ''
    for piece in made.pieces:
        if text:
            text += ('' if text.endswith('\n') else '\n') + (piece.header or '---\n')
        text += ('' if text else piece.header) + body(piece, documents)
    return text


def bodies(chunks: list[Chunk], index: int, document: Document) -> str:
    """What the pieces of a document make up, what they share said once."""
    text = ''
    for piece in (piece for part in chunks for piece in part.pieces if piece.document == index):
        assert piece.start <= len(text) < piece.end
        text += document.text[len(text) : piece.end]
    return text


def test_a_guide_is_cut_at_its_sections() -> None:
    chunks = chunk([Document(GUIDE)], size=70)
    pieces = [piece for part in chunks for piece in part.pieces]
    assert [(piece.header, *body(piece, [Document(GUIDE)]).splitlines()[:1]) for piece in pieces] == [
        ('', '# Westfall'),
        ('Westfall > The Deadmines\n', '### Bosses'),
        ('Westfall > The Deadmines > Bosses\n', '```lua'),
    ]
    assert ''.join(body(piece, [Document(GUIDE)]) for piece in pieces) == GUIDE
    assert [part.tokens for part in chunks] == snapshot([33, 62, 51])


def test_a_piece_says_where_it_stands() -> None:
    document = Document(GUIDE, title='Westfall', url='https://example.org/westfall')
    first, *_, last = chunk([document], size=70)
    piece = last.pieces[0]
    assert (piece.start, piece.end, piece.segments[0], piece.segments[-1]) == snapshot((265, 407, 12, 18))
    assert piece.heading_path == ('Westfall', 'The Deadmines', 'Bosses')
    assert document.segment_text(piece.segments[0]) == snapshot('```lua')
    assert (first.index, last.index) == snapshot((0, 2))
    assert text_of(first, [document]) == body(first.pieces[0], [document])


def test_a_title_comes_before_headings_that_do_not_repeat_it() -> None:
    parts = chunk([Document(GUIDE, title='Zone  guide,\nchapter 3')], size=70)
    assert [part.pieces[0].heading_path for part in parts] == snapshot(
        [
            ('Zone guide, chapter 3',),
            ('Zone guide, chapter 3', 'Westfall', 'The Deadmines'),
            ('Zone guide, chapter 3', 'Westfall', 'The Deadmines', 'Bosses'),
        ]
    )


def test_small_documents_share_a_chunk() -> None:
    documents = [Document('Ada founded the guild.', title='Ada'), Document(''), Document('\n# Morn\n\nMorn left it.\n')]
    documents += [Document('No title.'), Document('  Indented.\n', title='Last')]
    (only,) = chunk(documents, size=100)
    assert text_of(only, documents) == snapshot("""\
Ada
Ada founded the guild.
---

# Morn

Morn left it.
---
No title.
Last
  Indented.
""")
    assert only.tokens == tokens.count(text_of(only, documents)) == snapshot(27)
    assert [piece.document for piece in only.pieces] == [0, 2, 3, 4]


def test_thousands_of_tiny_documents() -> None:
    documents = [Document(f'# Ship {number}\n\nShe sails at dawn.') for number in range(3_000)]
    chunks = chunk(documents, size=8000)
    assert len(chunks) == snapshot(6)
    assert [(piece.start, piece.end) for part in chunks for piece in part.pieces if piece.start] == snapshot([])


def test_nothing_to_cut() -> None:
    assert chunk([], size=100) == []
    assert chunk([Document('')], size=100) == []


def test_fences_and_tables_that_fit_stay_whole() -> None:
    fence = '```python\n' + 'print("# one")\n' * 5 + '```\n'
    table = '| a | b |\n| --- | --- |\n' + '| one | two |\n' * 5
    text = f'Some words of text come first.\n\n{fence}\nMore words, and then a table.\n\n{table}\n' * 20
    for size in (60, 80, 100, 150):
        chunks = chunk([Document(text)], size=size)
        assert all(text_of(part, [Document(text)]).count('```') % 2 == 0 for part in chunks)
        assert all(
            text_of(part, [Document(text)]).count(table) * 5 == text_of(part, [Document(text)]).count('| one | two |')
            for part in chunks
        )


def test_a_fence_longer_than_a_chunk_is_cut_between_lines() -> None:
    text = '```python\n' + 'print("one")\n' * 200 + '```\n'
    chunks = chunk([Document(text)], size=100)
    assert all(text_of(part, [Document(text)]).endswith('\n') and part.tokens > 90 for part in chunks[:-1])


def test_no_heading_is_left_behind() -> None:
    text = ''.join(
        f'## Section {number}\n\n### Part\n\n{"A few words. " * (number % 7 + 1)}\n\n' for number in range(200)
    )
    for size in range(40, 90, 5):
        for part in chunk([Document(text)], size=size):
            assert not text_of(part, [Document(text)]).rstrip().splitlines()[-1].startswith('#')


def test_a_long_heading_path_is_shortened() -> None:
    text = ''.join(f'{"#" * level} Level {level}\n\nText.\n\n' for level in range(1, 7)) + 'Word. ' * 400
    last = chunk([Document(text, title='Title')], size=200)[-1].pieces[-1]
    assert last.heading_path == snapshot(('Title', 'Level 1', 'Level 2', 'Level 3', 'Level 4', 'Level 5', 'Level 6'))
    headers = {
        size: chunk([Document(text, title='Title')], size=size)[-1].pieces[-1].header for size in (200, 80, 40, 16)
    }
    assert headers == snapshot(
        {
            200: 'Title > Level 1 > Level 2 > Level 3 > Level 4 > Level 5 > Level 6\n',
            80: 'Title > … > Level 3 > Level 4 > Level 5 > Level 6\n',
            40: 'Title > … > Level 6\n',
            16: 'Level 6\n',
        }
    )
    assert all(tokens.count(header) <= size / 4 for size, header in headers.items())


ODD = {
    'letters': 'a' * 80_000,
    'json': '{"k":[1,2,3],"v":"abc"},' * 3_000,
    'blank': '\n' * 80_000,
    'spaces': ' ' * 80_000,
    'crlf': GUIDE.replace('\n', '\r\n') * 100,
    'headings': ''.join(f'{"#" * (number % 6 + 1)} h{number}\n' for number in range(6_000)),
    'cjk': '漢字仮名。' * 6_000,
    'hashes': '#' * 50_000,
}


@pytest.mark.parametrize('name', ODD)
def test_long_odd_texts(name: str) -> None:
    document = Document(ODD[name])
    chunks = chunk([document], size=2000)
    assert bodies(chunks, 0, document) == document.text
    assert [tokens.count(text_of(part, [document])) for part in chunks] == [part.tokens for part in chunks]
    assert max(part.tokens for part in chunks) <= 2000
    assert len(chunks) <= 1.3 * sum(part.tokens for part in chunks) / 2000 + 1


odd = st.one_of(texts, st.lists(st.one_of(lines, texts), max_size=25).map('\n'.join))


@hypothesis_settings(max_examples=60)
@given(
    st.lists(st.builds(Document, odd, title=st.one_of(st.just(''), texts)), max_size=4),
    st.one_of(st.integers(16, 60), st.integers(60, 400)),
    st.floats(0, 1),
)
def test_chunks_keep_their_promises(documents: list[Document], size: int, share: float) -> None:
    places = [fingerprint(each.text, at) for each in documents for at in each.segment_starts]
    chunks = chunk(documents, size=size, before=frozenset(places[: int(share * len(places))]))
    assert [part.index for part in chunks] == list(range(len(chunks)))
    for part in chunks:
        assert part.pieces
        assert part.tokens == tokens.count(text_of(part, documents)) <= size
    for index, document in enumerate(documents):
        assert bodies(chunks, index, document) == document.text
        for piece in (piece for part in chunks for piece in part.pieces if piece.document == index):
            starts = document.segment_starts
            assert starts[piece.segments[0] - 1] <= piece.start
            assert piece.segments[-1] == len(starts) or piece.end <= starts[piece.segments[-1]]
            if piece.start not in starts:  # a segment that no chunk can hold
                segment = document.segment(piece.segments[0])
                assert tokens.count(piece.header + document.text[segment.start : segment.end]) > size * 3 // 4 - 4


@given(st.lists(odd, max_size=3).map(''.join), st.integers(1, 50), st.data())
def test_a_ruler_counts_any_span_exactly(text: str, unit: int, data: st.DataObject) -> None:
    document = Document(text)
    token_index = index_tokens(document.text, document.segment_starts, unit)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    header = data.draw(st.sampled_from(['', 'A > B\n', '---\n']))
    if start < end:
        assert token_index.count(start, end, header) == tokens.count(header + document.text[start:end])
