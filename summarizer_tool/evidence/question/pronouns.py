"""What a later part of a question means by "it": the subject of an earlier part, where that is plain."""

import regex

from summarizer_tool.text import names

MAX_SUBJECT_WORDS = 8

QUESTION_WORDS = (
    r"(?:what(?:['’]s)?|when|where|which|who(?:m|se|['’]s)?|why|how(?:['’]s)?"
    r'|wann|wo|wer|wen|wem|wessen|warum|wieso|weshalb|wie|welche[rsnm]?|woher|wohin|womit|wodurch'
    r'|quand|où|qui|pourquoi|comment|combien|quels?|quelles?'
    r'|qué|cuándo|dónde|quién(?:es)?|cómo|cuánt[oa]s?|cuál(?:es)?)'
)
VERBS = r'(?:is|are|was|were|do|does|did|can|could|should|will|would|has|have|had|may|must)'

_DET = r'(?:the|an?|this|that|these|those|its|their|our|your|my)'
# Verbs that end a question of their own accord, so that what stands before them is the subject.
_ENDING_VERB = (
    r'(?:work|run|start|stop|happen|mean|begin|end|open|close|look|live|die|cost|weigh|operate|function|perform|scale'
    r'|fail|grow|come|go|exist|differ|compare|change|help|matter)'
)
_DONE = (
    r'(?:\w{2,}ed|built|made|run|done|found|known|written|kept|held|sold|paid|bought|taught|sent|taken|given|driven|grown'
    r'|drawn|born|lost|won|set|put|cut|begun|spoken|chosen|called|led|torn|worn|hidden|destroyed)'
)
_DID = (
    r'(?:\w{2,}ed|built|made|ran|runs?|did|found|knew|wrote|kept|held|holds|sold|paid|bought|taught|sent|took|gave|drove|drew|led'
    r'|leads|lost|won|set|began|spoke|chose|discovers?|owns|invents?|\w{2,}s)'
)
_REQUEST = (
    r'(?:(?:please|can you|could you|i (?:want|need|would like) to know(?: about)?'
    r'|i[’\']m (?:asking|looking) (?:about|for)|tell me|give me|show me|find(?: out)?(?: about)?|explain|describe'
    r'|define|summari[sz]e|discuss|about)\s+){1,3}(?:about |to me )?'
)
_NP = r'(?P<np>[^,;:?()]{2,90}?)'
_TAIL = r'(?:\s+(?:in|on|at|during|since|before|after|from|by|to|for|with|into|as)\b.{0,80})?'

_SUBJECTS = tuple(
    regex.compile(rf'^{pattern}\s*[?.!:]*$', regex.IGNORECASE)
    for pattern in (
        rf'(?:what|who|where|how|when|why) (?:is|are|was|were) {_NP} (?:{_DONE}|made of|like|for){_TAIL}',
        rf'how (?:tall|high|long|wide|deep|old|big|large|heavy|fast|far|many|much|often)(?: \w+){{0,2}}'
        rf' (?:is|are|was|were) {_NP}',
        rf'(?:what|who|where)(?: exactly)? (?:is|are|was|were) {_NP}',
        rf'(?:what|where|how|when|why) (?:do|does|did|can|will) (?P<np>[^,;:?()]{{2,90}}?) {_ENDING_VERB}{_TAIL}',
        rf'how (?:many|much) \w+(?: \w+)? (?:do|does|did) {_NP}'
        r' (?:have|need|hold|use|cost|weigh|produce|contain)(?: in total)?',
        rf'how (?:many|much) \w+(?: \w+)? (?:has|have|had) {_NP}',
        rf'(?:who|what) (?:first )?(?!{VERBS}\b){_DID} (?P<np>(?:{_DET} )?[^,;:?()]{{2,80}}?){_TAIL}',
        rf'when (?:was|were|is|are) {_NP} {_DONE}{_TAIL}',
        rf'{_REQUEST}{_NP}',
        rf'(?:for|.{{0,60}}\b(?:about|regarding|concerning)) {_NP}',
        r'(?P<np>(?:the |an? )?[\w’\'-]+(?: [\w’\'-]+){0,4}?) (?:is|are|was|were|has|have|had) .{1,120}',
    )
)
_NO_SUBJECT = regex.compile(
    rf'^(?:(?:it|they|he|she|there|this|that|you|i|we|one|someone|people)\b|{_DET}$|{QUESTION_WORDS}\b)|\b{QUESTION_WORDS}\b',
    regex.IGNORECASE,
)

# "How long does it take", "is it possible": nobody is meant.
_NOBODY = (
    r'(?!\s+(?:takes?|took|possible|true|necessary|worth|better|best|safe|legal|likely|important|easy|hard|difficult'
    r'|means?|matters?|rains?|snows?)\b)'
)
_PRONOUN = regex.compile(
    rf'\b(?:(?P<owner>its|their|his|her(?=\s+\p{{L}}))|(?P<thing>it{_NOBODY}|they|them|he|she|him|her)'
    rf'|(?P<that>(?:this|that)(?=\s+(?:works?|happens?|means?|differs?|compares?|changes?|helps?)\b|\s*[?.!]*$)))\b(?![’\'-])',
    regex.IGNORECASE,
)
# In other languages a name cannot simply take the place of the word.
_FOREIGN = regex.compile(
    r'\b(?:er|es|ihn|ihm|ihr|ihre[nrms]?|sein(?:e[nrms]?)?|sie|dessen|deren|il|elle|ils|elles|lui|leurs?)\b',
    regex.IGNORECASE,
)
_UNSPACED = regex.compile('[它他她牠]|それ|彼')
_OWN_NOUN = regex.compile(rf'\b{_DET}\s+\p{{L}}+', regex.IGNORECASE)


def subject_of(part: str) -> str:
    """What a question or statement is about, if its form makes that plain.

    A noun phrase as it stands there, or the one name in it; empty if there are several or none.
    """
    for pattern in _SUBJECTS:
        if match := pattern.match(part.strip()):
            phrase = match['np'].strip(' .!?:;,')
            if 0 < len(phrase.split()) <= MAX_SUBJECT_WORDS and not _NO_SUBJECT.search(phrase):
                return phrase
    named = [name for name in names.mentions(part) if not name[0].isdigit() and not _is_opening(part, name)]
    named = [name for name in named if not any(name != other and name in other for other in named)]
    if len(named) != 1:
        return ''
    article = regex.search(rf'\b[Tt]he {regex.escape(named[0])}', part)
    return f'the {named[0]}' if article else named[0]


def standing_alone(part: str, subject: str) -> str:
    """A part of a question with what its pronoun means, which is the subject of an earlier part.

    The part as it is, if it needs nothing else; empty if it does and there is no subject.
    """
    if match := _PRONOUN.search(part):
        if match['owner'] and _OWN_NOUN.search(part[: match.start()]):
            return part  # its owner is here
        if not subject:
            return ''
        subject = subject if match.start() else subject[0].upper() + subject[1:]
        owner = f'{subject}’' if subject.endswith('s') else f'{subject}’s'
        return part[: match.start()] + (owner if match['owner'] else subject) + part[match.end() :]
    if (_is_foreign(part) and _FOREIGN.search(part)) or _UNSPACED.search(part):
        return with_context(part, subject) if subject else ''
    return part


def with_context(part: str, subject: str) -> str:
    """A part of a question, with what it is about after it in brackets."""
    end = regex.search(r'\s*[?.!]*$', part)
    at = end.start() if end else len(part)
    return f'{part[:at]} ({subject}){part[at:].strip()}' if subject else part


def _is_opening(part: str, name: str) -> bool:
    """Return whether a word is a capital letter at the beginning rather than a name."""
    return names.opens_sentence(part, name) or regex.fullmatch(QUESTION_WORDS, name, regex.IGNORECASE) is not None


def _is_foreign(part: str) -> bool:
    return regex.match(rf'(?:{QUESTION_WORDS})\b', part, regex.IGNORECASE) is not None and not regex.match(
        r'(?:what|when|where|which|who|why|how)', part, regex.IGNORECASE
    )
