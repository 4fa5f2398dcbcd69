"""The table of faults in the docs is what happens."""

import pytest

from tests.support import faults

pytestmark = [pytest.mark.usefixtures('model_requests'), pytest.mark.slow]


@pytest.mark.parametrize('name', faults.FAULTS)
def test_a_fault_does_what_the_docs_say(name: str) -> None:
    assert faults.row(name) in faults.DOCS.read_text(encoding='utf-8').splitlines()
