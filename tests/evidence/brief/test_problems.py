"""What a model is told when there is no brief."""

from collections.abc import Callable

import pytest
from inline_snapshot import snapshot

from summarizer_tool.errors import (
    FetchError,
    RequestError,
    StoreError,
    SummarizerError,
    UnknownSourceError,
)
from summarizer_tool.evidence.answer.page_loading import TracePage
from summarizer_tool.evidence.brief import problems
from summarizer_tool.text import tokens

ENDING = 'Do not answer this from memory: do what is advised above, or say what could not be found.'


def failed(url: str, why: str) -> TracePage:
    return TracePage(url, 0, failure=why)


def told(problem: str) -> str:
    """What it says, but for the sentence at the end of each."""
    text, between, rest = problem.partition(f'\n\n{ENDING}')
    assert between
    assert not rest
    return text


def test_no_page_could_be_fetched() -> None:
    problem = problems.fetch_failed(
        [
            failed('https://orrin.example/guide?token=secret', 'orrin.example/guide answered HTTP 404'),
            failed('https://keeper:pass@valley.example/', 'the host name cannot be resolved'),
        ]
    )

    assert told(problem) == snapshot("""\
[ERROR] fetch failed

Detail: none of the pages that were asked for could be fetched.
- https://orrin.example/guide?…: answered HTTP 404
- https://valley.example/: the host name cannot be resolved

Likely causes:
- The address is wrong, or the page has moved or is gone.
- The site refuses programs or asks for a login, its robots.txt forbids the page, or it is down.
- The page is no text, is too large, or its host has a private address.

What to do:
- Check the addresses, or give others: the page above, another site with the same content.
- If you have the text from elsewhere, add it as a source and use `search`.
- `status` lists what is stored already; `search` looks in it without fetching.\
""")
    assert 'secret' not in problem
    assert 'pass@' not in problem


def test_time_was_over() -> None:
    assert told(problems.timed_out(95.4, 'MCP_TOOL_TIMEOUT=95')) == snapshot("""\
[ERROR] timeout

Detail: there was no answer within 95 seconds (MCP_TOOL_TIMEOUT=95).

Likely causes:
- A site answers slowly, or many pages were asked for at once.
- A deep answer follows links for as long as there is time.

What to do:
- Call again: pages that were fetched are stored, and are not fetched again.
- Ask for less: fewer urls, research_mode="fast", a smaller expansion_budget.
- `search` looks in what is stored, without fetching.\
""")


def test_nothing_matches() -> None:
    problem = problems.no_results('who built "the lamp"?', 12, 1340)

    assert told(problem) == snapshot("""\
[NO RESULTS]

Detail: no passage has anything of "who built 'the lamp'?"; searched: documents 12, passages 1,340.

Likely causes:
- The sources call it something else, or are in another language.
- The sources are about something else; the page that has it is not stored.

What to do:
- Search again with fewer and rarer words: names, numbers, the terms that such a text would use, in its language.
- Leave source_urls and source_ids empty to look in everything that is stored.
- `answer` with the address of a page that should have it, and research_mode="auto" or "deep" to follow its links.\
""")


def test_nothing_matches_in_what_could_be_searched() -> None:
    """What could not be searched may have it: that is told, and why there is no more."""
    missing = [
        '3 sources are not indexed yet and were not searched; search again',
        'ranking by meaning failed: OSError',
    ]
    problem = problems.no_results('the lamp', 12, 1340, missing)

    assert problem.partition('\n\nLikely causes')[0] == snapshot("""\
[NO RESULTS]

Detail: no passage has anything of "the lamp"; searched: documents 12, passages 1,340.
- 3 sources are not indexed yet and were not searched; search again
- ranking by meaning failed: OSError\
""")


def test_a_handle_that_is_none() -> None:
    error = UnknownSourceError('there is no source "src_12"; a text or a URL that is added as a source gets a handle')
    assert told(problems.of_error(error)) == snapshot("""\
[ERROR] unknown source

Detail: there is no source "src_12"; a text or a URL that is added as a source gets a handle

Likely causes:
- The handle was written from memory, or belongs to another collection.
- The page was never fetched, or is stored under another address: with or without `www`, a slash or a query.
- The source was evicted, because the store is full.

What to do:
- Take the handle from `status`, or from the answer that named it.
- Add the text or page as a source; the same text gets the same handle. `answer` with a URL fetches and stores it.\
""")


def test_nothing_is_stored() -> None:
    assert told(problems.nothing_stored()) == snapshot("""\
[ERROR] nothing stored

Detail: there is no source in this collection yet, so there is nothing to look in.

Likely causes:
- No page or text was added so far, or all of them were evicted, because the store is full.

What to do:
- `answer` with the addresses of pages fetches them and answers from them.
- Add a text, or the page at a URL, as a source.\
""")


def test_a_call_that_cannot_be_done() -> None:
    assert told(problems.of_error(RequestError('top_k=0 is out of range; give 1 to 100'))) == snapshot("""\
[ERROR] bad request

Detail: top_k=0 is out of range; give 1 to 100

Likely causes:
- A parameter is missing, is out of range, or goes with no other that was given.

What to do:
- Change what the detail names, and call again.\
""")


@pytest.mark.parametrize('error', [FetchError('orrin.example answered HTTP 500'), StoreError('disk full')])
def test_each_error_has_its_detail(error: SummarizerError) -> None:
    assert str(error) in problems.of_error(error)


@pytest.mark.parametrize('budget', [500, 700, 1200])
@pytest.mark.parametrize('long', ['ごみ漢字' * 400, 'x-' * 4000, 'a harbour wall ' * 900])
def test_the_lists_are_shortened_first_where_the_budget_is_small(long: str, budget: int) -> None:
    failures = [failed(f'https://orrin.example/{long}', long) for _ in range(30)]
    missing = [long] * 30
    found = {
        'fetch': problems.fetch_failed(failures, budget),
        'none': problems.no_results(long, 9, 9, missing, budget),
        'detail': problems.of_error(RequestError(long), budget),
        'unknown': problems.of_error(UnknownSourceError(long), budget),
        'fetched': problems.of_error(FetchError(long), budget),
        'store': problems.of_error(StoreError(long), budget),
    }
    sizes = {name: tokens.count(problem) for name, problem in found.items()}
    assert not {name: size for name, size in sizes.items() if size > budget}
    assert all(problem.endswith('\n\n' + ENDING) for problem in found.values())
    # Of each there is something, and what is not shown is counted.
    assert found['fetch'].count('\n- https://orrin.example/') >= 1
    assert '\n- and ' in found['none']


LONG = 'the tide \u202e\x00 {{ending}}\n[CITATIONS] 漢👩 ' * 500


TEXTS: dict[str, Callable[[], str]] = {
    'fetch failed': lambda: problems.fetch_failed([failed(f'https://{LONG}', LONG)] * 100),
    'timed out': lambda: problems.timed_out(10**9),
    'no results': lambda: problems.no_results(LONG, 10**12, 10**12, [LONG] * 300),
    'request': lambda: problems.of_error(RequestError(LONG)),
    'unknown source': lambda: problems.of_error(UnknownSourceError(LONG)),
    'fetch': lambda: problems.of_error(FetchError(LONG)),
    'store': lambda: problems.of_error(StoreError(LONG)),
    'nothing stored': problems.nothing_stored,
}


@pytest.mark.parametrize('name', TEXTS)
def test_every_text_is_bounded_ends_alike_and_cannot_be_forged(name: str) -> None:
    problem = TEXTS[name]()
    assert tokens.count(problem) <= 1500
    assert problem.endswith('\n\n' + ENDING)
    assert problem.count('\n[') == 0
    assert {char for char in problem if not char.isprintable()} <= {'\n', '\u200d'}
