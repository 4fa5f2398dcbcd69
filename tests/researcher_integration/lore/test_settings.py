"""The settings of the researcher, beside those of the summarizer."""

from pathlib import Path

import pytest
from inline_snapshot import snapshot
from pydantic_ai.models.openai import OpenAIChatModel

from researcher_integration import ResearchSettings
from summarizer_tool import ConfigurationError, Settings
from summarizer_tool.llm.models import unwrapped

pytestmark = pytest.mark.anyio


def test_they_come_from_the_same_places(env_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    env_file.write_text(
        'RESEARCH_MODEL=openai/gpt-4o\nMCP_SUMMARIZER_URL= http://mcp-summarizer:8007/mcp \n'
        'MCP_SUMMARIZER_TOKEN=from-the-file\nDEFAULT_CHUNK_SIZE_TOKENS=3000\n'
    )
    monkeypatch.setenv('MCP_SUMMARIZER_TOKEN', 'from-the-environment\n')
    settings = ResearchSettings.load(llm_model='extractive')
    assert isinstance(settings, Settings)
    assert (settings.research_model, settings.mcp_summarizer_url) == ('openai/gpt-4o', 'http://mcp-summarizer:8007/mcp')
    assert settings.mcp_summarizer_token is not None
    assert settings.mcp_summarizer_token.get_secret_value() == 'from-the-environment'
    assert settings.default_chunk_size_tokens == 3000
    assert 'from-the-environment' not in repr(settings)
    assert ResearchSettings.load(research_model='ollama:qwen3').research_model == 'ollama:qwen3'


def test_blank_means_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ('RESEARCH_MODEL', 'MCP_SUMMARIZER_URL', 'MCP_SUMMARIZER_TOKEN'):
        monkeypatch.setenv(name, '  ')
    settings = ResearchSettings.load(research_model=' ')
    assert (settings.research_model, settings.mcp_summarizer_url, settings.mcp_summarizer_token) == (None, None, None)


@pytest.mark.parametrize(
    ('given', 'model'),
    [
        ({'research_model': 'ollama:qwen3', 'llm_model': 'extractive'}, 'ollama:qwen3'),
        ({'llm_model': 'ollama:qwen3'}, 'ollama:qwen3'),
        ({'openrouter_api_key': 'sk-or-x'}, 'openai/gpt-4o-mini'),
        ({'llm_model': 'extractive'}, None),
        ({'research_model': 'extractive', 'llm_model': 'ollama:qwen3'}, None),
    ],
)
def test_who_researches(given: dict[str, str], model: str | None) -> None:
    """The embedded model does not: it calls no tools."""
    assert ResearchSettings.load(**given).agent_model() == model


async def test_the_model_is_connected() -> None:
    settings = ResearchSettings.load(
        llm_model='extractive', research_model='openai/gpt-4o-mini', openrouter_base_url='http://127.0.0.1:9/v1'
    )
    async with settings.connect() as model:
        assert model is not None
        assert isinstance(unwrapped(model), OpenAIChatModel)
    async with ResearchSettings.load(llm_model='extractive').connect() as model:
        assert model is None


async def test_a_model_that_cannot_be_had_is_named_as_it_was_given() -> None:
    said: list[str] = []
    for given in (
        {'research_model': 'openai/gpt-4o'},
        {'llm_model': 'openai/gpt-4o'},
        {'research_model': 'sk-or-v1-x'},
    ):
        with pytest.raises(ConfigurationError) as caught:
            async with ResearchSettings.load(**given).connect():
                pytest.fail('connected')
        said.append(str(caught.value))
    assert said == snapshot(
        [
            'RESEARCH_MODEL=openai/gpt-4o goes to OpenRouter: set OPENROUTER_API_KEY, or OPENROUTER_BASE_URL for an endpoint that needs no key, or RESEARCH_MODEL=extractive',
            'LLM_MODEL=openai/gpt-4o goes to OpenRouter: set OPENROUTER_API_KEY, or OPENROUTER_BASE_URL for an endpoint that needs no key, or LLM_MODEL=extractive',
            'RESEARCH_MODEL looks like an API key, not like a model: name the model there, and put the key into its own variable, e.g. OPENROUTER_API_KEY',
        ]
    )


async def test_errors_of_those_who_use_the_model_pass() -> None:
    error = ConfigurationError('LLM_MODEL of another')
    settings = ResearchSettings.load(research_model='openai/gpt-4o', openrouter_base_url='http://127.0.0.1:9/v1')
    with pytest.raises(ConfigurationError) as caught:
        async with settings.connect():
            raise error
    assert caught.value is error


def test_what_is_wrong_is_said_without_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('MCP_SUMMARIZER_URL', 'mcp-summarizer:8007/secret')
    monkeypatch.setenv('LLM_MAX_RETRIES', '11')
    with pytest.raises(ConfigurationError) as caught:
        ResearchSettings.load()
    assert str(caught.value) == snapshot(
        'invalid settings: LLM_MAX_RETRIES=11 must be less than or equal to 10; MCP_SUMMARIZER_URL: must be a URL that begins with http:// or https://'
    )
