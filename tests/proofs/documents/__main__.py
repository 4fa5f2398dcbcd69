"""`python -m tests.proofs.documents --corpus PATH`: what is kept of real documents, beside markitdown and kreuzberg.

PATH is a folder, with folders in it if need be. A document counts if a file called as it is and then `.ref.txt` stands
beside it: its words, from another source than the document itself, as the text that a manual is published as, too.
No document is in this repository. Manuals that exist as PDF or EPUB and as text come with Debian: `apt-get download
debian-policy developers-reference maint-guide fontconfig`; of any page with two columns Chromium prints a PDF.

Each document is read by each reader in turn, in this process, after all of them have read a first one. The exit code
says whether the goals are met: of all documents together no reader keeps more than ours, and 300 pages take at most 10
seconds.
"""

import argparse
import io
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from statistics import mean

from summarizer_tool.formats.reading import read
from tests.proofs.documents.scoring import kept_in_order
from tests.proofs.load.goals import Goals

MOST_SECONDS = 10.0
PAGES = 300
_OURS = 'summarizer_tool'
_REFERENCE = '.ref.txt'
_MARGIN = 0.005
_MANY_PAGES = 100


def _ours(path: Path) -> str:
    return read(path.read_bytes(), name=path.name).markdown


def _markitdown() -> Callable[[Path], str]:
    from markitdown import MarkItDown

    reader = MarkItDown()
    return lambda path: reader.convert_stream(io.BytesIO(path.read_bytes()), file_extension=path.suffix).text_content


def _kreuzberg() -> Callable[[Path], str]:
    from kreuzberg import extract_file_sync

    return lambda path: extract_file_sync(str(path)).content


def main() -> int:
    """Print the figures; 0 if the goals are met."""
    parser = argparse.ArgumentParser(description=(__doc__ or '').partition('\n')[0])
    parser.add_argument('--corpus', type=Path, required=True, help='a folder of documents with their references')
    asked = parser.parse_args()
    paths = [path for path in sorted(asked.corpus.rglob('*')) if path.with_name(path.name + _REFERENCE).is_file()]
    if not paths:
        print(f'{asked.corpus} has no document with its words beside it, as a.pdf and a.pdf{_REFERENCE}')
        return 2
    readers = {_OURS: _ours, 'markitdown': _markitdown(), 'kreuzberg': _kreuzberg()}
    kept: dict[str, list[float]] = defaultdict(list)
    seconds: dict[str, float] = defaultdict(float)
    failures: list[str] = []
    slowest = 0.0
    for reader in readers.values():
        reader(paths[0])
    print(f'{"document":48}' + ''.join(f'{name:>24}' for name in readers))
    for path in paths:
        reference = path.with_name(path.name + _REFERENCE).read_text(encoding='utf-8')
        row = f'{path.relative_to(asked.corpus)!s:48}'
        for name, reader in readers.items():
            began = time.perf_counter()
            try:
                made = reader(path)
            except KeyboardInterrupt:
                raise
            except BaseException as error:  # noqa: BLE001 - that it fails is its result, be it a panic of Rust
                made = ''
                failures.append(f'{name}: {path.name}: {type(error).__name__}')
            took = time.perf_counter() - began
            seconds[name] += took
            kept[name].append(kept_in_order(reference, made))
            row += f'{kept[name][-1]:>14.4f}{took:>8.2f} s'
            if name == _OURS and made.count('\f') >= _MANY_PAGES:  # the start does not count for each page
                slowest = max(slowest, took * PAGES / (made.count('\f') + 1))
        print(row, flush=True)
    print(
        f'{"mean, and seconds together":48}' + ''.join(f'{mean(kept[n]):>14.4f}{seconds[n]:>8.2f} s' for n in readers)
    )
    print('failures:', *failures or ['none'])
    goals = Goals()
    goals.at_least('kept by us', mean(kept[_OURS]), max(map(mean, kept.values())) - _MARGIN)
    goals.at_most(f'seconds for {PAGES} pages', slowest, MOST_SECONDS)
    goals.so('no failure of ours', is_so=not any(failure.startswith(_OURS) for failure in failures))
    return goals.report()


if __name__ == '__main__':
    sys.exit(main())
