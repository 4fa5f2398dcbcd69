"""What keeps others out of the server: tokens that no clock tells, and how much a request may hold."""

import hmac

import httpx2
import pytest

from summarizer_tool.server.front import is_loopback
from summarizer_tool.server.http import token_in
from tests.support import serving


@pytest.mark.parametrize('given', [b'first', b'second', b'third', b'f', b''])
def test_tokens_are_compared_in_constant_time(given: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of them, whichever fits, by the one comparison that takes as long wherever they differ."""
    compared: list[tuple[bytes, bytes]] = []

    class Guarded(bytes):
        """A token that cannot be compared in any other way."""

        def __eq__(self, other: object) -> bool:
            raise AssertionError('compared by ==, which takes longer the more is right')

        __hash__ = bytes.__hash__

    def compare(token: bytes, other: bytes) -> bool:
        compared.append((bytes(token), other))
        return compare_digest(bytes(token), other)

    compare_digest = hmac.compare_digest
    monkeypatch.setattr(hmac, 'compare_digest', compare)
    opened = token_in(b'Bearer ' + given, [Guarded(b'first'), Guarded(b'second')])
    assert (opened is not None) == (given in (b'first', b'second'))
    assert compared == [(b'first', given), (b'second', given)]


def test_names_and_numbers_of_this_machine() -> None:
    assert all(
        map(is_loopback, ['localhost', '127.0.0.1:8', '127.9.9.9', '::1', '[::1]', '[::1]:8', '::ffff:127.0.0.1'])
    )
    assert not any(
        map(is_loopback, ['', ':8', '0.0.0.0', 'localhost.evil.example', '127.1.evil', '[', 'a:b:c', '10.0.0.1'])
    )


def test_the_size_of_a_request() -> None:
    """A megabyte for all that is not content, and six bytes of JSON for one of text; one byte more is not read."""
    with serving.serve(max_input_mb=0.01) as server:
        headers = {'Accept': 'application/json, text/event-stream', 'Content-Type': 'application/json'}
        statuses = [
            httpx2.post(server.url, content=text * size, headers=headers, timeout=30).status_code
            for text, size in ((b'\\', 6_060_000), (b'\\', 6_060_001), (b' ', 1_010_000), (b' ', 1_010_001))
        ]
    assert statuses == [400, 413, 400, 413]
