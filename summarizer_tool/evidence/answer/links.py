"""Which links of the pages at hand are likeliest to lead to what is still missing. Pure computing."""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

import regex

from summarizer_tool.evidence.answer.pointers import MAX_LINKS, MAX_TEXT, link_terms
from summarizer_tool.evidence.question.topic import KNOWN, QuestionTopic
from summarizer_tool.html.page import Link
from summarizer_tool.text import terms
from summarizer_tool.text.addresses import host_of, is_url, key_of, without_fragment
from summarizer_tool.text.relevance import DERIVED, is_alike

LEAST_SCORE = 0.2
"""Below this a link has no more to do with the question than any other: one term of it in the path, but a common one,
or terms of what is known alone."""

STRONG_SCORE = 0.5
"""From here a link names what is asked for: a term of the question in its text that few other links have."""

PATH, SAID, SECTION, AROUND = 0.7, 0.7, 0.5, 0.4
"""Worth of a term in the path, in what the page says that the link leads to, in the heading above, and in the sentence
around it, against 1 in the text of the link."""

_HALF = 0.7
"""Weight of terms at which a link is half as promising as it can be."""

_LEAST_ROOT = 4
"""Letters of a word of which another one may be made."""

_OTHER_SITE = 0.75
_DEEPER = 0.9
"""For each step away from the pages that were named."""

_SELDOM = 0.4
"""For listings and the like, which repeat what other pages say."""

WAY = 0.35
"""Weight beside its words of a link to a guide, an index and the like, or from a page down to its own chapters: one of
these is the way where no link names what is asked."""

ANY = 0.25
"""The same, for a thorough search, of any link to the same site: enough from the pages that were named."""

MANY = 4
"""Links from which a page is a list of them."""

# What these lead to has no text, or none that a fetch would give.
_NO_TEXT = regex.compile(
    r'\.(?:zip|gz|tgz|bz2|xz|7z|rar|tar|exe|msi|dmg|pkg|deb|rpm|apk|iso|jar|whl|png|jpe?g|gif|webp|svg|ico|bmp|tiff?'
    r'|avif|mp[34]|m4[av]|ogg|oga|ogv|wav|flac|webm|avi|mov|mkv|pdf|docx?|xlsx?|pptx?|odt|ods|odp|epub|mobi|ttf|woff2?|css'
    r'|js|mjs|wasm|bin|dat|db|sqlite)$',
    regex.IGNORECASE,
)
# Places where one does something, and what a site says about itself.
_CHORE = regex.compile(
    r'(?:^|[/_.?&=:-])(?:log-?in|log-?out|sign-?in|sign-?up|sign-?out|register|registration|account|my-?account|cart|basket'
    r'|checkout|wishlist|password|subscribe|unsubscribe|newsletter|donate|privacy|cookies?|terms|tos|imprint|impressum'
    r'|datenschutz|legal|disclaimer|careers|share|sharer|intent|feed|rss|atom|wp-admin|wp-login|search|suche|print|printable'
    r'|special(?=:)|createaccount|userlogin|whatlinkshere|recentchanges|add-to)(?:$|[/_.?&=:-])',
    regex.IGNORECASE,
)
_VIEW = regex.compile(
    r'(?:^|&)(?:action=(?!view)\w+|oldid=|diff=|print(?:able)?=|format=pdf|replytocom=|share=|sort(?:by)?=|order(?:by)?='
    r'|veaction=|redlink=)',
    regex.IGNORECASE,
)
_LISTING = regex.compile(
    r'/(?:tags?|categor(?:y|ies)|archives?|authors?|users?|members?|profile|calendar|events/\d{4}|topics?|labels?|page/\d+'
    r'|p/\d+|(?:19|20)\d{2}/\d{1,2}/?$|(?:19|20)\d{2}/?$|user:|talk:|category:|file:|template:|help:)'
    r'|(?:^|[?&])(?:page|paged|start|offset|from|month|year|day|date)=\d',
    regex.IGNORECASE,
)
_HUB = frozenset(
    terms.terms_of(
        'guide guides manual handbook documentation docs reference overview contents index wiki encyclopedia library '
        'faq knowledge resources learn about products services research handbuch anleitung dokumentation übersicht'
    )
)
_APART = regex.compile(r'(?<=\p{Ll})(?=\p{Lu})|[/_.+=&?-]+')


@dataclass(frozen=True, slots=True)
class Reference:
    """A link of a page that was read, as terms."""

    url: str
    key: str
    """What all ways to write the URL share."""
    parent: int
    """The page it stands on."""
    depth: int
    """Of the page it leads to."""
    text: frozenset[str]
    section: frozenset[str]
    path: frozenset[str]
    around: frozenset[str]
    """Of the sentence, or the block, that it stands in."""
    said: frozenset[str]
    """Of what the page says that it leads to; among them those of its text."""
    factor: float
    """For its kind and its place: from 0 to 1."""
    is_near: bool
    """Whether it stays on the site."""
    is_way: bool
    """Whether it leads to many pages of the same site, or down from its page; from the first one, to a section."""


@dataclass(frozen=True, slots=True)
class LinkCandidate:
    """A link that is worth following."""

    url: str
    key: str
    parent: int
    depth: int
    score: float
    """0 to 1: how promising it is."""
    is_told: bool
    """Whether its words, or those beside it, speak for it; else it is its place alone."""


def references(
    links: Sequence[Link], *, page_url: str, parent: int, depth: int, topic: QuestionTopic
) -> list[Reference]:
    """The links of a page that may be worth following for any state of the evidence.

    Links to the page itself, to files without text, to chores such as a login, and to other schemes are left out;
    chores are kept that the question names: who asks about the cookie policy wants that page.
    """
    own, host = key_of(page_url), host_of(page_url)
    below = f'{own}/'
    near = [key for link in links[:MAX_LINKS] if (key := key_of(link.url)).startswith(below)]
    if not urlsplit(own).path.strip('/'):
        # Below the first page of a site stands everything; its sections are what stands above many other pages.
        levels = Counter(key.count('/') for key in near)
        near = [key for key in near if sum(levels[level] for level in levels if level > key.count('/')) >= MANY]
    ways = frozenset(near)
    found: list[Reference] = []
    for link in links[:MAX_LINKS]:
        url = without_fragment(link.url)
        key = key_of(url)
        if key == own or not is_url(url):
            continue
        # The path without what stands for the page itself, and what the query names.
        parts = urlsplit(url)
        path = unquote(parts.path, errors='replace')
        words = frozenset(
            terms.terms_of(_APART.sub(' ', f'{path} {unquote(parts.query, errors="replace")}'[:MAX_TEXT]))
        )
        text = frozenset(terms.terms_of(link.text[:MAX_TEXT]))
        factor = _factor(path, parts.query, (words | text) & topic.asked)
        if factor:
            section = frozenset(terms.terms_of(link.section[:MAX_TEXT]))
            around = frozenset(terms.terms_of(link.around[:MAX_TEXT]))
            said = frozenset(link_terms(link))
            is_near = host_of(url) == host
            is_way = is_near and (key in ways or not _HUB.isdisjoint(text | words))
            factor *= _DEEPER**depth * (1.0 if is_near else _OTHER_SITE)
            found.append(
                Reference(url, key, parent, depth + 1, text, section, words, around, said, factor, is_near, is_way)
            )
    return found


def promising(
    known: Iterable[Reference],
    topic: QuestionTopic,
    *,
    seen: Collection[str] = (),
    allows: Callable[[str], bool] | None = None,
    least: float = 0.0,
) -> list[LinkCandidate]:
    """The links worth following, best first: each page once, from where its link is most promising.

    The score is `w / (w + _HALF)`, where `w` is the weight of the question's terms that stand in the link's text, its
    path (times `PATH`), what is said of it (times `SAID`), the heading above it (times `SECTION`) or the sentence
    around it (times `AROUND`), each by how few of all links have it, times how much of the link's text is about the
    question; for its kind and place it loses by factors. A guide, an index and the like, and the chapters of a page,
    weigh `WAY` more, and any link within its site `least`. None has under `LEAST_SCORE`; those for which words speak
    come before those for which their place alone does.
    """
    open_ = [reference for reference in known if reference.key not in seen]
    if allows is not None:
        open_ = [reference for reference in open_ if allows(reference.url)]
    alike = _alike(open_, topic)
    rarity = _rarity(open_, topic, alike)
    best: dict[str, LinkCandidate] = {}
    for reference in open_:
        weight = _weight(reference, topic, rarity, alike)
        place = max(WAY if reference.is_way else 0.0, least if reference.is_near else 0.0)
        score = _score(weight + place, reference, topic)
        is_told = _score(weight, reference, topic) >= LEAST_SCORE
        candidate = LinkCandidate(
            reference.url, reference.key, reference.parent, reference.depth, round(score, 3), is_told
        )
        before = best.get(reference.key)
        if score >= LEAST_SCORE and (before is None or _rank(candidate) > _rank(before)):
            best[reference.key] = candidate
    return sorted(best.values(), key=_rank, reverse=True)


def _rank(candidate: LinkCandidate) -> tuple[bool, float]:
    return candidate.is_told, candidate.score


def leading(known: Iterable[Reference], parts: Sequence[str]) -> set[str]:
    """The keys of pages of which a link says that they tell what is asked: it names most terms of a part.

    While one of them has not been read, a passage with the same words may be no more than the pointer to it.
    """
    wanted = [frozenset(terms.asked(part).terms) for part in parts]
    return {
        reference.key for reference in known if any(2 * len(reference.said & asked) > len(asked) for asked in wanted)
    }


def _factor(path: str, query: str, asked: frozenset[str]) -> float:
    """What a link is worth by where it leads: 0 for nothing that answers."""
    if _NO_TEXT.search(path) or _VIEW.search(query):
        return 0.0
    for pattern, factor in ((_CHORE, 0.0), (_LISTING, _SELDOM)):
        match = pattern.search(f'{path}?{query}' if query else path)
        if match and asked.isdisjoint(terms.terms_of(_APART.sub(' ', match.group()))):
            return factor
    return 1.0


def _alike(links: Sequence[Reference], topic: QuestionTopic) -> dict[str, str]:
    """By words of links the term of the question that each is a form or a part of: `singer`, `millstone`."""
    wanted = [term for term in topic.weights if len(term) >= _LEAST_ROOT and topic.weights[term] > KNOWN]
    words = {word for each in links for some in (each.text, each.path, each.section, each.around) for word in some}
    return {
        word: term
        for word in words - topic.weights.keys()
        if len(word) >= _LEAST_ROOT
        for term in wanted
        if word.startswith(term) or term.startswith(word) or is_alike(word, (term,))
    }


def _rarity(links: Sequence[Reference], topic: QuestionTopic, alike: Mapping[str, str]) -> dict[str, float]:
    """How much it says of a link to have a term, from 1 for the only one down: a site's own name is on all of them."""
    pages: defaultdict[str, set[str]] = defaultdict(set)
    beside: defaultdict[str, set[str]] = defaultdict(set)
    for reference in links:
        pages[reference.key] |= reference.text | reference.path | reference.section
        beside[reference.key] |= reference.around | reference.said
    own, near = (
        Counter(
            term
            for words in some.values()
            for term in (words & topic.weights.keys()) | {alike[word] for word in words & alike.keys()}
        )
        for some in (pages, beside)
    )
    # The links of a sentence share what is around them, which makes none of them say less by its own words.
    counts = {term: own[term] or near[term] for term in own | near}
    return {term: math.log(1 + len(pages) / count) / math.log(1 + len(pages)) for term, count in counts.items()}


def _weight(reference: Reference, topic: QuestionTopic, rarity: Mapping[str, float], alike: Mapping[str, str]) -> float:
    """What the words of a link, and of what is beside it, have of the question."""
    places = (
        (1.0, reference.text),
        (PATH, reference.path),
        (SAID, reference.said),
        (SECTION, reference.section),
        (AROUND, reference.around),
    )
    got: dict[str, float] = {}
    for worth, words in places:
        for term in words & topic.weights.keys():
            got.setdefault(term, worth)
        for word in words & alike.keys():
            got.setdefault(alike[word], worth * DERIVED)
    if all(topic.weights[term] <= KNOWN for term in got):
        return 0.0
    return sum(topic.weights[term] * rarity[term] * worth for term, worth in got.items())


def _score(weight: float, reference: Reference, topic: QuestionTopic) -> float:
    text = reference.text
    about = len(text & topic.weights.keys()) / len(text) if text else 0.0
    return weight / (weight + _HALF) * (0.8 + 0.2 * about) * reference.factor
