"""The last line of an answer: the handle of what was summarized, and what can be done with it. Pure computing.

No line of the text above it passes for one of these.
"""

from collections.abc import Sequence

from summarizer_tool import prompts
from summarizer_tool.schemas import Summary
from summarizer_tool.text import tokens
from summarizer_tool.text.own_lines import without_own

FULL = 500  # budget in tokens from which the line says in full what a handle is good for
LEAST = 40  # budget in tokens below which there is no room for a handle

LISTED = 4
"""Handles that the line names one by one; the caller who has passed more of them knows them."""

NOTE_TOKENS = 16
SHORT_NOTE_TOKENS = 4
"""Room for what is to be said about the result, in the full line and in the short one."""

_NO_NOTE = ('', '')

_SEPARATOR = '\n\n'


def reserve(source_ids: Sequence[str], budget: int) -> int:
    """Tokens to keep free in a budget for the line."""
    widest = _lines(source_ids, '999,999,999', '9,999,999', _NO_NOTE)
    lines = [line for line, least in widest if budget >= least]
    if not lines:
        return 0
    return tokens.count(_SEPARATOR + lines[0]) + (NOTE_TOKENS if budget >= FULL else SHORT_NOTE_TOKENS)


def with_handle(summary: Summary, source_ids: Sequence[str], budget: int) -> str:
    """The text of a summary with the line, within the budget; the original text, which is over it, gets its, too."""
    text = without_own(summary.text)
    if summary.state in ('unchanged', 'empty'):
        return text
    stats = summary.stats
    for note in dict.fromkeys((_note(summary), _NO_NOTE)):
        for line, least in _lines(source_ids, f'{stats.tokens_in:,}', f'{stats.tokens_out:,}', note):
            answer = f'{text}{_SEPARATOR}{line}'
            if summary.over_budget or (budget >= least and tokens.fits(answer, budget)):
                return answer
    return text


def _lines(source_ids: Sequence[str], tokens_in: str, tokens_out: str, notes: tuple[str, str]) -> list[tuple[str, int]]:
    """The line in its forms, longest first, each with the least budget for which it is meant."""
    note, short_note = notes
    if not source_ids:
        return [(prompts.render('answers/not_kept', note=short_note), 2 * LEAST)]
    count = len(source_ids)
    ids = ', '.join(source_ids[:LISTED]) + _more(count - LISTED)
    sources = ids if count == 1 else prompts.render('answers/handle_several', count=str(count))
    sizes = {'tokens_in': tokens_in, 'tokens_out': tokens_out}
    return [
        (prompts.render('answers/handle_long', sources=sources, ids=ids, **sizes, note=note), FULL),
        (prompts.render('answers/handle_short', ids=ids, note=short_note), 2 * LEAST),
        (prompts.render('answers/handle_only', id=source_ids[0], more=_more(count - 1)), LEAST),
    ]


def _more(count: int) -> str:
    return ' ' + prompts.render('answers/handle_more', count=str(count)) if count > 0 else ''


def _note(summary: Summary) -> tuple[str, str]:
    """What the reader must know of the way the text was made, in full and in a word or two."""
    names = {
        'original': summary.state == 'original',
        'beginning': bool(summary.parts) and all(part.state == 'failed' for part in summary.parts),
        'degraded': summary.state == 'degraded',
        'cut_short': summary.stats.cut_short,
        'left_out': summary.stats.documents_left_out,
    }
    if not (name := next((name for name, is_so in names.items() if is_so), '')):
        return _NO_NOTE
    read = sum(part.state != 'repeated' for part in summary.parts)
    counts = {'degraded': len(summary.degraded), 'read': read, 'left_out': summary.stats.documents_left_out}
    note = prompts.render(f'answers/note_{name}', **{name: str(count) for name, count in counts.items()})
    full, short = note.splitlines()
    return f'; {full}', f', {short}'
