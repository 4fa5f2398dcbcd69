"""The folder of a batch, and which files are its documents."""

import errno
import json
import os
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from summarizer_tool.batch.batch import content
from summarizer_tool.batch.folder import BatchFolder, BatchRecord, files_of
from summarizer_tool.batch.job import Asked, Outcome
from summarizer_tool.errors import ConfigurationError, FetchError
from summarizer_tool.schemas import Stats, Summary

ASKED = Asked(model='extractive')
RECORD = BatchRecord(source='in', asked=ASKED, database='here', per_worker=2)


def names(source: Path, out: Path) -> dict[str, str]:
    return {name: path.read_text() for name, path in files_of(source, out)}


def test_a_folder_of_folders(tmp_path: Path) -> None:
    """In one order everywhere, without what is hidden and without the results."""
    out = tmp_path / 'sub' / 'out'
    for name in ('b.md', 'sub/a.md', 'a.md', '.git/config', 'sub/.hidden', 'sub/out/documents/a.md.md'):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    assert list(names(tmp_path, out).items()) == snapshot(
        [('a.md', 'a.md'), ('b.md', 'b.md'), ('sub/a.md', 'sub/a.md')]
    )


def test_a_linked_folder_is_told_and_not_gone_into(tmp_path: Path) -> None:
    """It may lead anywhere, also back."""
    source = tmp_path / 'in'
    source.mkdir()
    (tmp_path / 'out').mkdir()
    (source / 'more').symlink_to(tmp_path)
    (source / 'out').symlink_to(tmp_path / 'out')
    [(name, path)] = files_of(source, tmp_path / 'out')
    with pytest.raises(FetchError, match='is no file, but a folder or a link to one'):
        content(path, 1.0)
    assert name == 'more'
    with pytest.raises(ConfigurationError, match='is the folder of the results; name another one with --out'):
        next(files_of(source, source))


def test_a_manifest(tmp_path: Path) -> None:
    """Paths from its own folder on; whatever they are, results stay below the folder of results."""
    (tmp_path / 'lists').mkdir()
    for name in ('lists/one.md', 'two.md', 'three.md'):
        (tmp_path / name).write_text(name)
    manifest = tmp_path / 'lists' / 'all.txt'
    manifest.write_text(
        f'# of today\none.md\n\n  ../two.md  \n./one.md\n{tmp_path / "two.md"}\n{tmp_path / "three.md"}\n'
    )
    found = names(manifest, tmp_path)
    assert found == {
        'one.md': 'lists/one.md',
        'two.md': 'two.md',
        (tmp_path / 'three.md').as_posix().lstrip('/'): 'three.md',
    }


def test_no_two_documents_have_one_result(tmp_path: Path) -> None:
    """Nor is the result of one where the folder of another is, nor its name too long for a file."""
    (tmp_path / 'p' / 'in').mkdir(parents=True)
    (tmp_path / 'in').mkdir()
    for name in ('in/a.txt', 'p/in/a.txt'):
        (tmp_path / name).write_text(name)
    (tmp_path / 'p' / 'list').write_text('../in/a.txt\nin/a.txt\n')
    assert names(tmp_path / 'p' / 'list', tmp_path) == {'in/a.txt': 'in/a.txt', '2/in/a.txt': 'p/in/a.txt'}
    folder, out = tmp_path / 'folder', BatchFolder(tmp_path / 'out')
    longest = 'x' * 250
    for name in (b'x', b'x.md/b', b'x.md_/b', b'y.json.part/c', b'y', b'\xff', b'\xfe', longest.encode()):
        path = folder / os.fsdecode(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(repr(path))
    found = names(folder, out.path)
    for name, text in found.items():
        out.keep(
            name,
            Summary(text=text, state='complete', stats=Stats(tokens_in=9, tokens_out=9, budget=9, model='')),
        )
    assert len(found) == len({*found.values()}) == 8
    assert {name: out.text(name).rstrip('\n') for name in found} == found
    assert [name for name in found if len(name) < 99] == snapshot(
        ['x', 'y', '?', '2/?', 'x.md_/b', '2/x.md_/b', 'y.json.part/c']
    )


@pytest.mark.parametrize(
    ('content', 'problem'),
    [
        (None, 'No such file'),
        (b'\xff\xfe', 'no list of files'),
        (b'# None yet.\n', 'there are no files in'),
        (b'The mill stands.\nIt is old.\n', 'of the 2 lines of .* 0 name files; .* `summarizer run`'),
        (b'Here is the mill.\n.\nIt is old.\n', 'of the 3 lines of .* 0 name files'),
    ],
)
def test_what_is_no_list_of_documents(tmp_path: Path, content: bytes | None, problem: str) -> None:
    if content is not None:
        (tmp_path / 'list').write_bytes(content)
    with pytest.raises(ConfigurationError, match=problem):
        names(tmp_path / 'list', tmp_path)


def test_one_process_at_a_time_and_one_name_for_ever(tmp_path: Path) -> None:
    folder = BatchFolder(tmp_path / 'out')
    with folder.alone():
        first = folder.begin(RECORD)
        with pytest.raises(ConfigurationError, match='another process runs the batch'), folder.alone():
            pass
    again = folder.begin(
        BatchRecord(source='in', asked=Asked(model='other'), merge=True, database='here', per_worker=2)
    )
    assert (again.id, again.asked.model) == (first.id, 'other')
    assert folder.record() == again
    (folder.path / 'batch.json').write_text('{}')
    with pytest.raises(ConfigurationError, match='is not what this program has written'):
        folder.record()


def test_a_folder_that_cannot_be_locked_is_not_taken_for_a_busy_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def flock(_file: object, _how: int) -> None:
        raise OSError(errno.ENOLCK, 'No locks available')

    monkeypatch.setattr('fcntl.flock', flock)
    with (
        pytest.raises(ConfigurationError, match=r'out cannot be locked: No locks'),
        BatchFolder(tmp_path / 'out').alone(),
    ):
        pass


def test_the_report_has_first_what_was_set_aside(tmp_path: Path) -> None:
    folder = BatchFolder(tmp_path)
    folder.report({'b': Outcome(state='complete'), 'c': Outcome(state='set aside', error='why'), 'a': Outcome(state='empty')}.items())  # fmt: skip
    lines = [json.loads(line) for line in (tmp_path / 'report.jsonl').read_text().splitlines()]
    assert [(line['document'], line['state'], line['error']) for line in lines] == snapshot(
        [('c', 'set aside', 'why'), ('a', 'empty', ''), ('b', 'complete', '')]
    )
