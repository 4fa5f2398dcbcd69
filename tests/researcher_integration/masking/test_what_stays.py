"""What only counts secrets, speaks of them, or looks like one stays."""

import json

import pytest

from researcher_integration.masking.findings import Masked
from researcher_integration.masking.masking import Masker

MASKER = Masker()


@pytest.mark.parametrize(
    'line',
    [
        '12:00:01 login ada failed',
        '10:00:01 LOGIN ada failed',
        '2026-11-27 12:00:01 5 LOGIN ada OK',
        '12 LOGIN page loaded',
        'Test 3 LOGIN form works',
        'a3 LOGIN ada failed',
        '1 login form v2',
        'user1 login page shown',
        '> PASS test_login',
        '> PASS packages/a1/index.test.tsx',
        '>> PASS 10/10',
        '> PASS [100%]',
        '> PASS 12.5s',
        'x PASS y',
    ],
)
def test_what_only_looks_like_a_login_stays(line: str) -> None:
    assert MASKER.mask(line) == Masked(line, {})


COUNTED = """\
INSERT INTO tests (suite, pass, fail) VALUES ('api', 112, 3), ('ui', 1205, 0);
INSERT INTO pins (pin, name) VALUES (13, 'SCK');
INSERT INTO usage (model, token) VALUES ('m', 1500);
INSERT INTO users (id, password, password_changed_at) VALUES (1, 'expired', '2026-01-01'), (2, NULL, NULL);
cur.execute("INSERT INTO users (name, password) SELECT name, pw FROM old WHERE id = 5", ("Abc1", "Abc2"))
COPY tests (suite, pass) FROM stdin;\\napi\\t112\\nui\\t1205\\n\\\\.
| Setting | Password |\\n|---|---|\\n| Length | 12 |\\n| History | 5 |
| Pass | Height |\\n|---|---|\\n| Stelvio2757 | 2757 m |\\n| Gotthard | 2106 m |
<table><tr><th>Pass</th><th>Height</th></tr><tr><td>Stelvio2757</td><td>2757 m</td></tr></table>
<table><tr><th>Token</th><th>Meaning</th></tr><tr><td>STRING_LITERAL</td><td>text</td></tr></table>
| Field | Type |\\n|---|---|\\n| id | int(11) |\\n| password | varchar(255) |
| user | password |\\n|---|---|\\n\\n| Option | Value |\\n|---|---|\\n| min | Abc123 |
user,password,note\\nexpired,expired,x\\n\\nThe end, of it, all.\\nThen, when told, they left.
syn keyword\\tpfService\\tkpasswd\\nsyn keyword\\tpfService\\tkpop\\nsyn keyword\\tpfService\\tkrb524
{"columns": ["host", "pass"], "rows": [["db1", 1205], ["db2", 97]]}
| Method | Factor |\n|---|---|\n| `password` | first |\n| `oidc` | first |\n| `totp` | second |
mac         nseq        ocsp        passwd\npkcs12      pkcs7       pkcs8       pkey\nrehash      req         rsa         rand
  -w, --no-password        never ask\n  -W, --password           force it\n      --change-passphrase  change one
{"token": {"id": 7, "postal_code": "94102", "line": "12 Fen Road", "at": 1577840399}, "secret": {"used_at": "2020-01-01T00:59:59Z"}}
err_secret = "cannot get the secret %q from %q: %w"; err_api_key = "unable to parse it as a key"; secretKey: "db-host", secretKey: lamp_room
The secret has these fields: the secret: `created_at`, `version`; global.__auth = make(); token="{set to TOKEN of the output}"
""".splitlines()


@pytest.mark.parametrize('line', COUNTED)
def test_what_a_table_counts_or_says_of_secrets_stays(line: str) -> None:
    text = line.replace('\\n', '\n').replace('\\t', '\t')
    assert MASKER.mask(text) == Masked(text, {})


HARMLESS = """\
<a@fen.example>: delivered, dsn=4.0.0, status=deferred
stripe==7.1.0, "datadog": "sha512-9b2c6e8d7f1a0b3c4d5e6f708192a3b4", github = refs/pull/12, sentry: trace-view-7
docker run -v /etc/passwd:/etc/passwd lamp; re-run with the --api-key flag; `--password (-p)`: what to use
FIRST_TOKEN = "ai.first_token"; "ai.first_token": mock.ANY, creds := lamp.Credentials{}
LAMP_PASSWORD: ${{ secrets.LAMP }}
if name in ("cookie", "set-cookie"): user, password = line.partition(":")
"@octokit/auth-token": "^6.0.0", "cookie": "^0.7.1"
python3-jwt:amd64 (2.6.0-1), tiktoken==0.2.0
token = bool(value); self.token = token; if token == other or token != STOP:
connect(token=settings.token, password=password)
def ask(password: bool = False, token: str | None = None) -> None:
the token is invalid, the password is required, the secret is base64-encoded
the password is mandatory. The password was stored elsewhere, the passphrase is "incorrect"; passwords: [required, identical]
the password is wonderful news, the token is swordfish.
we pass user, password, and host, then wait
for as long as it takes, and no longer, then stop
NAME      READY   SECRET     AGE
lamp      True    lamp-tls   3d
sluice    True    mill-tls   4d
those identified by "squash" commands; if --pass is provided; use --password or --token; --private-key=file
('Secret', 'SecretList'); PASS: gdb/test_3; let creds = Arc::new(signer); credentials::{Credentials, Realm}; password:!0
def of(cls, key: _Key) -> "PKey"; input[type="password"]:focus, input; $token->attr('attrname'); secret = "%(secret)s"
user, passphrase = parsed.auth_decoded; proto.KeychainGetPassword:input_type -> proto.KeychainGetPasswordRequest
int derive(const char *pass, int passlen,
           unsigned char *salt, int saltlen, int iter,
           unsigned char *key, int keylen, int en_de);
token = Name.Builtin if ok else Name; credentials === 'same-origin'; my $token = $grammar->tokenize;
name, password = pair; props.getPassword("ssl.keystore2"); pwd: /home/ada; PublicKeyToken=b77a5c561934e089
location / { proxy_pass http://127.0.0.1:8000/;
}
<a id="lost-password" href="/send-password">
  Reset it? </a>; the --ftp-password command
password: (hidden)
secret "lamp-creds2" deleted
The following secrets will be deleted:
  lamp-creds2
Token lastToken2;
unexpected token: name = "lantern"
token 3: identifier_5
ENV DB_PASSWORD $PASSWORD
- --token
- --user
token: (not shown here)
fds_to_pass = [listener.fileno(), alive_r]; private_key: "_DSAPrivateKey"; curl -u https://fen.example pwd=/srv
lamp_get_secret: REMOVED
wget http://bob:password@fen.example/; ask_password = on/off; the error code is 503204
the password on db-02 is required; test_password ........ [ 12%]
"clientToken": "a1b2-5678-EXAMPLE22222", options [{cidr=192.0.2.0/30,PreSharedKey=ExampleKey1},{cidr=192.0.2.4/30,PreSharedKey=ExampleKey2}]
ls --password EXAMPLE-PASSWORD --secret-string file://creds.json --lock-token 7b3bcec2-0000-563bf47249f0 badge.svg?token=RXP95LE2XL
oauth = {"token": "https://fen.example/v5/oauth2/token?scope=read", "SecretToken": "secret", authorization: "https://fen.example/api/oauth2/auth"}
const token = (_await$lamp$gen = make()); var sessionToken = sessionStore.value; name: "csrfToken", value: csrfToken
hostname = password = ssl = login = None; get(url, params={"access_token": access_token})["person"]
send(
    username, password,
    realm.get("cloud_urn", "urn:federation:Online"),
)
"node_modules/@fen/password": {"peers": {"@fen/node": ">=18 || ^16.1", "@fen/password": "^5.2.2"}}, some_token="with spaces"
login_user(user, remember=has_remember_cookie, via=["change"]); FEN_PASSWORD=str(self._get(FEN_PASSWORD_ENV)),
for key in ["access_token"]:  # We could add another
 *   credential: cert({
r'-----BEGIN CERTIFICATE-----(?P<value>[^-]+)-----END CERTIFICATE-----'; -----BEGIN PRIVATE KEY-----<KEY>-----END PRIVATE KEY-----
"private_key": "...-----BEGIN PRIVATE KEY-----... in PEM format",
"input_token": "nextToken", "output_token": "Page.NextMarker", "token": "Keyword"; jwt = input.toString('utf8'); password = read('password');
clientSecret: FEN2_CLIENT_SECRET, token: `${config.issuer}oauth/token`; const paramToken = query?.token;
raise FenError('Invalid proxy authorization', FenError.ERR_BAD_OPTION_OF_A_PROXY)
suite,pass,fail
a,118,2
b,97,0
user,password,since
ada,expired,2026-03-01
bob,active,2026-03-02
password minlen=8
password retry=3
token expires_in=3600
password: 8 characters minimum
<string value="Password" name="password"/><item value="Forgot your password?" name="password"/>
<msg value="Mot de passe" key="password"/> <input value="Login" name="token">
{"prompt_token": 123456789, "token": 12000000} so far
creds := &lamp.Credentials{}; seen[secretKey] = struct{}{}; c.credentials = []byte(apiKey); token := fen.store.Auth.Lamps.Location
get("https://fen.example/v1?q=1&api_key="+found, nil); `{"token":"` + token + `","secret":"` + secret + `"}`; credentials: "include"
image: fen.example/lamp-secrets:v0.9.8-ubi9; CREATE_SECRET = 0x00000020; get_password('service1', 'ada1'); # Token`: https://fen.example/rfc6749#part-3.2
password = reader.standardPasswordReader; password = random_password.front_password.result; "output_token": "NextMarker",
FEN_user_pwd *FEN_user_pwd_new(void);
keyData.split(b"-----BEGIN CERTIFICATE-----"); token: `Basic ${Fen.from('a:b').encode('base64')}`; our $exists_token = \\undef;
ECDHE-PSK-AES256-CBC-SHA  TLSv1  Kx=ECDHEPSK  Au=PSK  Enc=AES(256); UNEXPECTED_TOKEN = /^Unexpected (.)/i
secret-access-key: xxxxxxxxxxxxxxxxxxxx/xxxxxxxxx; AWS_SECRET_ACCESS_KEY=fsec_xxxxxxxxxxxxxxxx
echo "$$FEN_PASS" | docker login; - token: '\\w*.fen.example', - token: "\\[.*\\]"; "GPG_KEY=A035C8C19219BA821ECEA86B64E628F8D684696D"
def ask(data: bytes, password: typing.Optional[bytes]); if (token === FALSE)
    password: Incomplete | None = ...,
Authorization: Basic base64(name:word); authorization = "{} Credential={}/{}, Headers={}"
"""


def test_what_only_speaks_of_secrets_stays() -> None:
    assert MASKER.mask(HARMLESS) == Masked(HARMLESS, {})
    assert MASKER.mask(json.dumps(HARMLESS)).counts == {}
    typeset = '‘--private-key=FILE’ and ‘--password=PASSWORD’. \\fILoadCredential=\\fR\nPassword: required, string --password=PASS‐'
    assert MASKER.mask(typeset) == Masked(typeset, {})


@pytest.mark.parametrize(
    ('head', 'cell'), [('Password', 'Settings'), ('API key', 'https://example.com/v2/auth'), ('Token', '256-bit')]
)
def test_words_about_secrets_in_html_stay(head: str, cell: str) -> None:
    text = f'<table><tr><th>Where</th><th>{head}</th></tr><tr><td>Here</td><td>{cell}</td></tr></table>'
    assert cell in MASKER.mask(text).text
