"""Jobs as they go through a database."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from summarizer_tool import Document
from summarizer_tool.batch.job import Asked, BatchJob, unpack
from summarizer_tool.errors import FetchError, RequestError

ASKED = Asked(model='extractive')


@settings(max_examples=20)
@given(st.binary(max_size=200), st.text(max_size=50))
def test_what_is_packed_comes_back(raw: bytes, name: str) -> None:
    job = BatchJob.of(name, 'file', raw, ASKED)
    assert unpack(job.content) == raw
    assert BatchJob.model_validate(json.loads(json.dumps(job.model_dump(mode='json')))) == job


def test_texts_keep_what_they_are_called() -> None:
    documents = [Document('One.', title='First', url='a.md'), Document('Two.\0', title='', url='')]
    assert BatchJob.of_documents('merged', documents, ASKED).documents() == documents


def test_the_same_work_has_the_same_key_and_no_other_has() -> None:
    def key(name: str = 'a', raw: bytes = b'text', **asked: object) -> str:
        return BatchJob.of(name, 'file', raw, Asked.model_validate({'model': 'extractive', **asked})).key

    others = [key('b'), key(raw=b'texts'), key(model='other'), key(max_output_tokens=5), key(focus_areas=['x'])]
    others.append(key(default_output_tokens=900))
    assert key() == key()
    assert len({key(), *others}) == 1 + len(others)


def test_what_cannot_be_read_or_asked_for() -> None:
    with pytest.raises(FetchError, match='looks like a binary file'):
        BatchJob.of('noise.bin', 'file', b'\0\1\2', ASKED).documents()
    for nothing in (b'', b' \n\n'):
        with pytest.raises(FetchError, match='holds no text'):
            BatchJob.of('empty.txt', 'file', nothing, ASKED).documents()
    with pytest.raises(RequestError, match='max_output_tokens=-1 is negative'):
        Asked(model='extractive', max_output_tokens=-1).request()
