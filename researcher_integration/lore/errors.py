"""What can go wrong in a research, in the caller's terms."""

from summarizer_tool import SummarizerError


class ResearchError(SummarizerError):
    """A research cannot be begun or continued as it was asked for; says what to change."""
