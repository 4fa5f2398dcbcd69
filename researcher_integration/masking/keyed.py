"""Secrets that stand beside their name in a text: `DB_PASSWORD=…`, `"apiKey": "…"`, `--token …`, `<secret>…`."""

import re
from collections.abc import Iterator

from researcher_integration.masking import secret_names
from researcher_integration.masking.findings import Finding
from researcher_integration.masking.secret_names import Kind
from researcher_integration.masking.tables import find_in_columns

# Of `re`: `regex` looks for the letters that an expression needs in all that follows, for each place it is tried at.
_BEFORE = re.compile(r'[\w\-.]*$')
_CLOSING = r'(?P<closing>(?:\\*["\'`\]]){0,3})'
_QUOTE = r'(?P<quote>\\*["\'`])'
_ASSIGNED = re.compile(rf'{_CLOSING}(?P<sign>[ \t]*(?:=>|:=|：|={{1,3}}|!==?|:(?!//)|->)[ \t]*)(?:[@bfru]?{_QUOTE})?')
_OPTION = re.compile(rf'(?:[ \t]+|["\'],[ \t\r\n]*(?=\\*["\'`]))(?=["\'`\\]*[^\s\-("\'`\\])(?:{_QUOTE})?')
_ELEMENT = re.compile(r'>[ \t]*(?P<value>[^<>\r\n\0]++)</')
_PAIR = re.compile(rf'{_CLOSING},?\s*\\*["\']?(?:[Vv]alue|VALUE)\\*["\']?[ \t]*[:=][ \t]*(?:{_QUOTE})?')
_PAIR_NAME = re.compile(r'\b(?:name|key|Name|Key|NAME)\\*["\']?[ \t]*[:=][ \t]*\\*["\']?$')

_TO_QUOTE = {q: re.compile(rf'(?>(?:[^{q}\\\r\n\0]++|\\.)*)') for q in ('"', "'", '`')}
# What follows a comma, a semicolon or an ampersand may still be the secret, unless another name is.
_UNQUOTED = re.compile(r'(?>(?:[^\s\0"\'`,;&\\]++|[,;&](?!\s|$|[\w.\-% ]{1,40}[=:])|\\++(?!["\'`]))*)')
_TO_LINE_END = re.compile(r'[^\r\n\0]*+')
_LINE_START = re.compile(r'^[ \t]*(?:[-*>][ \t]+|export[ \t]+|set[ \t]+|ENV[ \t]+)*["\']?$')
_FLOW = re.compile(r'[{\[]+[ \t]*["\']?[\w.\-]+["\']?:$')
_BLOCK = re.compile(r'(?:![\w!]{1,20}[ \t]+)?[|>][+\-]?\d?[ \t]*(?:#[^\r\n]*)?$')
_CALL = re.compile(r'[A-Za-z_][\w.]*[(\[]')
_CALL_OF_TEXT = re.compile(rf'(?P<function>[A-Za-z_][\w.]*)\([ \t]*[bfru]?{_QUOTE}')
# What only a program means, and no file of settings says: `self.token`, `bool | None`, `required(token)`.
_CODE = re.compile(
    r'(?:bool|int|float|str|bytes|any|object|boolean|number|string|Any|Optional|Union|None|SecretStr)'
    r'(?:[ ]*[=|,\[)?;].*)?$'
    r'|(?:self|this|exports|module|cls)\.[\w.]+$|(?:await|async|not|new|lambda|yield|typeof|function)$|[({\[]+[a-z]*$|\$(?:\(|\{\{)'
    r'|\$?\{[A-Za-z_][\w.]*\[?$|[A-Za-z_][\w.]*(?:\(|\[\d*|\{\}?)$|_[A-Z_]+$|\(\?[:=!<]'
    r'|[A-Za-z_.]+\[(?:[A-Za-z_., |\[\]]*\](?: = .*)?)?$'
    r'|(?:[A-Za-z(,)]+ ){3,}[A-Za-z(), ]+\.(?: .*)?$|\((?:[a-z]+, )+[a-z]+\):',
    re.DOTALL,
)  # fmt: skip
_NOT_OF_TEXT = re.compile(
    r'env|compile$|\b(?:get|encode|decode|startswith|endswith|split|replace|strip|join|format|r?partition)$'
)
_ONE_TEXT = re.compile(r'\\*["\'`][ \t\r\n]*\)')
_SAME = ('==', '===', '!=', '!==')
_WORD = re.compile(r'[A-Za-z_.]+(?![\w\-/+])')
_NEW_LINE = re.compile(r'\\[nrt]')
_NAMED = re.compile(r'[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$')
# Of letters alone, and all of one case in each word.
_PLAIN_NAME = re.compile(r'(?=.{1,40}$)(?:(?:[a-z_]+|[A-Z_]+)(?:\.(?:[a-z_]+|[A-Z_]+))*|(?:[A-Z][a-z]+)+)$')
_OPERATOR = re.compile(r'[ ]+(?:or|and|if|in|is|else|not)\b')
_CALL_OF_NAMES = re.compile(r'[A-Za-z_.]+\((?:[\w., =*\[\]]|"[^"\n]*"|\'[^\'\n]*\')*\)')
_ANNOTATION = re.compile(r'<[^<>\r\n]{0,200}>')

# Of a Secret of Kubernetes, as its programs log it: `secret="kube-system/lamp-tls"`.
_REFERENCE = re.compile(r'[a-z][a-z\-]{0,62}\d{0,3}/[a-z][a-z.\-]{0,62}\d{0,3}')

# What a sentence says between a name and its value, in a few languages.
_OF = r'(?: (?:for|of|von|de|du|da|di|для) [^\s,;:]{1,40}(?: [^\s,;:]{1,40}){0,3})?'
_IS = (
    r'is|was|are|will be|has been|ist|war|lautet|es|est|é|è|jest|är|er|on|to|—|–|это',
    r'now|set to|changed to|jetzt|ahora',
    r'是|为|為|は|は、|는|은',
)
_TOLD = re.compile(
    rf'["\'`)*]{{0,3}}{_OF}(?: +(?:{_IS[0]})(?: (?:{_IS[1]}))? *:? +| *(?:{_IS[2]}) *[:：]? *)'
    r'[*_]{0,2}["\'`“„«]?(?P<value>[^\s\0"\'`”“»*]{4,})'
)
# `is base64-encoded`, `is 8 characters`: a standard, a version, a unit, a date.
_TERM = re.compile(
    r'(?:base|sha|md|utf|oauth|x|rsa|aes|v|iso|hs|rs|es|ed|argon|pbkdf|ipv|http|tls|rfc|python|ascii)-?\d+(?:[-/.]\w+)*$'
    r'|\d{1,11}(?:[.:\-/]\d+)*(?:[a-z%]{0,4}|-\w+)$',
    re.IGNORECASE,
)

# Behind the name of a column: another column, or the line under the header.
_HEADER = re.compile(r'["`*\]]{0,3}[ \t]*(?:[,;|\t\u2502]|[ ]{2}|\r?\n)')

_MAX_INDENT = 60
"""Characters before a name that begins a line."""


def find_keyed(text: str, lower: str) -> Iterator[Finding]:
    """Find values by the names beside them."""
    done = header_end = 0
    for start, end, kind in secret_names.hits(lower):
        if start < done:
            continue
        before = _BEFORE.search(text[max(0, start - 40) : start])
        name_start = start - len(before[0] if before else '')
        name = text[name_start:end]
        is_path = text[name_start - 1 : name_start] == '/' and text.startswith(
            ':/', end
        )  # `-v /etc/passwd:/etc/passwd`
        if is_path or secret_names.harmless(name.lstrip('-.')):
            continue
        value = _value(text, name_start, end, kind, option=name.startswith('--'))
        if value and kind == 'SECRET' and secret_names.is_address(name, text[value.start : value.end]):
            done = value.end
        elif value:
            done = value.end
            yield value
        elif end > header_end and _HEADER.match(text, end):
            header_end = _line_end(text, end)
            yield from find_in_columns(text, start)


def find_service_keys(text: str, lower: str) -> Iterator[Finding]:
    """Find generated values by the names of services beside them: `stripe = …`."""
    for start, end in secret_names.service_hits(lower):
        value = _value(text, start, end, 'API_KEY', option=text[start - 2 : start] == '--')
        if value and secret_names.is_generated(text[value.start : value.end]):
            yield value


def _value(text: str, start: int, end: int, kind: Kind, *, option: bool) -> Finding | None:
    """The value of the name that stands from `start` to `end`."""
    if assigned := _ASSIGNED.match(text, end):
        if assigned['quote'] and text[start - 1 : start] == assigned['quote'] and not assigned['closing']:
            return None  # which ends what the name stands in: `token=`
        if assigned['quote']:
            return _quoted(text, assigned, kind)
        return _unquoted(text, start, assigned, kind)
    if option and (given := _OPTION.match(text, end)):
        if given['quote']:
            return _quoted(text, given, kind)
        end = _bare_end(text, given.end())
        is_prose = kind != 'PASSWORD' and secret_names.is_word(
            text[given.end() : end].rstrip('.')
        )  # `the --api-key flag`
        return None if is_prose else _found(text, given.end(), end, kind)
    if text[start - 1 : start] in ('<', ':') and (element := _ELEMENT.match(text, end)):
        return _found(text, *element.span('value'), kind)
    if (pair := _PAIR.match(text, end)) and _PAIR_NAME.search(text[max(0, start - 30) : start]):
        if pair['quote']:
            return _quoted(text, pair, kind)
        return _found(text, pair.end(), _line_end(text, pair.end()), kind)
    if told := _TOLD.match(text, end):
        return _told(text, *told.span('value'), kind)
    return None


def _told(text: str, start: int, end: int, kind: Kind) -> Finding | None:
    """What a sentence says that a secret is, if no word: with digits and letters, or other signs, in it."""
    value = text[start:end].rstrip('.,;:!?)]}。，')
    digits = sum(map(str.isdigit, value))
    capitals = sum(map(str.isupper, value[1:]))
    if kind == 'PASSWORD':
        generated = len(value) >= 4 and (digits > 0 or (capitals > 1 and value.upper() != value))
    else:
        generated = len(value) >= 8 and digits > 0
    return (
        _found(text, start, start + len(value), kind) if generated and not _TERM.match(_before_escape(value)) else None
    )


def _quoted(text: str, match: re.Match[str], kind: Kind) -> Finding | None:
    quote = match['quote']
    start = match.end()
    if len(quote) > 1:  # within a string: it ends with the same number of backslashes
        closing = text.find(quote, start)
        line_end = text.find('\n', start, closing) if closing >= 0 else _line_end(text, start)
        end = line_end if line_end >= 0 else closing
    else:
        closed = _TO_QUOTE[quote].match(text, start)
        end = closed.end() if closed else start
    value = text[start:end]
    if kind != 'PASSWORD' and len(value) < 4:
        return None
    return _found(text, start, end, kind)


def _unquoted(text: str, name_start: int, match: re.Match[str], kind: Kind) -> Finding | None:
    start = match.end()
    end = _bare_end(text, start)
    value = text[start:end]
    if (call := _CALL_OF_TEXT.match(text, start)) and not _NOT_OF_TEXT.search(call['function'].lower()):
        quoted = _quoted(text, call, kind)
        return quoted if quoted and _ONE_TEXT.match(text, quoted.end) else None  # `password = SecretStr('…')`
    if _is_code(text, name_start, match, end, kind):
        return None
    named_in_quotes = any(quote in match['closing'] for quote in ('"', "'"))
    if value[:1] in ('{', '[') and (named_in_quotes or len(value) == 1 or _FLOW.match(value)):
        return None  # what is in it is looked at by itself
    json_key = '"' in match['closing']
    if json_key or (match['sign'].strip() != ':' and not match['sign'].startswith(' ')):
        if kind != 'PASSWORD' and _is_count(value):
            return None
        return _found(text, start, end, kind, bare=json_key and '\\' not in match['closing'])
    if match['sign'].strip() != ':':  # ` = `, as in code
        code = _CALL.match(value) or (kind != 'PASSWORD' and _is_count(value))
        return None if code else _found(text, start, end, kind)
    near = max(0, name_start - _MAX_INDENT)
    line_start = max(text.rfind('\n', near, name_start), text.rfind('\0', near, name_start)) + 1
    if (line_start or near == 0) and _LINE_START.match(text[line_start:name_start]):
        return _of_line(text, line_start, start, kind)
    return None if _prose(text, value, end, kind) else _found(text, start, end, kind)


def _is_code(text: str, name_start: int, match: re.Match[str], end: int, kind: Kind) -> bool:
    """Return whether an unquoted value is an expression of a program, made of names."""
    if _CALL_OF_NAMES.match(text, match.end()) or (match['sign'].strip() in _SAME and _WORD.match(text, match.end())):
        return True
    value = _before_escape(text[match.end() : end])
    end = match.end() + len(value)
    if not _NAMED.match(value):
        return False
    unspaced = match['sign'] in ('=', ':')
    if secret_names.kind_of(value) and ('.' in value or not unspaced or text[end : end + 1] in (',', ')', '\\')):
        return True
    if kind == 'PASSWORD' or not _PLAIN_NAME.match(value):
        return False
    indexed = text[name_start - 1 : name_start] == '[' and match['closing'][:1] == ']'
    in_code = not unspaced if match['sign'].strip() != ':' else '"' in match['closing']
    assigned = in_code or (match['sign'] == '=' and text[end : end + 1] in (',', ')'))
    return indexed or assigned or _OPERATOR.match(text, end) is not None


def _before_escape(value: str) -> str:
    r"""A value without what follows in a text whose lines are parted by escapes: `None\n    return`."""
    return _NEW_LINE.split(value, maxsplit=1)[0].rstrip(':)') if '\\' in value else value


def _of_line(text: str, line_start: int, start: int, kind: Kind) -> Finding | None:
    """The value in a line of YAML, or of headers: the rest of the line, or the block under it."""
    line_end = _line_end(text, start)
    value = text[start:line_end].rstrip()
    if _BLOCK.match(value):
        return _found(text, line_end, block_end(text, _indent(text, line_start, line_end), line_end), kind)
    if kind == 'PASSWORD':
        return _found(text, start, start + len(value), kind)
    end = _bare_end(text, start)
    first = text[start:end]
    single = end >= start + len(value) or text[end : start + len(value)].lstrip().startswith('#')
    if _is_count(first) or secret_names.is_word(first) or not (single or any(c.isdigit() for c in first)):
        return None
    return _found(text, start, end, kind)


def _prose(text: str, value: str, end: int, kind: Kind) -> bool:
    """Return whether a word after a colon in the middle of a line goes on a sentence rather than being a secret."""
    if kind != 'PASSWORD':
        return _is_count(value) or not any(c.isdigit() for c in value)
    return secret_names.is_word(value) and text[end : end + 2].strip().isalpha()


def _is_count(value: str) -> bool:
    return value.isdigit() and len(value) < secret_names.COUNT_DIGITS


def block_end(text: str, indent: int, line_end: int) -> int:
    """Where the lines end that stand deeper than the line over them, which has this indent and ends there."""
    end = at = line_end
    while at < len(text):
        at += 2 if text.startswith('\r\n', at) else 1
        next_end = _line_end(text, at)
        if text[at:next_end].strip() and _indent(text, at, next_end) <= indent:
            break
        end = at = next_end
        if text[at : at + 1] == '\0':
            break
    return end


def _indent(text: str, start: int, end: int) -> int:
    return end - start - len(text[start:end].lstrip(' \t'))


def _line_end(text: str, at: int) -> int:
    match = _TO_LINE_END.match(text, at)
    return match.end() if match else at


def _bare_end(text: str, start: int) -> int:
    """Where a value ends that has no quotes, without the brackets and marks that close what it stands in."""
    match = _UNQUOTED.match(text, start)
    end = match.end() if match else start
    return start + len(text[start:end].rstrip(',;:)}]'))


def _names_itself(kind: Kind, value: str) -> bool:
    """Return whether a value is the name of a field or a variable: `FIRST_TOKEN = 'ai.first_token'`."""
    is_name = ('_' in value or '.' in value) and _PLAIN_NAME.match(value) is not None
    return kind != 'PASSWORD' and is_name and secret_names.kind_of(value) is not None


def _found(text: str, start: int, end: int, kind: Kind, *, bare: bool = False) -> Finding | None:
    value = text[start:end]
    first = _before_escape(value).strip()
    if (
        (first.isupper() and '_' in first and secret_names.kind_of(first))  # `--token API_TOKEN`
        or (len(first) < 3 and first.isdigit())
        or first == ','  # `"user:\npassword:",`
        or _names_itself(kind, first)
        or secret_names.is_version(kind, first)
        or _CODE.match(first)
        or _ANNOTATION.match(text, start)
    ):
        return None
    if secret_names.is_placeholder(first) or (kind == 'SECRET' and _REFERENCE.fullmatch(first)):
        return None
    stripped = len(value) - len(value.lstrip())
    return Finding(start + stripped, end, kind, bare)
