"""Cut running text into sentences, each with the numbers of the lines it stands on, and tell which are whole."""

import html
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, cast

import regex
from sentencex import get_sentence_boundaries  # pyright: ignore[reportMissingTypeStubs, reportAttributeAccessIssue, reportUnknownVariableType]

from summarizer_tool.text import names
from summarizer_tool.text.abbreviations import is_abbreviated
from summarizer_tool.text.lines import CLOSE, HAS_SPACELESS, SPACELESS, one_line

if TYPE_CHECKING:
    from summarizer_tool.prompts import NumberedLine

MAX_WORDS = 48
"""Words of a line that are taken where there is no time to read it."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence as it stands in its text."""

    text: str
    evidence: tuple[int, ...]
    """Numbers of the lines it stands on."""


# Every repetition is bounded: a line of a million brackets or stars costs no more than any other.
_IMAGE = regex.compile(r'!\[([^\[\]]{0,300})\]\([^()]{0,500}\)')
_LINK = regex.compile(
    r'\[(?!\d{1,3}\]\[\d)((?>[^\[\]]|\[[^\[\]]{0,100}\]){1,300})\](?:\((?:[^()]|\([^()]{0,100}\)){0,500}\)|\[[^\[\]]{0,100}\])'
)
_FOOTNOTE = regex.compile(
    r'(?:^|(?<=\s))\[\^[^\[\]\s]{1,40}\]:\s*|\^\[[1-9]\d{0,2}\]\^'
    r'|(?: (?=\[\d{1,3}\][.,;:]))?\[(?:\^[^\[\]\s]{1,40}|[1-9]\d{0,2}|(?<=\S\[)\p{L}|(?<=[.,;!?”"]\[)\p{L}{2}'
    r'|edit\b[^\[\]]{0,30}|citation needed|note \d{1,4})\]'
    r'(?!\(|\.?\w)',
    regex.IGNORECASE,
)
# What stands in brackets behind words: marks of notes, or indices as in `argv[1]`.
_INDEX = regex.compile(r'(?<=\w)(?:\[(?:\d{1,3}|\p{L})\])++(?!\(|\.?\w)')
_IN_BRACKETS_ALONE = regex.compile(r'\[(\d)\]')
_NOTES = frozenset('123')
"""Numbers in brackets which tell of notes."""
# No mark of emphasis: a star in quotes of its own, and the name of a special method.
_SPACED = rf'[^\W{SPACELESS}]'
_STARS = regex.compile(rf'(?<!{_SPACED}|[*"\'])(\*{{1,3}})(?=[^\s*])([^*\n]{{1,400}}+)(?<=\S)\1(?!{_SPACED}|\*)')
_UNDERSCORES = regex.compile(r'(?<![\w_])(?!__[a-z]\w*__(?!\w))(_{1,3})(?=[^\s_])([^_\n]{1,400}+)(?<=\S)\1(?![\w_])')
_RETRACTED = regex.compile(r'(?<!~)~~(?=[^\s~])[^~]{1,1000}+(?<=\S)~~(?!~)')
# No path: `C:\_old`.
_ESCAPED = regex.compile(r'(?<![:\\])\\([\[\]*_<>#])')
_CODE_SPAN = regex.compile(r'(?<!`)(`{1,3})([^`\n]{1,400})\1(?!`)')
# Marks in a code span are no marks, nor do stops in it end a sentence; these code points are no characters of any text.
_KEPT = {ord(mark): 0xFDD0 + place for place, mark in enumerate('[*_<&{.!?:')}
_MARK = regex.compile(r'[\[*_<&{]|[.!?](?=\W)|(?<!\w)[.!?]|:(?=[a-z\d-]+:)')
_MARKED = re.compile(r'[\[*_`<!&\\]')
_FREED = {kept: mark for mark, kept in _KEPT.items()}
# What reStructuredText and MyST say a name is: :class:`Rule`, {func}`echo`; and a link of the former.
_ROLE = regex.compile(
    r'(?:(?<![\w:`]):([\w+.:-]{1,40}):|(?<![^\s(\["\'*])\{([\w+.:-]{1,40})\})`[~!]?([^`<>]{1,200}?)(?:\s*<[^`<>]{1,500}>)?`'
)
_INITIALS = 3
"""Letters of what numbers documents, such as RFC."""
_TEXT_LINK = regex.compile(r'(?<!`)`(?!\s)([^`<>]{1,200}?)(?<!\s)(?:\s+<[^`<>]{1,500}>)?`__?(?!\w)')
_URL = regex.compile(r'<?https?://[^\s<>()]+(?:\([^\s<>()]{0,100}\)[^\s<>()]*)*(?<![.,;:!?])>?')
_URL_ASIDE = regex.compile(rf' \((?:see:? )?{_URL.pattern}\)')
_TAG = regex.compile(
    r'</?(?:a|abbr|b|br|center|code|details|div|em|font|h[1-6]|hr|i|img|kbd|li|ol|(?<!\p{L} <)p|picture|pre|small'
    r'|source|span|strong|sub|summary|sup|table|tbody|td|th|thead|tr|u|ul|video)'
    r'(?:\s*/?|(?:\s(?:autoplay|clear|controls|disabled|hidden|loop|muted|name|nowrap|open|playsinline|reversed)){1,9}\s*/?'
    r'|\s(?=[^<>]{1,300}=)(?:[^<>"\']|"[^"]{0,1000}"|\'[^\']{0,1000}\'){0,300})>',
    regex.IGNORECASE,
)
# Without a semicolon it is a part of a URL: `?city=Bern&region=eu`.
_ENTITY = regex.compile(r'&(?:\p{L}\w{1,31}|#\w{1,8});')
_WORD = regex.compile(r'\w+')

# What a finite verb is told by, without a tagger: an auxiliary, a common form, a regular past. English alone.
VERB = regex.compile(
    r"\b(?:is|are|was|were|am|be|been|has|have|had|do|does|did|can|could|will|would|shall|should|may|might|must|ain't"
    r'|became|began|brought|built|came|chose|cut|drew|drove|fell|felt|fought|found|gave|get|gets|go|goes|got|grew|held'
    r'|hit|keep|keeps|kept|knew|know|knows|lay|led|left|let|lies|lost|made|make|makes|mean|means|meant|met|need|needs|paid'
    r'|put|ran|rose|run|runs|said|sat|saw|say|says|see|seem|seems|sent|set|shot|shows|sold|spent|spoke|stands|stood|struck'
    r'|take|takes|taught|tells|think|thinks|thought|threw|told|took|understand|use|uses|want|wants|went|won|wore|works'
    # No participle: `his highly bejeweled hands`.
    r'|wrote|\p{Ll}{2,}ed\b(?<!\b(?:an?|the|his|her|its|their|my|our|your|no|of|with)'
    r' (?:\p{Ll}{3,12}ly )?\p{Ll}{2,20}ed)'
    r'|\p{Ll}{3,}(?:izes|ates|ises|ifies|ains|ides|ends|urns|ures|orms|ows)'
    r'|(?:[Ii]t|[Hh]e|[Ss]he|This|That) \p{Ll}{3,}s|(?:I|[Ww]e|[Tt]hey|[Yy]ou) (?:\p{Ll}+ly )?\p{Ll}{4,}'
    r'|\p{Ll}{3,}s (?=(?:an?|the|its|their|his|her|no|every|you|them)\b))\b'
    # No genitive: `Jupiter's great spot`, but `Orme's on leave`.
    r"|['’](?:re|ve|ll|d|m|s(?<=\b(?:[Ii]t|[Ss]?[Hh]e|[Tt]hat|[Tt]his|[Tt]?[Hh]ere|[Ww]h(?:at|ere|o)|[Hh]ow|[Oo]ne|[Ll]et)"
    r" ?['’]s)|s(?= (?:an?|the|not|been|got|gone|on|in|at|up|down|back|here|there)\b))\b|n['’]t\b"
)
# What is written in small letters wherever it stands.
_IDENTIFIER = regex.compile(r'^\p{Ll}(?=\w*(?:[_.:(/-]\w|\d|\())')
# The box before what is to be done.
_TASK = regex.compile(r'^\[[ xX]\] ')
_OPENS_AMID = regex.compile(
    r'^(?:["“„«]?\p{Ll}|[,;:)\]}，、；：）」』》】]|\((?![ivxlc]+\))\p{Ll}{2}|(?:And|Which|Respectively|Because|Or|Nor)\b)'
)
_ENDS = regex.compile(r'(?:[.!?。！？؟।។၊။…][)\]"\'”’»」』]{0,2}|[\p{Thai}\p{Lao}]\W*[\d\s.,/:%-]*)$')
_STOPLESS = regex.compile(r'[\p{Thai}\p{Lao}]')
"""Scripts in which nothing but a blank ends a sentence, and one stands between clauses, too."""
_CLAUSES = 160
"""Characters of clauses in these that are taken together, at least."""
_BLANKS = regex.compile(r'\s+')
_DIVIDES = '\u2010'
"""The hyphen of manual pages, at the end of a line mostly that of a divided word."""
_FREQUENT_VERBS = frozenset(
    ('is', 'are', 'was', 'were', 'be', 'has', 'have', 'had', 'can', 'may', 'will', 'made', 'said')
)
"""Of those that `VERB` finds: most sentences have one, which is told faster."""
_WINDOW = 10_000
"""Characters in which sentences are looked for at once."""
_LONGEST = 1500
"""Characters of a sentence."""
_SCRIPT_SAMPLE = 400
"""Characters by which the script of a text is told."""
ENDS_AMID = regex.compile(r'\b(?:the|of|and|a|an|to|in|by|for|with|or)\W*$', regex.IGNORECASE)
_OTHER_SCRIPT = regex.compile(r'[^\P{L}\p{Latin}]')
_LETTER = regex.compile(r'[\p{L}\p{M}]')
_END_REACH = 12
"""Characters in which a text ends."""
_LEAST_WORDS = 4
_LEAST_LETTERS = 0.6
"""Share of the characters, blanks aside; a reference is full of digits and marks."""


def is_whole(text: str, language: str = 'en') -> bool:
    """Return whether a text has the form of a sentence: it begins and ends as one, and in English has a finite verb."""
    text = _TASK.sub('', text) if text[:1] == '[' else text
    text = _IDENTIFIER.sub('X', text) if text[:1].islower() else text
    words = text.split()
    solid = sum(map(len, words))
    letters = sum(map(str.isalpha, text)) if text.isascii() else len(_LETTER.findall(text))
    if len(words) < _LEAST_WORDS and len(HAS_SPACELESS.findall(text, 0, 100)) < 2 * _LEAST_WORDS:
        return False
    end = max(0, len(text) - _END_REACH)
    if letters < _LEAST_LETTERS * solid or _OPENS_AMID.match(text):
        return False
    if ENDS_AMID.search(text, end) or not _ENDS.search(text, end):
        return False
    if language != 'en' or (not text.isascii() and _OTHER_SCRIPT.search(text)):
        return True
    text = text.capitalize() if text.isupper() else text
    return not _FREQUENT_VERBS.isdisjoint(words) or VERB.search(text) is not None


def ended(text: str) -> str:
    """`text` as a sentence: with a full stop, unless it ends with one, or with what closes it."""
    text = text.rstrip(' ,;:')
    return text if _ENDS.search(text) else f'{text}.'


def without_roles(text: str) -> str:
    """A text whose references in reStructuredText or MyST are told by their names; of `:pep:`8`, by PEP 8."""
    return _TEXT_LINK.sub(r'\1', _ROLE.sub(_named, text))


def _named(role: regex.Match[str]) -> str:
    name = role[1] or role[2]
    return f'{name.upper()} {role[3]}' if role[3].isdigit() and len(name) <= _INITIALS else f'`{role[3]}`'


def plain(text: str) -> str:
    """Take the markdown marks off one line: links, emphasis, code spans, footnotes, tags, URLs in brackets."""
    return shown(bare(text))


def shown(text: str) -> str:
    """What `bare` returns, as it is shown."""
    return text if text.isascii() else text.translate(_FREED)


def bare(text: str) -> str:
    """As `plain`, but so that what stood in code spans has no marks if it is read once more, until it is `shown`."""
    if not _MARKED.search(text) and 'http' not in text and text.count(':') < 2:
        return one_line(text)
    if '`' in text:
        text = without_roles(text)
        text = _CODE_SPAN.sub(lambda span: _MARK.sub(_kept, span[2]), text)
    if '\\' in text:
        text = _ESCAPED.sub(lambda escaped: escaped[1].translate(_KEPT), text)
    text = _IMAGE.sub(r'\1', text)
    text = _LINK.sub(r'\1', text)
    text = _FOOTNOTE.sub('', text)
    text = _UNDERSCORES.sub(r'\2', _STARS.sub(r'\2', _STARS.sub(r'\2', text)))
    text = _ENTITY.sub(lambda entity: html.unescape(entity[0]), _TAG.sub(' ', text))
    return one_line(_URL_ASIDE.sub('', text))


def _kept(mark: regex.Match[str]) -> str:
    return mark[0].translate(_KEPT)


def with_indices(texts: Sequence[str]) -> list[str]:
    """Keep what stands in brackets behind words, `argv[1]`, for `bare`, unless the text has notes, whose marks go."""
    if {number for text in texts if '[' in text for number in _IN_BRACKETS_ALONE.findall(text)} >= _NOTES:
        return [*texts]
    return [_INDEX.sub(lambda index: index[0].translate(_KEPT), text) if '[' in text else text for text in texts]


def without_split_marks(texts: Sequence[str]) -> list[str]:
    """Take out of lines of markdown what may go on over several: HTML tags and comments, what is struck out.

    As many lines remain.
    """
    joined = '\n'.join(texts)
    if '<' not in joined and '~~' not in joined:
        return list(texts)
    joined = _without_comments(joined)
    joined = _RETRACTED.sub(lambda struck: '\n' * struck.group().count('\n'), joined)
    return _TAG.sub(lambda tag: '\n' * tag.group().count('\n') or tag.group(), joined).split('\n')


def _without_comments(text: str) -> str:
    kept: list[str] = []
    at = 0
    while (begin := text.find('<!--', at)) >= 0 and (end := text.find('-->', begin)) >= 0:
        kept += (text[at:begin], '\n' * text.count('\n', begin, end))
        at = end + len('-->')
    return ''.join((*kept, text[at:]))


# What no sentence begins with: `!= "PyPy"`, `$? = 255`; and what "Why? he said" and "the mill ... was sold" go on with.
# Nor does a mark that stands for a value, as in `7 0.3 ? S 04:08`, end one, or that is a word (`install . --user`) or a
# part of one (`#! /bin/sh`), or begins one: `!TREESAME`.
_GOES_ON = regex.compile(
    r'(?<=[!?…]["”’)]?|\.\.\.)\s*\p{Ll}|\s*[=,;:)%&|]|\p{Pd}\p{L}|(?<=\d [.!?])\s+(?:\S(?:\s|$)|[^\s\p{L}])'
    r'|(?<=\s\.)\s+[\p{Ll}\p{Pd}./\\$~<>@#+]|(?<=\s[.!?])[\p{L}\p{N}_./]'
    r'|(?<=(?:^|[\s(])[#&*+/:<=>@\\^|~-]{1,3}[!?])'
)


def _is_dotted(text: str, end: int) -> bool:
    """Return whether a full stop joins two names, as in `asyncio.Task`, rather than sentences without a blank."""
    if text[end - 1] != '.' or not (text[end].isalnum() or text[end] == '_'):
        return False
    after = _WORD.match(text, end)
    return after is not None and not names.is_opener(after.group())


def _boundaries(text: str, language: str, starts: Sequence[int]) -> Iterator[int]:
    """Where sentences may end in a text whose lines begin at `starts`."""
    sample = min(len(text), _SCRIPT_SAMPLE)
    if text.isascii() or 2 * len(_STOPLESS.findall(text, 0, sample)) < sample:
        yield from _windowed(text, language)
        return
    for begin, end in pairwise((*starts, len(text))):
        last = begin
        for blank in _BLANKS.finditer(text, begin, end):
            if blank.end() - last >= _CLAUSES <= end - blank.end():
                last = blank.end()
                yield last
        yield end


def _windowed(text: str, language: str) -> Iterator[int]:
    """Where sentences end: looked for window by window, since the library takes a time that grows with their square."""
    begin = 0
    while begin < len(text):
        window = text[begin : begin + _WINDOW]
        found = cast('list[dict[str, Any]]', get_sentence_boundaries(language, window))
        ends = [int(boundary['end_index']) for boundary in found]
        if ends and begin + len(window) < len(text):
            ends.pop()  # there the window ends
        yield from (begin + end for end in ends)
        begin += ends[-1] if ends else len(window)


def sentences(lines: 'Sequence[NumberedLine]', language: str = 'en') -> Iterator[Sentence]:
    """Cut the lines of a paragraph into sentences; by the rules of a language, those of another do little harm."""
    text = ''
    starts: list[int] = []
    for line in lines:
        if text[-1:] == _DIVIDES and line.text[:1].islower():
            text = text[:-1]
        elif text:
            text += '' if CLOSE.match(text[-1:]) and CLOSE.match(line.text) else ' '
        starts.append(len(text))
        text += line.text
    begin = before = 0
    for end in _boundaries(text, language, starts):
        last, before = before + len(text[before:end].rstrip()), end
        if end < len(text) and (
            is_abbreviated(text, last, language) or _is_dotted(text, end) or _GOES_ON.match(text, last)
        ):
            continue
        yield from _pieces(text, begin, end, lines, starts)
        begin = end
    yield from _pieces(text, begin, len(text), lines, starts)


def _pieces(
    text: str, begin: int, end: int, lines: 'Sequence[NumberedLine]', starts: Sequence[int]
) -> Iterator[Sentence]:
    """A sentence; the lines of what goes on for longer than any, as verses and lists without a stop do."""
    first, last = max(0, bisect_right(starts, begin) - 1), bisect_left(starts, end)
    ends = starts[first + 1 : last] if end - begin > _LONGEST and not _is_wrapped(text, starts[first:last]) else ()
    for start, stop in pairwise((begin, *ends, end)):
        if piece := text[start:stop].strip():
            on = lines[max(0, bisect_right(starts, start) - 1) : bisect_left(starts, stop)]
            yield Sentence(_LINK.sub(r'\1', piece), tuple(line.number for line in on))


def _is_wrapped(text: str, starts: Sequence[int]) -> bool:
    """Return whether lines, as contracts have them, are of one length and seldom begin with a capital."""
    sizes = [after - start for start, after in pairwise(starts)]
    return 2 * sum(text[start].islower() for start in starts) > len(starts) and 2 * min(sizes, default=0) > max(
        sizes, default=0
    )
