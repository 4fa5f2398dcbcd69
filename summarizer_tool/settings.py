"""Every setting, in one class, from keyword arguments, the environment or a `.env` file, in this order."""

import os
import re
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Literal, Self, cast
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    AliasGenerator,
    BeforeValidator,
    Field,
    ModelWrapValidatorHandler,
    PrivateAttr,
    SecretStr,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic_settings import BaseSettings, NoDecode, PydanticBaseSettingsSource, SettingsConfigDict

from summarizer_tool.errors import ConfigurationError, wrong_values

OnFailure = Literal['original', 'extractive', 'error']
OutputMode = Literal['auto', 'tool', 'native', 'prompted']
Concurrency = Literal['adaptive', 'fixed']
LogLevel = Literal['DEBUG', 'INFO', 'WARNING', 'ERROR']
Transport = Literal['streamable-http', 'stdio']

MIN_CHUNK_TOKENS = 200
"""Below this the numbered lines and the heading path leave a model nothing to read."""

MIN_BUDGET_TOKENS = 20  # below this not even one fact fits
ENV_FILE = '.env'  # looked for in the working directory

POSTGRES_SCHEMES = 'postgresql://', 'postgres://'

_PREFIX = 'SUMMARIZER_'
_OF_THE_RESEARCHER = ('MCP_SUMMARIZER_URL', 'MCP_SUMMARIZER_TOKEN')
"""Variables that `researcher_integration` reads from the same places."""

_OWN_NAMES = ('llm_', 'openrouter_', 'max_concurrent_', 'default_', 'summarizer_', 'mcp_')
"""Fields that begin like this are named so in the environment; all others have the prefix there."""


def variable(field: str) -> str:
    """The environment variable of a field: its name in capitals, prefixed where it would not say whose it is."""
    return field.upper() if field.startswith(_OWN_NAMES) else _PREFIX + field.upper()


def _given(value: object) -> object:
    # A secret mounted as a file ends with a line break, which no HTTP header may.
    return value.strip() or None if isinstance(value, str) else value


def is_http(value: str) -> str:
    """An address, if it is one of HTTP; else a `ValueError`."""
    try:
        place = urlsplit(value)
        is_clean = value.isprintable() and value == value.strip()
        is_one = is_clean and place.scheme in ('http', 'https') and bool(place.hostname) and place.port != 0
    except ValueError:  # which quotes what may be a secret
        is_one = False
    if not is_one:
        raise ValueError('must be a URL that begins with http:// or https://')
    return value


def _is_key(value: SecretStr) -> SecretStr:
    if not all('!' <= character <= '~' for character in value.get_secret_value()):
        raise ValueError('has blanks, line breaks or letters that are not ASCII, which no key has')
    return value


def _split(value: object) -> object:
    if not isinstance(value, str):
        return value
    parts = tuple(part.strip() for part in value.split(',') if part.strip())
    if not parts and value.strip():  # a server that was meant to ask for a token would not
        raise ValueError('has commas, but nothing between them')
    return parts


def _is_database(value: str) -> str:
    if not value.startswith((*POSTGRES_SCHEMES, 'sqlite:///')):
        raise ValueError('must be a URL that begins with postgresql:// or sqlite:///')
    return value


def _has_port(place: str) -> str:
    if not re.fullmatch(r'.+:\d+', place):
        raise ValueError(f'must be host:port pairs with commas between them, and {place:.60} is none')
    return place


OptionalText = Annotated[str | None, BeforeValidator(_given)]
"""Without white space around it; a blank one counts as not set, as with the next two."""
OptionalSecret = Annotated[Annotated[SecretStr, AfterValidator(_is_key)] | None, BeforeValidator(_given)]
OptionalAddress = Annotated[Annotated[str, AfterValidator(is_http)] | None, BeforeValidator(_given)]
_Database = Annotated[Annotated[str, AfterValidator(_is_database)] | None, BeforeValidator(_given), Field(repr=False)]
_Listed = BeforeValidator(_split)


class Settings(BaseSettings):
    """How the summarizer works.

    The environment variable of a field is its name in capitals, with `SUMMARIZER_` before it where it does not begin
    with `LLM_`, `OPENROUTER_`, `MAX_CONCURRENT_`, `DEFAULT_`, `SUMMARIZER_` or `MCP_`. An empty variable is not set.
    """

    model_config = SettingsConfigDict(
        env_file=ENV_FILE,
        env_file_encoding='utf-8',
        env_prefix=_PREFIX,
        alias_generator=AliasGenerator(validation_alias=variable),
        populate_by_name=True,
        env_ignore_empty=True,
        extra='ignore',
        frozen=True,
        hide_input_in_errors=True,
    )

    llm_model: OptionalText = None
    """`extractive` (embedded, keyless), an OpenRouter model (`openai/gpt-4o-mini`), or any pydantic-ai model id
    (`anthropic:...`, `ollama:...`). Unset: OpenRouter's `openai/gpt-4o-mini` if there is a key, else `extractive`."""
    openrouter_api_key: OptionalSecret = None
    openrouter_base_url: Annotated[OptionalAddress, Field(repr=False)] = None
    """Another OpenAI-compatible endpoint for models in OpenRouter form, e.g. `http://127.0.0.1:8000/v1`."""
    llm_output_mode: OutputMode = 'auto'
    """How structured output is asked for; `native` (JSON schema) suits local servers without tool calls."""
    llm_timeout_seconds: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 60.0
    """For one attempt at one HTTP request, from the connection to the last byte of the answer."""
    llm_max_retries: Annotated[int, Field(ge=0, le=10)] = 3
    """Further attempts after an HTTP failure (408, 429, 5xx, lost connections), with exponential waits."""
    llm_output_retries: Annotated[int, Field(ge=0, le=10)] = 1
    """Further attempts after an answer that does not validate."""
    max_concurrent_llm_calls: Annotated[int, Field(ge=1, le=1000)] = 5
    """The most model calls at once, over all summarizers of the process that have this limit and this model."""
    llm_concurrency: Concurrency = 'adaptive'
    """`adaptive`: fewer at once while the provider refuses calls (429) or lets them wait; `fixed`: always as many."""
    llm_requests_per_minute: Annotated[int | None, Field(ge=1)] = None
    """Requests that the process sends in a minute to models that the settings name; unset: as many as they take."""
    llm_tokens_per_minute: Annotated[int | None, Field(ge=1)] = None
    """About how many tokens they have together."""
    llm_hedging: bool = False
    """Whether a call whose answer is far behind all others is made a second time, and the first answer taken: once, and
    for at most 2 % of the calls, but one."""

    default_chunk_size_tokens: Annotated[int, Field(ge=MIN_CHUNK_TOKENS)] = 8000
    """The most a chunk may have. Not set: up to twice as many where that saves calls and keeps as many of them busy."""
    default_max_output_tokens: Annotated[int, Field(ge=MIN_BUDGET_TOKENS)] = 5000
    """The budget where none is given; for extraction at most a fifth of the input."""

    max_input_mb: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 50.0
    deadline_seconds: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 300.0
    """By then there is a summary; what no model has summarized until then, the extractive model does."""
    on_failure: OnFailure = 'original'
    """When every model call has failed for good: the `original` content (may exceed the budget, and says so), an
    `extractive` summary, or an `error`."""
    fill_budget: bool = True
    """Whether facts of the extractive model may fill what a model that says too little leaves of the budget."""
    repair: bool = True
    """Whether a model is asked once more about the chunks (at most four) that have lost most of what a focus or schema
    asks for, where there is room in the budget."""
    trace_content: bool = False
    """Whether traces may hold prompts, sources and answers."""
    log_level: LogLevel = 'INFO'
    worker_processes: Annotated[int | None, Field(ge=0, le=64)] = None
    """Processes that compute for large input; 0: threads do. Unset: one for each core in the server, none elsewhere."""

    store: OptionalText = None
    """The SQLite file that keeps sources and finished work, or `:memory:`. Unset: the Postgres of
    `SUMMARIZER_DATABASE_URL`, if it is one; else a file in the user's data folder for the server, memory elsewhere."""
    store_max_mb: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 1000.0
    """Of texts with their index and vectors, and of answers; above it, the collection that has most gives what it has
    not used for longest."""

    database_url: _Database = None
    """A Postgres that several machines share, for batches and, where `SUMMARIZER_STORE` is not set, for sources and
    finished work: `postgresql://user:password@host/name`. Unset: batches are in an SQLite file in the output folder of
    each."""

    fetch_timeout_seconds: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 20.0
    """For one URL, redirects included."""
    fetch_max_mb: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 10.0
    """A larger page is refused; counted after decompression."""
    fetch_allow_hosts: Annotated[tuple[Annotated[str, AfterValidator(_has_port)], ...], NoDecode, _Listed] = ()
    """`host:port` pairs, comma-separated, that may be fetched although their addresses are private."""

    fetch_respect_robots: bool = True
    """Whether `answer` and the crawler of the researcher keep to the robots.txt of the sites they fetch from."""

    embedding_model: OptionalText = None
    """Any pydantic-ai embedding model (`openai:text-embedding-3-small`), which ranks passages by meaning beside the
    ranking by words; needs the extra `embeddings`. Unset: words alone."""
    answer_max_pages: Annotated[int, Field(ge=0, le=200)] = 12
    """Pages that one answer may fetch by following links."""
    answer_max_pages_per_round: Annotated[int, Field(ge=1, le=50)] = 4
    """Links that are followed at once, before what they gave is looked at."""

    mcp_response_token_budget: Annotated[int, Field(ge=500, le=100_000)] = 24_000
    """Tokens of a brief; common clients refuse results over 25,000."""
    mcp_transport: Transport = 'streamable-http'
    mcp_host: str = '127.0.0.1'
    mcp_summarizer_port: Annotated[int, Field(ge=0, le=65535)] = 8007
    mcp_auth_token: Annotated[tuple[SecretStr, ...], NoDecode, _Listed] = ()
    """Bearer tokens, comma-separated, that clients must present one of; each has a collection of its own."""
    mcp_allowed_hosts: Annotated[tuple[str, ...], NoDecode, _Listed] = ()
    """Host headers, comma-separated, that are accepted besides the local ones: `name:port`, or `name:*`."""
    mcp_shared_collection: bool = False
    """Whether all tokens share one collection of sources."""
    mcp_tool_timeout: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 110.0
    """Seconds within which a tool call is answered, degraded if need be."""
    mcp_stateless: bool = False
    """Whether no session is kept between requests, so that several replicas can answer."""
    mcp_shutdown_grace_seconds: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 10.0
    """For calls in flight when the server is told to stop: they are finished or degraded."""

    @field_validator('log_level', 'on_failure', 'llm_output_mode', 'llm_concurrency', 'mcp_transport', mode='before')
    @classmethod
    def _in_its_letters(cls, value: object, info: ValidationInfo) -> object:
        if not isinstance(value, str):
            return value
        return value.strip().upper() if info.field_name == 'log_level' else value.strip().lower()

    _model_given_as: str = PrivateAttr('LLM_MODEL')

    @property
    def model_given_as(self) -> str:
        """Where the name of the model was given, for errors."""
        return self._model_given_as

    def with_model(self, name: str | None, given_as: str) -> Self:
        """The settings with another model, if one is named; errors say that it was `given_as` so."""
        if name is None:
            return self
        other = self.model_copy(update={'llm_model': name.strip()})
        other._model_given_as = given_as
        return other

    @property
    def kept_in(self) -> str | None:
        """Where sources are kept: a path, `:memory:` or the URL of a Postgres; None where nothing is said of it."""
        is_postgres = self.database_url is not None and self.database_url.startswith(POSTGRES_SCHEMES)
        return self.store or (self.database_url if is_postgres else None)

    @model_validator(mode='wrap')
    @classmethod
    def _told_as_ours(cls, values: object, handler: ModelWrapValidatorHandler[Self]) -> Self:
        try:
            return handler(values)
        except ValidationError as error:
            # A URL may hold a password.
            problems = wrong_values(error, called=_called, hides=lambda name: name.endswith(('_KEY', '_URL', '_TOKEN')))
            raise ConfigurationError(f'invalid settings: {"; ".join(problems)}') from None

    @classmethod
    def settings_customise_sources(
        cls, settings_cls: type[BaseSettings], init_settings: PydanticBaseSettingsSource, *args: Any, **sources: Any
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Those of pydantic-settings, once it is known that what is given by name is a setting."""
        known = {name for field, info in cls.model_fields.items() for name in (field, str(info.validation_alias))}
        given = cast('dict[str, object]', cast('Any', init_settings).init_kwargs)
        if unknown := given.keys() - known:
            raise TypeError(f'{cls.__name__} has no {", ".join(sorted(unknown))}')
        return super().settings_customise_sources(settings_cls, init_settings, *args, **sources)

    @classmethod
    def load(cls, **overrides: object) -> Self:
        """Read the settings; overrides, by field, go before the environment, unless they are `None`.

        Raises:
            ConfigurationError: If a value is out of range or of the wrong kind; names variable, value and limit.
        """
        given: dict[str, Any] = {name: value for name, value in overrides.items() if value is not None}
        try:
            return cls(**given)
        except (UnicodeDecodeError, OSError) as error:
            raise ConfigurationError(
                f'{Path(ENV_FILE).resolve()} cannot be read: {getattr(error, "strerror", None) or "it is not UTF-8"}'
            ) from None


def unknown_variables(kind: type[Settings]) -> list[tuple[str, str]]:
    """Environment variables that look like fields of `kind` and are none, each with the one that may be meant."""
    known = [str(field.validation_alias) for field in kind.model_fields.values()]
    families = {name.partition('_')[0] for name in known}
    found: list[tuple[str, str]] = []
    for name in map(str.upper, os.environ):
        if name in (*known, *_OF_THE_RESEARCHER) or not get_close_matches(name.partition('_')[0], families, 1, 0.75):
            continue
        near = get_close_matches(name, known, 1, 0.85)
        # Other programs have variables that begin with `MCP_` or `DEFAULT_`, too.
        if near or name.startswith(_PREFIX):
            found.append((name, near[0] if near else ''))
    return sorted(found)


def export_env_file() -> None:
    """Give the variables of `.env` to the libraries that only read the environment, as a program does at its start.

    The keys of other providers (`ANTHROPIC_API_KEY`) and `LOGFIRE_TOKEN` are such. What is set already stays.
    """
    from dotenv import dotenv_values

    try:
        values = dotenv_values(ENV_FILE, encoding='utf-8')
    except (UnicodeDecodeError, OSError):
        return  # `Settings.load` says so
    for name, value in values.items():
        if value and not os.environ.get(name):
            os.environ[name] = value


def _called(field: object, *_: object) -> str:
    return variable(str(field)) if field in Settings.model_fields else str(field)
