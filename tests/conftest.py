"""What every test has: an environment of its own, no real model requests, and the sample texts."""

import os
from collections.abc import Iterator
from pathlib import Path

import pydantic_ai.models
import pytest
from hypothesis import settings

pydantic_ai.models.ALLOW_MODEL_REQUESTS = False

# The same examples every time: a failure in one change is that change's own.
settings.register_profile('steady', deadline=None, derandomize=True)
settings.load_profile('steady')

REPOSITORY = Path(__file__).parent.parent
CRAWL = REPOSITORY / 'examples' / 'crawl'
SHARED_DATA = REPOSITORY.parent / 'shared' / 'data'

_OURS = ('MCP_', 'RESEARCH_', 'OPENROUTER_', 'DEFAULT_', 'SUMMARIZER_', 'LLM_', 'LOGFIRE_', 'OTEL_', 'OLLAMA_')


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take away what the machine has set; a `.env` of the repository is somebody's own, too."""
    for name in os.environ:
        if name.upper().startswith(_OURS) or name.upper().endswith(('_API_KEY', '_PROXY')):
            monkeypatch.delenv(name)
    monkeypatch.delenv('MAX_CONCURRENT_LLM_CALLS', raising=False)
    for config in _settings_configs():
        monkeypatch.setitem(config, 'env_file', None)


def _settings_configs() -> list[dict[str, object]]:
    from researcher_integration.lore.settings import ResearchSettings
    from summarizer_tool.settings import Settings

    return [Settings.model_config, ResearchSettings.model_config]  # pyright: ignore[reportReturnType]


@pytest.fixture
def anyio_backend() -> str:
    """Asynchronous tests run on asyncio, as the package does."""
    return 'asyncio'


@pytest.fixture
def env_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The path of a `.env` that is read: in the working directory, which is a new one."""
    monkeypatch.chdir(tmp_path)
    for config in _settings_configs():
        monkeypatch.setitem(config, 'env_file', '.env')
    return tmp_path / '.env'


@pytest.fixture
def model_requests() -> Iterator[None]:
    """Allow requests to models, for the simulated provider."""
    with pydantic_ai.models.override_allow_model_requests(True):
        yield


@pytest.fixture(scope='session')
def crawl() -> dict[str, str]:
    """The texts of the sample crawl by file name, in order."""
    return {path.name: path.read_text(encoding='utf-8') for path in sorted(CRAWL.glob('*.md'))}


@pytest.fixture(scope='session')
def shared_data() -> Path:
    """The folder of large sample data that lies beside the repository on some machines."""
    if not SHARED_DATA.is_dir():
        pytest.skip(f'{SHARED_DATA} is absent')
    return SHARED_DATA
