"""Turn `LLM_MODEL` into a pydantic-ai model whose HTTP failures are retried once, in one place."""

import logging
import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import cache, partial
from inspect import signature
from ssl import SSLContext
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import anyio
import httpx2
from pydantic_ai.exceptions import UserError
from pydantic_ai.models import Model, infer_model
from pydantic_ai.providers import Provider, infer_provider, infer_provider_class
from pydantic_ai.settings import ModelSettings

from summarizer_tool.errors import ConfigurationError
from summarizer_tool.extractive.model import ExtractiveModel
from summarizer_tool.settings import Settings

if TYPE_CHECKING:
    from tenacity import RetryCallState

DEFAULT_OPENROUTER_MODEL = 'openai/gpt-4o-mini'
SAMPLING = 'sampling'
OPENROUTER_URL = 'https://openrouter.ai/api/v1'

CONNECT_SECONDS = 5.0

RETRYABLE_STATUS = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529})
"""Statuses that may pass by themselves; every other error status will be the same the next time."""

MAX_WAIT_SECONDS = 60.0
"""The longest wait between two attempts, whatever Retry-After says; the deadline bounds all of them together."""

SDK_RETRIES = frozenset({'cohere', 'groq', 'huggingface'})
"""Providers whose SDKs take no HTTP client of ours: they retry by themselves, as often as the transport would."""

_EXTRA = re.compile(r'pydantic-ai-slim\[([\w-]+)\]')
_KEY = re.compile(r'(sk|gsk|xai|key)[-_]|AIza')

_logger = logging.getLogger('summarizer_tool')


def model_id(settings: Settings) -> str:
    """The model that `settings` ask for; `extractive` where they ask for none and there is no key."""
    if settings.llm_model:
        return settings.llm_model
    if settings.openrouter_api_key:
        return DEFAULT_OPENROUTER_MODEL
    warn_keyless()
    return 'extractive'


@cache
def warn_keyless() -> None:
    """Say, once per process, that nobody has chosen a model."""
    _logger.warning(
        'no LLM_MODEL and no OPENROUTER_API_KEY: using the embedded extractive model; '
        'set one of them, or LLM_MODEL=extractive to say that this is meant'
    )


def is_openrouter(name: str) -> bool:
    """Whether a model id is in OpenRouter's form: a `/` before any `:`."""
    return '/' in _provider_name(name) and not name.startswith('gateway/')


def _provider_name(name: str) -> str:
    return name.split(':', 1)[0]


def check(settings: Settings) -> str:
    """Check at start-up that the model can be built, without keeping it.

    Returns:
        The model id.

    Raises:
        ConfigurationError: If its provider is unknown, or a key or a package is missing; names what to set or install.
    """
    name = model_id(settings)
    if name == SAMPLING:
        raise ConfigurationError(
            f'LLM_MODEL={SAMPLING} is for the MCP server, whose clients lend it their model; choose another one here'
        )
    build(settings, name)
    return name


@asynccontextmanager
async def connect(settings: Settings, name: str) -> AsyncGenerator[Model]:
    """The model `name` for the length of the block, on connections that are closed after it.

    Connections belong to an event loop, so a model must not outlive the loop it was used on.

    Raises:
        ConfigurationError: As for `check`.
    """
    if name == 'extractive':
        yield ExtractiveModel()
        return
    async with retrying_client(settings) as http_client, build(settings, name, http_client) as model:
        yield model


def build(settings: Settings, name: str, http_client: httpx2.AsyncClient | None = None) -> Model:
    """Build the model `name`.

    Args:
        settings: For keys, endpoints and retries.
        name: As in `LLM_MODEL`.
        http_client: What requests go through, which stays the caller's to close; a new retrying client if not given.

    Raises:
        ConfigurationError: As for `check`.
    """
    if name == 'extractive':
        return ExtractiveModel()
    if _KEY.match(name):
        raise ConfigurationError(
            'LLM_MODEL looks like an API key, not like a model: name the model in LLM_MODEL, '
            'and put the key into its own variable, e.g. OPENROUTER_API_KEY'
        )
    http_client = http_client or retrying_client(settings)
    try:
        if is_openrouter(name) or name.startswith('openrouter:'):
            return _openrouter(settings, name.removeprefix('openrouter:'), http_client)
        return infer_model(name, provider_factory=partial(_provider, name, http_client))
    except ImportError as error:
        extra = _EXTRA.search(str(error))
        raise ConfigurationError(
            f'LLM_MODEL={name} needs a package that is not installed: '
            f'pip install "pydantic-ai-slim[{extra[1] if extra else _provider_name(name)}]"'
        ) from error
    except ConfigurationError:
        raise
    except Exception as error:  # an SDK's own complaint about its keys or regions has no common class
        raise ConfigurationError(f'LLM_MODEL={name}: {_what_is_wrong(error)}') from error


def _what_is_wrong(error: Exception) -> str:
    """What pydantic-ai says is wrong, with the way out and without where else it could be given."""
    text = ' '.join(str(error).split()).replace('`', '')
    if text.startswith('Unknown model'):
        _, meant, suggestion = text.partition('. Did you mean ')
        forms = 'provider:model (openai:gpt-4o-mini), an OpenRouter model (openai/gpt-4o-mini), or extractive'
        return f'no such model; did you mean {suggestion}' if meant else f'no such model; give {forms}'
    return text.split(' or pass it via ')[0].split('. To try ')[0][:300].rstrip('.')


def _openrouter(settings: Settings, name: str, http_client: httpx2.AsyncClient) -> Model:
    """An OpenRouter model, or one at another OpenAI-compatible endpoint (`OPENROUTER_BASE_URL`)."""
    from openai import AsyncOpenAI
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.models.openrouter import OpenRouterModel
    from pydantic_ai.profiles.openai import OpenAIModelProfile
    from pydantic_ai.providers.openai import OpenAIProvider
    from pydantic_ai.providers.openrouter import OpenRouterProvider

    key = settings.openrouter_api_key.get_secret_value() if settings.openrouter_api_key else ''
    if not key and not settings.openrouter_base_url:
        raise ConfigurationError(
            f'LLM_MODEL={name} goes to OpenRouter: set OPENROUTER_API_KEY, or OPENROUTER_BASE_URL for an endpoint '
            'that needs no key, or LLM_MODEL=extractive'
        )
    base_url = settings.openrouter_base_url or OPENROUTER_URL
    client = AsyncOpenAI(
        base_url=base_url,
        api_key=key or 'not-needed',
        max_retries=0,  # the transport retries; both would multiply
        http_client=http_client,
    )
    if (urlsplit(base_url).hostname or '').endswith('openrouter.ai'):
        return OpenRouterModel(name, provider=OpenRouterProvider(openai_client=client))
    # Answers of other endpoints lack fields that OpenRouter's always have, and local servers know the older limit only.
    profile = OpenAIModelProfile(openai_chat_supports_max_completion_tokens=False)
    if settings.llm_output_mode == 'native':
        profile['supports_json_schema_output'] = True  # the operator knows; no profile lists every local model
    return OpenAIChatModel(name, provider=OpenAIProvider(openai_client=client), profile=profile)


def _provider(model: str, http_client: httpx2.AsyncClient, name: str) -> Provider[Any]:
    """The provider `name`, on `http_client` where its SDK takes it."""
    try:
        provider_class = infer_provider_class(name)
    except ValueError:
        infer_model(model)  # without a factory it knows what was meant
        raise
    takes_client = 'http_client' in signature(provider_class.__init__).parameters
    if not takes_client or not retries_in_transport(name):
        return infer_provider(name)
    return provider_class(http_client=http_client)  # pyright: ignore[reportCallIssue, reportUnknownVariableType]


def retries_in_transport(name: str) -> bool:
    """Whether requests of the model `name` go through `retrying_client`, rather than being retried by an SDK."""
    return not name.startswith('gateway/') and _provider_name(name) not in SDK_RETRIES


@cache
def _certificates() -> SSLContext:
    """The trusted certificates, which take longer to load than all else a client needs."""
    return httpx2.create_ssl_context()


class _Attempt(httpx2.AsyncBaseTransport):
    """One attempt at a request, read to its end.

    The client inside finds the proxies of the environment, which one with a transport of its own does not look for.
    Reading here makes an answer that stops in the middle count as a failed attempt, bounds the attempt as a whole
    where a server keeps the line busy with blanks, and leaves the body of an error for the provider's client.
    """

    def __init__(self, timeout: float) -> None:
        self._timeout = timeout
        # How many requests there are at once, the concurrency limit says.
        limits = httpx2.Limits(max_connections=None, max_keepalive_connections=100)
        self._client = httpx2.AsyncClient(limits=limits, verify=_certificates())

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        try:
            with anyio.fail_after(self._timeout):
                return await self._client.send(request, auth=None)
        except TimeoutError:
            raise httpx2.ReadTimeout(f'no complete answer in {self._timeout:g} s', request=request) from None

    async def aclose(self) -> None:
        await self._client.aclose()


def retrying_client(settings: Settings) -> httpx2.AsyncClient:
    """An HTTP client that repeats what failed by chance: exponential waits, and Retry-After where a server names one.

    It does not stream. When every attempt has failed, the last answer is let through as it is, so that the provider's
    client makes of it what it makes of any error.
    """
    from pydantic_ai.models import create_async_httpx2_client
    from pydantic_ai.retries import AsyncHTTPX2TenacityTransport, RetryConfig, wait_retry_after
    from tenacity import retry_if_exception, stop_after_attempt, wait_exponential, wait_random

    timeout = settings.llm_timeout_seconds
    transport = AsyncHTTPX2TenacityTransport(
        RetryConfig(
            retry=retry_if_exception(_may_pass),
            wait=wait_retry_after(wait_exponential(multiplier=0.5, max=20) + wait_random(0, 0.5), MAX_WAIT_SECONDS),
            stop=stop_after_attempt(settings.llm_max_retries + 1),
            retry_error_callback=_last_answer,
        ),
        wrapped=_Attempt(timeout),
        validate_response=_raise_if_retryable,
    )
    return create_async_httpx2_client(
        timeout=httpx2.Timeout(timeout, connect=min(CONNECT_SECONDS, timeout)), transport=transport
    )


def _raise_if_retryable(response: httpx2.Response) -> None:
    """Let every other status through: the provider's own client turns it into a typed error with its body."""
    # The OpenAI and Anthropic SDKs heed this header, too: it marks an exhausted quota.
    if response.status_code in RETRYABLE_STATUS and response.headers.get('x-should-retry') != 'false':
        response.raise_for_status()


def _may_pass(error: BaseException) -> bool:
    return isinstance(error, httpx2.HTTPStatusError | httpx2.TransportError) and not isinstance(
        error, httpx2.UnsupportedProtocol | httpx2.LocalProtocolError
    )


def _last_answer(state: 'RetryCallState') -> httpx2.Response:
    error = state.outcome.exception() if state.outcome else None
    if isinstance(error, httpx2.HTTPStatusError):
        return error.response
    raise error or UserError('no attempt was made')


def request_settings(settings: Settings, max_tokens: int, model_name: str = '') -> ModelSettings:
    """The settings of one model request.

    Args:
        settings: For timeout and retries.
        max_tokens: What the answer may hold.
        model_name: As in `LLM_MODEL`: the SDKs of some providers retry by themselves, all others must not.
    """
    return ModelSettings(
        max_tokens=max_tokens,
        timeout=settings.llm_timeout_seconds,
        max_retries=0 if retries_in_transport(model_name) else settings.llm_max_retries,
    )
