"""Whether people wrote a text or a program printed it, told by its sentences, its words, and how its lines recur."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import islice

from summarizer_tool.digests.json_reading import read_json
from summarizer_tool.digests.logs import parts, starts_like_log
from summarizer_tool.digests.places import form
from summarizer_tool.text.code_lines import may_be_code
from summarizer_tool.text.lines import is_written, plain_share

_SAMPLE = 2000  # lines by which the kind of a text is told
_LOG_SHARE = 0.2
"""Share of lines with a time, a level or a frame from which a text is a log: compilers show code below each."""
_REPEATED = 0.4  # forms a line up to which a text is no prose
_GENERATED = 0.2  # and up to which it is no source code either, whatever its lines look like
_LEAST_LINES = 20
_LONGEST_CODE = 120  # characters of a line of source code, on the average: what is longer is packed
_TIMED = 0.1  # share of lines with a time from which none is, either
_MARKED = 0.3  # share of lines that begin with the same word, which has digits, from which no text is source code
_ALL_WORDS = 0.85
"""Share of the characters that stand in plain words from which a text without sentences is people's, too,"""
_MANY_WORDS, _LONG_SENTENCE, _ITEMS = 0.45, 60, 0.25
"""and share from which it is with long sentences, of so many words, or with items of lists in so many of its lines."""
_LARGE = 4000  # characters from which a text of no known form is digested all the same
_SOME_LINES = 10  # and lines; what is smaller is read as prose
_READ = 60_000  # characters whose sentences are counted
_HEADING = re.compile(r'(?:\A|\n[ \t]*\n)#{1,6} [\w\[*_`]')
_LEAST_HEADINGS = 3  # headings of markdown from which a text is people's, however few of its words are plain ones
_UNWRITTEN = re.compile(r'^ {0,3}(```|~~~).*?^ {0,3}\1|(?<=\])\([^()\s]{1,500}\)', re.MULTILINE | re.DOTALL)
_CLOSING_MARK = r'[)\]"”’`*]'
# What was cut into words for a program has blanks before its stops.
_AFTER_LETTER = '|'.join([*(rf'(?<=[^\W\d_]{_CLOSING_MARK * count}.)' for count in range(4)), r'(?<=[^\W\d_] .)'])
_SENTENCE_END = re.compile(rf'[.!?。！？।؟](?:(?<=[。！？।؟])|(?:{_AFTER_LETTER})["”’)\]*]*(?=\s|$))')
_ITEM = re.compile(r'^ {0,6}[*+-] \S+ \S+ \S', re.MULTILINE)
_ROW = re.compile(r'^\|.*\|$', re.MULTILINE)
_BESIDE = 3
_SENTENCE = 40  # words to a full stop, on the average, up to which a text has sentences
_QUOTED = re.compile(r""""(?>(?:[^"\\]++|\\.)*)"?|(?<![\w'])'[^'\n]{0,120}+'(?!\w)""")


def is_told(text: str) -> bool:
    """Return whether a text is sentences for readers, and not the strings of data."""
    says = _has_sentences(text[:_READ]) or (has_headings(text) and _has_items(text[:_READ]))
    return says and _is_for_readers(text) and not _is_data(text)


def is_for_people(text: str, lines: Sequence[str]) -> bool:
    """Return whether a text is for people to read, though it may have few sentences."""
    written = _UNWRITTEN.sub('', text)
    share = plain_share(written)
    if is_told(text) or share >= _ALL_WORDS or has_headings(text):
        return True
    has_items = len(_ITEM.findall(text)) >= _ITEMS * text.count('\n')
    has_sentences = len(text.split()) <= _LONG_SENTENCE * len(_SENTENCE_END.findall(text)) and not repeats(lines)
    return share >= _MANY_WORDS and (has_items or has_sentences)


def is_long(text: str, lines: Sequence[str]) -> bool:
    """Return whether a text of no known form is long enough to be one that a program printed."""
    return len(text) >= _LARGE or sum(line.strip() != '' for line in lines) >= _SOME_LINES


def is_log(lines: Sequence[str]) -> bool:
    """Return whether so many lines of a text are those of a log, or what a compiler or a check says of one thing."""
    sample = [line[:400] for line in lines[:_SAMPLE] if line.strip()]
    return len(sample) > 2 and sum(map(starts_like_log, sample)) >= _LOG_SHARE * len(sample)


def is_source(lines: Sequence[str]) -> bool:
    """Return whether a text is source code that somebody has written, line by line: no trace of calls, which recur."""
    sample = [line for line in lines[:_SAMPLE] if line.strip()]
    is_short = sum(map(len, sample)) < _LONGEST_CODE * len(sample)
    [(begin, times)] = Counter(line.split(None, 1)[0] for line in sample).most_common(1) or [('', 0)]
    # By a process, `==18636==`, or by what is to change.
    is_marked = times > _MARKED * len(sample) and (any(map(str.isdigit, begin)) or begin in {'+', '-', '~'})
    is_timed = sum(parts(line)[0] != '' for line in sample) > _TIMED * len(sample)
    return is_short and not is_marked and not is_timed and may_be_code(sample) and _forms(lines) > _GENERATED


def repeats(lines: Sequence[str]) -> bool:
    """Return whether a text says the same again and again, as no prose does."""
    return _forms(lines) <= _REPEATED


def _forms(lines: Sequence[str]) -> float:
    """How many forms lines have, for each of them: a text that says the same again and again is no prose."""
    sample = [_QUOTED.sub('""', line[:400]) for line in lines if line.strip()][:_SAMPLE]
    return len({form(line) for line in sample}) / len(sample) if len(sample) >= _LEAST_LINES else 1.0


def _is_for_readers(text: str) -> bool:
    return has_headings(text) or is_written(_UNWRITTEN.sub('', text))


def has_headings(text: str) -> bool:
    """Return whether a text has headings of markdown."""
    return len([*islice(_HEADING.finditer(text), _LEAST_HEADINGS)]) == _LEAST_HEADINGS


def _has_items(text: str) -> bool:
    """Return whether a text is made of items of lists, of several words each."""
    return len(_ITEM.findall(text)) * _SENTENCE > len(text.split())


def _has_sentences(text: str) -> bool:
    """Return whether a text is made of sentences, or what stands beside its tables is, and is no small part of it."""
    beside = _ROW.sub('', text)
    words, others = len(text.split()), len(beside.split())
    counted = [(text, words), (beside, others)] if _BESIDE * others > words else [(text, words)]
    return any(len(_SENTENCE_END.findall(part)) * _SENTENCE > count for part, count in counted)


def _is_data(text: str) -> bool:
    """Return whether all of a text is JSON, whatever its strings say."""
    read = read_json(text) if text.lstrip()[:1] in ('{', '[') else None
    return read is not None and not read.around.strip()
