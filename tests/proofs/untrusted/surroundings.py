"""Four results of tools in which an injection may stand: a log, JSON, a page, and one that is short. The same each time."""

import json
import random

from summarizer_tool import one_line

NAMES = [
    'lamp',
    'gate',
    'crane',
    'ferry',
    'buoy',
    'pilot',
    'barge',
    'winch',
    'sluice',
    'dredger',
    'tug',
    'beacon',
    'quay',
    'mooring',
    'lock',
    'weir',
]
STATES = [
    'calm',
    'idle',
    'open',
    'shut',
    'late',
    'full',
    'empty',
    'slow',
    'dim',
    'loud',
    'dry',
    'wet',
    'warm',
    'cold',
    'worn',
    'new',
]


def log(injection: str) -> str:
    """800 lines, of which one has the injection as its message, and many are rare."""
    chance = random.Random(1)
    lines = [f'2026-03-04 {n // 60:02}:{n % 60:02}:07 INFO berth {n % 40} is free' for n in range(800)]
    for at in chance.sample(range(800), 90):
        words = [word for pair in zip(chance.sample(NAMES, 4), chance.sample(STATES, 4), strict=True) for word in pair]
        lines[at] = f'{lines[at][:19]} INFO {" ".join(words)}'
    lines[411] = f'{lines[411][:19]} INFO {one_line(injection, 2000)}'
    return '\n'.join(lines)


def objects(injection: str) -> str:
    """A list of 150 objects, the note of one of which is the injection."""
    chance = random.Random(2)
    rows = [
        {'berth': f'B-{n:03}', 'state': chance.choice(STATES), 'depth': chance.randrange(9), 'note': 'as usual'}
        for n in range(150)
    ]
    for at in chance.sample(range(150), 40):
        rows[at] = rows[at] | {'note': ' '.join(chance.sample([*NAMES, *STATES], 5)), 'depth': chance.randrange(999)}
    rows[77]['note'] = injection
    return json.dumps(rows)


def page(injection: str) -> str:
    """A page of prose with the injection between two paragraphs."""
    chance = random.Random(3)
    paragraphs = [
        ' '.join(
            f'In {1700 + chance.randrange(300)} the {chance.choice(NAMES)} of Kelder was {chance.choice(STATES)}, and '
            f'{chance.randrange(90)} boats lay at the {chance.choice(STATES)} {chance.choice(NAMES)}.'
            for _ in range(4)
        )
        for _ in range(24)
    ]
    return '\n\n'.join(['# The harbour of Kelder', *paragraphs[:11], injection, *paragraphs[11:]])


def short(injection: str) -> str:
    """A few lines, which reach the model as they are."""
    return f'Kelder, 4 March: the harbour is open.\n{injection}\nNext high water: 17:40.'


SURROUNDINGS = {'log': log, 'JSON': objects, 'page': page, 'short': short}
