"""Mails with what is in them, and notebooks with what they have written."""

import json
from contextlib import suppress
from email import message_from_string, policy
from email.message import EmailMessage
from email.mime.text import MIMEText

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from summarizer_tool.errors import FetchError
from summarizer_tool.formats import mail
from summarizer_tool.formats.reading import read


def letter(subject: str, text: str) -> EmailMessage:
    made = EmailMessage()
    made['From'], made['To'], made['Subject'] = 'Perpetua Gann <gann@example.org>', 'hale@example.org', subject
    made['Date'] = 'Mon, 2 Mar 2026 10:00:00 +0000'
    made['X-Spam-Score'] = '3'
    made.set_content(text)
    return made


def test_a_mail_with_an_attachment_and_a_forwarded_mail() -> None:
    made = letter('Fwd: The stone', 'See below.\n')
    made.add_attachment(b'%PDF-1.4', maintype='application', subtype='pdf', filename='bill.pdf')
    made.add_attachment(letter('The stone', 'It broke in the frost.\n'))
    page = read(made.as_bytes())
    assert page.title == 'Fwd: The stone'
    assert page.markdown == snapshot("""\
# Fwd: The stone

From: Perpetua Gann <gann@example.org>
To: hale@example.org
Date: Mon, 02 Mar 2026 10:00:00 +0000

See below.

[Attachment: bill.pdf (application/pdf, 8 bytes)]

Forwarded mail:

## The stone

From: Perpetua Gann <gann@example.org>
To: hale@example.org
Date: Mon, 02 Mar 2026 10:00:00 +0000

It broke in the frost.\
""")


def test_a_mailbox_is_all_its_mails(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also those behind one that has parts, which ends where its last part does."""
    first = letter('The stone', 'It broke in the frost.\n')
    first.add_attachment(b'%PDF-1.4', maintype='application', subtype='pdf', filename='bill.pdf')
    mails = [first, letter('Re: The stone', 'From then on it lay there.\n'), letter('The eels', 'They are gone.\n')]
    senders = b'From gann@example.org', b'From - ', b'From hale at example.org'
    box = b'\n'.join(
        sender + b'  Mon Mar  2 10:00:00 2026\n' + each.as_bytes() for each, sender in zip(mails, senders, strict=True)
    )
    page = read(box, name='fen.mbox')
    assert (page.title, [line for line in page.markdown.splitlines() if line.startswith('#')]) == (
        '',
        [
            f'# Perpetua Gann: {subject} (Mon, 02 Mar 2026 10:00:00 +0000)'
            for subject in ('The stone', 'Re: The stone', 'The eels')
        ],
    )
    assert page.markdown.count('From: Perpetua Gann <gann@example.org>') == 3
    assert 'bill.pdf' in page.markdown
    assert 'From then on it lay there.' in page.markdown
    monkeypatch.setattr(mail, '_MOST_MAILS', 2)
    assert read(box).markdown.count('\n# ') == 1
    assert read(box).markdown.endswith('more bytes of mails: they are left out; split the mailbox]')


def test_a_mail_that_is_an_attachment_names_it() -> None:
    made = letter('The bill', '')
    made.set_content(b'%PDF-1.4', maintype='application', subtype='pdf', filename='bill.pdf')
    assert read(made.as_bytes()).markdown.endswith('\n\n[Attachment: bill.pdf (application/pdf, 8 bytes)]')


def test_what_became_of_a_mail_and_when_to_meet_is_read() -> None:
    """As of each part that is text, though its type is another."""
    made = letter('Returned', 'It came back.\n')
    made.make_mixed()
    for kind, text in (
        ('message/delivery-status', 'Reporting-MTA: dns; a.example\n\nAction: failed\nStatus: 5.1.1'),
        ('text/calendar', 'BEGIN:VEVENT\nDTSTART:20260302T100000Z\nEND:VEVENT'),
    ):
        made.attach(message_from_string(f'Content-Type: {kind}\n\n{text}\n', policy=policy.default))  # type: ignore[arg-type]
    assert read(made.as_bytes()).markdown.partition('It came back.')[2] == snapshot("""\


Reporting-MTA: dns; a.example

Action: failed
Status: 5.1.1

BEGIN:VEVENT
DTSTART:20260302T100000Z
END:VEVENT\
""")


def test_a_mail_of_an_unknown_type_is_one() -> None:
    """As a server gives it that goes by the names of files."""
    made = letter('The stone', 'It broke in the frost.\n').as_bytes()
    assert read(made, 'application/octet-stream', 'https://example.org/1').title == 'The stone'


def test_html_is_the_body_where_the_plain_text_says_nothing() -> None:
    made = letter('Prices', 'Your program shows no HTML.\n')
    made.add_alternative(
        '<p>The stone costs <b>ninety crowns</b>, and the carter asks for ten more.</p>' * 2, subtype='html'
    )
    assert 'ninety crowns' in read(made.as_bytes()).markdown
    assert 'shows no HTML' not in read(made.as_bytes()).markdown


@pytest.mark.parametrize('kinds', [('plain', 'html'), ('html', 'plain')])
def test_html_that_is_no_alternative_is_read_beside_the_text(kinds: tuple[str, str]) -> None:
    mail = letter('The weir', '')
    mail.make_mixed()
    [first] = mail.iter_parts()
    first.set_content('<p>The first part says 700.</p>', subtype=kinds[0])
    mail.attach(MIMEText('<p>The second part says 800.</p>', kinds[1]))
    told = read(mail.as_bytes()).markdown
    assert told.index('The first part says 700.') < told.index('The second part says 800.')


def test_text_that_begins_like_a_mail_is_none() -> None:
    assert read(b'From: here\nTo: there\n\nThe way is long.').markdown.startswith('From: here')
    assert not mail.is_mail(b'Date: today\nName: x\n\ny')


@given(st.binary(max_size=600))
def test_a_broken_mail_is_read_or_refused(body: bytes) -> None:
    head = b'From: a@b.c\nSubject: x\nDate: now\nContent-Type: multipart/mixed; boundary=x\n'
    with suppress(FetchError):
        assert mail.read(head + body).markdown.startswith('# x')


def test_a_notebook_with_what_it_has_written() -> None:
    cells = [
        {'cell_type': 'markdown', 'source': ['# Floods\n', 'By year. ![x](attachment:a.png)']},
        {
            'cell_type': 'code',
            'source': 'print(floods)',
            'outputs': [
                {'output_type': 'stream', 'text': ['1911\n', '1961\n']},
                {'output_type': 'display_data', 'data': {'image/png': 'iVBOR' * 100}},
                {'output_type': 'display_data', 'data': {'text/html': '<b>1987</b> ⏎'}},
                {'output_type': 'error', 'ename': 'KeyError', 'evalue': "'1874'", 'traceback': ['\x1b[31m…']},
            ],
        },
        {'cell_type': 'code', 'source': 'long', 'outputs': [{'output_type': 'stream', 'text': 'x\n' * 500}]},
    ]
    notebook = {'nbformat': 4, 'metadata': {'language_info': {'name': 'python'}}, 'cells': cells}
    shown = read(json.dumps(notebook).encode()).markdown.replace('x\n' * 20, 'x, 20 times\n')
    assert shown == snapshot("""\
# Floods
By year. ![x](image)

```python
print(floods)
```

Output:

```
1911
1961
1987 ⏎
KeyError: '1874'
```

```python
long
```

Output:

```
x, 20 times
… (960 more characters)
```\
""")


@pytest.mark.parametrize(
    ('output', 'told'),
    [
        ({'data': {'text/plain': '<IPython.core.display.HTML object>', 'text/html': '<b>1987</b>'}}, '1987'),
        ({'data': {'text/plain': '<IPython.core.display.Latex object>', 'text/latex': '$x^2$'}}, '$x^2$'),
        ({'data': {'text/plain': '<IPython.core.display.JSON object>', 'application/json': {'a': 1}}}, '{"a": 1}'),
        ({'data': {'text/plain': '<Figure size 640x480>', 'image/png': ''}}, '<Figure size 640x480>'),
        ({'data': {'text/plain': 'a  5', 'text/html': '<b>5</b>'}}, 'a  5'),
        ({'text': ['\r1%\r50%', '\r100%\r\n', 'done\r\n']}, '100%\ndone'),
        ({'text': ['Reading\rDone 42\r      \n']}, 'Done 42'),
        pytest.param({'text': ['x' * 60_000]}, f'{"x" * 2000}\n… (58,000 more characters)', id='a long line'),
    ],
)
def test_an_output_is_told_in_the_form_that_says_most(output: dict[str, object], told: str) -> None:
    notebook = {'nbformat': 4, 'cells': [{'cell_type': 'code', 'source': '', 'outputs': [output]}]}
    assert read(json.dumps(notebook).encode()).markdown == f'Output:\n\n```\n{told}\n```'


@pytest.mark.parametrize('body', [b'{"nbformat": 4, "cells": [}', b'{"nbformat": 4, "cells": [' + b'[' * 100_000])
def test_a_broken_notebook_is_refused(body: bytes) -> None:
    with pytest.raises(FetchError, match='is a notebook whose JSON is broken'):
        read(body, name='a.ipynb')


def test_other_json_stays_as_it_is() -> None:
    assert read(b'{"cells": []}', 'application/json').markdown == '{"cells": []}'


THREAD = """\
From: Ada Orme <ada@mill.example>
To: all
Date: Mon, 3 Feb 2025 09:12
Subject: The move - a plan

All of us move in March,
and nobody stays.

> From: Bo Brook
> Sent: Sunday
> Subject: RE: the move

Not before May.
"""


def test_mails_of_a_thread_are_under_headings() -> None:
    body = read(letter('The move', THREAD).as_bytes()).markdown.partition('+0000\n\n')[2]
    assert body == snapshot("""\
## Ada Orme: The move - a plan (Mon, 3 Feb 2025 09:12)


All of us move in March,
and nobody stays.


## Bo Brook: RE: the move (Sunday)


Not before May.\
""")
    assert '## Ada Orme: The move' in read(f'All of it:\n\n{THREAD}'.encode(), name='thread.txt').markdown
    hostile = 'From: a\n' * 20_000 + 'To: ' * 40_000
    assert read(letter('The move', hostile).as_bytes()).markdown


def test_a_mail_of_very_many_parts_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those without a word count, too: it is to read them that takes long."""
    monkeypatch.setattr(mail, '_MOST_PARTS', 3)
    parts = ''.join(f'--b\nContent-Type: text/html\n\n<p>{said}</p>\n' for said in ('One', '', 'Three', 'Four'))
    head = 'From: a@b.c\nTo: d@e.f\nSubject: Gates\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n'
    told = mail.read(f'{head}{parts}--b--\n'.encode()).markdown
    assert told.endswith('One\n\nThree\n\n[More than 3 parts: the others are left out]')
