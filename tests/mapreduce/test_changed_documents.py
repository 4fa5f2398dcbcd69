"""A change costs the change: what stands as it did is neither asked about again nor said in other words."""

import anyio
import pytest
from inline_snapshot import snapshot
from pydantic_ai.messages import ModelResponse
from pydantic_ai.models.function import AgentInfo

from summarizer_tool import Document, ExtractiveModel, RequestOptions, SourceStore, Summarizer, prompts
from summarizer_tool.mapreduce.request import SummarizeRequest
from tests.support.map_models import good, make, model_of
from tests.support.texts import chronicle

ADDED = 'In the year 999 Zibeline Orrin gave the town a bell of two tons.'
SECTION = ' '.join(f'In the year {year} Zibeline Orrin gave the town a bell of two tons.' for year in range(900, 918))


def pages(changed: int | None = None, place: float = 0.0, added: str = ADDED) -> list[Document]:
    """Pages of a crawl, one of them with another paragraph."""
    found: list[Document] = []
    for page in range(4):
        text = chronicle(8 + page, seed=page)
        if page == changed:
            at = text.index('\n\n', int(place * len(text) * 0.9))
            text = f'{text[:at]}\n\n{added}{text[at:]}'
        found.append(Document(text, title=f'Page {page}', url=f'https://morn.example/{page}'))
    return found


@pytest.mark.parametrize('is_embedded', [False, True], ids=['model', 'embedded'])
def test_a_changed_paragraph_costs_two_map_calls_at_most(is_embedded: bool) -> None:
    asked = 0

    def answer(request: prompts.ParsedRequest, info: AgentInfo) -> ModelResponse:
        nonlocal asked
        asked += not request.merges
        return good(request, info)

    model = ExtractiveModel() if is_embedded else model_of(answer)
    summarizer = Summarizer(make(default_chunk_size_tokens=1000), model=model)

    async def summaries() -> None:
        with SourceStore() as store:
            options = RequestOptions(cache=store.collection())
            request = SummarizeRequest(max_output_tokens=1200)
            first = await summarizer.run(pages(), request, options)
            assert first.stats.chunks > 9
            said = {fact.text for fact in first.facts}
            for changed, place, added in (
                *((0, 0.0, ADDED), (2, 0.5, ADDED), (3, 1.0, ADDED)),
                *(((0, 0.3, SECTION),) if not is_embedded else ()),  # which says less of all where there is more
            ):
                before = asked
                second = await summarizer.run(pages(changed, place, added), request, options)
                assert asked - before <= 2
                assert second.stats.map_calls <= 2
                assert len(said & {fact.text for fact in second.facts}) >= 0.95 * len(said)

    anyio.run(summaries)


def test_a_text_that_grows_costs_what_is_new() -> None:
    """That all else is asked for less, since the budget is the same, makes no answer a new one, of a merge neither."""
    asked = 0

    def answer(request: prompts.ParsedRequest, info: AgentInfo) -> ModelResponse:
        nonlocal asked
        asked += 1
        return good(request, info)

    summarizer = Summarizer(make(default_chunk_size_tokens=1000), model=model_of(answer))
    whole = chronicle(40)

    async def summaries() -> list[int]:
        costs: list[int] = []
        with SourceStore() as store:
            options = RequestOptions(cache=store.collection())
            for share in (0.8, 0.9, 1.0):
                before = asked
                grown = Document(whole[: whole.index('\n\n', int(share * len(whole) * 0.9))], title='Log')
                await summarizer.run([grown], SummarizeRequest(max_output_tokens=1200), options)
                costs.append(asked - before)
        return costs

    assert anyio.run(summaries) == snapshot([12, 3, 4])
