"""What a page of a zone is: the key of its address, the text of a local file, and what a model sees of it."""

from pathlib import Path

import regex

from researcher_integration.lore.material import CrawledPage
from summarizer_tool import (
    FetchError,
    GivenSource,
    RequestError,
    one_line,
    read_file,
    read_path,
    register_tag,
    render_prompt,
    url_key,
    wrap_in_tag,
)

_USER = regex.compile(r'^(\s*https?://)[^/?#@]*@', regex.IGNORECASE)


def is_url(place: str) -> bool:
    """Return whether a place is a URL rather than the path of a file."""
    return place.strip().lower().startswith(('http://', 'https://'))


def key_of(place: str) -> str:
    """The key of a page, by which it is known: of a local file `file:` and its absolute path, links followed."""
    if is_url(place):
        return url_key(place.strip())
    try:
        return f'file:{Path(place).resolve()}'
    except (OSError, RuntimeError, ValueError):  # links that go round in a circle; to open it will fail, too
        return f'file:{place}'


def without_user(place: str) -> str:
    """A URL without name and password; a path as it is."""
    return _USER.sub(r'\1', place) if is_url(place) else place


def read_local(file: Path, max_mb: float) -> GivenSource:
    """Read a text, a page or a document of at most `max_mb` (10⁶ bytes); a blocking call."""
    if file.exists() and not file.is_file():  # one would wait for whoever writes into a pipe
        raise RequestError(f'{file} is not a regular file; give the path of a text, a page or a document')
    try:
        given = read_file(read_path(file, max_mb), file.name)
    except FetchError as error:
        raise RequestError(f'{file} {error}') from None
    if not given.document.text.strip():
        raise RequestError(f'{file} holds no text')
    return given


PREVIEW_TAG = register_tag('page_preview')

PREVIEW_TOKENS = 1500
"""Of the beginning of a page, and its numbered lines."""


def describe(page: CrawledPage, outline: str, beginning: str, *, is_new: bool) -> str:
    """Describe a page for the model; the page's own text stands in a frame that it cannot close.

    `beginning` is what `read_source` shows: lines, and below them where to read on.
    """
    lines, _, rest = beginning.rpartition('\n')
    about = f'{outline}\n\n' if outline else ''
    body = render_prompt('research/page_preview', title=one_line(page.title), outline=about, beginning=lines)
    return render_prompt(
        'research/crawled' if is_new else 'research/crawled_again',
        number=str(page.number),
        source_id=page.source_id,
        tokens=f'{page.tokens:,}',
        tier=page.tier,
        preview=wrap_in_tag(PREVIEW_TAG, f'\n{body}\n'),
        rest=rest,
    )
