"""The words that deny, or nearly do, in one table for all that holds two statements against each other."""

from typing import Final

import regex

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

NO_DENIALS: Final = (('sin', 'embargo'), ('non', 'loin'), ('sans', 'doute'), ('sans', 'cesse'), ('pas', 'de', 'calais'))
"""Phrases with such a word in which it denies nothing."""

IN_HAN: Final = regex.compile('[不没沒未无無非勿别別]')
"""What denies in Chinese, where words have no spaces between them."""


def is_negation(word: str) -> bool:
    """Return whether a word in small letters denies what stands beside it, by itself (`nicht`, `didn't`)."""
    return word in NEGATIONS or word.endswith(("n't", 'n’t'))
