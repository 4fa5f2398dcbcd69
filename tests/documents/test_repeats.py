"""A document that says what an earlier one says is sent once, and accounted for."""

from pydantic_ai.exceptions import ModelHTTPError
from pydantic_ai.models.function import FunctionModel

from summarizer_tool import Document, Settings, Summarizer, Summary
from summarizer_tool.documents.cutting import repeats_among
from tests.support.texts import CHRONICLE, HARBOUR


def summarized(documents: list[Document], budget: int = 450) -> Summary:
    settings = Settings.load(llm_model='extractive', default_chunk_size_tokens=400)
    return Summarizer(settings).summarize_sync(documents, max_output_tokens=budget)


def test_a_copy_costs_nothing_and_changes_nothing() -> None:
    one, two = summarized([Document(CHRONICLE)]), summarized([Document(CHRONICLE), Document(CHRONICLE)])
    assert two.text == one.text
    assert len(two.text.splitlines()) == len({*two.text.splitlines()})
    assert two.stats.chunks == one.stats.chunks
    assert two.stats.repeated_tokens == one.stats.tokens_in
    last = two.parts[-1]
    assert (last.state, last.reason, last.first_segment) == ('repeated', 'document 1 is the same', 1)
    assert last.last_segment == len(Document(CHRONICLE).segment_starts)
    assert two.degraded == []


def test_what_fits_comes_back_as_it_was() -> None:
    summary = summarized([Document(HARBOUR)] * 2, budget=20_000)
    assert (summary.state, summary.stats.repeated_tokens) == ('unchanged', 0)
    assert summary.text == f'{HARBOUR}\n\n{HARBOUR}'


def test_when_every_call_fails_the_original_is_all_of_it() -> None:
    def fail(*_: object) -> None:
        raise ModelHTTPError(status_code=500, model_name='scripted')

    settings = Settings.load(llm_model='extractive')
    summarizer = Summarizer(settings, model=FunctionModel(fail))  # pyright: ignore[reportArgumentType]
    summary = summarizer.summarize_sync([Document(CHRONICLE)] * 2, max_output_tokens=450)
    assert summary.text == f'{CHRONICLE}\n\n{CHRONICLE}'
    assert {part.state for part in summary.parts} == {'failed', 'repeated'}


def repeated(*documents: Document) -> list[int]:
    return [*repeats_among(documents)]


def test_which_documents_are_the_same() -> None:
    long = f'# Marn\n\n{"Marn is a harbour of the south. " * 8}\n'
    assert repeated(Document(long, title='a'), Document(HARBOUR), Document(long, title='b')) == [2]
    assert repeated(Document(long), Document(f'{long}More.')) == []
    assert repeated(Document(''), Document('')) == []
    # A few words are about what their title or the text before them is about.
    scrap = '- Level: 20'
    assert repeated(Document(scrap, title='Gnash'), Document(scrap, title='Gnash')) == [1]
    assert repeated(Document(scrap, title='Gnash'), Document(scrap, title='Edda')) == []
    assert repeated(Document('# Gnash'), Document(scrap), Document('# Edda'), Document(scrap)) == []
