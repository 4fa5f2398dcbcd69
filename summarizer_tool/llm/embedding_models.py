"""Turn `SUMMARIZER_EMBEDDING_MODEL` into a pydantic-ai embedding model whose HTTP failures are retried in one place."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import httpx2
from pydantic_ai.embeddings import EmbeddingModel, infer_embedding_model
from pydantic_ai.providers import Provider

from summarizer_tool.llm import providers
from summarizer_tool.llm.retrying import retrying_client
from summarizer_tool.settings import Settings, variable

LOCAL = 'sentence-transformers:'
"""Models that run in this process: weights are loaded, and there is nothing to connect to."""

_FORMS = 'provider:model (openai:text-embedding-3-small) or an OpenRouter model (openai/text-embedding-3-small)'


@asynccontextmanager
async def connect(settings: Settings, name: str) -> AsyncGenerator[EmbeddingModel]:
    """The model `name` for the length of the block, on connections that are closed after it.

    Connections belong to an event loop, so a model must not outlive the loop it was used on.
    """
    async with AsyncExitStack() as connections:
        http_client = await connections.enter_async_context(retrying_client(settings))
        model, provider = build(settings, name, http_client)
        if provider is not None:
            await connections.enter_async_context(provider)  # closes the client of an SDK that takes none of ours
        yield model


def build(
    settings: Settings, name: str, http_client: httpx2.AsyncClient | None = None
) -> tuple[EmbeddingModel, Provider[Any] | None]:
    """Build the model `name`, and the provider that its requests go to; the HTTP client stays the caller's to close.

    Raises:
        ConfigurationError: If its provider is unknown, or a key or a package is missing; names what to set or install.
    """
    setting = variable('embedding_model')
    made: list[Provider[Any]] = []
    if is_openrouter := providers.is_openrouter(name):
        name = name.removeprefix('openrouter:')

    def provider_of(provider_name: str) -> Provider[Any]:
        client = http_client or retrying_client(settings)
        if is_openrouter:
            from pydantic_ai.providers.openrouter import OpenRouterProvider

            otherwise = 'leave it unset to rank by words alone'
            openai_client = providers.openrouter_client(settings, client, setting, name, otherwise)
            made.append(OpenRouterProvider(openai_client=openai_client))
        else:
            made.append(providers.provider_of(provider_name, client))
        return made[-1]

    with providers.naming(setting, name, _FORMS):
        model = infer_embedding_model(f'openrouter:{name}' if is_openrouter else name, provider_factory=provider_of)
    return model, None if name.startswith(LOCAL) else made[-1]
