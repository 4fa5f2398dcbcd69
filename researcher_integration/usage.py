"""What model calls have cost, as it goes into checkpoints and packages."""

import re
from decimal import Decimal
from math import ceil
from typing import Self

from pydantic import BaseModel
from pydantic_ai.exceptions import UsageLimitExceeded
from pydantic_ai.usage import RunUsage, UsageLimits


class Spent(BaseModel):
    """What models have cost."""

    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: Decimal | None = None
    """USD, as far as prices are known."""

    @classmethod
    def of(cls, usage: RunUsage) -> Self:
        """The figures that are reported, of a usage that counts more."""
        return cls(
            requests=usage.requests,
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            cost=usage.cost,
        )

    def usage(self) -> RunUsage:
        """As pydantic-ai counts it."""
        return RunUsage(
            requests=self.requests, input_tokens=self.input_tokens, output_tokens=self.output_tokens, cost=self.cost
        )

    def __sub__(self, other: 'Spent') -> 'Spent':
        return Spent(
            requests=self.requests - other.requests,
            input_tokens=self.input_tokens - other.input_tokens,
            output_tokens=self.output_tokens - other.output_tokens,
            cost=None if self.cost is None else self.cost - (other.cost or Decimal(0)),
        )

    def __add__(self, other: 'Spent') -> 'Spent':
        return Spent.of(self.usage() + other.usage())


def share_of(limits: UsageLimits, share: float, used: RunUsage | None = None, *, least: int = 1) -> UsageLimits:
    """A share, from 0 to 1, of what `used` leaves of limits, held against it, too; at least `least` of each kind."""
    used = RunUsage() if used is None else used

    def part(limit: int | None, so_far: int) -> int | None:
        return None if limit is None else so_far + max(least, ceil((limit - so_far) * share))

    cost = used.cost or Decimal(0)
    return UsageLimits(
        request_limit=part(limits.request_limit, used.requests),
        input_tokens_limit=part(limits.input_tokens_limit, used.input_tokens),
        output_tokens_limit=part(limits.output_tokens_limit, used.output_tokens),
        total_tokens_limit=part(limits.total_tokens_limit, used.total_tokens),
        cost_limit=None if limits.cost_limit is None else cost + (limits.cost_limit - cost) * Decimal(str(share)),
    )


def limit_reached(error: UsageLimitExceeded) -> str:
    """Which limit it was, for the reader of a package: without the advice that pydantic-ai has for developers."""
    return re.split(r' \(|\. ', str(error), maxsplit=1)[0]
