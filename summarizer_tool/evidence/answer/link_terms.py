"""What a link says that its page is about, and which words of its own page only lead there. Pure computing."""

import re
from collections.abc import Iterable

from summarizer_tool.html.page import Link
from summarizer_tool.text import terms

MAX_TEXT = 300
"""Characters of a link's text, heading or surroundings that count."""

_POINTING = frozenset(
    terms.terms_of(
        'see read more here page pages chapter article section details learn find click link visit answer told tells '
        'described describes explained explains '
        'siehe mehr hier seite kapitel artikel weiter weiterlesen erklärt beschrieben '
        'voir lire ici suite chapitre véase aquí leer más página capítulo vedi leggi pagina'
    )
)
"""Words with which a text sends its reader to another page."""

_QUESTION = re.compile(r'[?？؟][)\]"\'”’»*_]*$')
_DESCRIBED = re.compile(r'\s*[:：–—-]\s')


def link_terms(link: Link) -> set[str]:
    """The terms of what a link says that its page is about.

    That is its own text, what is said of it after a colon or dash, and the sentence that sends the reader there. Where
    that stands under a question, it is about the question, too.
    """
    found = terms.terms_of(link.text[:MAX_TEXT])
    around = link.around[:MAX_TEXT]
    if not around and not _is_question(link.section):
        return found
    is_described = around.startswith(link.text) and _DESCRIBED.match(around, len(link.text)) is not None
    is_pointing = _sends_on(terms.words_of(around or link.text))
    if is_described or is_pointing:
        found |= terms.terms_of(around)
    if is_pointing and _is_question(link.section):
        found |= terms.terms_of(link.section[:MAX_TEXT])
    return found


def pointer(link: Link) -> str:
    """The text on a link's own page that says nothing but where something is told: its sentence, or itself."""
    return link.around if link.around and _sends_on(terms.words_of(link.around[:MAX_TEXT])) else link.text


def _sends_on(words: Iterable[str]) -> bool:
    """Return whether a sentence of these words sends its reader to another page."""
    return any(not _POINTING.isdisjoint(terms.terms_of_word(word)) for word in words)


def _is_question(text: str) -> bool:
    """Return whether a sentence or heading asks."""
    return _QUESTION.search(text.rstrip()) is not None
