"""The command line is told to end, or killed, at each stage: it ends, leaves nothing, and goes on where it was."""

import os
import signal
from pathlib import Path

import pytest

from tests.support import forking, provider, replies
from tests.support.provider import Provider
from tests.support.replies import Behaviour
from tests.support.stores import sound
from tests.support.texts import chronicle
from tests.support.victims import Victim, is_reached, silent_while, started, until

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures('model_requests')]

TEXT = chronicle(60)
SIGNALS = [signal.SIGTERM, signal.SIGKILL]


def settings(folder: Path, model: Provider) -> dict[str, str]:
    return {
        'LLM_MODEL': replies.MODEL,
        'OPENROUTER_BASE_URL': model.base_url,
        'DEFAULT_CHUNK_SIZE_TOKENS': '2000',
        'MAX_CONCURRENT_LLM_CALLS': '2',
        'SUMMARIZER_STORE': str(folder / 'store.db'),
    }


@pytest.mark.parametrize('number', SIGNALS)
@pytest.mark.parametrize('stage', ['reading', 'mapping', 'reducing', 'writing'])
def test_the_command_line(tmp_path: Path, stage: str, number: int) -> None:
    text = tmp_path / 'text.md'
    text.write_text(TEXT)
    with provider.serve(Behaviour(silent_while(stage))) as model:
        given = settings(tmp_path, model)
        budget = '300' if stage == 'reducing' else '6000'
        arguments = ('summarizer_tool', 'run', '-' if stage == 'reading' else str(text), '--max-output-tokens', budget)
        with started(tmp_path, arguments, **given) as victim:
            come_to(stage, victim, model, tmp_path / 'store.db')
            assert victim.end(number) == -number
        store = tmp_path / 'store.db'
        assert not store.exists() or sound(store)
        answered = {request.prompt for request in model.requests if request.answered is not None}
        assert bool(answered) == (stage != 'reading')
        before = len(model.requests)
        model.behaviour = Behaviour()
        arguments = ('run', str(text), '--max-output-tokens', budget)
        done = forking.run('summarizer_tool', *arguments, environment={**os.environ, **given})
        assert (done.returncode, bool(done.stdout)) == (0, True)
        assert not answered & {request.prompt for request in model.requests[before:]}
        assert sound(store)


def come_to(stage: str, victim: Victim, model: Provider, store: Path) -> None:
    if stage == 'reading':
        victim.send(TEXT.encode() * 20)  # more than a pipe holds, so that it has begun to read
        assert victim.process.poll() is None
    elif stage == 'writing':
        until(victim.is_stuck, stage)
    else:
        until(lambda: is_reached(stage, model, store), stage)
