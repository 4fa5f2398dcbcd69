"""What `summarizer run` reads: web pages from files, stdin and URLs as their text, anything else as it is."""

from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest
from inline_snapshot import snapshot
from typer.testing import CliRunner, Result

from summarizer_tool import Settings
from summarizer_tool.cli.main import app
from summarizer_tool.cli.stored import read_place
from summarizer_tool.cli.terminal import UnreadableError
from summarizer_tool.formats.files import GivenSource
from tests.support.site import Site
from tests.support.terminal import said

HEAD = '<!doctype html>\n<html><head><meta charset="{charset}"><title>Gäste</title></head><body>'
BODY = (
    '<nav><a href="/">Start</a></nav><article><p>Im Jahr 1874 kamen drei Gäste nach Köln.</p></article></body></html>'
)
TEXT = 'Im Jahr 1874 kamen drei Gäste nach Köln.'


def run(*arguments: str, stdin: bytes | None = None, **environment: str) -> Result:
    return CliRunner().invoke(app, ['run', *arguments], stdin, environment, catch_exceptions=False)


def read(name: str, content: bytes, **settings: object) -> GivenSource:
    Path(name).write_bytes(content)
    place = read_place(name, Settings.load(**settings))
    assert not isinstance(place, str)
    return place


def why_not(name: str, content: bytes, **settings: object) -> str:
    with pytest.raises(UnreadableError) as raised:
        read(name, content, **settings)
    return str(raised.value)


@pytest.mark.parametrize(
    ('name', 'content'),
    [
        ('page.html', (HEAD.format(charset='windows-1252') + BODY).encode('cp1252')),
        ('page.htm', (HEAD.format(charset='') + BODY).encode()),
        # A page by what is in it, whatever it is called.
        ('download', f'\ufeff<!-- saved -->{HEAD.format(charset="utf-8")}{BODY}'.encode()),
        ('page.txt', (HEAD.format(charset='latin-1') + BODY).encode('latin-1')),
        ('page.md', (HEAD.format(charset='utf-16') + BODY).encode('utf-16')),
    ],
)
def test_a_page_is_read_in_its_charset(name: str, content: bytes) -> None:
    document = read(name, content).document
    assert (document.text, document.title, document.url) == (TEXT, 'Gäste', name)


def test_a_file_called_html_need_not_begin_as_a_page() -> None:
    given = read('part.html', b'<h2>Guests</h2>\n<p>Three came.</p><img src="https://example.org/a.png" alt="Them">')
    assert (given.document.text, given.document.title) == ('## Guests\n\nThree came.', 'Guests')
    assert read('plain.html', b'Three < four').document.text == 'Three < four'


@pytest.mark.parametrize('text', ['# Tags\n\n<b>bold</b>\n', '<p>Of a template</p>', 'Köln <html>', '\t\r\n “x” \n'])
def test_other_text_is_taken_as_it_is(text: str) -> None:
    given = read('notes.md', text.encode())
    assert (given.document.text, given.page) == (text, None)


@pytest.mark.parametrize('encoding', ['utf-16', 'utf-32', 'utf-8-sig'])
def test_text_with_a_mark_of_its_encoding_is_text(encoding: str) -> None:
    assert read('notes.md', 'Köln – 東京\n'.encode(encoding)).document.text == 'Köln – 東京\n'


def test_what_is_no_text_is_refused() -> None:
    packed = BytesIO()
    with ZipFile(packed, 'w') as archive:
        archive.writestr('notes.txt', 'The mill.')
    assert [
        why_not('empty.html', b'<html><body><script>start()</script></body></html>'),
        why_not('scan.html', b'%PDF-1.7 ...'),
        why_not('image.png', b'\x89PNG\0\0'),
        why_not('notes.zip', packed.getvalue()),
        why_not('notes.txt.gz', b'\x1f\x8b\x08\0'),
        why_not('latin.txt', 'Köln'.encode('latin-1')),
        why_not('large.html', b'<p>x</p>' * 1000, max_input_mb=0.001),
        why_not('large.md', b'x' * 2000, max_input_mb=0.001),
    ] == snapshot(
        [
            'empty.html holds no text',
            'scan.html is a PDF that is broken; repair it, e.g. qpdf in.pdf out.pdf, or print it to a new one',
            'image.png looks like a binary file; give it as text',
            'notes.zip is packed; unpack it, and give the files in it',
            'notes.txt.gz is packed; unpack it, and give the files in it',
            'latin.txt is not UTF-8 (byte 1), but likely cp1252; convert it, e.g. iconv -f cp1252 -t utf-8',
            'large.html is over SUMMARIZER_MAX_INPUT_MB=0.001; split it or raise the limit',
            'large.md is over SUMMARIZER_MAX_INPUT_MB=0.001; split it or raise the limit',
        ]
    )
    with pytest.raises(UnreadableError, match='its name is none'):
        read_place('a\0b', Settings())
    assert read_place('HTTPS://example.org/a?b=1', Settings()) == 'HTTPS://example.org/a?b=1'


def test_run_reads_pages_and_files_in_order(station: Site) -> None:
    Path('first.md').write_text('The first is a file.\n')
    page = (HEAD.format(charset='utf-8') + BODY).encode()
    urls = (station.url('/ledger'), station.url('/notice-board'))
    done = run('first.md', urls[0], '-', urls[1], stdin=page)
    assert (done.exit_code, done.stderr) == (0, '')
    words = ('The first is a file.', 'the café of Zoë Marchbank gave €4,150', TEXT, 'one brass compass')
    places = [done.stdout.index(each) for each in words]
    assert places == sorted(places)
    assert 'Sign up for the monthly tide letter' not in done.stdout


def test_what_cannot_be_read_ends_in_one_line(station: Site) -> None:
    Path('folder').mkdir()
    Path('empty.txt').touch()
    ended = [
        run('first.md', station.url('/ledger')),
        run('folder'),
        run('empty.txt'),
        run(station.url('/nope?key=secret')),
        run(station.url('/empty')),
        run('http:///no-host'),
        run('ftp://ada:secret@host/a'),
        run(station.canary.url('/')),
    ]
    assert [
        said(each).replace(station.host, 'SITE').replace(station.canary.host, 'ELSE') for each in ended
    ] == snapshot(
        [
            '3||summarizer: first.md does not exist',
            '3||summarizer: folder is a folder; name files in it, or the folder to `summarizer batch`',
            '1||summarizer: there is nothing to summarize: empty.txt holds no text',
            '3||summarizer: SITE/nope answered HTTP 404',
            '3||summarizer: SITE/empty holds no text',
            '3||summarizer: the URL has no valid host and port; give one like https://example.org/page',
            '3||summarizer: ftp URLs are not fetched; give one that begins with http:// or https://',
            '3||summarizer: ELSE/ leads to an address that is not public (loopback); SUMMARIZER_FETCH_ALLOW_HOSTS=ELSE would allow it',
        ]
    )
    assert station.canary.hits == []


def test_what_holds_no_text_among_others_is_told() -> None:
    Path('mill.md').write_text('The mill burnt down in 1874.')
    Path('empty.md').write_text(' \n')
    done = run('empty.md', 'mill.md', '-', stdin=b'')
    assert said(done) == (
        '0|The mill burnt down in 1874.|summarizer: warning: empty.md holds no text\n'
        'summarizer: warning: stdin holds no text'
    )


@pytest.mark.parametrize('name', ['A sentence where a file should be named. ' * 20, 'loop', ''])
def test_a_name_that_no_file_can_have(name: str) -> None:
    Path('loop').symlink_to('loop')
    stored = {'SUMMARIZER_STORE': 'store.sqlite3'}
    codes = [
        CliRunner().invoke(app, [*command, name], env=stored, catch_exceptions=False).exit_code
        for command in (['run'], ['search', 'Who?'], ['add'], ['status'], ['diff'])
    ]
    assert codes == [3, 3, 3, 0 if not name else 1, 1]
    if name:
        Path('a.md').write_text('The mill.')
        for command in (
            ['run', 'a.md', '--report', name],
            ['batch', name, '--out', 'out'],
            ['batch', '.', '--out', name],
        ):
            result = CliRunner().invoke(app, command, env=stored, catch_exceptions=False)
            assert (result.exit_code, result.stderr.count('\n')) == (3 if 'out' in command else 2, 1)
