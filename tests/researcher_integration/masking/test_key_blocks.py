"""Keys of many lines go whole, however they are indented, escaped or cut off."""

import json

import pytest

from researcher_integration.masking.findings import Masked
from researcher_integration.masking.masking import Masker
from tests.support.planted_secrets import BODY, CERTIFICATE, PRIVATE_KEY

MASKER = Masker()

KEY = '[MASKED_PRIVATE_KEY]'
INDENTED = ''.join(f'    {line}\n' for line in PRIVATE_KEY.splitlines())
LOGGED = ''.join(f'2026-03-01T09:00:00Z INFO dump | {line}\n' for line in PRIVATE_KEY.splitlines())
WITH_PORT = {'key': PRIVATE_KEY, 'port': 443}


BLOCKS = {
    'plain': (f'one\n{PRIVATE_KEY}\ntwo', f'one\n{KEY}\ntwo'),
    'Windows': (f'one\n{PRIVATE_KEY}\ntwo'.replace('\n', '\r\n'), f'one\r\n{KEY}\r\ntwo'),
    'indented': (f'tls:\n  key: |\n{INDENTED}  port: 443\n', f'tls:\n  key: |\n    {KEY}\n  port: 443\n'),
    'in a log': (f'{LOGGED}two', f'2026-03-01T09:00:00Z INFO dump | {KEY}\ntwo'),
    'in JSON': (json.dumps(WITH_PORT), f'{{"key": "{KEY}", "port": 443}}'),
    'in JSON in JSON': (
        json.dumps({'text': json.dumps(WITH_PORT)}),
        f'{{"text": "{{\\"key\\": \\"{KEY}\\", \\"port\\": 443}}"}}',
    ),
    'in the words of Python': (repr(WITH_PORT), f"{{'key': '{KEY}', 'port': 443}}"),
    'without an end': (f'one\n{PRIVATE_KEY[:300]}', f'one\n{KEY}'),
    'in JSON without an end': (
        json.dumps([{'key': PRIVATE_KEY[:300]}, {'port': 443}]),
        f'[{{"key": "{KEY}"}}, {{"port": 443}}]',
    ),
    'without a beginning': (f'{PRIVATE_KEY[100:]}\ntwo', f'{KEY}\ntwo'),
    'in a log without a beginning': (f'{LOGGED[300:]}two', f'{KEY}\ntwo'),
    'two': (f'{PRIVATE_KEY}\nand\n{CERTIFICATE}', f'{KEY}\nand\n[MASKED_CERTIFICATE]'),
    'of PuTTY': (
        f'PuTTY-User-Key-File-3: ssh-rsa\nEncryption: none\n{BODY}\nPrivate-MAC: 0123abcd\ntwo',
        f'{KEY}\ntwo',
    ),
}


@pytest.mark.parametrize(('text', 'expected'), BLOCKS.values(), ids=BLOCKS)
def test_keys_of_many_lines_go_whole(text: str, expected: str) -> None:
    assert MASKER.mask(text).text == expected


def test_public_keys_stay() -> None:
    text = PRIVATE_KEY.replace('RSA PRIVATE', 'PUBLIC')
    assert MASKER.mask(text) == Masked(text, {})
