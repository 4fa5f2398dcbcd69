"""Servers that the tests of selections share."""

from collections.abc import Iterator

import pytest

from tests.support.mcp_sites import Sites, archive_server, counted, harbour_server


@pytest.fixture(scope='module')
def running() -> Iterator[Sites]:
    with counted(harbour_server()) as harbour, counted(archive_server()) as archive:
        yield Sites(harbour, archive)


@pytest.fixture
def sites(running: Sites) -> Sites:
    running.harbour.requests = running.archive.requests = 0
    return running
