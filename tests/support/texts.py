"""Texts for the tests, made up and always the same."""

from tests.proofs.bench.texts import chronicle

__all__ = ('CHRONICLE', 'HARBOUR', 'chronicle')

HARBOUR = """\
# Harbour of Marn

Home | Wiki | Log in

Ada Brook founded the Tide Guild in 1840. She led it for twelve years.

The guild owns 14 ships. Its rival is the Salt League under Morn Keld.

## The fire

On 3 May 1852 a fire burned the Lower Quay. Morn Keld was accused of it by Ilse Quarry.
"""

CHRONICLE = chronicle(7)
"""About 2,100 tokens of sections with names, places, numbers and dates."""
