"""Cut what asks several things into sub-queries that can be searched one by one.

Only what plainly stands apart is cut: sentences, items of a list, and clauses with a question word of their own. What
compares or lists things stays one question: a search with all of its words finds what each of them needs.
"""

from collections.abc import Iterator
from itertools import pairwise

import regex

from summarizer_tool.text import names
from summarizer_tool.text.abbreviations import ends
from summarizer_tool.text.stop_words import stop_words

MAX_PARTS = 5

MAX_CHARACTERS = 2000
"""A longer text is no question, and stays whole."""

LEAST_WORDS = 3
"""Words that a clause needs to be a question of its own: "and why" needs what stands before it."""

_QUESTION_WORD = (
    r'(?:what|when|where|which|who(?:m|se)?|why|how|wann|wo|wer|wen|wem|wessen|warum|wieso|weshalb|wie|welche[rsnm]?'
    r'|quand|où|qui|pourquoi|comment|combien|quels?|quelles?|qué|cuándo|dónde|quién(?:es)?|cómo|cuánt[oa]s?)\b'
)
_ITEM = regex.compile(r'(?P<code>`[^`\n]*`)|(?:\n\s*|^\s*)(?:[-*•–]|\d{1,2}[.)]|[a-h]\))\s+|;\s+|；|\n\s*\n\s*')
_LABEL = regex.compile(r'(?<![^\s:,;])(?:(?:and|und|et|y)\s+)?\(?(\d|[a-h])\)\s+')
_LABELS = '123456789', 'abcdefgh'
_STOP = regex.compile(r'[?？؟]+["”’)\]]{0,2}(?:\s+|$|(?<=[？؟]))|[.!]["”’)\]]{0,2}\s+(?=["“(]?[\p{Lu}\p{Lo}\d])|[。！]')
_CLAUSE = regex.compile(rf'[,;]?\s+(?:and(?: also)?|und|et|y)\s+(?={_QUESTION_WORD})', regex.IGNORECASE)
_ASKING = regex.compile(rf'{_QUESTION_WORD}|.*[?？؟]$', regex.IGNORECASE | regex.DOTALL)
_PRONOUN = regex.compile(
    r'\b(?:its?|they|them|their|he|him|his|she|her|er|es|sie|ihre?|seine?|il|elles?|ils|lui|leurs?)\b|[它他她]|それ|彼',
    regex.IGNORECASE,
)
_EDGES = ' \t\n,:-–'


def split(question: str) -> tuple[str, ...]:
    """The sub-queries of a question: one to `MAX_PARTS`, none if it is blank.

    Where a part has a pronoun, the names of those before it follow it in brackets; what is said beside the questions
    follows all of them.
    """
    whole = ' '.join(question.split())
    items = [item for item in _items(question) if item.strip(_EDGES).strip()] if len(question) <= MAX_CHARACTERS else []
    if not items:
        return (whole,) if whole else ()
    beside = items.pop(0) if len(items) > 2 and items[0].rstrip().endswith(':') else ''
    pieces = [clause for item in items for sentence in _sentences(item) for clause in _clauses(sentence)]
    if len(items) == 1:
        asking = [piece for piece in pieces if _ASKING.match(piece)]
        beside = ' '.join(piece for piece in pieces if piece not in asking)
        pieces = asking
    parts: dict[str, str] = {}
    for piece in pieces:
        about = _subject(beside or (' '.join(parts.values()) if _PRONOUN.search(piece) else ''))
        is_named = not set(names.words(about)).isdisjoint(names.words(piece))
        parts.setdefault(piece.casefold().rstrip('?. '), piece if is_named or not about else f'{piece} ({about})')
    found = tuple(parts.values())
    if len(found) > MAX_PARTS:  # the last one asks for all the rest
        found = (*found[: MAX_PARTS - 1], '; '.join(found[MAX_PARTS - 1 :]))
    return found if len(found) > 1 else (whole,)


def _items(question: str) -> Iterator[str]:
    """What stands between the marks of a list, of which numbers and letters amid a line are some only in order."""
    labels = ''.join(_LABEL.findall(question))
    if len(labels) > 1 and any(order.startswith(labels) for order in _LABELS):
        question = _LABEL.sub(r'\n- ', question)
    begin = 0
    for mark in _ITEM.finditer(question):
        if not mark['code']:
            yield question[begin : mark.start()]
            begin = mark.end()
    yield question[begin:]


def _sentences(text: str) -> list[str]:
    sentences = (' '.join(text[begin:end].split()) for begin, end in pairwise((0, *ends(text, _STOP))))
    return [*filter(None, (sentence.strip(_EDGES) for sentence in sentences))]


def _clauses(sentence: str) -> Iterator[str]:
    begin = 0
    opening = str.upper if sentence[:1].isupper() else str
    for match in _CLAUSE.finditer(sentence):
        before, after = sentence[begin : match.start()].split(), sentence[match.end() :].split()
        is_question = len(before) >= LEAST_WORDS <= len(after) and _ASKING.match(before[0])
        # "when the dam breaks and when it is mended", "between what they do and what they say"
        is_pair = any(word.casefold() in (after[0].casefold(), 'between', 'both') for word in before[1:])
        if is_question and not is_pair:
            yield opening(before[0][0]) + ' '.join(before)[1:].rstrip(_EDGES) + '?' * sentence.endswith('?')
            begin = match.end()
    yield opening(sentence[begin]) + sentence[begin + 1 :]


def _subject(text: str) -> str:
    """What a text is about: its names, or else its words that say something."""
    named = [name for name in names.mentions(text) if name[0].isalpha() and not names.opens_sentence(text, name)]
    words = names.words(text)
    idle = stop_words(words)
    return ' '.join(named) or ' '.join(dict.fromkeys(word for word in words if word not in idle))
