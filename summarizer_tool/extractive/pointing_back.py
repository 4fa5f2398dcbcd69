"""Sentences that need the one before or after them: said alone they are not understood, or mislead."""

import regex

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
    r"|[Ii]t(?: is|['’]s| was) (?:(?:also|often|sometimes|widely) )?(?:assumed|believed|claimed|rumou?red|said|thought)"
    r'|(?:[Aa]n|[Tt]he|[Oo]ur) (?:earlier|first|old|original|previous) (?:[\p{L}-]+ ){1,3}?(?:claimed|gave|said|stated)'
    rf'|(?:[Ww]e|I) had {_SAID}\b|(?:anfangs|ursprünglich|zuerst|zunächst)\b[^.;:]{{0,60}}?\b(?:ge\p{{L}}+|hieß)\b)'
)
# "CARRIED 5-2.", "Rejected.", "Moved Orme, seconded Brook.": what became of what stands before.
OUTCOME = regex.compile(
    r'^(?:(?:[Nn]ot |Einstimmig )?(?i:accepted|adopted|agreed|approved|carried|declined|defeated|failed|lost|passed'
    r"|rejected|tabled|(?:so )?moved|withdrawn|abgelehnt|angenommen|adoptée?|rejetée?)\b)(?!['’:])[^.:]{0,60}\.?$"
    r'|^The (?:amendment|motion|proposal|resolution) \p{Ll}{4,9}\.$'
)
