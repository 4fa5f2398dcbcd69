"""Cut a compound question into sub-queries that can be searched one by one, by rules.

The rules know English best, and the question words of a few other languages. What they are not sure of stays one
question: a search with all of its words still finds what each part of it needs, only not as evenly.
"""

from collections.abc import Iterator

import regex

from summarizer_tool.evidence.question import comparisons
from summarizer_tool.evidence.question.pronouns import (
    MAX_SUBJECT_WORDS,
    QUESTION_WORDS,
    VERBS,
    standing_alone,
    subject_of,
    with_context,
)
from summarizer_tool.text.abbreviations import is_abbreviated
from summarizer_tool.text.names import mentions, words

MAX_PARTS = 5

MAX_CHARACTERS = 2000
"""A longer text is no question, and stays whole."""

LEAST_WORDS = 3
"""Words that a clause needs to be a question of its own: "and why" needs what stands before it."""

LEAST_TOPIC, MOST_TOPIC = 2, 8
"""Words of a topic that stands without a question."""

MAX_NAMES = 3
"""Of a remark beside the questions, which each question takes over."""

_ITEM = regex.compile(r'^[ \t]*(?:[-*•–]|\(?(?:\d{1,2}|[a-h])[.)])[ \t]+(?=\S)', regex.MULTILINE)
_NUMBERED = regex.compile(
    r'(?:(?<=^)|(?<=[\s:,;]))\(?(?P<number>\d|[a-h])\)\s+|(?:(?<=^)|(?<=[:;?.]\s))(?P<number>\d)\.\s+'
)
_STOP = regex.compile(
    r'[?？؟]+["”’)\]]{0,2}(?:\s+|$|(?<=[？؟]))|[.!]["”’)\]]{0,2}\s+(?=["“(]?[\p{Lu}\p{Lo}\d])|[。！；]\s*|;\s+'
)

_AND = r'(?:and(?: also)?|as well as|und|sowie|et|y|plus)'
_NOUN = r'(?:it|they|he|she|you|I|we|there|this|that|these|those|the|an?|its|their|my|(?-i:\p{Lu})\p{L}*)'
_REQUEST = (
    r'(?:(?:explain|describe|compare|define|summari[sz]e|discuss|tell me)'
    r'|(?:list|name|show|give) (?:me|the|all|some|its|their|how|which|what|an?))'
)
_CLAUSE = regex.compile(
    rf'[,;]?\s+{_AND}\s+(?={QUESTION_WORDS}\b|{VERBS}\s+{_NOUN}\b|{_REQUEST}\b)'
    # Without "and" only what cannot be a relative clause ("Marn, which lies ..."); more must follow.
    rf'|,\s+(?=(?:what|why|how)\b|(?:when|where)\s+{VERBS}\b|who\s+\p{{L}}+)(?=[^?]*,?\s{_AND}\s+{QUESTION_WORDS}\b)',
    regex.IGNORECASE,
)
_ASKING = regex.compile(
    rf'^(?:(?:and|but|so|also|then|please|first|second|finally)[\s,]+)*'
    rf'(?:{QUESTION_WORDS}\b|{VERBS}(?:n[’\']t)?\s|{_REQUEST}\b|i (?:want|need|would like) to know\b|find\b'
    rf'|(?:in|on|at|to|for|from|with|of|by|during|seit|in|für|de|à)\s+(?:what|which|whom|welche[rsnm]?|quels?|quelles?)\b)',
    regex.IGNORECASE,
)
_ABOUT = regex.compile(
    r'^(?:for|about|regarding|concerning|in the case of|with regard to|as for)\s+(?P<about>[^,:?]{2,80})[,:]\s+'
    r'(?P<rest>\S.+)$',
    regex.IGNORECASE,
)
_RELATIVE = regex.compile(r'(?:who|whom|whose|which|that|where|when|qui|où)$', regex.IGNORECASE)
_OPENING = regex.compile(
    r'^(?:(?:and|but|so|also|then|please|finally)[\s,]+'
    r'|(?:(?:please )?(?:tell me|explain(?: to me)?|find out|let me know)'
    r'|(?:can|could) you (?:please )?(?:tell me|explain)|(?:i|we) (?:want|need|would like) to know|do you know) '
    r'(?=(?:what|when|where|which|who|why|how|whether|if)\b))+',
    regex.IGNORECASE,
)
_LINKING = regex.compile(rf'[,;]?\s+{_AND}$', regex.IGNORECASE)
# What introduces questions without saying anything.
_BOILERPLATE = regex.compile(
    r'\b(?:please|kindly|answer|the|these|those|following|below|my|few|some|several|questions?|tell|give|me|i|have|want'
    r'|need|to|would|like|know|about|for|all|of|each|as|well|thanks?|thank you|hello|hi|dear|also|and|help|with)\b',
    regex.IGNORECASE,
)
_EDGES = ' \t\n,;:-–'


def split(question: str, intent: str = '', constraints: str = '') -> tuple[str, ...]:
    """The sub-queries of a question, each to be understood without the others: one to `MAX_PARTS`, none if it is blank.

    Several sentences or items of a list, clauses with a question word or a verb of their own, comparisons and
    enumerations ("capacity, height and age of the dam") become parts; the subject of the first stands for the pronouns
    of the later ones, or that of the intent or the constraints. Where it is not plain whom a pronoun means, the parts
    stay together.
    """
    whole = ' '.join(question.split())
    if not whole or len(question) > MAX_CHARACTERS:
        return (whole,) if whole else ()
    context, asked = _asked(question)
    parts: list[str] = []
    subject = _subject_of_context(context)
    background = subject_of(intent[:MAX_CHARACTERS]) or subject_of(constraints[:MAX_CHARACTERS])
    is_compound = len(asked) > 1
    for sentence in asked:
        clauses = list(_clauses(sentence))
        for clause in clauses:
            alone = clause
            if parts or context or (background and (is_compound or len(clauses) > 1)):
                alone = standing_alone(clause, subject or background)
                if not alone and parts:
                    parts[-1] = f'{parts[-1]} {clause}'
                    continue
                if not alone and not is_compound:
                    return (whole,)
            subject = subject or subject_of(clause)
            part = alone or clause
            parts.extend(comparisons.compared(part) or comparisons.enumerated(part) or (part,))
        is_compound = is_compound or len(clauses) > 1
    if len(parts) <= 1:
        return (whole,)
    found = _once(' '.join(_placed(part, context).split()) for part in parts)
    if len(found) > MAX_PARTS:  # the last one asks for all the rest
        found = (*found[: MAX_PARTS - 1], '; '.join(found[MAX_PARTS - 1 :]))
    return found if len(found) > 1 else (whole,)


def _asked(question: str) -> tuple[str, list[str]]:
    """What is said beside the questions, and the questions."""
    lead, items = _items(question)
    if items:
        return _remark(lead), items
    if about := _ABOUT.match(' '.join(question.split())):
        return about['about'], list(_sentences(about['rest']))
    sentences = list(_sentences(question))
    asking = [sentence for sentence in sentences if sentence.endswith(('?', '？', '؟')) or _ASKING.match(sentence)]
    # Topics, one a sentence, as people type them into a search box.
    if (not asking or ';' in question) and all(LEAST_TOPIC <= len(part.split()) <= MOST_TOPIC for part in sentences):
        return '', sentences
    if not asking:
        return '', [question]
    return _remark(' '.join(sentence for sentence in sentences if sentence not in asking)), asking


def _items(question: str) -> tuple[str, list[str]]:
    """The items of a list, one a line or numbered in running text, and what stands before them."""
    starts = list(_ITEM.finditer(question))
    if len(starts) < 2:
        starts = list(_NUMBERED.finditer(question))
        marks = [match['number'] for match in starts]
        if len(starts) < 2 or marks not in (list('12345678'[: len(marks)]), list('abcdefgh'[: len(marks)])):
            return '', []
    ends = [match.start() for match in starts[1:]] + [len(question)]
    items = [
        _LINKING.sub('', question[match.end() : end].strip(_EDGES)) for match, end in zip(starts, ends, strict=True)
    ]
    return question[: starts[0].start()], [' '.join(item.split()) for item in items if item]


def _sentences(text: str) -> Iterator[str]:
    for line in text.splitlines():
        begin = 0
        for match in _STOP.finditer(line):
            if match.group().startswith('.') and is_abbreviated(line, match.start() + 1):
                continue
            sides = (line[begin : match.start()], line[match.end() :])
            if match.group().startswith(';') and min(len(side.split()) for side in sides) < LEAST_TOPIC:
                continue
            if piece := line[begin : match.end()].strip(_EDGES):
                yield ' '.join(piece.split())
            begin = match.end()
        if piece := line[begin:].strip(_EDGES):
            yield ' '.join(piece.split())


def _clauses(sentence: str) -> Iterator[str]:
    """The questions of one sentence."""
    sentence = _OPENING.sub('', sentence)
    begin = 0
    for match in _CLAUSE.finditer(sentence):
        before, after = sentence[begin : match.start()], sentence[match.end() :]
        if not _is_question(before) or len(after.split()) < LEAST_WORDS or _is_relative(before, after):
            continue
        yield _closed(before, sentence)
        begin = match.end()
    yield _closed(sentence[begin:], sentence)


def _is_question(clause: str) -> bool:
    return len(clause.split()) >= LEAST_WORDS and bool(words(clause)) and _ASKING.match(clause) is not None


def _is_relative(before: str, after: str) -> bool:
    """Return whether a clause goes on with a relative clause ("people who build and who sell"), or with a pair."""
    first = after.split()[0]
    said = before.casefold().split()
    return ('between' in said or 'both' in said) or (
        _RELATIVE.fullmatch(first) is not None and first.casefold() in said[1:]
    )


def _closed(clause: str, sentence: str) -> str:
    """A clause with the question mark of its sentence."""
    clause = _OPENING.sub('', clause.strip(_EDGES))
    is_marked = sentence.endswith('?') and not clause.endswith('?') and not clause.endswith('.')
    clause = clause[:1].upper() + clause[1:] if sentence[:1].isupper() else clause
    return f'{clause}?' if is_marked else clause


def _remark(text: str) -> str:
    """What is said beside the questions; nothing if that only introduces them."""
    return ' '.join(text.split()).strip(_EDGES) if words(_BOILERPLATE.sub('', text)) else ''


def _subject_of_context(context: str) -> str:
    is_phrase = 0 < len(context.split()) <= MAX_SUBJECT_WORDS
    return (is_phrase and subject_of(f'about {context}')) or subject_of(context)


def _placed(part: str, context: str) -> str:
    """A part with what was said beside the questions, unless it names that."""
    if not context or not set(words(context)).isdisjoint(word for word in words(part) if len(word) > LEAST_WORDS):
        return part
    return with_context(part, _subject_of_context(context) or ', '.join(mentions(context)[:MAX_NAMES]))


def _once(parts: Iterator[str]) -> tuple[str, ...]:
    return tuple({part.casefold().rstrip('?. '): part for part in reversed(list(parts)) if part}.values())[::-1]
