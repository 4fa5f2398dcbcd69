"""What leads to the items of lists, and what a heading asks."""

from inline_snapshot import snapshot

from tests.support.numbered_lines import read


def test_what_leads_to_a_list_is_said_with_it_and_not_over_code():
    page = """
# What it is not

All that it does is:

- take a crate
- count it

Do it like this:

```python
take(crate)
```

> Keep a list of the crates that you take.
"""
    assert read(page) == snapshot(
        [
            ('All that it does is: take a crate; count it', (5, 6, 3)),
            ('take(crate)', (11,)),
            ('> Keep a list of the crates that you take.', (14,)),
        ]
    )


def test_an_item_that_is_no_sentence_has_what_leads_to_it() -> None:
    page = """
To enter the mill, bring:

- The signed letter of the miller who owns the place
- Two papers on the weir:
  - A drawing of its gates made within the last year
- A lamp with oil for at least four hours of work

The mill closes at night.

- A gate of oak and iron with a lock from Heron
"""
    assert read(page) == snapshot(
        [
            ('To enter the mill, bring: The signed letter of the miller who owns the place', (3, 1)),
            ('Two papers on the weir: A drawing of its gates made within the last year', (5, 4)),
            ('To enter the mill, bring: A lamp with oil for at least four hours of work', (6, 1)),
            ('The mill closes at night.', (8,)),
            ('A gate of oak and iron with a lock from Heron', (10,)),
        ]
    )


def test_what_a_list_forbids_is_told_as_forbidden() -> None:
    page = """
Whoever rents the mill may not:

- Open the gate at night without the miller.
- Grind wheat.

The gate has two parts:

- The upper part is made of oak.

Here is what it costs to:

| Part | Crowns |
|---|---|
| Lock | 12 |

- A lamp with oil for at least four hours of work
"""
    assert read(page) == snapshot(
        [
            ('Whoever rents the mill may not: Open the gate at night without the miller.', (3, 1)),
            ('Whoever rents the mill may not: Grind wheat.', (4, 1)),
            ('The upper part is made of oak.', (8,)),
            ('| Lock | Crowns: 12 |', (14, 12)),
            ('A lamp with oil for at least four hours of work', (16,)),
        ]
    )


def test_items_keep_their_boxes_and_stand_under_the_item_above_them() -> None:
    page = """
- Ada
  - [x] Oil the gate
  - [ ] Move the wheel to the lower mill before the frost sets in.
- Jonas
  - No news this week

## Is the mill open?

No. It opens in May, when the water of the river is high.
"""
    assert read(page) == snapshot(
        [
            ('Ada: [x] Oil the gate', (2, 1)),
            ('Ada: [ ] Move the wheel to the lower mill before the frost sets in.', (3, 1)),
            ('Jonas: No news this week', (5, 4)),
            ('Is the mill open: No. It opens in May, when the water of the river is high.', (9, 7)),
        ]
    )


def test_items_further_in_are_said_with_what_they_stand_below():
    page = """
Added to the mill:

- Gate of the old weir, all of iron (page 132)
  - Price: 2,800 crowns
  - Weight: 10 tons
- Bell
- A lock that is mended by one of us
    - Each spring
- Rope
"""
    assert [text for text, _ in read(page)] == snapshot(
        [
            'Gate of the old weir, all of iron (page 132): Price: 2,800 crowns; Weight: 10 tons',
            'Added to the mill: Bell',
            'Added to the mill: A lock that is mended by one of us',
            'Added to the mill: Each spring',
            'Added to the mill: Rope',
        ]
    )


def test_a_bold_line_above_a_list_heads_it_without_a_blank_line() -> None:
    page = """
## The keeps

**Tern Keep**
- Seat: the upper gate
- Owner: the council

**Heron Hold**
- Seat: the harbour
- Owner: the guard
"""
    assert read(page) == snapshot(
        [
            ('Tern Keep: Seat: the upper gate; Owner: the council', (4, 5, 3)),
            ('Heron Hold: Seat: the harbour; Owner: the guard', (8, 9, 7)),
        ]
    )


def test_what_holds_on_a_condition_is_said_with_it():
    page = 'Upon the end of a lease:\n\n- The tenant returns both keys.\n- The guild pays for the oil.\n'
    assert [said for said, _ in read(page)] == [
        'Upon the end of a lease: The tenant returns both keys.',
        'Upon the end of a lease: The guild pays for the oil.',
    ]


def test_a_short_label_above_a_list_leads_to_whole_items():
    listed = '- No name is asked for at the gate.\n- The gate is open.'
    assert ('Best Case: No name is asked for at the gate.', (3, 1)) in read(f'**Best Case:**\n\n{listed}')
    assert ('No name is asked for at the gate.', (3,)) in read(f'The keepers of the gate said:\n\n{listed}')


def test_what_a_heading_asks_leads_its_answer() -> None:
    page = """
## What happens below 99 percent?

We refund a month. Write to us.

## What is a weir?

A weir holds the water.
"""
    assert read(page) == snapshot(
        [
            ('What happens below 99 percent: We refund a month.', (3, 1)),
            ('Write to us.', (3,)),
            ('A weir holds the water.', (7,)),
        ]
    )


def test_what_a_title_asks_is_said_with_nothing() -> None:
    assert read('# What is a weir?\n\nI lived by one.\n') == [('I lived by one.', (3,))]
