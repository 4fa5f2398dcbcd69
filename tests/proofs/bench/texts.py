"""Texts of any size for the benchmarks, made up and always the same."""

import random

_NAMES = [
    'Ada Brook',
    'Morn Keld',
    'Vael Tarn',
    'Ilse Quarry',
    'Tobin Sedge',
    'Hesper Lowe',
    'Osmer Finch',
    'Runa Holt',
    'Pell Drake',
    'Wat Hobley',
]
_PLACES = ['Marn', 'Kelder Fen', 'the Tide Hall', 'Ashgate', 'Lower Quay', 'Bellwater', 'the Salt Road', 'Hob Hill']
_DEEDS = ['founded', 'burned', 'sold', 'inherited', 'defended', 'rebuilt', 'surveyed', 'abandoned']
_REST = (
    'The weather was poor and the harvest was late, as the chronicle says at length.',
    'Nothing else of note is recorded for that season by the clerks of the hall.',
    'Travellers of the time describe long queues at the ferry and a smell of peat smoke.',
)


def chronicle(sections: int, seed: int = 7) -> str:
    """Markdown of `sections` sections, about 200 tokens each, with names, numbers and dates to keep."""
    choice = random.Random(seed)
    out: list[str] = []
    for number in range(1, sections + 1):
        out.append(f'## Year {600 + number} of the {choice.choice(_PLACES)} chronicle\n')
        sentences: list[str] = []
        for _ in range(7):
            sentences.append(
                f'{choice.choice(_NAMES)} {choice.choice(_DEEDS)} {choice.choice(_PLACES)} on day {choice.randint(1, 360)} '
                f'with {choice.randint(10, 9999):,} crowns from {choice.choice(_NAMES)}.'
            )
            sentences.append(choice.choice(_REST))
        out.append(' '.join(sentences) + '\n')
    return '\n'.join(out)
