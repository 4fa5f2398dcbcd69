"""Spans as Logfire exports them: how they stand below each other, and what one says of itself."""

from collections.abc import Sequence
from typing import Any

Span = dict[str, Any]


def tree(spans: Sequence[Span]) -> list[str]:
    """The names of the spans, indented below their parents, in the order of their beginning; repeats once."""
    known = {span['context']['span_id'] for span in spans}

    def below(parent: int | None) -> list[str]:
        lines: list[str] = []
        for span in sorted(spans, key=lambda span: span['start_time']):
            above = (span['parent'] or {}).get('span_id')
            if (above if above in known else None) == parent:
                lines.append(span['name'])
                lines += [f'  {line}' for line in below(span['context']['span_id'])]
        return list(dict.fromkeys(lines))

    return below(None)


def own(span: Span) -> dict[str, Any]:
    """The attributes of a span, without what Logfire adds."""
    return {name: value for name, value in span['attributes'].items() if not name.startswith(('logfire.', 'code.'))}
