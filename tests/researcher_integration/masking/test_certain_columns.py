"""Which cells of SQL, HTML and CSV are secrets for certain."""

import pytest

from researcher_integration.masking.masking import Masker


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
def test_masks(text: str, secret: str) -> None:
    assert secret not in Masker().mask(text).text


@pytest.mark.parametrize(
    ('head', 'cell'), [('Password', 'Settings'), ('API key', 'https://example.com/v2/auth'), ('Token', '256-bit')]
)
def test_keeps_words_about_secrets_in_html(head: str, cell: str) -> None:
    text = f'<table><tr><th>Where</th><th>{head}</th></tr><tr><td>Here</td><td>{cell}</td></tr></table>'
    assert cell in Masker().mask(text).text
