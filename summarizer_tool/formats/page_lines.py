"""Plain text that was laid out to be printed, without the heads and feet of pages, and the signs of boxes."""

import re
from collections import defaultdict
from itertools import groupby, pairwise
from statistics import median
from textwrap import dedent

from summarizer_tool.text import list_numbers

_LEAST_BOX = 3
"""Lines of a box, its edges among them."""
_BOX_SIGNS = '*#%;/'

_LEAST_PAGES = 4
_PAGE = (25, 120)
"""Lines of a page."""
_SHARE = 0.7
"""Share of the pages that must be of about the same length, and of the numbers that must count them,"""
_LONGER = 1.3
"""up to so many times as long as most."""
_LONGEST = 130
_DIGITS = re.compile(r'\d+|\b[ivxlc]+\b')
_PAGE_NUMBER = re.compile(
    r'^\W*(?:\d+|[ivxlc]+)(?:\s?/\s?\d+)?(?:\W*$|\W?\s{3})|\s{3}\W*(?:\d+|[ivxlc]+)(?:\s?/\s?\d+)?\W*$'
    r'|\s[|·•–—-]\s+\d+\W*$|(?:^\W*|\s)\d+\s?(?:/|de|di|of|sur|von|из)\s?\d+\W*$'
    r'|\b(?:blatt|folie|sheet|slide|pages?|pg|p|seite|página|pagina|sid[ae]|strona|strana|stránka|страница|стр)\b\W{0,3}\d',
    re.IGNORECASE,
)
"""A number that stands alone, apart from the words beside it, or is said to be a page's."""
_ROMAN = {list_numbers.shown(number, 'lowerRoman'): number for number in range(1, 400)}
_STYLES = re.compile(r'\x1b\[[\d;]{0,20}m')
_ENDS = re.compile(r'[.!?:;][)\]"\'”’»]*$')


def unboxed(text: str) -> str:
    """The text without the boxes around parts of it, whose lines begin and end with the same sign."""
    out: list[str] = []
    for (sign, *_), run in groupby(text.split('\n'), _box):
        lines = [*run]
        inside = [line.strip().strip(sign).rstrip() for line in lines]
        is_box = sign and len(lines) >= _LEAST_BOX and not inside[0] and any(inside)
        out += dedent('\n'.join(inside)).split('\n') if is_box else lines
    return '\n'.join(out)


def _box(line: str) -> tuple[str, int, int]:
    """The sign around a line, and where it stands; no sign where a line is not within two."""
    bare = line.strip()
    is_boxed = len(bare) > 1 and bare[0] == bare[-1] and bare[0] in _BOX_SIGNS
    return (bare[0], line.index(bare[0]), len(line.rstrip())) if is_boxed else ('', 0, 0)


def without(text: str) -> str:
    """The text without lines that recur from page to page alone between blank ones, the number of the page aside.

    What goes on over the end of a page goes on there.
    """
    lines = [line.strip('\f') for line in text.split('\n')]
    furniture = _found([_STYLES.sub('', line) for line in lines])
    if not furniture:
        return text
    out: list[str] = []
    is_break = False
    for place, line in enumerate(lines):
        if place in furniture:
            is_break = True
            while out and not out[-1].strip():
                out.pop()
        elif line.strip() or not is_break:
            if is_break and out and (_ENDS.search(out[-1].rstrip()) or not line.lstrip()[:1].islower()):
                out.append('')
            is_break = False
            out.append(line)
    return '\n'.join(out)


def _found(lines: list[str]) -> set[int]:
    """The places of such lines."""
    places: defaultdict[str, list[int]] = defaultdict(list)
    for place, line in enumerate(lines):
        beside = (*lines[max(0, place - 1) : place], *lines[place + 1 : place + 2])
        if line.strip() and len(line) <= _LONGEST and not any(map(str.strip, beside)):
            for form in forms(line):
                places[form].append(place)
    return {
        place
        for form, found in places.items()
        if len(found) >= _LEAST_PAGES
        and _are_pages([after - before for before, after in pairwise(found)])
        and recurs(form, [lines[place] for place in found])
        for place in found
    }


def forms(line: str) -> list[str]:
    """What a line at the edge of a page may share with others: its words, and these but for a page's number."""
    words = ' '.join(line.split())
    return [words, _DIGITS.sub('\0', words)] if _PAGE_NUMBER.search(line) else [words]


def recurs(form: str, lines: list[str]) -> bool:
    """Return whether lines of a form are alike, or a number in them counts one up, or two on every other page."""
    if '\0' not in form:
        return True
    for column in zip(*map(_DIGITS.findall, lines), strict=True):
        numbers = [int(each) if each.isdecimal() else _ROMAN.get(each, 0) for each in column]
        steps = [after - before for before, after in pairwise(numbers) if before and after]
        if max(steps.count(1), steps.count(2)) >= _SHARE * (len(lines) - 1):
            return True
    return False


def _are_pages(gaps: list[int]) -> bool:
    usual = median(gaps)
    least, most = _PAGE
    alike = sum(usual / _LONGER <= gap <= _LONGER * usual for gap in gaps)
    return least <= usual <= most and alike >= _SHARE * len(gaps)
