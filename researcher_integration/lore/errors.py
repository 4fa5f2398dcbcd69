"""What can go wrong in a research, in the caller's terms."""

from summarizer_tool import SummarizerError


class ResearchError(SummarizerError):
    """A research cannot be started or resumed as requested; the message says what to change."""
