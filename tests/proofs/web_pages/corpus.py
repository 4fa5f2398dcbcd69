"""The labelled pages that trafilatura is evaluated on."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

_FOLDERS = ('cache', 'eval')
"""Where a page may be; the first that has it counts, as in `eval_common.py` there."""

_Labels = TypedDict('_Labels', {'file': str, 'with': list[str], 'without': list[str]})


@dataclass(frozen=True, slots=True)
class LabelledPage:
    """A page of the web, with some strings of its content and of its chrome."""

    url: str
    file: str
    body: bytes
    content: tuple[str, ...]
    chrome: tuple[str, ...]


def read_corpus(folder: Path) -> list[LabelledPage]:
    """All pages, by their URL.

    Args:
        folder: The one that holds `evaldata.json`, `cache` and `eval`.
    """
    labels: dict[str, _Labels] = json.loads((folder / 'evaldata.json').read_text(encoding='utf-8'))
    return [
        LabelledPage(url, said['file'], _body(folder, said['file']), tuple(said['with']), tuple(said['without']))
        for url, said in sorted(labels.items())
    ]


def _body(folder: Path, file: str) -> bytes:
    return next(path for name in _FOLDERS if (path := folder / name / file).is_file()).read_bytes()
