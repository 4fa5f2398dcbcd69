"""What can go wrong, in the caller's terms: each error names the input, the limit and the way out."""


class SummarizerError(Exception):
    """Base of every error this package raises on purpose."""


class ConfigurationError(SummarizerError):
    """A setting is wrong, or a key or package that the chosen model needs is missing."""


class InputTooLargeError(SummarizerError):
    """The input is larger than `SUMMARIZER_MAX_INPUT_MB`."""


class SummarizationFailedError(SummarizerError):
    """Every model call failed for good, and `on_failure` is `error`."""
