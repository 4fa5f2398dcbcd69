"""Where a value stands beside its name in a text without being assigned: `_PLACES` has a line for each such place."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

# What a sentence says between a name and its value, in a few languages.
_WHOSE = (
    r' (?i:for|of|on|at|in|to|von|für|auf|zu[mr]?|de|du|da|di|pour|para|do|od|dla|för|til|voor|для|от|к|на)'
    r' [^\s,;:=()]{1,40}(?: [^\s,;:=()]{1,40}){0,3}'
    r'(?: ?\([^()\r\n\0]{1,40}\))?'
)
_OF = rf'(?:{_WHOSE}| (?>[^\s,;:]{{4,12}})(?= (?:est|es|è|é) ))?'
_IS = (
    r'is|was|are|will be|has been|ist|war|lautet|es|est|é|è|jest|är|er|(?<=salasana )on|to|—|–|это',
    r'now|set to|changed to|jetzt|ahora',
    r'是|为|為|は|は、|는|은',
)
# How words end that say of a password what it is like, or where it stands.
_ORDINARY = (
    'ed|ing|[ai]ble|al|[ae]nt|[aeo]ry|ive|ful|less|ly|ic|ect|en|ion|ous|[ai]te|ete|ure|id|ity|where|ever|how|wise|text'
    '|case|word|name|user|host|strings?|literals?|ther|fore|self|thing|one'
)
COINED = rf'(?!\w{{0,60}}(?:{_ORDINARY})\b)[A-Za-z]{{8,40}}'
"""Letters that may be a password where nothing but a value is told: no such word."""
_SAID = r'[*_]{0,2}["\'`“„«]?(?P<value>(?:[^\s\0"\'`”“»*]|\*(?=\w)){4,})'
# The text of an element of XML, from the end of its tag on; no run of it can be split in two ways.
_ELEMENT_TEXT = r'>\s*(?:<value>\s*)?(?:<!\[CDATA\[\s*)?(?P<value>[^<>\s\0]+(?:[ \t]+[^<>\s\0]+)*)\s*(?:\]\]>\s*)?</'
_NAME_END = r'[\w.\-]*\Z'


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a value may stand beside its name."""

    before: re.Pattern[str]
    """Ends with the name up to its last word; a group `value` is a secret before it."""
    after: re.Pattern[str]
    """Begins behind the name; its groups `value` and `second` are secrets."""
    is_certain: bool = False
    """Whether nothing but a value stands there; else it must look like a secret."""
    reach: int = 120
    """Characters before the name that the place may take."""
    word: str = ''
    """Stands among them."""


def _place(before: str, after: str, *, is_certain: bool = False, reach: int = 120, word: str = '') -> _Place:
    return _Place(re.compile(before and before + _NAME_END), re.compile(after), is_certain, reach, word)


_PLACES = (
    # password = <<END ⏎ … ⏎ END; the first, for the number of its group
    _place(
        '',
        r'[ \t]*=[ \t]*<<[\-~]?["\']?(\w+)["\']?[ \t]*\n(?P<value>[^\0]{1,2000}?)\n[ \t]*\1\b',
        is_certain=True,
    ),
    # <password>…</password>
    _place('[<:]', rf'(?>(?:[ \t][^<>]{{0,200}})?){_ELEMENT_TEXT}', is_certain=True),
    # <entry key="db.password">…</entry>
    _place(r'\bkey[ \t]*=[ \t]*["\']', rf'["\'](?>[^<>]{{0,200}}){_ELEMENT_TEXT}', is_certain=True),
    # <property name="db.password">…</property>, <setting name="ApiKey"><value>…</value></setting>
    _place(r'\b[Nn]ame[ \t]*=[ \t]*["\']', rf'["\'](?>[^<>]{{0,200}}){_ELEMENT_TEXT}'),
    # <name>password</name> <value>…</value>
    _place(
        r'<(?:\w+[:\-])?(?:name|key)>\s*',
        rf'\s*</[\w:\-]+>\s*<(?:\w+[:\-])?(?:value|string|data|text)\b[^<>]{{0,100}}{_ELEMENT_TEXT}',
        is_certain=True,
    ),
    # <td>Password</td> <td>…</td>, or under it in a column of its own
    _place(
        r'>\s*',
        r'\s*(?::\s*)?</(?:td|th|dt|b|strong)>\s*(?:</tr>\s*<tr\b[^<>]{0,100}>\s*(?=<td\b[^<>]{0,100}>[^<>]{0,200}</td>\s*</tr>))?'
        rf'<(?:td|dd|code)\b[^<>]{{0,100}}{_ELEMENT_TEXT}',
    ),
    # <b>Password</b>: …
    _place(
        r'>\s*(?:\w{1,20} )?',
        r'\s*(?::\s*)?</(?:b|strong|i|em|u|span|label)>\s*(?::\s*)?(?P<value>[^\s<>\0]{4,})(?=[\s<.,;]|\Z)',
    ),
    # <input type="password" … value="…">
    _place(r'\btype=["\']', r'["\'][^<>]{0,300}?\bvalue=["\'](?P<value>[^"\'<>\r\n\0]+)', is_certain=True),
    # | password | … |
    _place(
        r'(?:^|[\n\0])[ \t]*(?:[|│](?:[^\n\0]*[|│])?)?[ \t]*[`*]{0,2}',
        r'[`*]{0,2}[ \t]*[|│][ \t]*`?(?P<value>[^\s|│`\0]+)`?[ \t]*(?=[|│\r\n]|\Z)',
    ),
    # password    …, under a line that says that there are two columns
    _place(
        r'(?:^|\n)-{3,}+[ ]+-{3,}+[ \t\r]*\n(?:[^\n]*\n){0,40}',
        r'[ ]{2,}(?P<value>\S+)[ \t]*(?=[\r\n]|\Z)',
        reach=1200,
    ),
    # enable secret …, or password ..... …, or neighbor 192.0.2.1 password …, a line of its own, but no `Token last2;`
    _place(
        r'(?:^|[\n\0])[ \t]*(?:enable[ ]|[a-z\-]{1,20}[ ][\w.:\-]*\d[\w.:\-]*[ ])?',
        r'(?:[ ](?:\d{1,2}[ ])?|\t+|[ ]*\.{3,}[ ]*)(?![A-Za-z_]{1,40}\d{0,2};)'
        r'(?P<value>[^\s\0/;.\[][^\s\0/;]{3,});?[ \t]*(?=[\r\n]|\Z)',
    ),
    # - --token ⏎ - …
    _place(
        r'(?:^|[\n\0])[ \t]*(?:[\w\-]{1,40}:[ ])?-[ \t]+["\']?--',
        r'["\']?[ \t]*\r?\n[ \t]*-[ \t]+["\']?(?P<value>[^\s"\'\0\-][^\s"\'\0]*)["\']?[ \t]*(?=[\r\n]|\Z)',
        is_certain=True,
    ),
    # --token ⏎ …, each a line of its own
    _place(r'(?:^|[\n\0])[ \t]*--', r'[ \t]*\r?\n[ \t]*(?P<value>[^\s"\'\0\-]\S*)[ \t]*(?=[\r\n]|\Z)'),
    # s:8:"password";s:3:"…", ["password"]=> string(3) "…", as PHP writes them
    _place(
        r'["\']',
        r'(?:";s:\d{1,9}:|["\']\](?::\w+)?=>\s*string\(\d{1,9}\)[ ])"(?P<value>[^"\r\n\0]+)"',
        is_certain=True,
    ),
    # unseal key 1: …
    _place('', r'[ ]\d{1,2}:[ ]+(?P<value>[^\s\0"\'`]{16,})[ \t]*(?=[\r\n]|\Z)'),
    # use the following password to log in: ⏎ ⏎ …
    _place(
        r'\b(?i:following|generated|temporary|initial|new|your)[ ](?:\w+[ ]){0,2}',
        r'(?<![sS])(?:[ ]\w{1,20}){0,6}:[ \t]*\r?\n\s*(?P<value>[^\s\0:=,"\']{8,})[ \t]*(?=[\r\n]|\Z)',
    ),
    # [password] …, to the end of its line
    _place(r'(?:^|[\n\0])[ \t]*\[', r'\][ \t]+(?P<value>[^\s\0]{4,})[ \t]*(?=[\r\n]|\Z)'),
    # DB_PASSWORD,… in a line of two cells that is not the first
    _place(
        r'(?:^|\n)[^,\n\0]{1,60},[^,\n\0]{1,60}\n["\']?',
        r'["\']?,[ ]?["\']?(?P<value>[^\s,"\'\0]{4,})["\']?(?=[\r\n]|\Z)',
    ),
    # name: DB_PASSWORD ⏎ value: …
    _place(
        r'\b(?:[Nn]ame|[Kk]ey|NAME|KEY)\\*["\']?[ \t]*[:=][ \t]*\\*["\']?',
        r'(?>\\*["\'`]?,?\s*)\\*["\']?(?:[Vv]alue|VALUE)\\*["\']?[ \t]*[:=][ \t]*'
        r'(?:\\*"(?P<quoted>[^"\\\r\n\0]+)|\\*\'(?P<single>[^\'\\\r\n\0]+)|(?P<value>[^\s"\'\\][^\r\n\0]*))',
        is_certain=True,
    ),
    # Password: ⏎ …, both lines of their own, or password = ⏎ …, indented, and no expression
    _place(
        r'(?:^|[\n\0])[ \t]*(?:\w+ ){0,3}',
        r'(?::[ \t]*\r?\n[ \t]*|[ \t]*=[ \t]*\r?\n[ \t]+(?![A-Za-z_$][\w$]*[.\[(;]))["\']?'
        r'(?P<value>[^\s\0:=,"\']{8,})["\']?[ \t]*(?=[\r\n]|\Z)',
    ),
    # env.DB_PASSWORD || "…"
    _place('', r'["\'\])]{0,3}[ ]*(?:\|\||\?\?|\bor\b)[ ]*["\'](?P<value>[^"\'\r\n\0]{4,})["\']'),
    # #define DB_PASSWORD "…"
    _place(r'#[ \t]*define[ \t]+', r'[ \t]+"(?P<value>[^"\r\n\0]{4,})"'),
    # ["X-Api-Key", "…"], no call of a function but of those that take a name and its value
    _place(
        r'(?:^|[^\w\])]|\b(?:define|set|put|add|append|getenv|fetch|header|set_?env|set_?(?:request_?)?header|set_?property))'
        r'[\[(]\s*b?\\?["\']',
        r'\\?["\']\s*,\s*b?\\?["\'](?P<value>[^"\'\\\r\n\0]{4,})\\?["\']\s*[\])]',
    ),
    # builder.password("…"), setPassword("…"), withSecret("…"), but no getPassword("…") or checkPassword("…")
    _Place(
        re.compile(
            r'(?:(?<![A-Za-z0-9_])(?i:set|with|use|add)_?|(?<=\.)(?!(?i:get|has|is|check|verify|validate|match|assert|from)))'
            r'\w*\Z'
        ),
        re.compile(r'\(\s*["\'`](?P<value>[^"\'`\\\s\0]{4,})["\'`]\s*\)'),
    ),
    # - value: … ⏎ name: DB_PASSWORD
    _place(
        r'-[ \t]+value:[ \t]+(?:"(?P<quoted>[^"\r\n\0]+)"|(?P<value>[^\s"|>{\[][^\r\n\0]*?))[ \t]*\r?\n'
        r'[ \t]+name:[ \t]+["\']?',
        r'["\']?[ \t]*(?=[\r\n]|\Z)',
        is_certain=True,
        reach=1200,
    ),
    # name="password" ⏎ ⏎ …, of a form in parts
    _place(r'\bname="', r'"\r?\n(?:[\w\-]+:[^\r\n\0]*\r?\n)*\r?\n(?P<value>[^\r\n\0]+)', is_certain=True),
    # variable "password" { … default = "…" }
    _place(r'\bvariable[ ]"', r'"[ ]*\{[^{}\0]{0,400}?\bdefault[ ]*=[ ]*"(?P<value>[^"\r\n\0]+)"', is_certain=True),
    # password LIKE '…'
    _place('', r'[ \t]+(?i:not[ ]+)?(?i:r?i?like|regexp)[ \t]+[\'"]%?(?P<value>[^\'"%\r\n\0]{4,})', is_certain=True),
    # password = "…" -> "…"
    _place(
        '',
        r'\\?["\']?[ \t]*[:=][ \t]*(?:"[^"\r\n]{0,500}"|\([^()\r\n]{0,60}\)|null)[ \t]*(?:->|→)[ \t]*'
        r'"(?P<value>[^"\r\n\0]+)"',
        is_certain=True,
    ),
    # password changed from … to …
    _place('', rf'[ ](?:[a-z]+ ){{0,3}}from {_SAID}["\'`”»]? to ["\'`“„«]?(?P<second>[^\s\0"\'`”»]{{4,}})'),
    # a password is generated for bob: …
    _place('', rf'[ ](?:is|was|has been)[ ][a-z]{{2,12}}{_WHOSE}:[ ]{_SAID}(?=["\'`”»*.,;!?)]{{0,3}}(?!\S))'),
    # the password is correcthorse, which ends what is said, and not as what is said of one does
    _place(
        '(?i:passw(?:or)?d|passphrase|passcode)',
        rf'["\'`)*]{{0,3}}{_OF} +(?:is|was|will be|has been)(?: (?:{_IS[1]}))?(?: *:)? +["\'`“]?'
        rf'(?P<value>{COINED})(?=["\'`”]?(?:[.,;!](?!\S)|[ \t]*(?:[\r\n\0]|\Z)))',
        is_certain=True,
    ),
    # the password for bob is …
    _place(
        '', rf'["\'`)*]{{0,3}}{_OF}(?: +(?:{_IS[0]})(?: (?:{_IS[1]}))?(?: *:)? +| *(?:{_IS[2]})(?: *[:：])? *){_SAID}'
    ),
    # creds for the box: bob / …
    _place('', rf'{_OF}[ ]*[:=—–-][ ]*[^\s/]{{1,40}}[ ]/[ ]{_SAID}'),
    # password for bob (guest): …, password (root) = …, root password[2026]: …
    _place(
        '',
        rf'(?:{_WHOSE}|[ ]\([^()\r\n\0]{{1,40}}\)|\[\w{{1,20}}\](?=:))[ ]?[:=][ ]{_SAID}'
        r'(?=["\'`”»*.,;!?)]{0,3}(?!\S))',
    ),
    # secret "…";, {:password "…"}, (password . "…")
    _place(
        r'(?:(?:^|[\n\0{;])[ \t]*\(?|[\s{(\[]:)',
        r'[ \t]+(?:\.[ ])?"(?P<value>[^\s"\\\0]{4,})"[ \t]*(?=[;,:)}\]\r\n]|\Z)',
    ),
    # bob, password "…"
    _place(r'(?:[,;(]|\band)[ ]*', r'[ ]["“«](?P<value>[^\s"”»\0]{4,})["”»]'),
    # ENV DB_PASSWORD …, set -x API_TOKEN …
    _place(
        r'(?:^|[\n\0])[ \t]*(?:ENV|setenv|setx|set(?:[ ]-\w{1,10}){1,3})[ ]+',
        r'[ ]+(?:"(?P<quoted>[^"\r\n\0]+)"|\'(?P<single>[^\'\r\n\0]+)|(?P<value>[^\s"\'\\=\0][^\s"\'\\\0]*))',
        is_certain=True,
    ),
    # signing key …
    _place(r'', r'[ ](?P<value>[A-Za-z0-9+/_\-]{20,}={0,2})(?![\w\-./=])'),
    # "the db password?" ⏎ bob: it's …
    _place(
        '',
        r'[^\n?\0]{0,60}\?[^\S\n]*\n[^\n\0]{0,60}?[:>\]][ ]+'
        r'(?:[^\s\0]+[ ]+){0,4}(?P<value>[^\s\0]{4,})[ \t]*(?=[\r\n]|\Z)',
    ),
    # use … as the password
    _place(
        r'\b(?:[Uu]se|[Tt]ry|[Ss]et|with)[ ](?P<value>[^\s\0"\'`<>]{4,})[ ]as[ ](?:the|your|my|our|a)[ ](?:[a-z]+[ ])?',
        r'(?!\w)',
        reach=80,
        word=' as ',
    ),
    # login failed with password …
    _place(r'\b(?:with|using|use|set|and|or|wrong|invalid|bad|incorrect|the|new|old)[ ](?:[a-z]+[ ])?', rf'[ ]{_SAID}'),
)


# All that may begin behind a name, each with an empty group at its end, which tells the place that is the first.
_ANY_AFTER = re.compile('|'.join(f'(?:{re.sub("[?]P<[a-z]+>", "?:", place.after.pattern)})()' for place in _PLACES))


def values_beside(text: str, start: int, end: int) -> Iterator[tuple[tuple[int, int], bool]]:
    """Where the values stand of a name from `start` to `end`, and whether each is certain to be one."""
    first = _ANY_AFTER.match(text, end)
    for place in _PLACES[(first.lastindex or 0) - 2 :] if first else ():
        near = max(0, start - place.reach)
        match = place.after.match(text, end) if place.word in text[near:start] else None
        if match and (before := place.before.search(text, near, end)):
            for found in (before, match):
                yield from ((found.span(group), place.is_certain) for group in found.groupdict() if found[group])
            return
