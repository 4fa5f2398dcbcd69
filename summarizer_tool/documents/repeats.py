"""Find the documents of one job that say what an earlier one says, so that they are sent to a model only once."""

from collections.abc import Sequence

from summarizer_tool.documents.document import Document
from summarizer_tool.text.lines import one_line
from summarizer_tool.text.structure import LONGEST_TITLE

LEAST_WORDS = 40
"""Words from which a text names its own subject; what is shorter may go on with the document before it."""


def find(documents: Sequence[Document]) -> dict[int, int]:
    """The documents that are an earlier one's equal: by the index of each that of the earlier one."""
    first: dict[str, int] = {}
    found: dict[int, int] = {}
    for index, document in enumerate(documents):
        kept_in = first.setdefault(document.id, index) if document.text else index
        if kept_in != index and _is_same(documents[kept_in], document):
            found[index] = kept_in
    return found


def _is_same(one: Document, other: Document) -> bool:
    """Return whether two documents are about the same; a short text may be about what its title names."""
    title, again = (one_line(document.title, LONGEST_TITLE).casefold() for document in (one, other))
    is_long = len(other.text.split(None, LEAST_WORDS)) >= LEAST_WORDS
    names_itself = is_long and other.text.lstrip()[:2] in ('# ', '#\t')
    return one.text == other.text and (title == again or names_itself) and (bool(title) or is_long)
