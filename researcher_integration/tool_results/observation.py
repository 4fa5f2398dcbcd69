"""The result of a tool as a model would see it, and the same with a summary in the place of what is long. Pure."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, is_dataclass, replace
from functools import lru_cache
from typing import Any, cast

from pydantic import BaseModel
from pydantic_ai import ToolReturn
from pydantic_ai.messages import BinaryContent, TextContent, ToolReturnPart, UserContent, is_multi_modal_content
from pydantic_core import to_jsonable_python

from researcher_integration.masking.masking import Masker, MaskingError
from summarizer_tool import SummarizerError, count_tokens, fits_tokens, read_html, render_prompt, texts_of_json

SMALL_MEMBER = 60
"""Tokens of a member of an object up to which it stays beside the summary of the others."""

LONG_LINE = 400  # characters over which an object or a list is broken into lines
MAX_DEPTH = 12  # to which that is done: it takes time at each level
FILES_DEPTH = 3  # to which text is looked for in bytes and files

SUMMARIZATION = 'summarization'
"""Key in the metadata of a result under which stands what was made of it,"""
NOTE = 'note'  # and below that the line over its summary

_TEXT_TYPE = re.compile(r'text/|application/(?:[\w.-]+\+)?(?:json|xml|x-ndjson|yaml|x-yaml|toml)\b')
"""Media types of files that are read as text."""

MAX_FILE_BYTES = 8_000
"""Of a file that a client of the proxy writes out for its model, a token for every few bytes."""

MAX_KIND = 80  # characters of a media type that are repeated
MAX_STORED_CHARACTERS = 5_000_000  # of one result; the rest is not kept, and the last line says so


@dataclass(slots=True)
class BinaryRoom:
    """What is left of one result's limit."""

    limit_kb: int
    """Of all that models are shown as such, images and sound above all."""
    used: int = 0
    """Bytes."""

    def refused(self, kind: str, size: int, *, is_shown: bool = True) -> str:
        """The note in the place of content that has no room; empty for what goes on.

        `kind` is the media type, `is_shown` whether models are shown it as such.
        """
        limit = self.limit_kb * 1000 if is_shown else MAX_FILE_BYTES
        if size + self.used * is_shown > limit:
            kilobytes = {'size': f'{-(-size // 1000):,}', 'limit': f'{limit // 1000:,}'}
            return render_prompt('tool_results/left_out', what=kind[:MAX_KIND], **kilobytes)
        self.used += size * is_shown
        return ''


@dataclass(frozen=True, slots=True)
class Observation:
    """What a tool has returned, taken apart."""

    value: Any
    """What the tool's result says; secrets and all."""
    content: str | Sequence[UserContent] | None = None
    """What is shown to the model beside it."""
    metadata: Any = None
    returned: ToolReturn[Any] | None = None
    """What the value came in, if in anything."""

    @classmethod
    def of(cls, result: object) -> 'Observation':
        """Take a result apart; bytes and files that are text are the text they hold, as base64 nobody could read it."""
        if isinstance(result, ToolReturn):
            returned = cast('ToolReturn[Any]', result)
            content = _with_text(returned.content)
            return cls(_with_text(returned.return_value), content, returned.metadata, returned)
        return cls(_with_text(result))

    @property
    def text(self) -> str:
        """All its text, as a model would be shown it; files are not in it."""
        return '\n'.join(filter(None, (as_text(self.value), *self._beside())))

    def texts(self) -> tuple[str, str]:
        """Its readable text, and as much as is kept of that and, below it, of a page as it came.

        That has lines that can be searched: an object or an item of a list on each, where it is short; a page as
        markdown.
        """
        readable = whole = '\n'.join(filter(None, map(_laid_out, (self.value, *self._beside()))))
        if isinstance(self.value, str) and _read_page(self.value) is not None:
            whole = render_prompt('tool_results/page', text=readable, page=self.value)
        if len(whole) > MAX_STORED_CHARACTERS:
            cut = render_prompt('tool_results/cut', kept=f'{MAX_STORED_CHARACTERS:,}', all=f'{len(whole):,}')
            whole = f'{whole[:MAX_STORED_CHARACTERS]}\n{cut}'
        return readable, whole

    def _beside(self) -> Sequence[str]:
        items = (self.content,) if isinstance(self.content, str) else self.content or ()
        return [
            item if isinstance(item, str) else item.content for item in items if isinstance(item, str | TextContent)
        ]

    def masked(self, masker: Masker) -> 'Observation':
        """The same without secrets, or a `MaskingError`; takes as long as its text is large."""
        value, content = (_masked(each, masker) for each in (self.value, self.content))
        try:
            metadata, _ = masker.mask_value(self.metadata)
        except MaskingError:
            metadata = None  # no model sees it, but traces and stored histories may
        return replace(self, value=value, content=content, metadata=metadata)

    def bounded(self, limit_kb: int) -> 'Observation':
        """The same with a note in the place of each file that is over the limit of one result."""
        room = BinaryRoom(limit_kb)
        return replace(self, value=_bounded(self.value, room), content=_bounded(self.content, room))

    def summarized(self, summary: str, **told: object) -> ToolReturn[Any]:
        """The same with a summary in the place of its text; files, small members and metadata stay."""
        files: list[UserContent] = []
        if self.content is not None and not isinstance(self.content, str):
            # A mark for a cache without what it marks is refused by providers.
            files = [item for item in self.content if is_multi_modal_content(item)]
        own = as_text(self.value)
        if own and self.text != own and fits_tokens(own, 2 * SMALL_MEMBER):
            # What is large stands beside it.
            return self._as(self.value, [summary, *files], self._metadata(told))
        return self._as(_with_summary(self.value, summary), files or None, self._metadata(told))

    def unclaimed(self) -> 'Observation':
        """The same, without metadata by which a tool would claim that its result is a summary of ours."""
        metadata = cast('dict[str, object]', self.metadata) if isinstance(self.metadata, dict) else {}
        if SUMMARIZATION not in metadata:
            return self
        return replace(self, metadata={key: value for key, value in metadata.items() if key != SUMMARIZATION})

    @property
    def result(self) -> object:
        """What a tool would have returned."""
        return self.value if self.returned is None else self._as(self.value, self.content, self.metadata)

    def is_same_as(self, other: 'Observation') -> bool:
        """Return whether nothing was changed."""
        return self.value is other.value and self.content is other.content and self.metadata is other.metadata

    def withheld(self, text: str) -> object:
        """A text in the place of all that there was."""
        return text if self.returned is None else self._as(text)

    def replaced(self, text: str, **told: object) -> ToolReturn[Any]:
        """A text in the place of all of it, files too; what programs know of the result stays."""
        return self._as(text, metadata=self._metadata(told))

    def _as(
        self, value: Any, content: str | Sequence[UserContent] | None = None, metadata: object = None
    ) -> ToolReturn[Any]:
        returned: ToolReturn[Any] = self.returned or ToolReturn(return_value=None)
        return replace(returned, return_value=value, content=content, metadata=metadata)

    def _metadata(self, told: dict[str, object]) -> dict[str, object]:
        summarization: dict[str, object] = {SUMMARIZATION: told}
        if isinstance(self.metadata, dict):
            return {**cast('dict[str, object]', self.metadata), **summarization}
        return summarization if self.metadata is None else {'metadata': self.metadata, **summarization}


def _files_of(value: object) -> list[object]:
    members = [*cast('dict[object, object]', value).values()] if isinstance(value, dict) else value
    items = cast('list[object]', members) if isinstance(members, list) else []
    return [item for item in items if is_multi_modal_content(item)]


def _masked(value: object, masker: Masker) -> Any:
    """A value without secrets, its files beside a text that its masks have made of it."""
    masked, _ = masker.mask_value(value)
    files = _files_of(value) if isinstance(masked, str) else []
    return [masked, *files] if files else masked


def _with_text(value: object, depth: int = 0) -> Any:
    """A value with the text of UTF-8 in the place of bytes and of files of text."""
    if isinstance(value, BinaryContent):
        return (_TEXT_TYPE.match(value.media_type) and _decoded(value.data)) or value
    if isinstance(value, bytes | bytearray):
        return _decoded(bytes(value)) or value
    return _changed(value, lambda member: _with_text(member, depth + 1)) if depth < FILES_DEPTH else value


def _changed(value: object, change: Callable[[object], object]) -> object:
    """An object or a list with its members changed; the same one where none is."""
    if isinstance(value, dict):
        members = cast('dict[object, object]', value)
        new = {key: change(member) for key, member in members.items()}
        return new if any(new[key] is not members[key] for key in members) else members
    if isinstance(value, list | tuple):
        items = cast('Sequence[object]', value)
        found = [change(item) for item in items]
        return found if any(new is not old for new, old in zip(found, items, strict=True)) else items
    return value


def _bounded(value: object, room: BinaryRoom, depth: int = 0) -> Any:
    if isinstance(value, BinaryContent):
        return room.refused(value.media_type, len(value.data)) or value
    return _changed(value, lambda member: _bounded(member, room, depth + 1)) if depth < FILES_DEPTH else value


def _decoded(data: bytes) -> str:
    try:
        text = data.decode('utf-8-sig')
    except UnicodeDecodeError:
        return ''
    return '' if '\0' in text else text


def as_text(value: object) -> str:
    """The text of a value as pydantic-ai writes it for a model: text as it is, all else as JSON, files left out."""
    return ToolReturnPart(tool_name='', content=value, tool_call_id='').model_response_str()


def _laid_out(value: object) -> str:
    """A text whose lines can be told apart: JSON is broken where it is long, all else stays as it is."""
    if isinstance(value, list | tuple):
        items = cast('Sequence[object]', value)
        texts = [item for item in items if isinstance(item, str)]
        # As a server sends a text in parts.
        if any('\n' in text for text in texts) and len(texts) == sum(
            not is_multi_modal_content(item) for item in items
        ):
            return '\n'.join(map(_laid_out, texts))
    if not isinstance(value, str):
        found = _jsonable(cast('object', value))
        if written := texts_of_json(found, _laid_out, is_beside=_stays_beside(found)):
            return written
        text = as_text(cast('object', value))
        return _broken(text) or text
    if page := _read_page(value):
        return page
    # Lines of JSON that somebody has laid out keep their numbers.
    long = sum(len(line) for line in value.split('\n') if len(line) > LONG_LINE)
    is_long = value[:1] in '{[' and 2 * long > len(value)
    return (_broken(value) if is_long else None) or value


def _stays_beside(value: object) -> bool:
    if not isinstance(value, dict) or not value:
        return False
    sizes = sorted(count_tokens(as_text(member)) for member in cast('dict[str, object]', value).values())
    return sum(sizes[:-1]) <= 2 * SMALL_MEMBER and all(size <= SMALL_MEMBER for size in sizes[:-1])


@lru_cache(maxsize=1)
def _read_page(text: str) -> str | None:
    if not text[:200].lstrip('\ufeff \t\r\n').startswith('<'):
        return None
    try:
        page = read_html(text.encode(errors='replace'))
    except SummarizerError:
        return None
    return page.markdown if page.markdown != text else None


def _broken(text: str) -> str | None:
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return '\n'.join(_lines(cast('object', value), '', 0)) if isinstance(value, dict | list) else None


def _lines(value: object, before: str, depth: int) -> Iterator[str]:
    """JSON in lines of at most `LONG_LINE` characters, as far as it can be broken; pages in it are markdown."""
    value = (_read_page(value) if isinstance(value, str) else None) or value
    whole = json.dumps(value, ensure_ascii=False)
    indent = ' ' * depth
    if not isinstance(value, dict | list) or len(whole) <= LONG_LINE or depth >= MAX_DEPTH:
        yield f'{indent}{before}{whole}'
        return
    is_object = isinstance(value, dict)
    named = cast('dict[str, object]', value) if is_object else dict(enumerate(cast('list[object]', value)))
    yield f'{indent}{before}{"{" if is_object else "["}'
    for place, (key, member) in enumerate(named.items(), 1):
        *lines, last = _lines(member, f'{json.dumps(key, ensure_ascii=False)}: ' if is_object else '', depth + 1)
        yield from lines
        yield last + ',' * (place < len(named))
    yield f'{indent}{"}" if is_object else "]"}'


def _jsonable(value: object) -> object:
    if isinstance(value, BaseModel) or (is_dataclass(value) and not is_multi_modal_content(value)):
        return to_jsonable_python(value, fallback=str)
    return value


def _with_summary(value: object, summary: str) -> object:
    """An object with the summary for its largest member, if the others are small; else the summary, beside files."""
    value = _jsonable(value)
    if _stays_beside(value):
        members = cast('dict[object, object]', value)
        largest = max(members, key=lambda key: count_tokens(as_text(members[key])))
        return {**members, largest: summary}
    files = _files_of(value)
    return [summary, *files] if files else summary
