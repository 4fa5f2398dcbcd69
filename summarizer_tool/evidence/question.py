"""What is asked of the pages of a collection, how far one may go for it, to which hosts, and what its terms weigh."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

import regex

from summarizer_tool.errors import RequestError
from summarizer_tool.text import terms
from summarizer_tool.text.addresses import host_of, port_of

ResearchMode = Literal['fast', 'auto', 'deep']

MAX_CHARACTERS = 10_000
"""Of a question, an intent or constraints; what is longer is a text to be stored."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, and how far one may go for it."""

    text: str
    """In the asker's words."""
    intent: str = ''
    """What the answer is for."""
    constraints: str = ''
    """What the answer must keep to. Links are followed only to hosts that it names, if it names any."""
    expansion_budget: int | None = None
    """Pages that may be had by following links; `None`, and at most: `answer_max_pages` of the settings."""
    mode: ResearchMode = 'auto'
    """`fast` follows no links, `auto` while the evidence is not enough, `deep` until it does not grow any more."""
    top_k: int = 30
    """Passages that are wanted."""
    room: int = 0
    """Tokens that all of the sources together may have to be given whole; 0: never."""

    @property
    def aside(self) -> str:
        """Words that a good passage may have, but need not: without hosts, which stand in no text."""
        return ' '.join(filter(None, (self.intent.strip(), without_hosts(self.constraints))))


def check_length(**texts: str) -> None:
    """Raise a `RequestError` where a parameter is a text of its own, which would take long to look for."""
    for name, text in texts.items():
        if len(text) > MAX_CHARACTERS:
            raise RequestError(
                f'{name} has {len(text):,} characters, over {MAX_CHARACTERS:,}; shorten it, or store the text with '
                'add_source and ask about that'
            )


_NAME = r'(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.){1,6}\p{L}{2,24}'
_NUMBERS = r'\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:.]{2,45}\]'
_HOST = regex.compile(
    rf'(?<![\p{{L}}\p{{N}}@._/-])(?P<site>-?\s?site:\s?)?(?P<scheme>https?://)?(?:\*\.)?'
    rf'(?P<host>{_NAME}|localhost|{_NUMBERS})(?P<port>:\d{{1,5}})?(?![\p{{L}}\p{{N}}@]|\.\p{{L}}|\()',
    regex.IGNORECASE,
)
# How hosts end, beside two letters and other scripts; one of another name (`os.environ`) needs `site:` or `https://`.
_DOMAINS = frozenset(
    """com net org edu gov mil int info biz museum coop aero jobs travel asia app dev page blog wiki cloud online site
    tech store shop xyz club live news media games game world life design art agency studio academy school university
    science systems software solutions services support network tools team today works zone guide help community
    foundation global international earth city example test invalid local internal lan localhost""".split()  # noqa: SIM905
)
# How names of files end.
_FILE_ENDINGS = frozenset(
    """md js ts py sh txt pdf html htm php asp aspx jsp json xml yaml yml csv toml ini cfg conf zip gz tar exe dll java
    cpp hpp css scss vue doc docx xls xlsx ppt pptx png jpg jpeg gif svg mp3 mp4 log sql lock env
    rc go cc hs rb""".split()  # noqa: SIM905
)
_NOT = regex.compile(
    r'\b(?:not|no|never|without|except(?: for)?|excluding|exclude|avoid|skip|ignore|ignoring|other than|rather than'
    r"|instead of|nothing (?:from|on)|don[’']?t|nicht|kein\w*|ohne|außer|pas|sans|sauf|no|sin|excepto)\b",
    regex.IGNORECASE,
)
# A sentence ends what a negation reaches; a full stop inside a host is followed by a letter.
_END = regex.compile(
    r'[;!?\n]|\.(?:\s|$)|\b(?:but|only|just|aber|nur|mais|seulement|pero|solo|sólo)\b', regex.IGNORECASE
)
# What is liked better is no limit.
_PREFERRED = regex.compile(
    r'\b(?:prefer\w*|ideally|if possible|start(?:ing)? (?:with|from|at)|such as|for example|e\.g\.|vorzugsweise'
    r'|am liebsten)',
    regex.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Scope:
    """Where links may lead."""

    only: tuple[str, ...] = ()
    """Hosts, perhaps with a port, of which one must be a link's own or the parent of its own; none: all are allowed."""
    never: tuple[str, ...] = ()
    """Hosts that are left out, with all below them."""

    def allows(self, url: str) -> bool:
        """Return whether a link may be followed."""
        if any(_is_at(url, place) for place in self.never):
            return False
        return not self.only or any(_is_at(url, place) for place in self.only)


def scope_of(constraints: str) -> Scope:
    """Read the hosts to keep to and to leave out from constraints such as `only docs.example.org, not before 2019`.

    Hosts come in lower case without `www.`, in order. A file name (`notes.md`), one of a program (`os.environ`) or an
    e-mail address is no host.
    """
    only: dict[str, None] = {}
    never: dict[str, None] = {}
    begin = 0
    is_denied = is_preferred = False
    for match in _HOST.finditer(constraints):
        before = constraints[begin : match.start()]
        begin = match.end()
        if endings := list(_END.finditer(before)):
            is_denied = is_preferred = False
            before = before[endings[-1].start() :]
        is_denied = is_denied or _NOT.search(before) is not None
        is_preferred = is_preferred or _PREFERRED.search(before) is not None
        host = match['host'].casefold().removeprefix('www.')
        if not (match['site'] or match['scheme'] or match['port'] or _is_domain(match['host'].rpartition('.')[2])):
            continue
        place = host + (match['port'] or '')
        if is_denied or (match['site'] or '').startswith('-'):
            never.setdefault(place)
        elif not is_preferred:
            only.setdefault(place)
    return Scope(tuple(only), tuple(place for place in never if place not in only))


def _is_domain(ending: str) -> bool:
    """Return whether a name in running text is that of a host by what it ends with."""
    folded = ending.casefold()
    is_country = len(ending) == 2 and folded not in _FILE_ENDINGS
    return not ending.istitle() and (is_country or folded in _DOMAINS or not ending.isascii() or not ending.isalpha())


def without_hosts(constraints: str) -> str:
    """What else constraints say: words that may stand in a text."""
    return ' '.join(_HOST.sub(' ', constraints).split())


def _is_at(url: str, place: str) -> bool:
    host = host_of(url)
    name, _, port = place.rpartition(':') if regex.search(r':\d+$', place) else (place, '', '')
    name = name.strip('[]')
    return (host == name or host.endswith(f'.{name}')) and (not port or int(port) == port_of(url))


_COVERED_PART = 0.3
"""Worth of a term whose sub-query is answered, against 1 for one whose is open."""

_ASIDE = 0.3
"""Worth of a term of the intent and the constraints."""


@dataclass(frozen=True, slots=True)
class QuestionTopic:
    """Terms, in the form in which the index holds them, and how much each counts."""

    weights: Mapping[str, float]
    """From 0 to 1."""
    asked: frozenset[str]
    """The terms of the question itself."""
    parts: Mapping[str, float]
    """The parts of the question, and how open each is, 0 to 1."""


def topic_of(parts: Sequence[str], coverage: Sequence[float], *, aside: str = '') -> QuestionTopic:
    """Weigh the terms of a question by what is still missing.

    The coverage of a part goes from 0 (open) to 1 (answered).
    """
    weights = dict.fromkeys(terms.asked(aside).terms, _ASIDE) if aside else {}
    asked: set[str] = set()
    open_: dict[str, float] = {}
    for part, covered in zip(parts, coverage, strict=True):
        worth = open_[part] = _COVERED_PART + (1 - _COVERED_PART) * (1 - covered)
        for term in terms.asked(part).terms:
            weights[term] = max(worth, weights.get(term, 0.0) if term in asked else 0.0, _ASIDE)
            asked.add(term)
    return QuestionTopic(MappingProxyType(weights), frozenset(asked), MappingProxyType(open_))
