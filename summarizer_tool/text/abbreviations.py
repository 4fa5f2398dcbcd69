"""Full stops that end no sentence."""

import regex

from summarizer_tool.text.stop_words import is_stop_word

_ABBREVIATION = regex.compile(
    r'(?:\b(?:(?<!\bWar )\p{Lu}|Mr|Mrs|Ms|Dr|St|Prof|Sr|Jr|Lt|Col|Gen|Capt|Sgt|Rev|Hon|Gov|Sen|Rep|Mt|Ft|vs|etc|No|Vol'
    r'|pp?|cf|ca|approx|Inc|Ltd|Co|Corp|Bros|fl|ed|e\.g|i\.e|a\.k\.a|v|bzw|Nr|Abb|vgl|evtl|usw|jur|phil)|(?:\b\p{L}\.){1,4}\p{L})\.$'
)
_BEFORE_NUMBER = regex.compile(r'\b(?i:abs|approx|art|ca|ch|eq|fig|gem|max|min|nr|sec|tab|tel)\.$')
_ORDINAL = regex.compile(r'(?<![\p{L}\d.,:/-])\d{1,3}\.$')
_NEXT = regex.compile(r'\s*(\w+)')
_ABBREVIATION_REACH = 14
_LONGEST = 6
"""Letters of the longest one."""


def is_abbreviated(text: str, end: int, language: str = 'en') -> bool:
    """Return whether the full stop before `end` belongs to an abbreviation, an initial or an ordinal number.

    Args:
        text: What goes on behind it.
        end: Index behind the full stop.
        language: Its ISO code.
    """
    if end > _LONGEST + 1 and text[end - _LONGEST - 2 : end - 1].isalpha():
        return False
    start = max(0, end - _ABBREVIATION_REACH)
    if _ABBREVIATION.search(text, start, end):
        return True
    following = _NEXT.match(text, end)
    if following is None:
        return False
    word = following[1]
    if _ORDINAL.search(text, start, end):
        # In German nouns have capitals, too.
        return word[0].islower() or (language == 'de' and word[0].isupper() and not is_stop_word(word, language))
    return word[0].isdigit() and _BEFORE_NUMBER.search(text, start, end) is not None
