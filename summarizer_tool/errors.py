"""The errors of this package: each error names the input, the limit and the way out."""


class SummarizerError(Exception):
    """Base of every error this package raises on purpose."""


class ConfigurationError(SummarizerError):
    """A setting is wrong, or a key or package that the chosen model needs is missing."""


class InputTooLargeError(SummarizerError):
    """The input is larger than `SUMMARIZER_MAX_INPUT_MB`."""


class SummarizationFailedError(SummarizerError):
    """Every model call failed for good, and `on_failure` is `error`."""


class RequestError(SummarizerError, ValueError):
    """What was asked for cannot be done as it was asked; names the parameter and what to change."""


class ArgumentsError(RequestError):
    """An argument is unknown, missing or of the wrong type; names it and the parameters that there are."""


class UnknownSourceError(SummarizerError):
    """No source has this handle in the collection, or it has been evicted; names the near ones."""


class StoreError(SummarizerError):
    """The store cannot be read or written."""


class FetchError(SummarizerError):
    """A URL is refused, or cannot be fetched, or holds no text."""

    def __init__(self, message: str, *, status: int | None = None, concerns_host: bool = False) -> None:
        super().__init__(message)
        self.status = status
        """The HTTP status of the answer, where that was the reason."""
        self.concerns_host = concerns_host
        """True where no page of the host can be fetched: it has no address, or one that is refused."""
