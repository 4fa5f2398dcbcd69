"""The outline of source code: what it declares, each with its signature and the first sentence of what is said of it.

A lexer tells code from what stands in strings and comments, in whatever language it is; see `text.code_lines`.
"""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import accumulate, groupby, islice
from math import ceil
from typing import TYPE_CHECKING

import regex
from pygments.lexers import get_lexer_by_name  # pyright: ignore[reportUnknownVariableType]
from pygments.token import Comment, Error, Keyword, Name, Operator, Punctuation, String, Text

from summarizer_tool.extractive.statement_reader import HeadingSection, Kind, Statement
from summarizer_tool.prompts import NumberedLine
from summarizer_tool.text.code_lines import CODE_SHARE, LANGUAGES, is_code, language_of
from summarizer_tool.text.lines import one_line
from summarizer_tool.text.sentences import Sentence, ended, is_whole, sentences

if TYPE_CHECKING:
    from pygments.lexer import Lexer

_LEAST_DECLARED = 2
_MOST_DECLARED = 0.4
"""Declarations for each line; what has more is a list of some other kind."""
_SAMPLE_LINES = 200
_LONGEST_LINE = 200
"""Characters of a line of code, on the average and at most ten times that: what is longer nobody has written."""
_MOST_LINES = 16
"""Lines of one signature."""
_ERROR = 3
"""What each piece of text that a lexer does not know counts against a declaration."""

_FENCE = regex.compile(r'^ {0,3}(?:```|~~~)')
_TYPES = frozenset(
    'class enum interface module namespace object protocol record struct trait type union'.split()  # noqa: SIM905
)
_DECLARES = _TYPES | {'def', 'fn', 'fun', 'func', 'function', 'sub'}
_CONTROLS = frozenset('if for foreach while switch catch return else elif with try do match case when until'.split())  # noqa: SIM905
_LEGAL = regex.compile(
    r'\bcopyright(?: \(c\)| ©|[ :]*\d)|©|\bSPDX-|\b(?:licen[cs]ed|distributed) under\b|\blicen[cs]e information\b'
    r'|\ball rights reserved\b|\bfree software\b|\bredistributions? (?:of|and use)\b',
    regex.IGNORECASE,
)
_OPENING = regex.compile(r'\s*\{?\s*$')
_HIDDEN = regex.compile(r'(?<!\w)(?:_\w+|#\w+|private|protected|internal)\b')
_QUOTES = regex.compile(r'^[a-zA-Z]{0,2}(?:"""|\'\'\'|"|\')')
_COMMENT_MARKS = regex.compile(
    r'.*[=~_*#-]{5}.*|^\s*(?:/\*+!?|\*+/|\*+|//+!?|#+!?|--+|;+|%+|[a-zA-Z]{0,2}(?:"""|\'\'\'))?\s*(?:[=~*#-]{2,}\s+)?'
    r'|(?:\s+[=~*#-]{2,})?\s*(?:\*+/|"""|\'\'\')?\s*$'
)
"""And all of a banner."""


@dataclass(frozen=True, slots=True)
class _Token:
    kind: object
    text: str
    line: int
    """Index of the line that it begins on."""

    @property
    def height(self) -> int:
        """How many lines it has, blank ones aside."""
        return sum(1 for line in self.text.splitlines() if line.strip())

    def is_of(self, *kinds: object) -> bool:
        return any(self.kind in kind for kind in kinds)  # pyright: ignore[reportOperatorIssue, reportUnknownVariableType]


@dataclass(frozen=True, slots=True)
class _Scope:
    """What a line stands in."""

    indent: int
    is_type: bool
    """Or else a function."""
    is_public: bool
    """Whether what stands in it may be used from elsewhere."""


TokensOfLines = Mapping[int, Sequence[_Token]]
"""The tokens that begin on a line, by its index."""


def outlined(lines: Sequence[NumberedLine], path: Sequence[str] = ()) -> tuple[list[Statement], list[HeadingSection]]:
    """What source code declares and what is said in it, in order, as one section; nothing where the lines are none."""
    named = language_of(path[0]) if path else ''
    found = _declarations(_tokens(named, lines), lines) if named else []
    if not found and _may_be_code(lines):
        language = _language(lines[:_SAMPLE_LINES])
        found = _declarations(_tokens(language, lines), lines) if language else []
    return found, [HeadingSection(tuple(path), (0,) * len(path))]


def _may_be_code(lines: Sequence[NumberedLine]) -> bool:
    lengths = [len(line.text) for line in lines]
    if max(lengths, default=0) > 10 * _LONGEST_LINE or sum(lengths) > _LONGEST_LINE * len(lines):
        return False
    if any(_FENCE.match(line.text) for line in lines):
        return False
    left = len(lines) - ceil(CODE_SHARE * len(lines))
    others = (line for line in lines if not is_code(line.text[:_LONGEST_LINE]))
    return sum(1 for _ in islice(others, left + 1)) <= left


def _language(sample: Sequence[NumberedLine]) -> str:
    """The language whose lexer finds most declarations in a sample and fewest errors; none where it is no code.

    Of several the one that knows most of its words.
    """
    best, most = '', (0, 0)
    for language in LANGUAGES:
        tokens = _tokens(language, sample)
        errors = sum(token.is_of(Error) for each in tokens.values() for token in each)
        known = len({token.text for each in tokens.values() for token in each if token.is_of(Keyword)})
        declared = sum(_declares(each) for each in tokens.values()) - _ERROR * errors
        if _LEAST_DECLARED <= declared <= _MOST_DECLARED * len(sample) and (declared, known) > most:
            best, most = language, (declared, known)
    return best


@cache
def _lexer(language: str) -> 'Lexer':
    return get_lexer_by_name(language)


def _tokens(language: str, lines: Sequence[NumberedLine]) -> TokensOfLines:
    shown = [f'{line.text}\n\n' if line.blank_after else f'{line.text}\n' for line in lines]
    starts = [0, *accumulate(map(len, shown))]
    tokens: dict[int, list[_Token]] = {}
    # Some lexers give the pieces of a comment.
    pieces = groupby(_lexer(language).get_tokens_unprocessed(''.join(shown)), lambda piece: _joint(*piece))
    for (kind, _), run in pieces:
        (offset, _, first), *others = run
        value = ''.join((first, *(each for _, _, each in others)))
        if text := value.strip():
            offset += len(value) - len(value.lstrip())
            line = bisect_right(starts, offset) - 1
            tokens.setdefault(line, []).append(_Token(kind, text, line))
    return tokens


def _joint(offset: int, kind: object, value: str) -> tuple[object, int]:
    """What the pieces of one comment have in common, and no two other tokens."""
    if kind is String.Doc and not _QUOTES.match(value):
        kind = Comment
    elif kind in (Comment.Preproc, Comment.PreprocFile):
        kind = Punctuation
    return kind, -1 if kind is Comment.Multiline else offset


def _declarations(tokens: TokensOfLines, lines: Sequence[NumberedLine]) -> list[Statement]:
    tokens = _without_legal_notices(tokens, lines)
    declared: list[Statement] = []
    around: list[_Scope] = []
    end = -1
    for index in sorted(tokens):
        indent = _indent(lines[index])
        if not tokens[index][0].is_of(Punctuation):  # a bracket alone goes on with what is above it
            around = [scope for scope in around if scope.indent < indent]
        is_inside = not all(scope.is_type for scope in around)
        if _declares(tokens[index]):
            is_type = any(token.text in _TYPES for token in tokens[index])
            is_public = _is_public(lines[index], around)
            around.append(_Scope(indent, is_type, is_public and is_type))
            found = _declaration(tokens, lines, index, Kind.DECLARATION if is_public else Kind.COMMENT)
            declared.append(replace(found, is_opening=is_type and is_public))
        elif index > end and not is_inside and _is_member(tokens, lines, index, is_in_type=bool(around)):
            kind = Kind.MEMBER if _is_public(lines[index], around) else Kind.COMMENT
            declared.append(_declaration(tokens, lines, index, kind))
        if index > end and not is_inside:
            end = _last_line(tokens, lines, index)
    said = '\n'.join(each.text for each in declared)
    if not declared:
        return []
    remarks = [
        Statement(sentence.text, sentence.evidence, 0, index, Kind.COMMENT)
        for index in sorted(tokens)
        if tokens[index][0].is_of(Comment, String.Doc)
        for sentence in _sentences(tokens[index][0], lines)
        if is_whole(sentence.text) and sentence.text not in said
    ]
    return sorted([*declared, *remarks], key=lambda each: each.paragraph)


def _without_legal_notices(tokens: TokensOfLines, lines: Sequence[NumberedLine]) -> TokensOfLines:
    """The tokens without the comments that tell who may use the file."""
    left = dict(tokens)
    paragraph: list[int] = []
    for index in sorted(tokens):
        comment = tokens[index][0]
        if not comment.is_of(Comment):
            paragraph = []
            continue
        paragraph.append(index)
        if _LEGAL.search(comment.text) or (len(paragraph) > 1 and paragraph[-2] not in left):
            for at in paragraph:
                left.pop(at, None)
        if lines[index + comment.height - 1].blank_after:
            paragraph = []
    return left


def _is_public(line: NumberedLine, around: Sequence[_Scope]) -> bool:
    return _HIDDEN.search(line.text.partition('(')[0]) is None and all(scope.is_public for scope in around)


def _is_member(tokens: TokensOfLines, lines: Sequence[NumberedLine], index: int, *, is_in_type: bool) -> bool:
    """Return whether a line that declares no type and no function is one that is documented: a field, a constant."""
    if tokens[index][0].is_of(Comment, String, Punctuation) or tokens[index][0].text in _CONTROLS:
        return False
    last = _last_line(tokens, lines, index)
    around = [last + 1] if last + 1 in tokens and tokens[last + 1][0].is_of(String.Doc) else []
    if is_in_type:  # elsewhere a comment may be about more than the line below it
        around += islice(_comments_above(tokens, lines, index), 1)
    return any(_indent(lines[at]) == _indent(lines[index]) for at in around)


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
        if not token.is_of(Keyword, Name, Text) or token.text in _CONTROLS:
            break
    # A method in a language that has no word for it: `async read(id) {`.
    text = ''.join(token.text for token in here)
    if not text.endswith('{') or text.count('(') != text.count(')'):
        return False
    if here[0].is_of(Text):  # a function of a shell
        return ''.join(token.text for token in here[1:3]) == '()'
    return here[0].is_of(Name, Keyword) and any(token.text[0] == '(' for token in here[1:4])


def _declaration(tokens: TokensOfLines, lines: Sequence[NumberedLine], index: int, kind: Kind) -> Statement:
    """The declaration that begins on a line, with the first sentence of what is said below or above it."""
    last = _last_line(tokens, lines, index)
    # What a function returns may stand on the line above it.
    if index and _indent(lines[index - 1]) == _indent(lines[index]) and _is_type(tokens.get(index - 1, ())):
        index -= 1
    signed = lines[index : last + 1]
    signature = _OPENING.sub('', one_line(' '.join(line.text for line in signed)))
    below = next(iter(tokens.get(last + 1, ())), None)
    above = [*_comments_above(tokens, lines, index)]
    if below is not None and below.is_of(String.Doc):
        first = next(iter(_sentences(below, lines)), None)
        quotes = _QUOTES.match(below.text)
        text = f'{signature} {quotes.group() if quotes else ""}{first.text}' if first else signature
    else:
        first = next((each for at in reversed(above) for each in _sentences(tokens[at][0], lines)), None)
        text = f'{ended(first.text)} {signature}' if first else signature
    evidence = tuple(sorted({*(line.number for line in signed), *(first.evidence if first else ())}))
    return Statement(text, evidence, 0, index, kind)


def _last_line(tokens: TokensOfLines, lines: Sequence[NumberedLine], index: int) -> int:
    """The index of the line on which the brackets are closed that are opened from a line on."""
    last, open_brackets = index, 0
    for last in range(index, min(index + _MOST_LINES, len(lines))):
        text = ''.join(token.text for token in tokens.get(last, ()) if not token.is_of(String, Comment))
        open_brackets += sum(map(text.count, '([')) - sum(map(text.count, ')]'))
        if open_brackets <= 0:
            break
    return last


def _indent(line: NumberedLine) -> int:
    return len(line.text) - len(line.text.lstrip())


def _is_type(here: Sequence[_Token]) -> bool:
    """Return whether a line consists of a type and words that qualify it."""
    return bool(here) and all(
        (token.is_of(Keyword, Name) and not token.is_of(Name.Decorator) and token.text not in _CONTROLS)
        or (token.is_of(Operator) and token.text in '*&')
        for token in here
    )


def _comments_above(tokens: TokensOfLines, lines: Sequence[NumberedLine], index: int) -> Iterator[int]:
    """The lines on which the comments right above a line begin, from below."""
    while (at := next((at for at in range(index - 1, -1, -1) if at in tokens), None)) is not None:
        last = at + tokens[at][0].height - 1
        if not tokens[at][0].is_of(Comment) or last + 1 != index or lines[last].blank_after:
            return
        yield at
        index = at


def _sentences(token: _Token, lines: Sequence[NumberedLine]) -> list[Sentence]:
    """What a comment says, paragraph by paragraph."""
    found: list[Sentence] = []
    paragraph: list[NumberedLine] = []
    for line in lines[token.line : token.line + token.height]:
        if bare := _COMMENT_MARKS.sub('', line.text):
            paragraph.append(replace(line, text=bare))
        if paragraph and (line.blank_after or not bare):
            found += sentences(paragraph)
            paragraph = []
    return [*found, *sentences(paragraph)] if paragraph else found
