"""Text that is an HTML page, given to the summarizer and to the service: its markdown is what they work with."""

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from inline_snapshot import snapshot

from summarizer_tool import (
    AddSourceRequest,
    Document,
    ExtractiveModel,
    InputTooLargeError,
    ReadSourceRequest,
    RequestError,
    Service,
    Settings,
    SourceStore,
    Summarizer,
    SummarizeRequest,
)
from summarizer_tool.html.page import Link, is_page
from summarizer_tool.text import tokens

pytestmark = pytest.mark.anyio

PAGE = """\
<!doctype html>
<html><head><title>The lamp of Cape Orrin</title></head><body>
<nav><a href="/">Home</a> <a href="/boats">Boats</a> <a href="/log-in">Log in</a></nav>
<article>
<h1>The lamp</h1>
<p>Sefa Lund lit the lamp of Cape Orrin in 1871 and kept it for thirty years. Its oil came from
<a href="/wiki/Tarn_Vessel">Tarn Vessel</a> by the mail boat.</p>
<figure><img src="lamp.jpg" alt="The lamp at dusk" width="640" height="480">
<figcaption>The lamp in 1902</figcaption></figure>
<table><tr><th>Year</th><th>Wrecks</th></tr><tr><td>1870</td><td>14</td></tr><tr><td>1872</td><td>2</td></tr></table>
</article>
<footer>Imprint and privacy of the Cape Orrin society</footer>
</body></html>
"""
URL = 'https://orrin.example.org/wiki/lamp'

EMPTY = '<!doctype html><html><head><script>start()</script></head><body></body></html>'


def summarizer(**overrides: object) -> Summarizer:
    return Summarizer(Settings.load(**{'llm_model': 'extractive'} | overrides), model=ExtractiveModel())


def service(**overrides: object) -> Service:
    return Service(summarizer(**overrides), SourceStore().collection())


async def test_of_a_small_page_the_markdown_comes_back() -> None:
    summary = await summarizer().summarize(PAGE)
    assert summary.text == snapshot("""\
# The lamp

Sefa Lund lit the lamp of Cape Orrin in 1871 and kept it for thirty years. Its oil came from Tarn Vessel by the mail boat.

[Image: The lamp at dusk]

The lamp in 1902

| Year | Wrecks |
| --- | --- |
| 1870 | 14 |
| 1872 | 2 |\
""")
    assert (summary.state, summary.parts[0].title) == ('unchanged', 'The lamp')


async def test_a_large_page_is_summarized_from_its_markdown() -> None:
    paragraphs = ''.join(
        f'<p>In {1600 + n} the keeper Olla Brand counted <b>{n + 3} seals</b> on the Skerry of Hume.</p>'
        for n in range(80)
    )
    page = PAGE.replace('</article>', f'{paragraphs}</article>')
    for content in (page, [page], f'\ufeff\n<!-- saved -->\n{page}'):
        summary = await summarizer().summarize(content, max_output_tokens=200)
        assert summary.state == 'complete'
        assert '<' not in summary.text
        assert 'Imprint' not in summary.text
        assert tokens.count(summary.text) <= 200


async def test_documents_and_texts_about_html_are_taken_as_they_are() -> None:
    for content in (Document(PAGE), '<html> is the root of every page.', f'A page:\n\n{PAGE}', '<p>No page.</p>'):
        text = content.text if isinstance(content, Document) else content
        summary = await summarizer().summarize(content)
        assert summary.text == text


async def test_several_items_keep_their_order() -> None:
    summary = await summarizer().summarize(['First.', PAGE, Document('Third.')])
    places = [summary.text.index(words) for words in ('First.', 'Sefa Lund', 'Third.')]
    assert places == sorted(places)
    assert '<table>' not in summary.text


async def test_without_a_heading_the_page_names_itself() -> None:
    page = '<html><head><title>Seals</title></head><body><p>Olla Brand counted ninety seals.</p></body></html>'
    assert (await summarizer().summarize(page)).parts[0].title == 'Seals'
    assert (await service().add_source(AddSourceRequest(content=page))).source.title == 'Seals'


async def test_a_page_without_text_is_empty() -> None:
    summary = await summarizer().summarize(EMPTY)
    assert (summary.text, summary.state) == ('', 'empty')


async def test_the_size_of_a_page_is_that_of_its_html() -> None:
    limit = len(PAGE) / 1e6 * 0.9
    with pytest.raises(InputTooLargeError):
        await summarizer(max_input_mb=limit).summarize(PAGE)
    with pytest.raises(InputTooLargeError):
        await service(max_input_mb=limit).add_source(AddSourceRequest(content=PAGE))


async def test_the_stored_source_is_the_markdown_with_links_beside_it() -> None:
    kept = service()
    added = await kept.add_source(AddSourceRequest(content=PAGE, url=URL))
    assert (added.source.title, added.source.url) == ('The lamp', URL)
    assert added.text == snapshot("""\
src_34b4ea06aa04: "The lamp", 81 tokens, 12 lines. Pass src_34b4ea06aa04 in source_ids to summarize or summarize_for_extraction, or to read_source as source_id.
Outline, with line numbers:
1| The lamp\
""")
    numbered = (await kept.read_source(ReadSourceRequest(source_id=added.source.id))).splitlines()
    assert (numbered[0], *numbered[4:7]) == snapshot(
        ('1| # The lamp', '5| [Image: The lamp at dusk]', '6|', '7| The lamp in 1902')
    )
    assert kept.collection.links(added.source.id) == (
        Link(
            'https://orrin.example.org/wiki/Tarn_Vessel',
            'Tarn Vessel',
            'The lamp',
            'Sefa Lund lit the lamp of Cape Orrin in 1871 and kept it for thirty years. Its oil came from Tarn Vessel by '
            'the mail boat.',
        ),
    )
    assert kept.collection.versions(URL)[0].id == added.source.id


async def test_equal_pages_have_one_handle_wherever_they_come_from() -> None:
    kept = service()
    one = (await kept.add_source(AddSourceRequest(content=PAGE, url=URL))).source
    two = (await kept.add_source(AddSourceRequest(content=PAGE, title='Another name'))).source
    summarized = await kept.summarize(SummarizeRequest(content=PAGE))
    assert {one.id, two.id, *summarized.source_ids} == {one.id}
    assert two.title == 'Another name'
    assert summarized.summary.state == 'unchanged'
    # To store its text again, as a program may that has read it, changes nothing.
    assert (await kept.add_source(AddSourceRequest(content=kept.collection.document(one.id).text))).source.id == one.id
    assert kept.collection.links(one.id)


@pytest.mark.parametrize(
    ('ask', 'request_type'), [(Service.add_source, AddSourceRequest), (Service.summarize, SummarizeRequest)]
)
async def test_the_service_refuses_a_page_without_text(ask: object, request_type: type) -> None:
    with pytest.raises(RequestError) as raised:
        await ask(service(), request_type(content=EMPTY))  # pyright: ignore
    assert str(raised.value) == snapshot(
        'content is an HTML page without text; give a text, or the url of another page'
    )


@hypothesis_settings(max_examples=50)
@given(st.text())
def test_what_begins_otherwise_is_no_page(text: str) -> None:
    assert not is_page(f'x{text}')
    assert not is_page(f'```html\n{PAGE}{text}')
    assert is_page(PAGE + text)
