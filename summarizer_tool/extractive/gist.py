"""What a statement is worth to an overview, for which nothing was asked: as it leads in, binds, or stands alone."""

from collections.abc import Sequence
from dataclasses import replace

import regex

from summarizer_tool.extractive.statement import Kind, Statement
from summarizer_tool.text import scoring

QUOTED_WEIGHT = 0.7
"""Weight of what somebody says in quotation marks, for the gist: a text tells what it is about, its people talk."""

TURNED_WEIGHT = 0.4
"""Weight of what a text tells of only to turn it down, for the gist."""

POINTING_WEIGHT = 0.5
"""Weight of what points to something that stands elsewhere in the text, for the gist."""

ASKING_WEIGHT = 0.2
"""Weight of a question without an answer, for the gist."""

SUMMING_UP_WEIGHT = 4.0
"""Weight of what stands in a summary that the text has itself, for the gist."""

SUMMING_UP_IMPORTANCE = 4
"""What it matters to the whole."""

OF_PARAGRAPH = 1.5
"""Weight of what a paragraph begins with, for the gist."""

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
_LICENCE = regex.compile(r'\b(?:copyright(?: notice)?|licen[cs]e|licensing|legal notices?|disclaimer)$', regex.I)
_NARRATES = regex.compile(r'["“”„«»「」]|\b(?:he|she|his|her|him)\b', regex.IGNORECASE)
_TOLD = regex.compile(r'\b(?:I|he|she|they|had|did|would|could)\b', regex.IGNORECASE)
_QUOTE = regex.compile(r'["“”„«»「」]')
_POINTS = regex.compile(
    r'^(?:Additionally|Also|Alternatively|As (?:a result|we)|But|Consequently|Finally|For (?:example|instance)'
    r'|Furthermore|Hence|However|In (?:addition|contrast|other words|short)|Likewise|Moreover|Otherwise|Similarly|So'
    r'|Then|Therefore|Thus|(?:To|If|When|Once|By|After|Before) (?:\p{Ll}+ )?(?:it|they|them|this)'
    r'|Aber|Allerdings|Auch|Außerdem|Da(?:bei|durch|für|gegen|her|mit|nach|von|zu)|Das (?:bedeutet|heißt|ist|war)|Denn'
    r'|Des(?:halb|wegen)|Dies(?:e[mnrs]?)?|Doch|Ebenso|Jedoch|Stattdessen|Trotzdem|Und|Zudem|Zum Beispiel'
    r'|Ainsi|Ce(?:la|pendant|tte|s)?|Donc|De même|En effet|Et|Mais|Par exemple|Toutefois'
    r'|A su vez|Además|Ahora bien|Asimismo|Est[aeo]s?|Pero|Por (?:ejemplo|eso|lo tanto)|Sin embargo|También|Y)\b'
    r'|^(?:也就是说|因为|因此|所以|但是?|然而|例如|此外|另外|つまり|しかし|たとえば|例えば|また、|そのため|これ)'
    r'|\b(?:about|by|for|from|of|to|with) this(?= (?:by|in|is|to) |[,.;])'
    r'|\b(?:how this|do(?:ing)? (?:so|this)|this way)\b|\binstead\.$'
    r'|\b(?:[Ii]n|[Ff]rom|[Oo]f|[Ff]or) this (?:case|example|model)\b'
    r'|\b(?:above|aforementioned|former|latter)\b(?! (?:all|average|\d))'
    r'|\b(?:get|go) there\b|\b(?:these|those|[Tt]he (?:following|next|previous|two|three|same)|such an?) \p{L}'
)


def importance(statement: Statement, *, hangs_together: bool) -> int:
    """How much a fact matters to the whole, 1 to 5, where it binds nobody."""
    is_summing_up = statement.is_summing_up and statement.kind is Kind.PROSE and not hangs_together
    return SUMMING_UP_IMPORTANCE if is_summing_up else statement.kind.importance


def share_of_gist(statement: Statement, *, hangs_together: bool) -> float:
    """What a statement is worth where nothing was asked for, against one that tells by itself what holds.

    Where all hangs together, as in stories and talk, nothing tells much by itself.
    """
    share = QUOTED_WEIGHT if _QUOTE.search(statement.text) else 1.0
    share *= TURNED_WEIGHT if statement.is_turned else 1.0
    if not hangs_together:
        share *= (
            POINTING_WEIGHT if not (statement.is_opening or statement.lead) and _POINTS.search(statement.text) else 1.0
        )
        share *= ASKING_WEIGHT if statement.text.endswith('?') else 1.0
        share *= SUMMING_UP_WEIGHT if statement.is_summing_up else 1.0
    return share


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
        and (each.lead or not _POINTS.match(each.text))
        and not each.is_turned
        and not _LICENCE.search(headings[each.section])
    ]
    fits = sum(map(len, texts)) <= CHARACTERS_PER_TOKEN * target_tokens
    return frozenset(texts if fits else ())


def is_story(texts: Sequence[str]) -> bool:
    """Return whether what a text says tells a story, whose sentences hang together."""
    return sum(_NARRATES.search(text) is not None for text in texts) > STORY * len(texts)


def placed(found: Sequence[Statement], *, begins: bool) -> list[Statement]:
    """Statements with their prominence: a paragraph begins with what it is about, and so does a text.

    Args:
        found: The statements, in order.
        begins: Whether the text begins with them.
    """
    length = sum(len(each.text) for each in found) or 1
    above: list[Statement] = []
    before, paragraph = 0, (-1, -1)
    for each in found:
        prominence = scoring.beginning(before / length) if begins else 1.0
        if (each.section, each.paragraph) != paragraph:
            prominence *= OF_PARAGRAPH
            paragraph = each.section, each.paragraph
        above.append(replace(each, prominence=prominence))
        before += len(each.text)
    return above
