"""The words of common languages that say nothing of what a question is about."""

import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from itertools import chain, pairwise
from typing import Final

_ENGLISH = """
    a about above after again against all also am an and any are as at be because been before being below
    between both but by can could did do does doing down during each either else etc few for from further get
    had has have having he her here hers herself him himself his how i if in into is it its itself just let me
    more most my myself no nor not now of off on once only or other our ours ourselves out over own please same
    she should so some such tell than that the their theirs them themselves then there these they this those
    through to too under until up upon us very was we were what when where whether which while who whom whose
    why will with within without would you your yours explain describe summarize summarise don doesn didn isn aren
    wasn weren hasn haven couldn wouldn shouldn may might must done make made much many two us used use well yes
    okay oh um uh yeah hm hmm mhm huh erm
"""

_GERMAN = """
    aber als am an auch auf aus bei bin bis bist da damit dann das dass dein dem den der des die dies diese
    diesem diesen dieser dieses doch du durch ein eine einem einen einer eines er es fur hat hatte hier ich ihm
    ihn ihr ihre im in ist ja kann mit nach nicht noch nur ob oder ohne sein seine sich sie sind so uber um und
    uns unter vom von vor wann warum was welche welcher welches wenn wer wie wir wird wo wurde wurden zu zum
    zur zwischen
"""

_FRENCH = """
    au aux avec ce ces cette chez comme dans de des donc du elle en est et etaient etait ete il ils je la le
    les leur lui mais ne nous on ont ou par pas plus pour pourquoi quand que quel quelle quels qui quoi sa sans
    se ses son sont sur une vous
"""

_SPANISH = """
    al con como cual cuando cuales da de del donde e el ella en entre era es esta este fue ha hay la las lo los
    mas no nos o para pero por porque que quien quienes se ser si sin sobre son su sus un una y
"""

_PORTUGUESE = """
    a ao aos as com como da das de do dos e ela ele em entre era esta este foi ha mais na nas no nos o os ou
    para pela pelo per pode por porque qual quais quando que quem se sem ser sobre sua um uma
"""

_ITALIAN = """
    a al alla che chi come con cosa da dal dalla dei del della delle di dove e ed era fra gli ha i il in io la
    le lo ma nel nella non o per perche piu quale quali quando se si sono su sua suo sul tra un una uno
"""

_DUTCH = """
    aan bij dat de deze die dit door een en er het hij hoe hun ik in is maar met naar niet of om onder ook op
    over te tot uit van voor waar waarom wanneer wat welk welke werd wie wij worden zijn
"""

_ARABIC = """
    من في على الى إلى عن ما ماذا متى أين اين كيف هل هو هي هم هذا هذه ذلك تلك التي الذي الذين كان كانت أن ان إن لا لم لن
    و أو او ثم قد كل بعد قبل بين عند مع كم لماذا أي اي
"""

_SPACELESS = """
    から まで です ます ました ません でした する した して される られる れます できる いる いた ある あった ない なる
    なった こと もの ので のは のに には では とは とか など この その あの どの ため ような ですか ますか るか
    どこ いつ だれ 什么 怎么 怎样 如何 哪里 哪儿 哪个 哪些 是否 可以 多少 为什么 为何 这个 那个
"""
PARTICLES: Final = frozenset(map(''.join, chain.from_iterable(map(pairwise, _SPACELESS.split()))))
"""Pairs of letters of the same, and of particles, in Japanese and Chinese."""

FILLERS: Final = frozenset(
    """
    across actually almost along alongside already although always among amongst around aside away beside besides beyond
    concerning despite especially even ever exactly generally hence however indeed instead mainly maybe meanwhile
    moreover mostly nearly never often onto otherwise particularly per perhaps quite rather really regarding several
    since sometimes still therefore though throughout thus together toward towards usually various versus via whatever
    whenever wherever whichever yet
    """.split()  # noqa: SIM905
)
"""English words beside the stop words on which no quote rests; in a search they may tell two texts apart."""

_LANGUAGES: Final = {
    code: frozenset(words.split())
    for code, words in {
        'en': _ENGLISH,
        'de': _GERMAN,
        'fr': _FRENCH,
        'es': _SPANISH,
        'pt': _PORTUGUESE,
        'it': _ITALIAN,
        'nl': _DUTCH,
        'ar': _ARABIC,
    }.items()
}


ENGLISH: Final = _LANGUAGES['en']


def language_of(words: Iterable[str]) -> str:
    """The language that most of the words are stop words of, by its ISO code; `en` where they are of none."""
    times = Counter(words)
    return max(_LANGUAGES, key=lambda code: sum(times[word] for word in _LANGUAGES[code] if word in times))


@lru_cache(maxsize=16_384)
def is_stop_word(word: str, language: str) -> bool:
    """Return whether a word is one of the stop words of a language, whose ISO code is among the known ones."""
    letters = unicodedata.normalize('NFD', word.casefold())
    return ''.join(letter for letter in letters if not unicodedata.combining(letter)) in _LANGUAGES[language]


def stop_words(words: Iterable[str]) -> frozenset[str]:
    """The stop words of the language that a question is in.

    One language's, since a word that says nothing in one may be the very thing in another: `die`, `door`, `son`.
    """
    return _LANGUAGES[language_of(words)]
