"""What every test of the command line has: a folder of its own, no model but the embedded one, and a site."""

from collections.abc import Generator
from pathlib import Path

import pytest

from summarizer_tool import telemetry
from tests.support.site import Site, site


@pytest.fixture(scope='package')
def served() -> Generator[Site]:
    with site() as running:
        yield running


@pytest.fixture
def station(served: Site, monkeypatch: pytest.MonkeyPatch) -> Site:
    served.hits.clear()
    served.canary.hits.clear()
    served.pause = 0.0
    monkeypatch.setenv('SUMMARIZER_FETCH_ALLOW_HOSTS', served.host)
    return served


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv('LLM_MODEL', 'extractive')
    # Logs and traces of the process are the tests' own.
    monkeypatch.setattr(telemetry, 'configure', lambda *_, **__: None)
