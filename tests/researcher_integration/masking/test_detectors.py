"""No secret passes the masker, wherever it stands; what is no secret does."""

import json
import re
import string
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from researcher_integration.masking.detectors import ALL_GROUPS, _Form, _forms
from researcher_integration.masking.findings import Masked
from researcher_integration.masking.masking import Masker
from tests.support.planted_secrets import ALL, BY_FORM, Planted, leaves, letters, texts

MASKER = Masker()


# Where more than the needle is masked, or by another name.
LEFT = {
    'Authorization: Basic [MASKED_AUTHORIZATION]==': 'Authorization: Basic [MASKED_AUTHORIZATION]',
    'keeper:[MASKED_PASSWORD]@tcp(db:3306)/lamps password=[MASKED_PASSWORD] ': (
        'keeper:[MASKED_BASIC_AUTH]@tcp(db:3306)/lamps password=[MASKED_PASSWORD] '
    ),
    'Set-Cookie: [MASKED_COOKIE]; Path=/; HttpOnly\n': 'Set-Cookie: [MASKED_COOKIE]\n',
    'fernet key: [MASKED_API_KEY]=': 'fernet key: [MASKED_API_KEY]',
    "password: 'it''[MASKED_PASSWORD]'": "password: '[MASKED_PASSWORD]'",
}


@pytest.mark.parametrize('secret', ALL, ids=lambda secret: secret.kind)
def test_each_kind(secret: Planted) -> None:
    masked = MASKER.mask(f'before {secret.text} after')
    left = re.sub(
        r'\bAKIA\w+ (?=\[)', '[MASKED_AWS_KEY] ', secret.text.replace(secret.needle, f'[MASKED_{secret.kind}]')
    )
    assert masked.text == f'before {LEFT.get(left, left)} after'
    assert secret.kind in masked.counts


@pytest.mark.parametrize('value', ['Gull!Feather-93x', 'abc$def%ghi12345', 'a|b@c12345678', 'p4ss!word&more'])
@pytest.mark.parametrize('line', ['Authorization: Bearer {}', "curl -H 'authorization: {}'", 'Authorization: Token {}'])
def test_credentials_in_a_header_have_any_signs(line: str, value: str) -> None:
    assert MASKER.mask(line.format(value)).text == line.format('[MASKED_AUTHORIZATION]')


@pytest.mark.parametrize('value', ['$TOKEN_1', '${TOKEN_1}', '$(cat f1)', '{token1}', '%s', '<token1>'])
def test_what_stands_for_a_credential_stays(value: str) -> None:
    text = f'Authorization: Bearer {value}\npassword =\n    settings.KEY_2\n'
    assert MASKER.mask(text) == Masked(text, {})


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


@given(st.text(max_size=300))
def test_masking_what_is_masked_changes_nothing(text: str) -> None:
    once = MASKER.mask(text + ' password=' + text)
    assert MASKER.mask(once.text) == Masked(once.text, {})


@pytest.mark.parametrize('text', ['\x1b[1m[password]\x1b[0m SECRET', '\x1b[32mPassword ....... SECRET\x1b[0m'])
def test_what_ends_a_text_in_colours_is_its_end(text: str) -> None:
    assert 'Tr0ub4dor' not in Masker().mask(text.replace('SECRET', 'Tr0ub4dor-3x')).text


def test_colours_hide_nothing() -> None:
    text = '\x1b[32mpassword\x1b[0m=\x1b[31mSECRET123abc\x1b[0m \x1b[1mAKIA\x1b[0m' + 'Z' * 16
    masked = MASKER.mask(text)
    assert masked.text == ('\x1b[32mpassword\x1b[0m=\x1b[31m[MASKED_PASSWORD]\x1b[0m \x1b[1m[MASKED_AWS_KEY]')
    assert MASKER.mask(masked.text) == Masked(masked.text, {})
    assert MASKER.mask_value([text])[0] == [masked.text]
    assert json.loads(MASKER.mask(json.dumps([text])).text) == [masked.text]


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
2026-03-01T09:12:51Z INFO  token = pool.acquire_token("openid"); arn:aws:route53:eu-1:111122223333:rule/rr-42b60677c0
2026-03-01T09:12:51Z INFO  encryptionKey: arn:aws:kms:eu-1:111122223333:key/7f9a1c, arn:aws:x:eu-1:1:secret:Lamp-1a2b3c
2026-03-01T09:12:52Z DEBUG "nextForwardToken": "f/3196120912244748"
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


def kept(form: _Form, prefix: str) -> list[str]:
    """Which of some tokens with a prefix are not masked in every surrounding."""
    alphabet = ''.join(c for c in string.ascii_letters + string.digits if re.match(f'[{form.of}]', c))
    tokens = [prefix + letters(form.length + 2, seed, alphabet) for seed in range(6)]
    surroundings = ('{}', 'key={}', 'see {}, then', '<b>{}</b>', '{"a":"{}"}')
    text = MASKER.mask('\n\n'.join(line.replace('{}', token) for token in tokens for line in surroundings)).text
    return [token for token in tokens if token in text]


def test_each_prefix() -> None:
    found = [kept(form, prefix) for forms in _forms().values() for form in forms for prefix in form.prefix]
    assert len(found) > 300
    assert [tokens for tokens in found if len(tokens) > 1] == []  # one has too few digits to tell it from a name


def test_a_form_is_checked_when_it_is_read() -> None:
    form = _Form.model_validate({'kind': 'ZZ_TOKEN', 'expression': 'ZZ_[a-z]{8}', 'anchors': ['ZZ_']})
    pattern = form.pattern()
    assert [(found.start, found.end) for found in pattern('a ZZ_abcdefgh', 'a zz_abcdefgh')] == [(2, 13)]
    with pytest.raises(ValidationError, match='String should match pattern'):
        _Form.model_validate({'kind': 'zz token', 'expression': 'z'})


@pytest.mark.parametrize(
    'text',
    [
        'dsn="orclpdb"',
        '"dsn": "hostname:1521/service?expire_time=60",',
        'f"-e POSTGRES_PASSWORD={pool["password"]}"',
        'kw["dsn"] = arg[0]',
        "token = '{%s}' % name",
        'queue(token=_INTERNAL_CONSTRUCTION\n)',
        "qtoken = r'(?:[^\"]|\\w)+'",
        'CHALLENGE_PASSWORD = ObjectIdentifier("1.2.840.113549.1.9.7")',
        '    "--ssl-keyfile-password",\n    type=str,\n',
        'credentials=to_protocol(\n    credentials)',
        '{"dependencies": {"pbkdf2-password": "1.2.1", "express-basic-auth": "1.2.1"}}',
        'django-password==1.2.1',
        'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        '# The requirepass is not compatible, which will cause requirepass to be ignored.',
        'this.handleInitialSocks5AuthenticationHandshakeResponse();',
        'org.spring.OAuth2ResourceServerOpaqueTokenConfiguration',
        'SEC_PKCS7VerifyDetachedSignatureAtTime(cinfo);',
        'class KrmapihostingProjectsLocationsKrmApiHostsListRequest(Message):',
        '$password->hash;',
        '$token->text(I<somestring>)',
        'PASS: test_login_2fa',
        'token = get_field("VAULTTOKEN")',
    ],
)
def test_what_programs_say_of_secrets_stays(text: str) -> None:
    assert MASKER.mask(text).text == text


@pytest.mark.parametrize(
    'text',
    [
        'dsn="https://4f1d0a9be7c3@errors.example/1"',
        'connection_string = "Server=db;UID=user;PWD=gull93"',
        'token = "https://fen.example/hook/b7f3aQ9xK2"',
        '"password": "ExampleGull93"',
        'jwt_secret = "supersecret"',
        'ADMIN_TOKEN=gull93gull',
        '{"backendSecret": "gull93gull"}',
        'AES_KEY=9b8c2f7a6d5e4b3c2d1a0f9e8d7c6b5a',
        'tlsKey: Zk3vQ9pLmX7wRt2yBn5c',
        'run(["login", "--password", "gull93"])',
        '"db-password": "12.11.90.4x"',
        'password: 12.11.90',
        'requirepass lantern',
        'redis-server --requirepass=gull93gull',
        '["--masterauth", "gull93gull"]',
        'user ada on >lantern ~* +@all',
        'ACL SETUSER ada on >lantern',
        'DriverManager.getConnection(url, "ada", "lantern")',
        'getConnection(\n  "jdbc:mysql://db/fen",\n  "ada",\n  "lantern")',
        'P a s s w o r d : lantern',
        '[{"type": "random_password", "instances": [{"attributes": {"result": "sedge!lantern"}}]}]',
        'resource "random_password" "db" {\n    length = 20\n    result = "sedge!lantern"\n}',
        'Connect-Fen -User ada -Password Gull93!lantern',
        'sqlcmd -S db -U ada -P gull93 -Q x',
        'rdp /v:fen1 /u:ada /p:gull93',
        'lftp -u ada,gull93 sftp://fen.example',
        'vault operator unseal ' + letters(43, 1) + '=',
        'lampKey = "q7zk3vq9plmx7wrt2ybn5c"',
        'pw → gull93lantern',
        'new NetworkCredential("ada@fen.example", "gull93")',
        'new PDO($dsn, "ada", "gull93")',
        'cb?code=' + letters(22, 2) + '&state=x',
        'Authorization: SSWS 00QCjAl4MlV-' + letters(20, 3),
        'Wallet.fromPhrase("' + 'wren ' * 11 + 'lamp")',
        'WIF: 5K' + letters(49, 4),
        '$krb5tgs$23$*ada$FEN.EXAMPLE$lamp*$' + letters(40, 5, '0123456789abcdef'),
        '<meta name="csrf-token" content="q7Zk3vQ9pLmX7w==">',
        '<Password><Value>bABhAG4AdABlAHIAbgA=</Value></Password>',
        'Clave: gull93lantern',
        'password=PASSWORD123',
        '"password": "PASSWORD123"',
        'DB_PASSWORD="ADMINPASSWORD"',
        'password: HUNTER2PASS',
        'password: X7KQ9ZTOKEN',
        'secret_key="SUPERSECRETKEY1"',
        'Authorization: Bearer oKcsXsYHzYTPytaUbejq-ec-phQ_OMTqPiepOzWP',
        'signing_key (awIxiuofkCyEnBAsAXAhxZpJhdErEXLB)',
        'token: PqYiTUTxKsJq.YKJVaAbqLmP.zFfWVqkXbLmE',
        '  proxy_set_header X-Fen-Token 5f2a88cc0be14d;',
        'AWS Secret Access Key [****************wYbq]: ' + letters(40, 7),
        'psk="three.blind.mice"',
        'masterauth "lantern"',
        'FENSNAG_KEY:              9b8c2f7a6d5e4b3c2d1a0f9e8d7c6b5a',
        '- ParameterKey: FenApiKey\n  ParameterValue: 1a9c77e0-4f2d-4f8a-93a1-0be1d2c7f001',
        'JWTSecret: []byte("sedge-9"),',
        'os.Setenv("API_SECRET", "lantern")',
        'map[dbPassword:lantern retries:5]',
        'keystorePass="Lantern!"',
        '{"jwt": {"issuer": "fen", "key": "q7Zk3vQ9pLmX7w"}}',
        'user: lamp\npass: lantern',
        'smtp:\n  username: lamp\n  pass: lantern',
        '"user": "lamp", "pass": "lantern"',
        ': PSK "Lantern-1892"',
        'wpa-psk ascii 0 Lantern1892',
        'nmcli connection modify fen wifi-sec.psk Lantern1892',
        'fen --s3-secret-key Lantern1892 --db2-password Lantern1892',
        'api_key=a1f09c77e5b24d88, retrying',
        'PASSWORD = lantern1892, other',
        'The password is lan!tern.',
        'service,user,password\nservice,lamp,Lantern1892',
        'user,password,\nlamp,Lantern1892,',
        'PGP_SECRET=Lantern1892x',
        '-----BEGIN OpenVPN Static key V1-----\n3a1f0c9d8e7b6a5f4c3d2e1f0a9b8c7d\n-----END OpenVPN Static key V1-----',
    ],
)
def test_what_is_given_with_them_is_masked(text: str) -> None:
    assert MASKER.mask(text).counts


def test_an_address_says_where_it_goes_without_its_secret() -> None:
    text = 'FEN_DSN=https://SECRET@o1.fen.example/5 MAIL_DSN=smtp://ada%40fen:SECRET@fen:587 dsn="db;user=ada;password=SECRET"'
    masked = MASKER.mask(text.replace('SECRET', letters(24, 6, '0123456789abcdef'))).text
    assert re.sub(r'\[MASKED_\w+\]', 'SECRET', masked) == text


@pytest.mark.parametrize('date', ['', '2026-01-01\t', '2026-01-01T00:00:00+00:00\t'])
def test_keys_of_aws_in_a_row(date: str) -> None:
    key, token = 'IXCH5kPFMiNNtL3BcgGHw0OeRAiWIhnJwkZvzc2D', 'IQoJb3JpZ2luX2VjE' + 'HgaCXVzLWVhc3Q' * 4
    masked = MASKER.mask(f'CREDENTIALS\tASIAABCDEFGHIJKLMNOP\t{date}{key}\t{token}').text
    assert masked == f'CREDENTIALS\t[MASKED_AWS_KEY]\t{date}[MASKED_AWS_KEY]\t[MASKED_AWS_TOKEN]'


@pytest.mark.parametrize(
    ('line', 'left'),
    [
        ('crypto isakmp key {} address 203.0.113.9', 'crypto isakmp key [MASKED_PASSWORD] address 203.0.113.9'),
        ('  ikev1 pre-shared-key hex {}', '  ikev1 pre-shared-key hex [MASKED_PASSWORD]'),
        ('ntp authentication-key 1 md5 {}', 'ntp authentication-key 1 md5 [MASKED_PASSWORD]'),
        ('found zq_live_{} in it', 'found zq_live_[MASKED_TOKEN] in it'),
    ],
)
def test_keys_of_no_known_form(line: str, left: str) -> None:
    assert MASKER.mask(line.replace('{}', letters(36, 60))).text == left


def test_openings_that_never_end_are_masked_and_left() -> None:
    assert MASKER.mask("password('" * 99).counts == {'PASSWORD': 1}


def test_identifiers_of_things_stay() -> None:
    text = 'pi_' + letters(24, 61) + ' sha512-' + letters(43, 62) + ' gpg: using RSA key 4AEE18F83AFDEB23'
    assert MASKER.mask(text) == Masked(text, {})
