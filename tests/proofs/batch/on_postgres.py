"""`make test-postgres`: the tests of batches on a server of their own; the exit code is that of pytest."""

import os
import sys

import pytest

from tests.support.postgres import postgres


def main() -> None:
    """Run them."""
    with postgres() as url:
        os.environ['TEST_POSTGRES_URL'] = url
        code = pytest.main(['-n', '0', 'tests/batch', *sys.argv[1:]])
    sys.exit(code)


if __name__ == '__main__':
    main()
