"""What models and embedding models have in common: their providers, and what is said when one cannot be had."""

import re
from collections.abc import Generator
from contextlib import contextmanager
from inspect import signature
from typing import TYPE_CHECKING, Any

import httpx2
from pydantic_ai.providers import Provider, infer_provider, infer_provider_class

from summarizer_tool.errors import ConfigurationError
from summarizer_tool.extras import requirement
from summarizer_tool.settings import Settings

if TYPE_CHECKING:
    from openai import AsyncOpenAI

OPENROUTER_URL = 'https://openrouter.ai/api/v1'

SDK_RETRIES = frozenset({'cohere', 'groq', 'huggingface'})
"""Providers whose SDKs take no HTTP client of ours: they retry by themselves, as often as the transport would."""

_EXTRA = re.compile(r'pydantic-ai-slim\[([\w-]+)\]')
_KEY = re.compile(r'(sk|gsk|xai|key)[-_]|AIza')
_UNKNOWN = ('Unknown model', 'Unknown provider', 'Unknown embeddings model', 'You must provide a provider')


def is_openrouter(name: str) -> bool:
    """Say whether a model id is in OpenRouter's form: a `/` before any `:`, or its prefix."""
    return name.startswith('openrouter:') or ('/' in _prefix(name) and not name.startswith('gateway/'))


def retries_in_transport(name: str) -> bool:
    """Say whether requests of the model `name` go through `retrying_client`, rather than being retried by an SDK."""
    return not name.startswith('gateway/') and _prefix(name) not in SDK_RETRIES


def _prefix(name: str) -> str:
    return name.split(':', 1)[0]


def provider_of(name: str, http_client: httpx2.AsyncClient) -> Provider[Any]:
    """The provider `name`, on `http_client` where its SDK takes it; a `ValueError` if there is no such provider."""
    provider_class = infer_provider_class(name)
    takes_client = 'http_client' in signature(provider_class.__init__).parameters
    if not takes_client or not retries_in_transport(name):
        return infer_provider(name)
    provider: Provider[Any] = provider_class(http_client=http_client)  # pyright: ignore[reportCallIssue]
    client = provider.client
    if hasattr(client, 'max_retries'):
        client.max_retries = 0  # the transport retries; embedding requests have no setting for it
    return provider


def openrouter_client(
    settings: Settings, http_client: httpx2.AsyncClient, variable: str, name: str, otherwise: str
) -> 'AsyncOpenAI':
    """A client for OpenRouter, or for another OpenAI-compatible endpoint (`OPENROUTER_BASE_URL`).

    Raises:
        ConfigurationError: If there is neither a key nor an endpoint; it names the `variable`, and the way out
            without OpenRouter (`otherwise`).
    """
    from openai import AsyncOpenAI

    key = settings.openrouter_api_key.get_secret_value() if settings.openrouter_api_key else ''
    if not key and not settings.openrouter_base_url:
        raise ConfigurationError(
            f'{variable}={name} goes to OpenRouter: set OPENROUTER_API_KEY, or OPENROUTER_BASE_URL for an endpoint '
            f'that needs no key, or {otherwise}'
        )
    return AsyncOpenAI(
        base_url=settings.openrouter_base_url or OPENROUTER_URL,
        api_key=key or 'not-needed',
        max_retries=0,  # the transport retries; both would multiply
        http_client=http_client,
    )


@contextmanager
def naming(variable: str, name: str, forms: str) -> Generator[None]:
    """Turn what goes wrong with a model into a `ConfigurationError` that names what to set or install."""
    if _KEY.match(name):
        raise ConfigurationError(
            f'{variable} looks like an API key, not like a model: name the model there, '
            'and put the key into its own variable, e.g. OPENROUTER_API_KEY'
        )
    try:
        yield
    except ImportError as error:
        extra = _EXTRA.search(str(error))
        raise ConfigurationError(
            f'{variable}={name} needs a package that is not installed: '
            f'pip install "{requirement(error, extra[1] if extra else _prefix(name))}"'
        ) from error
    except ConfigurationError:
        raise
    except Exception as error:  # an SDK's own complaint about its keys or regions has no common class
        raise ConfigurationError(f'{variable}={name}: {_what_is_wrong(error, forms)}') from error


def _what_is_wrong(error: Exception, forms: str) -> str:
    """What pydantic-ai says is wrong, with the way out and without where else it could be given."""
    text = ' '.join(str(error).split()).replace('`', '')
    if text.startswith(_UNKNOWN):
        _, is_near, suggestion = text.partition('. Did you mean ')
        return f'no such model; did you mean {suggestion}' if is_near else f'no such model; give {forms}'
    return text.split(' or pass it via ')[0].split('. To try ')[0][:300].rstrip('.')
