"""reStructuredText as markdown."""

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from summarizer_tool import Settings, Summarizer
from summarizer_tool.documents.document import Document
from summarizer_tool.formats import restructured
from summarizer_tool.formats.reading import plain_text

LOADER = """
.. _loader:

==========
The loader
==========

It reads stores::

    store = load(path)

.. function:: load(path, *, strict=False)
              load(path, limit)

   Load what is at *path*.

   If *strict* is true, an error is raised:

   .. code-block:: python

      load(path, strict=True)

   :param limit: Lines at most.
   :raises ValueError: for a path that is none.

.. option:: --keep-going

   Go on after the first error.

.. versionadded:: 3.2
   The option.

.. note:: Stores are never deleted.

.. image:: store.png
   :alt: A store

Terms
-----

keepalive
    Set to 0 to disable it.

cache
    Off by default.

    * one item
      goes on
"""


def test_what_a_directive_describes_is_a_term() -> None:
    assert restructured.markdown(LOADER) == snapshot("""\
# The loader

It reads stores:

```
store = load(path)
```

load(path, *, strict=False), load(path, limit)
: Load what is at *path*.

  If *strict* is true, an error is raised:

  ```python
  load(path, strict=True)
  ```

  - param limit: Lines at most.
  - raises ValueError: for a path that is none.

--keep-going
: Go on after the first error.

Version added 3.2:
The option.

Stores are never deleted.

[Image: A store]

## Terms

keepalive
: Set to 0 to disable it.

cache
: Off by default.

  * one item
    goes on
""")


@pytest.mark.parametrize(
    ('written', 'told'),
    [
        ('.. figure:: a.png\n   :alt: The gate\n\n   Built in 1911.\n', '[Image: The gate]\n\nBuilt in 1911.\n'),
        ('.. image:: a.png\n   :alt: The pier\n', '[Image: The pier]\n'),
        ('.. image:: https://a.b/c.svg\n   :alt: badge\n   :target: https://a.b\n', '\n'),
        ('.. only:: html\n\n   Built in 1911.\n', 'Built in 1911.\n'),
    ],
)
def test_directives_say_what_is_shown(written: str, told: str) -> None:
    assert plain_text(written, 'a.rst') == told


def test_what_is_no_such_text() -> None:
    text = 'The mill was built in 1874.\n\n.. note:: It burnt down.\n'
    assert restructured.markdown(text) == ''
    assert restructured.markdown(text, is_named_so=True) == 'The mill was built in 1874.\n\nIt burnt down.\n'
    assert plain_text('# a comment of a program\n', 'notes.rst') == '# a comment of a program\n'
    assert plain_text(LOADER, 'a.txt') == plain_text(LOADER, 'a.rst')
    assert plain_text(LOADER, 'a.py') == LOADER


def test_what_a_mark_stands_for_is_said() -> None:
    text = 'Use |tool| 3 | 4.\n\n.. |tool| replace:: the loader\n.. |logo| image:: a.png\n'
    assert restructured.markdown(text, is_named_so=True) == 'Use the loader 3 | 4.\n'


def test_a_fact_has_the_term_that_it_is_about() -> None:
    text = plain_text(LOADER, 'loader.rst')
    summary = Summarizer(Settings(llm_model='extractive')).summarize_sync([Document(text)], max_output_tokens=60)
    assert '--keep-going: Go on after the first error.' in summary.text


PIECES = [*LOADER.splitlines(), '', '  ', '..', '.. a::', 'b::', '   c', '====', '- d', ':e: f', '|g|', '`h`_']


@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from(PIECES)), max_size=30))
def test_no_word_is_lost_but_of_what_is_not_shown(lines: list[tuple[int, str]]) -> None:
    text = '\n'.join(' ' * 3 * indent + line for indent, line in lines if not line.lstrip().startswith('..'))
    words = Counter(re.findall(r'[^\W_]+', text))
    assert words <= Counter(re.findall(r'[^\W_]+', restructured.markdown(text, is_named_so=True)))


@pytest.mark.parametrize(
    ('written', 'read'),
    [
        ('see\n:setting:`LIMIT` and :ref:`the long\ntable <tables:long>`.', 'see\n`LIMIT` and `the long\ntable`.'),
        ('Use `Nested <fields.Nested>` of `them <https://x.example>`_.', 'Use `Nested` of them.'),
        ('As :pep:`557` and :rfc:`2616` say, ``:class:`X```.', 'As PEP 557 and RFC 2616 say, ``:class:`X```.'),
    ],
)
def test_references_are_told_by_name(written: str, read: str) -> None:
    assert restructured.markdown(written, is_named_so=True) == f'{read}\n'


def test_an_admonition_that_goes_on_is_one_text():
    text = 'Jobs\n====\n\n.. important:: If you keep jobs during the\n   start, you must name them\n   or lose them.\n'
    assert restructured.markdown(text, is_named_so=True) == snapshot("""\
# Jobs

If you keep jobs during the
start, you must name them
or lose them.
""")
