"""English verbs that are not told by their endings: what `stem` cannot bring together."""

from functools import lru_cache

from summarizer_tool.text.terms import stem

_IRREGULAR = """
arise arose arisen; awake awoke awoken; bear bore borne; become became; begin began begun; bend bent; bind bound; bite
bit bitten; bleed bled; blow blew blown; break broke broken; breed bred; bring brought; build built; buy bought; catch
caught; choose chose chosen; come came; creep crept; deal dealt; dig dug; do did done; draw drew drawn; drink drank
drunk; drive drove driven; eat ate eaten; fall fell fallen; feed fed; feel felt; fight fought; find found; flee fled;
fly flew flown; forbid forbade forbidden; forget forgot forgotten; forgive forgave forgiven; freeze froze frozen; get
got gotten; give gave given; go went gone; grind ground; grow grew grown; hang hung; hear heard; hide hid hidden; hold
held; keep kept; know knew known; lay laid; lead led; leave left; lend lent; lie lay lain; light lit; lose lost; make
made; mean meant; meet met; mistake mistook mistaken; overcome overcame; overtake overtook overtaken; pay paid; prove
proven; repay repaid; ride rode ridden; ring rang rung; rise rose risen; run ran; say said; see saw seen; seek sought;
sell sold; send sent; shake shook shaken; shine shone; shoot shot; show shown; shrink shrank shrunk; sing sang sung;
sink sank sunk; sit sat; sleep slept; slide slid; speak spoke spoken; spend spent; spin spun; spring sprang sprung;
stand stood; steal stole stolen; stick stuck; strike struck stricken; strive strove striven; swear swore sworn; sweep
swept; swim swam swum; swing swung; take took taken; teach taught; tear tore torn; tell told; think thought; throw
threw thrown; understand understood; undergo underwent undergone; undertake undertook undertaken; wake woke woken;
wear wore worn; weave wove woven; win won; wind wound; withdraw withdrew withdrawn; withhold withheld; withstand
withstood; write wrote written
"""
_INFINITIVES = {form: verb for verb, *forms in map(str.split, _IRREGULAR.split(';')) for form in forms}


@lru_cache(maxsize=65_536)
def roots(word: str) -> frozenset[str]:
    """The stems that a word may have: `found` is a form of `find`, and a word of its own."""
    return frozenset((stem(word), stem(_INFINITIVES.get(word, word))))
