"""Names of what is a section of a text say what it is about, not that it is chrome."""

from collections.abc import Callable

import pytest

from summarizer_tool.html.convert import to_markdown
from tests.support.fictional import PROSE


def _fact(title: str) -> str:
    return f'<p>{title} was paid for by Ada Zibeline in 1855, and it has cost nobody anything since.</p>'


def _named(title: str) -> str:
    return title.lower().replace(' ', '-')


def _nested(*titles: str) -> str:
    parts = ''.join(f'<section id="{_named(each)}"><h2>{each}</h2>{_fact(each)}</section>' for each in titles)
    return f'<section id="bells"><h1>Bells</h1>{PROSE}{parts}</section>'


def _marked(*titles: str) -> str:
    return f'<article><h1>Bells</h1>{PROSE}' + ''.join(
        f'<h2 id="{_named(each)}">{each}</h2>{_fact(each)}' for each in titles
    )


def _wrapped(*titles: str) -> str:
    parts = (
        f'<div class="part" id="p{n}"><div><h2>{each}</h2></div>{_fact(each)}</div>' for n, each in enumerate(titles)
    )
    return f'<div class="part" id="author"><h1>Bells</h1>{PROSE}{"".join(parts)}</div>'


@pytest.mark.parametrize('markup', [_nested, _marked, _wrapped])
@pytest.mark.parametrize('title', ['Sharing a bell', 'Cookie objects', 'Author cards', 'Comments'])
def test_a_section_is_kept_whatever_it_is_called(markup: Callable[..., str], title: str) -> None:
    body = markup('Casting', 'Hanging', title, 'Tuning', 'Ringing')
    shown = to_markdown(f'<html><body>{body}</body></html>', 'https://bells.example/').markdown
    assert f'## {title}\n\n{title} was paid' in shown


def test_what_stands_beside_the_text_is_left_out() -> None:
    beside = '<div id="related-posts"><h3>Related posts</h3><p><a href="/m">Morn has a new bell at last.</a></p></div>'
    shown = to_markdown(f'<html><body>{_marked("Casting")}{beside}</body></html>', 'https://bells.example/').markdown
    assert 'Morn' not in shown


def test_a_section_is_the_history_of_what_the_page_is_about() -> None:
    parts = f'<h1>Bells</h1>{PROSE}<h2>History</h2>{PROSE}'
    shown = to_markdown(f'<html><body>{parts}</body></html>', 'https://bells.example/').markdown
    assert '\n\n## History\n\n' in shown
