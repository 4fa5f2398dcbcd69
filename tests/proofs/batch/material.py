"""Documents of any size, made of the real paragraphs of this repository, none like another."""

import random
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

REPOSITORY = Path(__file__).parents[3]

_NAME = re.compile(r'\b[A-Z][a-z]{3,}\b')
_NUMBER = re.compile(r'\b\d{2,4}\b')
_VOWELS = 'aeiou'


@cache
def paragraphs() -> tuple[str, ...]:
    """What is long enough to state something."""
    files = [*sorted(REPOSITORY.glob('examples/crawl/*.md')), *sorted(REPOSITORY.glob('docs/*.md'))]
    found = [part.strip() for file in files for part in file.read_text(encoding='utf-8').split('\n\n')]
    return tuple(part for part in found if len(part) > 80 and not part.startswith(('```', '|')))


def text(seed: int, characters: int) -> str:
    """A document of about so many characters: paragraphs in an order of its own, with other names and numbers."""
    draw = random.Random(seed)
    shift = draw.randrange(1, 5)

    def renamed(found: re.Match[str]) -> str:
        return ''.join(_VOWELS[(_VOWELS.index(c) + shift) % 5] if c in _VOWELS else c for c in found[0])

    def renumbered(found: re.Match[str]) -> str:
        return str(int(found[0]) + seed % 97 + draw.randrange(40))

    parts = [f'# Report {seed}']
    size = 0
    while size < characters:
        part = _NUMBER.sub(renumbered, _NAME.sub(renamed, draw.choice(paragraphs())))
        if draw.random() < 0.1:
            part = f'## Part {len(parts)}\n\n{part}'
        parts.append(part)
        size += len(part) + 2
    return '\n\n'.join(parts)


def write(folder: Path, count: int, characters: int) -> Path:
    """Write so many documents into a folder."""
    for path, content in _documents(folder, count, characters):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding='utf-8')
    return folder


def _documents(folder: Path, count: int, characters: int) -> Iterator[tuple[Path, str]]:
    for number in range(count):
        yield folder / f'{number // 100:02}' / f'{number:05}.md', text(number, characters)
