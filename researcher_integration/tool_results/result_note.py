"""What stands in the place of a large result: its summary under a note, or what a policy says; and where it is kept."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from researcher_integration.tool_results.observation import NOTE, Observation
from researcher_integration.tool_results.rules import Summarization
from researcher_integration.tool_results.summarizing import ResultSummary
from summarizer_tool import (
    Collection,
    Document,
    StoreError,
    count_tokens,
    in_io_thread,
    render_prompt,
    without_own_lines,
)

WITHHELD = 'withheld'
"""An error text stands for the result."""

ORIGINAL = 'original'
"""The result goes on as it is: there is no summary, or none that is smaller."""


@dataclass(frozen=True, slots=True)
class StoredResult:
    """Where the whole of a result is."""

    tool: str
    """With its server."""
    original: int
    """Tokens of the result."""
    source_id: str
    """Its handle; empty if it could not be stored."""
    readers: Mapping[str, str]
    """What the model calls the tools that show it; empty if it has none."""

    def rendered(self, name: str, **values: str) -> str:
        """What is said of it: the `note` over a summary, or `withheld` where it is too large and there is none."""
        suffix = '_unread'
        if self.source_id:
            suffix = '' if {'search_source', 'read_source'} <= self.readers.keys() else '_elsewhere'
        return render_prompt(
            f'tool_results/{name}{suffix}',
            tool=self.tool,
            original=f'{self.original:,}',
            source_id=self.source_id,
            search=self.readers.get('search_source', ''),
            read=self.readers.get('read_source', ''),
            **values,
        )


def outcome(
    seen: Observation, kept: StoredResult, made: ResultSummary, rules: Summarization
) -> tuple[object, ResultSummary]:
    """Put the summary in the place of a result, or do what the failure policy of its server says.

    Returns what the tool would have returned, and what is to be told of it: the summary, the text that stands for the
    result, or no text, and the tokens of the result, where it goes on as it is.
    """
    told: dict[str, object] = {
        'original_tokens': kept.original,
        'threshold': rules.size_threshold_tokens,
        'model': made.model,
        'seconds': made.seconds,
        'source_id': kept.source_id,
        'requests': made.usage.requests,
        'input_tokens': made.usage.input_tokens,
        'output_tokens': made.usage.output_tokens,
    }
    if made.reason:
        told['reason'] = made.reason
    if made.text:
        note = kept.rendered('note', tokens=f'{made.tokens:,}')
        told |= {NOTE: note, 'summary_tokens': made.tokens, 'state': made.state}
        shown = seen.summarized(f'{note}\n{without_own_lines(made.text)}', **told)
        if count_tokens(Observation.of(shown).text) < kept.original:
            return shown, made
    elif rules.on_failure == 'closed':
        text = kept.rendered('withheld', reason=made.reason)
        size = count_tokens(text)
        stands = made.model_copy(update={'text': text, 'tokens': size, 'state': WITHHELD})
        return seen.replaced(text, **told, summary_tokens=size, state=WITHHELD), stands
    return seen.result, made.model_copy(update={'text': '', 'tokens': kept.original, 'state': ORIGINAL})


MAX_STORED_CHARACTERS = 5_000_000
"""Of one result; the rest is not kept, and the last line says so."""

_logger = logging.getLogger('researcher_integration')


def texts_of(seen: Observation) -> tuple[str, str]:
    """The readable text of a result, and as much as is kept of it and of what it came as."""
    readable = seen.readable
    whole = seen.kept(readable)
    if len(whole) > MAX_STORED_CHARACTERS:
        cut = render_prompt('tool_results/cut', kept=f'{MAX_STORED_CHARACTERS:,}', all=f'{len(whole):,}')
        whole = f'{whole[:MAX_STORED_CHARACTERS]}\n{cut}'
    return readable, whole


async def keep(collection: Collection, title: str, text: str) -> str:
    """Keep a masked result; returns its handle, empty if it could not be stored."""
    document = Document(text, title=title)
    try:
        added = await in_io_thread(collection.add, document, fetched_at=datetime.now(UTC))
    except StoreError as error:
        _logger.warning('a tool result could not be stored', extra={'reason': str(error)})
        return ''
    return added.id
