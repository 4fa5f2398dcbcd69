"""What a command is given to read, the store it works on, a file or memory, and what it puts into that."""

import os
import re
import sys
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from summarizer_tool.cli.terminal import ExitCode, UnreadableError, loaded, progress, say, stop
from summarizer_tool.errors import ConfigurationError, FetchError, InputTooLargeError, UnknownSourceError

if TYPE_CHECKING:
    from summarizer_tool import Collection, RequestOptions, Retriever, Service, Settings, Source
    from summarizer_tool.formats.files import GivenSource
    from summarizer_tool.service.service import Setup

    Place = GivenSource | str
    """An input that has been read; or a URL, or the handle of what is stored already."""

P = TypeVar('P')
T = TypeVar('T')

STDIN = '-'

MAX_AT_ONCE = 5  # pages that are fetched at the same time

_URL = re.compile(r'[a-z][a-z0-9+.\-]+://', re.IGNORECASE)
"""Of any scheme: what fetches says which it takes."""
_HANDLE = re.compile(r'src_[0-9a-f]{12}', re.IGNORECASE)


def is_handle(name: str) -> bool:
    """Return whether an input is the handle of a stored source."""
    return _HANDLE.fullmatch(name) is not None


def read_given(name: str, settings: 'Settings') -> 'GivenSource':
    """Read a path or stdin (`-`) within the limit; raises `UnreadableError` for what is no text."""
    from summarizer_tool.formats.files import read_file, read_path

    try:
        if name == STDIN:
            return read_file(_read_stdin(settings))
        given = read_file(read_path(Path(name), settings.max_input_mb), name)
        return replace(given, addresses=(os.path.realpath(name),))
    except FetchError as error:
        raise UnreadableError(f'{"stdin" if name == STDIN else name or "an empty name"} {error}') from None


def read_place(name: str, settings: 'Settings') -> 'Place':
    """The same, but a URL stays as it is."""
    return name if _URL.match(name) else read_given(name, settings)


def _read_stdin(settings: 'Settings') -> bytes:
    from summarizer_tool.formats.files import read_within

    if sys.stdin is None:  # pyright: ignore[reportUnnecessaryComparison] - it is, where it was closed
        raise UnreadableError('stdin is closed; name a file')
    if sys.stdin.isatty():
        say('reading from the terminal; end with Ctrl-D')
    return read_within(sys.stdin.buffer, settings.max_input_mb)


_NOWHERE = 'set SUMMARIZER_STORE to the file that keeps them, e.g. SUMMARIZER_STORE=sources.sqlite3'


def require_store(settings: 'Settings', why: str) -> None:
    """Stop the program where there is no file that keeps sources, and say what it is needed for."""
    if not is_kept(settings):
        stop(ExitCode.USAGE, f'{why}: {_NOWHERE}')


def read_places(names: Sequence[str], settings: 'Settings', advice: str = '') -> 'list[Place]':
    """Read the inputs that are files or stdin; where there is nothing to look in, `advice` says what to name."""
    if not is_kept(settings):
        if advice and not names:
            stop(ExitCode.USAGE, f'{advice}; or, to look in kept sources, {_NOWHERE}')
        if handle := next(filter(is_handle, names), ''):
            stop(ExitCode.USAGE, f'{handle} is the handle of a kept source: {_NOWHERE}')
    return [name if is_handle(name) else read_place(name, settings) for name in names]


def on_store(settings: 'Settings', work: 'Callable[[Retriever, RequestOptions], Awaitable[T]]') -> T:
    """Do the work of a command that searches or answers; as `on_collection`."""
    return on_collection(settings, lambda setup, stored, options: work(setup.retriever(stored), options))


def on_collection(settings: 'Settings', work: 'Callable[[Setup, Collection, RequestOptions], Awaitable[T]]') -> T:
    """Do the work of a command on the store, or on one in memory where none is named, with progress for who looks."""
    import asyncio

    from pydantic_ai.exceptions import UserError

    from summarizer_tool import RequestOptions, SourceStore, Summarizer
    from summarizer_tool.service.service import Setup

    setup = Setup.of(Summarizer(settings))

    # What the task itself returned, asyncio would write out in full where it takes leave of signals.
    results: list[T] = []

    async def working() -> None:
        with progress() as tell, SourceStore.open(settings) as store:
            results.append(await work(setup, store.collection(), RequestOptions(on_progress=tell)))

    loaded()
    try:
        asyncio.run(working())
    except UserError as error:  # what only a request shows
        raise ConfigurationError(f'{setup.summarizer.model_name}: {error}') from error
    return results[0]


async def given_sources(service: 'Service', places: 'Sequence[Place]', is_kept: bool) -> 'list[GivenSource]':
    """The inputs in order, pages fetched, several at once; to be stored where `is_kept`."""
    from summarizer_tool.formats.files import GivenSource

    async def given(place: 'Place') -> GivenSource:
        if not isinstance(place, str):
            return replace(place, is_stored=not is_kept)
        if is_handle(place):
            return GivenSource(service.collection.document(place), is_stored=True)
        page = await service.fetch_page(place)
        return page if is_kept else replace(page, is_stored=True)

    return await _at_once(given, places)


async def handles_of(service: 'Service', places: 'Sequence[Place]', *, fetches: bool) -> list[str]:
    """The handles of inputs; those that are not stored are added, but URLs stay where nothing `fetches`."""

    async def handle_of(place: 'Place') -> str:
        if isinstance(place, str) and (is_handle(place) or not fetches):
            return place
        kept = service.collection.at(place) if isinstance(place, str) else None
        return (kept or await _added(service, place)).id

    return await _at_once(handle_of, places)


def stored_place(service: 'Service', name: str, settings: 'Settings') -> str:
    """What a path, URL, handle or title means in the store: a file what was last stored from its path, or its text."""
    path = os.path.realpath(name)
    if service.collection.at(path):
        return path
    with suppress(UnreadableError):
        if not _URL.match(name):
            document = read_given(name, settings).document
            if not service.collection.has(document.id):
                raise UnknownSourceError(f'nothing of {name} is stored; summarizer add {name} does so')
            return document.id
    return name


async def add_all(service: 'Service', names: Sequence[str], settings: 'Settings') -> 'list[Source | str]':
    """Add files, stdin and pages, which are fetched again if they are stored: of each the source, or why not."""

    async def add(name: str) -> 'Source | str':
        try:
            place = read_place(name, settings)
            if not isinstance(place, str) and not place.document.text.strip():
                return f'{name} is empty; nothing of it is stored'
            return await _added(service, place)
        except (FetchError, InputTooLargeError, UnreadableError) as error:
            return str(error)

    return await _at_once(add, names)


def is_kept(settings: 'Settings') -> bool:
    """Return whether the sources outlive the program."""
    return settings.kept_in not in (None, ':memory:')


async def _at_once(work: Callable[[P], Awaitable[T]], places: Sequence[P]) -> list[T]:
    from summarizer_tool.mapreduce.job import Call, calls_at_once

    return await calls_at_once([Call(partial(work, place), 'fetch', 'read') for place in places], MAX_AT_ONCE)


async def _added(service: 'Service', place: 'Place') -> 'Source':
    if isinstance(place, str):
        return await service.add_page(place)
    return await service.add_document(place)
