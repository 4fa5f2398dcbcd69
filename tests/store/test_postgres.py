"""What a store in Postgres does beyond what the tests of all stores show; `make test-postgres` runs them."""

from datetime import timedelta
from types import SimpleNamespace

import pytest
from inline_snapshot import snapshot

from summarizer_tool.batch.database import BatchDatabase
from summarizer_tool.documents.document import Document
from summarizer_tool.errors import ConfigurationError, StoreError
from summarizer_tool.settings import Settings
from summarizer_tool.store import database
from summarizer_tool.store.source_store import SourceStore
from tests.support.passages import passages_of
from tests.support.stores import HARBOUR, POSTGRES, TODAY, ids, place_of, taken


def test_a_server_that_is_not_there() -> None:
    with pytest.raises(ConfigurationError) as error:
        SourceStore('postgresql://ada:secret@127.0.0.1:1/none')
    assert str(error.value) == snapshot(
        'the database postgresql://ada:***@127.0.0.1:1/none cannot be used: connection failed: connection to server at "127.0.0.1", port 1 failed: Connection refused; check SUMMARIZER_DATABASE_URL, and that the server runs and has this database'
    )


@pytest.mark.parametrize('kind', [SourceStore, BatchDatabase])
def test_a_password_among_the_parameters_is_told_nobody(kind: type[SourceStore | BatchDatabase]) -> None:
    with pytest.raises(ConfigurationError) as error:
        kind('postgresql://127.0.0.1:1/none?user=ada&password=hunter2&sslpassword=hunter2')
    assert str(error.value).partition(' cannot')[0] == 'the database postgresql://127.0.0.1:1/none?user=ada'


def test_the_settings_name_a_file_before_a_server() -> None:
    url = 'postgresql://ada:secret@127.0.0.1:1/none'
    kept = [Settings.load(database_url=url, store=store).kept_in for store in (None, 'a.db', ':memory:')]
    assert kept == [url, 'a.db', ':memory:']
    assert Settings.load(database_url='sqlite:////tmp/batch.db').kept_in is None


@pytest.fixture
def url() -> str:
    if not POSTGRES:
        pytest.skip('make test-postgres starts a server')
    return place_of('postgres')


def test_two_stores_of_one_server(url: str) -> None:
    """As two machines have them: what one has added, renamed or evicted, the other sees at once."""
    cap = (taken(HARBOUR, Document('b')) + 5) / 1e6
    with SourceStore(url, max_mb=cap) as here, SourceStore(url, max_mb=cap) as there:
        assert here.path == url
        source = here.collection().add(HARBOUR)
        assert there.collection().document(source.id) == HARBOUR
        there.collection().add(Document('b'))
        assert ids(here.collection()) == [Document('b').id, source.id]
        there.collection().add(Document(HARBOUR.text, title='Renamed'))
        assert here.collection().source(source.id).title == 'Renamed'
        here.collection().keep_answer('key', 1, 'x' * 100)
        assert there.size() <= cap * 1e6
        assert not there.collection().has(Document('b').id)
        assert there.collection().answer('key', least=1, most=1) == 'x' * 100


def test_the_clocks_of_machines_differ(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is stored last is the last version, whatever the time is where it is stored."""
    page = 'https://wiki.example/page'
    with SourceStore(url) as ahead, SourceStore(url) as behind:
        at = round((TODAY + timedelta(days=1)).timestamp()) * 10**9
        with monkeypatch.context() as patched:
            patched.setattr(database, 'time', SimpleNamespace(time_ns=lambda: at))
            first = ahead.collection().add(Document('first', url=page))
        second = behind.collection().add(Document('second', url=page))
        assert [each.id for each in ahead.collection().versions(page)] == [second.id, first.id]


def test_connections_that_the_server_has_closed(url: str) -> None:
    with SourceStore(url) as store:
        store.collection().add(HARBOUR)
        with pytest.raises(StoreError, match=r'terminating'), store.collection().database.read() as db:
            db.execute('SELECT pg_terminate_backend(pg_backend_pid())')
        assert store.collection().document(HARBOUR.id) == HARBOUR


def test_what_postgres_takes_in_no_text(url: str) -> None:
    with SourceStore(url) as store:
        source = store.collection().add(Document('a\0b salt', title='a\0b', url='a\0b'))
        assert (source.title, source.url) == ('a\ufffdb', 'a\ufffdb')
        assert store.collection().at('a\0b') == source
        assert store.collection().document(source.id).text == 'a\0b salt'
        assert [each.text for each in passages_of(store.collection(), source.id)] == ['a\ufffdb salt']


def test_a_long_url(url: str) -> None:
    page = 'https://wiki.example/' + 'a/' * 5000
    with SourceStore(url) as store:
        source = store.collection().add(Document('a', url=page))
        assert store.collection().at(page) == source
        assert store.collection().at(f'{page}b') is None
