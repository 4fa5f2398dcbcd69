"""What a site's robots.txt allows to a program that follows its links (RFC 9309)."""

import re
import time
from collections import defaultdict
from dataclasses import dataclass

import anyio
import httpx2
from protego import Protego

from summarizer_tool.errors import FetchError
from summarizer_tool.runtime.executors import in_thread
from summarizer_tool.settings import Settings, variable
from summarizer_tool.text.addresses import origin_of, shown
from summarizer_tool.web import fetch

_AGENT = 'summarizer-tool'
"""The name that a robots.txt may speak to; where it does not, what it says to `*` counts."""

MAX_BYTES = 512_000
"""Of a robots.txt that are read, as the RFC asks at least."""

MAX_MB = 5.0
"""A robots.txt over this is not had at all."""

# `User-agent: Summarizer-Tool/1.0`: the version says nothing, but would have to be equal.
_AGENT_VERSION = re.compile(r'^(\s*user[- ]?agent\s*:[^/#]*)/.*', re.IGNORECASE)


@dataclass(slots=True)
class Site:
    """What is known of one site."""

    rules: Protego | None = None
    """`None` where all is allowed, or nothing."""
    failure: str = ''
    """Why nothing is allowed: its robots.txt cannot be had."""
    delay: float = 0.0
    """Seconds between two of its pages."""
    turn: float = 0.0
    """By the monotonic clock, when its next page may be fetched."""

    def allows(self, url: str) -> bool:
        """Return whether a page of the site may be fetched."""
        if self.failure:
            return False
        # As it is asked for: `/open/../private` is `/private`.
        return self.rules is None or self.rules.can_fetch(str(httpx2.URL(url)), _AGENT)


class Robots:
    """Keeps one answer to what the sites it fetches from allow.

    A robots.txt is fetched once for each site, under the same rules as any page. One that is not there (4xx) allows
    everything, one that cannot be had (5xx, no answer) nothing, for as long as the answer takes.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._sites: dict[str, Site] = {}
        self._asking: defaultdict[str, anyio.Lock] = defaultdict(anyio.Lock)

    async def may_fetch(self, url: str) -> None:
        """Return when a page may be fetched, after the pause its site asks for; raises `FetchError` if it may not."""
        origin = origin_of(url)
        if not self._settings.fetch_respect_robots or not origin:
            return
        site = await self._site(origin)
        if not site.allows(url):
            raise FetchError(f'{shown(url)} is not fetched: {_why(site)}')
        if site.delay:
            now = time.monotonic()
            at = max(now, site.turn)
            site.turn = at + site.delay
            await anyio.sleep(at - now)

    async def _site(self, origin: str) -> Site:
        """What a site has said; it holds to the end. Who asks for the same site at once waits for whoever does."""
        async with self._asking[origin]:
            if origin not in self._sites:
                self._sites[origin] = await self._learn(origin)
            return self._sites[origin]

    async def _learn(self, origin: str) -> Site:
        try:
            return await in_thread(_read, await self._get(f'{origin}/robots.txt'))
        except FetchError as error:
            return Site(failure=str(error))

    async def _get(self, url: str) -> fetch.Response:
        return await fetch.get(url, self._settings, max_mb=MAX_MB)


def _why(site: Site) -> str:
    """Why a page is not fetched, and what can be done about it."""
    way_out = f'add the page itself as a source, or set {variable("fetch_respect_robots")}=false'
    if site.failure:
        return (
            f'its site may have a robots.txt that says no, which cannot be had ({site.failure}); try later, {way_out}'
        )
    return f'the robots.txt of its site disallows it; {way_out}'


def _read(answer: fetch.Response) -> Site:
    if 400 <= answer.status < 500:
        return Site()
    if not 200 <= answer.status < 300:
        return Site(failure=f'HTTP {answer.status}')
    body = answer.body
    if len(body) > MAX_BYTES:
        body = body[:MAX_BYTES].rpartition(b'\n')[0]
    lines = body.decode('utf-8-sig', errors='replace').splitlines()
    rules = Protego.parse('\n'.join(_AGENT_VERSION.sub(r'\1', line) for line in lines))
    # Not more, whatever it asks for.
    return Site(rules, delay=min(rules.crawl_delay(_AGENT) or 0.0, 5.0))
