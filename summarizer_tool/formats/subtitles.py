"""Subtitles (SubRip `.srt`, WebVTT `.vtt`) as the text that is said, in whole sentences. Pure computing."""

import html
import re
from collections.abc import Iterator

from summarizer_tool.formats.joining import join
from summarizer_tool.html.block_score import ends_a_sentence

_TIME = r'(?:(\d{1,3}):)?(\d{2}):(\d{2})[,.]\d{3}'
_CUE = re.compile(rf'[ \t]*{_TIME}[ \t]*-->[ \t]*{_TIME}[^\n]*$', re.MULTILINE)
_START = re.compile(rf'\s*(?:WEBVTT\b[^\0]{{0,2000}}?|\d{{1,6}}[ \t]*)\n{_CUE.pattern}', re.MULTILINE)
_BLANK = re.compile(r'\n[ \t]*(?:\n[ \t]*)+')
_SPEAKER = re.compile(r'<v(?:\.[^\s>]*)?\s+([^>]{1,80})>')
_TAG = re.compile(r'</?[a-zA-Z\d][^<>]{0,80}>|\{\\[^{}]{0,80}\}')
_DASH = re.compile(r'[-–—]\s*(?=\S)')
_NAMED = re.compile(r'[^\W\d_][\w .\'’-]{0,40}: ')
_TURN = re.compile(rf'{_DASH.pattern}|{_NAMED.pattern}')
_ASIDE = re.compile(r'[\[(♪][^\n]*[\])♪]$')
_PAUSE = 3
"""Seconds after which a new paragraph begins, if a sentence has ended."""
_PARAGRAPH = 500
"""Characters after which it does so without a pause."""


def markdown(text: str) -> str:
    """What is said, a paragraph for each turn; empty where the text is none of subtitles."""
    if not _START.match(text.removeprefix('\ufeff')[:4096]):
        return ''
    paragraphs: list[list[str]] = [[]]
    speaker, begun, ended = '', 0, 0
    lines = [*_lines(text)]
    # Each turn is; else a cue without a name may be somebody else's.
    are_named = any(bool(name or _NAMED.match(line)) for name, line, *_ in lines[:1])
    for name, line, start, end in lines:
        said = paragraphs[-1]
        is_new = name not in ('', speaker) or _TURN.match(line) or any(map(_ASIDE.match, (*said[-1:], line)))
        is_late = start - ended >= _PAUSE or sum(map(len, said)) > _PARAGRAPH
        is_open = not are_named and not name and start != begun and bool(said) and _NAMED.match(said[0])
        if said and (is_new or ((is_late or is_open) and ends_a_sentence(said[-1]))):
            paragraphs.append([])
        shown = _DASH.sub('', line, count=1) if _DASH.match(line) else line
        paragraphs[-1].append(f'{name}: {shown}' if name and (not paragraphs[-1] or name != speaker) else shown)
        speaker, begun, ended = name or ('' if is_new else speaker), start, end
    return '\n\n'.join(map(join, filter(None, paragraphs))) + '\n'


def _lines(text: str) -> Iterator[tuple[str, str, int, int]]:
    """Each line that is said: who says it if that is marked, and from when to when in seconds. None stays on twice."""
    before: list[str] = []
    for block in _BLANK.split(text):
        if not (cue := _CUE.search(block)):
            continue
        shown: list[str] = []
        start, end = (int(cue[at] or 0) * 3600 + int(cue[at + 1]) * 60 + int(cue[at + 2]) for at in (1, 4))
        for line in block[cue.end() :].split('\n'):
            speaker = _SPEAKER.search(line)
            plain = ' '.join(html.unescape(_TAG.sub('', _SPEAKER.sub('', line))).split())
            if plain not in before and any(map(str.isalnum, plain)):
                yield ' '.join(speaker[1].split()) if speaker else '', plain, start, end
            shown.append(plain)
        before = shown
