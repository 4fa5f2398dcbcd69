"""Sentences that need the one before them: said alone they are not understood, or mislead."""

import regex

PRONOUN = regex.compile(
    r'^(?|(He|She|It|They|His|Her|Its|Their)\b'
    r'|(?:In|On|At|By|After|Before|During|From|Since|Until|Upon|As|Later|Then)\b[^.;:]{0,80}?, (he|she|it|they)\b)'
)
POINTS_BACK = regex.compile(
    r'^(?:(?:However|Nevertheless|Whereas)\b'
    r'|(?:This|These|That|Those|Such)\b(?! (?:agreement|article|book|chapter|contract|document|guide'
    r'|library|licen[cs]e|manual|memo|module|package|page|paper|policy|program|report|section|specification|tool|utility)\b)'
    r'|(?:After|At|By|Due to|During|For|From|In|Of|On|Since|To|Under|With) (?:this|these|that|those|such)\b'
    r'|(?:If|Unless|When) (?:none|not|(?:not )?(?:\p{Ll}+ed|set|unset|true|false|yes|no|given|so))\b'
    r'|(?:Both|Conversely|For (?:similar|the same) reasons?|In contrast|Instead|Likewise|Otherwise|Similarly'
    r'|(?:Of )?[Tt]he (?:former|latter)|To \p{Ll}+ (?:\p{Ll}+ of )?(?:it|them)'
    r'|The (?:same|default is))\b'
    r'|Da(?:bei|durch|mit|nach|zu)\b'
    r'|(?:Dies(?:e[mnrs]?)?\b(?! (?:Abschnitt|Artikel|Buch|Dokument|Gesetz|Richtlinie|Seite|Verordnung|Vertrag)\b)'
    r'|Ce(?:ci|la|s|lui-ci|lle-ci)|(?:(?:Es )?[Pp]or )?[Ee]st?(?:o|os|as)|Quest[ei]|Iss?to|Isso)\b)'
)
# What says nothing but that the sentence before is not so: "He did not.", "Officers do not agree: …".
DENIES = regex.compile(
    r'^(?:(?:\p{Lu}\p{L}* ){0,2}(?:do|does|did|is|are|was|were|has|have|had)'
    r"(?: not|n['’]t)(?: (?:agree|so|true))?(?:[.,:;]|$)"
    r'|(?:\p{Lu}\p{L}* ){1,2}(?:found|is|was) no (?:evidence|proof|sign|truth)\b'
    r'|(?:Not so|Wrong|False|Untrue|Nein|Das stimmt nicht)\b)'
)
