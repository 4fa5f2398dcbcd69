"""Wikitext and LaTeX as markdown."""

import time

import pytest
from inline_snapshot import snapshot

from summarizer_tool.formats.light_markup import markdown
from summarizer_tool.formats.reading import plain_text, read


def test_wikitext() -> None:
    text = (
        "'''Orme''' is a village in [[Low Marsh]], by [[Heron#Harbour|Heron]].<ref>''Annals'', p. 3.</ref>\n"
        '== The mill ==\nIt ground rye until {{nowrap|1901}}.\n* The wheel has blades.\n** Two are of oak.\n'
        '# Open the [https://example.org/gate gate].\n[[Category:Villages]]\n'
    )
    assert plain_text(text, 'orme.mediawiki') == snapshot("""\
Orme is a village in Low Marsh, by Heron.

## The mill

It ground rye until 1901.
- The wheel has blades.
  - Two are of oak.
1. Open the gate.
""")


@pytest.mark.parametrize(
    ('template', 'shown'),
    [
        ('{{val|5.3|e=6|u=m/s}}', '5.3×10^6 m/s'),
        ('{{convert|10|km|mi}}', '10 km'),
        ('{{cvt|10|to|20|km|mi|abbr=on}}', '10 to 20 km'),
        ('{{convert|6|ft|2|in|m|1}}', '6 ft 2 in'),
        ('{{frac|1|2}} or {{frac|3|1|4}}', '1/2 or 3 1/4'),
        ('{{formatnum:12345}}', '12345'),
        ('{{height|ft=6|in=2}}', '6 ft 2 in'),
        ('{{US$|3.5 million}}', 'US$3.5 million'),
        ('{{coord|51|30|N|0|7|W|region:GB}}', '51 30 N 0 7 W'),
        ('rye{{sfn|Smith|1999|p=5}}', 'rye'),
        ('{{birth date|1911|5|3}}', '1911-5-3'),
        ('{{mill|12|7}}', '12, 7'),
    ],
)
def test_templates_of_numbers(template: str, shown: str) -> None:
    assert markdown(f'It ground {template} a year.', '.wiki') == f'It ground {shown} a year.\n'


def test_a_template_of_two_numbers_leaves_the_fields_around_it_whole() -> None:
    text = '{{Infobox album\n| name = Orme\n| length = {{Duration|43|12}}\n| genre = {{small|{{score|2|1}}}}\n}}\n'
    assert markdown(text, '.wiki') == '- name: Orme\n- length: 43, 12\n- genre: 2, 1\n'


PAGE = """\
{{Infobox village
| name = Orme
| image = Orme.jpg |image_size=
| founded = {{birth date|1212|4|2|df=y}}
| trades = {{ublist |[[Mill]]ing |{{longitem|[[Reed|Reeds]]}}}}
| area = {{convert|5|km2}}
}}
[[File:Orme.jpg|thumb|The [[mill]].]]
'''Orme''' ({{lang|ang|Elmham}}) is a village in [[Low Marsh]].

== Ferries ==
{| class="wikitable"
! Name !! Master
|-
| [[Heron]] || style="color:red" | Ada
|-
| Gull
| Jonas
|}

== Notes ==
:They are few.
[[Category:Villages]]
"""


def test_code_and_addresses_of_latex_stay_as_they_are() -> None:
    text = (
        '\\begin{lstlisting}[language=C]\nprintf("%d sacks\\n", n); % all\n\\end{lstlisting}\n'
        'See \\url{https://orme.example/c%20d} or \\href{https://orme.example/%20}{the list} of \\verb|a%b\\c|. % unseen\n'
        'It grew 5\\%\\footnote{Only in \\emph{1901}.} a year, see~\\ref{tab:a}.\n'
    )
    assert plain_text(text, 'orme.tex') == snapshot("""\
```
printf("%d sacks\\n", n); % all
```

See https://orme.example/c%20d or the list of `a%b\\c`. \n\
It grew 5% (Only in 1901) a year, see.
""")


@pytest.mark.parametrize(
    'piece', ['x\\ref{', '\\begin{minted}\\begin{verbatim}', '\\begin{verbatim}\n', '\\verb|', '\\footnote{ ']
)
def test_latex_that_opens_and_does_not_close_costs_no_time(piece: str) -> None:
    def seconds(size: int) -> float:
        began = time.process_time()
        markdown(piece * (size // len(piece)), '.tex')
        return time.process_time() - began

    seconds(1_000)
    assert seconds(100_000) < 20 * seconds(10_000) + 0.5


@pytest.mark.parametrize('name', ['orme.txt', 'orme', 'orme.wiki'])
def test_wikitext_is_known_by_its_marks(name: str) -> None:
    assert plain_text(PAGE, name) == snapshot("""\
- name: Orme
- image: Orme.jpg
- founded: 1212-4-2
- trades: Milling, Reeds
- area: 5 km2

Orme (Elmham) is a village in Low Marsh.

## Ferries

| Name | Master |
| --- | --- |
| Heron | Ada |
| Gull | Jonas |

## Notes

They are few.
""")


def test_wikitext_is_known_by_its_type() -> None:
    page = read(
        b"== Mills ==\n'''Orme''' has [[Reed|reeds]].", 'text/x-wiki; charset=UTF-8', 'https://a.example/w?action=raw'
    )
    assert page.markdown == snapshot("""\
## Mills

Orme has reeds.
""")


@pytest.mark.parametrize(
    'text',
    [
        'A list of [[names]].\n\nAda\n===\n\nx == y == z\n\n[[Low Marsh]] and [[Heron]] are two, [[Orme]] is one.\n',
        '== Setup ==\n+ [[ -f Makefile ]]\n# of failures: 0\n! warning: it is full\n== Build ==\n+ [[ -d mill ]]\n',
        "#!/bin/bash\n== a ==\n[[mill]] '''gate''' {{reed}}\n== b ==\n[[gate]] '''mill''' {{weir}}\n",
        '== Use ==\nSay {{ user.name }} or {{name}}.\n\n== Rest ==\n[[link]] is none, {{mill}} is.\n',
    ],
)
def test_a_few_marks_make_no_wikitext(text: str) -> None:
    assert plain_text(text, 'a.txt').splitlines()[-1] == text.splitlines()[-1]


def test_latex() -> None:
    text = (
        '\\documentclass{article}\n\\title{Gates of the Mola Valley}\n\\begin{document}\n\\section{Methods}\\label{sec:methods}\n'
        'We watched 31 gates~\\cite{orme16}. % more\nNine were \\textbf{used}, which is 29\\%:\n'
        '\\begin{itemize}\n\\item one lamp\n\\item[oil] two jars\n\\end{itemize}\n\\end{document}\n'
    )
    assert plain_text(text, 'paper.tex') == snapshot("""\
# Gates of the Mola Valley

## Methods

We watched 31 gates. \n\
Nine were used, which is 29%:

- one lamp

- oil: two jars
""")


def test_another_name_is_none_of_these() -> None:
    assert markdown('== Mills ==\n', '.txt') == ''


@pytest.mark.parametrize('suffix', ['.wiki', '.tex'])
@pytest.mark.parametrize('part', ['[[', '{{', '<ref>', '<!--', "'", '=', '\\begin{', '\\item[', '{\\b ', ' '])
def test_what_never_ends_takes_linear_time(suffix: str, part: str) -> None:
    assert isinstance(markdown(part * (100_000 // len(part)), suffix), str)
