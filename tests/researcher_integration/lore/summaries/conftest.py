"""A server and a store for summaries."""

from collections.abc import Iterator

import pytest

from summarizer_tool import SourceStore
from tests.support import serving
from tests.support.serving import Served


@pytest.fixture(scope='module')
def server() -> Iterator[Served]:
    with serving.serve() as served:
        yield served


@pytest.fixture
def store() -> Iterator[SourceStore]:
    with SourceStore() as opened:
        yield opened
