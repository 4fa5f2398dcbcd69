"""Which links of the pages at hand are likeliest to lead to what is still missing. Pure computing.

Words that a link shares with the question speak for it, and so does what its words mean, where the vectors of
`wordllama` are installed.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import unquote, urlsplit

import regex

from summarizer_tool.evidence.question import QuestionTopic
from summarizer_tool.html.page import Link
from summarizer_tool.text import names, terms, word_vectors
from summarizer_tool.text.addresses import host_of, is_url, key_of, without_fragment

MAX_TEXT = 300
"""Characters of a link's text, heading or surroundings that count."""

MAX_LINKS = 1000
"""Of one page that are looked at; a page of more is an index of everything."""

LEAST_SCORE = 0.2
"""Below this a link shares no more with the question than any other: one term of it in the path, but a common one."""

BESIDE = 0.5
"""Worth of a term in the path, in the heading above or the sentence around a link, against 1 in its text."""

SHARED = 0.2
"""What the words that a link shares with the question count beside what its words mean, where that is known: on the 70
questions to the island of `tests/proofs/evidence` and 49 to the manual of a database this meaning found more, and both
together most."""

_HALF = 0.7
"""Weight of terms at which a link is half as promising as it can be."""

_OTHER_SITE = 0.75
_MOST = 0.5
"""Share of a part's terms that a link names at least if it leads to another site."""

_DEEPER = 0.9
"""For each step away from the pages that were named."""

_MANY = 4
"""Links from which a page is a list of them."""

_MENU = 8
"""Links to the top of a site beyond which these are its pages rather than its sections."""

# What these lead to has no text, or none that a fetch would give.
_NO_TEXT = regex.compile(
    r'\.(?:zip|gz|tgz|bz2|xz|7z|rar|tar|exe|msi|dmg|pkg|deb|rpm|apk|iso|jar|whl|png|jpe?g|gif|webp|svg|ico|bmp|tiff?'
    r'|avif|mp[34]|m4[av]|ogg|oga|ogv|wav|flac|webm|avi|mov|mkv|doc|xlsx?|pptx?|odt|ods|odp|mobi|ttf|woff2?|css'
    r'|js|mjs|wasm|bin|dat|db|sqlite)$',
    regex.IGNORECASE,
)
# Places where one does something, and what a site says about itself.
_CHORE = regex.compile(
    r'(?:^|[/_.?&=:-])(?:log-?in|log-?out|sign-?in|sign-?up|sign-?out|register|registration|account|my-?account|cart|basket'
    r'|checkout|wishlist|password|subscribe|unsubscribe|newsletter|donate|privacy|cookies?|terms|tos|imprint|impressum'
    r'|datenschutz|legal|disclaimer|careers|share|sharer|intent|feed|rss|atom|wp-admin|wp-login|search|suche|print|printable'
    r'|special(?=:)|createaccount|userlogin|whatlinkshere|recentchanges|add-to|action(?==(?!view))|oldid|diff|format=pdf'
    r'|replytocom|sort|sortby|order|orderby|veaction|redlink)(?:$|[/_.?&=:-])',
    regex.IGNORECASE,
)
_ENDING = regex.compile(r'\.\w{1,5}$')
_APART = regex.compile(r'(?<=\p{Ll})(?=\p{Lu})|[/_.+=&?-]+')


@dataclass(frozen=True, slots=True)
class Reference:
    """A link of a page that was read, as words; and what it is worth for the question."""

    url: str
    key: str
    """What all ways to write the URL share."""
    depth: int
    """Of the page it leads to."""
    text: frozenset[str]
    """The terms of its text."""
    path: frozenset[str]
    beside: frozenset[str]
    """Of the heading above it, and of the sentence or block that it stands in."""
    words: tuple[str, ...]
    """All words of it, of what is said of it, and of its path."""
    factor: float
    """For its kind and its place."""
    is_near: bool
    """Whether it stays on the site, to which hosts below or above its own belong."""
    is_section: bool
    """Whether it leads from the first page of a site to one of its sections."""
    score: float = 0.0
    """How much of the question it names, 0 to 1, less for its kind and place."""
    value: float = 0.0
    """How likely it is to lead to what is missing."""

    @property
    def is_told(self) -> bool:
        """Whether words that it shares with the question speak for it."""
        return self.score >= LEAST_SCORE


def references(links: Sequence[Link], *, page_url: str, depth: int, topic: QuestionTopic) -> list[Reference]:
    """The links of a page that may be worth following for any state of the evidence.

    Links to the page itself, to files without text, to chores such as a login, and to other schemes are left out;
    chores are kept that the question names: who asks about the cookie policy wants that page.
    """
    own, host = key_of(page_url), host_of(page_url)
    sections = _sections(own, links[:MAX_LINKS])
    found: list[Reference] = []
    for link in links[:MAX_LINKS]:
        url = without_fragment(link.url)
        key = key_of(url)
        if key == own or not is_url(url):
            continue
        # The path without what stands for the page itself, and what the query names.
        parts = urlsplit(url)
        path = unquote(parts.path, errors='replace')
        said_by_path = _APART.sub(' ', f'{_ENDING.sub("", path)} {unquote(parts.query, errors="replace")}'[:MAX_TEXT])
        in_path = frozenset(terms.terms_of(said_by_path))
        text = frozenset(terms.terms_of(link.text[:MAX_TEXT]))
        factor = _factor(path, parts.query, (in_path | text) & topic.asked)
        if not factor:
            continue
        hosts = (f'.{host_of(url)}', f'.{host}')
        is_near = hosts[0].endswith(hosts[1]) or hosts[1].endswith(hosts[0])
        found.append(
            Reference(
                url,
                key,
                depth + 1,
                text,
                in_path,
                frozenset(terms.terms_of(f'{link.section[:MAX_TEXT]}\n{link.around[:MAX_TEXT]}')),
                tuple(names.words(f'{(link.around or link.text)[:MAX_TEXT]} {said_by_path}')),
                factor * (1.0 if is_near else _OTHER_SITE) * _DEEPER**depth,
                is_near,
                key in sections,
            )
        )
    return found


def _sections(page: str, links: Iterable[Link]) -> set[str]:
    """Of the links of a site's first page those to its sections: above many other pages, or all of a short menu."""
    if urlsplit(page).path.strip('/'):
        return set()
    near = {key for link in links if (key := key_of(link.url)).startswith(f'{page}/')}
    levels = Counter(key.count('/') for key in near)
    top = min(levels, default=0)
    return {
        key
        for key in near
        if sum(levels[level] for level in levels if level > key.count('/')) >= _MANY
        or (key.count('/') == top and levels[top] <= _MENU)
    }


def promising(
    known: Sequence[Reference],
    topic: QuestionTopic,
    *,
    seen: Collection[str] = (),
    allows: Callable[[str], bool] = bool,
    is_anywhere: bool = False,
) -> list[Reference]:
    """The links worth following, in the order in which they are to be read: each page once, from its best link.

    How much of the question a link names is `w / (w + _HALF)`, where `w` is the weight of the question's terms that
    stand in the link's text, its path, the heading above it or the sentence around it (these times `BESIDE`), each by
    how few of all links have it. Links to other sites must name half of what a part asks, unless links may lead
    anywhere (`is_anywhere`): they are made by the way, and each takes a page. Where there are none but those, some is
    enough. Where no link names any, sections of the site come first: nobody can tell yet what they lead to. Keys that
    were `seen` are not read again.
    """
    wanted = _wanted(topic.parts)
    unread = [each for each in known if each.key not in seen and allows(each.url)]
    near = [each for each in unread if each.is_near or is_anywhere or _named(each.text, wanted) >= _MOST]
    open_ = near or unread
    rarity = _rarity(open_, topic)
    meanings = _meanings(open_, topic)
    share = SHARED if any(meanings) else 1.0
    best: dict[str, Reference] = {}
    for each, meaning in zip(open_, meanings, strict=True):
        weight = _weight(each, topic, rarity)
        score = round(each.factor * weight / (weight + _HALF), 3)
        value = share * score + each.factor * meaning
        before = best.get(each.key)
        if (near or score >= LEAST_SCORE) and (before is None or value > before.value):
            best[each.key] = replace(each, score=score, value=value)
    if not any(each.is_told for each in best.values()):
        most = max((LEAST_SCORE, *(each.value for each in best.values())))
        sections = {each.key for each in open_ if each.is_section}
        best |= {key: replace(best[key], value=best[key].value + most) for key in sections & best.keys()}
    return sorted(best.values(), key=lambda each: (-each.value, -each.factor))


def leading(known: Iterable[Reference], parts: Sequence[str]) -> set[str]:
    """The keys of pages of which a link says, or what is beside it, that they tell what is asked: most terms of a part.

    While one of them has not been read, a passage with the same words may be no more than the pointer to it.
    """
    wanted = _wanted(parts)
    return {each.key for each in known if _named(each.text | each.beside, wanted) > _MOST}


def _wanted(parts: Iterable[str]) -> list[frozenset[str]]:
    return [frozenset(terms.asked(part).terms) for part in parts]


def _named(said: frozenset[str], wanted: Iterable[frozenset[str]]) -> float:
    """How much of a part of the question some terms name, 0 to 1."""
    return max(len(said & asked) / max(1, len(asked)) for asked in wanted)


def _meanings(links: Sequence[Reference], topic: QuestionTopic) -> list[float]:
    """How near each link is to an open part of the question by what its words mean, at most 1; 0 without vectors.

    Words that more than half of the links have tell none from another: `docs` in every path.
    """
    best = [0.0] * len(links)
    counts = Counter(word for link in links for word in {*link.words})
    texts = [[word for word in link.words if 2 * counts[word] <= len(links)] for link in links]
    for part in topic.parts:
        best = [*map(max, best, word_vectors.nearness(texts, part))]
    return best


def _factor(path: str, query: str, asked: frozenset[str]) -> float:
    """What a link is worth by where it leads: 0 for nothing that answers."""
    if _NO_TEXT.search(path):
        return 0.0
    match = _CHORE.search(f'{path}?{query}' if query else path)
    return float(not match or not asked.isdisjoint(terms.terms_of(_APART.sub(' ', match.group()))))


def _rarity(links: Sequence[Reference], topic: QuestionTopic) -> dict[str, float]:
    """How much it says of a link to have a term, from 1 for the only one down: a site's own name is on all of them."""
    pages: defaultdict[str, set[str]] = defaultdict(set)
    beside: defaultdict[str, set[str]] = defaultdict(set)
    for reference in links:
        pages[reference.key] |= reference.text | reference.path
        beside[reference.key] |= reference.beside
    own, near = (Counter(term for words in some.values() for term in words) for some in (pages, beside))
    # The links of a sentence share what is around them, which makes none of them say less by its own words.
    counts = {term: own[term] or near[term] for term in topic.weights if term in own or term in near}
    return {term: math.log(max(2, len(pages)) / count) / math.log(max(2, len(pages))) for term, count in counts.items()}


def _weight(reference: Reference, topic: QuestionTopic, rarity: Mapping[str, float]) -> float:
    """What the words of a link, and of what is beside it, have of the question."""
    named = topic.weights.keys() & (reference.text | reference.path | reference.beside)
    return sum(topic.weights[term] * rarity[term] * (1 if term in reference.text else BESIDE) for term in named)
