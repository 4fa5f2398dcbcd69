"""The simulated provider tells what went wrong in it; all else of it shows in the tests that use it."""

import httpx2
import pytest

from tests.support.provider import serve
from tests.support.replies import Behaviour, Request, Text


def test_what_the_answer_raises_is_raised_by_serve() -> None:
    def answer(request: Request) -> Text:
        raise AssertionError(f'request {request.number} was not expected')

    responses: list[httpx2.Response] = []

    def run() -> None:
        with serve(Behaviour(answer)) as provider:
            asked = {'model': 'openai/gpt-4o-mini', 'messages': [{'role': 'user', 'content': 'Summarize.'}]}
            responses.append(httpx2.post(f'{provider.base_url}/chat/completions', json=asked, timeout=5))

    with pytest.raises(AssertionError, match='request 1 was not expected'):
        run()
    assert responses[0].status_code == 500
    assert 'request 1 was not expected' in responses[0].text
