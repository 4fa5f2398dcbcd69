"""What the sources of a request say: the statements that stand, those they put out of date, and what binds."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from summarizer_tool import prompts
from summarizer_tool.extractive import gist
from summarizer_tool.extractive.outline import LEGAL, outlined
from summarizer_tool.extractive.statement import HeadingSection, Kind, Statement
from summarizer_tool.extractive.statements import statements
from summarizer_tool.extractive.under_headings import under_headings
from summarizer_tool.prompts import NumberedLine
from summarizer_tool.text import scoring, tokens
from summarizer_tool.text.scoring import Aim
from summarizer_tool.text.superseding import depth, superseded


@dataclass(frozen=True, slots=True)
class SourceStatements:
    """What the sources of a request say."""

    statements: Sequence[Statement]
    """In order; their `section` is an index of `headings`."""
    headings: Sequence[str]
    """Of each section, the two innermost."""
    former: Sequence[tuple[Statement, str]]
    """What a later statement puts out of date, each with the text of that one."""
    binding: frozenset[str]
    """The texts that bind their readers, where nothing was asked for."""
    is_story: bool


def read(request: prompts.ParsedRequest, aim: Aim, target_tokens: int) -> SourceStatements:
    """Read the numbered lines of all sources."""
    found: list[Statement] = []
    headings: list[str] = []
    former: list[tuple[Statement, str]] = []
    before = 0
    for source in request.sources:
        said, sections = outlined(source.lines, source.path)
        if not said:
            said, sections = statements(source.lines, source.path)
            said = under_headings(said, sections)
        count = len(said)
        if len(source.path) < 2:  # under the title alone: the text begins here
            tells = len(sections) > 1 or gist.is_story([each.text for each in said])
            said = _with_opening(said, is_gist=aim is Aim.GIST and tells)
        titles = [' '.join(section.titles[-2:]) for section in sections]
        if aim is Aim.GIST and len(source.path) < 2:
            said = gist.placed(said)
        said, outdated = _standing(said, sections, source.lines)
        former += outdated
        if headings:  # of a source before
            said = [
                replace(
                    each, section=each.section + len(headings), thing=each.thing + before if each.thing >= 0 else -1
                )
                for each in said
            ]
        found += said
        headings += titles
        before += count
    found = [statement for statement in found if _says_something(statement)] or found
    found = [_sayable(statement, target_tokens, aim) for statement in found]
    is_story = aim is Aim.GIST and gist.is_story([each.text for each in found])
    may_bind = aim is Aim.GIST and not is_story
    binding = gist.binding(found, target_tokens) if may_bind else frozenset[str]()
    found = found if aim is Aim.ANSWER else _solid(found, target_tokens)
    return SourceStatements(found, headings, former, binding, is_story)


def _with_opening(said: list[Statement], *, is_gist: bool) -> list[Statement]:
    """The statements of the beginning of a text, the one that tells what the text is about marked as such.

    Where names were asked for it is looked for below a heading, since those of a title are said first.
    """
    for place, each in enumerate(said[:_OPENING]):
        if each.lead or LEGAL.search(each.text):
            continue
        if each.is_sentence if is_gist else each.section and each.kind is Kind.PROSE:
            kind = Kind.PROSE if each.kind is Kind.FRAGMENT else each.kind
            said[place] = replace(each, is_opening=True, kind=kind)
            break
    return said


def _standing(
    said: list[Statement], sections: Sequence[HeadingSection], lines: Sequence[NumberedLine]
) -> tuple[list[Statement], list[tuple[Statement, str]]]:
    """The statements without those that a later one puts out of date; and these, each with what stands instead."""
    claims = [index for index, each in enumerate(said) if each.kind in (Kind.PROSE, Kind.LIST, Kind.FRAGMENT)]
    quoted = {line.number: depth(line.text) for line in lines}
    later_of = superseded(
        [said[index].said(said[index].text) for index in claims],
        [
            f'{"> " * quoted.get(said[index].evidence[0], 0)}{" / ".join(sections[said[index].section].titles)}'
            for index in claims
        ],
    )
    former: list[tuple[Statement, str]] = []
    for place, later in later_of.items():
        while later in later_of:
            later = later_of[later]
        newest = said[claims[later]]
        former.append((said[claims[place]], newest.said(newest.text)))
    outdated = {claims[place] for place in later_of}
    return [each for index, each in enumerate(said) if index not in outdated], former


def _says_something(statement: Statement) -> bool:
    """Return whether a statement has words of content or a number, and is no number or title alone."""
    text = statement.text
    is_title = statement.kind is Kind.FRAGMENT and text.isupper() and text.endswith('.')
    if is_title or not (statement.lead or any(map(str.isalpha, text))):
        return False
    return len(text) >= 40 or any(map(str.isdigit, text)) or len(scoring.content_words(text)) >= _LEAST_CONTENT


def _sayable(statement: Statement, target_tokens: int, aim: Aim) -> Statement:
    """A statement, its end left out where it can never be said, or, if nothing was asked for, little else could be."""
    limit = min(target_tokens, max(_LARGE, target_tokens // _PART)) if aim is Aim.GIST else target_tokens
    if tokens.fits(statement.said(statement.text), limit):
        return statement
    begun = tokens.truncate(statement.text, limit * 3 // 4)
    end = max(map(begun.rfind, _CLAUSE_ENDS)) + 1
    whole = begun[:end] if 2 * end > len(begun) else begun.rpartition(' ')[0]
    return replace(statement, text=f'{whole.rstrip() or begun} …')


def _solid(found: list[Statement], target_tokens: int) -> list[Statement]:
    """The statements without references and lines of code, and without scraps where the others fill the room."""
    found = [each for each in found if each.kind not in (Kind.REFERENCE, Kind.CODE)] or found
    solid = [each for each in found if each.kind not in _SCRAPS]
    return solid if sum(len(each.text) for each in solid) > gist.CHARACTERS_PER_TOKEN * target_tokens else found


_OPENING = 50
"""Statements among which a text says what it is about."""
_LARGE, _PART = 160, 4
"""Tokens that a statement may take, or this part of a larger target."""
_CLAUSE_ENDS = (', ', '; ', ': ', ' | ', '，', '；', '、')
_SCRAPS = (Kind.FRAGMENT, Kind.COMMENT)
_LEAST_CONTENT = 2
"""Words with a meaning, below which a statement says nothing: "Right.", "Mm-hmm, okay."."""
