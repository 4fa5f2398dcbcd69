"""A block that pages share is boilerplate only where it cannot be a fact of one of them."""

import pytest

from summarizer_tool.documents import site_boilerplate
from summarizer_tool.text.blocks import lines_of

SITE = [
    'Home | Zones | Quests | Log in',
    '[Home](/) · [Zones](/zones) · [Quests](/quests)',
    '- [Home](/)\n- [Zones](/zones)\n- [Quests](/quests)',
    '* About\n* Zones\n* Contact',
    'Share this page: Copy link · Email · Print',
    '[Skip to content](#content)',
    'We use cookies to keep you logged in. Accept all / Reject',
    'Our site stores cookies in the order in which they were baked.',
    'Content is available under the Open Lore Licence 2.0 unless otherwise noted.',
    'Licence: all texts are published under the terms of the Open Lore Licence.',
    '© 2024 Pennant Press. All rights reserved.',
    'This page was last edited on 2 July 2024, at 19:14.',
    'By using this website you agree to its terms.',
    '**Join our newsletter!** A letter a week in your inbox.',
]

FACTS = [
    'Level: 12',
    '- Level: 12\n- Faction: Horde',
    '**Faction:** Horde',
    '| Level | 12 |',
    'Level 20',
    'Faction – Horde',
    'Alice Smith | 34 | Paris',
    'The following can be bought:',
    '**You may also like**',
    'License: MIT',
    'Licensed under the MIT licence.',
    'An orc of the Horde.',
    'Orc | Warrior | Horde',
    'Tank | Healer | Support',
    '- Orc\n- Warrior\n- Horde',
    '- Home\n- School\n- Market',
    '- [Sneed](/sneed)\n- [Cookie](/cookie)\n- [Gilnid](/gilnid)',
    'History',
    '**History**',
    'Search the ruins of Ashgate for the letter.',
    'Share this bread with the poor of the village.',
    'See the captain at Sentinel Hill.',
    'Toggle the lever beside the gate.',
    'We baked cookies for the orphans in the village.',
    'The council adopted its privacy policy in 1999.',
    'By using the altar, its keepers accept the blessing.',
    'This quest can be repeated daily, and its reward grows with the number of days in a row.',
    'Sells Moonbrook Ale to the members of the Defias Brotherhood who come at night with a full purse.',
]


@pytest.mark.parametrize('block', SITE)
def test_what_speaks_of_the_site(block: str) -> None:
    lines = lines_of(block)
    assert site_boilerplate.is_site(lines)
    assert not site_boilerplate.is_bound(lines)


@pytest.mark.parametrize('block', FACTS)
def test_what_may_be_a_fact_of_its_page(block: str) -> None:
    lines = lines_of(block)
    assert site_boilerplate.is_bound(lines) or not site_boilerplate.is_site(lines)


def test_a_long_line_of_marks_completes() -> None:
    for unit in ('[a](', '| ', 'a | ', '- ', 'a  ', ': ', '© ', 'cookies '):
        lines = lines_of(unit * 20_000)
        for look in (
            site_boilerplate.is_bound,
            site_boilerplate.is_site,
            site_boilerplate.is_menu,
        ):
            look(lines or [unit * 20_000])
