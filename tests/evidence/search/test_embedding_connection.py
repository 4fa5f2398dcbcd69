"""Which embedding models can be used, over the wire too, and what is traced of them."""

import json
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import logfire
import pytest
from inline_snapshot import snapshot
from logfire.testing import CaptureLogfire
from pydantic_ai import Agent
from pydantic_ai.embeddings import Embedder
from pydantic_ai.embeddings.instrumented import InstrumentedEmbeddingModel

from summarizer_tool.errors import ConfigurationError, SummarizerError
from summarizer_tool.evidence.search.embedded_passages import EmbeddedPassages
from summarizer_tool.settings import Settings
from summarizer_tool.store.collection import Collection
from tests.support.meaning import HARBOUR, Meaning, embedded, nearest, texts

pytestmark = pytest.mark.anyio


def test_without_a_model_there_is_no_ranking_by_meaning() -> None:
    assert EmbeddedPassages.of(Settings.load()) is None
    assert EmbeddedPassages.of(Settings.load(embedding_model='  ')) is None


def test_a_mistake_shows_at_start_up(monkeypatch: pytest.MonkeyPatch) -> None:
    for package in ('sentence_transformers', 'cohere'):
        monkeypatch.setitem(sys.modules, package, None)

    def problem(name: str) -> str:
        with pytest.raises(ConfigurationError) as caught:
            EmbeddedPassages.of(Settings.load(embedding_model=name))
        return str(caught.value)

    assert [
        problem('openai:text-embedding-3-small'),
        problem('openai/text-embedding-3-small'),
        problem('text-embedding-3-small'),
        problem('opnai:text-embedding-3-small'),
        problem('sk-proj-123'),
        problem('ollama:nomic-embed-text'),
        problem('sentence-transformers:all-MiniLM-L6-v2'),
        problem('cohere:embed-v4.0'),
    ] == snapshot(
        [
            'SUMMARIZER_EMBEDDING_MODEL=openai:text-embedding-3-small: Set the OPENAI_API_KEY environment variable',
            'SUMMARIZER_EMBEDDING_MODEL=openai/text-embedding-3-small goes to OpenRouter: set OPENROUTER_API_KEY, or OPENROUTER_BASE_URL for an endpoint that needs no key, or leave it unset to rank by words alone',
            'SUMMARIZER_EMBEDDING_MODEL=text-embedding-3-small: no such model; give provider:model (openai:text-embedding-3-small) or an OpenRouter model (openai/text-embedding-3-small)',
            'SUMMARIZER_EMBEDDING_MODEL=opnai:text-embedding-3-small: no such model; give provider:model (openai:text-embedding-3-small) or an OpenRouter model (openai/text-embedding-3-small)',
            'SUMMARIZER_EMBEDDING_MODEL looks like an API key, not like a model: name the model there, and put the key into its own variable, e.g. OPENROUTER_API_KEY',
            'SUMMARIZER_EMBEDDING_MODEL=ollama:nomic-embed-text: Set the OLLAMA_BASE_URL environment variable',
            'SUMMARIZER_EMBEDDING_MODEL=sentence-transformers:all-MiniLM-L6-v2 needs a package that is not installed: pip install "pydantic-ai-slim[sentence-transformers]"',
            'SUMMARIZER_EMBEDDING_MODEL=cohere:embed-v4.0 needs a package that is not installed: pip install "pydantic-ai-slim[cohere]"',
        ]
    )
    monkeypatch.setitem(sys.modules, 'numpy', None)
    assert problem('openai:text-embedding-3-small') == snapshot(
        'numpy is not installed: pip install "summarizer-tool[embeddings]"'
    )


def test_models_that_can_be_built(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('OPENAI_API_KEY', 'sk-secret')
    monkeypatch.setenv('OLLAMA_BASE_URL', 'http://127.0.0.1:11434/v1')
    for settings in (
        Settings.load(embedding_model='openai:text-embedding-3-small'),
        Settings.load(embedding_model='ollama:nomic-embed-text'),
        Settings.load(embedding_model='openai/text-embedding-3-small', openrouter_api_key='k'),
        Settings.load(embedding_model='openrouter:openai/text-embedding-3-small', openrouter_api_key='k'),
        Settings.load(embedding_model='nomic/local', openrouter_base_url='http://127.0.0.1:8000/v1'),
    ):
        passages = EmbeddedPassages.of(settings)
        assert passages is not None
        assert passages.model_name == settings.embedding_model


class Endpoint:
    """An OpenAI-compatible server of embeddings, which fails as often as it is told."""

    def __init__(self) -> None:
        self.failing: list[int] = []
        self.requests: list[tuple[str, str | None, dict[str, object]]] = []
        self.base_url = ''

    def answer(self, path: str, key: str | None, body: dict[str, object]) -> tuple[int, dict[str, object]]:
        self.requests.append((path, key, body))
        if self.failing:
            return self.failing.pop(0), {'error': {'message': 'no'}}
        inputs = body['input']
        assert isinstance(inputs, list)
        data = [
            {'object': 'embedding', 'index': index, 'embedding': Meaning().vector(str(text))}
            for index, text in enumerate(inputs)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
        ]
        return 200, {'object': 'list', 'model': 'local', 'data': data}  # without usage, as local servers do


@contextmanager
def serve() -> Generator[Endpoint]:
    endpoint = Endpoint()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers['Content-Length'])))
            status, answer = endpoint.answer(self.path, self.headers['Authorization'], body)
            raw = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header('Content-Type', 'application/json')
            self.send_header('Content-Length', str(len(raw)))
            self.send_header('Retry-After', '0')
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(('127.0.0.1', 0), Handler) as server:
        endpoint.base_url = f'http://127.0.0.1:{server.server_port}/v1'
        thread = threading.Thread(target=server.serve_forever, kwargs={'poll_interval': 0.01})
        thread.start()
        try:
            yield endpoint
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.usefixtures('model_requests')
@pytest.mark.parametrize('form', ['openai:local', 'nomic/local'])
async def test_a_local_server_over_the_wire(collection: Collection, monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    collection.add(HARBOUR)
    with serve() as endpoint:
        if form == 'openai:local':
            monkeypatch.setenv('OPENAI_BASE_URL', endpoint.base_url)
            monkeypatch.setenv('OPENAI_API_KEY', 'secret')
            settings = Settings.load(embedding_model=form, llm_max_retries=2)
        else:
            settings = Settings.load(embedding_model=form, openrouter_base_url=endpoint.base_url, llm_max_retries=2)
        passages = EmbeddedPassages.of(settings)
        assert passages is not None
        endpoint.failing = [503, 429]
        found = await nearest(passages, collection, ['Which vessel sank?'], (), 1)
        assert 'foundered' in texts(collection, found)[0][0]
        assert [(path, key) for path, key, _ in endpoint.requests] == [
            ('/v1/embeddings', 'Bearer secret' if form == 'openai:local' else 'Bearer not-needed')
        ] * 4
        assert {body['model'] for _, _, body in endpoint.requests} == {form.removeprefix('openai:')}

        # Attempts do not multiply: neither the SDK's nor ours are repeated by the other.
        endpoint.failing = [503] * 9
        with pytest.raises(SummarizerError, match='as embedder: HTTP 503'):
            await nearest(passages, collection, ['another'], (), 1)
        assert len(endpoint.requests) == 4 + 3

        endpoint.failing = [401]
        with pytest.raises(SummarizerError, match='as embedder: HTTP 401'):
            await nearest(passages, collection, ['another'], (), 1)
        assert len(endpoint.requests) == 4 + 3 + 1


async def test_no_content_is_in_any_span_whatever_the_application_instruments(
    collection: Collection, capfire: CaptureLogfire
) -> None:
    collection.add(HARBOUR)
    logfire.instrument_pydantic_ai()
    Embedder.instrument_all()
    try:
        await nearest(embedded(InstrumentedEmbeddingModel(Meaning())), collection, ['vessel'], (), 9)
    finally:
        Embedder.instrument_all(False)
        Agent.instrument_all(False)
    spans = capfire.exporter.exported_spans_as_dict()
    [own] = [span for span in spans if span['name'] == 'rank by meaning']
    assert {name: value for name, value in own['attributes'].items() if '.' not in name} == snapshot(
        {'queries': 1, 'model': 'meaning'}
    )
    assert 'embeddings meaning' in {span['name'] for span in spans}
    for content in ('vessel', 'ferry', 'Harbour'):
        assert content not in json.dumps(spans, default=str)
