"""Credentials that are told by what stands around them: keys in files, passwords in URLs, headers and commands."""

import regex

from researcher_integration.masking import secret_names
from researcher_integration.masking.findings import Find
from researcher_integration.masking.key_blocks import find_blocks
from researcher_integration.masking.keyed import find_keyed
from researcher_integration.masking.patterns import looks_generated, own
from researcher_integration.masking.structured_secrets import find_in_json, find_in_yaml

_PORT = regex.compile(r'\d{1,5}[?#]')
_AUTHORITY = r'[^\s/"\'<>\\`\0]'


def _in_base64(value: str) -> bool:
    return secret_names.mixed(value) or value.endswith('=')


def _password(value: str) -> bool:
    """Whether something between a colon and an @ is a password, and no port with a query after it."""
    return not secret_names.is_placeholder(value) and not _PORT.match(value)


def _no_port(value: str) -> bool:
    return _password(value) and not value.partition('/')[0].isdigit()


KEYS: list[Find] = [
    find_blocks,
    own(
        'PRIVATE_KEY',
        r'client-key-data\\*["\']?[ \t]*:[ \t]*\\*["\']?(?P<secret>[A-Za-z0-9+/=]{8,}+)',
        'client-key',
    ),
    own(
        'CERTIFICATE',
        r'(?:certificate-authority-data|client-certificate-data|caBundle)\\*["\']?[ \t]*:[ \t]*\\*["\']?'
        r'(?P<secret>[A-Za-z0-9+/=]{8,}+)',
        'certificate-authority',
        'client-certificate',
        'cabundle',
    ),
    # The base64 of `-----BEGIN`, as it stands in many a `data`.
    own(
        'PRIVATE_KEY',
        r'(?:LS0tLS1CRUdJT|MIIEv[AgQ]IBAD|b3BlbnNzaC1rZXktdjE)[A-Za-z0-9+/=\-_]*+',
        'ls0tls1crudjt',
        'miiev',
        'b3blbnnzac1r',
    ),
    own('JWK', r'"(?:d|p|q|dp|dq|qi|k)\\*"[ \t]*:[ \t]*\\*"(?P<secret>[\w\-]{20,}+)\\*"', '"kty'),
    own('AGE_KEY', r'AGE-SECRET-KEY-1[0-9A-Z]{20,}+', 'age-secret-key-1'),
]

CREDENTIALS: list[Find] = [
    # To the last @ before the path, since passwords have the characters that they should not.
    own(
        'BASIC_AUTH',
        rf'://[^\s/:@"\'<>\\`\0]{{0,200}}+:(?P<secret>{_AUTHORITY}+)@(?!sha\d)',
        '://',
        keep=_password,
    ),
    own(
        'BASIC_AUTH',
        r'://[^\s/:@"\'<>\\`\0]{0,200}+:(?P<secret>[^\s@"\'<>\\`\0]{1,400}+)@[\w.\-]+(?::\d+)?(?:[/?\s"\'\0]|$)',
        '://',
        keep=_no_port,
    ),
    # `scott/tiger@host` of Oracle has no form of its own; `user:password@tcp(host)` of MySQL has.
    own('BASIC_AUTH', r'[\w.\-]{1,64}+:(?P<secret>[^\s@"\'<>\\`\0]{1,200}+)@(?:tcp|unix)\(', '@tcp(', '@unix('),
    own(
        'AUTHORIZATION',
        r'(?i:authorization)\\*["\']?\]?[ \t]*[:=,][ \t]*\\*["\']?'
        r'(?:(?i:bearer|basic|digest|token|apikey|negotiate|key)[ \t]+)?'
        r'(?P<secret>[A-Za-z0-9._~+/=:\-]{6,}+)',
        'authorization',
        keep=looks_generated,
    ),
    own('AUTHORIZATION', r'AWS4-HMAC-SHA256 [^\r\n]{0,400}?Signature=(?P<secret>[0-9a-fA-F]{16,}+)', 'aws4-hmac'),
    own(
        'BEARER_TOKEN',
        r'(?i:bearer)(?:[ \t]|%20)+\\*["\']?(?P<secret>[A-Za-z0-9._~+/=\-]{8,}+)',
        'bearer',
        keep=looks_generated,
    ),
    own('BASIC_AUTH', r'(?i:basic)[ \t]+(?P<secret>[A-Za-z0-9+/]{8,}+={0,2})', 'basic', keep=_in_base64),
    own(
        'COOKIE',
        r'(?i:(?:set-)?cookie)\\*["\']?[ \t]*[:=][ \t]*\\*["\']?(?P<secret>[\w.\-]{1,80}+=[^\r\n"\'\0\\]+)',
        'cookie',
    ),
    own(
        'NPM_TOKEN',
        r'_(?:auth|authToken|password)[ \t]*=[ \t]*["\']?(?P<secret>[^\s"\'\0\\]+)',
        '_auth',
        '_password',
        keep=_password,
    ),
    own(
        'PASSWORD',
        r'\b(?:machine|login)[ \t\r\n]+[^\s\0]{1,200}\s+(?:login[ \t\r\n]+[^\s\0]{1,200}\s+)?'
        r'password\s+(?P<secret>[^\s"\'\\\0]+)',
        'machine',
        'login',
    ),
    own(
        'PASSWORD',
        r'(?i:identified[ \t]+(?:by|with[ \t]+\w+[ \t]+by)[ \t]+(?:password[ \t]+)?)\\*["\']'
        r'(?P<secret>[^"\'\\\r\n\0]+)',
        'identified',
    ),
    own(
        'PASSWORD',
        r'\b(?i:requirepass|masterauth|ldap_bind_pw)[ \t]+(?P<secret>[^\s"\'\\\0]+)',
        'requirepass',
        'masterauth',
        'ldap_bind_pw',
    ),
    own(
        'PASSWORD',
        r'\b(?:curl|wget)\b[^\r\n\0]{0,400}?[ \t](?:-u|--user)[ \t=]*["\']?[^\s:"\']{1,100}:(?P<secret>[^\s"\'\\\0]+)',
        'curl',
        'wget',
    ),
    own('PASSWORD', r'\bsshpass[ \t]+-p[ \t]*["\']?(?P<secret>[^\s"\'\\\0]+)', 'sshpass'),
    own(
        'PASSWORD_HASH',
        r'\$(?:2[abxy]?|[156y]|argon2(?:id|i|d)|scrypt|pbkdf2[\w\-]*|apr1)\$[A-Za-z0-9./$=,+\-]{16,}+',
        '$',
    ),
    own(
        'DOCKER_AUTH',
        r'"(?:auth|identitytoken)\\*"[ \t]*:[ \t]*\\*"(?P<secret>[A-Za-z0-9+/._\-]{8,}+={0,2})',
        '"auth',
        '"identitytoken',
    ),
    own('BOOTSTRAP_TOKEN', r'(?:--token|token:)[ \t=]+(?P<secret>[a-z0-9]{6}\.[a-z0-9]{16})\b', '--token', 'token:'),
    find_in_json,
    find_in_yaml,
    find_keyed,
]
