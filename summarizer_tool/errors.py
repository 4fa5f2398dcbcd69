"""The errors of this package: each error names the input, the limit and the way out."""


class SummarizerError(Exception):
    """Base of every error this package raises on purpose."""


def check_type(name: str, value: object, *kinds: type) -> None:
    """Check what is given under a name; a `TypeError` names it, what it may be, and what it is."""
    if not isinstance(value, kinds):
        may_be = ' or '.join('None' if kind is type(None) else kind.__name__ for kind in kinds)
        raise TypeError(f'{name} is {may_be}, not {type(value).__name__}')


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
