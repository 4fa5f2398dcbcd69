"""The tables of faults in the docs are what happens."""

import pytest

from tests.support import faults, process_faults


@pytest.mark.slow
@pytest.mark.usefixtures('model_requests')
@pytest.mark.parametrize('name', faults.FAULTS)
def test_a_fault_does_what_the_docs_say(name: str) -> None:
    assert faults.row(name) in faults.DOCS.read_text(encoding='utf-8').splitlines()


def test_each_fault_of_the_store_and_of_processes_has_its_test_and_its_line() -> None:
    """Those tests run by themselves."""
    assert [name for name, fault in process_faults.FAULTS.items() if not fault.exists] == []
    shown = faults.DOCS.read_text(encoding='utf-8').splitlines()
    assert [line for line in process_faults.rows() if line not in shown] == []
