"""What a robots.txt allows: rules by agent, sites that have none or give no answer, and pauses."""

from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import anyio
import anyio.lowlevel
import pytest
from inline_snapshot import snapshot

from summarizer_tool import Settings
from summarizer_tool.errors import FetchError
from summarizer_tool.web import robots
from summarizer_tool.web.fetch import Response, fetch
from summarizer_tool.web.robots import Robots
from tests.support.site import Reply, site

pytestmark = pytest.mark.anyio

RULES = """
User-agent: *
Disallow: /

User-agent: Summarizer-Tool
Disallow: /private/
Disallow: /*/draft$
Disallow: /search?
Allow: /private/open
"""


def robots_of(settings: Settings, get: Callable[[str], Awaitable[Response]]) -> Robots:
    made = Robots(settings)
    made._get = get
    return made


@dataclass
class Sites:
    """Answers for robots.txt, and counts who has been asked."""

    answers: dict[str, Response] = field(default_factory=dict[str, Response])
    asked: Counter[str] = field(default_factory=Counter[str])

    async def get(self, url: str) -> Response:
        self.asked[url] += 1
        await anyio.lowlevel.checkpoint()
        if url not in self.answers:
            raise FetchError('the host does not answer')
        return self.answers[url]

    def robots(self, **settings: object) -> Robots:
        return robots_of(Settings.load(**settings), self.get)


def sites(**answers: Response | str) -> Sites:
    """Sites of `.example` by name, each with the text or the answer of its robots.txt."""
    return Sites(
        {
            f'https://{name}.example/robots.txt': answer
            if isinstance(answer, Response)
            else Response(200, answer.encode())
            for name, answer in answers.items()
        }
    )


async def refusal(robots: Robots, url: str) -> str:
    """Why a page may not be fetched; empty if it may."""
    try:
        await robots.may_fetch(url)
    except FetchError as error:
        return str(error)
    return ''


async def test_rules_for_this_program_go_before_those_for_all() -> None:
    marn = sites(marn=RULES).robots()
    for path in ('/', '/guide', '/private/open/day', '/a/drafts', '/robots.txt'):
        assert not await refusal(marn, f'https://marn.example{path}')
    for path in ('/private/plans', '/a/draft', '/search?q=x'):
        assert await refusal(marn, f'https://marn.example{path}')


async def test_where_this_program_is_not_named_the_star_counts() -> None:
    marn = sites(marn='User-agent: otherbot\nDisallow: /\n\nUser-agent: *\nDisallow: /log').robots()
    assert not await refusal(marn, 'https://marn.example/guide')
    assert await refusal(marn, 'https://marn.example/log/7')
    assert not await refusal(sites(marn='<html>not found</html>').robots(), 'https://marn.example/guide')


async def test_rules_hold_for_what_is_asked_for_and_for_any_version_of_this_program() -> None:
    rules = 'User-agent: Summarizer-Tool/1.0\nDisallow: /private/'
    of = sites(marn=rules).robots()
    await of.may_fetch('https://marn.example/open/x')
    for path in ('private/x', 'open/../private/x'):
        with pytest.raises(FetchError):
            await of.may_fetch(f'https://marn.example/{path}')


async def test_a_refusal_names_the_page_and_the_way_out_but_no_query() -> None:
    marn = sites(marn=RULES).robots()
    assert await refusal(marn, 'https://marn.example/private/plans?key=hunter2') == snapshot(
        'marn.example/private/plans is not fetched: the robots.txt of its site disallows it; add the page itself as a source, or set SUMMARIZER_FETCH_RESPECT_ROBOTS=false'
    )
    assert await refusal(marn, 'https://gone.example/guide') == snapshot(
        'gone.example/guide is not fetched: its site may have a robots.txt that says no, which cannot be had (the host does not answer); try later, add the page itself as a source, or set SUMMARIZER_FETCH_RESPECT_ROBOTS=false'
    )


@pytest.mark.parametrize(
    ('status', 'is_allowed'),
    [(404, True), (401, True), (403, True), (410, True), (500, False), (503, False), (301, False)],
)
async def test_what_a_status_means(status: int, *, is_allowed: bool) -> None:
    marn = sites(marn=Response(status, b'User-agent: *\nDisallow: /')).robots()
    assert (not await refusal(marn, 'https://marn.example/guide')) is is_allowed


async def test_each_site_is_asked_once() -> None:
    web = sites(marn=RULES, ness='')
    web.answers['https://marn.example:8443/robots.txt'] = Response(404)
    robots = web.robots()
    async with anyio.create_task_group() as group:
        for number in range(6):
            group.start_soon(robots.may_fetch, f'https://marn.example/page-{number}')
            group.start_soon(robots.may_fetch, f'HTTPS://Ness.example:443/page-{number}')
        group.start_soon(robots.may_fetch, 'https://marn.example:8443/')
        group.start_soon(refusal, robots, 'https://gone.example/')
    assert not await refusal(robots, 'https://ness.example/')
    assert await refusal(robots, 'https://gone.example/again')
    assert set(web.asked.values()) == {1}
    assert len(web.asked) == 4


async def test_who_is_cancelled_while_asking_leaves_it_to_the_next() -> None:
    asked: list[str] = []

    async def get(url: str) -> Response:
        asked.append(url)
        if len(asked) == 1:
            await anyio.sleep(3600)
        return Response(404)

    robots = robots_of(Settings(), get)
    with anyio.move_on_after(5) as scope:
        async with anyio.create_task_group() as group:

            async def first() -> None:
                with anyio.move_on_after(0.01):
                    await robots.may_fetch('https://marn.example/a')

            group.start_soon(first)
            await anyio.lowlevel.checkpoint()
            group.start_soon(robots.may_fetch, 'https://marn.example/b')
    assert not scope.cancelled_caught
    assert len(asked) == 2


async def test_only_so_much_of_a_robots_txt_is_read() -> None:
    padding = b'# nothing\n' * 51_200
    body = b'User-agent: *\nDisallow: /early\n' + padding + b'Disallow: /late\n'
    marn = sites(marn=Response(200, body)).robots()
    assert await refusal(marn, 'https://marn.example/early')
    assert not await refusal(marn, 'https://marn.example/late')
    odd = sites(marn=Response(200, b'\xef\xbb\xbfUser-agent: *\r\nDisallow: /caf\xc3\xa9\n\xff\xfe')).robots()
    assert await refusal(odd, 'https://marn.example/caf%C3%A9/menu')
    assert not await refusal(odd, 'https://marn.example/tea')


async def test_pages_of_a_site_that_asks_for_pauses_come_one_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    monkeypatch.setattr(robots.anyio, 'sleep', sleep)
    monkeypatch.setattr(robots.time, 'monotonic', lambda: 50.0)
    web = sites(marn='User-agent: *\nCrawl-delay: 2', ness='User-agent: *\nCrawl-delay: 900', holm='')
    one = web.robots()
    for name in ('marn', 'marn', 'holm', 'ness', 'marn', 'ness'):
        await one.may_fetch(f'https://{name}.example/')
    # Nobody waits longer than 5 seconds for a site's sake.
    assert slept == [0.0, 2.0, 0.0, 4.0, 5.0]


async def test_one_may_choose_not_to_ask() -> None:
    web = sites(marn=RULES)
    assert not await refusal(web.robots(fetch_respect_robots=False), 'https://marn.example/private/')
    assert not await refusal(web.robots(), 'mailto:ada@marn.example')
    assert not await refusal(web.robots(), 'http://[broken')
    assert not web.asked


async def test_over_http() -> None:
    with site() as station:
        allowed = Robots(Settings(fetch_allow_hosts=(station.host,)))
        assert not await refusal(allowed, station.url('/guide/'))
        assert 'disallows it' in await refusal(allowed, station.url('/private/plans'))
        assert 'disallows it' in await refusal(allowed, station.url('/guide/draft'))
        assert station.hits == ['/robots.txt']


async def test_the_refusal_of_a_host_has_nothing_to_do_with_its_robots_txt() -> None:
    async def failure(settings: Settings, url: str) -> str:
        try:
            await fetch(url, settings, may_fetch=Robots(settings).may_fetch)
        except FetchError as error:
            return str(error)
        return ''

    with site() as station:
        place = station.url('/guide/?key=hunter2')
        refused = await failure(Settings(), place)
        assert refused.replace(station.host, 'HOST') == snapshot(
            'HOST/guide/ leads to an address that is not public (loopback); SUMMARIZER_FETCH_ALLOW_HOSTS=HOST would allow it'
        )
        assert await failure(Settings(), 'http://169.254.169.254/latest') == snapshot(
            '169.254.169.254/latest leads to an address that is not public (cloud metadata) and is never fetched'
        )
        assert await failure(Settings(), 'https://nowhere.invalid/guide') == snapshot(
            'nowhere.invalid/guide: the host name cannot be resolved'
        )
        assert station.hits == []
        # That a robots.txt leads there is another matter.
        allowed = Settings(fetch_allow_hosts=(station.host,))
        assert not await failure(allowed, place)
        station.replies['/robots.txt'] = Reply(status=302, location=station.canary.url('/robots.txt'))
        assert (await failure(allowed, place)).startswith(f'{station.host}/guide/ is not fetched: its site may have a ')
        assert station.canary.hits == []
