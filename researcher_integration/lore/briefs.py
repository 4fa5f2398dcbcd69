"""What a person reads of a research, as markdown: a brief for each topic, and the conflicts between sources.

What stands on pages was written by strangers. In a brief it is text that may have headings, lists and tables of its
own, but it fetches no image, runs no HTML, gives no `[3]` another meaning, and has no heading that could be taken for
one of the brief.
"""

import re
from collections.abc import Mapping, Sequence
from urllib.parse import quote

from researcher_integration.lore.checkpoint import Step, StepState
from researcher_integration.lore.configuration import Topic
from researcher_integration.lore.extraction.cross_reference import Conflict
from researcher_integration.lore.material import CrawledPage, KeptSection
from summarizer_tool import count_tokens, one_line

CONFLICTS_FILE = 'conflicts.md'

MAX_TITLE = 200
"""Characters of a title or a claim."""

_DEEPER = 2
"""Levels that headings of pages go down: below the title of a brief and its sections."""

_MARKS = re.compile(r'([\\`*_~\[\]<>|#&!])')
_UNSAFE_IN_LINK = re.compile(r'[^\w\-.~:/?#@!$&*+,;=%]')

# A line: what opens quotes and lists, and the rest. What would begin a heading, or code, to whose end a reader of
# markdown takes everything, stands at the beginning of the rest.
_LINE = re.compile(r'((?:[ \t>]|[*+-](?=[ \t]+\S)|\d{1,9}[.)](?=[ \t]+\S))*)(.*)')
_HEADING = re.compile(r'(#{1,6})(?:[ \t]+(.*))?')
_UNDERLINE = re.compile(r'(?:=+|-+)[ \t]*')
_FENCE = re.compile(r'`{3}|~{3}')
_LIVE = re.compile(r'(?<!\\)((?:\\\\)*)(?=<[A-Za-z/!?]|!\[)')
"""Before what a reader of markdown would run or fetch; not where it is escaped already."""
_HOW: Mapping[StepState, str] = {
    'summarized': 'summarized',
    'unchanged': 'unchanged',
    'raw': 'kept as they are',
    'empty': 'nothing',
}


def brief(topic: Topic, zone: str, step: Step, section: KeptSection, pages: Sequence[CrawledPage], via: str) -> str:
    """The brief of a topic: figures, warnings, what was kept, and its sources with numbers and handles."""
    known = {page.source_id: page for page in pages}
    listed = [known[handle] for handle in step.pages]
    lines = [f'# {plain(topic.header)}: {plain(zone)}', '', _figures(step, section, via)]
    lines += [f'\n> {plain(warning)}' for warning in step.warnings]
    lines += ['', quoted(section.text, listed) or 'Nothing was found.', '', *_sources(listed)]
    return '\n'.join(lines) + '\n'


def conflicts(zone: str, found: Sequence[Conflict], pages: Sequence[CrawledPage], reason: str = '') -> str:
    """The conflicts between sources: for each, both claims and both sources."""
    numbered = {page.number: page for page in pages}
    cited = {claim.source for conflict in found for claim in conflict.claims}
    said = 'None were found.'
    if found:
        said = (
            f'{_counted(len(found), "conflict")}, undecided; of each the claim of the more trusted source comes first.'
        )
    elif reason:
        said = 'None are listed.'
    lines = [f'# Conflicts: {plain(zone)}', '', said]
    lines += [f'\n> {plain(reason)}'] if reason else []
    for conflict in found:
        about = f': {plain(conflict.attribute.replace("_", " "))}' if conflict.attribute else ''
        lines += ['', f'## {plain(conflict.subject)}{about}', '']
        lines += [
            f'- [{claim.source}] {plain(claim.text)}'
            + (f' ({numbered[claim.source].tier})' if claim.source in numbered else '')
            for claim in conflict.claims
        ]
    lines += ['', *_sources([page for page in pages if page.number in cited])] if cited else []
    return '\n'.join(lines) + '\n'


def plain(text: str) -> str:
    """Untrusted text as one printable line in which no markdown takes effect."""
    line = one_line(''.join(letter if letter.isprintable() else ' ' for letter in text), MAX_TITLE)
    return _MARKS.sub(r'\\\1', line)


def quoted(text: str, pages: Sequence[CrawledPage]) -> str:
    """Kept text as part of a brief: headings one level deeper, page titles numbered, no active HTML."""
    numbers = {one_line(page.title): page.number for page in pages}
    lines: list[str] = []
    for line in text.strip().splitlines():
        is_below = bool(lines and lines[-1].strip())
        lines.append(_quoted(line, numbers, is_below=is_below))
    return re.sub(r'\n{3,}', '\n\n', '\n'.join(lines)).strip()


def _quoted(line: str, numbers: Mapping[str, int], *, is_below: bool) -> str:
    found = _LINE.fullmatch(line)
    opening, rest = (found[1], found[2]) if found else ('', line)
    heading = _HEADING.fullmatch(rest)
    if heading and not opening.strip():
        level, title = min(6, len(heading[1]) + _DEEPER), (heading[2] or '').strip()
        number = f'[{numbers[title]}] ' if title in numbers else ''
        return f'\n{"#" * level} {number}{_inert(title)}\n'
    if heading or _FENCE.match(rest) or (is_below and _UNDERLINE.fullmatch(rest)):
        rest = f'\\{rest}'
    # Summaries have a statement in each line; two spaces keep them apart where others would make one paragraph of them.
    return opening + _inert(rest) + ('  ' if rest.endswith(('.', '!', '?', ':')) else '')


def _inert(line: str) -> str:
    """The line without HTML, images and link definitions."""
    return _LIVE.sub(r'\1\\', line).replace(']:', ']\\:')


def _figures(step: Step, section: KeptSection, via: str) -> str:
    pages = _counted(len(step.pages), 'page')
    if step.state == 'empty':
        return f'{pages}.'
    by = f' by {step.model}, {via}' if step.model and step.state == 'summarized' else ''
    kept = count_tokens(section.text)
    is_condensed = step.state == 'raw' and kept < step.tokens_kept
    how = 'condensed by the embedded model' if is_condensed else _HOW[step.state]
    return f'{pages}, {step.tokens_crawled:,} tokens crawled, {kept:,} kept; {how}{by}.'


def _sources(pages: Sequence[CrawledPage]) -> list[str]:
    lines = [_source(page) for page in sorted(pages, key=lambda page: page.number)]
    return ['## Sources', '', *(lines or ['None.'])]


def _source(page: CrawledPage) -> str:
    title = plain(page.title) or 'untitled'
    if page.url.startswith(('http://', 'https://')):
        title = f'[{title}]({_UNSAFE_IN_LINK.sub(lambda match: quote(match[0], errors="replace"), page.url)})'
    elif page.url != page.title:
        title = f'{title} ({plain(page.url)})'
    return f'- [{page.number}] {title}: `{page.source_id}`, {page.tier} ({page.weight:g}), {page.tokens:,} tokens'


def _counted(number: int, what: str) -> str:
    return f'{number} {what}' if number == 1 else f'{number} {what}s'
