from inline_snapshot import snapshot

from summarizer_tool.extractive.statements import statements
from summarizer_tool.extractive.under_headings import under_headings
from summarizer_tool.prompts import NumberedLine

PROPOSAL = """# Gates by steam
The guild moves all gates by steam from the next year.
## Non-Goals
The guild removes the sluice of Orme.
## Alternatives
### Water
The gates are moved by the water of the river alone."""

CHANGES = """# v3
## Features
- The gate opens by itself when a ship comes near.
- Bell; lamp
## Fixed
The lock holds in winter, too.
# v2
## Features
- The gate has a second wheel, which v2 needs.
# Thanks
The guild thanks Ada Brook for all of it."""


def _told(text: str) -> list[tuple[str, tuple[int, ...], bool]]:
    said, sections = statements([NumberedLine(*line) for line in enumerate(text.splitlines(), 1)])
    return [(each.said(each.text), each.evidence, each.is_turned) for each in under_headings(said, sections)]


def test_what_a_heading_turns_down_is_told_with_it() -> None:
    assert _told(PROPOSAL) == snapshot(
        [
            ('The guild moves all gates by steam from the next year.', (2,), False),
            ('Non-Goals: The guild removes the sluice of Orme.', (4, 3), True),
            ('Alternatives: The gates are moved by the water of the river alone.', (7, 5), True),
        ]
    )


def test_what_stands_under_headings_that_are_alike_is_told_with_the_one_above() -> None:
    assert _told(CHANGES) == snapshot(
        [
            ('v3: The gate opens by itself when a ship comes near.', (3, 1), False),
            ('v3: Features: Bell; lamp', (4, 2, 1), False),
            ('v3: The lock holds in winter, too.', (6, 1), False),
            ('The gate has a second wheel, which v2 needs.', (9,), False),
            ('The guild thanks Ada Brook for all of it.', (11,), False),
        ]
    )
