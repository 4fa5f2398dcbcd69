"""Read the body of a response within a limit, compressed or not."""

import zlib
from collections.abc import Iterator

import anyio.lowlevel
import httpx2

from summarizer_tool.errors import FetchError
from summarizer_tool.settings import variable

PIECE = 1 << 20
"""Bytes that are decompressed before the event loop has its turn."""


async def read_body(response: httpx2.Response, megabytes: float) -> bytes:
    """The body of a response, decompressed; raises `FetchError` if it is over `megabytes` or wrongly compressed."""
    limit = int(megabytes * 1e6)
    encoding = response.headers.get('content-encoding', '').strip().lower()
    if encoding not in ('', 'identity', 'gzip', 'x-gzip'):
        raise FetchError('is compressed in a way that was not asked for')
    length = response.headers.get('content-length', '')
    too_large = FetchError(f'is over {variable("fetch_max_mb")}={megabytes:g} MB')
    if length.isascii() and length.isdigit() and len(length) < 20 and int(length) > limit:
        raise too_large
    gunzip = _Gunzip() if 'gzip' in encoding else None
    body = bytearray()
    received = 0
    try:
        async for raw in response.aiter_raw():
            received += len(raw)
            for piece in gunzip.pieces(raw) if gunzip else (raw,):
                body += piece
                if max(len(body), received) > limit:
                    raise too_large
                await anyio.lowlevel.checkpoint()
        if gunzip:
            gunzip.close()
    except zlib.error:
        raise FetchError('sent broken gzip') from None
    return bytes(body)


class _Gunzip:
    """Decompresses in pieces of at most `PIECE`, so that a bomb is seen before it is large."""

    def __init__(self) -> None:
        self._member = zlib.decompressobj(zlib.MAX_WBITS | 16)
        self._begun = False

    def pieces(self, raw: bytes) -> Iterator[bytes]:
        while raw:
            if self._member.eof:
                # Another member may follow; zeros are padding.
                raw = raw.lstrip(b'\0')
                if not raw:
                    return
                self._member = zlib.decompressobj(zlib.MAX_WBITS | 16)
            self._begun = True
            yield self._member.decompress(raw, PIECE)
            raw = self._member.unconsumed_tail or self._member.unused_data

    def close(self) -> None:
        """Raises `zlib.error` if the last member is cut off."""
        if self._begun and not self._member.eof:
            raise zlib.error('incomplete')
