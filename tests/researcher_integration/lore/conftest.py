"""What the tests of whole researches share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.proofs.research.zone import World, world


@pytest.fixture
def zone() -> Iterator[World]:
    """A site with a zone, and a provider that answers as well-behaved models would."""
    with world() as running:
        yield running


@pytest.fixture
def pages(tmp_path: Path) -> list[Path]:
    """Two small pages and one that is larger than a small window has room for."""
    texts = {
        'weir.md': '# Hob’s Weir\n\nHob’s Weir is a village of the zone. Reeve Odile Sarn rules it since 412.\n',
        'circle.md': '# The Ash Circle\n\nThe Ash Circle is a faction. Odile Sarn leads the guild, whose seat is Pyre Hall.\n',
        'tale.md': '# The long history\n\n'
        + '\n\n'.join(
            f'In the year {year} the war came to the {year % 7}th dyke, and Captain Brannoc Tull of Hob’s Weir lost {year} ships.'
            for year in range(100, 340)
        ),
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding='utf-8')
    return [tmp_path / name for name in texts]
