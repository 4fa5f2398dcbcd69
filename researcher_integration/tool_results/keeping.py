"""Where whole results are kept: in a collection, up to a length."""

import logging
from datetime import UTC, datetime

import anyio.to_thread

from summarizer_tool import Collection, Document, StoreError, render_prompt

MAX_STORED_CHARACTERS = 5_000_000
"""Of one result; the rest is not kept, and the last line says so."""

_logger = logging.getLogger('researcher_integration')


def storable(text: str) -> str:
    """As much of a text as is kept."""
    if len(text) <= MAX_STORED_CHARACTERS:
        return text
    cut = render_prompt('tool_results/cut', kept=f'{MAX_STORED_CHARACTERS:,}', all=f'{len(text):,}')
    return f'{text[:MAX_STORED_CHARACTERS]}\n{cut}'


async def keep(collection: Collection, title: str, text: str) -> str:
    """Keep a masked result.

    Returns:
        Its handle; empty if it could not be stored.
    """
    document = Document(text, title=title)
    try:
        added = await anyio.to_thread.run_sync(lambda: collection.add(document, fetched_at=datetime.now(UTC)))
    except StoreError as error:
        _logger.warning('a tool result could not be stored', extra={'reason': str(error)})
        return ''
    return added.id
