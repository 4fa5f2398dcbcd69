"""Documents from the command line, by URL and over `add_source`; their evidence names the page."""

import base64
from pathlib import Path

import pytest
from inline_snapshot import snapshot
from typer.testing import CliRunner

from summarizer_tool import Service, Settings, SourceStore, Summarizer, telemetry
from summarizer_tool.cli.main import app
from summarizer_tool.cli.terminal import ExitCode
from summarizer_tool.documents.document import Document
from summarizer_tool.errors import FetchError, RequestError
from summarizer_tool.formats.reading import read_data_url
from summarizer_tool.service.operations import AddSourceRequest, ReadSourceRequest
from tests.support.pdfs import lines, pdf

BOOK = pdf(
    [
        lines('The fen of Ostrey lies to the east of the hills.'),
        lines('Perpetua Gann bought the mill of Ostrey in 1908 for ninety crowns.'),
        lines('The dyke was raised by two feet after the flood of 1961.'),
    ],
    title='A history of Ostrey',
)


def test_a_search_of_a_file_names_the_page() -> None:
    Path('ostrey.pdf').write_bytes(BOOK)
    done = CliRunner().invoke(app, ['search', 'Who bought the mill?', 'ostrey.pdf'], catch_exceptions=False)
    assert done.exit_code == 0
    cited = [line for line in done.stdout.split('\n') if line.startswith(('[E1]', '[C1]'))]
    assert cited == snapshot(
        [
            '[E1] source 1 · lines 1-9 · p. 1-3 · whole source',
            '[C1] E1 · source 1 (src_59d9a6e5b4a0) · line 5 · p. 2 · "Perpetua Gann bought the mill of Ostrey in 1908 for ninety crowns."',
        ]
    )


def test_a_file_that_cannot_be_read_ends_in_one_line() -> None:
    Path('scan.pdf').write_bytes(pdf([[]]))
    done = CliRunner().invoke(app, ['run', 'scan.pdf'], catch_exceptions=False)
    assert (done.exit_code, done.stderr) == snapshot(
        (
            ExitCode.INPUT,
            'summarizer: scan.pdf is a PDF without text on any page (1), as of a scan; it needs OCR, e.g. ocrmypdf in.pdf out.pdf\n',
        )
    )


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv('LLM_MODEL', 'extractive')
    monkeypatch.setattr(telemetry, 'configure', lambda *_, **__: None)  # the logs of the process are the tests' own


def service() -> Service:
    return Service(Summarizer(Settings.load(llm_model='extractive')), SourceStore(':memory:').collection())


def test_a_broken_pdf_is_called_one_though_its_bytes_say_nothing() -> None:
    with pytest.raises(FetchError, match='is a PDF that is broken; repair it'):
        read_data_url('data:application/pdf;base64,' + base64.b64encode(BOOK[2000:]).decode())
    page = base64.b64encode(b'<!doctype html><html><p>Not found here.</p></html>').decode()
    assert read_data_url(f'data:application/pdf;base64,{page}').markdown == 'Not found here.'


@pytest.mark.parametrize(
    ('body', 'why'), [(b'\0\1\2\xff', 'holds binary data'), (b'%PDF-1.4 foo', 'is a PDF that is broken')]
)
def test_what_is_no_text_is_none_though_it_is_called_markdown(body: bytes, why: str) -> None:
    content = f'data:text/markdown;base64,{base64.b64encode(body).decode()}'
    with pytest.raises(FetchError, match=why):
        read_data_url(content)


@pytest.mark.anyio
async def test_bytes_come_as_a_data_url_and_are_read_by_page() -> None:
    made = service()
    content = 'data:application/pdf;base64,' + base64.b64encode(BOOK).decode()
    added = await made.add_source(AddSourceRequest(content=content))
    assert added.source.title == 'A history of Ostrey'
    assert await made.read_source(ReadSourceRequest(source_id=added.source.id)) == snapshot("""\
1| The fen of Ostrey lies to the east of the hills.
2|
3| [p. 2]
4|
5| Perpetua Gann bought the mill of Ostrey in 1908 for ninety crowns.
6|
7| [p. 3]
8|
9| The dyke was raised by two feet after the flood of 1961.
[src_59d9a6e5b4a0, 1 to 9 of 9 lines, p. 1-3 of 3: the end.]\
""")
    with pytest.raises(RequestError) as raised:
        await made.add_source(AddSourceRequest(content='data:application/pdf;base64,%%%'))
    assert str(raised.value) == snapshot(
        'content is a data: URL that is no base64; encode the bytes of the file as RFC 4648 has it'
    )


@pytest.mark.anyio
async def test_facts_name_the_page() -> None:
    facts = [f'Perpetua Gann bought mill number {number} of Ostrey in {1900 + number}.' for number in range(40)]
    document = Document('\n\n\f\n\n'.join(facts))
    summary = await Summarizer(Settings.load(llm_model='extractive')).summarize(document, max_output_tokens=100)
    places = [place for fact in summary.facts for place in fact.evidence]
    assert places
    assert all(f'number {place.page - 1} ' in document.segment_text(place.segment) for place in places if place.page)
    assert all(place.page for place in places)


def test_a_text_without_pages_names_none() -> None:
    document = Document('One.\n\nTwo.')
    assert (document.segment(2).page, document.pages.of_lines(1, 3)) == (None, '')
