"""Settings: where values come from, and what is said about wrong ones."""

import os
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from summarizer_tool.errors import ConfigurationError
from summarizer_tool.settings import Settings, export_env_file, unknown_variables


def problem(**overrides: object) -> str:
    with pytest.raises(ConfigurationError) as caught:
        Settings.load(**overrides)
    assert '\n' not in str(caught.value)
    assert caught.value.__cause__ is None
    return str(caught.value)


def test_settings_made_without_load_raise_the_same() -> None:
    for given in ({'deadline_seconds': -1}, {'default_chunk_size_tokens': 100}):
        with pytest.raises(ConfigurationError) as caught:
            Settings(**given)
        assert str(caught.value) == problem(**given)


def test_keyword_before_environment_before_env_file(env_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    env_file.write_text('LLM_MODEL=a/file\nLLM_MAX_RETRIES=1\nSUMMARIZER_ON_FAILURE=error\nUNRELATED=1\n')
    monkeypatch.setenv('LLM_MODEL', 'an/environment')
    monkeypatch.setenv('LLM_MAX_RETRIES', '2')
    settings = Settings.load(llm_model='a/keyword', log_level=None)
    assert (settings.llm_model, settings.llm_max_retries, settings.on_failure) == ('a/keyword', 2, 'error')


def test_empty_and_blank_mean_unset(env_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    env_file.write_text('SUMMARIZER_ON_FAILURE=\nOPENROUTER_API_KEY=\n')
    for name in ('LLM_MODEL', 'LLM_TIMEOUT_SECONDS', 'SUMMARIZER_LOG_LEVEL'):
        monkeypatch.setenv(name, '')
    monkeypatch.setenv('OPENROUTER_BASE_URL', '  ')
    assert Settings.load(llm_model=' ').model_dump() == Settings.model_construct().model_dump()


def test_other_programs_variables_are_not_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ('LOG_LEVEL', 'ON_FAILURE', 'DEADLINE_SECONDS', 'TRACE_CONTENT'):
        monkeypatch.setenv(name, 'whatever')
    assert Settings.load().log_level == 'INFO'


def test_values_are_read_with_care(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('summarizer_log_level', 'debug')
    monkeypatch.setenv('SUMMARIZER_ON_FAILURE', ' Extractive')
    monkeypatch.setenv('OPENROUTER_API_KEY', 'sk-or-secret\n')
    settings = Settings.load()
    assert (settings.log_level, settings.on_failure) == ('DEBUG', 'extractive')
    assert settings.openrouter_api_key
    assert settings.openrouter_api_key.get_secret_value() == 'sk-or-secret'


def test_wrong_values(monkeypatch: pytest.MonkeyPatch) -> None:
    messages: list[str] = []
    for name, value in {
        'MAX_CONCURRENT_LLM_CALLS': '0',
        'DEFAULT_MAX_OUTPUT_TOKENS': '-5',
        'DEFAULT_CHUNK_SIZE_TOKENS': '8k',
        'LLM_MAX_RETRIES': '2.5',
        'LLM_TIMEOUT_SECONDS': 'nan',
        'LLM_OUTPUT_MODE': 'json',
        'SUMMARIZER_MAX_INPUT_MB': 'inf',
        'SUMMARIZER_DEADLINE_SECONDS': '0',
        'SUMMARIZER_ON_FAILURE': 'panic\n' * 30,
        'SUMMARIZER_TRACE_CONTENT': 'perhaps',
        'SUMMARIZER_LOG_LEVEL': 'loud',
        'OPENROUTER_BASE_URL': 'me:hunter2@localhost:8000/v1',
        'OPENROUTER_API_KEY': 'sk–or–hunter2',
    }.items():
        with monkeypatch.context() as patch:
            patch.setenv(name, value)
            messages.append(problem())
    assert messages == snapshot(
        [
            'invalid settings: MAX_CONCURRENT_LLM_CALLS=0 must be greater than or equal to 1',
            'invalid settings: DEFAULT_MAX_OUTPUT_TOKENS=-5 must be greater than or equal to 20',
            'invalid settings: DEFAULT_CHUNK_SIZE_TOKENS=8k must be a valid integer',
            'invalid settings: LLM_MAX_RETRIES=2.5 must be a valid integer',
            'invalid settings: LLM_TIMEOUT_SECONDS=nan must be a finite number',
            "invalid settings: LLM_OUTPUT_MODE=json must be 'auto', 'tool', 'native' or 'prompted'",
            'invalid settings: SUMMARIZER_MAX_INPUT_MB=inf must be a finite number',
            'invalid settings: SUMMARIZER_DEADLINE_SECONDS=0 must be greater than 0',
            "invalid settings: SUMMARIZER_ON_FAILURE='panic\\npanic\\npanic\\npanic\\npanic\\npanic\\npanic\\npanic\\npa… must be 'original', 'extractive' or 'error'",
            'invalid settings: SUMMARIZER_TRACE_CONTENT=perhaps must be a valid boolean',
            "invalid settings: SUMMARIZER_LOG_LEVEL=LOUD must be 'DEBUG', 'INFO', 'WARNING' or 'ERROR'",
            'invalid settings: OPENROUTER_BASE_URL: must be a URL that begins with http:// or https://',
            'invalid settings: OPENROUTER_API_KEY: has blanks, line breaks or letters that are not ASCII, which no key has',
        ]
    )


def test_all_wrong_values_are_named_at_once() -> None:
    assert problem(default_chunk_size_tokens=-1, default_max_output_tokens=0) == snapshot(
        'invalid settings: DEFAULT_CHUNK_SIZE_TOKENS=-1 must be greater than or equal to 200; DEFAULT_MAX_OUTPUT_TOKENS=0 must be greater than or equal to 20'
    )


def test_an_unknown_override_is_a_mistake_of_the_program() -> None:
    with pytest.raises(TypeError, match='Settings has no on_failre'):
        Settings.load(on_failre='error')
    with pytest.raises(TypeError, match='Settings has no llm_modl'):
        Settings(llm_modl='extractive')  # pyright: ignore[reportCallIssue]


def test_secrets_are_not_shown() -> None:
    settings = Settings.load(openrouter_api_key='sk-or-secret', openrouter_base_url='http://me:hunter2@localhost/v1')
    assert 'secret' not in f'{settings!r} {settings} {settings.model_dump_json(exclude={"openrouter_base_url"})}'
    assert 'hunter2' not in f'{settings!r} {settings}'
    assert problem(openrouter_api_key=['sk-or-secret']) == snapshot(
        'invalid settings: OPENROUTER_API_KEY: must be text, in quotes where it looks like something else'
    )


def test_an_env_file_that_is_not_text(env_file: Path) -> None:
    env_file.write_bytes(b'LLM_MODEL=\xff\n')
    assert problem() == f'{env_file} cannot be read: it is not UTF-8'
    export_env_file()  # leaves the complaint to `load`


def test_programs_export_the_env_file(env_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('OPENAI_API_KEY', 'from the environment')
    for name in ('ANTHROPIC_API_KEY', 'GROQ_API_KEY'):
        monkeypatch.setenv(name, '')
    env_file.write_text('OPENAI_API_KEY=from the file\nANTHROPIC_API_KEY="from the file"\nGROQ_API_KEY=\n')
    export_env_file()
    assert [os.environ[f'{name}_API_KEY'] for name in ('OPENAI', 'ANTHROPIC', 'GROQ')] == snapshot(
        ['from the environment', 'from the file', '']
    )


@pytest.mark.parametrize('value', [',', ' , ', ',,'])
def test_tokens_that_are_none_do_not_open_the_server(value: str) -> None:
    with pytest.raises(ConfigurationError, match='MCP_AUTH_TOKEN: has commas, but nothing between them'):
        Settings.load(mcp_auth_token=value)


def test_variables_that_look_like_settings_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (
        'LLM_MODL',
        'SUMMARIZER_STOR',
        'SUMMARIZER_COLOUR',
        'SUMARIZER_STORE',
        'MCP_HOST',
        'MCP_SUMMARIZER_URL',
        'MCP_OF_ANOTHER',
        'DEFAULT_BROWSER',
        'llm_model',
    ):
        monkeypatch.setenv(name, 'x')
    assert unknown_variables(Settings) == snapshot(
        [
            ('LLM_MODL', 'LLM_MODEL'),
            ('SUMARIZER_STORE', 'SUMMARIZER_STORE'),
            ('SUMMARIZER_COLOUR', ''),
            ('SUMMARIZER_STOR', 'SUMMARIZER_STORE'),
        ]
    )
