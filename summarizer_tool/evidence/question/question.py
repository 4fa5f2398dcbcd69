"""What is asked of the pages of a collection, and how far one may go for it."""

from dataclasses import dataclass
from typing import Literal

from summarizer_tool.errors import RequestError

ResearchMode = Literal['fast', 'auto', 'deep']

MAX_CHARACTERS = 10_000
"""Of a question, an intent, a context or constraints; what is longer is a text to be stored."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, and how far one may go for it."""

    text: str
    """In the asker's words."""
    intent: str = ''
    """What the answer is for."""
    known_context: str = ''
    """What the asker knows already: it tells two things of one name apart, and passages that say the same come last."""
    constraints: str = ''
    """What the answer must keep to. Links are followed only to hosts that it names, if it names any."""
    expansion_budget: int | None = None
    """Pages that may be had by following links; `None`, and at most: `answer_max_pages` of the settings."""
    mode: ResearchMode = 'auto'
    """`fast` follows no links, `auto` while the evidence is not enough, `deep` until it does not grow any more."""
    top_k: int = 30
    """Passages that are wanted."""
    room: int = 0
    """Tokens that all of the sources together may have to be given whole; 0: never."""

    @property
    def aside(self) -> str:
        """Words that a good passage may have, but need not: without hosts, which stand in no text."""
        from summarizer_tool.evidence.question import scope

        return ' '.join(filter(None, (self.intent.strip(), scope.without_hosts(self.constraints))))


def check_length(**texts: str) -> None:
    """Raise a `RequestError` where a parameter is a text of its own, which would take long to look for."""
    for name, text in texts.items():
        if len(text) > MAX_CHARACTERS:
            raise RequestError(
                f'{name} has {len(text):,} characters, over {MAX_CHARACTERS:,}; shorten it, or store the text with '
                'add_source and ask about that'
            )
