"""Text from the bytes of a response: its charset, its type, and what is no text."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from summarizer_tool.errors import FetchError
from summarizer_tool.html import content
from summarizer_tool.html.convert import to_markdown
from summarizer_tool.html.page import Page
from summarizer_tool.html.titles import MAX_LENGTH


@pytest.mark.parametrize(
    ('body', 'content_type', 'expected'),
    [
        # The header decides, then the mark, then the page.
        ('Zoë'.encode('latin-1'), 'text/plain; charset=ISO-8859-1', 'Zoë'),
        ('“Zoë”'.encode('cp1252'), 'text/plain; charset="iso-8859-1"', '“Zoë”'),
        ('Zoë'.encode('utf-16'), 'text/plain', 'Zoë'),
        ('Zoë'.encode('utf-16-be'), 'text/plain;charset=utf-16be', 'Zoë'),
        ('Zoë'.encode('utf-8-sig'), 'text/plain; charset=latin-1', 'Zoë'),
        ('Zoë'.encode('utf-32'), 'text/plain', 'Zoë'),
        ('<html><meta charset="windows-1251"><p>Где маяк?'.encode('cp1251'), 'text/html', 'Где маяк?'),
        ("<?xml version='1.0' encoding='windows-1251'?><a>Где</a>".encode('cp1251'), 'text/xml', None),
        ('<html><meta charset=utf-16><p>Zoë'.encode(), 'text/html', 'Zoë'),
        ('<!doctype html><p>Zoë'.encode('utf-16'), 'text/html', 'Zoë'),
        # What is declared wrongly, or not at all.
        ('Zoë'.encode(), 'text/plain; charset=klingon', 'Zoë'),
        ('Zoë'.encode(), 'text/plain; charset=base64', 'Zoë'),
        ('Zoë'.encode(), 'text/plain; charset=idna', 'Zoë'),
        ('Zoë'.encode(), 'text/plain; charset=ascii', 'Zoë'),
        ('Zoë'.encode(), 'text/plain', 'Zoë'),
        (b'a' * 5000 + b'\xff', 'text/plain; charset=utf-8', 'a' * 5000 + '\ufffd'),
        (
            'Смотритель маяка живёт на острове один, и письма приходят ему дважды в год.'.encode('cp1251'),
            'text/plain; charset=utf-8',
            'Смотритель маяка живёт на острове один, и письма приходят ему дважды в год.',
        ),
    ],
)
def test_charsets(body: bytes, content_type: str, expected: str | None) -> None:
    text = content.read(body, content_type).markdown
    assert text == expected if expected else 'Где' in text


@given(body=st.binary(max_size=300), charset=st.text(max_size=12) | st.sampled_from(['utf-16', 'utf-7', 'hex', 'big5']))
def test_no_bytes_break_the_decoder(body: bytes, charset: str) -> None:
    assert isinstance(content.decode(body, charset), str)


@hypothesis_settings(max_examples=50)
@given(
    start=st.sampled_from(['', '<!doctype html>', '<html>', '<?xml?>', '<!--', '\ufeff']), rest=st.text(max_size=200)
)
def test_any_page_is_read_or_refused(start: str, rest: str) -> None:
    with suppress(FetchError):
        assert content.read((start + rest).encode(errors='replace'), 'text/html').markdown.strip()


@pytest.mark.parametrize(
    ('body', 'content_type', 'text'),
    [
        (b'<!DOCTYPE html><title>T</title><p>Hi', '', 'Hi'),
        (b'\n<!-- a --> <!-- b -->\n<HTML><p>Hi', 'text/plain', 'Hi'),
        (b'\xef\xbb\xbf<!doctype html><p>Hi', 'application/json', 'Hi'),
        (b'<?xml version="1.0"?>\n<html xmlns="x"><body><p>Hi</p></body></html>', 'application/octet-stream', 'Hi'),
        (b'<p>Hi</p>', 'text/html', 'Hi'),
        (b'# Not HTML: a < b', 'text/html', '# Not HTML: a < b'),
        (b'plain', 'application/octet-stream', 'plain'),
        (b'a: 1', 'application/x-anything', 'a: 1'),
        (b'<a>1</a>', 'application/atom+xml; charset=utf-8', '<a>1</a>'),
    ],
)
def test_content_decides_where_its_type_does_not(body: bytes, content_type: str, text: str) -> None:
    assert content.read(body, content_type).markdown == text


@pytest.mark.parametrize(
    ('body', 'content_type', 'reason'),
    [
        (b'%PDF-1.7', 'text/html', 'holds a printed page, which is not text'),
        (b'%!PS-Adobe-3.0', '', 'holds a printed page, which is not text'),
        (b'PK\x03\x04', '', 'holds binary data, which is not text'),
        (b'a\0b', 'x-y/<b>', 'holds binary data, which is not text'),
        (b'a\0b', 'application/octet-stream', 'holds binary data (application/octet-stream), which is not text'),
        (b'a\0b', 'text/plain', 'holds binary data (text/plain), which is not text'),
        (b' \n', 'text/plain', 'holds no text'),
        (b'', 'text/html', 'holds no text'),
        (b'<html><title>x</title><script>y</script></html>', 'text/html', 'holds no text'),
    ],
)
def test_what_has_no_text(body: bytes, content_type: str, reason: str) -> None:
    with pytest.raises(FetchError) as caught:
        content.read(body, content_type)
    assert str(caught.value) == reason


def test_a_page_with_text_is_never_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    assert to_markdown('<p>Hi').markdown == 'Hi'
    assert to_markdown('<html><body><nav>Only <a href="/">links</a></nav>').markdown == 'Only links'
    unclosed = '<html><body>' + '<font>word ' * 400 + '<p>the last words</p>'
    assert to_markdown(unclosed).markdown.endswith('the last words')
    import trafilatura

    def fails(*_: object, **__: object) -> str:
        raise RecursionError

    monkeypatch.setattr(trafilatura, 'bare_extraction', fails)
    assert to_markdown('<html><title>T</title><body><p>One <b>two</b><script>x</script><p>three') == Page(
        'One two\n\nthree', 'T'
    )


def test_titles() -> None:
    assert to_markdown('<html><head><title> A\n page\u202e </title></head><body>Hi').title == 'A page'
    assert to_markdown('<html><body>Hi').title == ''
    assert len(to_markdown(f'<html><head><title>{"x" * 999}</title></head><body>Hi').title) == MAX_LENGTH


def test_an_undeclared_page_of_few_accents_is_western() -> None:
    body = '<html><body><p>The señor in the old market of Marl sells crème, naïve toys and mañana.</p></body></html>'
    assert (
        'señor in the old market of Marl sells crème, naïve toys and mañana'
        in content.read(body.encode('cp1252')).markdown
    )
