"""PDFs as markdown, with a form feed between two pages; read in a process of its own, see `pdf_child`."""

from collections.abc import Mapping

from summarizer_tool.errors import FetchError
from summarizer_tool.extras import naming_extra
from summarizer_tool.formats import isolated
from summarizer_tool.html.page import Page

KIND = 'a PDF'

MOST_PAGES = 10_000
MOST_CHARACTERS = 50_000_000


def read(body: bytes) -> Page:
    """A PDF as markdown; raises `FetchError` if it has no text, cannot be read, or takes too long."""
    with naming_extra():
        import pypdfium2  # pyright: ignore[reportUnusedImport, reportMissingTypeStubs]  # noqa: F401 - the process needs it

    try:
        made = isolated.run('pdf_child.py', body, MOST_PAGES, MOST_CHARACTERS, isolated.MOST_SECONDS)
    except TimeoutError:
        made = {'problem': 'slow'}
    except ChildProcessError:
        made = {'problem': 'crashed'}
    if 'problem' in made:
        raise _error(made)
    return Page(made['markdown'], made['title'])


def _error(made: Mapping[str, object]) -> FetchError:
    pages = made.get('pages', 0)
    says = {
        'encrypted': 'that is encrypted; save it without a password, e.g. qpdf --decrypt --password=… in.pdf out.pdf',
        'broken': 'that is broken; repair it, e.g. qpdf in.pdf out.pdf, or print it to a new one',
        'crashed': 'that cannot be read: it ended its reader; repair it, e.g. qpdf in.pdf out.pdf',
        'long': f'of {pages:,} pages, over {MOST_PAGES:,}; split it, e.g. qpdf in.pdf --pages . 1-1000 -- out.pdf',
        'large': f'with more than {MOST_CHARACTERS // 1_000_000} million characters; split it',
        'slow': f'that takes longer than {isolated.MOST_SECONDS} seconds; split it, e.g. with qpdf --split-pages',
        'scan': f'without text on any page ({pages:,}), as of a scan; it needs OCR, e.g. ocrmypdf in.pdf out.pdf',
    }
    return FetchError(f'is {KIND} {says[str(made["problem"])]}')
