"""Work that several ask for at once is done by one of them."""

import anyio
import pytest

from summarizer_tool.errors import FetchError
from summarizer_tool.runtime.single_flight import InFlight

pytestmark = pytest.mark.anyio

pages: InFlight[str] = InFlight('test_pages')


class Site:
    """Fetches slowly, and counts."""

    def __init__(self, *, error: Exception | None = None, hangs: int = 0) -> None:
        self.fetched = 0
        self.error = error
        self.hangs = hangs
        """The first so many fetches never end."""

    async def fetch(self) -> str:
        self.fetched += 1
        mine = self.fetched
        await anyio.sleep(3600 if mine <= self.hangs else 0.01)
        if self.error:
            raise self.error
        return f'page {mine}'


async def test_one_works_and_the_others_wait() -> None:
    site, other, got = Site(), Site(), list[tuple[str, bool]]()

    async def ask(key: str, site: Site) -> None:
        got.append(await pages.get(key, site.fetch))

    async with anyio.create_task_group() as group:
        for _ in range(4):
            group.start_soon(ask, 'a', site)
        group.start_soon(ask, 'b', other)
    assert sorted(got) == [('page 1', False)] * 3 + [('page 1', True)] * 2
    assert (site.fetched, other.fetched) == (1, 1)
    # Nothing is remembered: that is for those who keep pages.
    assert await pages.get('a', site.fetch) == ('page 2', True)


async def test_a_failure_is_that_of_all_who_wait() -> None:
    site, errors = Site(error=FetchError('marn.example answered HTTP 503', status=503)), list[FetchError]()

    async def ask() -> None:
        try:
            await pages.get('a', site.fetch)
        except FetchError as error:
            errors.append(error)

    async with anyio.create_task_group() as group:
        for _ in range(3):
            group.start_soon(ask)
    assert [(str(error), error.status) for error in errors] == [('marn.example answered HTTP 503', 503)] * 3
    assert len({id(error) for error in errors}) == 3
    assert site.fetched == 1


async def test_who_is_cancelled_leaves_the_work_to_the_next() -> None:
    site, got = Site(hangs=1), list[tuple[str, bool]]()

    async def hurry() -> None:
        with anyio.move_on_after(0.02):
            await pages.get('a', site.fetch)

    async def wait() -> None:
        got.append(await pages.get('a', site.fetch))

    with anyio.fail_after(30):
        async with anyio.create_task_group() as group:
            group.start_soon(hurry)
            await anyio.lowlevel.checkpoint()
            group.start_soon(wait)
            group.start_soon(wait)
    assert sorted(got) == [('page 2', False), ('page 2', True)]


async def test_a_defect_is_that_of_one_alone() -> None:
    site, defects, got = Site(error=ZeroDivisionError()), list[str](), list[str]()

    async def ask() -> None:
        try:
            got.append((await pages.get('a', site.fetch))[0])
        except ZeroDivisionError:
            site.error = None
            defects.append('one')

    async with anyio.create_task_group() as group:
        for _ in range(3):
            group.start_soon(ask)
    assert (defects, got) == (['one'], ['page 2'] * 2)
