"""Turn `SUMMARIZER_EMBEDDING_MODEL` into a pydantic-ai embedding model whose HTTP failures are retried in one place."""

import re
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from inspect import signature
from typing import TYPE_CHECKING, Any

import httpx2
from pydantic_ai.embeddings import EmbeddingModel, infer_embedding_model
from pydantic_ai.providers import Provider, infer_provider, infer_provider_class

from summarizer_tool.errors import ConfigurationError
from summarizer_tool.llm import models
from summarizer_tool.settings import Settings, variable

if TYPE_CHECKING:
    from openai import AsyncOpenAI

LOCAL = 'sentence-transformers:'
"""Models that run in this process: weights are loaded, and there is nothing to connect to."""

_EXTRA = re.compile(r'pydantic-ai-slim\[([\w-]+)\]')
_KEY = re.compile(r'(sk|gsk|xai|key)[-_]|AIza')
_FORMS = 'give provider:model (openai:text-embedding-3-small) or an OpenRouter model (openai/text-embedding-3-small)'


@asynccontextmanager
async def connect(settings: Settings, name: str) -> AsyncGenerator[EmbeddingModel]:
    """The model `name` for the length of the block, on connections that are closed after it.

    Connections belong to an event loop, so a model must not outlive the loop it was used on.

    Raises:
        ConfigurationError: As for `build`.
    """
    async with AsyncExitStack() as connections:
        http_client = await connections.enter_async_context(models.retrying_client(settings))
        model, provider = build(settings, name, http_client)
        if provider is not None:
            await connections.enter_async_context(provider)  # closes the client of an SDK that takes none of ours
        yield model


def build(
    settings: Settings, name: str, http_client: httpx2.AsyncClient | None = None
) -> tuple[EmbeddingModel, Provider[Any] | None]:
    """Build the model `name`, and the provider that its requests go to.

    Args:
        settings: For keys, endpoints and retries.
        name: As in `SUMMARIZER_EMBEDDING_MODEL`.
        http_client: What requests go through, which stays the caller's to close; a new retrying client if not given.

    Raises:
        ConfigurationError: If its provider is unknown, or a key or a package is missing; names what to set or install.
    """
    setting = variable('embedding_model')
    if _KEY.match(name):
        raise ConfigurationError(
            f'{setting} looks like an API key, not like a model: name the model there, '
            'and put the key into its own variable, e.g. OPENAI_API_KEY'
        )
    http_client = http_client or models.retrying_client(settings)
    try:
        if models.is_openrouter(name) or name.startswith('openrouter:'):
            return _openrouter(settings, name.removeprefix('openrouter:'), http_client)
        providers: list[Provider[Any]] = []

        def provider_of(provider_name: str) -> Provider[Any]:
            providers.append(_provider(provider_name, http_client))
            return providers[-1]

        model = infer_embedding_model(name, provider_factory=provider_of)
        return model, None if name.startswith(LOCAL) else providers[-1]
    except ImportError as error:
        extra = _EXTRA.search(str(error))
        raise ConfigurationError(
            f'{setting}={name} needs a package that is not installed: '
            f'pip install "pydantic-ai-slim[{extra[1] if extra else name.split(":", 1)[0]}]"'
        ) from error
    except ConfigurationError:
        raise
    except Exception as error:  # an SDK's own complaint about its keys or regions has no common class
        raise ConfigurationError(f'{setting}={name}: {_what_is_wrong(error)}') from error


def _what_is_wrong(error: Exception) -> str:
    """What pydantic-ai says is wrong, with the way out and without where else it could be given."""
    text = ' '.join(str(error).split()).replace('`', '')
    if text.startswith(('Unknown provider', 'Unknown embeddings model', 'You must provide a provider')):
        return f'no such model; {_FORMS}'
    return text.split(' or pass it via ')[0].split('. To try ')[0][:300].rstrip('.')


def _openrouter(
    settings: Settings, name: str, http_client: httpx2.AsyncClient
) -> tuple[EmbeddingModel, Provider['AsyncOpenAI']]:
    """An OpenRouter model, or one at another OpenAI-compatible endpoint (`OPENROUTER_BASE_URL`)."""
    from openai import AsyncOpenAI
    from pydantic_ai.embeddings.openai import OpenAIEmbeddingModel
    from pydantic_ai.providers.openrouter import OpenRouterProvider

    key = settings.openrouter_api_key.get_secret_value() if settings.openrouter_api_key else ''
    if not key and not settings.openrouter_base_url:
        raise ConfigurationError(
            f'{variable("embedding_model")}={name} goes to OpenRouter: set OPENROUTER_API_KEY, or OPENROUTER_BASE_URL '
            'for an endpoint that needs no key, or leave it unset to rank by words alone'
        )
    client = AsyncOpenAI(
        base_url=settings.openrouter_base_url or models.OPENROUTER_URL,
        api_key=key or 'not-needed',
        max_retries=0,  # the transport retries; both would multiply
        http_client=http_client,
    )
    provider = OpenRouterProvider(openai_client=client)
    return OpenAIEmbeddingModel(name, provider=provider), provider


def _provider(name: str, http_client: httpx2.AsyncClient) -> Provider[Any]:
    """The provider `name`, on `http_client` where its SDK takes it."""
    provider_class = infer_provider_class(name)
    takes_client = 'http_client' in signature(provider_class.__init__).parameters
    if not takes_client or not models.retries_in_transport(name):
        return infer_provider(name)
    provider: Provider[Any] = provider_class(http_client=http_client)  # pyright: ignore[reportCallIssue]
    client = provider.client
    if hasattr(client, 'max_retries'):
        client.max_retries = 0  # the transport retries; embedding requests have no setting for it
    return provider
