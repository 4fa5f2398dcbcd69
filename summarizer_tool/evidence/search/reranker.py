"""Let a model judge, in one call, how well each of a search's best passages helps to answer the question."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import BaseModel, Field

from summarizer_tool import prompts, telemetry
from summarizer_tool.llm import typed_query
from summarizer_tool.llm.typed_query import RequestModel, TypedQuery, UnansweredError
from summarizer_tool.runtime.executors import in_thread
from summarizer_tool.text import tokens

PASSAGE_TOKENS = 300
"""Tokens of a passage that the model is shown; ordinary ones have half of that."""

_ANSWER_TOKENS = 300
_JUDGEMENT_TOKENS = 40
"""Room in the answer, and for each judgement in it: twice what its JSON takes."""


# Without docstrings, which the model would be shown.
class _Judgement(BaseModel):
    number: int = Field(description='Of the passage.')
    confidence: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] = Field(
        description='0: no help at all; 0.5: on the subject, or a part of the answer; 1: states the answer.'
    )


class _Judgements(BaseModel):
    judgements: list[_Judgement] = Field(description='One for each passage.')


_JUDGE = TypedQuery('judge', 'evidence/judge', _Judgements)


async def rerank(model: RequestModel, question: str, texts: Sequence[str]) -> list[float]:
    """How sure the model is, 0 to 1, that each text helps to answer; 0 for those that it says nothing of.

    Raises:
        UnansweredError: If the model failed, or judged none of them.
        ConfigurationError: If the model cannot be built.
    """
    with telemetry.span('judge passages', passages=len(texts), model=model.model_name):
        request = await in_thread(_request, question, texts)
        answer = await model.ask(_JUDGE, request, _ANSWER_TOKENS + _JUDGEMENT_TOKENS * len(texts))
        numbers = range(1, len(texts) + 1)
        # What is judged twice keeps the first judgement.
        judged = {each.number: each.confidence for each in reversed(answer.judgements) if each.number in numbers}
        if not judged:
            raise UnansweredError(f'{model.model_name} as judge: none of {len(texts)} passages is judged')
        return [judged.get(number, 0.0) for number in numbers]


def _request(question: str, texts: Sequence[str]) -> str:
    """The question and the passages, each in a frame of its own, so that none can pass itself off as another."""
    frames = [typed_query.framed(prompts.QUESTION_TAG, question[: typed_query.MAX_CHARACTERS])]
    for number, text in enumerate(texts, 1):
        shown = tokens.truncate(text, PASSAGE_TOKENS)
        frames.append(typed_query.framed(prompts.PASSAGE_TAG, shown, number=str(number)))
    return '\n\n'.join(frames)
