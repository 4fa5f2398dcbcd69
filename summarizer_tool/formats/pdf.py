"""PDFs as markdown, with a form feed between two pages; read in a process of its own, see `pdf_child`."""

import json
import os
import subprocess
import sys
from pathlib import Path

from summarizer_tool.errors import FetchError
from summarizer_tool.extras import naming_extra
from summarizer_tool.html.page import Page

KIND = 'a PDF'

MOST_PAGES = 10_000
MOST_CHARACTERS = 50_000_000
MOST_SECONDS = 60
"""A page takes 5 ms; what takes longer for them all was made to."""

_PASSED_ON = ('PATH', 'SYSTEMROOT', 'LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH')
"""Variables of the environment that the process may need; the others hold secrets."""


def read(body: bytes) -> Page:
    """A PDF as markdown.

    Raises:
        FetchError: If it has no text, is encrypted, broken or too large, or takes too long; begins with a verb.
        MissingExtraError: If a package of the extra `documents` is missing.
    """
    with naming_extra():
        import pypdfium2  # pyright: ignore[reportUnusedImport, reportMissingTypeStubs]  # noqa: F401 - the process needs it

    limits = [str(limit) for limit in (MOST_PAGES, MOST_CHARACTERS, MOST_SECONDS)]
    environment = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    environment['PYTHONPATH'] = os.pathsep.join(filter(None, sys.path))
    try:
        done = subprocess.run(  # noqa: S603 - nothing of it is from outside
            [sys.executable, '-P', str(Path(__file__).with_name('pdf_child.py')), *limits],
            input=body,
            capture_output=True,
            timeout=MOST_SECONDS + 10,
            check=False,
            env=environment,
        )
    except subprocess.TimeoutExpired:
        raise _error({'problem': 'slow'}) from None
    if done.returncode:
        raise _error({'problem': 'crashed'})
    made = json.loads(done.stdout)
    if 'problem' in made:
        raise _error(made)
    return Page(made['markdown'], made['title'])


def _error(made: dict[str, object]) -> FetchError:
    pages = made.get('pages', 0)
    says = {
        'encrypted': 'that is encrypted; save it without a password, e.g. qpdf --decrypt --password=… in.pdf out.pdf',
        'broken': 'that is broken; repair it, e.g. qpdf in.pdf out.pdf, or print it to a new one',
        'crashed': 'that cannot be read: it ended its reader; repair it, e.g. qpdf in.pdf out.pdf',
        'long': f'of {pages:,} pages, over {MOST_PAGES:,}; split it, e.g. qpdf in.pdf --pages . 1-1000 -- out.pdf',
        'large': f'with more than {MOST_CHARACTERS // 1_000_000} million characters; split it',
        'slow': f'that takes longer than {MOST_SECONDS} seconds to read; split it, e.g. with qpdf --split-pages',
        'scan': f'without text on any page ({pages:,}), as of a scan; it needs OCR, e.g. ocrmypdf in.pdf out.pdf',
    }
    return FetchError(f'is {KIND} {says[str(made["problem"])]}')
