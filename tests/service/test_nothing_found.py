"""What a program is told where there is nothing to show: why, how far was looked, and where else to look."""

from collections.abc import Sequence

import pytest
from inline_snapshot import snapshot

from summarizer_tool import Document, SourceStore
from summarizer_tool.llm.options import RequestOptions
from summarizer_tool.runtime.deadline import Deadline
from summarizer_tool.service.retrieval import EvidenceBrief, Retriever
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
    assert told(found)[1] == told(answered)[1] == '- ranking by meaning failed: OSError'
    assert 'secret' not in found.text


async def test_a_page_that_failed_may_have_it() -> None:
    with site() as web, asking(web) as retriever:
        web.replies['/broken'] = Reply(status=503)
        pages = [web.url('/guide/'), web.url('/broken?key=hunter2')]
        found = await retriever.answer(pages, 'Zymurgy?', research_mode='fast', max_tokens=500)
        assert [line.replace(web.host, 'HOST') for line in told(found)] == snapshot(
            [
                'Detail: no passage has anything of "Zymurgy?"; searched: documents 1, passages 4.',
                '- http://HOST/broken?…: answered HTTP 503; give another address for it, or add its text as a source.',
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
        assert [line.replace(web.host, 'HOST') for line in told(found)[1:3]] == snapshot(
            [
                '- The time was over before everything was looked at. Call `answer` again with the same urls: what was fetched is stored, so that the next call gets further.',
                '- http://HOST/slow: the deadline came before it was there; ask again, or give the call more time; give another address for it, or add its text as a source.',
            ]
        )
        assert (found.figures['partial'], found.figures['stop_reason']) == (True, 'deadline')


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
