"""The zip archives that documents are, read within bounds: what they say of their sizes need not be true."""

# lxml has no types.
# pyright: reportMissingTypeStubs=false, reportAttributeAccessIssue=false
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

import zlib
from io import BytesIO
from typing import Any
from zipfile import BadZipFile, ZipFile

import regex

from summarizer_tool.errors import FetchError
from summarizer_tool.extras import naming_extra

_MOST_MEMBERS = 20_000
_MOST_TEXT = 100_000_000
"""Bytes of all that is read of a document, decompressed; pictures are not read."""

_STEP = 1 << 20

# Neither format has entities of its own making, which could grow without end.
_ENTITIES = regex.compile(rb'<!ENTITY\b', regex.IGNORECASE)


class Archive:
    """A zip archive whose members are read until they are too much."""

    def __init__(self, body: bytes, kind: str) -> None:
        """Open it; an error calls it a `kind`.

        Raises:
            FetchError: If it is broken or has too many members; begins with a verb.
        """
        self.kind = kind
        self._left = _MOST_TEXT
        try:
            self._zip = ZipFile(BytesIO(body))
            members = self._zip.infolist()
        except (BadZipFile, ValueError, OSError, NotImplementedError, zlib.error) as error:
            # `NotImplementedError` is what zipfile raises for a directory in a later version of the format.
            raise self.broken() from error
        if len(members) > _MOST_MEMBERS:
            raise FetchError(f'is {kind} with {len(members):,} files in it, over {_MOST_MEMBERS:,}')
        self._members = {member.filename.lstrip('/'): member for member in members}

    def broken(self) -> FetchError:
        """The error that it is not what it should be."""
        return FetchError(f'is {self.kind} that is broken; open it in its program and save it again')

    def names(self) -> list[str]:
        """Its members, in their order."""
        return list(self._members)

    def read(self, name: str) -> bytes:
        """A member, decompressed; raises `FetchError` if it is not there, broken or encrypted, or too much."""
        member = self._members.get(name)
        if member is None:
            raise self.broken()
        if member.flag_bits & 1:
            raise FetchError(f'is {self.kind} that is encrypted; save it without a password')
        pieces: list[bytes] = []
        try:
            with self._zip.open(member) as file:
                while piece := file.read(_STEP):
                    self._left -= len(piece)
                    if self._left < 0:
                        most = _MOST_TEXT // 1_000_000
                        raise FetchError(f'is {self.kind} with more than {most} MB of text, decompressed; split it')
                    pieces.append(piece)
        except NotImplementedError as error:  # what zipfile raises for a compression it does not know, as of 7-Zip's
            raise FetchError(f'is {self.kind} compressed in a way that is not read here; save it again') from error
        except (BadZipFile, ValueError, OSError, EOFError, RuntimeError, zlib.error) as error:
            raise self.broken() from error
        return b''.join(pieces)

    def xml(self, name: str) -> bytes:
        """A member that is XML; raises `FetchError` as `read`, and if it declares entities."""
        body = self.read(name)
        if _ENTITIES.search(body):
            raise FetchError(f'is {self.kind} that declares entities of XML, which no program writes; it is not read')
        return body

    def tree(self, name: str) -> Any:
        """The root of a member that is XML, as far as it is whole; raises `FetchError` as `xml`, and if nothing is."""
        with naming_extra():
            from lxml import etree

        parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, recover=True)
        try:
            root = etree.fromstring(self.xml(name), parser)
        except etree.XMLSyntaxError:
            root = None
        if root is None:
            raise self.broken()
        return root
