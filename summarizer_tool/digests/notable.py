"""Words that make a line notable where few lines have them."""

import re
from functools import lru_cache

_WENT_WRONG = r"""
err(?:or|ors|ed)?|fail(?:s|ed|ure|ures|ing)?|fatal|panic|crash(?:e[ds]|ing|loop\w*)?|exception|denied|refused|reject(?:ed)?
time[d-]?\s?-?out|unreachable|unavailable|unhealthy|unknown|oom\w*|killed|evicted|backoff|imagepull\w*|errimage\w*
degraded|corrupt\w*|invalid|expired|missing|aborted?|cancel+ed|dead|down|offline|stale|stuck|critical|severe
violat\w+|mismatch\w*|exceeded|overflow|deadlock\w*|leak\w*|lost|broken|notready|pending|terminat(?:e[ds]?|ing|ion)|suspended
"""
_IS_DIFFERENT = r"""
delet\w+|remov(?:e|ed|ing)|dropp?(?:ed|ing)|purg\w+|wip(?:ed|ing)|eras\w+|truncat\w+|disabl\w+|off
stopp(?:ed|ing)|shutdown|kill(?:s|ing)?|restart\w*|reboot\w*|revert\w*|rollback|downgrad\w*
replac(?:ed|ing)|overrid\w+|overrode|overwr\w+|bypass\w*|skip\w*|ignor\w+|forced|forcing|sudo|unauthori[sz]ed
forbidden|block(?:ed|ing)|banned|revok\w+|suspicious|malicious|attack\w*|tamper\w*|hidden|expos\w+|insecure
undefined|undeclared|unresolved|untrusted|unsigned|unverified
deprecat\w+|vulnerab\w+|retr(?:y|ied|ying)|re-?attempt\w*|slow(?:ly|ed|er)?
stall(?:s|ed|ing)?|hung|throttl\w+|exceed\w*|exhaust\w*|insufficient|vanish\w+|orphan\w*|duplicate\w*|conflict\w*
collision\w*|inconsisten\w+|bad|wrong|unexpected\w*|unusual|abnormal\w*|anomal\w+|illegal|malformed|damag\w+
realloc\w+|unreadable|uncorrectable|reset|disconnect\w*|fallback|failover|emergency|segfault|zombie
defunct|manual\w*|unsupported|obsolete|outdated|temporar\w+|unlock\w*|escalat\w+|grant(?:ed|ing)|privileged
cannot|unable|unplugged|unmounted|withdrawn|yanked|misconfig\w+|non-default
"""


def _words(*lists: str) -> str:
    said = '|'.join('|'.join(each.split('\n')[1:-1]) for each in lists)
    parts = 'CrashLoop|BackOff|OOM|NotReady|Err[A-Z]|Unknown|(?<=[A-Za-z])(?:Error|Exception|Fail(?:ed|ure)?)(?![a-z])'
    return rf'(?<![\w@/-])(?i:{said})(?![\w@/-])|{parts}'


BAD = re.compile(_words(_WENT_WRONG))
"""Words that say something went wrong, unless they are part of a name."""

_NOTABLE = re.compile(_words(_WENT_WRONG, _IS_DIFFERENT))
_PHRASE = re.compile(
    r'(?i)(?<!\w)(?:not found|no such|could not|instead of|(?:turn|shut|roll)\w* (?:off|down|back))(?!\w)'
)
_WORD = re.compile(r'[^\s,;:=()\[\]{}<>"\'|]+')


@lru_cache(maxsize=65_536)
def _is_notable(word: str) -> bool:
    return _NOTABLE.search(word) is not None


def notable_words(text: str) -> set[str]:
    """The words of a text, in lower case, of what went wrong, was taken away, changed by hand or got around."""
    found = {word.lower().strip('.!?') for word in _WORD.findall(text) if word[0] != '/' and _is_notable(word)}
    return found | {phrase.lower() for phrase in _PHRASE.findall(text)}
