"""A column, a statement, a command or a sentence names a secret as a key does."""

import json

import pytest

from researcher_integration.masking.findings import Masked
from researcher_integration.masking.masking import Masker
from tests.support.planted_secrets import letters

MASKER = Masker()
KEY = letters(24, 40)
OTHER = letters(24, 41)

TABLES = {
    'CSV': f'id,user,api_key,age\n1,ada,{KEY},3\n2,bob,{OTHER},4\n',
    'CSV in quotes': f'"name";"Password"\r\n"ada; b";"{KEY}"\r\n"bob";"{OTHER}"\r\n',
    'tabs': f'done\n\nuser\ttoken\nada\t{KEY}\nbob\t{OTHER}\n\nbye',
    'Markdown': f'| user | Auth Token | age |\n|:---|:---:|---|\n| ada | `{KEY}` | 3 |\n| bob | {OTHER} | 4 |',
    'psql': f' id | password\n----+---------\n  1 | {KEY}\n  2 | {OTHER}\n(2 rows)\n',
    'psql of one column': f' password\n----------\n {KEY}\n {OTHER}\n(2 rows)\n',
    'mysql': f'+----+------+\n| id | pwd  |\n+----+------+\n|  1 | {KEY} |\n|  2 | {OTHER} |\n+----+------+',
    'kubectl': f'NAME   {"TOKEN":26}AGE\nada    {KEY}  3d\nbob    {OTHER}  4d\n',
    'INSERT': f"INSERT INTO users (id, password) VALUES\n (1, '{KEY}'), (2, md5('{OTHER}'));",
    'mysqldump': f"CREATE TABLE `a` (\n  `id` int,\n  `secret` text\n);\nINSERT INTO `a` VALUES (1,'{KEY}'),(2,'{OTHER}');",
    'COPY': f'COPY public.users (id, password) FROM stdin;\n1\t{KEY}\n2\t{OTHER}\n\\.\n',
    'columns and rows': json.dumps({'columns': ['id', 'api_key'], 'rows': [[1, KEY], [2, OTHER]]}),
    'columns of objects': json.dumps({'columns': [{'name': 'id'}, {'name': 'token'}], 'data': [[1, KEY], [2, OTHER]]}),
    'rows': json.dumps([['id', 'password'], [1, KEY], [2, OTHER]]),
}


@pytest.mark.parametrize('text', TABLES.values(), ids=TABLES)
def test_what_stands_under_its_name(text: str) -> None:
    masked = MASKER.mask(text)
    assert KEY not in masked.text
    assert OTHER not in masked.text
    assert sum(masked.counts.values()) == 2
    assert MASKER.mask(masked.text) == Masked(masked.text, {})
    if text.startswith(('{', '[')):
        assert json.loads(masked.text)
    inside = json.loads(MASKER.mask(json.dumps({'out': text})).text)['out']
    assert KEY not in inside
    assert OTHER not in inside


OF_PROGRAMS = {
    'a row with a comma too many': 'user,password,note\nann,{},ok\nbob,{},ok, see wiki\ncid,{},ok\n',
    'a row with a cell too few': 'host,user,password\nh1,ann,{}\nbob,{}\nh2,cid,{}\n',
    'lines between rows': 'user,password,note\r\n\r\nann,{},ok\r\n\r\n# old\r\nbob,{},ok\r\n\r\n\r\ncid,{},ok\r\n',
    'no tabs at the end': 'user\tpassword\tnote\nann\t{}\nbob\t{}\tok\ncid\t{}\n',
    'single quotes': "'user','password'\n'ann','{}'\n'bob','{}'\n'cid','{}'\n",
    'a wider row of Markdown': '| user | **password** |\n|---|---|\n| ann | {} |\n| bob | {} | x |\n| c\\|id | {} |\n',
    'Markdown in a quotation': '> | user | password |\n> |---|---|\n> | ann | {} |\n> | bob | {} |\n> | cid | {} |\n',
    'a header under the rule': '| A | B |\n|---|---|\n| user | password |\n| ann | {} |\n| bob | {} |\n| cid | {} |\n',
    'rich': '┏━━━━┳━━━━━┓\n┃ user ┃ password ┃\n┡━━━━╇━━━━━┩\n│ ann │ {} │\n│ bob │ {} │\n│ cid │ {} │\n└────┴─────┘\n',
    'double lines': '╔══╦══╗\n║ user ║ password ║\n╠══╬══╣\n║ ann ║ {} ║\n║ bob ║ {} ║\n║ cid ║ {} ║\n╚══╩══╝\n',
    'types under names': '┌──┬──┐\n│ user ┆ password │\n│ str ┆ str │\n╞══╪══╡\n│ ann ┆ {} │\n│ bob ┆ {} │\n│ cid ┆ {} │\n└──┴──┘\n',
    'names in the edge': '┌─user─┬─password─┐\n│ ann │ {} │\n│ bob │ {} │\n│ cid │ {} │\n└─────┴───────┘\n',
    'a column of numbers': '╭─┬──┬──╮\n│ # │ user │ password │\n├─┼──┼──┤\n│ 0 │ ann │ {} │\n│ 1 │ bob │ {} │\n│ 2 │ cid │ {} │\n',
    'pandas': '  user      password\n0  ann  {}\n1  bob  {}\n2  cid  {}\n',
    'PowerShell': '\nUser Password\n---- --------\nann  {}\nbob  {}\ncid  {}\n\n',
    'wide letters': 'USER       PASSWORD\n---------- ----------\nann        {}\n名前       {}\ncid        {}\n',
    'AsciiDoc': '|===\n|user |password\n\n|ann |{}\n|bob |{}\n|cid |{}\n|===\n',
    'Jira': '||user||password||\n|ann|{}|\n|bob|{}|\n|cid|{}|\n',
    'HTML': '<table>\n<tr class="a"><th>user</th>\n<th><a href="#">password</a></th><th/></tr>\n<tr><td>ann</td>\n'
    '<td><code>{}</code></td><td></td></tr><tr><td>bob</td><td>{}</td><td>ok</td></tr><tr><td>cid</td><td>{}</td></tr></table>',
    'HTML without ends': '<TABLE><TR><TD>user<TD>password<TR><TD>ann<TD>{}<TR><TD>bob<TD>{}<TR><TD>cid<TD>{}</TABLE>',
    'SQL in double quotes': 'INSERT INTO u (id, name, password) VALUES (1,"a\'nn","{}"),(2,"bob","{}"),(3,"cid","{}");',
    'SQL of other dialects': "INSERT u (name, password) VALUE ('ann', N'{}'); INSERT INTO u (name, password) OUTPUT inserted.id\n"
    "VALUES ('bob', '{}'); INSERT INTO u (name, password) OVERRIDING SYSTEM VALUE VALUES ('cid', $${}$$);",
    'COPY of CSV': 'COPY u (name, password) FROM stdin WITH (FORMAT csv);\nann,{}\n"b, ob",{}\ncid,{}\n\\.\n',
    'rows of JSON': '[["user", "password"], ["ann", "{}"], ["bob", "{}", "x"], ["cid", "{}"]]',
}


@pytest.mark.parametrize('table', OF_PROGRAMS.values(), ids=OF_PROGRAMS)
def test_what_programs_print_under_its_name(table: str) -> None:
    text = table.replace('{}', 'Summer2019x', 1).replace('{}', 'Winter2020y', 1).replace('{}', 'Autumn2021z', 1)
    masked = MASKER.mask(text)
    assert masked.text.replace("'[MASKED_PASSWORD]'", '[MASKED_PASSWORD]') == table.replace("'{}'", '{}').replace(
        '{}', '[MASKED_PASSWORD]'
    )
    assert MASKER.mask(masked.text).counts == {}


SAID = """\
the api key is {}, keep it
my password was "{}".
Das Passwort lautet {}.
le mot de passe est {}
la contraseña es {}
Пароль: {}
密码是{}
ALTER USER ada WITH PASSWORD '{}';
SET PASSWORD FOR ada = '{}';
mysql -u root -p{} lamps
C: AUTH PLAIN {}==
redis-cli -h fen -a {} ping
docker login -u ada -p {} fen.example
sqlplus scott/{}@orcl
*:*:*:ada:{}
ada:{SSHA}{}
openssl rsa -passin pass:{} -in a.pem
unzip -P {} a.zip
ldapsearch -D cn=ada -w {} -b dc=fen
echo "ada:{}" | chpasswd
https://maps.example/js?key={}&v=3
c := Config{Password: "{}"}
stripe = {}
export SENDGRID={}
  "twilio": "{}",
deploy --mapbox {} --now
the password for the admin user was set to {} today
{apiVersion: v1, kind: Secret, data: {oil: {}}}
""".splitlines()


@pytest.mark.parametrize('line', SAID)
def test_what_a_sentence_or_a_command_says(line: str) -> None:
    text = f'one\n{line.replace("{}", KEY)}\ntwo'
    masked = MASKER.mask(text)
    assert KEY not in masked.text
    assert masked.text.startswith('one\n')
    assert masked.text.endswith('\ntwo')
    assert MASKER.mask(masked.text) == Masked(masked.text, {})


BESIDE = """\
user = bob\\npass = {}
?user=bob&pass={}
PASS={}
pw={}
{"Env": ["PASS={}"]}
&{User:bob Pass:{}}
dbPass={}
password:\\n  {}\\nuser: bob
Password:\\n\\n    {}
passwords:\\n- {}\\nuser: bob
api_key:\\n  {}
<property>\\n<name>fs.s3a.secret.key</name>\\n<value>{}</value>
<key>Password</key>\\n<string>{}</string>
<entry key="db.password">{}</entry>
<password><![CDATA[{}]]></password>
<password>\\n  {}\\n</password>
<td>Password</td><td>{}</td>
<input type="password" name="p" value="{}">
<add key="ApiSecret" value="{}" />
name     | bob\\npassword | {}
| setting | value |\\n|---|---|\\n| db.password | {} |
Key         Value\\n---         -----\\npassword    {}
user;pass;age\\nbob;{};3
**Password:** {}
**Password**: {}
Password........: {}
Login failed for user bob with password {}
invalid password "{}" for user bob
password changed from {} to {}
CREATE TABLE users (id int, name text, password text); INSERT INTO users VALUES (1, 'bob', '{}');
define( 'DB_PASSWORD', '{}' );
enable secret {}
[{"keyName": "key1", "value": "{}"}]
[{"name": "DB_PASSWORD", "type": "text", "value": "{}"}]
[{"name": "DB_PASSWORD", "scopes": ["lamp"], "of": {"a": 1}, "value": "{}"}]
{"api_keys": [{"id": 1, "key": "{}"}]}
https://user@example.com:{}@host/
redirect=https%3A%2F%2Fx%2F%3Ftoken%3D{}%26a%3D1
&quot;token&quot;:&quot;{}&quot;
pass\u00adword: {}
-password: {}
ｐａｓｓｗｏｒｄ＝{}
{"run": ["mysqldump", "-u", "bob", "-p{}", "mill"]}
['ldapsearch', '-D', 'cn=bob', '-w', '{}', '-b', 'dc=x']
SELECT id FROM users WHERE user = 'bob' AND password LIKE '{}';
password = '''\\n{}'''\\nuser = 'bob'
passwords = ["{}"]
users:\\n  passwords: {ada: {}}
passwords:\\n  bob: {}
get(url, auth=('bob', '{}'))
{"auth": ("bob", "{}"), "verify": False}
["docker","login","-u","bob","-p","{}"]
['mysql', '-ubob', '-p{}', 'mill']
form-data; name="password"\\n\\n{}
variable "db_password" {\\n  default = "{}"\\n}
use {} as the password, bob
lamp.user("bob").setPassword("{}").open(); WithSecret('bob')
auth.password("{}")  # bob
bob: what was the password?\\nada: it's {}
bob: the root pw on db-02 is {} btw
<b>Password</b>: {}
<tr><th>Password</th></tr><tr><td>{}</td></tr>
password\\t{}
Password ............ {}
[password] {}
pw for bob: {}
password for the wifi (guest): {}
Password (bob) = {}
root password[2026]: {}
the new password on staging is now {}
user bob, password "{}".
Passwort für den Server lautet {}
name,value\\nDB_USER,bob\\nDB_PASSWORD,{}
command: [mysqld, --root-password, {}]
SET PASSWORD FOR bob = "{}"
htpasswd -b f bob {}
rabbitmqctl add_user bob {}
openssl enc -aes256 -k {} -in bob
<param-name>smtpPassword</param-name>\\n<param-value>{}</param-value>
const pw = process.env.DB_PW || '{}';
db = connect("bob", os.getenv("DB_PASSWORD", "{}"))
#define WIFI_PASS "{}"
password = <<EOT\\n{}\\nEOT
Hasło do panelu: {}
Пароль от базы: {}
"AUTH" "bob" "{}"
ADMIN_PW ?= {}
Password:\\n{}\\nUser: bob
password =\\n  {}\\nuser = bob
secret_key=\\n\\t"{}"
net use Z: //srv/share /user:bob {}
smtp.login("bob", "{}")
bindpw {}
credentials: bob / {} (change it)
password: str = "{}"  # bob
const apiKey: string = '{}';
let password: &str = "{}";
db_password: Optional[str] = "{}"
args:\\n- --db-password\\n- {}\\n- --user\\n- bob
Args:\\n      --db-password\\n      {}\\n      --user=bob
user,note,password\\nada,"a\\nb",{}\\nbob,x,none
ENV DB_PASSWORD {}\\nUSER bob
set -x API_TOKEN {}
password {};
key "bob" {\\n  secret "{}";\\n}
{:user "bob" :password "{}"}
(password . "{}")
<Data Name="Password">{}</Data>
<setting name="ApiKey" serializeAs="String">\\n<value>{}</value>
s:4:"user";s:3:"bob";s:8:"password";s:14:"{}";
["password"]=>\\n  string(14) "{}"
a temporary password is generated for bob@localhost: {}
Use the following password to go on:\\n\\n{}\\n\\nand ask bob
mot de passe\u00a0: {}
“user”: “bob”, “password”: “{}”
useradd -p {} bob
kubectl create secret generic bob --from-literal=lamp={}
neighbor 192.0.2.1 password {}
a001 LOGIN bob "{}"
C: 2 login bob@fen.example {}
USER bob\\n---> PASS {}
#HttpOnly_bob.example\\tTRUE\\t/\\tFALSE\\t0\\tsession\\t{}
# old: db.fen.example:5432:lamps:bob:{}
wick = SecretStr("{}")  # bob
<add value="{}" key="ApiKey"/> bob
<property value="{}" name="password"/> bob
<input class="bob" value="{}" id="b" type="password">
INPUT_TOKEN={} bob
{"prompt_token": "{}"} bob
password＝{} bob
パスワード　＝　{}
password　：　{}
密码＝{}
contrasen\u0303a: {}
lo\u0308senord={} bob
\u1107\u1175\u1106\u1175\u11af\u1107\u1165\u11ab\u1112\u1169: {}
סיסמה: {}
كلمة المرور: {}
รหัสผ่าน: {}
Mật khẩu: {}
""".splitlines()


def is_masked(line: str, value: str) -> bool:
    masked = MASKER.mask(line.replace('\\n', '\n').replace('\\t', '\t').replace('{}', value))
    return (
        value not in masked.text
        and ('bob' in masked.text or 'bob' not in line)
        and MASKER.mask(masked.text) == Masked(masked.text, {})
    )


@pytest.mark.parametrize('value', ['Gull-93xabcd', 'S3cretPw', KEY])
def test_what_stands_beside_its_name(value: str) -> None:
    assert [line for line in BESIDE if not is_masked(line, value)] == []


@pytest.mark.parametrize('line', ['334 UGFzc3dvcmQ6\n{}\n235 bob', 'a2 AUTHENTICATE PLAIN {}\na2 OK bob'])
def test_what_a_client_of_mail_says_in_base64(line: str) -> None:
    masked = MASKER.mask(line.replace('{}', 'R3VsbC05M3hhYmNk'))
    assert 'R3Vs' not in masked.text
    assert 'bob' in masked.text


WORDS = """\
hello bob, the password is correcthorse
the new password was set to correcthorse. Ask bob
The passphrase for bob is "correcthorse", not "swordfish".
passwords:\\n  - correcthorse\\n  - swordfish\\nuser: bob
{"user": "bob", "passwords": ["correcthorse"]}
""".splitlines()


@pytest.mark.parametrize('line', WORDS)
def test_a_password_may_be_a_word_where_nothing_else_is_told(line: str) -> None:
    masked = MASKER.mask(line.replace('\\n', '\n'))
    assert 'correcthorse' not in masked.text
    assert 'bob' in masked.text


@pytest.mark.parametrize(
    ('text', 'left'),
    [
        ('PASSWORD=lantern docker compose up', 'PASSWORD=[MASKED_PASSWORD] docker compose up'),
        ('password=required for all users', 'password=required for all users'),
        ('db.password=\\\n   lantern\ndb.user=bob', 'db.password=\\\n   [MASKED_PASSWORD]\ndb.user=bob'),
        ('https://bob:gull93@fen/pkg@latest', 'https://bob:[MASKED_BASIC_AUTH]@fen/pkg@latest'),
        ('PGPASSWORD=lantern psql -U bob', 'PGPASSWORD=[MASKED_PASSWORD] psql -U bob'),
        ('http://bob:gull93@fen.example/@mill/x@2', 'http://bob:[MASKED_BASIC_AUTH]@fen.example/@mill/x@2'),
    ],
)
def test_a_mask_ends_where_the_secret_does(text: str, left: str) -> None:
    assert MASKER.mask(text).text == left
    assert MASKER.mask(left).text == left


@pytest.mark.parametrize(
    'text',
    [
        'password: 12 bits of gold 77',
        'password: 3 letters long lantern9',
        '{"password": "8 days a week"}',
        'api_key=4829384756201000',
        '{"token": 93847562000}',
    ],
)
def test_what_begins_or_ends_like_a_count_is_secret(text: str) -> None:
    assert MASKER.mask(text).counts
    assert not text.startswith('{') or MASKER.mask_value(json.loads(text))[1]


def test_credentials_of_letters_alone_are_known_by_what_they_say() -> None:
    text = 'Authorization: Basic dXNlcjpwYXNz and Basic authentication, basic principles, basic knowledge'
    assert MASKER.mask(text).text == text.replace('dXNlcjpwYXNz', '[MASKED_BASIC_AUTH]')


def test_of_a_digest_the_response_is_secret() -> None:
    masked = MASKER.mask('Authorization: Digest username="bob", realm="x", response="6629fae49393a05397450978507c4ef1"')
    assert masked.text == 'Authorization: Digest username="bob", realm="x", response="[MASKED_AUTHORIZATION]"'


def test_an_ansible_vault_goes_whole() -> None:
    body = '\n'.join('    ' + letters(60, seed, '0123456789') for seed in (50, 51, 52))
    masked = MASKER.mask(f'db:\n  password: !vault |\n    $ANSIBLE_VAULT;1.1;AES256\n{body}\n  port: 443\n')
    assert masked.text.endswith('\n  port: 443\n')
    assert not any(line.strip() in masked.text for line in body.splitlines())


@pytest.mark.parametrize('data', ['"a": "{}, "b": "{}"', '"a": {} "b": "{}"', "'a': '{}'"])
def test_a_secret_that_is_no_json_is_withheld(data: str) -> None:
    text = '{"kind": "Secret", "data": {' + data.replace('{}', KEY) + '}, "metadata": {"name": "lamp"}}'
    assert MASKER.mask(text) == Masked('[MASKED_KUBERNETES_SECRET]', {'KUBERNETES_SECRET': 1})


@pytest.mark.parametrize(
    ('text', 'secret'),
    [
        ("INSERT INTO t (token) VALUES ('lanternlantern');", 'lanternlantern'),
        ("INSERT INTO t (password) VALUES ('correct horse battery staple now');", 'correct horse'),
        ('COPY t (id, password) FROM stdin;\n1\tcorrect horse battery staple now\n\\.\n', 'correct horse'),
        ('name,api_key\nada,KDLSQWERTYUIOPASDF\nbob,KDLSQWERTYUIOPASDG\n', 'KDLSQWERTYUIOPASDF'),
        ('name,secret\ndan,Swordfish!\ngus,Swordfisch!\n', 'Swordfish!'),
    ],
)
def test_a_column_for_secrets_has_secrets_whatever_they_look_like(text: str, secret: str) -> None:
    assert secret not in MASKER.mask(text).text
