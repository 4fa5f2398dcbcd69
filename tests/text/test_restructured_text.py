"""Marks of reStructuredText and MyST within a line."""

import pytest

from summarizer_tool.text import sentences


@pytest.mark.parametrize(
    ('written', 'read'),
    [
        (':class:`~flask.Flask` is a class.', 'flask.Flask is a class.'),
        ('See :class:`AuthBase <requests.auth.AuthBase>`.', 'See AuthBase.'),
        ('In `RFC 2616 <https://x.example/a>`_ or the `trust store`_.', 'In RFC 2616 or the trust store.'),
        ('{pep}`557` added it.', 'PEP 557 added it.'),
        ('{func}`echo` and `literal` and `a`b', 'echo and literal and ab'),
    ],
)
def test_what_restructured_text_refers_to_is_its_name(written: str, read: str) -> None:
    assert sentences.plain(written) == read
