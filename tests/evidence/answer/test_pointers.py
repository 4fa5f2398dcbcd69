"""What a passage says itself, and what it says is told elsewhere."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summarizer_tool.documents.passage import Passage
from summarizer_tool.evidence.answer.pointers import Pointers, link_terms, passage_content
from summarizer_tool.html.page import Link
from summarizer_tool.text import terms

QUESTION = 'How many blades has the runner of a Kaplan turbine?'
ASKED = frozenset(terms.asked(QUESTION).terms)
NAMED = 'Blades of the Kaplan runner'


def link(text: str, around: str = '', section: str = '') -> Link:
    return Link('https://marn.example/7', text, section, around)


def said(text: str, *links: Link, path: tuple[str, ...] = (), header: str = '') -> set[str]:
    """Of the question's terms those that a passage says something with."""
    passage = Passage(1, 'src_000000000001', 1, 1, 1, 0, path, text, header)
    return passage_content(passage, Pointers(links)).of(ASKED) & ASKED


def test_all_of_a_text_without_links_is_said() -> None:
    assert said('The runner of a Kaplan turbine has five blades.') == ASKED
    assert said('It has five blades.', path=('Turbines', 'The Kaplan turbine'), header='| Runner | Blades |') == ASKED


@pytest.mark.parametrize(
    ('text', 'found'),
    [
        (NAMED, link(NAMED)),
        (f'- {NAMED}\n- Gates', link(NAMED)),
        (f'1. **{NAMED}**', link(NAMED)),
        (f'| {NAMED} | 7 |\n| ------ | - |\n| Gates | 9 |', link(NAMED)),
        (f'See {NAMED}, and the history.', link(NAMED, f'See {NAMED}, and the history.')),
        (f'{NAMED}, and what it cost to cast it.', link(NAMED, f'{NAMED}, and what it cost to cast it.')),
        (
            'A page of its own tells how many blades the runner of a Kaplan turbine has.',
            link('page of its own', 'A page of its own tells how many blades the runner of a Kaplan turbine has.'),
        ),
        (f'Often asked: {QUESTION} Answer', link('Answer', f'Often asked: {QUESTION} Answer')),
        (f'{QUESTION}\nThis is told here.', link('here', 'This is told here.')),
        (f'## {QUESTION}\n\n{QUESTION}', link('News')),
    ],
)
def test_what_only_points_elsewhere_says_nothing(text: str, found: Link) -> None:
    assert said(text, found) == set()


def test_a_heading_counts_over_what_is_said_alone() -> None:
    path = ('Plant', QUESTION)
    assert said('Five, of bronze.', path=path) == ASKED
    assert said('Read on here.', link('here', 'Read on here.'), path=path) == set()


def test_a_question_counts_where_its_answer_follows() -> None:
    assert said(f'{QUESTION} Five, of bronze.') == ASKED
    assert said(f'{QUESTION} How old is the hall? It is from 1931.') == set()
    # Another question is a text like any other.
    assert said('How old is the turbine?') == {'turbin'}


def test_links_to_things_of_the_answer_are_part_of_it() -> None:
    text = 'The runner of a Kaplan turbine has five blades of bronze.'
    assert said(text, *(link(shown, text) for shown in ('Kaplan turbine', 'blades', 'bronze'))) == ASKED
    # The same words may be a link elsewhere only.
    for around in ('', f'More about {NAMED} elsewhere.'):
        assert said(f'{NAMED} are of bronze.', link(NAMED, around)) == ASKED - {'turbin'}


@pytest.mark.parametrize(
    ('found', 'about'),
    [
        (link('Theory'), 'Theory'),
        (link('Theory', 'Theory: the power of a current.'), 'Theory the power of a current'),
        (link('Theory', 'Theory has the power of a current.'), 'Theory'),
        (link('a current', 'Its power is that of a current.'), 'a current'),
        (link('there', 'Read there of the power of a current.'), 'Read there of the power of a current'),
        (link('Answer', section='What is power?'), 'Answer What is power'),
        (link('1931', section='What is power?'), '1931'),
        (link('Answer', section='Power'), 'Answer'),
    ],
)
def test_what_a_link_says_that_it_leads_to(found: Link, about: str) -> None:
    assert link_terms(found) == terms.terms_of(about)


TEXTS = st.text('kaplan BLADES?.|-*#\n:', max_size=60) | st.sampled_from([QUESTION, NAMED, 'here', f'| {NAMED} |'])


@given(TEXTS, st.lists(st.builds(link, TEXTS, TEXTS, TEXTS), max_size=5))
def test_what_is_said_is_there(text: str, links: list[Link]) -> None:
    passage = Passage(1, 'src_000000000001', 1, 1, 1, 0, ('Kaplan',), text)
    cut = passage_content(passage, Pointers(links))
    assert cut.of(ASKED) <= cut.terms
    assert all(terms.terms_of(each.text) <= link_terms(each) for each in links)
    if '?' not in text and terms.words_of(text):
        assert passage_content(passage).of(ASKED) == passage_content(passage).terms
