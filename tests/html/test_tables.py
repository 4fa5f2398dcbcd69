"""Tables of web pages as pipe tables."""

import pytest
from inline_snapshot import snapshot

from summarizer_tool.html.convert import to_markdown
from tests.support.fictional import article, read


def test_what_spans_rows_or_columns_is_said_where_it_counts() -> None:
    assert read("""
        <table><caption>Tolls, in pence</caption>
        <thead><tr><th rowspan=2>Ship</th><th colspan=2>Toll</th></tr><tr><th>Summer</th><th>Winter</th></tr></thead>
        <tbody><tr><td rowspan="2">Cog</td><td>3</td><td>4</td></tr><tr><td colspan=2>none in 1613</td></tr>
        <tr><td>Hulk</td><td>7</td><td>9</td></tr></tbody></table>""") == snapshot("""\
Tolls, in pence

| Ship | Toll | Toll |
| --- | --- | --- |
| Ship | Summer | Winter |
| Cog | 3 | 4 |
| Cog | none in 1613 |  |
| Hulk | 7 | 9 |\
""")


def test_cells_hold_what_a_line_can() -> None:
    assert read("""
        <table><tr><th>Key</th><th>Value</th></tr>
        <tr><td><code>a|b</code></td><td>1<br>2</td></tr>
        <tr><td><ul><li>one</li><li>two</li></ul></td><td><p>First.</p><p>Second.</p></td></tr>
        <tr><td>Price | duty</td><td><pre>x = 1\ny = 2</pre></td></tr></table>""") == snapshot("""\
| Key | Value |
| --- | --- |
| `a\\|b` | 1<br>2 |
| - one<br>- two | First.<br>Second. |
| Price \\| duty | `x = 1`<br>`y = 2` |\
""")


def test_a_table_in_a_cell_stays_in_it() -> None:
    assert read("""
        <table><tr><th>Keeper</th><th>Years</th></tr>
        <tr><td>Ilva Tarn</td><td><table><tr><td>first</td><td>1613</td></tr><tr><td>last</td><td>1631</td></tr></table>
        </td></tr></table>""") == snapshot("""\
| Keeper | Years |
| --- | --- |
| Ilva Tarn | first / 1613<br>last / 1631 |\
""")


def test_a_box_of_facts() -> None:
    assert read("""
        <table class="infobox"><tr><th>Built</th><td>1390</td></tr><tr><th>Keeper</th><td>Ilva Tarn</td></tr>
        <tr><th>Bells</th><td></td></tr></table>""") == snapshot("""\
|  |  |
| --- | --- |
| Built | 1390 |
| Keeper | Ilva Tarn |
| Bells |  |\
""")


@pytest.mark.parametrize(
    ('first', 'head'),
    [
        ('<tr><td>Name</td><td>Dykewardens</td></tr>', '|          |                |'),
        ('<tr><td>Ship</td><td>Toll, in pence</td></tr>', '|          |                |'),
        ('<tr><th>Key</th><th>Value</th></tr>', '| Key      | Value          |'),
    ],
)
def test_two_columns_without_headers_are_labels_with_their_values(first: str, head: str) -> None:
    rows = '<tr><td>Leader</td><td>Ysolde Harrow</td></tr><tr><td>Strength</td><td>640 sworn</td></tr>'
    assert read(f'<table>{first}{rows}</table>').splitlines()[0].replace(' ', '') == head.replace(' ', '')
    numbers = '<tr><td>Cog</td><td>3</td></tr><tr><td>Hulk</td><td>7</td></tr>'
    assert not read(f'<table>{first}{numbers}</table>').startswith('|  ')


def test_rows_that_are_short_or_empty() -> None:
    assert read("""
        <table><tr><td>Gate</td><td>Ward</td><td>Lamp</td></tr><tr></tr><tr><td></td><td></td></tr>
        <tr><td>Salt Gate</td></tr><tr><td>Reed Gate</td><td>north</td><td>lit</td><td>since 1601</td></tr></table>
        """) == snapshot("""\
| Gate | Ward | Lamp |  |
| --- | --- | --- | --- |
| Salt Gate |
| Reed Gate | north | lit | since 1601 |\
""")


@pytest.mark.parametrize(
    'markup',
    [
        '<table role="presentation"><tr><td>The first thing.</td><td>The second thing.</td></tr>'
        '<tr><td>The third thing.</td><td>The last thing.</td></tr></table>',
        '<table><tr><td>The first thing.</td><td>The second thing.</td><td>The third thing.</td>'
        '<td>The last thing.</td></tr></table>',
        '<table><tr><td>The first thing.</td></tr><tr><td>The second thing.</td></tr>'
        '<tr><td>The third thing.<p>The last thing.</p></td></tr></table>',
    ],
    ids=['said to be', 'one row', 'one column'],
)
def test_tables_that_only_place_things_are_none(markup: str) -> None:
    assert read(markup) == 'The first thing.\n\nThe second thing.\n\nThe third thing.\n\nThe last thing.'


def test_sections_in_cells_are_sections() -> None:
    assert read("""
        <table><tr><td><h2>Keepers</h2><p>They count the ships that pass the gate by day and by night.</p></td>
        <td><h2>Wardens</h2><p>They hold the keys, and open to nobody after the ninth bell.</p></td></tr>
        <tr><td>Both are sworn in on the longest day.</td><td>Neither may own a ship.</td></tr></table>""") == snapshot("""\
## Keepers

They count the ships that pass the gate by day and by night.

## Wardens

They hold the keys, and open to nobody after the ninth bell.

Both are sworn in on the longest day.

Neither may own a ship.\
""")


def test_large_spans_are_bounded() -> None:
    rows = '<tr><td colspan=10000 rowspan=65534>x</td><td colspan=9999>y</td></tr>' * 400
    page = to_markdown(article(f'<table>{rows}</table>'))
    assert page.markdown.count('x') > 100
    assert len(page.markdown) < 500_000


def _row(*cells: str) -> str:
    return f'<tr>{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>'


_WARDENS = _row('Ada Orme<br>Miller', 'Ina Moor<br>Head of the quay', 'Bo Ek<br>Warden') + _row(
    'Ulf Ahl<br>Clerk', 'Eva Dahl<br>Founder', 'Per Lind<br>Keeper of keys'
)


@pytest.mark.parametrize(
    ('first', 'rows', 'is_titled'),
    [
        (_row('Ann Bell<br>Master', 'Carl Dorn<br>Pilot', 'Eva Falk<br>Head of lamps'), _WARDENS, False),
        (_row('North', 'Middle', 'South'), _WARDENS, True),
        (_row('Cog', '3', '4'), _row('Hulk', '7', '9'), False),
        (_row('Ship', 'Summer', 'Winter'), _row('Hulk', '7', '9'), True),
        (_row('Ship', '1613', '1614'), _row('Hulk', '7', '9'), True),
        (_row('Place:', 'Marn', 'Loss: none'), _row('Master:', 'Ada Orme', '1613'), False),
    ],
)
def test_a_first_row_in_the_form_of_those_below_has_no_titles(first: str, rows: str, *, is_titled: bool) -> None:
    assert read(f'<table>{first}{rows}</table>').startswith('|  |  |  |\n') is not is_titled


def test_a_cell_that_stands_in_no_row_is_read() -> None:
    told = read('<table><tr><td>Cog</td><td>3</td></tr><tr><td>Hulk</td><td>7</td></tr><td>Tolls of 1613</td></table>')
    assert 'Tolls of 1613' in told
    assert '| Hulk | 7 |' in told
