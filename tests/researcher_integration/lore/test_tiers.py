"""How far sources are trusted: which tier a place has, and what is said about wrong files."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from researcher_integration.lore.configuration import SourceTiers, load_tiers
from tests.proofs.research.wrong_files import Change, changed, drop, problem, put

TIERS = SourceTiers.model_validate(
    {
        'tiers': {
            'official': {'weight': 1, 'domains': ['quellmark.example', 'münchen.example']},
            'primary': {'weight': 0.8, 'domains': ['Wiki.Quellmark.Example.', 'wikis.example']},
            'secondary': {'weight': 0.5, 'domains': ['farm.example', '127.0.0.1']},
            'tertiary': {'weight': 0.5, 'domains': ['forum.wiki.quellmark.example']},
        }
    }
)


def test_the_longest_domain_decides() -> None:
    expected = {
        'https://quellmark.example/news': 'official',
        'https://www.quellmark.example': 'official',
        'https://wiki.quellmark.example/Marn': 'primary',
        'https://en.wiki.quellmark.example/Marn': 'primary',
        'https://forum.wiki.quellmark.example/1': 'tertiary',
        'https://notquellmark.example/': 'tertiary',
        'https://quellmark.example.evil.test/': 'tertiary',
        'https://quellmark.example@evil.test/': 'tertiary',
        'https://evil.test/?u=https://quellmark.example/': 'tertiary',
        'https://evil.test#@quellmark.example/': 'tertiary',
        'HTTPS://WIKIS.EXAMPLE.:8443/a': 'primary',
        'https://MÜNCHEN.example/': 'official',
        'https://xn--mnchen-3ya.example./': 'official',
        'http://127.0.0.1:8000/a.html': 'secondary',
        'http://[::1]/': 'tertiary',
        'https://': 'tertiary',
        'https://quellmark.example:port/': 'tertiary',
        'ftp://quellmark.example/a': 'tertiary',
        'notes/marn.md': 'primary',
        'file:///notes/marn.md': 'primary',
        'C:\\notes\\marn.md': 'primary',
        'quellmark.example': 'primary',
    }
    assert {place: TIERS.of(place) for place in expected} == expected


LABEL = st.from_regex(r'[a-z0-9]([a-z0-9-]{0,8}[a-z0-9])?', fullmatch=True).filter(lambda text: text[2:4] != '--')
DOMAINS = [domain for tier in TIERS.tiers.values() for domain in tier.domains if domain != '127.0.0.1']


@given(
    domain=st.sampled_from(DOMAINS),
    below=st.lists(LABEL.filter(lambda text: text not in ('wiki', 'forum')), max_size=3),
    port=st.sampled_from(['', ':80', ':8443']),
    dot=st.sampled_from(['', '.']),
    capitals=st.booleans(),
    path=st.text(alphabet='abc/?#=@:.', max_size=20).map(lambda text: f'/{text}'),
)
def test_subdomains_have_the_tier_of_their_domain(
    domain: str, below: list[str], port: str, dot: str, capitals: bool, path: str
) -> None:
    host = '.'.join([*below, domain])
    spelled = host.upper() if capitals else host
    assert TIERS.of(f'https://{spelled}{dot}{port}{path}') == TIERS.of(f'https://{domain}/')


@given(prefix=LABEL, domain=st.sampled_from(DOMAINS), suffix=LABEL)
def test_what_only_looks_like_a_domain_is_none(prefix: str, domain: str, suffix: str) -> None:
    longer_label = f'https://{prefix}{domain}/'
    if f'{prefix}{domain}' not in DOMAINS and domain.count('.') == 1:
        assert TIERS.of(longer_label) == 'tertiary'
    assert TIERS.of(f'https://{domain}.{suffix}/') == 'tertiary'


@given(st.text(max_size=40))
def test_any_text_has_a_tier(place: str) -> None:
    TIERS.of(place)
    TIERS.of(f'https://{place}')


def test_the_shipped_sources() -> None:
    tiers = load_tiers()
    assert {name: (tier.weight, len(tier.domains) > 10) for name, tier in tiers.tiers.items()} == snapshot(
        {'official': (1.0, True), 'primary': (0.85, True), 'secondary': (0.6, True), 'tertiary': (0.3, True)}
    )
    expected = {
        'https://worldofwarcraft.blizzard.com/en-us/news': 'official',
        'https://us.forums.blizzard.com/en/wow/': 'tertiary',
        'https://warcraft.wiki.gg/wiki/Westfall': 'primary',
        'https://en.uesp.net/wiki/Skyrim:Riften': 'primary',
        'https://wowpedia.fandom.com/wiki/Westfall': 'secondary',
        'https://www.wowhead.com/zone=40/westfall': 'secondary',
        'https://old.reddit.com/r/warcraftlore': 'tertiary',
        'https://blog.example/westfall': 'tertiary',
        'westfall.md': 'primary',
    }
    assert {place: tiers.of(place) for place in expected} == expected


def test_wrong_sources(tmp_path: Path) -> None:
    changes: list[Change] = [
        drop('tiers', 'primary'),
        put({'weight': 1, 'domains': []}, 'tiers', 'offical'),
        put(1.5, 'tiers', 'official', 'weight'),
        put(True, 'tiers', 'official', 'weight'),
        put(0.9, 'tiers', 'secondary', 'weight'),
        drop('tiers', 'tertiary', 'weight'),
        put(['Blizzard.com.'], 'tiers', 'secondary', 'domains'),
        put(['wiki.example', 'WIKI.example'], 'tiers', 'tertiary', 'domains'),
        put(['https://wiki.example'], 'tiers', 'primary', 'domains'),
        put(['wiki.example/lore'], 'tiers', 'primary', 'domains'),
        put(['wiki.example:443'], 'tiers', 'primary', 'domains'),
        put(['*.wiki.example'], 'tiers', 'primary', 'domains'),
        put(['wiki..example'], 'tiers', 'primary', 'domains'),
        put([''], 'tiers', 'primary', 'domains'),
        put('trusted', 'default'),
        put('primary', 'file'),
    ]
    assert [problem(load_tiers, changed('sources.yml', tmp_path, change)) for change in changes] == snapshot(
        [
            'sources.yml: tiers: primary is missing',
            "sources.yml: tiers.offical: must be 'official', 'primary', 'secondary' or 'tertiary'",
            'sources.yml: tiers.official.weight: must be less than or equal to 1',
            'sources.yml: tiers.official.weight: must be a valid number',
            'sources.yml: tiers: the weight of secondary is 0.9, over that of primary, 0.85',
            'sources.yml: tiers.tertiary.weight: is missing',
            'sources.yml: tiers: blizzard.com stands twice; a domain has one tier',
            'sources.yml: tiers: wiki.example stands twice; a domain has one tier',
            "sources.yml: tiers.primary.domains[0]: 'https://wiki.example' is no domain; give the host alone, such as wiki.example.org, for its subdomains too",
            "sources.yml: tiers.primary.domains[0]: 'wiki.example/lore' is no domain; give the host alone, such as wiki.example.org, for its subdomains too",
            "sources.yml: tiers.primary.domains[0]: 'wiki.example:443' is no domain; give the host alone, such as wiki.example.org, for its subdomains too",
            "sources.yml: tiers.primary.domains[0]: '*.wiki.example' is no domain; give the host alone, such as wiki.example.org, for its subdomains too",
            "sources.yml: tiers.primary.domains[0]: 'wiki..example' is no domain; give the host alone, such as wiki.example.org, for its subdomains too",
            "sources.yml: tiers.primary.domains[0]: '' is no domain; give the host alone, such as wiki.example.org, for its subdomains too",
            "sources.yml: default: must be 'official', 'primary', 'secondary' or 'tertiary'",
            'sources.yml: file: is none of the keys',
        ]
    )
