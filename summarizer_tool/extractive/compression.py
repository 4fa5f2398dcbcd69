"""Shorter ways to say a sentence that keep what it states: whole clauses and asides go, what stays keeps its order."""

from itertools import islice

import regex

from summarizer_tool.text.sentences import is_whole

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
_LEAD_CLAUSE = regex.compile(
    r'^(?:After|Although|Because|During|Following|Since|Though|Upon)\b[^,;:()"]{3,100}, (?=\S)'
)
# Within a clause what stands in square brackets is a word of it: `rule [family] table`, "[She] left".
_ASIDE = regex.compile(r' \([^()]{0,300}\)| ?\[[^\[\]]{0,300}\](?=\s*(?:$|[\p{P}\[])|$)| ?\[\d[\d\s,–-]{0,20}\]')
_EMPTY_ASIDE = regex.compile(r' [(\[][\s,;:]{0,20}[)\]]|(?<![\w\])])[(\[][\s,;:]{0,20}[)\]]')
_INNER_CLAUSE = regex.compile(
    r', (?:which|who|whose|where|when|a|an|the|then|now|including|such as)\b[^,;:()"]{3,120},'
    r'(?= (?!(?:and|or|nor|including|such|which|who|whose|where|when|with|as|a|an|the'
    r'|since|because|so|but|if|unless|while|though|although|until|that|to'
    r'|\p{Ll}+ing)\b)\p{Ll})'
)
# "When it ends, the machine is restarted, ready for use", "In that year, a flood came, which …": what such an opening
# leads to is the sentence itself, and so is what has a verb that stands by itself.
_OPENS = regex.compile(
    r'^(?:When|Whenever|If|While|Once|As|In|On|At|By|For|With|Within|From|Under|Over|Between|Before|After|Until|Since|Because'
    r'|Although|Though|To|Where|Unless|Given|Despite|During|Upon|Like|Unlike|Instead|Rather|Among|Along|Through|Throughout'
    r'|Thanks|According|Depending|Then|Now|Here|There|Later|Today|\p{Lu}\p{Ll}+(?:ing|ed|ly))\b[^,]*$'
)
_ARTICLE = regex.compile(r', (?:a|an|the|then|now)\b')
_FINITE = regex.compile(
    r"\b(?:is|are|was|were|has|have|had|will|would|can|could|may|might|must|shall|should|does|do|did)\b|n't\b"
)
# Clauses that only add. One that takes back, doubts or limits what stands before it ("although", "until", "if", "as X
# claimed") is never cut, since what is left would say something else.
_TRAILING = regex.compile(
    r'[,;] (?:and )?(?:which|who|whose|where|because|with|since|including|such as|especially|particularly'
    r'|\p{Ll}{3,}ing)\b| (?:because|so that|in order to|by \p{Ll}+ing) |; | [–—] '
)
_LIMITS = regex.compile(
    r'\b(?:not?|never|none|nor|without|but|although|though|however|yet|unless|until|if|when|while|whereas|except\p{L}*'
    r'|exclud\p{L}+|only|pending|assuming|depending|provided|barring|according|falsely|wrongly|supposed\p{L}*|allege\p{L}*'
    r'|reported\p{L}*|claim\p{L}*|den(?:y|ied|ies|ying)|disput\p{L}+|overturn\p{L}*|cancel\p{L}*|revok\p{L}+|revers\p{L}+'
    r"|annul\p{L}*|repeal\p{L}*|retract\p{L}*|later|instead|former\p{L}*)\b|n['’]t\b",
    regex.IGNORECASE,
)
_DASHES = (' – ', ' — ')
# "He did this mainly", "It was known both".
_LEADS_ON = regex.compile(r'\b(?:\p{Ll}{3,}ly|just|even|also|both|either|partly|then)\.$')
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
    bases = dict.fromkeys((full, bare, plain, spare, main))
    forms = dict.fromkeys(bases)
    for form in bases:
        for match in islice(_TRAILING.finditer(form), MAX_FORMS):
            head = ended(form[: match.start()])
            limits = _LIMITS.search(form, match.start())
            is_aside = match.group() in _DASHES and sum(form.count(dash) for dash in _DASHES) > 1
            if (
                _is_balanced(head)
                and is_whole(head)
                and not (limits or is_aside or _HALF.search(head) or _LEADS_ON.search(head))
            ):
                forms.setdefault(head)
    return [ended(form) for form in list(forms)[:MAX_FORMS] if form]


def _unless_limiting(match: regex.Match[str]) -> str:
    """Drop an aside or clause, unless it takes back or limits what is said around it."""
    return match.group() if _LIMITS.search(match.group()) else ''


def _unless_needed(match: regex.Match[str]) -> str:
    """Drop a clause, unless it limits what is said, or is what the sentence says."""
    is_main = _FINITE.search(match.group()) or _OPENS.match(match.string[: match.start()])
    return match.group() if is_main and _ARTICLE.match(match.group()) else _unless_limiting(match)


def _is_balanced(text: str) -> bool:
    return text.count('(') == text.count(')') and text.count('"') % 2 == 0 and text.count('“') == text.count('”')


def ended(text: str) -> str:
    """`text` as a sentence: with a full stop, unless it ends with one, or with what closes it."""
    text = text.rstrip(' ,;:')
    return text if text.endswith(_ENDINGS) else f'{text}.'
