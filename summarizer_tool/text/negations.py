"""The words that deny or turn what is said, in one table for all that holds two statements against each other."""

from collections.abc import Sequence
from typing import Final

import regex

from summarizer_tool.text.normalize import NUMBER_WORDS

ENGLISH: Final = frozenset('not never no cannot without neither nor none nobody nothing nowhere'.split())  # noqa: SIM905
# Without the French "ne", which denies nothing by itself: "ne … que 3", "à moins qu'il ne vienne".
NEGATIONS: Final = ENGLISH.union(
    """
    nicht kein keine keinen keinem keiner keines nie niemals niemand nichts nirgends nirgendwo ohne weder
    pas jamais aucun aucune sans rien ni nulle
    nunca jamás ningún ninguno ninguna nada nadie sin tampoco
    não nenhum nenhuma ninguém sem nem
    non nessun nessuno nessuna niente nulla senza
    niet geen nooit niemand niets zonder
    inte ej aldrig utan ingen inga ikke uden
    не нет ни никогда никто ничего нельзя без
    nie nigdy bez žádný není
    değil yok
    لا لم لن ليس ليست بدون دون
    """.split()  # noqa: SIM905
)
RARELY: Final = frozenset(
    """
    hardly rarely seldom barely scarcely kaum selten rarement guère raramente zelden nauwelijks sällan sjældent редко
    едва rzadko نادرا
    """.split()  # noqa: SIM905
)
"""What they say is that something does not hold, as a rule."""
ONLY: Final = frozenset('only nur seulement solo sólo só soltanto alleen bara kun только tylko فقط'.split())  # noqa: SIM905
"""What follows "not" without being denied."""

TURNS: Final = RARELY.union(
    """fail refuse reject deny decline lack lose miss prevent avoid prohibit ban forbid stop cease end abandon oppose
    only few little except unless until former formerly instead rather absent absence unable impossible unknown unlike
    dismiss cancel leave remain yet before exclude away least free false untrue""".split()  # noqa: SIM905
)
"""What says without a negation what another text says with one."""
LEADING: Final = frozenset(
    'before after since until till over under above below up down in out off on to from by with for against'.split()  # noqa: SIM905
)
"""What leads to a thing, and tells where it is to another one."""
COUNTS: Final = NUMBER_WORDS.keys() | frozenset(
    """hundred thousand million billion dozen half twice more less fewer most least all each every both either some few
    many any first last former latter""".split()  # noqa: SIM905
)
"""How many or which of the things that a sentence names are meant."""
_TURNING = NEGATIONS.union(TURNS, ONLY, COUNTS).difference(LEADING) | frozenset(
    """if may might could would should too almost nearly allegedly presumed presumably supposedly reportedly possibly
    perhaps ex""".split()  # noqa: SIM905
)
OPPOSITES: Final = (
    ('before', 'after'), ('over', 'under'), ('above', 'below'), ('over', 'below'), ('under', 'above'), ('up', 'down'),
    ('more', 'less'), ('more', 'fewer'), ('most', 'least'), ('first', 'last'), ('open', 'close'), ('rise', 'fall'),
    ('increase', 'decrease'), ('grow', 'shrink'), ('import', 'export'), ('pass', 'fail'), ('win', 'lose'),
    ('accept', 'reject'),
)  # fmt: skip
"""Words of which one in the other's place makes the opposite statement."""
_SMALL: Final = frozenset(('a', 'an', 'the', 'of'))

NO_DENIALS: Final = (('sin', 'embargo'), ('non', 'loin'), ('sans', 'doute'), ('sans', 'cesse'), ('pas', 'de', 'calais'))
"""Phrases with such a word in which it denies nothing."""

IN_HAN: Final = regex.compile('[不没沒未无無非勿别別]')
"""What denies in Chinese, where words have no spaces between them."""


def is_negation(word: str) -> bool:
    """Return whether a word in small letters denies what stands beside it, by itself (`nicht`, `didn't`)."""
    return word in NEGATIONS or word.endswith(("n't", 'n’t'))


def says_no_more(less: Sequence[str], more: Sequence[str]) -> bool:
    """Return whether one text says no more than another, of which the words in small letters are given, in order.

    It has no other words, in the same order, or its end stands before its beginning (`In 1963, …`). What the other one
    has beside them turns nothing: "dead" says no more than "dead since 413", but something else than "not dead", "dead
    before 413" something else than "dead 413", and "betrayed by Ada" than "betrayed Ada".
    """
    less, more = ([word for word in words if word not in _SMALL] for words in (less, more))
    if len(less) == len(more):
        return any(less == more[place:] + more[:place] for place in range(len(more)) if more[place] == less[0])
    at, leads = 0, False
    for word in more:
        if less[at : at + 1] == [word]:
            if leads:
                return False
            at += 1
        elif not word[0].isalnum() or word in _TURNING or is_negation(word) or IN_HAN.search(word):
            return False
        else:
            leads = word in LEADING
    return at == len(less) and not leads
