"""Read the body of a response within a limit, compressed or not."""

import zlib
from collections.abc import Iterator

import anyio.lowlevel
import httpx2

from summarizer_tool.errors import FetchError
from summarizer_tool.settings import variable

PIECE = 1 << 20
"""Bytes that are decompressed before the event loop has its turn: a bomb is seen before it is large."""


async def read_body(response: httpx2.Response, megabytes: float) -> bytes:
    """The body of a response, decompressed; raises `FetchError` if it is over `megabytes` or wrongly compressed."""
    limit = int(megabytes * 1e6)
    encoding = response.headers.get('content-encoding', '').strip().lower()
    if encoding not in ('', 'identity', 'gzip', 'x-gzip'):
        raise FetchError('is compressed in a way that was not asked for')
    gunzip = zlib.decompressobj(zlib.MAX_WBITS | 16) if 'gzip' in encoding else None
    body = bytearray()
    received = 0
    try:
        async for raw in response.aiter_raw():
            received += len(raw)
            for piece in _pieces(gunzip, raw) if gunzip else (raw,):
                body += piece
                if max(len(body), received) > limit:
                    raise FetchError(f'is over {variable("fetch_max_mb")}={megabytes:g} MB')
                await anyio.lowlevel.checkpoint()
    except zlib.error:
        raise FetchError('sent broken gzip') from None
    if gunzip and received and not gunzip.eof:
        raise FetchError('sent broken gzip')
    return bytes(body)


def _pieces(gunzip: 'zlib._Decompress', raw: bytes) -> Iterator[bytes]:
    while raw and not gunzip.eof:
        yield gunzip.decompress(raw, PIECE)
        raw = gunzip.unconsumed_tail or gunzip.unused_data
    if raw.strip(b'\0'):  # zeros are padding
        raise zlib.error('another member')
