"""One form for what writers write in several: dates, amounts, number words, accents, plurals, scripts without spaces.

`stated` gives all the forms under which the words of a source line may be quoted, `asked` the words of a quotation.
"""

import html
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator
from decimal import Decimal
from functools import lru_cache

import regex

from summarizer_tool.text.lines import HAS_SPACELESS, SPACELESS
from summarizer_tool.text.stop_words import ENGLISH

_UNITS = (
    *('zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve'),
    *('thirteen', 'fourteen', 'fifteen', 'sixteen', 'seventeen', 'eighteen', 'nineteen', 'twenty'),
)
_ORDINALS = (
    *('first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth', 'tenth', 'eleventh'),
    *('twelfth', 'thirteenth', 'fourteenth', 'fifteenth', 'sixteenth', 'seventeenth', 'eighteenth', 'nineteenth'),
    'twentieth',
)
_TENS = ('thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety')
_ROMAN = ('ii', 'iii', 'iv', 'v', 'vi', 'vii', 'viii', 'ix', 'x', 'xi', 'xii', 'xiii', 'xiv', 'xv', 'xvi')
_MONTHS = 'january february march april may june july august september october november december'.split()  # noqa: SIM905
NUMBER_WORDS = {
    **{word: value for value, word in enumerate(_UNITS)},
    **{word: value for value, word in enumerate(_ORDINALS, 1)},
    **{word: value for value, word in enumerate(_TENS, 3) for value in (value * 10,)},
    **{word[:-1] + 'ieth': value for value, word in enumerate(_TENS, 3) for value in (value * 10,)},
}
_SCALES = {
    'hundred': 100, 'thousand': 10**3, 'k': 10**3, 'million': 10**6, 'm': 10**6, 'mn': 10**6, 'mln': 10**6,
    'billion': 10**9, 'bn': 10**9, 'b': 10**9, 'trillion': 10**12, 'tn': 10**12, 'dozen': 12,
    'tausend': 10**3, 'mille': 10**3, 'millionen': 10**6, 'mio': 10**6, 'milliarde': 10**9, 'milliarden': 10**9,
    'mrd': 10**9, 'milliard': 10**9,
}  # fmt: skip
_SAME = {
    **{word: str(value) for word, value in NUMBER_WORDS.items()},
    **{word: str(value) for value, word in enumerate(_ROMAN, 2)},
    **{form: month[:3] for month in _MONTHS for form in (month, month[:3])},
    'sept': 'sep', 'mio': 'million', 'millionen': 'million', 'mrd': 'milliarde', 'milliarden': 'milliarde',
    'saint': 'st', 'mount': 'mt', 'doctor': 'dr', 'mister': 'mr', 'professor': 'prof', 'captain': 'capt',
    'lieutenant': 'lt', 'colonel': 'col', 'sergeant': 'sgt', 'junior': 'jr', 'senior': 'sr',
}  # fmt: skip

NUMBER = (
    r'(?<!\d,)\d{1,3}(?:,\d{2,3}){0,6},\d{3}(?![\d]|,\d)(?:\.\d++)?'
    r'|(?<!\d,)(?:\d{1,3}(?>(?:\.\d{3})+)|\d++),\d++(?![,.]\d)|\d++(?>(?:\.\d++)*)[¼-¾⅐-⅞]?'
)
"""A number with its groups and decimals, a version or address; of `1,2,3` and `1.5,2.5` each by itself."""
_PREFIXES = {'kilo': 'k', 'mega': 'm', 'giga': 'g', 'tera': 't', 'centi': 'c', 'milli': 'm', 'micro': 'μ', 'nano': 'n'}
_PREFIXED = """
m metre meter; g gram gramme gramm; s second seconde sekunde sec; l litre liter; b byte bit octet ib; t ton tonne;
w watt; wh; v volt; hz hertz; j joule; cal calorie kalorie; pa pascal; bar
"""
_UNPREFIXED = """
min m minute; h hour hr hrs heure stunde; day d tag tage jour; week w wk woche semaine; month monat monate mois;
year yr yrs jahr jahre ans annee; mile mi; mph; foot feet ft fuss; inch inches; yard yd; lb lbs pound; ounce oz;
kg kilo; gallon gal; acre; ha hectare hektar; barrel bbl; c celsius; f fahrenheit; mb m; gb g; tb t; kb k; psi;
μg mcg ug; % percent percentage pct prozent prozentpunkte; usd $ dollar; eur € euro; gbp £ pound; chf franc franken;
jpy ¥ yen; inr ₹ rupee; crown kr krone kronor kroner krona; rouble ruble; yuan; peso
"""
"""Units of measure and currencies, each with its other spellings; one spelling may be that of several."""
_BEFORE = frozenset(('$', '€', '£', '¥', '₹', 'usd', 'eur', 'gbp', 'chf', 'jpy', 'inr'))
_BETWEEN = frozenset(('-', '°', 'degree', 'degrees', 'grad', 'us', 'square', 'cubic', 'sq', 'metric'))

_CURRENCIES = {'$': 'usd', '€': 'eur', '£': 'gbp'}

_TOKEN = regex.compile(rf"[{SPACELESS}]+|(?:(?![{SPACELESS}])[\p{{L}}\p{{M}}])+(?:'\p{{L}}+)?|{NUMBER}")
_ASCII_TOKEN = re.compile(rf"[a-z]+(?:'[a-z]+)?|{NUMBER}")
# Accents, and the vowels of Hebrew and Arabic, which are seldom written; those of other scripts tell words apart.
_MARKS = re.compile('[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u00ad\u200b-\u200f\u2060\ufeff]+')
_VOICED = re.compile('.[\u3099\u309a]')
_OTHER_DIGIT = regex.compile(r'[^\P{Nd}0-9]')
_LETTERS = str.maketrans({
    '’': "'", 'ø': 'o', 'ł': 'l', 'đ': 'd', 'ð': 'd', 'þ': 'th', 'æ': 'ae', 'œ': 'oe', 'ı': 'i',
    '٫': '.', '٬': ',', '٪': '%',
})  # fmt: skip

_VULGAR = re.compile('([0-9]{0,9})([¼-¾⅐-⅞])')
_RAISED = re.compile('(?<=[0-9])(?=[⁰¹²³⁴-⁹])')
_DIGIT = re.compile(r'\d')
_ORDINAL_ENDING = re.compile(r'(?<=\d)(?:st|nd|rd|th)\b')
_DATE = re.compile(r'\b(\d{1,2})[./-](\d{1,2})[./-](\d{4})\b|\b(\d{4})[./-](\d\d)[./-](\d\d)(?!\d)|(?<!\d)(\d{1,2})月')
_WRITTEN = re.compile(
    r'(?:(?<=\d)|(?<=\d[ .])|(?<=\d of ))(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b'
    r'|\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? \d'
)
_JOINED_DIGITS = re.compile(r'\d[./-]\d')
_SPLIT_DIGITS = re.compile(r"\d[ .']\d{3}")
_GROUPED = re.compile(r"(?<![\d.,])\d{1,3}(?:[ .']\d{3})+(?![\d])")
_PADDED = re.compile(rf'([$€£¥₹] ?)?(?<!\d)(?<!\d[.,])({NUMBER}) ?([a-zμ]+|[%°$€£¥₹])?')
_COMMA_GROUPS = re.compile(r'[1-9]\d{0,2}(?:,\d{2,3})*,\d{3}(?:\.\d+)?')
_DOT_GROUPS = re.compile(r'\d{1,3}(?:\.\d{3}){2,}')
# A name has a small letter: `OR 1.50` is a ratio.
_VERSIONS = re.compile(
    r'(?:\b(?:[Vv]|[Vv]ersions?|[Rr]eleases?)[ .]?|\b([A-Z]\w{0,30}[a-z]\w{0,30}) v?)(?<!\d)'
    r'([1-9]\d{0,3}\.\d{1,2}(?!\w|[.,]\d)(?:(?:, ?| and | or |, and |[-–/])[1-9]\d{0,3}\.\d{1,2}(?!\w|[.,]\d)){0,9})'
)
_PADDED_VERSION = re.compile(r'\d+\.\d*0(?!\d)')
_OF_AMOUNTS = ENGLISH.union('average growth index mean median rate ratio score total value'.split())  # noqa: SIM905
_HAS_PADDING = re.compile(r'[.,]\d*0(?!\d)')
_SCALED = re.compile(r'(?<!\d)(?<!\d[.,])({})[ -]?({})\b'.format(NUMBER, '|'.join(_SCALES)))
# Where the case of a prefix tells a thousandth from a million; `mb` is written for `MB`.
_CASED = re.compile(r'(?<![^\W\d_])([mM])(?=(?:Wh?|V|Hz|J|Pa)\b)')
_PER_CENT = re.compile(r'\bp(?:er|our) cent\b')
_MEASURED = re.compile(rf"{NUMBER}|[a-zμ]+(?:'[a-z]+)?|\S")
_SPELLED = re.compile(
    r'\b(?:(?:a|an|half|{}|hundred|thousand|million|billion|dozen)(?:[ -](?:and )?|\b)){{2,}}'.format(
        '|'.join(NUMBER_WORDS)
    )
)
_SPELLS = re.compile(r'ty[ -][a-z]|hundred|thousand|million|billion|dozen')
_DOTTED = re.compile(r'\b(?:[a-z]\.){2,}')


def _clean(text: str) -> str:
    """Lower case, without accents, entities and invisible characters, digits of all scripts as 0 to 9."""
    if '&' in text:
        text = html.unescape(text)
    text = text.casefold()
    if not text.isascii() and not (text := text.translate(_LETTERS)).isascii():
        text = _VULGAR.sub(lambda match: f'{int(match[1] or 0) + unicodedata.numeric(match[2]):.9g}', text)
        text = _RAISED.sub('^', text)
        text = _MARKS.sub('', unicodedata.normalize('NFKD', text)).translate(_LETTERS)
        text = _OTHER_DIGIT.sub(lambda match: str(unicodedata.decimal(match.group())), text)
        text = _VOICED.sub(lambda match: unicodedata.normalize('NFC', match.group()), text)
    return text


def number_form(number: str) -> str:
    """A number without groups and with a decimal point: `1,200` and `1.200,5`, but `3,5` is 3.5, and `3.10` no 3.1."""
    if ',' not in number:
        return number.replace('.', '') if _DOT_GROUPS.fullmatch(number) else number
    if _COMMA_GROUPS.fullmatch(number):
        return number.replace(',', '')
    whole, _, rest = number.partition(',')
    return f'{whole.replace(".", "")}.{rest}' if rest.isdigit() else number


def bare_number(number: str) -> str:
    """The value of a decimal: without zeros at its end."""
    return number.rstrip('0').rstrip('.') if number.count('.') == 1 else number


@lru_cache(maxsize=65_536)
def _fold(word: str) -> str:
    """One form for a word: singular, a number word as digits, a month by three letters, a number without groups."""
    if word[0].isdigit():
        number = number_form(word)
        return number.lstrip('0') or '0' if number.count('.') < 2 else number
    word = word.removesuffix("'s")
    if word in _SAME:
        return _SAME[word]
    if len(word) > 3 and word.endswith('s') and word.isascii():
        if word.endswith('ies') and len(word) > 4:
            word = f'{word[:-3]}y'
        elif word.endswith('ves'):
            word = f'{word[:-3]}f'
        elif word.endswith(('ches', 'shes', 'xes', 'sses', 'zes')):
            word = word[:-2]
        elif not word.endswith(('ss', 'us', 'is')):
            word = word[:-1]
    return _SAME.get(word, word)


def _tokens(clean: str) -> list[str]:
    if clean.isascii():
        return [_fold(word) for word in _ASCII_TOKEN.findall(clean)]
    out: list[str] = []
    for word in _TOKEN.findall(clean):
        if HAS_SPACELESS.match(word):  # as pairs of characters; a single character as it is
            out.extend(word[place : place + 2] for place in range(max(1, len(word) - 1)))
        else:
            out.append(_fold(word))
    return out


def sequence(text: str) -> list[str]:
    """The words of `text` in order, each in its one form."""
    clean = _clean(text)
    if _DIGIT.search(clean):
        if '.' in clean:  # `13.03.1963` is three numbers, not a decimal and a year
            clean = _DATE.sub(lambda match: re.sub(r'[./]', ' ', match.group()), clean)
        clean = _ORDINAL_ENDING.sub('', clean)
    return _tokens(clean)


@lru_cache(maxsize=65_536)
def asked(mention: str) -> frozenset[str]:
    """The words of a name, date or number, each in its one form."""
    return frozenset(sequence(mention))


def stated(text: str) -> frozenset[str]:
    """All words of a line and the other forms under which its dates and amounts may be quoted."""
    clean = _clean(text)
    found = set(_tokens(clean))
    if _DIGIT.search(clean):
        found.update(_number_forms(text, clean, found))
    if _SPELLS.search(clean):
        found.update(str(value) for match in _SPELLED.finditer(clean) if (value := _spelled(match.group())) is not None)
    if '.' in clean:
        found.update(match.group().replace('.', '') for match in _DOTTED.finditer(clean))
    if not clean.isascii():
        found.update(HAS_SPACELESS.findall(clean))
    found.update(code for sign, code in _CURRENCIES.items() if sign in clean)
    return frozenset(found)


def _date_forms(clean: str) -> Iterator[str]:
    for match in _DATE.finditer(clean):
        yield from (_fold(part) for part in match.groups() if part is not None)
        for part in match.group(1, 2, 5, 7):
            if part is not None and 1 <= int(part) <= 12:
                yield _MONTHS[int(part) - 1][:3]


def _number_forms(text: str, clean: str, found: set[str]) -> Iterator[str]:
    """The other forms of the numbers in a line; what cannot occur beside the words `found` is not looked for."""
    if '月' in clean or _JOINED_DIGITS.search(clean):
        yield from _date_forms(clean)
    for whole, fraction in () if text.isascii() else _VULGAR.findall(text):
        yield from () if whole else unicodedata.normalize('NFKC', fraction).split('⁄')
    if not found.isdisjoint(_MONTH_NUMBER):
        for match in _WRITTEN.finditer(clean):
            yield str(_MONTH_NUMBER[match.group(1) or match.group(2)])
    if not found.isdisjoint(_SCALES):
        for match in _SCALED.finditer(clean):
            yield from _scaled(*match.groups())
    if _HAS_PADDING.search(clean):
        versions = _versions(text)
        for currency, number, unit in _PADDED.findall(clean):
            yield from _unpadded(currency, number, unit, versions)
    if _SPLIT_DIGITS.search(clean):
        for match in _GROUPED.finditer(clean):
            yield _fold(re.sub(r'\D', '', match.group()))


_MONTH_NUMBER = {month[:3]: number for number, month in enumerate(_MONTHS, 1)}


def _scaled(number: str, scale: str) -> Iterator[str]:
    if (form := number_form(number)).count('.') < 2:
        yield _fold(format((Decimal(form) * _SCALES[scale]).normalize(), 'f'))


def _versions(text: str) -> frozenset[str]:
    """The numbers that stand behind a name or `version`, of which `3.10` is no `3.1`."""
    return frozenset(
        number
        for match in _VERSIONS.finditer(text)
        if not match[1] or match[1].lower() not in _OF_AMOUNTS
        for number in _PADDED_VERSION.findall(match[2])
    )


def _unpadded(currency: str, number: str, unit: str, versions: frozenset[str]) -> Iterator[str]:
    """The value of a decimal with zeros at its end, unless it is a version."""
    bare = bare_number(_fold(number))
    is_amount = currency or unit == '°' or unit in _SPELLINGS or unit[:-1] in _SPELLINGS or '.' not in bare
    if is_amount or number not in versions:
        yield bare


def amounts(text: str, place: int) -> Iterator[str]:
    """The value of the number at `place` with what belongs to it: `3.5 million` is 3500000, `1 200` is 1200."""
    clean = _clean(text[place : place + 40])
    if match := _PADDED.match(clean):
        currency, number, unit = match.groups('')
        yield from _unpadded(currency, number, unit, _versions(text[max(0, place - 40) : place + 40]))
    if match := _SCALED.match(clean.lstrip('$€£¥ ')):
        yield from _scaled(*match.groups())
    for match in _GROUPED.finditer(text, max(0, place - 16), place + 16):
        if match.start() <= place < match.end():
            yield _fold(re.sub(r'\D', '', match.group()))


def _spellings() -> dict[str, frozenset[str]]:
    found: defaultdict[str, set[str]] = defaultdict(set)
    for unit, *others in map(str.split, f'{_UNPREFIXED};{_PREFIXED}'.split(';')):
        for spelling in (unit, *others):
            found[spelling].add(unit)
    for unit, *others in map(str.split, _PREFIXED.split(';')):
        for prefix, letter in _PREFIXES.items():
            for spelling in (each + other for other in (unit, *others) for each in (prefix, letter)):
                found[spelling].add((letter if prefix != 'milli' else prefix) + unit)
    return {spelling: frozenset(units) for spelling, units in found.items()}


_SPELLINGS = _spellings()
_NOTHING = frozenset[str]()

Measure = tuple[frozenset[str], frozenset[str]]
"""The scale and the unit of a number, each as all that it may be; empty where none is written."""


def measures(text: str) -> dict[str, list[Measure]]:
    """What is written beside each number of a text, each time: of `$3.2m` a million, and dollars."""
    text = _CASED.sub(lambda match: 'mega' if match[1] == 'M' else 'milli', text)
    tokens = _MEASURED.findall(_PER_CENT.sub('%', _clean(text)))
    found: defaultdict[str, list[Measure]] = defaultdict(list)
    for place, token in enumerate(tokens):
        if not token[0].isdecimal() and token not in NUMBER_WORDS:
            continue
        before = tokens[place - 1] if place else ''
        scale, unit = _NOTHING, _SPELLINGS[before] if before in _BEFORE else _NOTHING
        for word in tokens[place + 1 : place + 6]:
            singular = word[:-1] if word.endswith(('s', 'n')) else word
            units = _SPELLINGS.get(word) or _SPELLINGS.get(singular, _NOTHING)
            value = _SCALES.get(word) or _SCALES.get(singular)
            if value and not scale:
                scale, unit = frozenset((str(value),)), unit or units
            elif word not in _BETWEEN and not (word == '.' and scale):
                unit = units or unit
                break
        found[bare_number(_fold(token))].append((scale, unit))
    return found


def _spelled(phrase: str) -> int | None:
    """The value of a number in words: `two hundred and fifty`, `twenty-first`, `a dozen`, `nineteen eighty-four`."""
    total = part = 0
    for word in re.findall('[a-z]+', phrase):
        if word in NUMBER_WORDS:
            last, value = part % 100, NUMBER_WORDS[word]
            if last and (value > 9 or last < 20 or last % 10):
                if not 9 < part < 100 or value < 10:
                    return None  # a row of numbers
                part *= 100
            part += value
        elif word in _SCALES:
            part = (part or 1) * _SCALES[word]
            if _SCALES[word] > 100:
                total, part = total + part, 0
        elif word == 'half':
            return None
    return total + part


_DERIVING = ('n', 'an', 'ian', 'ean', 'ish', 'ese', 'i', 'y', 'ic', 'er', 'al')
_LEAST_ROOT = 4


def relatives(word: str) -> Iterator[str]:
    """Forms that `word` may have been derived from or to: `american` and `america`, `germany` and `german`."""
    for ending in _DERIVING:
        if word.endswith(ending) and len(word) - len(ending) >= _LEAST_ROOT:
            yield word[: -len(ending)]
        if len(word) >= _LEAST_ROOT:
            yield word + ending


def inflections(word: str) -> Iterator[str]:
    """Beginnings by which a word in an inflecting script (Cyrillic, Greek ...) is the same in another case."""
    if not word.isascii() and not HAS_SPACELESS.match(word):
        for length in range(len(word), max(3, len(word) - 3), -1):
            yield word[:length]
        if len(word) > 3:
            yield word[: max(3, len(word) - 3)]
