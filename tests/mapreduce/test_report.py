"""What is accounted for."""

from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from summarizer_tool.documents.chunking import measure
from summarizer_tool.documents.document import Document
from summarizer_tool.mapreduce.report import joined, joined_tokens
from summarizer_tool.text import tokens
from tests.text.test_tokens import texts


@hypothesis_settings(max_examples=25)
@given(st.lists(texts, max_size=4), st.booleans())
def test_documents_count_as_the_text_that_they_make_together(given_texts: list[str], is_one_unknown: bool) -> None:
    documents = [Document(text) for text in given_texts]
    for document in documents[: len(documents) - is_one_unknown]:
        measure(document, 100)
    assert joined_tokens(documents) == tokens.count(joined(documents))
