"""What the tests of whole researches share."""

from collections.abc import Iterator

import pytest

from tests.proofs.research.zone import World, world


@pytest.fixture
def zone() -> Iterator[World]:
    """A site with a zone, and a provider that answers as well-behaved models would."""
    with world() as running:
        yield running
