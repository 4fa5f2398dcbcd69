"""Text laid out by indentation, as markdown."""

from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from summarizer_tool.formats import indented

MANUAL = """\
SLUICE(1)                    Manual of the mill                    SLUICE(1)

NAME
       sluice - open and shut the sluices of a mill

DESCRIPTION
       Sluice opens the gates of a mill in the order in which they were built,
       and shuts them in the other one. Nobody has to be there.

       -a      Open all of the gates, those of the upper dyke too, which are
               shut in summer.

       -n number
               Open so many gates. This option is for keepers alone, who know
               what they do.

               Without a number one gate is opened.

       -q      Quiet mode.

           sluice -n 2 | wheel --slow
           wheel --stop

       ○   The gates are of oak.

       1.  The first gate is the one that the spring flood took away in 1871
           and that Orme has built again.
"""


def test_a_manual_page_has_headings_and_definitions() -> None:
    assert indented.markdown(MANUAL) == snapshot("""\
SLUICE(1) Manual of the mill SLUICE(1)


## NAME

sluice - open and shut the sluices of a mill


## DESCRIPTION

Sluice opens the gates of a mill in the order in which they were built, and shuts them in the other one. Nobody has to be there.

-a
: Open all of the gates, those of the upper dyke too, which are shut in summer.

-n number
: Open so many gates. This option is for keepers alone, who know what they do.

  Without a number one gate is opened.

-q
: Quiet mode.

  sluice -n 2 | wheel --slow
  wheel --stop

○ The gates are of oak.

1. The first gate is the one that the spring flood took away in 1871 and that Orme has built again.
""")


def test_text_at_the_margin_is_none() -> None:
    assert indented.markdown('The mill stands.\n\nThe wheel turns\n  and turns.\n' * 9) == ''


@given(st.lists(st.sampled_from([*MANUAL.split('\n'), '', 'x  ', '\t- y', '  ```']), max_size=40))
def test_no_word_is_lost(lines: list[str]) -> None:
    text = '\n'.join(lines)
    marks = {'#', '##', '###', ':'}
    read = [word for word in indented.markdown(text).split() if word not in marks]
    assert not read or read == text.split()


def test_what_only_looks_like_a_mark_of_markdown_is_no_heading():
    text = (
        'NAME\n     mill - grinds corn of whoever brings it to the river\n\nSIGNS\n'
        '     |    A wall of the mill, whatever it is made of and whoever built it.\n'
        '     #    A door, which is shut while the wheel turns and nobody is there.\n\n'
        '     #  S_gate          (gate)\n     |  S_wall          (wall)\n\n'
        '--------------------------------------------------------------\n     Made by hand.\n\nFILES\n     /etc/mill\n'
    )
    assert indented.markdown(text) == snapshot("""\
NAME
: mill - grinds corn of whoever brings it to the river

SIGNS
: |    A wall of the mill, whatever it is made of and whoever built it.
  \\#    A door, which is shut while the wheel turns and nobody is there.

  \\#  S_gate          (gate)
  |  S_wall          (wall)

-------------------------------------------------------------- Made by hand.

FILES
: /etc/mill
""")


def test_a_sentence_that_goes_on_around_a_line_is_no_term() -> None:
    told = indented.markdown(
        MANUAL + '\n       Names of gates have the form\n          valley/gate\n       and may not be changed.\n'
    )
    assert ': valley/gate' not in told


def test_columns_of_a_log_and_of_justified_text_are_no_terms() -> None:
    log = ''.join(f'May  {day} 12:00:00 mill sluice: the gate has been opened by hand\n' for day in range(1, 10))
    text = (
        'Sluice opens  the gates of a mill\nin the order  in which they were\nbuilt so that  nobody has to wait\n' * 4
    )
    assert not indented.markdown(log)
    assert ': ' not in indented.markdown(text)
