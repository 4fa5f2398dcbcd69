"""What a program is told where there is nothing to show: why, how far was looked, and where else to look."""

from collections.abc import Sequence

import pytest
from inline_snapshot import snapshot

from summarizer_tool import Document, SourceStore
from summarizer_tool.llm.options import RequestOptions
from summarizer_tool.runtime.deadline import Deadline
from summarizer_tool.service.evidence_brief import EvidenceBrief
from summarizer_tool.service.retrieval import Retriever
from summarizer_tool.store.collection import Collection
from summarizer_tool.text import tokens
from tests.support.asked_site import asking, retriever_of
from tests.support.site import Reply, site
from tests.support.texts import CHRONICLE, HARBOUR

pytestmark = pytest.mark.anyio


def told(found: EvidenceBrief) -> list[str]:
    """What is said of a search without results, before the causes."""
    assert found.text.startswith('[NO RESULTS]\n\nDetail: ')
    assert not found.is_error
    assert found.figures['hits'] == 0
    return found.text.partition('\n\nLikely causes')[0].splitlines()[2:]


async def test_a_model_that_is_down_may_have_found_it() -> None:
    class Down:
        async def nearest(
            self, collection: Collection, queries: Sequence[str], source_ids: Sequence[str], limit: int
        ) -> tuple[list[list[int]], str]:
            raise OSError('secret')

    with SourceStore() as store:
        retriever = Retriever(retriever_of(store).service, similar=Down())
        retriever.collection.add(Document(CHRONICLE))
        found = await retriever.search('pepper', max_tokens=500)
        answered = await retriever.answer((), 'pepper', max_tokens=500)
    assert told(found)[2] == told(answered)[2] == '- ranking by meaning failed: OSError'
    assert 'secret' not in found.text


async def test_a_page_that_failed_may_have_it() -> None:
    with site() as web, asking(web) as retriever:
        web.replies['/broken'] = Reply(status=503)
        pages = [web.url('/guide/'), web.url('/broken?key=hunter2')]
        found = await retriever.answer(pages, 'Zymurgy?', research_mode='fast', max_tokens=500)
        assert [line.replace(web.host, 'HOST') for line in told(found)] == snapshot(
            [
                'Detail: no passage has anything of "Zymurgy?"; searched: documents 1, passages 4.',
                'Pages asked for: 2, in vain: 1, rounds of following links: 0; stopped: fast mode.',
                'What was missing:',
                '- http://HOST/broken?…: answered HTTP 503; give another address for it, or store its text with add_source.',
                'Stored, the last used first:',
                '- src_512f9cac33d8 · Guide to the station',
            ]
        )
        assert (found.source_ids, found.figures) == snapshot(
            (
                ('src_512f9cac33d8',),
                {
                    'documents': 1,
                    'passages': 4,
                    'matched': 0,
                    'hits': 0,
                    'shown': 0,
                    'citations': 0,
                    'full_context': False,
                    'ranking': 'bm25',
                    'pages': 2,
                    'failures': 1,
                    'rounds': 0,
                    'stop_reason': 'fast mode',
                    'partial': False,
                },
            )
        )

        web.slow(1)
        pages[1] = web.url('/slow')
        found = await retriever.answer(pages, 'Zymurgy?', max_tokens=500, options=RequestOptions(deadline=Deadline(1)))
        assert [line.replace(web.host, 'HOST') for line in told(found)[1:5]] == snapshot(
            [
                'Pages asked for: 2, in vain: 1, rounds of following links: 0; stopped: deadline.',
                'What was missing:',
                '- The time was over before everything was looked at. Call `answer` again with the same urls: what was fetched is stored, so that the next call gets further.',
                '- http://HOST/slow: the deadline came before it was there; ask again, or give the call more time; give another address for it, or store its text with add_source.',
            ]
        )
        assert (found.figures['partial'], found.figures['stop_reason']) == (True, 'deadline')


async def test_how_far_was_looked_for_nothing() -> None:
    with site() as web, asking(web) as retriever:
        found = await retriever.answer(web.url('/guide/'), 'Zymurgy hopped?', research_mode='deep', max_tokens=500)
        figures = found.figures
    assert told(found)[1] == (
        f'Pages asked for: {figures["pages"]}, in vain: {figures["failures"]}, rounds of following links: '
        f'{figures["rounds"]}; stopped: {figures["stop_reason"]}.'
    )
    assert int(figures['pages']) > 1


@pytest.mark.parametrize('budget', [500, 700])
async def test_what_went_wrong_keeps_to_the_budget(budget: int) -> None:
    long = 'ごみ' * 200
    with site() as web, asking(web) as retriever:
        for number in range(12):
            document = Document(f'{CHRONICLE}\n{number}', title='漢字' * 200, url=f'https://marn.example/{number}')
            retriever.collection.add(document)
        pages = [web.url(f'/{"gone/" * 40}{number}') for number in range(9)]
        for found in (
            await retriever.search(long, max_tokens=budget),
            await retriever.search('fire', source_urls=f'https://marn.example/{long}', max_tokens=budget),
            await retriever.search('fire', source_ids=long, max_tokens=budget),
            await retriever.answer(pages, 'fire', max_tokens=budget),
            await retriever.answer(long, 'fire', max_tokens=budget),
            await retriever.status(long, max_tokens=budget),
        ):
            assert found.text[0] == '['
            assert found.tokens == tokens.count(found.text) <= budget
    with asking(web, mcp_response_token_budget=budget) as retriever:
        found = await retriever.search(long, source_urls=f'https://marn.example/{long}')
        assert found.tokens == tokens.count(found.text) <= budget


async def test_a_question_is_no_text() -> None:
    long = '"geese wells" ' * 1000
    with SourceStore() as store:
        retriever = retriever_of(store)
        retriever.collection.add(Document(HARBOUR))
        for name, found in {
            'query': await retriever.search(long),
            'intent': await retriever.search('fire', intent=long),
            'query ': await retriever.answer((), long),
            'intent ': await retriever.answer((), 'fire', intent=long),
            'constraints': await retriever.answer((), 'fire', constraints=long),
        }.items():
            assert found.text.startswith('[ERROR] bad request\n')
            assert f'Detail: {name.strip()} has 14,000 characters, over 10,000; ' in found.text
        assert not (await retriever.answer((), 'fire', intent=long[:10_000])).is_error


async def test_where_not_all_is_listed_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr('summarizer_tool.service.retrieval.MAX_LISTED', 10)
    with SourceStore() as store:
        retriever = retriever_of(store)
        for number in range(30):
            retriever.collection.add(Document(f'Page {number}.', url=f'https://marn.example/{number}'))
        assert '\n- and 22 more\n' in (await retriever.search('pepper', max_tokens=600)).text


@pytest.mark.parametrize('budget', [700, 8000])
@pytest.mark.parametrize(
    ('question', 'names'),
    [
        ('When did the Zorblax fleet of 2031 reach the harbour?', 'Zorblax, 2031'),
        ('When did the harbour burn?', ''),
        ('WHEN DID THE ZORBLAX FLEET REACH THE HARBOUR?', ''),
        ('Harbours of Morns coast', ''),
        ('Who else but the UK and E-27 saw the harbour burn?', ''),
    ],
)
async def test_names_of_the_question_that_nothing_has_are_told(question: str, names: str, budget: int) -> None:
    with SourceStore() as store:
        retriever = retriever_of(store)
        retriever.collection.add(
            Document('The harbour of Morn burnt twice, as the U.K. and E27 saw.\n\n' * 3 + CHRONICLE)
        )
        found = await retriever.search(question, max_tokens=budget)
    assert found.figures['full_context'] is (budget == 8000)
    said = [line for line in found.text.splitlines() if line.startswith('- Nothing that was searched has')]
    assert [names in line for line in said] == [True] * bool(names)
