"""Let a model split a compound question into sub-queries, and take none that is about something else."""

import logging

from pydantic import BaseModel, Field

from summarizer_tool import prompts, telemetry
from summarizer_tool.evidence.question.sub_queries import MAX_PARTS
from summarizer_tool.llm import typed_query
from summarizer_tool.llm.typed_query import RequestModel, TypedQuery, UnansweredError
from summarizer_tool.text import terms

MAX_PART_CHARACTERS = 300
"""Characters of a sub-query; what is longer is no query."""

_ANSWER_TOKENS = 800
"""Room for five sub-queries of that length, and for the JSON around them."""

_logger = logging.getLogger('summarizer_tool')


# Without a docstring, which the model would be shown.
class _SubQueries(BaseModel):
    queries: list[str] = Field(description='One to five sub-queries.')


_SPLITTER = TypedQuery('splitter', 'evidence/split', _SubQueries)


async def split(model: RequestModel, question: str, intent: str = '', constraints: str = '') -> tuple[str, ...]:
    """The sub-queries of a question: one to five, one where it asks but one thing.

    Raises:
        UnansweredError: If the model failed, or gave no query with a word of what it was given.
        ConfigurationError: If the model cannot be built.
    """
    with telemetry.span('split question', model=model.model_name) as span:
        answer = await model.ask(_SPLITTER, _request(question, intent, constraints), _ANSWER_TOKENS)
        parts = sound_parts(answer.queries, question, intent, constraints)
        span.set_attributes({'offered': len(answer.queries), 'parts': len(parts)})
    if not parts:
        _logger.warning('no usable sub-query', extra={'offered': len(answer.queries)})
        raise UnansweredError(f'{model.model_name} as splitter: none of its sub-queries is about the question')
    return parts


def sound_parts(queries: list[str], *given: str) -> tuple[str, ...]:
    """The queries that are about what was asked, at most five, each once and on one line.

    A text that has slipped into the question leads no search elsewhere: a query needs a content word of the asker’s.
    """
    asked = terms.asked('\n'.join(given)).terms
    parts: dict[str, str] = {}
    for query in queries:
        line = ' '.join(''.join(character if character.isprintable() else ' ' for character in query).split())
        is_sound = 0 < len(line) <= MAX_PART_CHARACTERS and not terms.terms_of(line).isdisjoint(asked)
        if is_sound:
            parts.setdefault(line.casefold(), line)
    return tuple(parts.values())[:MAX_PARTS]


def _request(question: str, intent: str, constraints: str) -> str:
    given = ((prompts.QUESTION_TAG, question), (prompts.INTENT_TAG, intent), (prompts.CONSTRAINTS_TAG, constraints))
    return '\n\n'.join(
        typed_query.framed(tag, text.strip()[: typed_query.MAX_CHARACTERS]) for tag, text in given if text.strip()
    )
