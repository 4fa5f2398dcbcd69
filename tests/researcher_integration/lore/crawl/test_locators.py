"""Which addresses mean the same page, and which must not be taken for one another."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summarizer_tool import shown_address as shown
from summarizer_tool import url_key as key_of


@pytest.mark.parametrize(
    ('one', 'other'),
    [
        ('HTTPS://Example.org:443/Wiki/', 'https://example.org/Wiki'),
        ('http://example.org', 'http://example.org/?utm_source=a&fbclid=b#top'),
        ('https://example.org/w?b=2&a=1', 'https://example.org/w?a=1&b=2'),
        ('https://example.org/Gull_(Marsh)', 'https://example.org/Gull_%28Marsh%29'),
        ('https://bücher.example/a', 'https://xn--bcher-kva.example//a'),
        ('https://example.org/d%C3%A9', 'https://example.org/dé'),
    ],
)
def test_ways_to_write_one_address(one: str, other: str) -> None:
    assert key_of(one) == key_of(other)


@pytest.mark.parametrize(
    ('one', 'other'),
    [
        ('https://example.org/wiki', 'https://example.org/Wiki'),
        ('https://example.org/w?game=classic', 'https://example.org/w?game=modern'),
        ('https://example.org/w?keyword=reeve', 'https://example.org/w?keyword=marsh'),
        ('https://example.org/thread?123', 'https://example.org/thread?124'),
        ('https://example.org/w?q=%E9', 'https://example.org/w?q=%E8'),
        ('https://example.org:8443/w', 'https://example.org/w'),
        ('http://[2001:db8:80::1]/', 'http://[2001:db8::1]/'),
    ],
)
def test_addresses_of_two_pages(one: str, other: str) -> None:
    assert key_of(one) != key_of(other)


URL_PARTS = st.text(alphabet='abXé% /.:;?#&=+[]@-_~\\\t\u200b(2', max_size=30)


@given(
    st.one_of(st.text(max_size=60), URL_PARTS.map('https://example.org/{}'.format), URL_PARTS.map('http://{}'.format))
)
def test_a_key_is_its_own_key(url: str) -> None:
    assert key_of(key_of(url)) == key_of(url)


@given(st.one_of(st.text(max_size=60), URL_PARTS.map('http://{}'.format)))
def test_what_is_shown_of_an_address_is_short_and_printable(url: str) -> None:
    text = shown(key_of(url))
    assert len(text) <= 120
    assert text.removesuffix('…').isascii()
    assert text.isprintable()


def test_a_query_is_not_shown() -> None:
    assert shown(key_of('https://Example.org/w?key=hunter2#top')) == 'example.org/w'
