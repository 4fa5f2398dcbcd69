"""Content as callers give it: its size is checked, and what is an HTML page is read as markdown."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeAlias, cast

from summarizer_tool.documents.cutting import measures
from summarizer_tool.documents.document import Document
from summarizer_tool.errors import InputTooLargeError
from summarizer_tool.formats.reading import plain_text
from summarizer_tool.html.page import Page, is_page
from summarizer_tool.runtime.executors import in_process, in_thread

Content: TypeAlias = 'str | Document | Sequence[str | Document]'
"""Text, which may be an HTML page, a document, or a list of them."""


def texts_of(content: Content) -> list[str]:
    """The texts in some content; raises `TypeError` if it is neither text, nor a `Document`, nor a list of them."""
    return [item if isinstance(item, str) else item.text for item in _items(content)]


async def check_size(texts: Iterable[str], limit_mb: float) -> None:
    """Raise `InputTooLargeError` where texts have more than `limit_mb` megabytes together, as UTF-8."""
    texts = list(texts)
    # UTF-8 has at most four bytes a character, so most texts need not be encoded to be measured.
    if sum(map(len, texts)) * 4 <= limit_mb * 1e6:
        return
    over_limit(await in_thread(_size, texts), limit_mb)


def over_limit(size: int, limit_mb: float) -> None:
    """Raise `InputTooLargeError` where so many bytes are more than `limit_mb` megabytes."""
    if size > limit_mb * 1e6:
        raise InputTooLargeError(
            f'content is {size / 1e6:.3g} MB, over SUMMARIZER_MAX_INPUT_MB={limit_mb:g}; split it or raise the limit'
        )


async def page_in(text: str, url: str = '') -> Page | None:
    """The page that a text is, if it is HTML from a URL; its links stand beside the markdown."""
    if not is_page(text):
        return None
    from summarizer_tool.html.convert import to_markdown

    return await in_process(to_markdown, text, url)


def as_given(content: Content) -> list[Document]:
    """Content as documents, without reading anything of it."""
    return [item if isinstance(item, Document) else Document(item) for item in _items(content)]


async def documents_of(content: Content) -> list[Document]:
    """Content as documents: HTML pages as markdown, documents as they are given."""
    documents: list[Document] = []
    for item in _items(content):
        if isinstance(item, Document):
            documents.append(item)
        elif page := await page_in(item):
            documents.append(Document(page.markdown, title=page.title))
        else:
            documents.append(Document(await in_process(plain_text, item)))
    return documents


async def measure(documents: Iterable[Document], size: int) -> None:
    """Count documents that have not been counted, as suits chunks of `size` tokens."""
    new = [document for document in documents if document.token_index is None]
    found = await in_process(measures, new, size) if new else ()
    for document, (count, starts, index) in zip(new, found, strict=True):
        document.remember(count, starts, replace(index, text=document.text))


def _items(content: Content) -> list[str | Document]:
    items = cast('list[object]', [*content] if isinstance(content, list | tuple) else [content])
    for item in items:
        if not isinstance(item, str | Document):
            raise TypeError(f'content is text, a Document or a list of them, not {type(item).__name__}')
    return cast('list[str | Document]', items)


def _size(texts: Iterable[str]) -> int:
    return sum(len(text.encode('utf-8', 'surrogatepass')) for text in texts)
