"""Secrets in structures: under names, in manifests, in models and bytes."""

import json
import pickle
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, NamedTuple, cast

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from pydantic import BaseModel, ConfigDict
from pydantic_ai import BinaryContent, ToolReturn

from researcher_integration.masking.findings import Masked
from researcher_integration.masking.masking import Masker
from tests.support.planted_secrets import ALL, BY_FORM, Planted, leaves, texts

MASKER = Masker()

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
    masked = {**secret, 'data': {'oil': '[MASKED_KUBERNETES_SECRET]'}}
    assert MASKER.mask_value(listed) == ({**listed, 'items': [masked, settings]}, {'KUBERNETES_SECRET': 1})
    assert MASKER.mask_value(by_names)[1] == {'KUBERNETES_SECRET': 1}
    env = [
        {'name': 'DB_PASSWORD', 'value': '[MASKED_PASSWORD]'},
        {'value': '[MASKED_API_KEY]', 'name': 'API_KEY'},
        {'name': 'MODE', 'value': 'dark'},
    ]
    assert MASKER.mask_value(pod) == ({**pod, 'env': env}, {'PASSWORD': 1, 'API_KEY': 1})
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
    applied = f'kind: ConfigMap\nmetadata:\n  annotations:\n    applied: |\n      {json.dumps(secret)}\n  name: wick\n'
    assert MASKER.mask(applied).text == applied.replace('ZmVuLW9pbA==', '[MASKED_KUBERNETES_SECRET]')
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
    value = Keeper('Aldous', (Lamp(name='first', password='reed', oil='token=abc123def'),), 'sedge', {BY_FORM[0].text})
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
            'input_token': 'nextToken',
            'ssh_key': {'id': 7, 'public_key': 'ssh-rsa AAAAB3NzaC1yc2EAAAADAQsxRiUKn'},
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
                'input_token': 'nextToken',
                'ssh_key': {'id': 7, 'public_key': 'ssh-rsa AAAAB3NzaC1yc2EAAAADAQsxRiUKn'},
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
        {'pin': 7},
        {'prompt_token': 123456789, 'used_token': 123456789012, 'token': 12000000},
        {'dependencies': {'pbkdf2-password': '1.2.1', 'express-basic-auth': '1.2.1'}},
        {'client_secrets': {'lifespan': {'type': 'string', 'example': '30m'}}},
        {'auth': {'accessor': '0e9e354a-520f', 'policies': ['default'], 'lease_duration': 2764800}},
        {'credentials': {'age_days': 93, 'rotated': True, 'rate': 0.25}},
        {'auth': {'method': 'ldap'}},
        {'signJwt': {'parameters': {'name': {'required': True}}, 'parameterOrder': ['name']}},
        {'CreateToken': {'requestUri': '/v1/tokens', 'input': {'shape': 'CreateTokenRequest'}, 'pattern': '[a-z0-9]+'}},
        {'access_keys': [{'state': 'Active', 'age': 300, 'type': 'rsa', 'status': 'old'}]},
        {'security': [{'oauth_token': ['read:user', 'write:repo1']}, {'api_key': ['read:items2', 'admin:*']}]},
        'security:\n  - bearer_token: [read:user2, write:repo]\n',
    ],
)
def test_what_is_counted_or_said_of_secrets_stays(value: object) -> None:
    assert MASKER.mask_value(value) == (value, {})
    text = json.dumps(value)
    assert MASKER.mask(text) == Masked(text, {})


@pytest.mark.parametrize(
    'text',
    [
        '{"api_keys": [{"id": 1, "key": "%s"}]}',
        '{"secrets": {"lamp": "%s"}}',
        'token = acquire("%s")',
    ],
)
def test_letters_without_a_digit_may_be_a_secret(text: str) -> None:
    secret = 'kqWzJxVbNmLpRtYsDfGhQeUo'
    assert secret not in MASKER.mask(text % secret).text
    assert MASKER.mask(text % 'openid').text == text % 'openid'


@pytest.mark.parametrize('text', ['token=%s', '{"auth_token": "%s"}', 'api_key: %s', 'session_key=[%s]', 'secret={%s}'])
def test_a_name_and_its_password_are_no_scope(text: str) -> None:
    assert 'reedmarsh' not in MASKER.mask(text % 'aldous:reedmarsh').text


@pytest.mark.parametrize(
    'text', ['secret: [48120957310]', 'jwt_secret:\n  - 48120957310', 'token: [1024, 48120957310]']
)
def test_a_number_in_a_list_of_yaml_may_be_a_secret(text: str) -> None:
    assert ('1024' in MASKER.mask(text).text) is ('1024' in text)
    assert '48120957310' not in MASKER.mask(text).text


def test_numbers_that_are_secrets() -> None:
    for value in ({'db_password': 1234}, {'token': 123456789}, {'access_keys': [{'state': 'on', 'id': 1, 'v': 'x1'}]}):
        assert sum(MASKER.mask_value(value)[1].values()) == 1
        assert sum(MASKER.mask(json.dumps(value)).counts.values()) == 1


@pytest.mark.parametrize(
    'value',
    [
        {'pass': 'lantern', 'pw': 'lantern', 'pin': 4829},
        {'Authorization': 'Bearer x'},
        {'private_key': 'abc'},
        {'lamp': {'user': 'ada', 'pass': 'lantern'}},
    ],
)
def test_a_structure_and_its_json_have_the_same_masks(value: object) -> None:
    masked, counts = MASKER.mask_value(value)
    assert counts
    assert json.loads(MASKER.mask(json.dumps(value, indent=1)).text) == masked


@pytest.mark.parametrize(
    'value',
    [
        {'password': '${DB_PASSWORD}'},
        {'password': '********'},
        {'authorization': 'none'},
        {'dsn': 'postgres://fen/db'},
        [{'token': 'Identifier'}, {'token': 'end of file'}, {'token': '('}],
    ],
)
def test_what_stands_for_a_secret_stays_in_structures(value: object) -> None:
    assert MASKER.mask_value(value) == (value, {})
    assert MASKER.mask(json.dumps(value)).counts == {}


def test_bytes_are_masked_only_if_they_are_text() -> None:
    binary = b'\xff\xfe\0 password=reed'
    values = [binary, BinaryContent(data=binary, media_type='image/png')]
    assert MASKER.mask_value(values) == (values, {})
    content, _ = MASKER.mask_value(BinaryContent(data=b'\xff\xfe password=reed', media_type='text/plain'))
    assert isinstance(content, BinaryContent)
    assert content.data == b'\xff\xfe password=[MASKED_PASSWORD]'
    content, _ = MASKER.mask_value(BinaryContent(data=b'password=reed', media_type='application/octet-stream'))
    assert isinstance(content, BinaryContent)
    assert content.data == b'password=[MASKED_PASSWORD]'


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


def test_a_key_in_lines_of_a_list_goes_whole_though_it_is_cut_off() -> None:
    lines = ['$ cat key', '-----BEGIN RSA PRIVATE KEY-----', 'MIIEpAIBAAKCAQEA1b2c3d4e5f6g7h8i9j0k']
    assert MASKER.mask_value({'lines': lines, 'lamp': 'on'})[0] == {
        'lines': ['$ cat key', '[MASKED_PRIVATE_KEY]'],
        'lamp': 'on',
    }
    assert MASKER.mask_value({'lines': lines[:1], 'lamp': bytearray(b'pin password=reed')})[0] == {
        'lines': lines[:1],
        'lamp': b'pin password=[MASKED_PASSWORD]',
    }


def test_a_key_in_members_of_objects_goes_line_by_line() -> None:
    lines = [
        '-----BEGIN RSA PRIVATE KEY-----',
        'MIIEpAIBAAKCAQEA1b2c3d4e5f6g7h8i9j0k',
        'f6g7h8=',
        '-----END RSA PRIVATE KEY-----',
    ]
    rows = [{'log': f'{line}\n', 'stream': 'stdout'} for line in lines]
    assert MASKER.mask_value(rows)[0] == [{'log': '[MASKED_PRIVATE_KEY]', 'stream': 'stdout'}] * 3 + [
        {'log': '[MASKED_PRIVATE_KEY]\n', 'stream': 'stdout'}
    ]
    halves = {'a': {'wick': '\n'.join(lines[:2])}, 'lamp': 'on', 'b': {'c': {'wick': '\n'.join(lines[2:])}}}
    assert MASKER.mask_value(halves)[0] == {
        'a': {'wick': '[MASKED_PRIVATE_KEY]'},
        'lamp': 'on',
        'b': {'c': {'wick': '[MASKED_PRIVATE_KEY]'}},
    }
    deep = [[[line]] for line in lines]
    assert lines[1] not in str(MASKER.mask_value(deep)[0])


@pytest.mark.parametrize(
    ('value', 'expected'),
    [
        (json.dumps({'password': 48291, 'lamp': 1}), '{"password": "[MASKED_PASSWORD]", "lamp": 1}'),
        ([{'name': 'DB_PASSWORD', 'value': 48291733}], [{'name': 'DB_PASSWORD', 'value': '[MASKED_PASSWORD]'}]),
        ({'password': [48291, 99311]}, {'password': ['[MASKED_PASSWORD]', '[MASKED_PASSWORD]']}),
        (
            {'Name': '/lamp/password', 'Type': 'SecureString', 'Value': 'gull93x'},
            {'Name': '/lamp/password', 'Type': 'SecureString', 'Value': '[MASKED_PASSWORD]'},
        ),
        ({'Name': 'lamp: db password', 'Value': 'reed'}, {'Name': 'lamp: db password', 'Value': '[MASKED_PASSWORD]'}),
        ([{'name': 'max_password', 'value': 12}], [{'name': 'max_password', 'value': 12}]),
        ({'name': 'DB_PASSWORD', 'value': 'gu"ll\\93\nx'}, {'name': 'DB_PASSWORD', 'value': '[MASKED_PASSWORD]'}),
        (
            {'kind': 'Secret', 'stringData': {'a': 123, 'b': True}},
            {'kind': 'Secret', 'stringData': {'a': '[MASKED_KUBERNETES_SECRET]', 'b': True}},
        ),
        (
            {'password': Decimal(48291733), 'lamp': Decimal('0.5')},
            {'password': '[MASKED_PASSWORD]', 'lamp': Decimal('0.5')},
        ),
        (
            {'columns': ['user', 'password'], 'rows': [[{'a': 1}, 'gull93x'], ['ada', ['b'], 'c']]},
            {'columns': ['user', 'password'], 'rows': [[{'a': 1}, '[MASKED_PASSWORD]'], ['ada', ['b'], 'c']]},
        ),
    ],
)
def test_masks_keep_json_and_take_whole_values(value: object, expected: object) -> None:
    assert MASKER.mask_value({'lamp': value})[0] == {'lamp': expected}


def test_two_keys_of_a_mapping_that_are_secrets_stay_two() -> None:
    masked, _ = MASKER.mask_value({BY_FORM[0].text: 1, 'AKIA' + 'Z' * 16: 2, 'c': 3})
    assert masked == snapshot({'[MASKED_AWS_KEY]': 1, '[MASKED_AWS_KEY] (2)': 2, 'c': 3})


PAIRED = 'Gull-93x-Feather-77'


@pytest.mark.parametrize(
    'value',
    [
        [['X-Api-Key', PAIRED], ['Host', 'mill']],
        [('x-api-key', PAIRED)],
        [(b'x-api-key', PAIRED.encode())],
        {'headers': [['Cookie', f'sid={PAIRED}'], ['Authorization', f'Bearer {PAIRED}']]},
        {'rawHeaders': ['Host', 'mill', 'X-Api-Key', PAIRED]},
        {
            'columns': ['tags', 'name', 'password'],
            'rows': [[['tall', 'old'], 'mill', PAIRED], [['low'], 'gull', PAIRED]],
        },
        {'headers': [{'header': 'X-Auth-Token', 'values': [PAIRED]}, {'name': 'X-Api-Key', 'value': PAIRED}]},
        f'[["Host", "mill"], ["X-Api-Key", "{PAIRED}"]]',
        f"[('X-Api-Key', '{PAIRED}'), (b'x-auth-token', b'{PAIRED}')]",
    ],
)
def test_headers_in_pairs(value: object) -> None:
    masked, counts = Masker().mask_value(value)
    assert PAIRED not in str(masked)
    assert counts
    assert 'mill' not in str(value) or 'mill' in str(masked)


@pytest.mark.parametrize(
    'value',
    [
        [['password', 'varchar'], ['token', 'text'], ['secret', 'char(11)']],
        ['password', 'username'],
        [['auth-token', '4.0.0'], ['api_key', '${API_KEY}']],
        {'names': ['token', 'a1', 'secret', 'b2']},
        {'type': 'object', 'required': ['password', 'auth2'], 'enum': ['token', 'oauth2']},
        'value = options.get("token", "abc-12345")',
    ],
)
def test_what_only_stands_in_pairs(value: object) -> None:
    assert Masker().mask_value(value)[0] is value


class Login(NamedTuple):
    user: str
    password: str


def test_a_named_tuple_has_fields() -> None:
    assert MASKER.mask_value([Login('ada', 'lantern')]) == ([Login('ada', '[MASKED_PASSWORD]')], {'PASSWORD': 1})


def test_a_command_in_words_is_read_as_one() -> None:
    value = {'spec': {'args': ['docker', 'login', '-u', 'ada', '-p', 'correcthorse', 'fen.example']}}
    masked, counts = MASKER.mask_value(value)
    assert masked == {'spec': {'args': ['docker', 'login', '-u', 'ada', '-p', '[MASKED_PASSWORD]', 'fen.example']}}
    assert counts == {'PASSWORD': 1}
    harmless = ['tar', '-p', 'correcthorse', '--', 'login']
    assert MASKER.mask_value(harmless)[0] is harmless


def test_files_nested_deep() -> None:
    image = BinaryContent(b'\x89PNG\r\n\xff', media_type='image/png')
    value = {'pages': [{'parts': [[BinaryContent(f'password={PAIRED}'.encode(), media_type='text/plain'), image]]}]}
    masked, _ = Masker().mask_value(value)
    assert PAIRED.encode() not in pickle.dumps(masked)
    assert cast('Any', masked)['pages'][0]['parts'][0][1] is image


def test_a_list_of_columns_with_their_types_holds_no_secret() -> None:
    columns = '[["password", "varchar"], ["token", "text"], ["id", "int(11)"]]'
    assert MASKER.mask(columns).text == columns
    assert MASKER.mask('[["user", "password"], ["ada", "gull93x"]]').counts == {'PASSWORD': 1}


def test_thousands_of_keys_that_are_secrets_of_one_kind_are_numbered_in_one_go() -> None:
    value = {f'AKIA{number:016}': number for number in range(2000)} | {'[MASKED_AWS_KEY] (7)': 2000}
    masked, _ = MASKER.mask_value(value)
    assert [*cast('dict[str, int]', masked).values()] == [*range(2001)]
