"""What is asked of the pages of a collection, how far one may go for it, to which hosts, and what its terms weigh."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

import regex
from pydantic import NonNegativeInt

from summarizer_tool.errors import RequestError
from summarizer_tool.mapreduce.request import Count, Request, Text, TextOrTexts
from summarizer_tool.text import terms
from summarizer_tool.text.addresses import host_of, port_of

ResearchMode = Literal['fast', 'auto', 'deep']

MAX_CHARACTERS = 10_000
"""Of a question, an intent or constraints; what is longer is a text to be stored."""


class AnswerRequest(Request):
    """Gather the evidence for a question from pages: fetch what is not stored, search, and follow links."""

    url: TextOrTexts = ''
    """One or several, or handles; none: all of the collection."""
    query: Text
    """The question."""
    intent: Text = ''
    """What the answer is for."""
    constraints: TextOrTexts = ''
    """What the answer must keep to, such as years, or `site:HOST` for links; one or several."""
    expansion_budget: NonNegativeInt | None = None
    """Pages that may be fetched by following links, at most `SUMMARIZER_ANSWER_MAX_PAGES`, which `None` means."""
    research_mode: ResearchMode = 'auto'
    """`fast` follows no links, `auto` while the evidence is not enough, `deep` until it does not grow any more."""
    max_tokens: Count = 0
    """Of the brief, as for a search."""

    @property
    def rules(self) -> str:
        """All constraints."""
        return '; '.join(self.constraints)  # validated, it is a tuple

    @property
    def aside(self) -> str:
        """Words that a good passage may have, but need not: without hosts, which stand in no text."""
        return ' '.join(filter(None, (self.intent.strip(), without_hosts(self.rules))))


def check(query: str, **others: str) -> None:
    """Raise a `RequestError` where nothing is asked, or with a text of its own, which would take long to look for."""
    if not query.strip():
        raise RequestError('query is empty; ask a question')
    for name, text in {'query': query, **others}.items():
        if len(text) > MAX_CHARACTERS:
            raise RequestError(
                f'{name} has {len(text):,} characters, over {MAX_CHARACTERS:,}; shorten it, or add the text as a '
                'source and ask about that'
            )


_SITE = regex.compile(
    r'(?P<minus>-\s?)?\bsite:[\s("\'`“‘<]*(?:https?://)?(?:\*\.)?(?:www\.)?'
    r'(?P<place>(?:\[[0-9a-f:.]+\]|[\p{L}\p{N}](?:[\p{L}\p{N}._-]*[\p{L}\p{N}])?)(?::\d{1,5})?)/?',
    regex.IGNORECASE,
)
# A comma parts clauses, too, but not two hosts.
_CLAUSE = regex.compile(
    r'[;!?\n]|\.\s|\b(?:but|only|just)\b|(?<!\bsite:\S{0,300}),|,(?!\W{0,9}(?:(?:and|or|nor)\W{1,9})?site:)',
    regex.IGNORECASE,
)
_FORBIDS = regex.compile(
    r'\b(?:not|never|avoid|exclud(?:e|ing)|except|without|skip|ignore|don[’\']?t)\b', regex.IGNORECASE
)
_NAMED = regex.compile(
    r'(?<![\p{L}\p{N}@._/:-])(?:https?://)?((?:[\p{L}\p{N}-]+\.)+\p{Ll}{2,24})(?![\p{L}\p{N}_@(]|\.\p{L})'
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
    """Read the hosts to keep to and to leave out from constraints such as `site:docs.example.org -site:example.com`.

    Where a word forbids the first host of a clause, it forbids all of them. Hosts come in lower case without `www.`, in
    order, perhaps with a port.
    """
    only: dict[str, None] = {}
    never: dict[str, None] = {}
    for clause in _CLAUSE.split(constraints):
        is_denied, begin = False, 0
        for match in _SITE.finditer(clause):
            is_denied = is_denied or _FORBIDS.search(clause, begin, match.start()) is not None
            begin = match.end()
            (never if is_denied or match['minus'] else only).setdefault(match['place'].casefold())
    return Scope(tuple(only), tuple(place for place in never if place not in only))


def without_hosts(constraints: str) -> str:
    """What else constraints say: words that may stand in a text."""
    return ' '.join(_SITE.sub(' ', constraints).split())


def hosts_unread(constraints: str) -> list[str]:
    """What looks like a host without `site:` before it, to which links are not kept."""
    return list(dict.fromkeys(_NAMED.findall(without_hosts(constraints))))


def _is_at(url: str, place: str) -> bool:
    host = host_of(url)
    name, _, port = place.rpartition(':') if regex.search(r':\d+$', place) else (place, '', '')
    name = name.strip('[]')
    return (host == name or host.endswith(f'.{name}')) and (not port or int(port) == port_of(url))


_ASIDE = 0.3
"""Worth of a term of the intent and the constraints, against 1 of the question."""


@dataclass(frozen=True, slots=True)
class QuestionTopic:
    """What is still asked for, and its terms in the form in which the index holds them."""

    parts: tuple[str, ...]
    """The parts of the question that are open."""
    asked: frozenset[str]
    """The terms of these."""
    weights: Mapping[str, float]
    """How much each term counts, those of what is said beside the question too: from 0 to 1."""


def topic_of(parts: Sequence[str], *, aside: str = '') -> QuestionTopic:
    """The topic of the open parts of a question."""
    asked = dict.fromkeys(term for part in parts for term in terms.asked(part).terms)
    weights = dict.fromkeys(terms.asked(aside).terms, _ASIDE) | dict.fromkeys(asked, 1.0)
    return QuestionTopic(tuple(parts), frozenset(asked), MappingProxyType(weights))
