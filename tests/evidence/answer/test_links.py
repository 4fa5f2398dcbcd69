"""Which links are followed first, which never, and when one URL is another."""

import sqlite3

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from inline_snapshot import snapshot

from summarizer_tool import Document, SourceStore
from summarizer_tool.evidence.answer.links import Reference, promising, references
from summarizer_tool.evidence.question import topic_of
from summarizer_tool.html.page import Link
from summarizer_tool.store import page_details
from summarizer_tool.text.addresses import host_of, key_of, origin_of, shown

QUESTION = 'How many blades has the runner of a Kaplan turbine?'
PAGE = 'https://marn.example/guide'
MENTIONS = (
    Link('https://ness.example/kaplan', 'Viktor Kaplan'),
    Link('https://ness.example/both', 'Kaplan and his runner'),
)


def follow(
    question: str, *links: Link | tuple[str, str], depth: int = 0, seen: tuple[str, ...] = ()
) -> list[Reference]:
    """What is worth following of the links of a page."""
    topic = topic_of([question])
    whole = [link if isinstance(link, Link) else Link(link[0], link[1]) for link in links]
    known = references(whole, page_url=PAGE, depth=depth, topic=topic)
    return promising(known, topic, seen={key_of(url) for url in seen})


def told(candidates: list[Reference]) -> list[Reference]:
    """Those for which words speak."""
    return [candidate for candidate in candidates if candidate.is_told]


def urls(candidates: list[Reference]) -> list[str]:
    return [candidate.url.removeprefix('https://marn.example') for candidate in candidates]


def at(path: str, text: str, section: str = '', around: str = '') -> Link:
    return Link(f'https://marn.example{path}', text, section, around)


def test_the_most_promising_link_comes_first() -> None:
    candidates = follow(
        QUESTION,
        at('/news', 'News'),
        at('/turbines/bulb', 'Bulb turbines'),
        at('/turbines/kaplan', 'Kaplan turbines'),
        at('/turbines/kaplan/runner', 'The runner and its blades', 'Kaplan turbine'),
        at('/p7', 'Drawings', 'Kaplan turbines'),
        at('/kaplan', 'here'),
        at('/docs/', 'Documentation'),
        Link('https://ness.example/kaplan', 'Kaplan turbines'),
        Link('https://marn.example/team', 'The people of the plant, their boats and one Kaplan turbine'),
    )
    assert [(candidate.url, candidate.score) for candidate in told(candidates)] == snapshot(
        [
            ('https://marn.example/turbines/kaplan/runner', 0.764),
            ('https://marn.example/turbines/kaplan', 0.433),
            ('https://marn.example/team', 0.433),
            ('https://ness.example/kaplan', 0.325),
            ('https://marn.example/turbines/bulb', 0.276),
            ('https://marn.example/p7', 0.276),
        ]
    )


def test_what_holds_no_answer_is_not_followed() -> None:
    chores = (
        *('/login', '/kaplan/sign-up', '/cart?item=kaplan', '/privacy', '/kaplan?action=edit', '/w/Special:Kaplan'),
        *('/kaplan.xlsx', '/kaplan.png', '/kaplan.tar.gz', '/kaplan?print=1', '/print/kaplan', '/share?u=kaplan'),
        *('/guide', '/guide#kaplan', '/guide/'),
    )
    links = [at(path, 'Kaplan turbine blades') for path in chores]
    others = [
        Link(url, 'Kaplan blades') for url in ('mailto:ada@marn.example', 'ftp://marn.example/k', 'http://[', 'kaplan')
    ]
    assert follow(QUESTION, *links, *others) == []
    # Unless it is what is asked for.
    asked = follow(
        'What does the privacy policy say about cookies?', at('/privacy', 'Privacy policy'), at('/cart', 'Cart')
    )
    assert urls(told(asked)) == ['/privacy']


def test_other_sites_come_later() -> None:
    order = follow(QUESTION, Link('https://ness.example/kaplan', 'Kaplan turbines'), at('/kaplan', 'Kaplan turbines'))
    assert urls(order) == ['/kaplan', 'https://ness.example/kaplan']


def test_other_sites_are_followed_where_they_seem_to_answer() -> None:
    links = [at('/p7', 'Drawings'), Link('https://ness.example/runner', 'Ness has a runner'), *MENTIONS]
    assert urls(follow(QUESTION, *links)) == ['https://ness.example/both', '/p7']
    # What lies below or above its own host is of the same site.
    assert (
        len(follow(QUESTION, Link('https://docs.marn.example/', 'Docs'), Link('https://old-marn.example/', 'Old'))) == 1
    )
    # A page of links to other sites alone has no better ones.
    assert urls(follow(QUESTION, *MENTIONS[:1], Link('https://ness.example/x', 'Drawings'))) == [MENTIONS[0].url]
    # Where only other sites are wanted, these are as good as the page's own.
    topic = topic_of([QUESTION])
    known = references(links, page_url=PAGE, depth=0, topic=topic)
    assert len(promising(known, topic, is_anywhere=True)) == len(links)


def test_what_all_links_say_speaks_for_none() -> None:
    menu = [at(f'/{name}', name, 'Marn') for name in ('features', 'questions', 'manual')]
    assert told(follow('Who designed the Marn?', *menu)) == []
    assert urls(told(follow('Who designed the Marn?', *menu, at('/weir', 'Weir', 'Designed by hand')))) == ['/weir']


def test_each_page_is_a_candidate_once_and_never_again() -> None:
    links = (
        at('/kaplan', 'More'),
        at('/kaplan/', 'Kaplan turbine blades'),
        Link('HTTPS://MARN.example:443//kaplan?utm_source=mail#blades', 'Kaplan'),
        at('/runner', 'Kaplan runner'),
    )
    assert [candidate.key for candidate in follow(QUESTION, *links)] == [
        'https://marn.example/kaplan',
        'https://marn.example/runner',
    ]
    assert urls(follow(QUESTION, *links, seen=('http://marn.example/kaplan', 'https://marn.example/runner/'))) == [
        '/kaplan/'
    ]


def test_words_on_every_link_say_nothing_of_one() -> None:
    links = [at(f'/marn-{number}', f'Marn page {number}') for number in range(40)]
    candidates = follow('When was the weir of Marn built?', *links, at('/marn-weir', 'Marn weir'))
    assert candidates[0].url.endswith('/marn-weir')
    assert candidates[0].score > 2 * max((candidate.score for candidate in candidates[1:]), default=0.0)


def test_what_stands_around_a_link_counts_less_than_its_text() -> None:
    news = [at(f'/{number}', f'News {number}') for number in range(9)]
    candidates = follow(
        QUESTION,
        at('/a', 'shaft', '', 'The runner turns on a shaft.'),
        at('/b', 'there', '', 'Read there of the runner.'),
        at('/c', 'Gallery', '', 'Gallery: the hall and its runner.'),
        at('/d', 'Runner'),
        *news,
    )
    assert [(candidate.url[-1], candidate.score) for candidate in told(candidates)] == snapshot(
        [('d', 0.588), ('a', 0.417), ('b', 0.417), ('c', 0.417)]
    )
    # What the links of one sentence share says less of each, but does not make their own words say less.
    shared = 'The runner has a hub, a shaft, a cone and a seal.'
    beside = [at(f'/{text}', text, '', shared) for text in ('hub', 'shaft', 'cone', 'seal')]
    [first, *others] = follow(QUESTION, *beside, at('/d', 'Runner'), *news)
    assert (first.url[-1], first.score) == ('d', candidates[0].score)
    assert [other.score for other in others[:4]] == [others[0].score] * 4


def test_a_link_for_which_words_speak_comes_before_a_chapter() -> None:
    chapters = [at(f'/guide/{name}', name) for name in ('gates', 'locks', 'piers', 'weirs')]
    order = follow(QUESTION, *chapters, at('/b', 'birds', '', 'The birds sit on the runner.'), at('/n', 'News'))
    assert [(candidate.url[-1], candidate.is_told) for candidate in order] == [
        ('b', True),
        *((chapter.url[-1], False) for chapter in chapters),
        ('n', False),
    ]
    # A chapter of which the same is said comes in its order.
    assert urls(follow(QUESTION, *chapters, at('/b', 'Runner'), at('/guide/r', 'Runner')))[:2] == ['/b', '/guide/r']


def test_sections_come_before_pages() -> None:
    def order(*paths: str) -> list[str]:
        topic = topic_of(['Who hid the brandy?'])
        links = [at(path, 'Somewhere') for path in paths]
        known = references(links, page_url='https://marn.example/', depth=0, topic=topic)
        return urls(promising(known, topic))

    people = [f'/people/{number}' for number in range(4)]
    assert order(*people, '/tales/')[0] == '/tales/'
    # A few links to the top are a menu, and lead on; of many, any may answer.
    assert order('/a/b', '/news', '/shop') == ['/news', '/shop', '/a/b']
    assert order('/a/b', *(f'/{number}' for number in range(9)))[0] == '/a/b'


LINKS = st.lists(
    st.builds(
        Link,
        st.text('ab/.?=&#%é[]:@-_1', max_size=20).map('https://marn.example/{}'.format) | st.text(max_size=20),
        st.sampled_from(['Kaplan', 'Runner blades', '', 'News']) | st.text(max_size=20),
        st.sampled_from(['', 'Turbines', 'Kaplan', QUESTION]),
        st.sampled_from(['', 'Read of the Kaplan runner.', 'Kaplan: its blades']),
    ),
    max_size=20,
)


@hypothesis_settings(max_examples=50)
@given(LINKS, st.integers(0, 4))
def test_any_links_give_distinct_candidates_of_their_site_or_told(links: list[Link], depth: int) -> None:
    found = follow(QUESTION, *links, depth=depth)
    assert len({candidate.key for candidate in found}) == len(found)
    assert all(candidate.depth == depth + 1 and 0 <= candidate.score <= 1 for candidate in found)
    assert all(candidate.is_told or host_of(candidate.url).endswith(host_of(PAGE)) for candidate in found)
    assert found == follow(QUESTION, *links, depth=depth)


@pytest.mark.parametrize(
    ('url', 'origin', 'host', 'text'),
    [
        ('https://www.Marn.example/a?key=hunter2#b', 'https://www.marn.example', 'marn.example', 'www.Marn.example/a'),
        ('http://u:hunter2@marn.example:8080/a', 'http://marn.example:8080', 'marn.example', 'marn.example:8080/a'),
        ('https://marn.example:443', 'https://marn.example', 'marn.example', 'marn.example:443'),
        ('http://[2001:db8::1]:81/x', 'http://[2001:db8::1]:81', '2001:db8::1', '[2001:db8::1]:81/x'),
        ('http://marn.example:99999/x', '', 'marn.example', 'marn.example:99999/x'),
        ('ftp://marn.example/x', '', 'marn.example', 'marn.example/x'),
        ('src_0123456789ab', '', '', 'src_0123456789ab'),
        ('http://[broken/x?key=hunter2', '', '', 'http://[broken/x'),
        (
            'https://marn.example/' + 'a' * 200,
            'https://marn.example',
            'marn.example',
            'marn.example/' + 'a' * 106 + '…',
        ),
        ('https://marn.example/a\n[ERROR]\x1b', 'https://marn.example', 'marn.example', 'marn.example/a[ERROR]\\x1b'),
    ],
)
def test_what_a_url_says(url: str, origin: str, host: str, text: str) -> None:
    assert (origin_of(url), host_of(url), shown(url)) == (origin, host, text)


def test_links_are_stored_with_what_stands_around_them() -> None:
    links = (at('/a', 'Runner', 'Turbines', 'The runner \ud83d of the Kaplan turbine.'), at('/b', 'Gates'))
    with SourceStore() as store:
        collection = store.collection()
        source = collection.add(Document('The plant.'), links=links)
        [first, second] = collection.links(source.id)
    assert (first.around, second) == ('The runner ? of the Kaplan turbine.', links[1])
    # Rows that were written before this was kept.
    db = sqlite3.connect(':memory:')
    db.execute('CREATE TABLE details (collection, id, images, links)')
    db.execute(
        """INSERT INTO details VALUES ('c', 's', '[]', '[{"url": "https://marn.example/b", "text": "Gates"}]')"""
    )
    assert page_details.links(db, ('c', 's')) == (Link('https://marn.example/b', 'Gates'),)
    db.close()
