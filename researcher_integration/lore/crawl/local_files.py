"""The text of a local file that is given as a page."""

from pathlib import Path

from summarizer_tool import FetchError, Page, RequestError, read_html

_HTML_SUFFIXES = frozenset({'.html', '.htm', '.xhtml'})


def read(file: Path, max_mb: float) -> Page:
    """Read a text, markdown or HTML file of at most `max_mb` (10⁶ bytes) as a page; a blocking call."""
    if file.exists() and not file.is_file():  # one would wait for whoever writes into a pipe
        raise RequestError(f'{file} is not a regular file; give the path of a text, markdown or HTML file')
    try:
        with file.open('rb') as opened:
            body = opened.read(int(max_mb * 1e6) + 1)
    except FileNotFoundError:
        raise RequestError(f'there is no file {file}; give the path of a text, markdown or HTML file') from None
    except (OSError, ValueError) as error:
        reason = getattr(error, 'strerror', None) or type(error).__name__
        raise RequestError(f'{file} cannot be read: {reason}') from None
    if len(body) > max_mb * 1e6:
        raise RequestError(f'{file} is over SUMMARIZER_FETCH_MAX_MB={max_mb:g} MB; split it or raise the limit')
    try:
        # A saved page may begin with anything; its name says what it is. Of other files their content does.
        return read_html(body, 'text/html' if file.suffix.lower() in _HTML_SUFFIXES else '')
    except FetchError as error:
        raise RequestError(f'{file} {error}') from None
