"""What a research writes down of itself: in one piece, small, without the texts of pages; and what it refuses to go on with."""

import json
import os
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inline_snapshot import snapshot
from pydantic_ai.usage import RunUsage

from researcher_integration.lore.checkpoint import FILE, Checkpoint, ResearchRequest, Step, write
from researcher_integration.lore.extraction.records import NPCData
from researcher_integration.lore.extraction.typed_extraction import Extraction
from researcher_integration.lore.material import TOPIC_IDS, CrawledPage, ResearchError
from researcher_integration.lore.pipeline import STORE_FILE, Research
from summarizer_tool import ConfigurationError, StoreError
from tests.proofs.research.simulated import Researcher
from tests.proofs.research.zone import World, role
from tests.support.replies import MODEL, Error, Reply, Text
from tests.support.replies import Request as Asked

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures('model_requests')]

ZONE = ResearchRequest(zone='Harrow Sound', places=('https://me:tern-rock-4471@wiki.example/harrow',))


def unfinished(folder: Path, request: ResearchRequest = ZONE, **content: Any) -> Checkpoint:
    checkpoint = Checkpoint(request=request, **content)
    checkpoint.save(folder)
    return checkpoint


def contents(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def message(error: pytest.ExceptionInfo[ResearchError], folder: Path) -> str:
    return str(error.value).replace(str(folder), 'FOLDER')


# What is written


def test_a_round_trip(tmp_path: Path) -> None:
    page = CrawledPage(
        number=1, source_id='src_0123456789ab', url='https://wiki.example/harrow', title='Harrow Sound', tokens=924,
        tier='primary', weight=0.8,
    )  # fmt: skip
    checkpoint = unfinished(
        tmp_path,
        pages={'wiki.example/harrow': page},
        assigned={page.source_id: 'zone_overview'},
        steps={
            'zone_overview': Step(
                state='unchanged',
                pages=(page.source_id,),
                notes='A strait — with “eleven” islands.\u2028',
                budget=400,
                tokens_crawled=924,
                tokens_kept=933,
                agent=RunUsage(requests=2, input_tokens=10, output_tokens=5, cost=Decimal('0.0000123')),
            )
        },
        extractions={'npcs': Extraction(category='npcs', records=[NPCData(name='Isaude Merrow', title='Warden')])},
    )
    read = Checkpoint.load(tmp_path)
    assert read == checkpoint
    assert read is not None
    assert isinstance(read.extractions['npcs'].records[0], NPCData)
    assert read.steps['zone_overview'].ratio == 0.99
    assert contents(tmp_path) == [FILE]


def test_there_is_none(tmp_path: Path) -> None:
    assert Checkpoint.load(tmp_path) is None
    assert Checkpoint.load(tmp_path / 'nowhere') is None


@pytest.mark.parametrize('call', ['fsync', 'replace'])
def test_a_write_that_fails_leaves_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    old = unfinished(tmp_path)
    new = old.model_copy(update={'seconds': 7.0})

    def full(*_: object) -> None:
        raise OSError(28, 'No space left on device')

    with monkeypatch.context() as patched:
        patched.setattr(*((os, 'fsync', full) if call == 'fsync' else (Path, 'replace', full)))
        with pytest.raises(ResearchError) as error:
            new.save(tmp_path)
    assert message(error, tmp_path) == 'FOLDER/checkpoint.json cannot be written: No space left on device'
    assert Checkpoint.load(tmp_path) == old
    new.save(tmp_path)  # what was left over is in nobody's way
    assert Checkpoint.load(tmp_path) == new


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / 'taken').write_text('', encoding='utf-8')
    with pytest.raises(ResearchError) as error:
        unfinished(tmp_path / 'taken')
    assert message(error, tmp_path) == snapshot('FOLDER/taken/checkpoint.json cannot be written: File exists')


@given(before=st.text(), after=st.text())
@settings(max_examples=10)
def test_whoever_reads_finds_the_whole(tmp_path_factory: pytest.TempPathFactory, before: str, after: str) -> None:
    path = tmp_path_factory.mktemp('write') / 'below' / 'file.txt'
    for text in (before, after):
        write(path, text.encode(errors='replace').decode())
        with path.open(encoding='utf-8', newline='') as file:
            assert file.read() == text.encode(errors='replace').decode()


# What cannot be read


@pytest.mark.parametrize(
    ('content', 'wrong'),
    [
        (b'', 'its JSON'),
        (b'{"version": 1, "request": {"zone": "Harrow', 'its JSON'),
        (b'\xff\xfe\x00', 'its JSON'),
        (b'[]', 'its JSON'),
        (b'{"version": 1, "request": {"zone": "Harrow Sound"}}', 'version'),
        (b'{"version": 5}', 'request'),
        (b'{"request": {"zone": "Harrow Sound"}, "steps": {"weather": {}}}', 'steps.weather.[key]'),
    ],
    ids=['empty', 'cut off', 'no text', 'a list', 'version', 'no request', 'a topic'],
)
def test_it_cannot_be_read(tmp_path: Path, content: bytes, wrong: str) -> None:
    (tmp_path / FILE).write_bytes(content)
    with pytest.raises(ResearchError) as error:
        Checkpoint.load(tmp_path)
    assert message(error, tmp_path) == (
        f'FOLDER/checkpoint.json is no checkpoint of this version (wrong: {wrong}); '
        'name another --out, or begin anew with --fresh'
    )
    assert error.value.__cause__ is None


def test_a_folder_has_its_name(tmp_path: Path) -> None:
    (tmp_path / FILE).mkdir()
    with pytest.raises(ResearchError) as error:
        Checkpoint.load(tmp_path)
    assert message(error, tmp_path) == 'FOLDER/checkpoint.json cannot be read: Is a directory'


# What a research goes on with


async def run(zone: World, folder: Path, request: ResearchRequest, **how: bool) -> str:
    """What is said about a request for the folder."""
    research = zone.research(folder)
    research.request = request
    with pytest.raises((ResearchError, ConfigurationError)) as error:
        await research.run(**how)
    assert zone.site.requests.total() == 0
    return message(error, folder)


@pytest.mark.parametrize(
    ('has_begun', 'difference', 'how', 'said'),
    [
        (True, {'zone': 'Elsewhere', 'places': ('x',)}, {}, snapshot('FOLDER holds an unfinished research of "Harrow Sound"; go on with --resume, begin anew with --fresh, or name another --out')),
        (False, {}, {'resume': True}, snapshot('FOLDER has no checkpoint to resume; leave --resume out to begin one')),
        (False, {}, {}, snapshot('there is nothing to read: name pages with --pages, or let the agent search (--search)')),
        (True, {'zone': 'Vesper Downs'}, {'resume': True}, snapshot('FOLDER holds a research of "Harrow Sound", not of "Vesper Downs"; name another --out')),
        (True, {'places': ('https://wiki.example/vesper',)}, {'resume': True}, snapshot('FOLDER was begun with another value of --pages; leave the option out to go on, or name another --out')),
        (True, {'way': 'at-source'}, {'resume': True}, snapshot('FOLDER was begun with another value of --way; leave the option out to go on, or name another --out')),
        (True, {'window_tokens': 9000}, {'resume': True}, snapshot('FOLDER was begun with another value of --window; leave the option out to go on, or name another --out')),
        (True, {'search': True}, {'resume': True}, snapshot('FOLDER was begun with another value of --search; leave the option out to go on, or name another --out')),
    ],
)  # fmt: skip
async def test_what_does_not_go_with_the_folder_is_refused(
    zone: World, tmp_path: Path, has_begun: bool, difference: dict[str, Any], how: dict[str, bool], said: str
) -> None:
    begun = unfinished(tmp_path) if has_begun else None
    assert await run(zone, tmp_path, ResearchRequest(**{'zone': 'Harrow Sound', **difference}), **how) == said
    assert Checkpoint.load(tmp_path) == begun


async def test_what_is_not_asked_for_again_is_as_it_was(zone: World, tmp_path: Path) -> None:
    begun = zone.research(tmp_path, way='at-source', names=['items'], research_model=None)
    unfinished(tmp_path, begun.request)
    again = Research(ResearchRequest(zone='Harrow Sound'), begun.configuration, begun.settings, tmp_path)
    package = await again.run(resume=True)
    assert package.statistics.request == begun.request
    assert zone.site.requests == {'/items.md': 1}


@pytest.mark.parametrize('content', [None, b'', b'{"version": 2}'], ids=['unfinished', 'empty', 'other version'])
async def test_fresh(zone: World, tmp_path: Path, content: bytes | None) -> None:
    unfinished(tmp_path)
    if content is not None:
        (tmp_path / FILE).write_bytes(content)
    package = await zone.research(tmp_path, names=['items'], research_model=None).run(fresh=True)
    assert [page.number for page in package.extracted.sources] == [1]
    assert contents(tmp_path / 'previous') == [FILE]


async def test_a_finished_one_gives_way_and_files_of_others_do_not(zone: World, tmp_path: Path) -> None:
    """What is of no research, or of one that had no checkpoint, is touched by none, nor by one that cannot begin."""
    own = [tmp_path / name for name in ('briefs/20-interview.md', 'briefs/01-factions.md', 'extraction.json')]
    own[0].parent.mkdir()
    for path in own:
        path.write_text('mine')
    with pytest.raises(ResearchError, match='no page could be crawled'):
        await zone.research(tmp_path, names=['nowhere'], research_model=None).run(fresh=True)
    assert {path.read_text() for path in own} == {'mine'}
    for path in own[1:]:
        path.unlink()
    first = await zone.research(tmp_path, names=['items'], research_model=None).run()
    briefs = {*first.briefs, '20-interview.md'}
    with pytest.raises(StoreError):
        await zone.research(tmp_path, names=['items'], research_model=None, store=str(own[0])).run(fresh=True)
    assert {*contents(tmp_path / 'briefs')} == briefs
    second = await zone.research(tmp_path, names=['siege-of-tern-rock'], research_model=None).run()
    assert [page.title for page in second.extracted.sources] == ['The Siege of Tern Rock']
    assert {*contents(tmp_path / 'briefs')} == briefs
    assert sorted(contents(tmp_path / 'previous')) == ['briefs', FILE, 'extraction.json', 'statistics.json']
    assert sorted(contents(tmp_path / 'previous' / 'briefs')) == sorted(first.briefs)


async def test_the_store_is_lost(zone: World, tmp_path: Path) -> None:
    names = ['harrow-sound', 'items']
    await zone.research(tmp_path, names=names).run()
    for name in [name for name in contents(tmp_path) if name.startswith(STORE_FILE)]:
        (tmp_path / name).unlink()
    asked = len(zone.provider.requests)
    with pytest.raises(ResearchError, match=r'lost the texts of 2 of 2 pages .* begin anew with --fresh'):
        await zone.research(tmp_path, names=names).run(resume=True)
    assert len(zone.provider.requests) == asked
    assert zone.site.requests == {f'/{name}.md': 1 for name in names}


# What it holds


async def test_pages_are_kept_by_reference(zone: World, tmp_path: Path) -> None:
    """Those that fit as they are; the files of the package have what the extraction has read."""
    planted = 'The lighthouse keeper Anselm Grout keeps a tame otter.'
    filler = '\n\n'.join(
        f'Crate {number} of the customs house holds {number + 7} bolts of sailcloth.' for number in range(300)
    )
    zone.site.pages['items'] = f'# Customs\n\n{filler}\n\n{planted}\n'
    zone.answer_with(lambda _: Error(401))
    sizes: list[int] = []

    def look(checkpoint: Checkpoint) -> None:
        sizes.append((tmp_path / FILE).stat().st_size)
        assert 'tame otter' not in (tmp_path / FILE).read_text(encoding='utf-8')

    names = ['items', 'history']
    given = {'llm_model': MODEL, 'on_checkpoint': look, 'window': 25_000}
    package = await zone.research(tmp_path, names=names, **given).run()
    steps = package.statistics.steps.values()
    assert {step.state for step in steps} == {'unchanged', 'empty'}
    assert sum(step.tokens_crawled for step in steps) > 3_000
    texts = sum(len(zone.site.pages[name]) for name in names)
    # Pages, plan; of each topic what was gathered and extracted; the summary, cross-reference, package.
    assert len(sizes) == len(names) + 1 + len(TOPIC_IDS) * 2 + 3
    assert max(sizes) < min(20_000, texts / 2)
    content = json.loads((tmp_path / FILE).read_bytes())
    assert {step['summary'] for step in content['steps'].values()} == {''}


async def test_half_a_character(zone: World, tmp_path: Path) -> None:
    """A model that is cut off may end in half a character, which no file can hold."""

    def answer(request: Asked) -> Reply:
        is_report = role(request) == 'agent' and 'Answer with the report alone' in request.user_texts[-1]
        return Text('A heron was seen \ud83d') if is_report else Researcher()(request)

    zone.answer_with(answer)
    package = await zone.research(tmp_path, names=['items']).run()
    assert 'A heron was seen ?' in package.sections['narrative_items']
    read = Checkpoint.load(tmp_path)
    assert read is not None
    assert read.steps['narrative_items'].notes == 'A heron was seen ?'
