"""Secrets that stand beside their name in a text: `DB_PASSWORD=…`, `"apiKey": "…"`, `--token …`, `<secret>…`.

What is assigned, given to an option or stands in the lines below is read here; any other place of a value beside its
name is a table in `value_places.toml`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from researcher_integration.masking import secret_names
from researcher_integration.masking.findings import MASK, Finding, line_end
from researcher_integration.masking.nested_text import BLOCK, block_end, find_in_rows, values_under
from researcher_integration.masking.secret_names import Kind
from researcher_integration.masking.tables import find_in_columns
from researcher_integration.masking.value_places import COINED, values_beside

# Of `re`: `regex` looks for the letters that an expression needs in all that follows, for each place it is tried at.
_BEFORE = re.compile(r'[\w\-.]*\Z')
_CLOSING = r'(?P<closing>(?:\\*["\'`\]]|\*\*){0,3})'
_QUOTE = r'(?P<quote>"""|\'\'\'|\\*["\'`])'
# A type before what is assigned: `: Optional[str] =`, `: string | null =`, `: &str =`.
_TYPE = (
    r'(?:&?str|string|bytes|any|null|undefined|(?:[a-z_]{1,20}\.)?[A-Z][A-Za-z]{0,30})'
    r'(?:[\[<][A-Za-z_., |\[\]<>]{0,60}[\]>])?\??'
)
_TYPED = rf'(?:[ ]?:[ ]?{_TYPE}(?:[ ]\|[ ]{_TYPE}){{0,3}}|[ ]string)[ ]=[ ](?=[bfru]?["\'`])'
# `userPassword:: …`, in base64
_IN_BASE64 = r'::(?=[ ][A-Za-z0-9+/]{4,}+={0,2}[ \t]*(?:[\r\n]|\Z))'
_SIGN = (
    rf'(?P<sign>{_TYPED}|(?:\.{{2,}}+)?[ \t]*'
    rf'(?:=>|:=|：|(?:\?\??|\|\|)?={{1,3}}>?|!==?|:(?!//|:)|{_IN_BASE64}|->|→)[ \t]*)(?:\*\*[ \t]*)?'
)
_ASSIGNED = re.compile(rf'{_CLOSING}{_SIGN}(?:[@Nbfru]?{_QUOTE})?')
_OPTION = re.compile(
    r'(?:[ \t]|["\'],[ \t\r\n]*(?=\\*["\'`])|,[ \t]+(?=[^\s,\[\]"\']{0,40}\d[^\s,\[\]]*[ \t]*[,\]]))'
    rf'(?=["\'`\\]*[^\s\-("\'`\\])(?:{_QUOTE})?'
)

# `"…", "…"`
_FURTHER = re.compile(r'["\'`][ ]*(?:,|\|{1,2})[ ]*(?P<quote>["\'`])(?=[^\s"\'`]{14,200}(?P=quote))')
# A text is read until nothing is found: what has been masked need not be looked at again.
_IS_MASKED = re.compile(rf'{_ASSIGNED.pattern}{MASK.pattern}(?=[\s"\'`,;&)\]}}<\\\0]|\Z)')

# YAML and SQL write a quote in quotes twice: `'it''s'`.
_TO_QUOTE = {
    q: re.compile(rf'(?>(?:[^{q}\\\r\n\0]++|\\.|{twice})*)')
    for q, twice in (('"', '(?!)'), ("'", r"(?<!')''(?=\w)"), ('`', '(?!)'))
}
# What follows a comma, a semicolon or an ampersand may still be the secret, unless another name is.
_UNQUOTED = re.compile(
    r'(?:<[^<>\s][^<>"\r\n\0]{1,80}>)?'
    r'(?>(?:[^\s\0"\'`’”»,;&\\]++|[,;&](?!\s|$|[{\[]{0,2}[\w.\-% ]{1,40}[=:])|\\++(?!["\'`nrt]|u[0-9a-f]{4}))*)'
)
# Brackets; those with escapes in them are read where these are undone.
_OPENING = re.compile(r'["\'\]]{0,2}[ \t]*(?:=>?|:=|:)[ \t]*(?=[{\[(](?!\s*\\))')
_LAST_COLON = re.compile(r'["\' \t]*:["\' \t]*(?=[\r\n\0]|\Z)')
_LINE_START = re.compile(r'^[ \t]*(?:[-*>][ \t]+|export[ \t]+|set[ \t]+|ENV[ \t]+)*["\']?$')
_CALL = re.compile(r'[A-Za-z_][\w.]*[(\[]')
_CALL_OF_TEXT = re.compile(rf'(?P<function>(?:\[\])?[A-Za-z_][\w.]*)\([ \t]*[bfru]?{_QUOTE}')
_CODE, _FILE, _TERM = map(secret_names.no_secret, ('code', 'files', 'terms'))
_REFERENCE, _FUNCTION, _FUNCTION_WORD = map(secret_names.no_secret, ('references', 'functions', 'function_words'))
_ONE_TEXT = re.compile(r'\\*["\'`][ \t\r\n]*\)')
_NEW_LINE = re.compile(r'\\[nrt]')
_NAMED = re.compile(r'[A-Za-z_]\w*(?:\??\.[A-Za-z_]\w*)*(?:$|(?=\}\)))')
# Of letters alone, and all of one case in each word.
_PLAIN_NAME = re.compile(
    r'(?=.{1,80}$)(?>[a-z_]+(?:[A-Z][a-z]{2,})*|(?:[A-Z][a-z]+)+|[A-Z_]+)(?:\.(?>[a-z_]+(?:[A-Z][a-z]+)*|(?:[A-Z][a-z]+)+|[A-Z_]+))*$'
)
_CALL_OF_NAMES = re.compile(r'[A-Za-z_.]+\((?:[\w., =*\[\]]|\([\w., =*\]]*\)|"[^"\n]*"|\'[^\'\n]*\')*\)')
# `form.passwordReader`
_MEMBER = re.compile(r'(?=[A-Za-z_]*\.)(?=[A-Za-z_.]*(?:[a-z][A-Z]|_))[a-z_][A-Za-z_.]*$')

# Where a token tells of a thing, or of an image that all see: `arn:…:token/x`, `badge.svg?token=…`.
_PUBLIC = re.compile(r'(?:\barn:[\w:\-]*|\bbadge[\w.\-/]*\?)\Z')

# Behind the name of a column: another column, or the line under the header.
_HEADER = re.compile(r'["\'`*\]}]{0,3}[ \t]*(?:[,;|\t\u2500-\u257f]|[ ]{2}|\r?\n)')

# Before `pass`, in its line or in that above.
_USER = re.compile(
    r'\b(?:user(?:[_-]?name|[_-]?id)?|login|uid|usr|email|account)\\*["\']?[ \t]*[:=][^\r\n]*(?:\r?\n[ \t]*)?$',
    re.IGNORECASE,
)
_CODED = re.compile(r'(?=[^\d]*\d)(?=[^A-Za-z]*[A-Za-z])(?![a-z_]+\d{0,2}$)[^\s/()\[\]{}<>]{5,200}')
# Behind the first word of a passphrase, up to the end of its line.
_MORE_WORDS = re.compile(r'(?: (?!(?:or|and|if|in|is|else|not)\b)[\w!?.\-]+){1,5}(?=[ \t]*(?:[\r\n\0]|\Z))')
# A value that goes on in the next line.
_GOES_ON = re.compile(r'\\\r?\n[ \t]*(?=\S)')

_COINED = re.compile(COINED)

_MAX_INDENT = 60  # characters before a name that begins a line


@dataclass(slots=True)
class _Bare:
    """Values without quotes: where the one that was read last stands. What begins within it ends with it."""

    text: str
    start: int = 0
    end: int = 0

    def end_from(self, start: int) -> int:
        """Where a value ends, without the brackets and marks that close what it stands in."""
        if not self.start <= start < self.end:
            match = _UNQUOTED.match(self.text, start)
            self.start, self.end = start, match.end() if match else start
        return start + len(self.text[start : self.end].rstrip(',;:)}]'))


def find_keyed(text: str, lower: str) -> Iterator[Finding]:
    """Find values by the names beside them."""
    done = header_end = read = 0
    has_rows = False
    columns = dict[object, int]()
    bare = _Bare(text)
    for start, end, kind in secret_names.hits(text, lower):
        before = _BEFORE.search(text, max(0, start - 40), start)
        name_start = before.start() if before else start
        name = text[name_start:end]
        # `-v /etc/passwd:/etc/passwd`
        is_path = text[name_start - 1 : name_start] == '/' and text.startswith(':/', end)
        if start < done or is_path or _IS_MASKED.match(text, end):
            continue
        is_harmless = secret_names.harmless(name.lstrip('-.'))
        # What stands under a name within what has been read was read by its own name, too.
        under, read = _under(text, name_start, end, kind) if name_start >= read else ([], read)
        beside = () if is_harmless else _values(bare, name_start, end, kind, option=name[:1] == '-')
        values = [*beside, *under]
        if secret_names.is_ambiguous(text, start, end) and text[end : end + 1] != '"':
            values = [value for value in values if _is_password(text, name_start, value)]
        if not values and end > header_end and _HEADER.match(text, end):
            header_end = line_end(text, end)
            yield from find_in_columns(text, start, columns)
            if text[end : end + 1] == '"' and not has_rows:
                has_rows = True
                yield from find_in_rows(text)
        for value in values:
            done = max(done, value.end)
            yield value


def find_service_keys(text: str, lower: str) -> Iterator[Finding]:
    """Find generated values by the names of services and of keys beside them: `stripe = …`, `lamp_key: …`."""
    bare = _Bare(text)
    for start, end in secret_names.service_hits(text, lower):
        if secret_names.harmless(text[max(0, start - 20) : end]):
            continue
        for value in _values(bare, start, end, 'API_KEY', option=text[start - 2 : start] == '--'):
            if secret_names.is_generated(text[value.start : value.end]):
                yield value


def _values(bare: _Bare, start: int, end: int, kind: Kind, *, option: bool) -> Iterator[Finding]:
    text = bare.text
    if _PUBLIC.search(text[max(0, start - 100) : start]):
        return
    if last := _value(bare, start, end, kind, option=option):
        yield last
        while last and (further := _FURTHER.match(text, last.end)):
            last = _quoted(text, further, kind)
            if last and secret_names.is_generated(text[last.start : last.end]):
                yield last
    for span, is_certain in values_beside(text, start, end):
        # `value="Password" name="password"` is what a form shows.
        is_label = span[1] < start and secret_names.is_name(text[slice(*span)])
        word = text[slice(*span)]
        is_bare = text[end : end + 1] == '"' and word.isdigit() and text[span[0] - 1] != '"'
        if not (is_label or (is_bare and secret_names.is_count(text[start:end], word))) and (
            found := _found(text, *span, kind, bare=is_bare) if is_certain else _told(text, *span, kind)
        ):
            yield found


def _under(text: str, start: int, end: int, kind: Kind) -> tuple[list[Finding], int]:
    """What looks like a secret in the brackets behind a name, or in the lines below it, and up to where it was read."""
    name = text[start:end]
    if secret_names.harmless(name) and not name.lower().endswith('tokens'):
        return [], 0
    if opening := _OPENING.match(text, end):
        at, limit = opening.end(), len(text)
    elif (last := _LAST_COLON.match(text, end)) and _LINE_START.match(text[_line_start(text, start) : start]):
        line_start, below = _line_start(text, start), last.end()
        at = below + (2 if text.startswith('\r\n', below) else 1)
        indent = below - line_start - len(text[line_start:below].lstrip(' \t'))
        is_list = text[at : at + indent + 2].strip(' \t') == '-'
        limit = block_end(text, indent, below, with_items=is_list)
    else:
        return [], 0
    values, read = values_under(text, at, limit)
    found = [_below(text, name, end, kind, key, span) for key, span in values]
    return [secret for secret in found if secret], read


def _below(text: str, name: str, end: int, kind: Kind, key: str, span: tuple[int, int]) -> Finding | None:
    """A value under a name, if it looks like a secret; in JSON, any that can be one."""
    word, low = text[slice(*span)], key.lower()
    own = secret_names.kind_of(key) if key else None
    if low == 'key':  # `"jwt": {"key": "…"}`, `"api_keys": [{"id": 1, "key": "…"}]`
        own = kind if kind == 'API_KEY' and secret_names.may_be_random(word) else secret_names.kind_of(f'{name}_key')
    if not own and key and secret_names.is_about(key):
        return None
    is_value = low in ('', 'value', 'values')
    if not own and (name.lower().endswith('tokens') or (kind == 'TOKEN' and not is_value)):
        return _found(text, *span, kind) if secret_names.is_generated(word) else None
    if text.startswith('"', end) and not text[end : span[0]].endswith(('(', '("')):
        is_bare = text[span[0] - 1] != '"'
        may_be = own or is_value or secret_names.may_be_random(word)
        is_sure = kind == 'PASSWORD' or (may_be and word.count(' ') < 4)
        is_kept = not is_sure or (is_bare and (not word.isdigit() or secret_names.is_count(key or name, word)))
        return None if is_kept else _found(text, *span, own or kind, bare=is_bare)
    # As the item of a list a password may be a word, and any secret a number that counts nothing.
    is_word = 'PASSWORD' in (kind, own) and _COINED.fullmatch(word)
    is_sure = is_word or (is_value and word.isdigit() and not secret_names.is_count(key or name, word))
    return None if ' ' in word else (_found if is_sure else _told)(text, *span, own or kind)


def _line_start(text: str, at: int) -> int:
    near = max(0, at - _MAX_INDENT)
    start = max(text.rfind('\n', near, at), text.rfind('\0', near, at)) + 1
    return start or near


def _value(bare: _Bare, start: int, end: int, kind: Kind, *, option: bool) -> Finding | None:
    text = bare.text
    if assigned := _ASSIGNED.match(text, end):
        if assigned['quote'] and text[start - 1 : start] == assigned['quote'] and not assigned['closing']:
            return None  # which ends what the name stands in: `token=`
        if assigned['quote']:
            return _quoted(text, assigned, kind)
        return _unquoted(bare, start, assigned, kind)
    if option and (given := _OPTION.match(text, end)):
        if given['quote']:
            return _quoted(text, given, kind)
        end = bare.end_from(given.end())
        word = _before_escape(text[given.end() : end]).rstrip('.')
        # `the --api-key flag`, `if --pass is given`
        is_prose = _FUNCTION_WORD.fullmatch(word) or (kind != 'PASSWORD' and secret_names.is_word(word))
        is_sure = text.startswith('--', start) or secret_names.is_coded(word)  # `-Password …` of PowerShell
        return None if is_prose or not is_sure else _found(text, given.end(), end, kind)
    return None


def _is_password(text: str, start: int, value: Finding) -> bool:
    """Return whether a value beside `pass` or `pw` is a password: it has a user beside it, or letters and digits."""
    if _USER.search(text[max(0, start - _MAX_INDENT * 2) : start]):
        return True
    word = text[value.start : value.end]
    is_report = text.startswith('PASS:', start)  # `PASS: test_3_files`
    return not is_report and _CODED.fullmatch(word) is not None and not _TERM.fullmatch(word)


def _told(text: str, start: int, end: int, kind: str) -> Finding | None:
    """What a sentence says that a secret is, if no word: with digits and letters, or other signs, in it."""
    value = _before_escape(text[start:end]).rstrip('.,;:!?)]}。，')
    capitals = sum(map(str.isupper, value[1:]))
    if kind == 'PASSWORD':
        generated = len(value) >= 4 and secret_names.is_coded(value)
    else:
        is_mixed = value.strip('([{').isalnum() and 16 <= len(value) < 3 * capitals < 3 * len(value) - 9
        generated = len(value) >= 8 and (is_mixed or secret_names.is_coded(value.lower()))
    return _found(text, start, start + len(value), kind) if generated and not _TERM.fullmatch(value) else None


def _quoted(text: str, match: re.Match[str], kind: Kind) -> Finding | None:
    quote = match['quote']
    start = match.end()
    if quote in ('"""', "'''"):
        closing = text.find(quote, start, start + 4000)
        value = text[start : max(start, closing)]
        start += len(value) - len(value.lstrip())
        end = start + len(value.strip())
        if len(value.split()) > 1:
            return None  # a text
    elif len(quote) > 1:  # within a string: it ends with the same number of backslashes
        closing = text.find(quote, start)
        stop = text.find('\n', start, closing) if closing >= 0 else line_end(text, start)
        end = stop if stop >= 0 else closing
    else:
        closed = _TO_QUOTE[quote].match(text, start)
        end = closed.end() if closed else start
    value = text[start:end]
    least = 3 if text[match.start() : match.end()].startswith('":') else 4  # in JSON
    is_term = quote == '`' and not secret_names.may_be_random(value)  # the secret: `created_at`
    if kind != 'PASSWORD' and (len(value) < least or is_term or secret_names.is_prose(kind, value)):
        return None
    return _found(text, start, end, kind)


def _unquoted(bare: _Bare, name_start: int, match: re.Match[str], kind: Kind) -> Finding | None:
    text, start = bare.text, match.end()
    if goes_on := _GOES_ON.match(text, start):
        start = goes_on.end()
    end = bare.end_from(start)
    value = text[start:end]
    if match['sign'].strip() in ('===', '!==') or match['sign'] == '->':
        return None  # `token === FALSE`, `$token->attr('name')`
    if (call := _CALL_OF_TEXT.match(text, start)) and not _FUNCTION.fullmatch(call['function'].lower()):
        quoted = _quoted(text, call, kind)
        if quoted and _ONE_TEXT.match(text, quoted.end):  # `password = SecretStr('…')`, no `token = acquire('openid')`
            is_type = call['function'].rpartition('.')[2][0].isupper()
            word = text[quoted.start : quoted.end]
            is_named = kind != 'PASSWORD' or secret_names.is_name(word)
            return quoted if not is_named or is_type or secret_names.may_be_random(word) else None
        return None
    json_key = '"' in match['closing']
    if value[:1] in ('[', '{') and (json_key or (match['sign'].strip() == ':' and kind != 'PASSWORD')):
        return None  # what is in it is looked at one by one
    if _is_code(text, name_start, match, end, kind):
        return None
    if json_key or match['sign'].strip() != ':':
        is_spaced = not json_key and match['sign'].startswith(' ')  # ` = `, as in code
        counts = secret_names.is_count(text[name_start : match.start()] if json_key else '', value)
        if (counts and (json_key or kind != 'PASSWORD')) or (is_spaced and _CALL.match(value)):
            return None
        more = _MORE_WORDS.match(text, end) if is_spaced and kind == 'PASSWORD' else None
        bare_key = json_key and '\\' not in match['closing']
        return _found(text, start, more.end() if more else end, kind, bare=bare_key)
    line_start = _line_start(text, name_start)
    if _LINE_START.match(text[line_start:name_start]):
        return _of_line(bare, line_start, start, kind)
    return None if _prose(text, value, end, kind) else _found(text, start, end, kind)


def _is_code(text: str, name_start: int, match: re.Match[str], end: int, kind: Kind) -> bool:
    """Return whether an unquoted value is an expression of a program, made of names."""
    if _CALL_OF_NAMES.match(text, match.end()):
        return True
    named = _NAMED.match(_before_escape(text[match.end() : end]))
    if not named:
        return False
    end, sign = match.end() + named.end(), match['sign']
    unspaced = sign in ('=', ':')
    is_unpacked = sign == ' = ' and text.startswith(', ', name_start - 2)  # `user, password = value`
    is_selector = sign == ':' and ']' in match['closing']  # `input[type="password"]:focus`
    if is_unpacked or is_selector or text.startswith((' -> ', ' = ', ' | None'), end):
        return True
    is_path = '.' in named[0]
    if (not unspaced or is_path or text.startswith((',', ')'), end)) and secret_names.is_name(named[0]):
        return True
    if not unspaced and _MEMBER.match(named[0]):
        return True
    if kind == 'PASSWORD' or not _PLAIN_NAME.match(named[0]):
        return False
    return not unspaced if sign.strip() != ':' or is_path else '"' in match['closing']


def _before_escape(value: str) -> str:
    r"""A value without what follows in a text whose lines are parted by escapes: `None\n    return`."""
    return _NEW_LINE.split(value, maxsplit=1)[0].rstrip(':);') if '\\' in value else value


def _of_line(bare: _Bare, line_start: int, start: int, kind: Kind) -> Finding | None:
    """The value in a line of YAML, or of headers: the rest of the line, or the block under it."""
    text = bare.text
    below = line_end(text, start)
    value = text[start:below].rstrip()
    if BLOCK.match(value):
        indent = below - line_start - len(text[line_start:below].lstrip(' \t'))
        return _found(text, below, block_end(text, indent, below), kind)
    if kind == 'PASSWORD':
        return _found(text, start, start + len(value), kind)
    end = bare.end_from(start)
    first = text[start:end]
    single = end >= start + len(value) or text[end : start + len(value)].lstrip().startswith('#')
    is_said = secret_names.is_count('', first) or secret_names.is_word(first)
    return None if is_said or not (single or any(map(str.isdigit, first))) else _found(text, start, end, kind)


def _prose(text: str, value: str, end: int, kind: Kind) -> bool:
    """Return whether a word after a colon in the middle of a line goes on a sentence rather than being a secret."""
    if kind != 'PASSWORD':
        # A long line of names is not read again for each of them.
        return secret_names.is_count('', value) or not any(map(str.isdigit, value[:200]))
    is_spaced = text[end - len(value) - 1].isspace()  # no `map[password:… user:…`
    return is_spaced and secret_names.is_word(value) and text[end : end + 2].strip(' ').isalpha()


def _found(text: str, start: int, end: int, kind: str, *, bare: bool = False) -> Finding | None:
    value = text[start:end]
    first = _before_escape(value).strip()
    name = first.replace('\\', '').strip(' {}"')
    if (
        (
            # `--token API_TOKEN`, `get_field('TOKEN')`, no password of capitals: `ADMINPASSWORD123`
            first.isupper()
            and ('_' in first or '-' in first or first == 'PASSWORD' or (kind != 'PASSWORD' and first.isalpha()))
            and secret_names.kind_of(first)
        )
        or (len(first) < 3 and first[-1:].isdigit() and not first[:-1].isalpha())
        or (kind != 'PASSWORD' and (_FILE.fullmatch(first) or secret_names.names_one(name)))
        or (kind == 'SECRET' and _REFERENCE.fullmatch(first))
        or secret_names.is_none(kind, first.rstrip(',;'), text[max(0, start - 40) : start])
        or _CODE.match(first)
    ):
        return None
    stripped = len(value) - len(value.lstrip())
    return Finding(start + stripped, end, kind, '"' if bare else '')
