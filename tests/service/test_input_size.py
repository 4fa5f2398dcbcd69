"""How large an input may be: bytes of UTF-8, counted over all of it, at the summarizer and at the service."""

import pytest
from inline_snapshot import snapshot

from summarizer_tool import (
    AddSourceRequest,
    Document,
    InputTooLargeError,
    Service,
    Settings,
    SourceStore,
    Summarizer,
    SummarizeRequest,
)
from summarizer_tool.mapreduce.summarizer import Content
from summarizer_tool.store.collection import Collection

LIMIT = Settings.load(llm_model='extractive', max_input_mb=0.001)

FITS: dict[str, Content] = {
    'a byte a character': 'a' * 1000,
    'two bytes': 'ä' * 500,
    'four bytes': '𝄞' * 250,
    'two texts': ['a' * 500, Document('a' * 500)],
}
TOO_LARGE: dict[str, Content] = {
    'a byte a character': 'a' * 1001,
    'two bytes': 'ä' * 501,
    'four bytes': '𝄞' * 251,
    'two texts': ['a' * 500, Document('a' * 501)],
    'half a character': '\ud800' * 334,
}


@pytest.mark.parametrize('content', FITS.values(), ids=FITS)
def test_an_input_of_the_limit_is_taken(content: Content) -> None:
    assert Summarizer(LIMIT).summarize_sync(content, max_output_tokens=5000).state == 'unchanged'


@pytest.mark.parametrize('content', TOO_LARGE.values(), ids=TOO_LARGE)
def test_an_input_over_the_limit_is_refused(content: Content) -> None:
    with pytest.raises(InputTooLargeError, match=r'^content is 0\.001 MB, over SUMMARIZER_MAX_INPUT_MB=0\.001; split'):
        Summarizer(LIMIT).summarize_sync(content, max_output_tokens=5000)


@pytest.mark.anyio
async def test_the_service_has_the_same_limit() -> None:
    service = Service(Summarizer(LIMIT), SourceStore().collection())
    for content in FITS.values():
        if isinstance(content, str):
            await service.add_source(AddSourceRequest(content=content))
    for content in TOO_LARGE.values():
        if isinstance(content, str):
            with pytest.raises(InputTooLargeError) as error:
                await service.add_source(AddSourceRequest(content=content))
            assert str(error.value) == snapshot(
                'content is 0.001 MB, over SUMMARIZER_MAX_INPUT_MB=0.001; split it or raise the limit'
            )


@pytest.mark.anyio
async def test_sources_over_the_limit_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    service = Service(Summarizer(LIMIT), SourceStore().collection())
    handles = [(await service.add_source(AddSourceRequest(content=letter * 600))).source.id for letter in 'ab']
    monkeypatch.setattr(Collection, 'document', None)
    with pytest.raises(InputTooLargeError):
        await service.summarize(SummarizeRequest(source_ids=[f'`{handle.upper()}`' for handle in handles]))
