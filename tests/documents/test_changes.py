"""What one version of a source changes of the one before."""

from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from summarizer_tool.documents.document import Document
from summarizer_tool.documents.reading import changes, changes_report
from summarizer_tool.text import tokens

OLD = """\
# Morn

Morn is a harbour of 900 souls.

Its mole was built in 1840.
"""


def test_lines_stand_with_their_numbers_in_each_version() -> None:
    new = OLD.replace('900', '1,100') + '\nA new lamp was lit in May.\n'
    shown = changes_report(Document(OLD), Document(new), 2000)
    assert shown.partition('\n')[2] == snapshot("""\

- 3| Morn is a harbour of 900 souls.
+ 3| Morn is a harbour of 1,100 souls.

+ 7| A new lamp was lit in May.\
""")
    assert shown.partition('\n')[0].endswith(
        '2 changes, 1 line gone (-), 2 lines new (+); numbers are of each version.]'
    )


def test_texts_that_say_the_same_have_no_changes() -> None:
    assert changes(OLD, OLD.replace('\n\n', '\n\n\n')) == []
    assert 'says the same' in changes_report(Document(OLD), Document(OLD + '\n'), 2000)


def test_layout_and_line_breaks_change_nothing() -> None:
    other = '   Morn\n\n   Morn is a harbour\n   of 900 souls.\n\n * Its mole was built in 1840.'
    assert changes(OLD, other) == []
    assert changes('7\n-5', '7\n5') == [(range(2, 3), range(2, 3))]


def test_two_lines_that_change_places_are_two_changes_however_often_others_stand_there() -> None:
    lines = [line for number in range(100) for line in (f'Lamp {number} is lit.', '', 'So it is.', '')]
    swapped = [*lines]
    swapped[0], swapped[200] = lines[200], lines[0]
    found = changes('\n'.join(lines), '\n'.join(swapped))
    assert found == [(range(1, 2), range(1, 2)), (range(201, 202), range(201, 202))]


def test_of_a_large_change_both_sides_are_shown() -> None:
    gone, new = ('\n'.join(f'Lamp {number} is {lit}.' for number in range(300)) for lit in ('lit', 'out'))
    shown = changes_report(Document(gone), Document(new), 160)
    assert tokens.count(shown) <= 160
    assert shown.partition('\n')[2] == snapshot("""\

- 1| Lamp 0 is lit.
- 2| Lamp 1 is lit.
- 3| Lamp 2 is lit.
+ 1| Lamp 0 is out.
+ 2| Lamp 1 is out.
+ 3| Lamp 2 is out.
… 594 more lines of this change\
""")


def test_what_has_no_room_is_counted() -> None:
    old = '\n'.join(f'Line {number} says that nothing happened on that day.' for number in range(300))
    shown = changes_report(Document(old), Document(old.replace('5 says', '5 denies')), 300)
    assert tokens.count(shown) <= 300
    assert 'more changes, for which there is no room' in shown.splitlines()[-1]


def test_a_large_change_leaves_room_for_those_after_it() -> None:
    many = '\n'.join(f'Lamp {number} is lit from dusk till dawn.' for number in range(300))
    shown = changes_report(Document(OLD), Document(f'{many}\n{OLD.replace("1840", "1848")}'), 200, is_version=False)
    assert tokens.count(shown) <= 200
    assert 'version before' not in shown
    assert shown.partition('\n')[2] == snapshot("""\

+ 1| Lamp 0 is lit from dusk till dawn.
+ 2| Lamp 1 is lit from dusk till dawn.
+ 3| Lamp 2 is lit from dusk till dawn.
… 297 more lines of this change

- 5| Its mole was built in 1840.
+ 305| Its mole was built in 1848.\
""")


text = st.lists(st.sampled_from(['', 'a', 'b', 'c', 'd'])).map('\n'.join)


@given(text, text, st.integers(50, 120))
def test_what_has_changed_has_room(older: str, newer: str, room: int) -> None:
    assert tokens.count(changes_report(Document(older), Document(newer), room)) <= max(room, 90)


@given(text, text)
def test_changes_name_all_that_differs(older: str, newer: str) -> None:
    found = changes(older, newer)
    gone = {number for before, _ in found for number in before}
    new = {number for _, after in found for number in after}
    kept = [line for number, line in enumerate(older.split('\n'), 1) if number not in gone and line]
    assert kept == [line for number, line in enumerate(newer.split('\n'), 1) if number not in new and line]
