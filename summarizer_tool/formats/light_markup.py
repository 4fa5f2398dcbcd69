"""Wikitext and LaTeX as markdown: headings, items, terms, plain words.

What a text is in the name of its file says, of wikitext its marks, too; whatever no rule speaks of stays as it is.
"""

import re
from collections.abc import Callable, Mapping, Sequence

_CURRENCIES = ('$', '£', '€', '¥', '₹', '₽', '₩')

_Instead = str | Callable[[re.Match[str]], str]


def _template(found: re.Match[str]) -> str:
    """What a template without others in it shows: fields, items, a date, a measure, or the longest of what it has."""
    name, *given = found[1].split('|')
    if '\n' in found[1]:
        fields = (each.partition('=') for each in given)
        shown = (f'- {key.strip()}: {" ".join(value.split())}' for key, _, value in fields if value.strip())
        return '\n'.join(['', *shown, ''])
    said = [each.strip() for each in given if each.strip() and '=' not in each]
    named = {key.strip(): value.strip() for key, _, value in (each.partition('=') for each in given) if value.strip()}
    name, _, number = name.strip().lower().partition(':')
    if (shown := _measure(name, said, named)) is not None:
        return shown
    if name == 'formatnum':
        return number.strip()
    if 'list' in name or not said:
        return ', '.join(said)
    if said[0].isdigit() and len(said) > 1:
        if not all(map(str.isdigit, said)):
            return ' '.join(said[:3])
        return ('-' if len(said[0]) == 4 else ', ').join(said[:3])
    return max(said, key=len)


def _measure(name: str, said: Sequence[str], named: Mapping[str, str]) -> str | None:
    """What a template of a number shows, or of a note, which shows nothing; `None` of another."""
    match name:
        case 'val' if said:
            power = f'×10^{named["e"]}' if 'e' in named else ''
            return f'{said[0]}{power} {named.get("u", "")}'.rstrip()
        case 'convert' | 'cvt':
            ends = (at for at in range(2, len(said), 2) if not said[at].lstrip('+-−')[:1].isdigit())
            return ' '.join(said[: next(ends, len(said))])
        case 'frac' | 'sfrac' if said:
            *whole, over, under = ('1', *said) if len(said) == 1 else said
            return ' '.join([*whole, f'{over}/{under}'])
        case 'height':
            return ' '.join(f'{value} {unit}' for unit, value in named.items() if unit in ('ft', 'in', 'm', 'cm'))
        case 'coord':
            return ' '.join(each for each in said if ':' not in each)
        case 'sfn' | 'sfnp' | 'efn' | 'refn':
            return ''
        case _:
            return f'{name.upper()}{said[0]}' if said and name[-1:] in _CURRENCIES else None


def _row(found: re.Match[str]) -> str:
    """A row of a table, with the rule below it where all of its cells are titles."""
    lines = found[0].splitlines()
    cells = [cell for line in lines for cell in re.split(r'\|\||!!', line.strip()[1:])]
    shown = ''.join(f'| {re.sub(r"^[^|=]*=[^|]*[|]", "", cell).strip()} ' for cell in cells)
    return f'{shown}|\n{"| --- " * len(cells)}|\n' if all(line[0] == '!' for line in lines) else f'{shown}|\n'


def _verbatim(found: re.Match[str]) -> str:
    """Code, or an address, with a sign for its backslashes until all rules have been applied; of a comment nothing."""
    kept = {'code': '\n```\n{}\n```\n', 'span': '`{}`', 'address': '{}', 'words': '\\emph{{{}'}
    kind = found.lastgroup or ''
    return kept[kind].format(found[kind].strip('\n').replace('\\', '\0')) if kind in kept else ''


_WIKI_LINK = re.compile(r'\[\[(?![\s:$"-])[^\[\]\n]{1,200}(?<!\s)\]\]')
_WIKI_MARK = re.compile(r"'''?[^'\n]{1,200}'''?|\{\{(?!\s)[^{}\n]{1,200}|<ref[ >]")
_LEAST = 2
"""Headings, links and other marks that a wikitext must have, of each, whose name does not say what it is."""
_WIKI_HEADING = re.compile(r'^(={2,5})[^=\n]{1,200}\1[ \t]*$', re.MULTILINE)
_TEMPLATE: tuple[str, _Instead] = (r'\{\{([^{}|]{1,80}(?:\|[^{}]{0,4000})?)\}\}', _template)
_IMAGE: tuple[str, _Instead] = (
    r'\[\[[^\[\]|\n]{1,500}\.(?:jpe?g|png|svg|gif|webp|og[gv])(?:\|[^\[\]]{0,2000})?\]\]',
    '',
)
_RULES: Mapping[tuple[str, ...], Sequence[tuple[str, _Instead]]] = {
    ('.mediawiki', '.wiki', '.wikitext'): (
        (
            r'<(ref|gallery)\b[^<>]{0,300}(?:/>|(?<!/)>(?:(?!<(?:ref|gallery)\b)[\s\S])*?</\1>)|<!--(?:(?!<!--)[\s\S])*?-->',
            '',
        ),
        (r'</?(?:pre|source|syntaxhighlight)\b[^<>]{0,200}>', '\n```\n'),
        _IMAGE,
        (r'^\[\[[^\[\]|\n]{1,100}:[^\[\]\n]{1,300}\]\][ \t]*$', ''),
        (r'\[\[(?:[^\[\]|\n]{1,500}\|)?([^\[\]|\n]{1,500})\]\]', r'\1'),
        _IMAGE,  # with links in what stands below it
        (r'<br[ \t]*/?>', ', '),
        *[_TEMPLATE] * 3,
        (r'^(?:\{\||\|\}).*$|^\|\+|^__[A-Z]+__[ \t]*$', ''),
        (r'(?:^[|!](?!-).*(?:\n|\Z))+', _row),
        (r'^\|-.*\n', ''),
        (r'\[(?:https?:)?//[^\s\[\]]{1,2000}\s([^\[\]\n]{1,300})\]', r'\1'),
        (r"'{2,5}|</?(?:su[bp]|small|big|center|div|span)\b[^<>\n]{0,300}>", ''),
        (r'^:+[ \t]*(?=\S)', ''),
        (
            r'^[*#]*([*#])[ \t]*',
            lambda found: '  ' * (len(found[0].strip()) - 1) + ('- ' if found[1] == '*' else '1. '),
        ),
        (r'^(={1,6})(?!=)[ \t]*(.{1,300}?)[ \t]*\1[ \t]*$', lambda found: f'\n{"#" * len(found[1])} {found[2]}\n'),
    ),
    ('.tex', '.ltx', '.latex'): (
        (
            r'\\begin\{(verbatim\*?|lstlisting|minted)\}.{0,200}\n(?P<code>(?:(?!\\begin\{\1\})[\s\S])*?)\\end\{\1\}.*$'
            r'|\\(?:verb|lstinline)\*?([^\w\s*{\[])(?P<span>.{0,400}?)\3'
            r'|\\(?:url|path)\{(?P<address>[^{}\n]{0,2000})\}|\\href\{[^{}\n]{0,2000}\}\{(?P<words>)|(?<!\\)%.*$',
            _verbatim,
        ),
        (r'\\(?:begin|end)\{(?:verbatim|lstlisting|minted)\}.*$', '\n```\n'),
        (r'\\(?:begin|end)\{[^{}\n]{1,40}\}(?:\[[^\]\n]{0,40}\])?', '\n\n'),
        (
            r'~?\\\w*(?:cite|ref|label|space|graphics|package|class|command|bibliography)\w*\*?(?:[\[{][^\]}\n]{0,400}[\]}])*',
            '',
        ),
        (r'\\(?:title|chapter)\*?\{([^{}\n]{1,400})\}', r'\n\n# \1\n\n'),
        (
            r'\\((?:sub)*)section\*?\{([^{}\n]{1,400})\}',
            lambda found: f'\n\n##{"#" * (len(found[1]) // 3)} {found[2]}\n\n',
        ),
        (r'\\item\b[ \t]*(?:\[([^\]\n]{1,200})\])?\s*', lambda found: f'\n- {found[1]}: ' if found[1] else '\n- '),
        (r'\\(?:text\w+|emph|caption|author)\{([^{}]{0,4000})\}|\{\\\w+ ([^{}]{0,400})\}', r'\1\2'),
        (
            r'[ \t]?\\footnote(?:text)?(?:\[\w{0,9}\])?\{([^{}]{0,4000})\}',
            lambda found: f' ({found[1].strip().rstrip(".")})',
        ),
        (r'\\([%&$#_])', r'\1'),
        (r'\0', r'\\'),
    ),
}
_BY_SUFFIX = {
    suffix: [(re.compile(expression, re.MULTILINE), instead) for expression, instead in rules]
    for suffixes, rules in _RULES.items()
    for suffix in suffixes
}


def is_wikitext(text: str) -> bool:
    """Return whether a text has headings, links and other marks of wikitext, and is no script."""
    found = (len(marks.findall(text)) for marks in (_WIKI_HEADING, _WIKI_LINK, _WIKI_MARK))
    return text[:2] != '#!' and all(count >= _LEAST for count in found)


def markdown(text: str, suffix: str) -> str:
    """The text as markdown; empty where the name of its file ends otherwise."""
    for expression, instead in _BY_SUFFIX.get(suffix, ()):
        text = expression.sub(instead, text)
    return re.sub(r'(?<![ \t])[ \t]*\n{3,}', '\n\n', text).strip('\n') + '\n' if suffix in _BY_SUFFIX else ''
