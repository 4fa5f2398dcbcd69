"""Shorter ways to say a sentence that keep what it states: whole clauses and asides go, what stays keeps its order."""

from itertools import islice

import regex

from summarizer_tool.text.sentences import VERB, is_whole

MAX_FORMS = 6
"""Forms of one sentence; more would only differ by a word."""

_LEAD = regex.compile(
    r'^(?:(?:However|In addition|Additionally|Furthermore|Moreover|Also|Therefore|Thus|Eventually|Subsequently'
    r'|As a result|For example|For instance|Meanwhile|Nevertheless|Nonetheless|Finally|Indeed|Interestingly|Notably'
    r'|Of course|In fact|Consequently|Similarly|Likewise|Note that|It should be noted that|It is worth noting that'
    r'|Well|Yeah|Yes|Oh|Okay|OK|Right|So|Um|Uh|I mean|You know)\s?,|(?:And|But|So|Or)\b(?!\s+on\b))\s+(?=\S)',
)
# What is written in small letters wherever it stands.
IDENTIFIER = regex.compile(r'^\p{Ll}(?=\w*(?:[_.:(/-]\w|\d|\())')
# What always holds after something does not hold before: "After a transfer, the cache is saved".
_LEAD_CLAUSE = regex.compile(
    r'^(?:Although|Because|Since|Though|(?:After|During|Following|Upon)\b(?!.*\b(?:is|are|can|may|must|will|shall|should)\b))'
    r'\b[^,;:()"]{3,100}, (?=\S)'
)
# Within a clause what stands in square brackets is a word of it: `rule [family] table`, "[She] left".
_ASIDE = regex.compile(r' \([^()]{0,300}\)| ?\[[^\[\]]{0,300}\](?=\s*(?:$|[\p{P}\[])|$)| ?\[\d[\d\s,–-]{0,20}\]')
_EMPTY_ASIDE = regex.compile(r' [(\[][\s,;:]{0,20}[)\]]|(?<![\w\])])[(\[][\s,;:]{0,20}[)\]]')
# A verb follows: else what stands between the commas is one of several ("the commands, which include cp, sync, …").
_INNER_CLAUSE = regex.compile(
    r', (?:which|who|whose|where|when|a|an|the|then|now|including|such as)\b[^,;:()"]{3,120},(?= \p{Ll})'
)
_GOES_ON = regex.compile(rf' (?:\p{{Ll}}+ly |also )?(?!\p{{Ll}}+ed by\b)(?:{VERB.pattern})')
_ARTICLE = regex.compile(r', (?:a|an|the|then|now)\b')
# Clauses that only add. One that takes back, doubts or limits what stands before it ("although", "until", "if", "as X
# claimed") is never cut, since what is left would say something else.
_TRAILING = regex.compile(
    r'[,;] (?:and )?(?:which|who|whose|where|because|with|since|including|such as|especially|particularly)\b'
    r'|[,;] (?!nothing\b)\p{Ll}{3,}ing\b| (?:because|so that|in order to|by \p{Ll}+ing) |; (?!and\b|or\b)| [–—] (?!\d)'
)
# "By copying, moving or deleting it", "a number, string or list": a part is said for all of them.
_COORDINATED = regex.compile(
    r', \p{Ll}+ing(?:(?: \p{L}+){0,2},? (?:and|or|nor)\b|,|[^.;:]* (?:and|or|nor) \p{Ll}+ing\b)'
)
# What a purpose or a means without a comma belongs to: "must be set in order to run", "cannot be opened by pushing".
_BOUND = regex.compile(r'\b(?:must|should|need\p{L}*|requir\p{L}+|cannot|ha(?:s|ve) to)\b')
_LIMITS = regex.compile(
    r'\b(?:not?|never|none|nor|without|but|although|though|however|yet|unless|until|if|when|while|whereas|except\p{L}*'
    r'|exclud\p{L}+|only|pending|assuming|depending|provided|barring|according|falsely|wrongly|supposed\p{L}*|allege\p{L}*'
    r'|reported\p{L}*|claim\p{L}*|den(?:y|ied|ies|ying)|disput\p{L}+|overturn\p{L}*|cancel\p{L}*|revok\p{L}+|revers\p{L}+'
    r"|annul\p{L}*|repeal\p{L}*|retract\p{L}*|later|instead|former\p{L}*)\b|n['’]t\b",
    regex.IGNORECASE,
)
_DASHES = (' – ', ' — ')
# "He did this mainly", "It was known both", "It behaves as", "which you need", "an API for creating".
_LEADS_ON = regex.compile(
    r'\b(?:\p{Ll}{3,}(?:ly|ing)|just|even|also|both|either|partly|then|as|at|from|into|than|that|via|per|between|against'
    r'|needs?|uses?|makes?|takes?|gives?|gets?|lets?|has|have|provides?|requires?|contains?|includes?|allows?|is|are|be'
    r'|was|were|been)\.$'
)
# "The file, which you need", "If it is not set": the sentence itself has yet to come.
_OPEN_CLAUSE = regex.compile(
    r', (?:which|who|whose|where|when|as)\b[^,]*\.$'
    r'|^(?:If|When|Whenever|While|Once|Unless|Although|Though|To|For)\b[^,]*\.$'
)
# "Both favourite helpers — as well as …": what comes in two parts is cut with neither.
_HALF = regex.compile(r'\b(?:(?:both|either|not only)\b(?!.*\b(?:and|or|but)\b)|so that\b)')
_ENDINGS = tuple(f'{stop}{close}' for stop in '.!?…。！？؟।' for close in ('', '"', '”', '’', "'", ')', '」', '»'))


def tidy(text: str) -> str:
    """Take off leads such as "However," and what an extraction left empty, and begin with a capital."""
    while lead := _LEAD.match(text):
        text = text[lead.end() :]
    if '(' in text or '[' in text:
        text = _EMPTY_ASIDE.sub('', text)
    text = text.strip(' ,;')
    return text if IDENTIFIER.match(text) else text[:1].upper() + text[1:]


def variants(text: str) -> list[str]:
    """The sentence, tidied, and its shorter forms, `MAX_FORMS` in all; each is made of its words, in order."""
    bare = plain = full = tidy(text)
    if ('(' in full or '[' in full) and _is_balanced(full):
        bare = _ASIDE.sub(lambda m: m.group() if any(map(str.isdigit, m.group())) else _unless_limiting(m), full)
        plain = _ASIDE.sub(_unless_limiting, full)
    spare = _INNER_CLAUSE.sub(_unless_needed, bare) if ', ' in bare else bare
    opening = _LEAD_CLAUSE.match(spare)
    clause = spare[opening.end() :] if opening else spare
    main = tidy(clause)
    bases = [full, *(base for base in (bare, plain, spare, main) if base != full and not _LEADS_ON.search(ended(base)))]
    forms = dict.fromkeys(bases)
    for form in dict.fromkeys(bases):
        for match in islice(_TRAILING.finditer(form), MAX_FORMS):
            head = ended(form[: match.start()])
            if _stands(head) and not _is_needed(match, head):
                forms.setdefault(head)
    return [ended(form) for form in list(forms)[:MAX_FORMS] if form]


def _unless_limiting(match: regex.Match[str]) -> str:
    """Drop an aside or clause, unless it takes back or limits what is said around it."""
    return match.group() if _LIMITS.search(match.group()) else ''


def _unless_needed(match: regex.Match[str]) -> str:
    """Drop a clause, unless it limits what is said, or is what the sentence says."""
    is_main = _ARTICLE.match(match.group()) and VERB.search(match.group())
    goes_on = _GOES_ON.match(match.string, match.end())
    return match.group() if is_main or not goes_on else _unless_limiting(match)


def _stands(head: str) -> bool:
    """Return whether the beginning of a sentence is one."""
    if not (_is_balanced(head) and is_whole(head)) or _HALF.search(head) or _LEADS_ON.search(head):
        return False
    opened = _OPEN_CLAUSE.search(head)
    return opened is None or is_whole(ended(head[: opened.start()]))


def _is_needed(match: regex.Match[str], head: str) -> bool:
    """Return whether what begins at `match` limits its head, or is one of several things that this begins to name."""
    form, mark = match.string, match.group()
    if _LIMITS.search(form, match.start()) or _COORDINATED.match(form, match.start()):
        return True
    if mark in _DASHES and sum(form.count(dash) for dash in _DASHES) > 1:
        return True
    if mark == '; ':
        return ': ' in head
    return mark[0] == ' ' and mark not in _DASHES and bool(_BOUND.search(head) or _LIMITS.search(head))


def _is_balanced(text: str) -> bool:
    return text.count('(') == text.count(')') and text.count('"') % 2 == 0 and text.count('“') == text.count('”')


def ended(text: str) -> str:
    """`text` as a sentence: with a full stop, unless it ends with one, or with what closes it."""
    text = text.rstrip(' ,;:')
    return text if text.endswith(_ENDINGS) else f'{text}.'
