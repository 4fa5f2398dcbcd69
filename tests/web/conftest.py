"""The server that pages are fetched from, and the names that it has."""

import socket
from collections.abc import Iterator

import pytest

from tests.support.fetched_site import Names, Site, serve


@pytest.fixture(scope='module')
def server() -> Iterator[Site]:
    with serve() as (site, _):
        yield site


@pytest.fixture
def site(server: Site) -> Site:
    server.requests.clear()
    server.lost.clear()
    server.streaming.clear()
    return server


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> Names:
    resolver = Names()
    monkeypatch.setattr(socket, 'getaddrinfo', resolver)
    return resolver
