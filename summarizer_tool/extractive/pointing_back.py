"""Sentences that need the one before or after them: said alone they are not understood, or mislead."""

import regex

from summarizer_tool.text.sentences import VERB

PRONOUN = regex.compile(
    r'^(He|She|It|They|His|Her|Its|Their)\b'
    r'|^(?:In|On|At|By|After|Before|During|From|Since|Until|Upon|As|Later|Then)\b[^.;:]{0,80}?, (he|she|it|they)\b'
)
POINTS_BACK = regex.compile(
    r'^(?:(?:This|These|That|Those|Such)\b(?! (?:agreement|article|book|chapter|contract|document|guide'
    r'|library|licen[cs]e|manual|memo|module|package|page|paper|policy|program|report|section|specification|tool|utility)\b)'
    r'|(?:After|At|By|Due to|During|For|From|In|Of|On|Since|To|Under|With) (?:this|these|that|those|such)\b'
    r'|(?:If|Unless) (?:not|(?:not )?(?:\p{Ll}+ed|set|unset|true|false|yes|no|given|so))\b'
    r'|(?:Both|Conversely|Instead|Otherwise|(?:Of )?[Tt]he (?:former|latter)'
    r'|The (?:same|default is))\b'
    r'|(?:Dies(?:e[mnrs]?)?\b(?! (?:Abschnitt|Artikel|Buch|Dokument|Gesetz|Richtlinie|Seite|Verordnung|Vertrag)\b)'
    r'|Ce(?:ci|la|s|lui-ci|lle-ci)|Est(?:o|os|as)|Quest[ei]|Iss?to|Isso)\b)'
)
# "This is done by the miller": of what, only the sentence before says.
BARE = regex.compile(rf'^(?:This|These|That|Those)\s+(?:(?:also|only|then)\s+)?(?:{VERB.pattern})')
# What a definition calls what it defines.
DEFINED = regex.compile(
    r'\b[Tt]his (?:argument|attribute|class|command|field|flag|function|key|keyword|macro|method|mode|option|parameter'
    r'|property|setting|type|user|group|value|variable)\b'
)
# What takes back half of what the sentence before says.
TAKES_BACK = regex.compile(r'^(?:However|Nevertheless|Whereas)\b')
# What says nothing but that the sentence before is not so: "He did not.", "Officers do not agree: …".
DENIES = regex.compile(
    r'^(?:(?:\p{Lu}\p{L}* ){0,2}(?:do|does|did|is|are|was|were|has|have|had)'
    r"(?: not|n['’]t)(?: (?:agree|so|true))?(?:[.,:;]|$)"
    r'|(?:\p{Lu}\p{L}* ){1,2}(?:found|is|was) no (?:evidence|proof|sign|truth)\b'
    r'|(?:Not so|Wrong|False|Untrue|Nein|Das stimmt nicht)\b)'
)
_SAID = (
    '(?:announced|assumed|believed|blamed|claimed|estimated|expected|given|hoped|planned|promised|proposed|put|reported|said'
    '|stated|thought|told|written)'
)
# What was said or meant before, and mostly is not so: the sentence after it says what is.
SAID_BEFORE = regex.compile(
    rf'\b(?:(?<!the )(?:(?:at )?first|initially|originally|previously) (?:\p{{L}}+ )?{_SAID}\b'
    rf'|{_SAID}\b[^.;:]{{0,30}}? (?:at first|earlier|initially|last (?:month|week|year)|originally|previously)\b'
    r"|(?:[Yy]ou may have (?:heard|read|seen)|[Ii]t(?: is|['’]s| was) (?:(?:also|often|sometimes|widely) )?"
    r'(?:assumed|believed|claimed|rumou?red|said|thought)|used to (?:say|read|state))\b'
    rf'|(?:[Ww]e|I) had {_SAID}\b|^It also (?:claimed|gave|said|stated)\b'
    r'|(?:[Aa]n|[Tt]he|[Oo]ur) (?:earlier|first|old|original|previous) (?:[\p{L}-]+ ){1,3}?'
    r'(?:claimed|gave|named|promised|put|said|stated|wrote)\b'
    r'|(?:correct|take back) (?:that|this)\b'
    r"|(?:[Nn]ous av(?:ions|ons)|[Oo]n avait|[Jj]['’]avais) (?:[\p{L}-]+ ){0,3}?(?:annoncé|dit|écrit|parlé|promis)\b"
    r"|(?:d['’]abord|initialement) (?:annoncé|cru|dit|estimé|prévu|proposé)"
    r'|(?:anfangs|ursprünglich|zuerst|zunächst)\b[^.;:]{0,60}?\b(?:angenommen|angekündigt|behauptet|genannt|geplant'
    r'|geschrieben|gesagt|geschätzt|hieß|vermutet)\b)'
)
# "CARRIED 5-2.", "Rejected.", "Moved Orme, seconded Brook.": what became of what stands before.
OUTCOME = regex.compile(
    r'^(?:(?:[Nn]ot )?(?i:accepted|adopted|agreed|approved|carried|declined|defeated|failed|lost|passed|rejected|tabled'
    r'|(?:so )?moved|withdrawn)\b|(?:Einstimmig |Mehrheitlich )?(?i:abgelehnt|angenommen|vertagt|zurückgezogen)\b'
    r"|(?i:adoptée?|rejetée?|retirée?|approuvée?)\b)(?!['’:])[^.:]{0,60}\.?$"
    r'|^The (?:amendment|motion|proposal|resolution) \p{Ll}{4,9}\.$'
    r'|^(?:[^.:]{0,90} )?(?:withdrew|withdraws) (?:the|her|his|their) (?:amendment|motion|proposal|resolution)\.$'
)
