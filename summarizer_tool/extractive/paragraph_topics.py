"""What paragraphs begin with and are about, such as `Canker.` in minutes. Pure text work."""

from collections.abc import Sequence
from itertools import pairwise

import regex

from summarizer_tool.extractive.under_headings import is_name
from summarizer_tool.prompts import NumberedLine
from summarizer_tool.text.abbreviations import is_abbreviated
from summarizer_tool.text.sentences import VERB

_TOPIC_WORDS, _ITEM_TOPIC_WORDS = 3, 8
"""Of what a paragraph begins with and is about, and a numbered one."""

_TOPICS, _LEAST_TOPICS = 3, 2
"""Paragraphs that must begin with what they are about, and numbered ones."""

_PARAGRAPH = 60
"""Characters of a paragraph."""

BULLET = regex.compile(r'^[ \t]*(?:[-*+•·○◦▪‣]|\d{1,3}[.)]|(\p{Ll})\1?[.)](?=[ \t]+[\p{Lu}`"\']))[ \t]+')
# `Canker. Eleven of the trees have it.`, `CHG-8816 Restart of the core switch, done on 28 June. Not accepted.`
_TOPIC = regex.compile(
    r'(?|([\p{Lu}\p{Lo}][^.!?:;,()]{1,70}(?: \([^()]{1,40}\))?)|(\p{Lu}{1,6}[ -]?\d{1,6}\b(?:[^.!?]|\.(?=\d)){1,90}))\.'
    r"[ \t]+(?=[\p{Lu}\p{Lo}\d(*\"'“„«])"
)
# `**Falls.** Nobody fell.`
_RUN_IN = regex.compile(r'^ {0,3}(\*\*|__)([^*_]{2,60})(?:\.\1|\1\.)[ \t]+\S')
_IDENTIFIED = regex.compile(r'\p{Lu}{1,6}[ -]?\d{1,6}\b')
_ENDS = ('.', '!', '?', ':', '…')
_OF_SOMEBODY = regex.compile(r"['’]s? \p{Ll}+$")


def paragraph_topics(lines: Sequence[NumberedLine]) -> frozenset[str]:
    """What paragraphs begin with, before a full stop, and are about; none where it is one or two."""
    begins = [
        (bullet, line.text, _TOPIC.match(line.text, bullet.end() if bullet else 0))
        for before, line in pairwise([NumberedLine(0, '', True), *lines])
        if (bullet := BULLET.match(line.text)) or before.blank_after or before.text.endswith(_ENDS)
    ]
    found = {match[1]: bool(bullet) for bullet, _, match in begins if match}
    named = {topic for topic in found if _IDENTIFIED.match(topic)}
    found = {
        topic: is_item
        for topic, is_item in found.items()
        if len(topic.split()) <= (_ITEM_TOPIC_WORDS if is_item else _TOPIC_WORDS)
        and (is_name(topic) or _OF_SOMEBODY.search(topic) or VERB.search(topic) is None)
        and not is_abbreviated(f'{topic}.', len(topic) + 1)
    }
    # Most must, those with numbers and those without: one may well begin with a short sentence.
    for is_item, least in ((True, _LEAST_TOPICS), (False, _TOPICS)):
        own = [topic for topic in found if found[topic] is is_item]
        paragraphs = sum(bool(bullet) is is_item and len(text) >= _PARAGRAPH for bullet, text, _ in begins)
        if len(own) < least or 2 * len(own) < paragraphs:
            found = {topic: each for topic, each in found.items() if each is not is_item}
    topics = named | found.keys()
    bold = {match[2] for line in lines if (match := _RUN_IN.match(line.text))}
    return frozenset(each for kind in (topics, bold) if len(kind) >= _LEAST_TOPICS for each in kind)


def topic_of(lead: str, first: str, topics: frozenset[str]) -> str:
    """What a paragraph is about by its first sentence and what stands before a colon in it; empty if that says more."""
    first = first.rstrip('.')
    whole = f'{lead}: {first}'
    return whole if whole in topics else (lead or first) if first in topics else ''
