"""The logbook of the keepers: a page that is too long to be given whole, made of entries that are all different."""

from collections.abc import Iterator
from itertools import product
from random import Random

FIRST_YEAR = 1934
SEASONS = 110
"""Entries, two a year: about 12,000 tokens together."""

PLANTED = {
    (1952, 'Autumn'): 'The screen of bay two held a church bell from the drowned village of Osmer, and it took nine '
    'keepers and an ox to lift it.',
    (
        1983,
        'Spring',
    ): 'The clock in the control room was set to the time of Port Vessary by mistake, and for three weeks '
    'every gate opened fourteen minutes late.',
}
"""What is asked for in `QUESTIONS`, by season."""

_FIRST = ('Ama', 'Bram', 'Corin', 'Dilys', 'Edda', 'Finn', 'Greta', 'Hob', 'Isolde', 'Jory', 'Kit', 'Lowen')
_LAST = ('Ashdown', 'Brackwater', 'Cull', 'Dunmere', 'Eelman', 'Farrow', 'Gull', 'Hythe', 'Ironside', 'Keld')
_WEATHER = (
    'A hard frost lay on the piers for {days} days',
    'It rained for {days} days and the mill race at Upper Fenn ran over',
    'The wind stood in the north for {days} days',
    'Fog kept the boats in harbour for {days} days',
    'The season was so mild that the swallows stayed {days} days longer than they should',
)
_WORK = (
    'the guide rails of bay {bay} were greased with {pounds} pounds of tallow',
    'a new oak sill of {pounds} pounds was laid in bay {bay}',
    'divers took {pounds} pounds of weed from the screen of bay {bay}',
    'the chain of gate {bay} was shortened by {links} links',
    'the brushes of the generator in bay {bay} were changed after {links} months of service',
    'a crack of {links} inches was found in the housing of bay {bay}',
)
_PEOPLE = (
    'taught {count} children of Sallow Bridge to read the gauge',
    'rowed {count} sacks of flour to the mill when the bridge was out',
    'counted {count} seals on the sandbank, more than in any year before',
    'won {count} crowns at the regatta and gave them to the chapel',
    'married the miller, and {count} guests danced in the turbine hall',
    'mended {count} nets while waiting for slack water',
    'wrote {count} letters to the ministry and had one answer',
)
_END = (
    'The best ebb gave {energy} megawatt hours.',
    'At the end of the season {energy} megawatt hours stood in the book.',
    'The counters were read twice and both times showed {energy} megawatt hours.',
    'With {energy} megawatt hours it was neither a good season nor a bad one.',
)


def entries() -> Iterator[tuple[int, str, str]]:
    """Year, season and text of each entry; the same every time."""
    random = Random(FIRST_YEAR)
    keepers = [f'{first} {last}' for first, last in product(_FIRST, _LAST)]
    random.shuffle(keepers)
    for index in range(SEASONS):
        year, season = FIRST_YEAR + index // 2, ('Spring', 'Autumn')[index % 2]
        numbers = {
            'days': random.randint(3, 40),
            'bay': random.randint(1, 12),
            'pounds': random.randint(20, 900),
            'links': random.randint(4, 60),
            'count': random.randint(5, 300),
            'energy': f'{2000 + 37 * index:,}',
        }
        keeper = keepers[index]
        parts = [
            f'{random.choice(_WEATHER)}, and {random.choice(_WORK)}.',
            f'{keeper} kept the watch from the first week to the last and {random.choice(_PEOPLE)}.',
            f'{keepers[-1 - index % 8]} wrote to {keeper} about bay {numbers["bay"]} and was told to wait for slack water.',
            random.choice(_END),
        ]
        text = ' '.join(parts).format(**numbers)
        yield year, season, f'{text} {PLANTED[year, season]}' if (year, season) in PLANTED else text


def logbook() -> str:
    """The content of the page, as HTML."""
    parts = ['<h1>Keepers’ logbook</h1>', '<p>An entry for every season since the first trial run.</p>']
    for year, season, text in entries():
        if season == 'Spring':
            parts.append(f'<h2>{year}</h2>')
        parts.append(f'<h3>{season} of {year}</h3>\n<p>{text}</p>')
    return '\n'.join(parts)
