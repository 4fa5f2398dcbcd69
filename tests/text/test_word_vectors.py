"""The vectors of `wordllama`: which texts are near a question without its words, and nothing fetched for it."""

import logging
import socket
from collections.abc import Callable
from functools import cache
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path

import pytest

from summarizer_tool import Document, Settings, SourceStore, Summarizer
from summarizer_tool.evidence.answer.links import promising, references
from summarizer_tool.evidence.question import topic_of
from summarizer_tool.html.page import Link
from summarizer_tool.prompts import Focus
from summarizer_tool.service.retrieval import Retriever
from summarizer_tool.service.service import Service
from summarizer_tool.text import names, word_vectors
from summarizer_tool.text.relevance import relevances, relevant

pytestmark = pytest.mark.anyio

READ = cache(word_vectors.installed.__wrapped__)
"""What the other tests do without, whatever is installed."""

TEXTS = [
    'The harbour office opens at eight and closes at noon, and its clerk keeps the keys of both gates.',
    'Her doctor gave the patient a medicine against the fever, and the hospital kept her for two nights.',
    'The carpenter planed the boards, cut the joints and fitted a new door into the old frame of oak.',
    'On the last day of the fair the choir sang in the square, and the bells rang until the evening.',
]
ILLNESS = 'sick people and their cure'


@pytest.fixture
def vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the vectors, while nothing can be fetched."""
    if find_spec('wordllama') is None:
        pytest.skip('wordllama is not installed')

    def refuse(*_: object) -> None:
        raise AssertionError('something asked for the network')

    for name in ('connect', 'connect_ex'):
        monkeypatch.setattr(socket.socket, name, refuse)
    monkeypatch.setattr(socket, 'getaddrinfo', refuse)
    monkeypatch.setattr(word_vectors, 'installed', READ)


def best(scores: list[float]) -> int:
    return max(range(len(scores)), key=scores.__getitem__)


@pytest.mark.usefixtures('vectors')
def test_a_text_is_near_a_question_with_none_of_its_words() -> None:
    assert best(word_vectors.nearness([names.words(text) for text in TEXTS], ILLNESS)) == 1


@pytest.mark.usefixtures('vectors')
def test_a_link_is_followed_for_what_its_words_mean() -> None:
    texts = ('The heap of stones on the hill', 'A ledger of the shop', 'Songs of the ferrymen')
    links = [Link(f'https://arrask.example/{number}', text) for number, text in enumerate(texts)]
    topic = topic_of(['Which melody was sung on the boat?'])
    known = references(links, page_url='https://arrask.example/', depth=0, topic=topic)
    assert promising(known, topic)[0].url == 'https://arrask.example/2'


@pytest.mark.usefixtures('vectors')
def test_a_focus_finds_it_and_without_vectors_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    # Far apart, so that none is near because another one is.
    apart = range(len(TEXTS))
    assert best(relevances(TEXTS, Focus(focus_areas=ILLNESS), apart)) == 1
    monkeypatch.setattr(word_vectors, 'installed', lambda: None)
    assert not any(relevances(TEXTS, Focus(focus_areas=ILLNESS), apart))


@pytest.mark.usefixtures('vectors')
def test_what_answers_in_other_words_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ['The lift stands still.', 'Each flat may have one small dog.', 'The bins are green.']
    asked = Focus(focus_areas='Is a puppy allowed?')
    first, second, third = relevant([1.0, 1.0, 1.0], texts, asked)
    assert second == 1.0 > 2 * max(first, third)
    # What people say is judged by where they say it.
    assert best(relevant([1.0, 0.2, 0.2], [f'Ada: {text}' for text in texts], asked)) == 0
    monkeypatch.setattr(word_vectors, 'installed', lambda: None)
    assert relevant([1.0, 1.0, 1.0], texts, asked) == [1.0, 1.0, 1.0]


@pytest.mark.usefixtures('vectors')
def test_what_has_no_words_is_near_nothing() -> None:
    texts = [[], ['x' * 100_000], names.words(TEXTS[1])]
    assert word_vectors.nearness(texts, 'medicine')[:2] == [0.0, 0.0]
    assert word_vectors.nearness(texts, 'y' * 100_000) == [0.0, 0.0, 0.0]
    assert word_vectors.nearness([], 'medicine') == word_vectors.nearness([], '') == []


@pytest.mark.usefixtures('vectors')
async def test_a_search_of_named_sources_shows_the_nearest_passages_where_no_word_is_found() -> None:
    text = '\n\n'.join(f'## Part {number}\n\n{" ".join([each] * 8)}' for number, each in enumerate(TEXTS))
    service = Service(Summarizer(Settings(llm_model='extractive')), SourceStore().collection())
    source = service.collection.add(Document(text, title='Town'))
    found = await Retriever(service).search('ailments curable', source_ids=[source.id], top_k=1, max_tokens=500)
    assert 'are shown where they are nearest to it by the meaning of their words' in found.text
    assert 'Her doctor gave the patient a medicine' in found.text
    assert 'The harbour office' not in found.text
    assert found.figures['ranking'] == 'nearest'


def found_in(folder: Path) -> Callable[[str], ModuleSpec]:
    spec = ModuleSpec('wordllama', None, is_package=True)
    spec.submodule_search_locations = [str(folder)]
    return lambda _: spec


def test_a_package_without_the_files_is_told_of_and_words_alone_serve(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(word_vectors, 'find_spec', found_in(tmp_path))
    with caplog.at_level(logging.WARNING, 'summarizer_tool'):
        assert READ.__wrapped__() is None
    assert [record.message for record in caplog.records] == ['the vectors of wordllama cannot be read']
    monkeypatch.setattr(word_vectors, 'find_spec', lambda _: None)
    assert READ.__wrapped__() is None
