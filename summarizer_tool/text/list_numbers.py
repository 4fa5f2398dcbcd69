"""Numbers of lists as their items show them."""

_ROMAN = {1000: 'm', 900: 'cm', 500: 'd', 400: 'cd', 100: 'c', 90: 'xc', 50: 'l', 40: 'xl', 10: 'x', 9: 'ix', 5: 'v',
          4: 'iv', 1: 'i'}  # fmt: skip
_MOST = 4000
"""Numbers from this on are written with digits."""


def shown(number: int, form: str) -> str:
    """A number in a form of Word, such as `lowerLetter` and `upperRoman`; in others with digits."""
    text = f'{number:02}' if form == 'decimalZero' else str(number)
    if form.endswith('Letter') and 0 < number < _MOST:  # after z comes aa
        text = chr(ord('a') + (number - 1) % 26) * ((number - 1) // 26 + 1)
    elif form.endswith('Roman') and 0 < number < _MOST:
        text = ''
        for value, sign in _ROMAN.items():
            text += sign * (number // value)
            number %= value
    return text.upper() if form.startswith('upper') else text
