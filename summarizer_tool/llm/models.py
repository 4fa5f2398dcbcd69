"""Turn `LLM_MODEL` into a pydantic-ai model whose HTTP failures are retried in one place.

Whoever asks a model has a share of the places for its provider.
"""

import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, nullcontext, suppress
from functools import cache
from typing import Any
from urllib.parse import urlsplit

import httpx2
from pydantic_ai.models import Model, infer_model
from pydantic_ai.models.concurrency import ConcurrencyLimitedModel
from pydantic_ai.models.fallback import FallbackModel
from pydantic_ai.models.instrumented import InstrumentedModel
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.providers import Provider, infer_provider_class
from pydantic_ai.settings import ModelSettings

from summarizer_tool.errors import ConfigurationError
from summarizer_tool.llm import providers
from summarizer_tool.llm.provider_limit import Share, share_of
from summarizer_tool.llm.retrying import retrying_client
from summarizer_tool.settings import Settings

DEFAULT_OPENROUTER_MODEL = 'openai/gpt-4o-mini'
EMBEDDED = 'extractive'

EMBEDDED_SYSTEM = 'summarizer_tool'
"""The `system` of the embedded model, by which it is known."""

_MCP_SYSTEM = 'MCP'
"""The `system` of a client's model: its class has a method for streams, which says that there are none."""

EmbeddedModel = Callable[[], Model]
"""Makes the embedded model, which lives a floor above."""

_FORMS = 'provider:model (openai:gpt-4o-mini), an OpenRouter model (openai/gpt-4o-mini), or extractive'

_logger = logging.getLogger('summarizer_tool')


def model_id(settings: Settings) -> str:
    """The model that `settings` ask for; `extractive` where they ask for none and there is no key."""
    if settings.llm_model:
        return settings.llm_model
    if settings.openrouter_api_key:
        return DEFAULT_OPENROUTER_MODEL
    warn_keyless()
    return EMBEDDED


@cache
def warn_keyless() -> None:
    """Say, once per process, that nobody has chosen a model."""
    _logger.warning(
        'no LLM_MODEL and no OPENROUTER_API_KEY: using the embedded extractive model; '
        'set one of them, or LLM_MODEL=extractive to say that this is meant'
    )


def unwrapped(model: Model) -> Model:
    """The model inside all wrappers."""
    while isinstance(model, WrapperModel):
        model = model.wrapped
    return model


def is_embedded(model: Model) -> bool:
    """Say whether a model is the embedded one: it is free, and gives the same answer when it is asked again."""
    return model.system == EMBEDDED_SYSTEM


def can_stream(model: Model) -> bool:
    """Say whether a model's answers can be followed while they are written."""
    model = unwrapped(model)
    if isinstance(model, FallbackModel):
        return all(map(can_stream, model.models))
    if getattr(model, 'stream_function', model) is None:  # a `FunctionModel`, whose module takes long to load
        return False
    return type(model).request_stream is not Model.request_stream and model.system != _MCP_SYSTEM


def check(settings: Settings, *, embedded: EmbeddedModel | None = None) -> str:
    """Check at start-up that the model can be built, without keeping it; returns the model id.

    Raises:
        ConfigurationError: If its provider is unknown, or a key or a package is missing; names what to set or install.
    """
    name = model_id(settings)
    build(settings, name, embedded=embedded)
    return name


@asynccontextmanager
async def connect(
    settings: Settings, name: str, *, embedded: EmbeddedModel | None = None, setting: str = ''
) -> AsyncGenerator[Model]:
    """The model `name` for the length of the block, on connections that are closed after it.

    Connections belong to an event loop, so a model must not outlive the loop it was used on. All in the process share
    the places for a provider. Raises as `check`.
    """
    if name == EMBEDDED:
        yield build(settings, name, embedded=embedded, setting=setting)
        return
    share = share_of(settings, settings.openrouter_base_url, name)
    async with retrying_client(settings, share) as client, build(settings, name, client, setting=setting) as model:
        yield SharedModel(model, share)


@asynccontextmanager
async def lent(
    settings: Settings, name: str, given: Model | None, *, embedded: EmbeddedModel | None = None
) -> AsyncGenerator[Model]:
    """The model for one request, `given` or by its name, limited in concurrency; connections are closed with it.

    One that is given has a share of the places for its provider, too. `embedded` makes the embedded model.
    """
    async with nullcontext(given) if given else connect(settings, name, embedded=embedded) as model:
        # The caller's own instrumentation would put the content into its traces.
        while isinstance(model, InstrumentedModel) and not settings.trace_content:
            model = model.wrapped
        # What bounds the embedded model's computing are threads and processes.
        inner = model
        while isinstance(inner, WrapperModel) and not isinstance(inner, SharedModel):
            inner = inner.wrapped
        if is_embedded(model) or isinstance(inner, SharedModel):
            yield model
        else:
            share = share_of(settings, model.system, model.base_url, model.model_name)
            yield SharedModel(model, share)


class SharedModel(ConcurrencyLimitedModel):
    """A model whose provider is asked by several requests at once; this one has a share of the places."""

    def __init__(self, wrapped: Model, share: Share) -> None:
        """Limit a model's calls to those for which the share gives a place."""
        super().__init__(wrapped, share)
        self.share = share


def build(
    settings: Settings,
    name: str,
    http_client: httpx2.AsyncClient | None = None,
    *,
    embedded: EmbeddedModel | None = None,
    setting: str = '',
) -> Model:
    """Build the model `name`, as in `LLM_MODEL`, by the keys, endpoints and retries of the settings; raises as `check`.

    The HTTP client stays the caller's to close; without one a new, retrying one is made. `embedded` makes the embedded
    model, where that may be asked for; errors say that the name stands in the `setting`, by default where the settings
    have it from.
    """
    setting = setting or settings.model_given_as
    if name == EMBEDDED:
        if embedded is None:
            raise ConfigurationError(f'{setting}=extractive answers only the requests of a summary; name another model')
        return embedded()
    with providers.naming(setting, name, _FORMS):
        client = http_client or retrying_client(settings)
        if providers.is_openrouter(name):
            return _openrouter(settings, name.removeprefix('openrouter:'), client, setting)

        def provider_of(provider_name: str) -> Provider[Any]:
            try:
                return providers.provider_of(provider_name, client)
            except ValueError:
                infer_model(name)  # without a factory it knows what was meant
                raise

        return infer_model(name, provider_factory=provider_of)


def check_name(name: str, setting: str) -> None:
    """Check that a name is that of a model, as far as names tell; raises `ConfigurationError` with `setting`."""
    if name == EMBEDDED or providers.is_openrouter(name):
        return
    with providers.naming(setting, name, _FORMS), suppress(ImportError):
        provider, colon, _ = name.partition(':')
        if colon:
            infer_provider_class(provider)
        else:
            infer_model(name)


def _openrouter(settings: Settings, name: str, http_client: httpx2.AsyncClient, setting: str) -> Model:
    """An OpenRouter model, or one at another OpenAI-compatible endpoint (`OPENROUTER_BASE_URL`)."""
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.models.openrouter import OpenRouterModel
    from pydantic_ai.profiles.openai import OpenAIModelProfile
    from pydantic_ai.providers.openai import OpenAIProvider
    from pydantic_ai.providers.openrouter import OpenRouterProvider

    client = providers.openrouter_client(settings, http_client, setting, name, f'{setting}=extractive')
    if (urlsplit(str(client.base_url)).hostname or '').endswith('openrouter.ai'):
        return OpenRouterModel(name, provider=OpenRouterProvider(openai_client=client))
    # Answers of other endpoints lack fields that OpenRouter's always have, and local servers know the older limit only.
    profile = OpenAIModelProfile(openai_chat_supports_max_completion_tokens=False)
    if settings.llm_output_mode == 'native':
        profile['supports_json_schema_output'] = True  # the operator knows; no profile lists every local model
    # Small models that draw their words at random repeat themselves or say nothing of most of a text.
    sober = ModelSettings(temperature=0.0)
    return OpenAIChatModel(name, provider=OpenAIProvider(openai_client=client), profile=profile, settings=sober)


def request_settings(settings: Settings, max_tokens: int, model_name: str = '') -> ModelSettings:
    """The settings of one model request; the SDKs of some providers retry by themselves, all others must not."""
    return ModelSettings(
        max_tokens=max_tokens,
        timeout=settings.llm_timeout_seconds,
        max_retries=0 if providers.retries_in_transport(model_name) else settings.llm_max_retries,
    )
