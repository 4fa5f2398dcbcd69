"""What that is called which a line of nested data is a part of: by keys, and by fields that give names."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

_NAMED = re.compile(
    r"""(?i)(?:^|[\s<])["']?(?:[\w.-]{0,40}[_.-])?(?:name|title|id|key|path|file|uri|host)["']?\s?[:=]\s?"""
    r"""(?:"((?:[^"\\\n]|\\.){1,200})"|'([^'\n]{1,200})'|([^\s"'{\[,][^\n,]{0,200}))"""
)
"""A field that gives a name, and this."""
_OWN_NAME = re.compile(r'(?i)["\']?(?:name|title|id)\b')
"""Where it gives that of the thing, not of something else: `Relation Name`."""
IS_ID = re.compile(r'(?i)(?=[^\d\n]*\d)[\da-f-]{16,}|\d{6,}')
"""A number, or in hexadecimal digits, that nobody gave for a name."""
_KEY = re.compile(
    r"""(?:"([^"\n]{1,200})"|([^\s"'{}\[\]<>:=][^"'{}\[\]<>]{0,200}?))\s?[:=]\s?[{\[]?$|([\w./-]{1,200})\s\{$"""
    r"""|\w+\s("[^"\n]{1,80}"(?:\s"[^"\n]{1,80}")*)\s\{$"""
)
"""A line that begins a thing which is called by its key."""
_START = re.compile(r'\s*+(?:(?!- )[-+~/<=]{1,3}\s++)?')
"""What is before a line's first word; the sign of a change is a part of its indentation."""
_READ = 400  # characters of a line that are read
_LONGEST = 48  # characters of a name
_BULLET = '- '
_OPENING = ':{[('
_COMMENTS = '#', '//', ';'
"""What a line begins with that tells something of others, and is no part of the data."""


@dataclass(slots=True)
class _Thing:
    """What lines that stand further in are a part of."""

    depth: int
    inside: '_Thing | None'
    key: str = ''
    name: str = ''
    is_all: bool = False
    """Whether all of a text is in it, and its name tells nothing apart."""
    is_open: bool = True
    """Whether its line says that what is further in belongs to it."""
    is_lent: bool = False
    """Whether its name is that of what it holds, until it says its own."""

    def take(self, name: str, line: str) -> None:
        """Be called by a field in a line, and so is an item of a list that holds this: `metadata: {name: …}`."""
        is_own = _OWN_NAME.match(line) is not None
        is_free = not self.name or (is_own and (self.is_lent or IS_ID.fullmatch(self.name)))
        if self.is_open and not self.is_all and is_free:
            self.name, self.is_lent = name, False
        outer = self.inside if self.key and is_own else None
        if outer and outer.is_open and not (outer.name or outer.is_all or outer.key):
            outer.name, outer.is_lent = name, True

    def called(self, line: str) -> str:
        """The innermost name given by a field not in the line itself, and the last key; or the last two keys."""
        keys: list[str] = []
        thing: _Thing | None = self
        while thing and (not thing.name or thing.name in line):
            keys += [thing.key] if thing.key else []
            thing = thing.inside
        parts = [thing.name, *keys[:1]] if thing else keys[1::-1]
        return '.'.join(part[:_LONGEST] for part in parts)


def enclosing(lines: Sequence[str]) -> list[str]:
    """What each line is a part of, as it is called there; empty for what stands at the margin, and where nothing is."""
    innermost: list[_Thing | None] = []
    open_thing: _Thing | None = None
    for line in lines:
        start = _START.match(line)
        depth = start.end() if start else 0
        bare = line[depth : depth + _READ].strip()
        around = open_thing
        while bare and around and around.depth >= depth:
            around = around.inside
        if line.lstrip().startswith(_COMMENTS):
            innermost.append(around)
            continue
        open_thing = around
        if bare.startswith(_BULLET):
            open_thing = _Thing(depth, open_thing)
            bare, depth = bare[2:].lstrip(), depth + 2
        innermost.append(open_thing)
        if not bare:
            continue
        named = _NAMED.search(bare)
        name = next(filter(None, named.groups()), '') if named else ''
        key = None if name else _KEY.match(bare)
        if bare[0] == '<':
            open_thing = _Thing(depth, open_thing, name=name if open_thing else '', is_all=open_thing is None)
        else:
            if name and open_thing:
                open_thing.take(name.strip(), bare)
            is_all = open_thing is None and bare in ('{', '[')
            called = next(filter(None, key.groups())).replace('" "', '.').strip('"') if key else ''
            open_thing = _Thing(depth, open_thing, called, is_all=is_all, is_open=bare[-1] in _OPENING)
    numbered = zip(innermost, lines, strict=True)
    return [thing.called(line) if thing else '' for thing, line in numbered]
