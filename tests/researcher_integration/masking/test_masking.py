"""No secret passes the masker, wherever it stands; what is no secret does."""

import base64
import json
import random
import re
import threading
import time
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pytest
import yaml
from detect_secrets.settings import get_settings
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from pydantic import BaseModel, ConfigDict
from pydantic_ai import BinaryContent, ToolReturn

from researcher_integration.masking.detectors import ALL_GROUPS
from researcher_integration.masking.findings import Masked
from researcher_integration.masking.masking import Masker, MaskingError
from summarizer_tool import ConfigurationError

MASKER = Masker()


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
    planted('PASSWORD', 'S3gge', 'Server=db;User Id=sa;Password={};Encrypt=true'),
    planted('PASSWORD', 'sedge9', 'keeper:sedge9@tcp(db:3306)/lamps password=sedge9 '),
    planted('TOKEN', 'l4mplight', "connect(token=SecretStr('{}'))"),
    planted('COOKIE', 'sid=' + letters(20, 33), 'Set-Cookie: {}; Path=/; HttpOnly\n'),
    planted('PRIVATE_KEY', letters(400, 34), '    client-key-data: {}\n'),
    planted('PASSWORD_HASH', '$2b$12$' + letters(53, 35), 'keeper:{}'),
]
ALL = BY_FORM + BY_NAME


@pytest.mark.parametrize('secret', ALL, ids=lambda secret: secret.kind)
def test_each_kind(secret: Planted) -> None:
    masked = MASKER.mask(f'before {secret.text} after')
    assert secret.needle not in masked.text
    assert secret.kind in masked.counts
    assert masked.text.startswith('before ')
    assert masked.text.endswith(' after')


def test_what_is_left_of_a_text() -> None:
    text = '\n'.join(secret.text.strip() for secret in ALL if '\n' not in secret.text.strip())
    assert MASKER.mask(text).text == snapshot("""\
[MASKED_AWS_KEY]
aws_secret_key = '[MASKED_AWS_KEY]'
[MASKED_GITHUB_TOKEN]
[MASKED_GITHUB_TOKEN]
[MASKED_JWT]
[MASKED_SLACK_TOKEN]
[MASKED_STRIPE_KEY]
[MASKED_GITLAB_TOKEN]
[MASKED_ANTHROPIC_KEY]
[MASKED_OPENAI_KEY]
[MASKED_OPENROUTER_KEY]
[MASKED_GOOGLE_KEY]
[MASKED_HUGGINGFACE_TOKEN]
[MASKED_SENDGRID_KEY]
[MASKED_NPM_TOKEN]
[MASKED_VAULT_TOKEN]
postgres://keeper:[MASKED_BASIC_AUTH]@db.fen.example:5432/lamps
amqp://keeper:[MASKED_BASIC_AUTH]@queue.fen.example/
curl -H "X-Auth: Bearer [MASKED_BEARER_TOKEN]"
[MASKED_PRIVATE_KEY]
Authorization: Basic [MASKED_AUTHORIZATION]
DB_PASSWORD=[MASKED_PASSWORD]
password: '[MASKED_PASSWORD]'
X-Api-Key: [MASKED_API_KEY]
?access_token=[MASKED_TOKEN]&page=2
CLIENT_SECRET="[MASKED_SECRET]"
--db-password [MASKED_PASSWORD] --verbose
<password>[MASKED_PASSWORD]</password>
//registry.fen.example/:_authToken=[MASKED_NPM_TOKEN]
machine git.fen.example login keeper password [MASKED_PASSWORD]
AccountName=fen;AccountKey=[MASKED_API_KEY];EndpointSuffix=core.example
Server=db;User Id=sa;Password=[MASKED_PASSWORD];Encrypt=true
keeper:[MASKED_BASIC_AUTH]@tcp(db:3306)/lamps password=[MASKED_PASSWORD]
connect(token=SecretStr('[MASKED_TOKEN]'))
Set-Cookie: [MASKED_COOKIE]
client-key-data: [MASKED_PRIVATE_KEY]
keeper:[MASKED_PASSWORD_HASH]\
""")


texts = st.text(
    st.one_of(st.characters(exclude_categories=['Cs']), st.sampled_from('"\'\\=: \n{}[],/@.-_aA0é')), max_size=40
)


@given(st.sampled_from(BY_FORM), texts, texts)
def test_no_surroundings_hide_a_secret_that_has_a_form(secret: Planted, before: str, after: str) -> None:
    masked = MASKER.mask(f'{before}\n{secret.text} {after}')
    assert secret.needle not in masked.text
    assert MASKER.mask(masked.text) == Masked(masked.text, {})


# Of those with a prefix that nothing else has, not even a space is needed before them.
PREFIXED = [secret for secret in BY_FORM if secret.text == secret.needle and '\n' not in secret.text]


@given(st.sampled_from(PREFIXED), texts, texts)
def test_nor_what_touches_it(secret: Planted, before: str, after: str) -> None:
    assert secret.needle not in MASKER.mask(f'{before}{secret.text}{after}').text


@given(st.sampled_from(ALL), st.lists(texts, max_size=3), st.integers(1, 3), st.booleans(), st.data())
def test_no_escapes_and_no_depth_hide_a_secret(
    secret: Planted, others: list[str], depth: int, ascii_only: bool, data: st.DataObject
) -> None:
    """JSON in a string in JSON, with the slashes and letters that some writers escape."""
    value: Any = secret.text
    for level in range(depth):
        value = data.draw(
            st.sampled_from([{'line': value, 'others': others}, [*others, value], {'a': {'b': [value, level]}}])
        )
        value = json.dumps(value, ensure_ascii=ascii_only)
        if data.draw(st.booleans()):
            value = value.replace('/', '\\/').replace('=', '\\u003d').replace('&', '\\u0026')
    masked = MASKER.mask(value)
    assert masked.counts
    inside: Any = masked.text
    for _ in range(depth):
        inside = json.loads(inside)  # still JSON, at each level
        inside = next(text for text in reversed(leaves(inside)) if re.search(r'\[MASKED_[A-Z_]+\]', text))
    assert secret.needle not in inside
    assert secret.needle not in masked.text


def test_a_quote_too_many_hides_nothing() -> None:
    inner = json.dumps({'line': 'password=sedge9', 'others': ['"']}).replace('=', '\\u003d')
    for text in (json.dumps(['"', inner]), f'a pipe of 5" {inner}', f'a pipe of 5" {json.dumps(inner)}'):
        assert 'sedge9' not in MASKER.mask(text).text


def leaves(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [leaf for item in value.items() for part in item for leaf in leaves(part)]
    return [leaf for item in value for leaf in leaves(item)] if isinstance(value, list | tuple) else []


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | texts,
    lambda children: st.lists(children, max_size=4) | st.dictionaries(texts, children, max_size=4),
    max_leaves=12,
)


@given(st.sampled_from(ALL), json_values, st.data())
def test_no_structure_hides_a_secret(secret: Planted, value: Any, data: st.DataObject) -> None:
    planted_value = plant(value, secret.text + ' ', data)
    masked, counts = MASKER.mask_value(planted_value)
    assert not any(secret.needle in leaf for leaf in leaves(masked))
    assert secret.kind in counts or sum(counts.values())
    assert shape(masked) == shape(planted_value)
    assert MASKER.mask_value(masked) == (masked, {})


def plant(value: Any, text: str, data: st.DataObject) -> Any:
    """The value with the text somewhere in it: as an item, as a key, or deeper."""
    if isinstance(value, list) and value and data.draw(st.booleans()):
        at = data.draw(st.integers(0, len(value) - 1))
        return [*value[:at], plant(value[at], text, data), *value[at + 1 :]]
    if isinstance(value, list):
        return [*value, text]
    if isinstance(value, dict):
        return {**value, text: 1} if data.draw(st.booleans()) else {**value, 'output': text}
    return text


def shape(value: Any) -> Any:
    if isinstance(value, dict):
        return [shape(item) for item in value.values()]
    return [shape(item) for item in value] if isinstance(value, list) else type(value) if value is None else '.'


@given(st.text(max_size=300))
def test_masking_what_is_masked_changes_nothing(text: str) -> None:
    once = MASKER.mask(text + ' password=' + text)
    assert MASKER.mask(once.text) == Masked(once.text, {})


def test_keys_of_many_lines_go_whole() -> None:
    indented = 'tls:\n  key: |\n' + ''.join(f'    {line}\n' for line in PRIVATE_KEY.splitlines()) + '  port: 443\n'
    logged = ''.join(f'2026-03-01T09:00:00Z INFO dump | {line}\n' for line in PRIVATE_KEY.splitlines())
    found = {
        'plain': f'one\n{PRIVATE_KEY}\ntwo',
        'Windows': f'one\r\n{PRIVATE_KEY}\r\ntwo'.replace('\n', '\r\n'),
        'indented': indented,
        'in a log': logged + 'two',
        'in JSON': json.dumps({'key': PRIVATE_KEY, 'port': 443}),
        'in JSON in JSON': json.dumps({'text': json.dumps({'key': PRIVATE_KEY, 'port': 443})}),
        'in the words of Python': repr({'key': PRIVATE_KEY, 'port': 443}),
        'without an end': f'one\n{PRIVATE_KEY[:300]}',
        'in JSON without an end': json.dumps([{'key': PRIVATE_KEY[:300]}, {'port': 443}]),
        'without a beginning': f'{PRIVATE_KEY[100:]}\ntwo',
        'in a log without a beginning': logged[300:] + 'two',
        'two': f'{PRIVATE_KEY}\nand\n{CERTIFICATE}',
        'of PuTTY': f'PuTTY-User-Key-File-3: ssh-rsa\nEncryption: none\n{BODY}\nPrivate-MAC: 0123abcd\ntwo',
    }
    masked = {name: MASKER.mask(text).text for name, text in found.items()}
    for text in masked.values():
        assert not any(line in text for line in BODY.splitlines())
    assert masked == snapshot(
        {
            'plain': """\
one
[MASKED_PRIVATE_KEY]
two\
""",
            'Windows': """\
one\r\r
[MASKED_PRIVATE_KEY]\r\r
two\
""",
            'indented': """\
tls:
  key: |
    [MASKED_PRIVATE_KEY]
  port: 443
""",
            'in a log': """\
2026-03-01T09:00:00Z INFO dump | [MASKED_PRIVATE_KEY]
two\
""",
            'in JSON': '{"key": "[MASKED_PRIVATE_KEY]", "port": 443}',
            'in JSON in JSON': '{"text": "{\\"key\\": \\"[MASKED_PRIVATE_KEY]\\", \\"port\\": 443}"}',
            'in the words of Python': "{'key': '[MASKED_PRIVATE_KEY]', 'port': 443}",
            'without an end': """\
one
[MASKED_PRIVATE_KEY]\
""",
            'in JSON without an end': '[{"key": "[MASKED_PRIVATE_KEY]"}, {"port": 443}]',
            'without a beginning': """\
[MASKED_PRIVATE_KEY]
two\
""",
            'in a log without a beginning': """\
[MASKED_PRIVATE_KEY]
two\
""",
            'two': """\
[MASKED_PRIVATE_KEY]
and
[MASKED_CERTIFICATE]\
""",
            'of PuTTY': """\
[MASKED_PRIVATE_KEY]
two\
""",
        }
    )


def test_public_keys_stay() -> None:
    text = PRIVATE_KEY.replace('RSA PRIVATE', 'PUBLIC')
    assert MASKER.mask(text) == Masked(text, {})


def test_secrets_of_kubernetes() -> None:
    secret = {'apiVersion': 'v1', 'kind': 'Secret', 'metadata': {'name': 'lamp'}, 'data': {'oil': 'ZmVuLW9pbA=='}}
    settings = {'apiVersion': 'v1', 'kind': 'ConfigMap', 'metadata': {'name': 'wick'}, 'data': {'oil': 'whale'}}
    listed = {'apiVersion': 'v1', 'kind': 'List', 'items': [secret, settings]}
    by_names = {
        'kind': 'SecretList',
        'items': [{'metadata': {'name': 'lamp'}, 'data': {'oil': 'ZmVuLW9pbA=='}}],
    }
    pod = {
        'kind': 'Pod',
        'env': [
            {'name': 'DB_PASSWORD', 'value': 'sedge'},
            {'value': 'reed', 'name': 'API_KEY'},
            {'name': 'MODE', 'value': 'dark'},
        ],
        'volumes': [{'name': 'tls', 'secret': {'secretName': 'tls-lamp', 'defaultMode': 420}}],
    }
    assert MASKER.mask_value(listed) == snapshot(
        (
            {
                'apiVersion': 'v1',
                'kind': 'List',
                'items': [
                    {
                        'apiVersion': 'v1',
                        'kind': 'Secret',
                        'metadata': {'name': 'lamp'},
                        'data': {'oil': '[MASKED_KUBERNETES_SECRET]'},
                    },
                    {'apiVersion': 'v1', 'kind': 'ConfigMap', 'metadata': {'name': 'wick'}, 'data': {'oil': 'whale'}},
                ],
            },
            {'KUBERNETES_SECRET': 1},
        )
    )
    assert MASKER.mask_value(by_names)[1] == {'KUBERNETES_SECRET': 1}
    assert MASKER.mask_value(pod) == snapshot(
        (
            {
                'kind': 'Pod',
                'env': [
                    {'name': 'DB_PASSWORD', 'value': '[MASKED_PASSWORD]'},
                    {'value': '[MASKED_API_KEY]', 'name': 'API_KEY'},
                    {'name': 'MODE', 'value': 'dark'},
                ],
                'volumes': [{'name': 'tls', 'secret': {'secretName': 'tls-lamp', 'defaultMode': 420}}],
            },
            {'PASSWORD': 1, 'API_KEY': 1},
        )
    )
    for manifest in (listed, by_names, pod):
        expected, _ = MASKER.mask_value(manifest)
        assert json.loads(MASKER.mask(json.dumps(manifest)).text) == expected
        assert json.loads(MASKER.mask(json.dumps(manifest, indent=2)).text) == expected
        [text] = leaves([MASKER.mask_value([json.dumps(manifest)])[0]])
        assert json.loads(text) == expected
    documents = '---\n'.join(yaml.safe_dump(each, sort_keys=False) for each in (secret, settings))
    assert MASKER.mask(documents).text == snapshot("""\
apiVersion: v1
kind: Secret
metadata:
  name: lamp
data:
  oil: [MASKED_KUBERNETES_SECRET]
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: wick
data:
  oil: whale
""")
    block = 'kind: Secret\nstringData:\n  lamp.conf: |\n    oil = whale\n    wick = long\n  plain: reed\ntype: Opaque\n'
    assert MASKER.mask(block).text == snapshot("""\
kind: Secret
stringData:
  lamp.conf: [MASKED_KUBERNETES_SECRET]
  plain: [MASKED_KUBERNETES_SECRET]
type: Opaque
""")


class Lamp(BaseModel):
    model_config = ConfigDict(frozen=True, extra='allow')
    name: str
    password: str = ''
    level: int = 3
    oil: str = ''


@dataclass(frozen=True, slots=True)
class Keeper:
    name: str
    lamps: tuple[Lamp, ...] = ()
    api_key: str | None = None
    notes: set[str] = field(default_factory=set[str])


def test_models_and_dataclasses_stay_what_they_are() -> None:
    value = Keeper('Aldous', (Lamp(name='first', password='reed', oil='token=abc123def'),), 'none', {BY_FORM[0].text})
    masked, counts = MASKER.mask_value({'keeper': value, 'raw': b'\x01 password=reed \x00'})
    assert masked == snapshot(
        {
            'keeper': Keeper(
                name='Aldous',
                lamps=(Lamp(name='first', password='[MASKED_PASSWORD]', oil='token=[MASKED_TOKEN]'),),
                api_key='[MASKED_API_KEY]',
                notes={'[MASKED_AWS_KEY]'},
            ),
            'raw': b'\x01 password=[MASKED_PASSWORD] \x00',
        }
    )
    assert counts == snapshot({'PASSWORD': 2, 'TOKEN': 1, 'API_KEY': 1, 'AWS_KEY': 1})
    lamp, _ = MASKER.mask_value(Lamp.model_validate({'name': 'second', 'wick': 'token=abc123def'}))
    assert isinstance(lamp, Lamp)
    assert lamp.model_extra == {'wick': 'token=[MASKED_TOKEN]'}
    returned, _ = MASKER.mask_value(ToolReturn('password=reed', content=['password=reed'], metadata={'token': 'reed'}))
    assert isinstance(returned, ToolReturn)
    assert 'reed' not in repr(returned)


def test_what_stands_under_a_telling_name_goes_whole() -> None:
    assert MASKER.mask_value(
        {
            'password': 'hello',
            'token': 123456789,
            'Authorization': ['hello'],
            'credentials': {'user': 'Aldous', 'value': 'hello', 'expires': '2026-03-01'},
            'secret': None,
            'client_secret': '',
            'max_tokens': 800,
            'nextPageToken': 'CAUQAA',
            'tokens': [1, 2],
            'public_key': 'hello',
        }
    ) == snapshot(
        (
            {
                'password': '[MASKED_PASSWORD]',
                'token': '[MASKED_TOKEN]',
                'Authorization': ['[MASKED_AUTHORIZATION]'],
                'credentials': {'user': 'Aldous', 'value': '[MASKED_SECRET]', 'expires': '2026-03-01'},
                'secret': None,
                'client_secret': '',
                'max_tokens': 800,
                'nextPageToken': 'CAUQAA',
                'tokens': [1, 2],
                'public_key': 'hello',
            },
            {'PASSWORD': 1, 'TOKEN': 1, 'AUTHORIZATION': 1, 'SECRET': 1},
        )
    )


@pytest.mark.parametrize(
    'value',
    [
        {'pass': 118, 'fail': 2},
        {'pass': 0.9833333333},
        {'secrets': 5, 'tokens_ratio': 0.5},
        {'session_keys': 12},
        {'credentials': {'age_days': 93, 'rotated': True, 'rate': 0.25}},
        {'auth': {'method': 'ldap'}},
        {'access_keys': [{'state': 'Active', 'age': 300, 'type': 'rsa', 'status': 'old'}]},
    ],
)
def test_what_is_counted_or_said_of_secrets_stays(value: object) -> None:
    assert MASKER.mask_value(value) == (value, {})
    text = json.dumps(value)
    assert MASKER.mask(text) == Masked(text, {})


def test_numbers_that_are_secrets() -> None:
    for value in ({'db_password': 1234}, {'token': 123456789}, {'access_keys': [{'state': 'on', 'id': 1, 'v': 'x1'}]}):
        assert sum(MASKER.mask_value(value)[1].values()) == 1
        assert sum(MASKER.mask(json.dumps(value)).counts.values()) == 1


def test_bytes_are_masked_only_if_they_are_text() -> None:
    binary = b'\xff\xfe password=reed'
    values = [binary, BinaryContent(data=binary, media_type='image/png')]
    assert MASKER.mask_value(values) == (values, {})
    for media_type in ('text/plain', 'application/json', 'application/problem+json', 'application/x-yaml'):
        content, _ = MASKER.mask_value(BinaryContent(data=binary, media_type=media_type))
        assert isinstance(content, BinaryContent)
        assert content.data == b'\xff\xfe password=[MASKED_PASSWORD]'
    content, _ = MASKER.mask_value(BinaryContent(data=b'password=reed', media_type='application/octet-stream'))
    assert isinstance(content, BinaryContent)
    assert content.data == b'password=[MASKED_PASSWORD]'


def test_colours_hide_nothing() -> None:
    text = '\x1b[32mpassword\x1b[0m=\x1b[31mSECRET123abc\x1b[0m \x1b[1mAKIA\x1b[0m' + 'Z' * 16
    masked = MASKER.mask(text)
    assert masked.text == ('\x1b[32mpassword\x1b[0m=\x1b[31m[MASKED_PASSWORD]\x1b[0m \x1b[1m[MASKED_AWS_KEY]')
    assert MASKER.mask(masked.text) == Masked(masked.text, {})
    assert MASKER.mask_value([text])[0] == [masked.text]
    assert json.loads(MASKER.mask(json.dumps([text])).text) == [masked.text]


def test_a_value_before_its_name_in_yaml() -> None:
    text = 'env:\n- value: reed\n  name: DB_PASSWORD\n- value: "sedge"\n  name: API_KEY\n- value: dark\n  name: MODE\n'
    assert MASKER.mask(text).text == (
        'env:\n- value: [MASKED_PASSWORD]\n  name: DB_PASSWORD\n- value: "[MASKED_API_KEY]"\n  name: API_KEY\n'
        '- value: dark\n  name: MODE\n'
    )


def test_what_has_no_secret_is_the_same_object() -> None:
    value = {'pods': [{'name': 'lamp-0', 'ready': True, 'labels': ('a', 'b')}], 'keeper': Keeper('Aldous')}
    masked, counts = MASKER.mask_value(value)
    assert masked is value
    assert counts == {}


def test_two_keys_of_a_mapping_that_are_secrets_stay_two() -> None:
    masked, _ = MASKER.mask_value({BY_FORM[0].text: 1, 'AKIA' + 'Z' * 16: 2, 'c': 3})
    assert masked == snapshot({'[MASKED_AWS_KEY]': 1, '[MASKED_AWS_KEY] (2)': 2, 'c': 3})


KUBECTL = """\
NAME                              READY   STATUS             RESTARTS       AGE     IP            NODE
lamp-exporter-7d9f8b6c5d-x2k4p    1/1     Running            0              3d4h    10.42.0.17    fen-node-1
token-broker-5c6d7f8b9d-q8z7w     0/1     CrashLoopBackOff   17 (2m ago)    61m     10.42.1.23    fen-node-2

I0301 09:12:44.123456       1 controller.go:223] "Reconciled" secret="fen/lamp-tls" generation=4 token_count=17
E0301 09:12:45.000001       1 reflector.go:150] pkg/mod/k8s.io/client-go@v0.29.2/tools/cache/reflector.go:229: Failed
2026-03-01T09:12:46Z ERROR [main] password authentication failed for user "keeper" (attempt 3 of 5)
2026-03-01T09:12:46Z WARN  invalid token: unexpected EOF at line 3; expected token ')' but got ','
2026-03-01T09:12:47Z INFO  usage prompt_tokens=5123 completion_tokens=210 total_tokens: 5333 max_tokens=8000
2026-03-01T09:12:48Z INFO  http://10.42.0.17:8080/healthz?probe=ready&from=ops@fen.example 200 13ms
2026-03-01T09:12:49Z INFO  commit 9fceb02d0ae598e95dc970b74767f19372d61af8 by aldous@fen.example
2026-03-01T09:12:50Z INFO  request id=550e8400-e29b-41d4-a716-446655440000 trace=4bf92f3577b34da6a3ce929d0e0e4736
2026-03-01T09:12:51Z INFO  stored as src_0123456789ab and src_fedcba987654, see read_source
2026-03-01T09:12:51Z INFO  install gir1.2-secret-1:amd64; LONGEST_TOKEN = 128; password = getpass(prompt)
2026-03-01T09:12:52Z DEBUG next_page_token=CAUQAA cache_key=lamps:17 partition_key=fen sort-key: 2026
Containers:
  lamp:
    Container ID:  containerd://3f1a9d6d2a0c4b3e9a7f6c5d4e3b2a190817263544536271809f0e1d2c3b4a59
    Image:         registry.fen.example:5000/lamp:1.4.2@sha256:9b2c6e8d7f1a0b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e6f7081920a3b
    Image ID:      docker-pullable://registry.fen.example/lamp:1.4.2@sha256:9b2c6e8d7f1a0b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e6f7081920a3b
    Environment:
      DB_PASSWORD:   <set to the key 'password' in secret 'lamp-db'>  Optional: false
      OLD_TOKEN:     ${OLD_TOKEN}
      PWD:           /srv/lamp
Volumes:
  tls:
    Type:        Secret (a volume populated by a Secret)
    SecretName:  lamp-tls
    Optional:    false
  kube-api-access:
    TokenExpirationSeconds:  3607
Events:
  Warning  FailedMount  2m  kubelet  MountVolume.SetUp failed: secret "lamp-tls" not found
  Normal   Pulled       2m  kubelet  basic auth disabled; authorization: granted; bearer of the lamp: Aldous
MIIBIjAN is no key; disk-usage-of-the-whole-fen-cluster-node is a name; task-management-service-deployment too
"""


def test_ordinary_text_stays(crawl: dict[str, str]) -> None:
    for name, text in {**crawl, 'kubectl': KUBECTL}.items():
        assert MASKER.mask(text) == Masked(text, {}), name
        assert MASKER.mask_value({'lines': text.splitlines()})[1] == {}, name


def test_random_strings_and_addresses_only_if_asked_for() -> None:
    text = '"9fceb02d0ae598e95dc970b74767f19372d61af8" from 203.0.113.7'
    assert MASKER.mask(text).counts == {}
    assert Masker(ALL_GROUPS).mask(text).text == '"[MASKED_HIGH_ENTROPY]" from [MASKED_PUBLIC_IP]'
    assert Masker(['keys']).mask(BY_FORM[0].text).counts == {}


def test_expressions_of_ones_own() -> None:
    masker = Masker(patterns={'keeper_number': r'KN-\d{4}', 'lamp': r'lamp (?:no\.|number) (?P<secret>\w+)'})
    masked = masker.mask('KN-1234 holds lamp no. seven, and KN-99')
    assert masked == Masked(
        '[MASKED_KEEPER_NUMBER] holds lamp no. [MASKED_LAMP], and KN-99', {'KEEPER_NUMBER': 1, 'LAMP': 1}
    )
    assert Masker(patterns={'whole': '^KN.*$'}).mask_value(['KN-1', 'no KN-1']) == (
        ['[MASKED_WHOLE]', 'no KN-1'],
        {'WHOLE': 1},
    )
    wrong = {}
    for name, expression in {
        'a b': 'x',
        'open': '(',
        'empty': 'x*',
        'long': 'x' * 3000,
        'back': r'(?P<a>x)(?P=b)',
    }.items():
        with pytest.raises(ConfigurationError) as caught:
            Masker(patterns={name: expression})
        wrong[name] = str(caught.value)
    assert wrong == snapshot(
        {
            'a b': "'a b' is no name for a pattern: letters, digits and _, at most 40, a letter first",
            'open': 'the pattern open is no regular expression: missing ) at position 1',
            'empty': 'the pattern empty matches an empty text; it would mask nothing, everywhere',
            'long': 'the pattern long has 3000 characters, over 2000; split it',
            'back': 'the pattern back is no regular expression: unknown group at position 11',
        }
    )


def test_a_failure_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr('researcher_integration.masking.patterns.SECONDS', 0.05)
    monkeypatch.setattr('researcher_integration.masking.patterns.SECONDS_PER_MB', 0.0)
    slow = Masker(patterns={'slow': r'(x|xx)+\1y'})
    for mask in (slow.mask, slow.mask_value):
        with pytest.raises(MaskingError) as caught:
            mask('sedge ' + 'x' * 100)
        assert str(caught.value) == 'could not be searched for secrets: an expression took too long'

    circle: list[object] = ['sedge']
    circle.append(circle)

    class Strange:
        def __repr__(self) -> str:
            return 'sedge'

    class Failing(dict[str, str]):
        def items(self) -> Any:
            raise RuntimeError('sedge')

    for value in (circle, Strange(), Failing(a='sedge')):
        with pytest.raises(MaskingError) as caught:
            MASKER.mask_value(value)
        assert 'sedge' not in str(caught.value)
        assert caught.value.__cause__ is None
        assert caught.value.__suppress_context__


def test_nothing_of_detect_secrets_is_set_or_read() -> None:
    get_settings.cache_clear()
    threads = [threading.Thread(target=MASKER.mask, args=[BY_FORM[0].text * 50]) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert get_settings.cache_info().currsize == 0


def noisy(kilobytes: int) -> str:
    lines = (
        f'2026-03-01T09:12:{n % 60:02}.{n % 1000:03}Z INFO [worker-{n % 9}] request id={n:016x} path=/api/v1/lamps/{n} '
        f'status=200 latency_ms={n % 700} token_count={n % 90} key={n % 7}\n'
        for n in range(kilobytes * 7)
    )
    return ''.join(lines)[: kilobytes * 1000]


def seconds(text: str) -> float:
    started = time.process_time()
    MASKER.mask(text)
    return time.process_time() - started


def test_time_grows_with_the_text() -> None:
    assert seconds(noisy(300)) < 10  # far from what it takes: only a blow-up is caught
    objects = [{'id': n, 'name': f'lamp-{n}', 'note': 'a "quoted"\nnote', 'value': n} for n in range(3000)]
    assert seconds(json.dumps(objects)) < 20
    objects = [{'id': n, 'name': f'lamp-{n}', 'password': f'x{n}', 'token': None, 'ratio': n / 7} for n in range(4000)]
    assert seconds(json.dumps(objects)) < 20


@pytest.mark.parametrize(
    'piece',
    [
        'eyJ',
        'eyJ.',
        '"',
        '\\"',
        'password=',
        'password="',
        '://a:',
        'b@',
        'login ',
        'token: ',
        'token=\\\\"',
        '{"password":',
        '-----BEGIN PRIVATE KEY-----',
        '-----END PRIVATE KEY-----\n',
        '[MASKED_',
        'cookie: a=',
        'kind: Secret\ndata:\n a: |\n',
        'name: token\n value: ',
        '- value: a   ',
        '\x1b[3',
        '\x1b[3m',
        '\0',
        'a: ',
        '\\',
    ],
)
def test_no_repetition_holds_it_up(piece: str) -> None:
    size = 30_000
    for text in (
        piece * (size // len(piece)),
        '"' + piece * (size // len(piece)),
        '://a:' + piece * (size // len(piece)),
        'password=' + piece * (size // len(piece)),
    ):
        assert seconds(text) < 20
