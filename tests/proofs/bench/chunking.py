"""Chunking beside one plain tokenizer pass over the same markdown: how much time the structure costs, and how full."""

import os
import sysconfig
import time
from collections.abc import Iterator
from pathlib import Path

from summarizer_tool.documents.chunking import Chunk, chunk
from summarizer_tool.documents.document import Document
from summarizer_tool.text import tokens
from tests.proofs.load.goals import Goals

CHARACTERS = 2_000_000
SIZE = 8000
ROUNDS = 5
_CRAWL = Path(__file__).parents[4] / 'shared' / 'data' / 'crawl'


def _texts() -> tuple[str, list[str]]:
    """Where the markdown is from, and each file's."""
    if given := os.environ.get('BENCH_MARKDOWN'):
        path = Path(given)
        files = sorted(path.rglob('*.md')) if path.is_dir() else [path]
        return f'BENCH_MARKDOWN={given}', [file.read_text(encoding='utf-8', errors='replace') for file in files]
    if files := sorted(_CRAWL.glob('*.md')):
        return 'shared/data/crawl', [file.read_text(encoding='utf-8', errors='replace') for file in files]
    return 'site-packages', list(_installed())


def _installed() -> Iterator[str]:
    """The markdown that installed packages bring along."""
    packages = Path(sysconfig.get_paths()['purelib'])
    for file in sorted((*packages.rglob('*.md'), *packages.glob('*.dist-info/METADATA'))):
        text = file.read_text(encoding='utf-8', errors='replace')
        yield text.partition('\n\n')[2] if file.name == 'METADATA' else text


def markdown() -> tuple[str, str]:
    """Two million characters of markdown, and what they are."""
    source, texts = _texts()
    whole = '\n\n'.join(texts)
    if not whole:
        raise SystemExit(f'{source} holds no markdown; set BENCH_MARKDOWN to a file or folder that does')
    times = -(-CHARACTERS // len(whole))
    text = (f'{whole}\n\n' * times)[:CHARACTERS]
    return text, f'{len(texts)} files, {len(whole):,} characters from {source}, {"cut" if times == 1 else f"x {times}"}'


def prove(goals: Goals) -> None:
    """Measure the baseline and ours by turns, in CPU time: a second thread or a busy machine changes nothing."""
    text, source = markdown()
    encode = tokens.encoding().encode_ordinary
    encode(text[:100_000])
    base = ours = float('inf')
    chunks: list[Chunk] = []
    for _ in range(ROUNDS):
        started = time.process_time()
        encode(text)
        base = min(base, time.process_time() - started)
        started = time.process_time()
        chunks = chunk([Document(text)], size=SIZE)
        ours = min(ours, time.process_time() - started)
    assert ''.join(text[piece.start : piece.end] for part in chunks for piece in part.pieces) == text
    print(
        f'chunking {len(text) / 1e6:.1f} M characters ({source}) into {len(chunks)} chunks of {SIZE} tokens: '
        f'{ours * 1e3:.0f} ms, a tokenizer pass {base * 1e3:.0f} ms'
    )
    goals.at_most('chunking', ours / base, 1.15, 'x a plain tokenizer pass')
    # Cuts follow the content, so that a change moves no others: chunks are 74 to 100 % of their size.
    counted = [part.tokens for part in chunks]
    goals.at_least('mean fill', sum(counted) / len(counted) / SIZE, 0.82)
    goals.so('no chunk is over its size', is_so=max(counted) <= SIZE)
