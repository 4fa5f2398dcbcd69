"""What a statement is worth to an overview, for which nothing was asked: as it leads in, binds, or stands alone."""

from collections.abc import Sequence
from dataclasses import replace

import regex

from summarizer_tool.extractive.outline import LEGAL
from summarizer_tool.extractive.pointing_back import POINTS_BACK
from summarizer_tool.extractive.statement import Statement
from summarizer_tool.extractive.under_headings import TURNS
from summarizer_tool.text import scoring

QUOTED_WEIGHT = 0.5
"""Weight of what somebody says in quotation marks: a text tells what it is about, its people talk."""

POINTING_WEIGHT = 0.5
"""Weight of what points back to something that it is not said with."""

OF_ITSELF = 0.2
"""Weight of what a text says of its licence."""

STORY = 0.25
"""Share of statements with he, she or quotation marks, above which a text tells a story and binds nobody."""

CHARACTERS_PER_TOKEN = 6
"""A high estimate."""

# A warning, the modal verbs of English, and how it says that something is agreed, wanted or forbidden.
_BINDING = regex.compile(
    r'^(?:\p{Lu}\p{L}+ )?(?i:warning|caution|danger|important|safety notice|achtung|wichtig)[:!] '
    r"|^(?:\p{L}[^:.]{0,40}: )?(?:Never|Always|Do not|Don['’]t)\b|\b(?:must|shall|may not|required|mandatory|forbidden"
    r'|prohibited|not allowed|no longer|from now on|wants|prefers|(?:[Ww]e|was|is|are|were|been) '
    r'(?:agreed|decided|resolved|approved|adopted|rejected))\b'
)
_NARRATES = regex.compile(r'["“”„«»「」]|\b(?:he|she|his|her|him)\b', regex.IGNORECASE)
_QUOTE = regex.compile(r'["“”„«»「」]')


def share_of_gist(statement: Statement, *, hangs_together: bool) -> float:
    """What a statement is worth where nothing was asked for, against one that tells by itself what holds.

    Where all hangs together, as in stories and talk, nothing tells much by itself.
    """
    share = QUOTED_WEIGHT if _QUOTE.search(statement.text) else 1.0
    is_free = statement.is_opening or statement.lead or hangs_together
    return share if is_free or not POINTS_BACK.match(statement.text) else share * POINTING_WEIGHT


def binds(text: str) -> bool:
    """Return whether a statement tells its readers what to do, or what was decided."""
    return _BINDING.search(text) is not None and not _QUOTE.search(text)


def binding(found: Sequence[Statement], target_tokens: int) -> frozenset[str]:
    """The texts of the statements that bind their readers; none where all of a text are rules."""
    texts = [
        each.text
        for each in found
        if binds(each.said(each.text))
        and (each.lead or not POINTS_BACK.match(each.text))
        and not TURNS.match(each.lead)
    ]
    fits = sum(map(len, texts)) <= CHARACTERS_PER_TOKEN * target_tokens
    return frozenset(texts if fits else ())


def is_story(texts: Sequence[str]) -> bool:
    """Return whether what a text says tells a story, whose sentences hang together."""
    return sum(_NARRATES.search(text) is not None for text in texts) > STORY * len(texts)


def placed(found: Sequence[Statement]) -> list[Statement]:
    """The statements of the beginning of a text with their prominence: it begins with what it is about."""
    length = sum(len(each.text) for each in found) or 1
    above: list[Statement] = []
    before = 0
    for each in found:
        prominence = OF_ITSELF if LEGAL.search(each.text) else scoring.beginning(before / length)
        above.append(replace(each, prominence=prominence))
        before += len(each.text)
    return above
