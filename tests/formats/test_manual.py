"""Pages of the manual as markdown."""

from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from summarizer_tool.formats import manual
from summarizer_tool.formats.reading import plain_text

_PAGE = r""".\" Copyright (C) nobody
.de XX
defined
..
.TH MILL 1 "2024" "Mills"
.SH NAME
mill \- grinds what is in \fBthe hopper\fP
.SH "OPTIONS OF ALL"
.TP
.BR \-f ", " \-\-fast
Grind at \(lqtwice\(rq the speed,
see
.BR stones (7).
.TP
.B \-\-dry
.TQ
.I \-\-no\-op
Do not grind.
.IP "\fB--stop=\fIN\fP" 4
Stop after \fIN\fP sacks.
.IP \[bu] 2
An item.
.PP
An example:
.nf
mill \-f \e
  wheat
.fi
"""


def test_what_is_said_of_a_term_has_its_name() -> None:
    assert plain_text(_PAGE, 'mill.1') == snapshot("""\
# mill

## NAME

mill - grinds what is in the hopper

## OPTIONS OF ALL

-f, --fast
: Grind at “twice” the speed, see stones(7).

--dry, --no-op
: Do not grind.

--stop=N
: Stop after N sacks.

- An item.

An example:

```
mill -f \\
  wheat
```
""")


def test_other_text_is_none() -> None:
    assert manual.markdown('.gitignore holds what is left out\n') == ''


@given(
    st.lists(
        st.sampled_from(['.TP', '.IP \\(bu', '.B x', '.nf', '.fi', '.SH', 'word', '', '.de A', '..', '.PP', '.TH'])
    )
)
def test_any_order_of_requests_is_read(lines: list[str]) -> None:
    assert manual.markdown('\n'.join(['.TH A 1', *lines])).startswith('# a\n')


def test_a_line_that_ends_amid_a_sentence_ends_no_paragraph() -> None:
    page = '.TH MILL 1\nIt grinds.\n.br\nIt is of oak. So\n.I mill all\n.br\ngrinds all.\n.PP\nAda E. Finn\n.br\nfirst mill\n'
    assert manual.markdown(page) == snapshot("""\
# mill

It grinds.

It is of oak. So mill all grinds all.

Ada E. Finn

first mill
""")
