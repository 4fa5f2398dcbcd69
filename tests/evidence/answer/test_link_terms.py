"""What a link says that its page is about."""

import pytest

from summarizer_tool.evidence.answer.links import link_terms
from summarizer_tool.html.page import Link
from summarizer_tool.text import terms


def link(text: str, around: str = '', section: str = '') -> Link:
    return Link('https://marn.example/7', text, section, around)


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
