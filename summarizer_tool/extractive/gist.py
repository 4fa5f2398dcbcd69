"""What a statement is worth to an overview, for which nothing was asked: as it leads in, binds, or stands alone."""

from collections.abc import Sequence
from dataclasses import replace

import regex

from summarizer_tool.extractive.outline import LEGAL
from summarizer_tool.extractive.pointing_back import POINTS_BACK
from summarizer_tool.extractive.statement import Statement
from summarizer_tool.extractive.under_headings import TURNS
from summarizer_tool.text import scoring

QUOTED_WEIGHT = 0.7
"""Weight of what somebody says in quotation marks, for the gist: a text tells what it is about, its people talk."""

POINTING_WEIGHT = 0.5
"""Weight of what points back to something that it is not said with, for the gist."""

OF_PARAGRAPH = 1.5
"""Weight of what a paragraph begins with, for the gist."""

OF_ITSELF = 0.2
"""The same of what a text says of its licence, of who has written it, and how it came about."""

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
# Below it a text speaks of itself.
_ITSELF = regex.compile(
    r'\b(?:copyright(?: notice)?|licen[cs]e|licensing|legal notices?|disclaimer|status of this (?:document|memo)'
    r'|acknowledge?ments?|affiliations|author contributions|(?:how to )?cite this .{1,20}'
    r'|(?:conflicts? of|competing) interests?)$',
    regex.IGNORECASE,
)
_LICENCES = regex.compile(r'licen[cs]', regex.IGNORECASE)
_NARRATES = regex.compile(r'["“”„«»「」]|\b(?:he|she|his|her|him)\b', regex.IGNORECASE)
_TOLD = regex.compile(r'\b(?:I|he|she|they|had|did|would|could)\b', regex.IGNORECASE)
_QUOTE = regex.compile(r'["“”„«»「」]')


def share_of_gist(statement: Statement, *, hangs_together: bool) -> float:
    """What a statement is worth where nothing was asked for, against one that tells by itself what holds.

    Where all hangs together, as in stories and talk, nothing tells much by itself.
    """
    share = QUOTED_WEIGHT if _QUOTE.search(statement.text) else 1.0
    is_free = statement.is_opening or statement.lead or hangs_together
    return share if is_free or not POINTS_BACK.match(statement.text) else share * POINTING_WEIGHT


def binds(text: str) -> bool:
    """Return whether a statement tells its readers what to do, or what was decided, rather than a story."""
    is_told = _QUOTE.search(text) or _TOLD.search(text)
    return _BINDING.search(text) is not None and not is_told


def binding(
    found: Sequence[Statement], headings: Sequence[str], target_tokens: int, *, is_story: bool
) -> frozenset[str]:
    """The texts of the statements that bind their readers, of a story none; none where all of a text are rules."""
    texts = [
        each.text
        for each in found
        if not is_story
        and binds(each.said(each.text))
        and (each.lead or not POINTS_BACK.match(each.text))
        and not TURNS.match(each.lead)
        and not _ITSELF.search(headings[each.section])
    ]
    fits = sum(map(len, texts)) <= CHARACTERS_PER_TOKEN * target_tokens
    return frozenset(texts if fits else ())


def is_story(texts: Sequence[str]) -> bool:
    """Return whether what a text says tells a story, whose sentences hang together."""
    return sum(_NARRATES.search(text) is not None for text in texts) > STORY * len(texts)


def placed(found: Sequence[Statement], headings: Sequence[str], *, begins: bool) -> list[Statement]:
    """Statements with their prominence: a paragraph begins with what it is about, and so does a text.

    Args:
        found: The statements, in order.
        headings: Of each section.
        begins: Whether the text begins with them.
    """
    length = sum(len(each.text) for each in found) or 1
    is_subject = begins and _LICENCES.search(' '.join(headings[:2])) is not None
    above: list[Statement] = []
    before, paragraph = 0, (-1, -1)
    for each in found:
        prominence = scoring.beginning(before / length) if begins else 1.0
        if (each.section, each.paragraph) != paragraph:
            prominence *= OF_PARAGRAPH
            paragraph = each.section, each.paragraph
        if not is_subject and (LEGAL.search(each.text) or _ITSELF.search(headings[each.section])):
            prominence = OF_ITSELF
        above.append(replace(each, prominence=prominence))
        before += len(each.text)
    return above
