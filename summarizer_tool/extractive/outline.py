"""The outline of source code: what it declares, each with its signature and the first sentence of what is said of it.

A lexer tells code from what stands in strings and comments, in whatever language it is; see `text.code_lines`.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import accumulate, groupby, takewhile
from typing import TYPE_CHECKING

import regex
from pygments.lexers import get_lexer_by_name  # pyright: ignore[reportUnknownVariableType]
from pygments.token import Comment, Error, Keyword, Name, Punctuation, String, Text

from summarizer_tool.extractive.printed import FENCE
from summarizer_tool.extractive.statement import HeadingSection, Kind, Statement
from summarizer_tool.prompts import NumberedLine
from summarizer_tool.text.code_lines import LANGUAGES, language_of, may_be_code
from summarizer_tool.text.lines import one_line
from summarizer_tool.text.sentences import Sentence, ended, is_whole, sentences

if TYPE_CHECKING:
    from pygments.lexer import Lexer

_LEAST_DECLARED = 2
_MOST_DECLARED = 0.4
"""Declarations for each line; what has more is a list of some other kind."""
_LONGEST_LINE = 200
"""Characters of a line of code, on the average and at most ten times that: what is longer nobody has written."""
_MOST_LINES = 16
"""Lines of one signature."""
_MOST_WORDS = 6
"""Words and marks before the brackets of a method."""
_SAMPLE = 120
"""Lines by which a language is told."""
_ERROR = 3
"""What each piece of text that a lexer does not know counts against a declaration."""

_TYPES = frozenset(
    'class enum interface module namespace object protocol record struct trait type union'.split()  # noqa: SIM905
)
_DECLARES = _TYPES | {'def', 'fn', 'fun', 'func', 'function', 'sub'}
_CONTROLS = frozenset(
    """assert await case catch do elif else for foreach if match new raise return switch throw try until
    when while with yield""".split()  # noqa: SIM905
)
LEGAL = regex.compile(
    r'\bcopyright(?: \(c\)| ©|[ :]*\d)|©|\bSPDX-|\b(?:licen[cs]ed|distributed) under\b|\blicen[cs]e information\b'
    r'|\ball rights reserved\b|\bfree software\b|\bredistribut(?:e it|ions? of|ions? and use)\b'
    r'|\bwithout (?:any|even the implied) warranty\b',
    regex.IGNORECASE,
)
_OPENING = regex.compile(r'\s*\{?\s*$')
_HIDDEN = regex.compile(r'(?<!\w)(?:_\w+|#\w+|private|protected|internal)\b')
_QUOTES = regex.compile(r'^[a-zA-Z]{0,2}(?:"""|\'\'\'|"|\')')
_COMMENT_MARKS = regex.compile(
    r'.*[=~_*#-]{5}.*|^\s*/{3}\s*</?\w+>\s*$|^\s*\.\. \w+::.*$'
    r'|^\s*(?:/\*+!?|\*+/|\*+|//+!?|#+!?|--+|;+|%+|[a-zA-Z]{0,2}(?:"""|\'\'\'))?\s*(?:[=~*#-]{2,}\s+)?'
    r'|(?:</\w+>)?(?:\s+[=~*#-]{2,})?\s*(?:\*+/|"""|\'\'\')?\s*$'
)
"""And all of a banner."""


@cache
def _is_of(kind: object, kinds: tuple[object, ...]) -> bool:
    return any(kind in each for each in kinds)  # pyright: ignore[reportOperatorIssue, reportUnknownVariableType]


@dataclass(frozen=True, slots=True)
class _Token:
    kind: object
    text: str

    @property
    def height(self) -> int:
        """How many lines it has, blank ones aside."""
        return sum(1 for line in self.text.splitlines() if line.strip())

    def is_of(self, *kinds: object) -> bool:
        return _is_of(self.kind, kinds)


def outlined(lines: Sequence[NumberedLine], path: Sequence[str] = ()) -> tuple[list[Statement], list[HeadingSection]]:
    """What source code declares and what is said in it, in order, as one section; nothing where the lines are none."""
    named = language_of(path[0]) if path else ''
    found = _Code(lines, named).declarations() if named else []
    if not found and _may_be_code(lines):
        sample = lines[:_SAMPLE]
        code = _Code(lines, max(LANGUAGES, key=lambda each: _Code(sample, each).likeness()))
        found = code.declarations() if _LEAST_DECLARED <= code.likeness() <= _MOST_DECLARED * len(lines) else []
    return found, [HeadingSection(tuple(path), (0,) * len(path))]


def _may_be_code(lines: Sequence[NumberedLine]) -> bool:
    lengths = [len(line.text) for line in lines]
    if max(lengths, default=0) > 10 * _LONGEST_LINE or sum(lengths) > _LONGEST_LINE * len(lines):
        return False
    is_fenced = any(FENCE.match(line.text) for line in lines)
    return not is_fenced and may_be_code([line.text for line in lines])


@cache
def _lexer(language: str) -> 'Lexer':
    return get_lexer_by_name(language)


def _tokens(language: str, lines: Sequence[NumberedLine]) -> dict[int, list[_Token]]:
    """The tokens that begin on a line, by its index."""
    shown = [f'{line.text}\n\n' if line.blank_after else f'{line.text}\n' for line in lines]
    starts = [0, *accumulate(map(len, shown))]
    tokens: dict[int, list[_Token]] = {}
    # Some lexers give the pieces of a comment.
    for (kind, _), run in groupby(_lexer(language).get_tokens_unprocessed(''.join(shown)), _joint):
        (offset, _, value), *more = run
        for _, _, each in more:
            value += each
        if text := value.strip():
            begin = offset + len(value) - len(value.lstrip())
            tokens.setdefault(bisect_right(starts, begin) - 1, []).append(_Token(kind, text))
    return tokens


def _joint(piece: tuple[int, object, str]) -> tuple[object, int]:
    """What the pieces of one comment have in common, and no two other tokens."""
    offset, kind, value = piece
    if kind is String.Doc and not _QUOTES.match(value):
        kind = Comment
    elif kind in (Comment.Preproc, Comment.PreprocFile):
        kind = Punctuation
    return kind, -1 if kind is Comment.Multiline else offset


class _Code:
    """Lines of code as a lexer reads them."""

    def __init__(self, lines: Sequence[NumberedLine], language: str) -> None:
        self.lines = lines
        self.tokens = tokens = _tokens(language, lines)
        self.comments: dict[int, int] = {}
        """The line after the last one of each comment and docstring, by its first line; no notices of licences."""
        begun = end = -1
        for at in sorted(tokens):
            if tokens[at][0].is_of(Comment, String.Doc):
                goes_on = at == end and not lines[at - 1].blank_after and _indent(lines[at]) == _indent(lines[begun])
                begun = begun if goes_on else at
                end = self.comments[begun] = min(at + tokens[at][0].height, len(lines))
        for at, end in [*self.comments.items()]:
            if any(LEGAL.search(line.text) for line in lines[at:end]):
                del self.comments[at]
        self._comment_before = {
            end: at
            for at, end in self.comments.items()
            if not tokens[at][0].is_of(String.Doc) and not lines[end - 1].blank_after
        }

    def likeness(self) -> float:
        """How much lines are like code of the language they are read in: what they declare, and their keywords."""
        every = [token for each in self.tokens.values() for token in each]
        errors, keywords = sum(token.is_of(Error) for token in every), sum(token.is_of(Keyword) for token in every)
        return sum(map(_declares, self.tokens.values())) - _ERROR * errors + keywords / (len(every) + 1)

    def declarations(self) -> list[Statement]:
        """What is declared, and what else is said; nothing where there is no declaration."""
        declared: list[Statement] = []
        hidden = -1  # how far the line stands in below which nothing is public
        for index in sorted(self.tokens):
            here, indent = self.tokens[index], _indent(self.lines[index])
            if not here[0].is_of(Punctuation) and indent <= hidden:  # a bracket alone goes on with what is above it
                hidden = -1
            below = self.tokens.get(index + 1, [])
            if not _declares([*here, *below] if [token.text for token in below] == ['{'] else here):
                if here[0].is_of(Name) and self._has_docstring(self._last_line(index)):  # a field
                    declared.append(self._declaration(index, Kind.COMMENT))
                continue
            is_type = any(token.text in _TYPES for token in here)
            is_hidden = _HIDDEN.search(self.lines[index].text.partition('(')[0]) is not None
            is_public = hidden < 0 and not is_hidden
            found = self._declaration(index, Kind.DECLARATION if is_public else Kind.COMMENT)
            declared.append(replace(found, is_opening=is_type and is_public))
            if hidden < 0 and not (is_public and is_type):
                hidden = indent
        said = '\n'.join(each.text for each in declared)
        remarks = [
            Statement(sentence.text, sentence.evidence, 0, at, Kind.COMMENT)
            for at in (self.comments if declared else ())
            for sentence in self._sentences(at)
            if is_whole(sentence.text) and sentence.text not in said
        ]
        return sorted([*declared, *remarks], key=lambda each: each.paragraph)

    def _declaration(self, index: int, kind: Kind) -> Statement:
        """The declaration that begins on a line, with the first sentence of what is said below or above it."""
        last = self._last_line(index)
        here = range(index, last + 1)
        signed = [self.lines[at] for at in here if at not in self.tokens or not self.tokens[at][0].is_of(Comment)]
        text = _OPENING.sub('', one_line(' '.join(line.text for line in signed)))
        above = next(at for at in range(index, -1, -1) if not at or not _is_annotation(self.lines[at - 1]))
        is_documented = self._has_docstring(last)
        comment = last + 1 if is_documented else self._comment_before.get(above)
        first = None if comment is None else next(iter(self._sentences(comment)), None)
        if first and is_documented:
            quotes = _QUOTES.match(self.tokens[last + 1][0].text)
            text = f'{text} {quotes.group() if quotes else ""}{first.text}'
        elif first:
            text = f'{ended(first.text)} {text}'
        evidence = tuple(sorted({*(line.number for line in signed), *(first.evidence if first else ())}))
        return Statement(text, evidence, 0, index, kind)

    def _has_docstring(self, last: int) -> bool:
        """Return whether a docstring begins below a line."""
        return last + 1 in self.comments and self.tokens[last + 1][0].is_of(String.Doc)

    def _last_line(self, index: int) -> int:
        """The index of the line on which the brackets are closed that are opened from a line on."""
        last, open_brackets = index, 0
        for last in range(index, min(index + _MOST_LINES, len(self.lines))):
            text = ''.join(token.text for token in self.tokens.get(last, ()) if not token.is_of(String, Comment))
            open_brackets += sum(map(text.count, '([')) - sum(map(text.count, ')]'))
            if open_brackets <= 0:
                break
        return last

    def _sentences(self, at: int) -> list[Sentence]:
        """What a comment says, paragraph by paragraph."""
        found: list[Sentence] = []
        paragraph: list[NumberedLine] = []
        for line in self.lines[at : self.comments[at]]:
            if bare := _COMMENT_MARKS.sub('', line.text):
                paragraph.append(replace(line, text=bare))
            if paragraph and (line.blank_after or not bare):
                found += sentences(paragraph)
                paragraph = []
        return [*found, *sentences(paragraph)] if paragraph else found


def _declares(here: Sequence[_Token]) -> bool:
    """Return whether the tokens of a line begin a declaration."""
    if here[0].text in _CONTROLS or here[0].is_of(Comment, String):
        return False
    for token, following, third in zip(here, (*here[1:], None), (*here[2:], None, None), strict=False):
        if token.is_of(Name.Function):
            return True
        if following and token.is_of(Keyword) and token.text in _DECLARES:
            is_used = third is not None and (third.is_of(Name) or third.text[0] in '*;')  # `struct tm now;`
            return following.text[0] == '(' or (following.is_of(Name) and not (following.is_of(Name.Class) and is_used))
        if not _is_of_signature(token) or token.text in _CONTROLS:
            break
    # A method in a language that has no word for it: `async read(id) {`.
    text = ''.join(token.text for token in here)
    if not text.endswith('{') or text.count('(') != text.count(')'):
        return False
    if here[0].is_of(Text):  # a function of a shell
        return ''.join(token.text for token in here[1:3]) == '()'
    # The bracket may be a part of a name: a variable of a shell.
    words = sum(1 for _ in takewhile(_is_of_signature, here[:-1]))
    return (
        0 < words < _MOST_WORDS
        and here[words].text[0] == '('
        and here[words - 1].text not in (*_CONTROLS, 'synchronized')
    )


def _is_of_signature(token: _Token) -> bool:
    """Return whether a token may stand before the name of what is declared: a word, or the mark of a pointer."""
    return token.is_of(Keyword, Name, Text) or token.text in ('*', '&')


def _indent(line: NumberedLine) -> int:
    return len(line.text) - len(line.text.lstrip())


def _is_annotation(line: NumberedLine) -> bool:
    """Return whether a line says something about the declaration below it: `@Override`, `#[test]`, `[Obsolete]`."""
    text = line.text.strip()
    return text.startswith(('@', '#[')) or (text[:1] == '[' and text[-1:] == ']')
