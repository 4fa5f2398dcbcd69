"""What every test has: an environment of its own, no real model requests, and the sample texts."""

import gc
import logging
import os
import random
import signal
from collections.abc import Generator, Iterator
from pathlib import Path

import pydantic_ai.models
import pytest
from hypothesis import HealthCheck, Phase, is_hypothesis_test, settings
from hypothesis.database import DirectoryBasedExampleDatabase

from summarizer_tool.text import word_vectors
from tests.support import forking

pydantic_ai.models.ALLOW_MODEL_REQUESTS = False

gc.disable()  # until all is collected: what is imported stays

REPOSITORY = Path(__file__).parent.parent
CRAWL = REPOSITORY / 'examples' / 'crawl'

# Clients of HTTP each read all authorities that there are, which takes longer than what a test asks them for.
os.environ['SSL_CERT_FILE'] = str(Path(__file__).parent / 'support' / 'nobody.pem')

# Other examples in every run; a failure prints how to have it again, and comes first in the next run. No time limits:
# how fast an example runs says more of the machine than of the code.
settings.register_profile(
    'ci',
    deadline=None,
    max_examples=50,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
    database=DirectoryBasedExampleDatabase(REPOSITORY / '.hypothesis' / 'examples'),
)
settings.register_profile('thorough', settings.get_profile('ci'))
# Where a change is judged, it is by the same examples each time, and at once: looking for a smaller example that fails
# takes minutes. Those of everybody's own runs find what is new.
settings.register_profile(
    'steady',
    settings.get_profile('ci'),
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate, Phase.target],
)
settings.load_profile('steady' if os.environ.get('CI') else 'ci')

_OURS = ('MCP_', 'RESEARCH_', 'OPENROUTER_', 'DEFAULT_', 'SUMMARIZER_', 'LLM_', 'LOGFIRE_', 'OTEL_', 'OLLAMA_')


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Draw a seed for hypothesis where none is given: the same one in all processes of a run.

    They share one process that forks commands, too. A shell that runs the tests in the background has programs ignore interrupts; those that tests start must not.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if config.getoption('hypothesis_seed', None) is None:
        config.option.hypothesis_seed = str(random.SystemRandom().randrange(2**32))
    if config.getoption('numprocesses', None) and not hasattr(config, 'workerinput'):
        forking.address()  # one for all of its workers


def pytest_report_header(config: pytest.Config) -> str:
    """Say how to draw the same examples again."""
    return f'examples: --hypothesis-seed={config.option.hypothesis_seed}'


def pytest_xdist_auto_num_workers() -> int:
    """For `-n auto`: two more than there are cores, since tests wait for servers and clocks, too."""
    return (os.cpu_count() or 1) + 2


def pytest_collection_finish() -> None:
    """Leave what has been collected out of every later search for garbage: it stays until the end."""
    gc.freeze()
    gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Let `--hypothesis-profile=thorough` try ten times as many examples, of tests that set their number, too."""
    if settings.get_current_profile_name() != 'thorough':
        return
    # The tests of all parameters are one function.
    tests = {getattr(item, 'function', None): item for item in items}
    for test, item in tests.items():
        if is_hypothesis_test(test):
            # A state machine has them where they may be set, a function where no name promises to stay.
            holder, name = test, '_hypothesis_internal_use_settings'
            if not hasattr(test, name):
                holder, name = item.getparent(pytest.Class).obj, 'settings'
            usual = getattr(holder, name)
            setattr(holder, name, settings(usual, max_examples=10 * usual.max_examples))


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take away what the machine has set; a `.env` of the repository is somebody's own, too."""
    for name in os.environ:
        if name.upper().startswith(_OURS) or name.upper().endswith(('_API_KEY', '_PROXY')):
            monkeypatch.delenv(name)
    monkeypatch.delenv('MAX_CONCURRENT_LLM_CALLS', raising=False)
    for config in _settings_configs():
        monkeypatch.setitem(config, 'env_file', None)


@pytest.fixture(autouse=True)
def _no_word_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rank by words alone, whether `wordllama` is installed or not; `tests/text/test_word_vectors.py` has it."""
    monkeypatch.setattr(word_vectors, 'installed', lambda: None)


@pytest.fixture(autouse=True)
def _own_logs() -> Generator[None]:
    """See that no test leaves the logs of the process set up for a program: others look at them."""
    yield
    assert logging.getLogger('summarizer_tool').propagate


def _settings_configs() -> list[dict[str, object]]:
    from researcher_integration.lore.configuration import ResearchSettings
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
