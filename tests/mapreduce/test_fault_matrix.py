"""The tables of faults in the docs are what happens."""

import pytest

from tests.support import faults


@pytest.mark.slow
@pytest.mark.usefixtures('model_requests')
@pytest.mark.parametrize('name', faults.FAULTS)
def test_a_fault_does_what_the_docs_say(name: str) -> None:
    assert faults.row(name) in faults.DOCS.read_text(encoding='utf-8').splitlines()


def test_each_fault_of_the_store_and_of_processes_has_its_test() -> None:
    """Those tests run by themselves."""
    named = faults.tests()
    assert len(named) > 20
    sources = {file: (faults.DOCS.parents[1] / file).read_text(encoding='utf-8') for file, _ in named}
    assert [name for file, name in named if f'def {name}(' not in sources[file]] == []
