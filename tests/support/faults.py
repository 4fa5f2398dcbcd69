"""The tables of faults in the docs: that of a provider, each as it goes over a socket, and what a summary makes of them,
which is written; that of the store and of processes, of which the tests are run.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

from pydantic import JsonValue

from summarizer_tool import Settings, Summarizer
from tests.support.provider import serve
from tests.support.replies import (
    Behaviour,
    Drop,
    Error,
    Hang,
    Json,
    Raw,
    Reply,
    Request,
    Text,
    failing_first,
    script,
    summarize,
)
from tests.support.texts import chronicle

DOCS = Path(__file__).parents[2] / 'docs' / 'faults.md'

SECRET = 'sk-secret-of-the-matrix'

_EMPTY: dict[str, JsonValue] = {'id': 'x', 'object': 'chat.completion', 'created': 1, 'model': 'm', 'choices': []}


def _error(status: int, **error: JsonValue) -> Error:
    return Error(status, body={'error': {'message': SECRET, **error}})


FAULTS: dict[str, Reply] = {
    '500': _error(500),
    '503': _error(503),
    '429 with Retry-After': Error(429, {'Retry-After': '0'}),
    '429 with Retry-After of two hours': Error(429, {'Retry-After': '7200'}),
    'connection closed': Drop(),
    'body broken off': Raw(b'{"id":', missing=100),
    'no answer': Hang(5),
    'body drips': Raw(b' ' * 100, seconds_a_byte=0.2),
    'a page of a gateway': Raw(b'<html>gateway</html>', 'text/html'),
    'empty body': Raw(b''),
    'half of the JSON': Raw(json.dumps(_EMPTY).encode()[:40]),
    'no choices': Raw(json.dumps(_EMPTY).encode()),
    'wrong schema': Json({'foo': 1}),
    'prose': Text(f'{SECRET} is all I say.'),
    'context length': _error(400, code='context_length_exceeded'),
    'content filter of the answer': Text('', 'content_filter'),
    'content filter of the request': _error(400, code='content_filter'),
    'no tools': _error(400, message=f'{SECRET} does not support tools'),
    'wrong key': _error(401),
    'model gone': _error(404),
}
"""By what the provider does."""


def outcome(reply: Reply, *, times: int | None = None) -> tuple[str, str, int]:
    """State, reasons and requests of a summary in three chunks.

    Args:
        reply: What the provider does.
        times: To how many requests; by default to all.
    """
    answer = script(reply) if times is None else failing_first(times, reply)
    if reply is FAULTS['no tools'] and times is None:  # it has nothing against other requests
        answer = _without_tools
    with serve(Behaviour(answer)) as provider:
        settings = Settings.load(
            llm_model='openai/gpt-4o-mini',
            openrouter_base_url=provider.base_url,
            openrouter_api_key=SECRET,
            llm_max_retries=1,
            # What does come may be late on a busy machine.
            llm_timeout_seconds=0.5 if reply in (FAULTS['no answer'], FAULTS['body drips']) else 10,
            max_concurrent_llm_calls=1,
            default_chunk_size_tokens=1600,
        )
        summary = Summarizer(settings).summarize_sync(chronicle(12), max_output_tokens=300)
        said = summary.model_dump_json()
        assert SECRET not in said
        assert summary.over_budget == (summary.state == 'original')
        assert {part.first_line for part in summary.parts}, 'every part is accounted for'
        assert (summary.state == 'complete') == (not summary.degraded)
        reasons = sorted({part.reason for part in summary.parts if part.reason})
        return summary.state, ', '.join(reasons), len(provider.requests)


def _without_tools(request: Request) -> Reply:
    return FAULTS['no tools'] if request.body.tools else summarize(request)


def row(name: str) -> str:
    """A line of the table."""
    always, once = outcome(FAULTS[name]), outcome(FAULTS[name], times=1)
    return f'{name} | {always[0]} ({always[1]}) | {always[2]} | {once[0]} | {once[2]}'


HEADER = """\
# Faults, and what becomes of them

## Faults of a provider

What a summary of three chunks is when its provider fails at every request, and when it fails at the first one alone. `make fault-matrix` runs each line against a simulated provider over a socket, with one retry, and writes this table; the tests run it, too.

**complete**: a model has summarized all of it. **degraded**: the embedded model has done those chunks that the model did not, and the summary lists them. **original**: the provider could not be reached or refused every request, so that the text comes back as it was given, over the budget and with a warning (`SUMMARIZER_ON_FAILURE` has other ways).

The provider | Always: state (reason) | Requests | Once: state | Requests
--- | --- | --- | --- | ---
"""


_TEST = re.compile(r' \| `(\S+)::(\w+)`$', re.MULTILINE)


def tests() -> list[tuple[str, str]]:
    """File and name of the tests that show the faults of the store and of processes."""
    return _TEST.findall(DOCS.read_text(encoding='utf-8'))


def unproved() -> list[str]:
    """Run them; those that did not pass."""
    named = ['::'.join(each) for each in tests()]
    command = [sys.executable, '-m', 'pytest', '-q', '-rA', '-m', 'slow or not slow', *named]
    done = subprocess.run(command, cwd=DOCS.parents[1], stdout=subprocess.PIPE, text=True, check=False)
    outcomes = re.findall(r'^(PASSED|FAILED|ERROR) (\S+?::\w+)', done.stdout, re.MULTILINE)
    failed = {test for outcome, test in outcomes if outcome != 'PASSED'}
    if failed:
        print(done.stdout)
    return [test for test in named if test in failed or ('PASSED', test) not in outcomes]


def write() -> None:
    """Run all of it, and write the table of providers."""
    provider = HEADER + ''.join(f'{row(name)}\n' for name in FAULTS)
    if failed := unproved():
        raise SystemExit(f'not shown: {", ".join(failed)}')
    _, title, processes = DOCS.read_text(encoding='utf-8').partition('\n## Faults of the store')
    DOCS.write_text(provider + title + processes, encoding='utf-8')


if __name__ == '__main__':
    write()
