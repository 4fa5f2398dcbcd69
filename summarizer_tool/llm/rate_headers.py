"""What the headers of an answer say about when the next request may come. Pure."""

import time
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import regex

LONGEST_PAUSE = 60.0
"""Seconds; the deadline of a request may be sooner. Who is told to wait longer gives up at once, and says so."""

_PARTS = regex.compile(r'(\d+(?:\.\d+)?)(ms|s|m|h)')
_UNITS = {'ms': 0.001, 's': 1.0, 'm': 60.0, 'h': 3600.0}

_EPOCH_SECONDS = 1e9
_EPOCH_MILLISECONDS = 1e12


def pause_of(headers: Mapping[str, str], tokens: int, *, is_refusal: bool) -> float:
    """Seconds for which no request of this size should follow; 0 if none are asked for.

    Args:
        headers: Names in lower case: `retry-after`, and `x-ratelimit-remaining-requests`, `…-tokens` or without either,
            with their `limit` and `reset` (`1s`, `6m0s`, seconds, or a time since 1970).
        tokens: About how many a request has.
        is_refusal: Whether `retry-after` is to be heeded.
    """
    pauses = [asked] if is_refusal and (asked := retry_after(headers)) <= LONGEST_PAUSE else []
    for kind, need in (('', 1), ('-requests', 1), ('-tokens', tokens)):
        left = _number(headers.get(f'x-ratelimit-remaining{kind}'))
        reset = _seconds(headers.get(f'x-ratelimit-reset{kind}', ''))
        if left is None or left >= need:
            continue
        # What is used up comes back evenly until the reset.
        whole = _number(headers.get(f'x-ratelimit-limit{kind}'))
        pauses.append(reset if not whole or whole <= left else reset * min(1.0, (need - left) / (whole - left)))
    return min(LONGEST_PAUSE, max(pauses, default=0.0))


def retry_after(headers: Mapping[str, str]) -> float:
    """Seconds for which a refusal asks to wait; 0 if it names none."""
    return _seconds(headers.get('retry-after', ''))


def _number(text: str | None) -> float | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        return None


def _seconds(text: str) -> float:
    """`1s`, `6m0s`, `120ms`, `12`, a time since 1970 or a date; 0 for anything else."""
    number = _number(text)
    if number is not None:
        if number >= _EPOCH_MILLISECONDS:
            number = number / 1000 - time.time()
        elif number >= _EPOCH_SECONDS:
            number -= time.time()
        return max(0.0, number) if number == number else 0.0
    if _PARTS.sub('', text) == '':
        return sum(float(amount) * _UNITS[unit] for amount, unit in _PARTS.findall(text))
    try:
        at = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return 0.0
    return max(0.0, (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp() - datetime.now(UTC).timestamp())
