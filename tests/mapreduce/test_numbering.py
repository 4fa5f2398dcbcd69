"""Lines with the numbers of a request."""

from summarizer_tool.documents.chunking import chunk
from summarizer_tool.documents.document import Document
from summarizer_tool.extractive.statements import statements
from summarizer_tool.mapreduce.merging import GroundedFact
from summarizer_tool.mapreduce.numbering import headings_of, number, segment_relevances
from summarizer_tool.prompts import Focus


def test_what_belongs_to_the_site_is_not_paid_for():
    text = '[Skip to content](#content)\n\nHome | Wiki | Log in\n\n## The Silt Choir\n\nIt sings.\n\nAdvertisement\n\nIt drowns.\n'
    document = Document(text)
    [piece] = chunk([document], size=1000)
    paid = number(piece, [document], is_paid=True)
    assert [line.text for line in paid.lines] == ['## The Silt Choir', 'It sings.', 'It drowns.']
    assert [document.segment_text(at).strip() for _, at in paid.places] == [line.text for line in paid.lines]
    assert len(number(piece, [document]).lines) == 6


def test_what_goes_on_with_a_long_item_is_the_items():
    text = (
        '# Where to eat\n\n'
        '- Weir Diner: A few tables stand above the weir of the mill, right across from the old toll house, '
        'and have done so since the spring of 1931, when a miller with a taste for eels put the first of them there. '
        'Be aware that the red sauce is very hot, and that nobody will bring you any water before you have paid for it, '
        'since the well is at the other end of the yard. '
        'The eels are caught at night, smoked over beech, and sold by weight until noon, or until there are none left.\n'
        'It is open all year.\n'
    )
    document = Document(text)
    [piece] = chunk([document], size=1000)
    lines = number(piece, [document]).lines
    assert [line.text.startswith('  ') or line.text[:2] for line in lines] == ['# ', '- ', True, True, 'It']
    assert any(said.lead == 'Weir Diner' and said.text.startswith('Be aware') for said in statements(lines)[0])


def test_what_a_long_lettered_item_forbids_stays_in_it():
    rest = '; '.join(
        f'({number}) carry off, lend out or paint over the gate {number} of the lock of the guild'
        for number in range(9)
    )
    document = Document(f'The lock is the guild’s.\n\n  a. <span>A tenant will not: {rest}.\n  b. Eels may be eaten.\n')
    [piece] = chunk([document], size=1000)
    lines = number(piece, [document]).lines
    assert len(lines) > 3
    assert all('will not' in said.said(said.text) for said in statements(lines)[0] if 'paint over' in said.text)


def test_only_what_is_above_all_cited_lines_is_above_a_fact() -> None:
    text = '# Mill\n\n## Returns\n\nThey take 30 days.\n\nThey cost 4.\n\n## Damage\n\nIt is told in 7 days.\n'
    numbers = {text.splitlines().index(line) + 1: line for line in text.splitlines() if line}
    document = Document(text)
    segment_of = {document.segment(at).line: at for at in range(1, len(document.segment_starts) + 1)}
    assert {*numbers} == {*segment_of}
    cited = [(5,), (5, 7), (3, 5), (5, 11)]
    facts = [GroundedFact('Of it.', 3, tuple((0, segment_of[line]) for line in lines)) for lines in cited]
    assert headings_of([document], facts) == [['Mill', 'Returns'], ['Mill', 'Returns'], ['Mill', 'Returns'], ['Mill']]


def test_comments_of_code_are_no_headings() -> None:
    document = Document('# The size of a crate.\nSIZE = 4\n', title='store.py')
    assert headings_of([document], [GroundedFact('SIZE = 4', 3, ((0, 2),))]) == [[]]


def test_a_table_of_contents_with_all_the_words_is_no_better_place_than_the_section():
    subjects = [f'wheel {number}' for number in range(14)]
    rows = [
        f'| {subject.title()} | What the guild says of its {subject} and how it keeps them all year |'
        for subject in subjects
    ]
    rows[3:5] = ['| Leave | How a keeper ends the service |', '| Data | What the guild keeps of the data of a keeper |']
    text = '\n\n'.join(
        ['# Rules', '| Part | What it says |\n|---|---|\n' + '\n'.join(rows)]
        + [
            f'## {subject.title()}\n\nThe guild looks after its {subject} with care and in its own time.'
            for subject in subjects
        ]
        + ['## Leave\n\nA keeper ends the service by a letter. The data of the keeper is kept for a year.']
    )
    document = Document(text)
    starts = document.segment_starts
    [places] = segment_relevances(
        [document], Focus(focus_areas='How does a keeper end the service, and what of the data?')
    )
    of_row, of_answer = (
        next(at for at, start in enumerate(starts) if text[start:].startswith(said)) for said in (rows[-1], 'A keeper')
    )
    assert places[of_row] < 0.2 * places[of_answer]


def test_a_page_that_is_called_like_a_file_has_headings() -> None:
    document = Document('# Node.js\n## Timers\nThey were added in 2009, and take a callback.\n', title='Node.js')
    assert headings_of([document], [GroundedFact('They were added in 2009.', 3, ((0, 3),))]) == [['Node.js', 'Timers']]
