"""What is asked for: lines that have its words; of many things with fields those that have them, or most or least."""

import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from math import log

from summarizer_tool.digests.columns import quantity
from summarizer_tool.digests.notable import BAD
from summarizer_tool.digests.rarity import surprises
from summarizer_tool.digests.records import Row
from summarizer_tool.digests.statements import DigestStatement, one_line
from summarizer_tool.text.terms import stem

_MOST = 6
"""Things with as much of what is asked up to which these are told,"""
_SHOWN = 3
"""and so many of them, and of lines, first."""
_ASKED = 84.0
"""The rank of the first,"""
_STEP = 3.0
"""what each further one loses,"""
_LITTLE = 45.0
"""and the rank of those behind."""
_NAMED = 0.5
"""What a word counts that is the name of a field only, which most things have."""
_FEW = 0.1
"""Share of the things up to which those are told that lack what is asked for."""
_NUMBERS = 0.7
"""Share of the things that must have a number in a field for some of them to be most."""
_LENGTH = 320
"""Characters told of a thing,"""
_CELL = 120
"""and of a field of it."""

_MEASURES = {
    **dict.fromkeys(
        ('slow', 'slower', 'slowest', 'longest', 'long', 'late'), ('duration', 'elapsed', 'seconds', 'time')
    ),
    **dict.fromkeys(('big', 'biggest', 'heaviest', 'huge', 'large', 'largest', 'room', 'space'), ('bytes', 'size')),
}
"""Words that ask for most of something, and what a field of that is called."""
_PART = re.compile(r'[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[^\W\d_]+')
_WORD = re.compile(r'[\w./:@+-]*\w')


@dataclass(frozen=True, slots=True)
class NamedRows:
    """Things with the same fields."""

    names: Sequence[str]
    """What each is called."""
    rows: Sequence[Row]
    lines: Sequence[int] = ()
    """On which line each begins, if that is known."""
    are_lines: bool = False
    """Whether they are called what their lines say, all of it."""


def asked_records(things: NamedRows, words: Sequence[str]) -> Iterator[DigestStatement]:
    """Tell of the things in which most of the words of a focus are, where these are few, and of those with most."""
    fields = Counter(field for row in things.rows for field in row)
    parts = {field: {part.lower() for part in _PART.findall(field.rpartition('.')[2])} for field in fields}
    called = {word: {field for field in fields if _is_called(word, parts[field])} for word in words}
    yield from _extremes(things, fields, called)
    if things.are_lines:
        return
    held = [_held(name, row, words) for name, row in zip(things.names, things.rows, strict=True)]
    times = Counter(word for each in held for word in each)
    total = len(held)
    scores = [
        sum(log((1 + total) / times[word]) for word in each)
        + _NAMED * sum(not called[word].isdisjoint(row) and word not in each for word in words if each)
        for each, row in zip(held, things.rows, strict=True)
    ]
    best = max(scores, default=0.0)
    chosen = [at for at, score in enumerate(scores) if best > 0 and score == best]
    if len(chosen) <= _MOST:
        for nth, at in enumerate(chosen):
            rank = _ASKED - _STEP * nth if nth < _SHOWN else _LITTLE
            yield DigestStatement(_told(things, at, words, called), rank, 'mentioned', _line(things, at))


def _is_called(word: str, parts: set[str]) -> bool:
    return word in parts or stem(word) in map(stem, parts) or not parts.isdisjoint(_MEASURES.get(word, ()))


def _held(name: str, row: Row, words: Sequence[str]) -> set[str]:
    """The words that are in the name or the fields of a thing, as words of their own."""
    said = {part for text in (name, *row.values()) for part in _parts(text[:2000])}
    return {word for word in words if word in said or (word.isalpha() and stem(word) in said)}


def _parts(text: str) -> Iterator[str]:
    for word in _WORD.findall(text.lower()):
        yield word
        yield stem(word)
        if not word.isalnum():
            yield from re.split(r'[^a-z0-9]+', word)


def _extremes(
    things: NamedRows, fields: Mapping[str, int], called: Mapping[str, set[str]]
) -> Iterator[DigestStatement]:
    """The things with most and least in the fields of numbers that are asked for, and those that lack such a field.

    Most and least are those of the things of which most fields are other words of the focus, unless few are.
    """
    others = {word for word, fields in called.items() if not fields}
    having = [len(others.intersection(map(str.lower, row.values()))) for row in things.rows]
    asked = {at for at, count in enumerate(having) if count == max(having)}
    for field in sorted({field for each in called.values() for field in each}):
        lacking = [at for at, row in enumerate(things.rows) if field not in row]
        for at in lacking if len(lacking) <= min(_SHOWN, _FEW * len(things.rows)) else ():
            text = f'{things.names[at]}: {field} missing, others have {_usual(things.rows, field)}'
            yield DigestStatement(text, _ASKED - _STEP, 'mentioned', _line(things, at))
        found = [
            (number, at) for at, row in enumerate(things.rows) if (number := quantity(row.get(field, ''))) is not None
        ]
        if len(found) < max(_SHOWN, _NUMBERS * fields[field]) or len(found) < _NUMBERS * len(things.rows):
            continue
        found = sorted((each for each in found if each[1] in asked), key=lambda each: -each[0])
        if len(found) < _SHOWN:
            continue
        middle = found[len(found) // 2][0]
        chosen = [(nth, at, 'most') for nth, (number, at) in enumerate(found[:_SHOWN]) if number > middle]
        chosen += [(_SHOWN, at, 'least') for number, at in found[-1:] if number < found[-2][0] <= middle]
        for nth, at, which in chosen:
            said = f'{_short(field)}={things.rows[at][field]} ({which})'
            text = f'{said}: {things.names[at]}' if things.are_lines else f'{things.names[at]}: {said}'
            yield DigestStatement(text, _ASKED - _STEP * nth, 'mentioned', _line(things, at))


def _usual(rows: Sequence[Row], field: str) -> str:
    return one_line(Counter(row[field] for row in rows if field in row).most_common(1)[0][0], _CELL)


def _line(things: NamedRows, at: int) -> tuple[int, ...]:
    return (things.lines[at],) if things.lines else ()


def _short(field: str) -> str:
    return field.rpartition('.')[2] or field


def _told(things: NamedRows, at: int, words: Sequence[str], called: Mapping[str, set[str]]) -> str:
    """What a thing is called, its fields with what is asked for, and as many of the others as there is room for."""
    row = things.rows[at]
    asked = [field for field in row if any(field in fields for fields in called.values())]
    holding = [field for field in row if field not in asked and _held('', {field: row[field]}, words)]
    others = sorted((field for field in row if field not in asked and field not in holding), key=lambda f: f.count('.'))
    said: list[str] = []
    left = _LENGTH - len(things.names[at])
    for field in dict.fromkeys((*asked, *holding, *others)):
        text = f'{_short(field)}={one_line(row[field], _CELL)}'
        if len(text) > left:
            continue
        said.append(text)
        left -= len(text) + 2
    return f'{one_line(things.names[at], _CELL)}: {", ".join(said)}'


_LEAST_LINES = 3
_NEXT = 0.5
"""What each line with the same words loses in rank, of the first ones, the best first,"""
_MORE = 40
"""and so many where there is room for them."""
_LEAST_SHOWN = 60
"""Characters of each line of a record that are shown."""
_LONGEST_RECORD = 16
"""Lines of a record that is told whole where one of them is asked for."""
_SECTION = 60
"""Lines below a ruled heading among which is looked for what went wrong."""
_HEADED = 8
"""Lines of a heading, with those below it that are told with it."""
_COMMON = 12
"""Lines with the same words of the focus from which these say nothing about any of them: of a value (`/mill/42`), which
somebody has looked up, they are counted, and the first and the last shown."""
_SHARE = 0.5
"""Share of the lines up to which a value tells some from the others,"""
_MOST_SAID = 0.05
"""and up to which a word does, if it does not only stand within others."""
_WORDS = 24
_BEGUN = 4.0
"""What the rank of a line loses with a word that only begins as one of the focus does,"""
_WITHIN = 6.0
"""or that only holds it."""
_LEAST_ROOT = 4
"""Letters with which a word begins as one of the focus does that stands nowhere itself."""

_BEFORE_FIELD = re.compile(r'(?:^|\s\s|[\t,;|=:({\[/])["\' ]?$')
_BEHIND_FIELD = re.compile(r'["\']?(?:$|\s\s|\s?[\t,;|=:)\]}/])')
_RULED = re.compile(r'([=*#~_-])\1{3,}\s.*\w.*\s\1{4,}\s*$')
_GOES_ON = re.compile(r'[\w./-]')


def mentioned(
    lines: Sequence[str],
    words: Sequence[str],
    odd: Container[int],
    names: Sequence[str] = (),
    titles: Container[int] = (),
) -> Iterator[DigestStatement]:
    """What lines say that have words of the focus which few lines have, or few together; of many with a value two.

    Args:
        lines: Those of the text.
        words: The words of the focus, in lower case.
        odd: Numbers, from 1, of lines told for another reason: of several with the same words these come first.
        names: What that is called which each line is a part of, where it has a name.
        titles: Numbers of lines whose words are no mentions, as are those of the titles of tables.
    """
    if not words or len(lines) < _LEAST_LINES:
        return
    found = _found(lines, words[:_WORDS], titles)
    counts = {word: len({number for number, each in found.items() if word in each}) for word in _words(found)}
    having: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for number, each in found.items():
        having[tuple(sorted(each))].append(number)
    for own, numbers in having.items():
        worth = {number: max(found[number][word] for word in own) for number in numbers}
        most = max(worth.values())
        best = [number for number in numbers if worth[number] == most]
        is_common = len(best) >= _COMMON
        word = min(own, key=lambda each: (is_common and each.isalpha(), counts[each]))
        order = sorted(numbers, key=lambda number: (-worth[number], number not in odd))
        if is_common and _is_field(word, [lines[number - 1] for number in best]):
            # That many records have a field says nothing about any; what few of them have there does.
            order = _unlike(lines, best)[:_SHOWN]
        elif is_common and (most == 1 or len(best) > (_MOST_SAID if word.isalpha() else _SHARE) * len(lines)):
            continue
        elif is_common:
            order = [*dict.fromkeys([*filter(odd.__contains__, best), best[0], best[-1], *order])]
        where = f' in {numbers[0]}-{numbers[-1]}' if is_common else ''
        extra = 10.0 if any(map(str.isdigit, word)) else 0.0 if most > 1 else -_WITHIN
        rank = 76.0 + extra - (0.0 if word in words else _BEGUN) - min(_COMMON, len(best)) ** 0.5
        shown = 2 if is_common else min(_SHOWN, len(best))
        for nth, number in enumerate(order[:_MORE]):
            text, places = _told_line(lines, number, word, names)
            yield DigestStatement(
                f'{text} [{word} ×{counts[word]}{where}]',
                rank - _NEXT * nth if nth < shown else _LITTLE,
                'mentioned',
                places,
            )


def _is_field(word: str, lines: Sequence[str]) -> bool:
    """Return whether most of the lines begin with a word as the name of a field."""
    named = re.compile(rf'[\s"\'-]*{re.escape(word)}["\']?\s?[:=]', re.IGNORECASE)
    return sum(named.match(line) is not None for line in lines) > _SHARE * len(lines)


def _unlike(lines: Sequence[str], numbers: Sequence[int]) -> list[int]:
    """Those of some lines that are unlike the others of them, the most surprising first."""
    texts = {number: lines[number - 1].strip(' \t,') for number in numbers}
    rare = surprises([*texts.values()], is_form=False)
    return sorted((number for number in numbers if rare.get(texts[number])), key=lambda number: -rare[texts[number]])


def _told_line(lines: Sequence[str], number: int, word: str, names: Sequence[str]) -> tuple[str, tuple[int, ...]]:
    """What the record of a line says, and its lines."""
    first, last = _record(lines, number - 1, names)
    longest = max(_LEAST_SHOWN, 400 // (last - first + 1))
    own = [line.strip() for line in lines[first : last + 1]]
    line = ' '.join(own if first == last else [one_line(each, longest) for each in own])
    begin = max(0, line.lower().find(word) - 150)
    text = one_line(line if len(line) < 400 else f'{"… " * (begin > 0)}{line[begin : begin + 300]} …', 310)
    name = names[number - 1] if names else ''
    text = f'{name}: {text}' if name and name not in lines[number - 1] and name not in text else text
    places = (number, *(place + 1 for place in range(first, last + 1) if place + 1 != number))
    wrong = _wrong_below(lines, number)
    if wrong and wrong not in places:
        text, places = f'{text} … {one_line(lines[wrong - 1].strip(), _CELL)}', (*places, wrong)
    return text, places


def _wrong_below(lines: Sequence[str], number: int) -> int:
    """The number of the first line below a ruled heading that says what went wrong, up to the next one; 0 for none."""
    if not _RULED.match(lines[number - 1]):
        return 0
    below = takewhile(lambda at: not _RULED.match(lines[at]), range(number, min(len(lines), number + _SECTION)))
    return next((at + 1 for at in below if BAD.search(lines[at])), 0)


def _words(found: Mapping[int, Mapping[str, int]]) -> set[str]:
    return {word for each in found.values() for word in each}


def _found(lines: Sequence[str], words: Sequence[str], titles: Container[int]) -> dict[int, dict[str, int]]:
    """By line the words of the focus on it, each with how much it stands by itself.

    A word that stands nowhere is found in those that begin as it does: `installed` in `Install`.
    """
    found = _having(lines, words, titles)
    roots = {stem(word) for word in {*words} - _words(found) if word.isalpha()}
    if begun := [root[: max(_LEAST_ROOT, len(root) - 1)] for root in roots if len(root) > _LEAST_ROOT]:
        for number, each in _having(lines, begun, titles, ending=r'[^\W\d_]*').items():
            found[number] = found.get(number, {}) | each
    return dict(sorted(found.items()))


def _having(
    lines: Sequence[str], words: Sequence[str], titles: Container[int], *, ending: str = ''
) -> dict[int, dict[str, int]]:
    # Some words go on in a line, numbers do not.
    any_word = '|'.join(map(re.escape, sorted(words, key=len, reverse=True)))
    wanted = re.compile(rf'(?:{any_word}){ending}(?!(?<=\d)\d)')
    found: dict[int, dict[str, int]] = {}
    for number, line in enumerate(lines, 1):
        lowered = line.lower()
        for match in wanted.finditer(lowered) if number not in titles else ():
            if worth := _worth(line if len(line) == len(lowered) else lowered, match):
                each = found.setdefault(number, {})
                each[match[0]] = max(worth, each.get(match[0], 0))
    return found


def _worth(line: str, match: re.Match[str]) -> int:
    """How much a word stands by itself: as a field 3, as a word 2, within one 1, within its letters not at all."""
    begin, end = match.span()
    before, behind = line[max(0, begin - 3) : begin], line[end : end + 4]
    first, last = line[begin], before[-1:]
    # Before one that is in another script there may be anything.
    if (last.isascii() and last.isalpha() and not (first.isupper() and last.islower())) or (
        last.isdigit() and first.isdigit()
    ):
        return 0
    is_whole = not _GOES_ON.match(last) and not _GOES_ON.match(behind)
    if not match[0][0].isalnum():
        return 3 if not last.strip() and not behind[:1].strip() else 0
    return 3 if _BEFORE_FIELD.search(before) and _BEHIND_FIELD.match(behind) else 2 if is_whole else 1


def _record(lines: Sequence[str], place: int, names: Sequence[str]) -> tuple[int, int]:
    """The first and the last line of a record of several, of which one is given: those that stand as far in, or more.

    A bullet begins one. Of a long record the line alone, and of lines at the margin that are no fields of something;
    a heading with what is below it.
    """
    indent = _depth(lines[place])
    first = last = headed = place
    # Below one that begins a paragraph its lines may stand as far in.
    is_ruled = _RULED.match(lines[place]) is not None
    depth = indent + (not is_ruled and place > 0 and lines[place - 1].strip() != '')
    while (is_ruled or lines[place].rstrip().endswith(':')) and _goes_on(
        ''.join(lines[headed + 1 : place + _HEADED][:1]), depth
    ):
        headed += 1
    if not indent and not (names and names[place] and ''.join(lines[place].split()[:1]).endswith(':')):
        return place, headed
    while first and lines[first].lstrip()[:2] != '- ' and _goes_on(lines[first - 1], indent):
        first -= 1
    while last + 1 < len(lines) and _goes_on(below := lines[last + 1], indent):
        if below.lstrip()[:2] == '- ' and _depth(below) == indent:
            break
        last += 1
    return (first, last) if last - first < _LONGEST_RECORD else (place, headed)


def _goes_on(line: str, indent: int) -> bool:
    return bool(line.strip()) and _depth(line) >= indent


def _depth(line: str) -> int:
    """How far in a line stands, behind its bullet."""
    bare = line.lstrip()
    return len(line) - len(bare) + (2 if bare[:2] == '- ' else 0)
