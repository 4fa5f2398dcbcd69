"""Wikitext as markdown."""

import pytest
from inline_snapshot import snapshot

from summarizer_tool.formats.reading import plain_text

_PAGE = """\
{{Use British English|date=May 2020}}
{{Infobox settlement
| name = Orme
| image = Orme.jpg
| leader = [[Ada Vant]]<br>[[Bram Tolliver (miller)|Bram Tolliver]]
| founded = {{start date|1872|5|3}}
| population_total = 412
}}
'''Orme''' is a village in [[Low Marsh]], {{convert|12|km|mi}} from [[Heron#Harbour|Heron]].<ref>''Annals'', p. 3.</ref>
[[File:Orme.jpg|thumb|The mill of [[Orme]]]]

== The mill ==
It ground ''rye''<ref name="a" /> until {{nowrap|1901}}.<!-- Is that so? -->

* The wheel has {{lang|la|octo}} blades.
** Two are of oak.
# Open the [https://example.org/gate gate].

; Weir : Holds the water.

{| class="wikitable"
|+ Millers
! Name !! Years
|-
| align="left" | [[Ada Vant]] || 1872–1880
|-
| Bram Tolliver
| 1880–1901
|}
<syntaxhighlight lang="python">
print('[[grind]]')
</syntaxhighlight>
[[Category:Villages]]
"""


def test_a_page_of_a_wiki_is_read() -> None:
    assert plain_text(_PAGE) == snapshot("""\
# Orme

| Infobox settlement | |
| --- | --- |
| name | Orme |
| leader | Ada Vant; Bram Tolliver |
| founded | 1872-5-3 |
| population total | 412 |

**Orme** is a village in Low Marsh, 12 km from Heron.



## The mill

It ground rye until 1901.

- The wheel has octo blades.
  - Two are of oak.
1. Open the gate.


Weir
: Holds the water.


Millers


| Name | Years |
| --- | --- |
| Ada Vant | 1872–1880 |
| Bram Tolliver | 1880–1901 |



```
print('[[grind]]')
```

""")


@pytest.mark.parametrize(
    'text',
    [
        '# Notes\n\nSee [[Low Marsh]], [[Heron]], [[Orme]].\n',
        "if a == b:\n    '''one'''\n    '''two'''\n    '''three'''\n",
    ],
)
def test_what_is_no_wikitext_stays(text: str) -> None:
    assert plain_text(text, 'notes.md') == text


@pytest.mark.parametrize('part', ['[[', '{{', '{{a|', '<ref>', '<!--', '<pre>', '= ', "'''", '{|\n|a=b '])
def test_what_never_ends_takes_linear_time(part: str) -> None:
    assert plain_text('== Orme ==\n' + part * (200_000 // len(part)), 'orme.wiki')


def test_what_stands_further_in_defines_nothing() -> None:
    page = "'''Orme''' has a mill.\n\n== Law ==\nThe guild has:\n:(a) a master;\n(2) It meets.\n\n{{Page:Rules/Orme}}\n"
    assert plain_text(page, 'orme.wiki') == snapshot("""\
# Orme

**Orme** has a mill.


## Law

The guild has:

(a) a master;

(2) It meets.

[Page:Rules/Orme]
""")
