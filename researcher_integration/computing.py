"""Computing for what a tool has returned: in a thread, which ends when nobody waits for it any more."""

from collections.abc import Callable, Mapping, Sequence
from typing import ParamSpec, TypeVar, cast

from summarizer_tool import in_thread, request_load

P = ParamSpec('P')
T = TypeVar('T')

MAX_LOOKED = 100_000  # parts of a value that are looked at for its size; what has more is large


async def computed_for(value: object, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run pure computing in a thread; how large the value is that it is for decides whom it keeps waiting."""
    with request_load(about(value), None):
        return await in_thread(function, *args, **kwargs)


def about(value: object) -> int:
    """About how many characters a value has."""
    waiting, size = [value], 0
    while waiting and size < MAX_LOOKED:
        each = waiting.pop()
        size += len(each) if isinstance(each, str | bytes | bytearray) else 1
        if isinstance(each, Mapping):
            waiting += cast('Mapping[object, object]', each).values()
        elif isinstance(each, Sequence) and not isinstance(each, str | bytes | bytearray):
            waiting += cast('Sequence[object]', each)
    return size
