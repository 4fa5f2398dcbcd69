"""Perl's documentation: headings, terms with what is said of them, paragraphs on one line, no codes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from summarizer_tool import Settings, Summarizer
from summarizer_tool.formats import pod
from summarizer_tool.formats.files import read_file

pytestmark = pytest.mark.anyio

POD = """\
=head1 NAME

Mill::Gate - opens the gates of a mill

=head1 METHODS X<methods>

Use C<< $gate->open >> while the B<I<pond> is full>; see L<Mill::Pond/"Levels"> and
L<the book|https://mill.example>, or E<lt>wait>.

    $gate->open(3);

    $gate->close;

=over 4

=item open I<number>

=item close

Moves as many gates as are named.
All of them are counted.

A gate that is frozen stays.

=over

=item *

It costs a tooth, marked by S<<-- HERE>.

=item 2. Or two

=back

=item --wait

Waits for the tide.

=back

=begin html

<p>Not here</p>

=end html

=cut

sub open { 1 }
"""


def test_what_pod_says_as_markdown() -> None:
    assert pod.markdown(POD) == snapshot("""\
# Mill::Gate

Mill::Gate - opens the gates of a mill

# METHODS

Use `$gate->open` while the pond is full; see Mill::Pond, Levels and the book, or <wait>.

```
    $gate->open(3);

    $gate->close;
```

open number, close
: Moves as many gates as are named. All of them are counted.

  A gate that is frozen stays.

  - It costs a tooth, marked by <-- HERE.

  2. Or two

--wait
: Waits for the tide.

```
sub open { 1 }
```
""")


def test_a_text_that_speaks_of_it_is_left_alone() -> None:
    assert pod.markdown('Write =head1 first.\n\n    =head1 NAME\n') == ''


async def test_a_summary_names_what_is_defined() -> None:
    document, _ = read_file(POD.encode(), 'Gate.pod')
    summary = await Summarizer(Settings(llm_model='extractive')).summarize(
        document, max_output_tokens=30, focus_areas='What waits for the tide?'
    )
    assert (document.title, summary.text) == snapshot(
        (
            'Mill::Gate',
            """\
open number, close: Moves as many gates as are named.
--wait: Waits for the tide.\
""",
        )
    )


@given(st.text(alphabet='=head1 over item back cut begin\n\n*CL<>|/', max_size=200))
def test_any_text_is_read(text: str) -> None:
    assert pod.markdown(f'=pod\n\n{text}').endswith('\n')
