"""Secrets for tests: by their form and by the name beside them, and texts to hide them in."""

import base64
import json
import random
from typing import Any, NamedTuple

from hypothesis import strategies as st


class Planted(NamedTuple):
    kind: str
    text: str
    """As it stands in a text."""
    needle: str
    """What must not be left of it."""


def letters(size: int, seed: int, alphabet: str = 'abcdefghkmnpqrstuvwxyzABCDEFGHKMNPQRSTUVWXYZ23456789') -> str:
    return ''.join(random.Random(seed).choices(alphabet, k=size))


def web_token() -> str:
    parts = [{'alg': 'HS256', 'typ': 'JWT'}, {'sub': 'warden', 'exp': 1893456000}]
    encoded = [base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip('=') for part in parts]
    return '.'.join((*encoded, letters(43, 4)))


def planted(kind: str, needle: str, around: str = '{}') -> Planted:
    return Planted(kind, around.replace('{}', needle), needle)


BODY = '\n'.join(letters(64, seed) for seed in range(20, 26))
PRIVATE_KEY = f'-----BEGIN RSA PRIVATE KEY-----\n{BODY}\n-----END RSA PRIVATE KEY-----'
CERTIFICATE = PRIVATE_KEY.replace('RSA PRIVATE KEY', 'CERTIFICATE')

# Put together here, so that no scanner takes the file for a leak.
BY_FORM = [
    planted('AWS_KEY', 'AKIA' + letters(16, 1).upper()),
    planted('AWS_KEY', letters(40, 2), "aws_secret_key = '{}'"),
    planted('GITHUB_TOKEN', 'gh' + 'p_' + letters(36, 3)),
    planted('GITHUB_TOKEN', 'github_' + 'pat_' + letters(22, 3) + '_' + letters(59, 5)),
    planted('JWT', web_token()),
    planted('SLACK_TOKEN', 'xo' + 'xb-' + '123456789012-123456789012-' + letters(24, 6)),
    planted('STRIPE_KEY', 'sk_' + 'live_' + letters(24, 7)),
    planted('GITLAB_TOKEN', 'gl' + 'pat-' + letters(20, 8)),
    planted('ANTHROPIC_KEY', 'sk-' + 'ant-api03-' + letters(80, 9)),
    planted('OPENAI_KEY', 'sk-' + 'proj-' + letters(20, 10) + 'T3Blbk' + 'FJ' + letters(20, 11)),
    planted('OPENROUTER_KEY', 'sk-' + 'or-v1-' + letters(64, 12, '0123456789abcdef')),
    planted('GOOGLE_KEY', 'AI' + 'za' + letters(35, 13)),
    planted('HUGGINGFACE_TOKEN', 'hf' + '_' + letters(34, 14)),
    planted('SENDGRID_KEY', 'SG' + '.' + letters(22, 15) + '.' + letters(43, 16)),
    planted('NPM_TOKEN', 'np' + 'm_' + letters(36, 17)),
    planted('VAULT_TOKEN', 'hv' + 's.' + letters(24, 18)),
    planted('BASIC_AUTH', 'f3n/l1ght=5!', 'postgres://keeper:{}@db.fen.example:5432/lamps'),
    planted('BASIC_AUTH', 'p@ss:w0rd', 'amqp://keeper:{}@queue.fen.example/'),
    planted('BEARER_TOKEN', letters(32, 19), 'curl -H "X-Auth: Bearer {}"'),
    planted('PRIVATE_KEY', PRIVATE_KEY),
    planted('CERTIFICATE', CERTIFICATE),
    planted('PRIVATE_KEY', base64.b64encode(PRIVATE_KEY.encode()).decode()),
]
BY_NAME = [
    planted('AUTHORIZATION', letters(24, 27), 'Authorization: Basic {}=='),
    planted('PASSWORD', 'marsh-lantern-9', 'DB_PASSWORD={} '),
    planted('PASSWORD', 'marsh "lantern" 9', "password: '{}'"),
    planted('API_KEY', letters(20, 28), 'X-Api-Key: {}\n'),
    planted('TOKEN', letters(20, 29), '?access_token={}&page=2'),
    planted('SECRET', letters(20, 30), 'CLIENT_SECRET="{}"'),
    planted('PASSWORD', 'l4mplight', '--db-password l4mplight --verbose'),
    planted('PASSWORD', 'l4mplight', '<password>{}</password>'),
    planted('NPM_TOKEN', letters(36, 31), '//registry.fen.example/:_authToken={}\n'),
    planted('PASSWORD', 'l4mplight', 'machine git.fen.example login keeper password {}\n'),
    planted('API_KEY', letters(60, 32) + '==', 'AccountName=fen;AccountKey={};EndpointSuffix=core.example'),
    planted('API_KEY', letters(32, 36), '<adobeKey>{}</adobeKey>'),
    planted('PASSWORD', 'S3gge.9x', "ALTER LOGIN sa WITH PASSWORD = N'{}';"),
    planted('PASSWORD', 'S3gge', 'Server=db;User Id=sa;Password={};Encrypt=true'),
    planted('PASSWORD', 'sedge9', 'keeper:sedge9@tcp(db:3306)/lamps password=sedge9 '),
    planted('SECRET', 'l4mplight', "connect(token=SecretStr('{}'))"),
    planted('COOKIE', 'sid=' + letters(20, 33), 'Set-Cookie: {}; Path=/; HttpOnly\n'),
    planted('COOKIE', letters(40, 44), 'session={}; Path=/'),
    planted('API_KEY', letters(32, 45), 'signing key {}'),
    planted('API_KEY', letters(43, 46), 'fernet key: {}='),
    planted('SECRET', letters(32, 47, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'), 'TOTP secret {}'),
    planted('SIGNATURE', letters(64, 48, '0123456789abcdef'), 'X-Amz-Signature={}'),
    planted('AUTHORIZATION', letters(24, 49), 'curl -H "X-Auth: {}"'),
    planted('BASIC_AUTH', letters(32, 50, '0123456789abcdef'), 'https://{}@o1.ingest.fen.example/5'),
    planted('MNEMONIC', 'wren ' * 11 + 'lamp', 'mnemonic: "{}"'),
    planted('PRIVATE_KEY', letters(400, 34), '    client-key-data: {}\n'),
    planted('AWS_KEY', letters(40, 51), 'AKIA' + letters(16, 52).upper() + ' {}'),
    planted('API_KEY', letters(44, 53), 'Unseal Key 1: {}\n'),
    planted('API_KEY', letters(40, 54, '0123456789abcdef'), 'sonar.login={}'),
    planted('PASSWORD', base64.b64encode(b'marsh-lantern-9').decode(), 'userPassword:: {}\n'),
    planted('PASSWORD', 's marsh-lantern-9', "password: 'it''{}'"),
    planted('PASSWORD_HASH', '$2b$12$' + letters(53, 35), 'keeper:{}'),
]
ALL = BY_FORM + BY_NAME


texts = st.text(
    st.one_of(st.characters(exclude_categories=['Cs']), st.sampled_from('"\'\\=: \n{}[],/@.-_aA0é')), max_size=40
)


def leaves(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [leaf for item in value.items() for part in item for leaf in leaves(part)]
    return [leaf for item in value for leaf in leaves(item)] if isinstance(value, list | tuple) else []
