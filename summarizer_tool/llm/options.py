"""What a caller brings along to a request: progress, usage, deadline, model and cache."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol

from pydantic_ai.models import Model
from pydantic_ai.usage import RunUsage, UsageLimits

from summarizer_tool.runtime.deadline import Deadline
from summarizer_tool.settings import OnFailure

Phase = Literal['map', 'reduce', 'repair', 'fetch', 'index', 'search', 'expand', 'assemble']


class Cache(Protocol):
    """Where finished work is kept; synchronous, hashable, equal for one owner, and it may raise `StoreError`."""

    def answer(self, key: str, *, least: int, most: int) -> str | None:
        """The answer for the smallest target in a range, if any; that for 0 is a whole result."""
        ...

    def keep_answer(self, key: str, target: int, answer: str) -> None:
        """Keep an answer made for a target; for 0, a whole result."""
        ...


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a request has come: one of these after each finished call."""

    phase: Phase
    done: int
    total: int
    message: str


@dataclass(frozen=True, slots=True)
class RequestOptions:
    """What a caller brings along; all of it optional."""

    on_progress: Callable[[Progress], None] | None = None
    """Called on the event loop after each finished step: a chunk, the facts of several."""
    usage: RunUsage | None = None
    """Model usage is added to it, e.g. the calling agent's."""
    usage_limits: UsageLimits | None = None
    """Checked before each model request; those that are under way count."""
    deadline: Deadline | None = None
    """Instead of one in `SUMMARIZER_DEADLINE_SECONDS`."""
    model: Model | None = None
    """Does the work instead of the configured one."""
    on_failure: OnFailure | None = None
    """What happens when every call of it fails for good; by default as configured."""
    merge: bool = True
    """Whether a model may merge facts that are far over the budget; else they are only chosen from."""
    is_audited: bool = True
    """Whether the summary tells how much of what the sources name it says, for whoever looks at more than its text."""
    are_summaries: bool = False
    """Whether the documents are short already: a digest of a digest would count the lines of that one."""
    cache: Cache | None = None
    """Where finished work is looked for and kept."""
    reserve: Callable[[int], int] | None = None
    """Tokens of a budget that the caller needs for itself, unless the text comes back unchanged."""
    on_fact: Callable[[str], None] | None = None
    """Called on the event loop with each fact of a chunk as the model writes it, before it is checked; answers are
    then streamed. The embedded model's facts come all at once, finished work's not at all."""
    spent: RunUsage | None = None
    """What is added to `usage` is added to it, where others count in that: also where the request fails."""

    def tell(self, phase: Phase, message: str, done: int = 1, total: int = 1) -> None:
        """Say how far the request has come, if anybody listens."""
        if self.on_progress is not None:
            self.on_progress(Progress(phase, done, total, message))


DEFAULT_OPTIONS = RequestOptions()
