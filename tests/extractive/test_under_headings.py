from inline_snapshot import snapshot

from summarizer_tool.extractive.choosing import summarize_sources
from summarizer_tool.extractive.statements import statements
from summarizer_tool.extractive.under_headings import under_headings
from summarizer_tool.prompts import Focus, NumberedLine, ParsedRequest, PromptSource
from summarizer_tool.text.scoring import MOST_IMPORTANT

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


def _request(text: str, target: int) -> ParsedRequest:
    lines = text.splitlines()
    numbered = [
        NumberedLine(number, line, blank_after=not ''.join(lines[number : number + 1]).strip())
        for number, line in enumerate(lines, 1)
        if line.strip()
    ]
    return ParsedRequest((PromptSource(tuple(numbered)),), Focus(), target, merges=False)


def _told(text: str) -> list[tuple[str, tuple[int, ...]]]:
    said, sections = statements([NumberedLine(*line) for line in enumerate(text.splitlines(), 1)])
    return [(each.said(each.text), each.evidence) for each in under_headings(said, sections)]


def test_what_a_heading_turns_down_is_told_with_it() -> None:
    assert _told(PROPOSAL) == snapshot(
        [
            ('The guild moves all gates by steam from the next year.', (2,)),
            ('Non-Goals: The guild removes the sluice of Orme.', (4, 3)),
            ('Alternatives: The gates are moved by the water of the river alone.', (7, 5)),
        ]
    )


def test_orders_open_a_text_and_stand_with_what_points_back_to_them() -> None:
    text = '\n# Chains\n\nDrop chains of gates (all of them). Instead, each gate needs its own wheel.\n\n## Why\n\nThey broke.\n'
    assert [fact.text for fact in summarize_sources(_request(text, 200), 200).facts] == snapshot(
        ['Drop chains of gates (all of them).']
    )


TRIAL = """# The dusk trial
By Ada Orme · tested over 24 weeks

## Why
Many who live in homes sleep badly, and pills for it help only a bit.
## What did we find?
**Our question: sleep.** The lamps made no difference to anybody. They slept as long as before.

**Falls.** Somebody feared that dark halls would make people fall. They did not.
## The wide lamp
It is light, and beautifully made of oak.

**Verdict:** Only if weight matters more to you than money.
## The small lamp
It is as bright as a candle in the wind.

**Verdict:** Buy it.
"""


def test_what_a_heading_turns_down_binds_nobody() -> None:
    text = '\n# Depots\n\nThe guild moves its depot to Wick.\n\n## Out of scope\n\nThe barges must be sold.\n'
    importance = {fact.text: fact.importance for fact in summarize_sources(_request(text, 200), 200).facts}
    assert importance['Out of scope: The barges must be sold.'] < MOST_IMPORTANT
