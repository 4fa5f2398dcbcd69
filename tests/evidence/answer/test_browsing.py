"""Where no word speaks for a link: one page of each section, then more where it was nearly right."""

from summarizer_tool.evidence.answer.browsing import in_turn
from summarizer_tool.evidence.answer.links import Reference, references
from summarizer_tool.evidence.question.topic import topic_of
from summarizer_tool.html.page import Link

ORIGIN = 'https://arrask.example'

TOPIC = topic_of(['Who hid the brandy?'], [0.0])


def linked(*paths: str) -> list[Reference]:
    """Links from the first page, each under a heading that is its folder."""
    links = [Link(ORIGIN + path, 'Somewhere', path.split('/')[1]) for path in paths]
    return references(links, page_url=f'{ORIGIN}/', parent=0, depth=0, topic=TOPIC)


def order(known: list[Reference], **read: float) -> list[str]:
    """The paths of what is to be read, where pages were read; in their names `_` stands for `/`."""
    values = {ORIGIN + name.replace('_', '/'): value for name, value in read.items()}
    candidates = {reference.key for reference in known} - values.keys()
    return [key.removeprefix(ORIGIN) for key in in_turn(known, candidates, values)]


KNOWN = linked(*(f'/{shelf}/{number}' for shelf in ('tales', 'people', 'places') for number in range(3)))


def test_one_page_of_each_section_comes_first() -> None:
    assert order(KNOWN)[:3] == ['/tales/0', '/people/0', '/places/0']
    assert sorted(order(KNOWN)) == sorted(reference.key.removeprefix(ORIGIN) for reference in KNOWN)


def test_what_was_read_steers() -> None:
    assert order(KNOWN, _tales_0=0.0, _people_0=0.0, _places_0=0.4)[:2] == ['/places/1', '/places/2']
    # Nothing is known of the third.
    assert order(KNOWN, _tales_0=0.1, _people_0=0.0)[0] == '/places/0'


def test_lists_of_what_is_not_known_come_before_pages_and_lists_of_what_is_known_after() -> None:
    lists = linked('/records')
    assert order([*KNOWN, *lists])[0] == '/records'
    assert order([*KNOWN, *linked('/records', *(f'/records/{number}' for number in range(4)))])[-1] == '/records'


def test_the_sections_that_the_first_page_names_come_before_the_pages_beside_them() -> None:
    def first(people: int) -> list[str]:
        paths = ['/tales/', '/places/', '/records/', *(f'/people/{number}' for number in range(people))]
        links = [Link(ORIGIN + path, 'Somewhere', 'Welcome') for path in paths]
        return order(references(links, page_url=f'{ORIGIN}/', parent=0, depth=0, topic=TOPIC))[:3]

    assert first(people=4) == ['/tales', '/places', '/records']
    assert first(people=2) == ['/tales', '/people/0', '/places']
