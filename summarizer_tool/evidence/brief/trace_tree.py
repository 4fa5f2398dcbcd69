"""The trace of an answer as a tree of ASCII: what was fetched, from where, and what it brought."""

from collections import defaultdict
from collections.abc import Iterator, Mapping

from summarizer_tool.evidence.answer.trace import Trace, TracePage
from summarizer_tool.evidence.brief import quoting

URL_TOKENS = 60
FAILURE_TOKENS = 30

_ROOT = -1


def common(trace: Trace) -> str:
    """What the tree has in common: rounds, why it ended, and how all URLs in it begin."""
    rounds = f'{trace.rounds} round{"s" if trace.rounds != 1 else ""}'
    prefix = _prefix(trace)
    return f'{rounds}; stopped: {trace.stop_reason}' + (f'; every URL begins with {prefix}' if prefix else '')


def lines(trace: Trace, called: Mapping[str, str]) -> list[str]:
    """A line for each page, a page before those it has led to; sources by what they are called in the brief."""
    children: defaultdict[int, list[int]] = defaultdict(list)
    for index, page in enumerate(trace.pages):
        parent = page.parent
        children[parent if parent is not None and 0 <= parent < index else _ROOT].append(index)
    cut = len(_prefix(trace))
    return [
        f'{branch} {_address(trace.pages[index])[cut:] or "."} | {_result(trace.pages[index], called)}'
        for branch, index in _walk(children)
    ]


def _walk(children: Mapping[int, list[int]]) -> Iterator[tuple[str, int]]:
    """The branch before each page, and its index; without recursion, since nobody bounds the depth here."""
    waiting = [(index, '', index == children[_ROOT][-1]) for index in reversed(children.get(_ROOT, []))]
    while waiting:
        index, indent, is_last = waiting.pop()
        yield f'{indent}{"`" if is_last else "|"}--', index
        below = children.get(index, [])
        deeper = indent + ('    ' if is_last else '|   ')
        waiting += [(child, deeper, child == below[-1]) for child in reversed(below)]


def _address(page: TracePage) -> str:
    return quoting.address(page.url, URL_TOKENS)


def _result(page: TracePage, called: Mapping[str, str]) -> str:
    if page.failure or not page.source_id:
        why = quoting.reason(page.url, page.failure, FAILURE_TOKENS)
        return f'depth {page.depth} | {page.ms:,} ms | failed: {why}'
    source = called.get(page.source_id, page.source_id)
    if page.was_stored:
        return f'depth {page.depth} | {source} | stored before'
    score = f'score {page.score_before:.2f} -> {page.score_after:.2f}'
    return f'depth {page.depth} | {source} | +{page.passages:,} passages | {score} | {page.ms:,} ms'


def _prefix(trace: Trace) -> str:
    """How all the URLs begin, up to a slash, if they share a host; else nothing."""
    urls = [_address(page) for page in trace.pages]
    if len(urls) < 2:
        return ''
    low, high = min(urls), max(urls)
    same = next((index for index, (one, other) in enumerate(zip(low, high, strict=False)) if one != other), len(low))
    path, _, _ = low[:same].partition('?')
    prefix = path[: path.rfind('/') + 1]
    return prefix if prefix.count('/') > 2 else ''
