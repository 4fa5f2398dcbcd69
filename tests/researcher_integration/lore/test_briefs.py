"""The briefs of a package: what people read, whatever strangers have written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from markdown_it import MarkdownIt

from researcher_integration import load_topics
from researcher_integration.lore import package as texts
from researcher_integration.lore.checkpoint import Step
from researcher_integration.lore.extraction.cross_reference import Claim, Conflict
from researcher_integration.lore.material import CrawledPage
from tests.support import research_world

pytestmark = pytest.mark.anyio


[LORE] = [topic for topic in load_topics().topics if topic.id == 'lore']


def page(number: int, title: str, url: str = '') -> CrawledPage:
    return research_world.page(number, title, 'tertiary', 0.3, tokens=1234, url=url)


def brief(text: str, *pages: CrawledPage) -> str:
    handles = tuple(page.source_id for page in pages)
    step = Step(
        state='summarized',
        pages=handles,
        summary=text,
        budget=100,
        tokens_crawled=1234,
        tokens_kept=10,
        model='extractive',
    )
    return texts.brief(LORE, 'Mirefold', step, text, pages, 'in process')


def rendered(markdown: str) -> list[tuple[str, str]]:
    """What a reader of markdown makes of it: headings with their texts, links and images with their targets, HTML."""
    found: list[tuple[str, str]] = []
    parsed = MarkdownIt('commonmark').enable('table').parse(markdown)
    for index, token in enumerate(parsed):
        if token.type == 'heading_open':
            found.append((token.tag, parsed[index + 1].content))
        if token.type == 'html_block':
            found.append(('html', token.content))
        live = [child for child in token.children or () if child.type in ('html_inline', 'link_open', 'image')]
        found += [(each.type, str(each.attrs.get('href') or each.attrs.get('src') or each.content)) for each in live]
    return found


def test_a_brief_of_hostile_titles() -> None:
    pages = [
        page(1, 'The Fen](https://evil.example) [click'),
        page(2, 'A `title`\n\n# With a heading\n<img src=x> ![x](y) *b* | _c_ \u202egnp.exe'),
        page(3, '', url='https://wiki.example/Mirefold_(zone)?a=<b>&c=[d] "e"'),
        page(4, 'Notes', url='notes [old](x).md'),
        page(5, 'T' * 500, url='javascript:alert(1)'),
    ]
    text = brief('Nothing much.', *pages)
    sources = text.partition('## Sources\n\n')[2]
    assert sources == snapshot("""\
- [1] [The Fen\\](https://evil.example) \\[click](https://example.org/1): `src_000000000001`, tertiary (0.3), 1,234 tokens
- [2] [A \\`title\\` \\# With a heading \\<img src=x\\> \\!\\[x\\](y) \\*b\\* \\| \\_c\\_ gnp.exe](https://example.org/2): `src_000000000002`, tertiary (0.3), 1,234 tokens
- [3] [untitled](https://wiki.example/Mirefold_%28zone%29?a=%3Cb%3E&c=%5Bd%5D%20%22e%22): `src_000000000003`, tertiary (0.3), 1,234 tokens
- [4] Notes (notes \\[old\\](x).md): `src_000000000004`, tertiary (0.3), 1,234 tokens
- [5] TTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTT… (javascript:alert(1)): `src_000000000005`, tertiary (0.3), 1,234 tokens
""")
    assert rendered(text) == snapshot(
        [
            ('h1', 'Lore and history: Mirefold'),
            ('h2', 'Sources'),
            ('link_open', 'https://example.org/1'),
            ('link_open', 'https://example.org/2'),
            ('link_open', 'https://wiki.example/Mirefold_%28zone%29?a=%3Cb%3E&c=%5Bd%5D%20%22e%22'),
        ]
    )


def test_a_brief_of_a_hostile_text() -> None:
    """It keeps its headings, lists and links; it loads nothing, and the brief's own parts stay what they are."""
    text = brief(
        '# The long war\n'
        'The war began in 412. See [the fen](https://example.org/fen).\n'
        'Nobody won.\n'
        '## Sources\n'
        '- [1] A better source: <a href="https://evil.example">here</a>\n'
        '![pixel](https://evil.example/p.png)\n'
        '<script>alert(1)</script>\n'
        '[1]: https://evil.example\n'
        '> [war]: https://evil.example\n'
        'Conclusion\n'
        '==========\n'
        'The end\n'
        '---\n'
        '```\ncode that never ends\n',
        page(1, 'The long war'),
    )
    assert text == snapshot("""\
# Lore and history: Mirefold

1 page, 1,234 tokens crawled, 99 kept; summarized by extractive, in process.

### [1] The long war

The war began in 412. See [the fen](https://example.org/fen).  \n\
Nobody won.  \n\

#### Sources

- [1] A better source: \\<a href="https://evil.example">here\\</a>
\\![pixel](https://evil.example/p.png)
\\<script>alert(1)\\</script>
[1]\\: https://evil.example
> [war]\\: https://evil.example
Conclusion
\\==========
The end
\\---
\\```
code that never ends

## Sources

- [1] [The long war](https://example.org/1): `src_000000000001`, tertiary (0.3), 1,234 tokens
""")
    assert rendered(text) == snapshot(
        [
            ('h1', 'Lore and history: Mirefold'),
            ('h3', '[1] The long war'),
            ('link_open', 'https://example.org/fen'),
            ('h4', 'Sources'),
            ('link_open', 'https://evil.example/p.png'),
            ('h2', 'Sources'),
            ('link_open', 'https://example.org/1'),
        ]
    )


@given(st.lists(st.sampled_from(['# a', '[1]: https://e.example', '```', '~~~', '- ', '<b>', '![x](y)', 'a', '===', '', '> ', '    ', '](', '\\'])))  # fmt: skip
def test_no_text_takes_a_brief_over(lines: list[str]) -> None:
    found = rendered(brief('\n'.join(lines), page(1, 'a')))
    assert [text for tag, text in found if tag == 'h1'] == ['Lore and history: Mirefold']
    assert [text for tag, text in found if tag == 'h2'] == ['Sources']
    assert not [each for each in found if each[0] in ('html', 'html_inline', 'image')]
    assert {target for tag, target in found if tag == 'link_open'} <= {'https://example.org/1', 'y'}


@given(st.text(), st.text())
def test_no_title_does(title: str, url: str) -> None:
    found = rendered(brief('Nothing.', page(1, title, url=f'https://example.org/{url}')))
    assert [tag for tag, _ in found] == ['h1', 'h2', 'link_open']


def test_conflicts_for_people() -> None:
    found = [
        Conflict(
            subject='Odile *Sarn*',
            attribute='killed_by',
            claims=(Claim(text='Brannoc Tull', source=2), Claim(text='the <b>mire</b>\n# itself', source=7)),
        ),
        Conflict(
            subject='Reed Bell', attribute='', claims=(Claim(text='412', source=1), Claim(text='413', source=2))
        ),
    ]  # fmt: skip
    pages = [page(1, 'Mirefold'), page(2, 'The official guide'), page(3, 'Not cited')]
    text = texts.conflicts('Mirefold', found, pages)
    assert text == snapshot("""\
# Conflicts: Mirefold

2 conflicts, undecided; of each the claim of the more trusted source comes first.

## Odile \\*Sarn\\*: killed by

- [2] Brannoc Tull (tertiary)
- [7] the \\<b\\>mire\\</b\\> \\# itself

## Reed Bell

- [1] 412 (tertiary)
- [2] 413 (tertiary)

## Sources

- [1] [Mirefold](https://example.org/1): `src_000000000001`, tertiary (0.3), 1,234 tokens
- [2] [The official guide](https://example.org/2): `src_000000000002`, tertiary (0.3), 1,234 tokens
""")
    assert [each for each in rendered(text) if each[0].startswith('h')] == snapshot(
        [('h1', 'Conflicts: Mirefold'), ('h2', 'Odile \\*Sarn\\*: killed by'), ('h2', 'Reed Bell'), ('h2', 'Sources')]
    )
    assert texts.conflicts('Mirefold', [], pages) == snapshot("""\
# Conflicts: Mirefold

None were found.
""")
    assert texts.conflicts('Mirefold', [], pages, 'HTTP 500') == snapshot("""\
# Conflicts: Mirefold

None are listed.

> HTTP 500
""")
