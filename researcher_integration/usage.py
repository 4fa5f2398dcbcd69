"""What model calls have cost, as it goes into checkpoints and packages."""

import re
from decimal import Decimal
from math import ceil
from typing import Annotated, Any

from pydantic import AfterValidator, PlainSerializer
from pydantic_ai.exceptions import UsageLimitExceeded
from pydantic_ai.usage import RunUsage, UsageLimits


def _figures(usage: RunUsage) -> dict[str, Any]:
    figures = ('requests', 'input_tokens', 'output_tokens', 'cost')
    return {name: getattr(usage, name) for name in figures}


Spent = Annotated[RunUsage, AfterValidator(lambda usage: RunUsage(**_figures(usage))), PlainSerializer(_figures)]
"""What models have cost: of what pydantic-ai counts, the figures that are reported; the cost in USD, where known."""


def share_of(
    limits: UsageLimits,
    share: float,
    used: RunUsage | None = None,
    *,
    others: RunUsage | None = None,
    least: int = 1,
) -> UsageLimits:
    """A share, from 0 to 1, of what `used` and `others` leave of limits, held against `used`; `least` of each kind."""
    used, others = used or RunUsage(), others or RunUsage()

    def part(limit: int | None, so_far: int, of_others: int) -> int | None:
        return None if limit is None else so_far + max(least, ceil((limit - so_far - of_others) * share))

    cost, of_others = used.cost or Decimal(0), others.cost or Decimal(0)
    return UsageLimits(
        request_limit=part(limits.request_limit, used.requests, others.requests),
        input_tokens_limit=part(limits.input_tokens_limit, used.input_tokens, others.input_tokens),
        output_tokens_limit=part(limits.output_tokens_limit, used.output_tokens, others.output_tokens),
        total_tokens_limit=part(limits.total_tokens_limit, used.total_tokens, others.total_tokens),
        cost_limit=None
        if limits.cost_limit is None
        else cost + (limits.cost_limit - cost - of_others) * Decimal(str(share)),
    )


def limit_reached(error: UsageLimitExceeded) -> str:
    """Which limit it was, for the reader of a package: without the advice that pydantic-ai has for developers."""
    return re.split(r' \(|\. ', str(error), maxsplit=1)[0]
