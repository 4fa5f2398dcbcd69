"""Passwords of capitals and keys without digits are masked; names in code and in reports of tests are not."""

import pytest

from researcher_integration.masking.masking import Masker

MASKER = Masker()


@pytest.mark.parametrize(
    'text',
    [
        'password={PASSWORD123}',
        '"password": "{PASSWORD123}"',
        'DB_PASSWORD="{ADMINPASSWORD}"',
        'password: {HUNTER2PASS}',
        'password: {X7KQ9ZTOKEN}',
        'secret_key="{SUPERSECRETKEY1}"',
        'Authorization: Bearer {oKcsXsYHzYTPytaUbejq-ec-phQ_OMTqPiepOzWP}',
        'signing_key ({awIxiuofkCyEnBAsAXAhxZpJhdErEXLB})',
        'token: {PqYiTUTxKsJq.YKJVaAbqLmP.zFfWVqkXbLmE}',
    ],
)
def test_secrets_of_letters_alone(text: str) -> None:
    secret = text.partition('{')[2].partition('}')[0]
    assert secret not in MASKER.mask(text.replace('{', '').replace('}', '')).text


@pytest.mark.parametrize(
    'text',
    [
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
def test_names_in_code_stay(text: str) -> None:
    assert MASKER.mask(text).text == text
