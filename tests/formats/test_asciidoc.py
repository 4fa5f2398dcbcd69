"""AsciiDoc as markdown."""

from inline_snapshot import snapshot

from summarizer_tool.formats.reading import plain_text

_MANUAL = """mill-grind(1)
=============
:author: Ada

NAME
----
mill-grind - Grind what is in the hopper

OPTIONS
-------
-f::
--fast::
\tGrind at twice the speed; see linkmill:mill-stones[1].
+
The stones wear out sooner.
+
----
mill grind --fast
----

--dry::
\tDo not grind.

--stop::
	Stop it.

--turn:: Turn it.
"""


def test_what_is_said_of_a_term_has_its_name() -> None:
    assert plain_text(_MANUAL, 'mill.txt') == snapshot("""\
# mill-grind(1)

## NAME
mill-grind - Grind what is in the hopper

## OPTIONS

-f, --fast
: Grind at twice the speed; see mill-stones(1).

  The stones wear out sooner.


```
mill grind --fast
```



--dry
: Do not grind.


--stop
: Stop it.


--turn
: Turn it.
""")


def test_the_name_of_a_file_says_what_it_is() -> None:
    assert plain_text('== Mills\n\n// unseen\nThey grind.\n', 'mill.adoc') == '## Mills\n\nThey grind.\n'


def test_directives_are_no_terms() -> None:
    text = '.. note::\n   One.\n\n.. tip::\n   Two.\n\n.. note::\n   Three.\n'
    assert plain_text(text, 'mill.cfg') == text


def test_what_has_headings_and_named_blocks_is_told_by_these():
    text = (
        '=== Los protocolos\n\nGit usa cuatro protocolos.(((protocols, smart)))\n\n[source,console]\n----\n$ git clone mill\n----\n\n'
        '==== Ventajas\n\nEl ((servidor)) es central.\n'
    )
    assert plain_text(text, 'a.asc') == snapshot("""\
### Los protocolos

Git usa cuatro protocolos.


```
$ git clone mill
```


#### Ventajas

El servidor es central.
""")
