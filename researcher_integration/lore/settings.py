"""The settings of the researcher: those of the summarizer, and a few of its own."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, field_validator
from pydantic_ai.models import Model

from summarizer_tool import ConfigurationError, Settings, connect_model, model_id

EXTRACTIVE = 'extractive'


class ResearchSettings(Settings):
    """The settings of a research: those of the summarizer and the ones below, from the same sources."""

    research_model: Annotated[str | None, Field(validation_alias='RESEARCH_MODEL')] = None
    """The model of the agents that research and extract, in the forms that `LLM_MODEL` takes. Unset: `LLM_MODEL`."""
    mcp_summarizer_url: str | None = None
    """The MCP server that summarizes, e.g. `http://mcp-summarizer:8007/mcp`. Unset: this process does."""
    mcp_summarizer_token: SecretStr | None = None
    """The bearer token for that server."""

    @field_validator('research_model', 'mcp_summarizer_url', 'mcp_summarizer_token', mode='before')
    @classmethod
    def _blank_means_unset(cls, value: Any) -> Any:
        return value.strip() or None if isinstance(value, str) else value

    @field_validator('mcp_summarizer_url')
    @classmethod
    def _is_http(cls, value: str | None) -> str | None:
        if value is not None and (urlsplit(value).scheme not in ('http', 'https') or not urlsplit(value).netloc):
            raise ValueError('must be a URL that begins with http:// or https://')
        return value

    def agent_model(self) -> str | None:
        """The model that researches and extracts, or an empty name: the embedded model can do neither.

        That one summarizes; it calls no tools and fills no other fields.
        """
        name = self.research_model or model_id(self)
        return None if name == EXTRACTIVE else name

    @asynccontextmanager
    async def connect(self) -> AsyncGenerator[Model | None]:
        """Connect the model that `agent_model` names, if any; raises `ConfigurationError` if it cannot be had."""
        name = self.agent_model()
        if name is None:
            yield None
            return
        async with AsyncExitStack() as stack:
            try:
                model = await stack.enter_async_context(connect_model(self, name))
            except ConfigurationError as error:
                if self.research_model is None:
                    raise
                raise ConfigurationError(str(error).replace('LLM_MODEL', 'RESEARCH_MODEL')) from None
            yield model
