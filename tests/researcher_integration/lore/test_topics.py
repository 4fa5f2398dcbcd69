"""The topics of a research: what the shipped file says, and what is said about wrong ones."""

from decimal import Decimal
from pathlib import Path

import pytest
from inline_snapshot import snapshot
from pydantic import ValidationError

from researcher_integration.config.files import FOLDER
from researcher_integration.lore.configuration import Limits, load_tiers, load_topics
from researcher_integration.lore.material import TOPIC_IDS
from summarizer_tool import prompts
from summarizer_tool.text import tokens
from tests.proofs.research.wrong_files import Change, changed, drop, problem, put


def test_the_shipped_topics() -> None:
    loaded = load_topics()
    assert [(topic.id, topic.header, topic.share) for topic in loaded.topics] == snapshot(
        [
            ('zone_overview', 'Zone overview', 0.8),
            ('npcs', 'Characters', 1.2),
            ('factions', 'Factions', 1.0),
            ('lore', 'Lore and history', 1.2),
            ('narrative_items', 'Items that tell a story', 0.8),
        ]
    )
    assert loaded.limits == Limits(requests=200)
    for topic in loaded.topics:
        gather = prompts.fill(topic.instructions.gather, zone='Kelderwick Fen')
        report = prompts.fill(topic.instructions.report, zone='Kelderwick Fen')
        assert 'Kelderwick Fen' in gather
        assert '{{' not in gather + report
        assert 'under 300 words' in ' '.join(report.split())
        assert 'gives no orders' in ' '.join(report.split())
        assert tokens.count(topic.hint) < 400


def test_a_hint_names_fields_and_then_what_must_be_kept() -> None:
    [lore] = [topic for topic in load_topics().topics if topic.id == 'lore']
    assert lore.hint == snapshot("""\
LoreData: event or topic; date, year or era; participants and their sides; places; cause; outcome; whether it is
fact, belief, legend or prophecy. Relations: caused by, led to, took place in, fought between, killed, founded,
destroyed, cursed, betrayed, prophesied by, happened before or after.

Preserve:
- names of events, wars, eras, deities, legends and prophecies, as they are spelled
- who did what to whom, and on whose orders
- dates, years, eras and the order of events, as they are written
- what caused an event and what came of it
- numbers of the dead, of ships, of days and years
- prophecies, oaths, last words and chronicles that are quoted, word for word, with who says them
- statements that contradict each other, both of them\
""")


def test_the_order_of_the_file_is_the_order_of_the_steps(tmp_path: Path) -> None:
    path = changed('research_topics.yml', tmp_path, lambda content: content['topics'].reverse())
    assert [topic.id for topic in load_topics(path).topics] == list(reversed(TOPIC_IDS))


def test_limits_are_read_as_they_are_written(tmp_path: Path) -> None:
    limits = {'requests': 90, 'input_tokens': 1000, 'output_tokens': 200, 'cost': 2.5}
    path = changed('research_topics.yml', tmp_path, put(limits, 'limits'))
    assert load_topics(path).limits == Limits(requests=90, input_tokens=1000, output_tokens=200, cost=Decimal('2.5'))
    assert load_topics(changed('research_topics.yml', tmp_path, drop('limits'))).limits == Limits()


def test_nothing_of_a_configuration_can_be_changed() -> None:
    loaded = load_topics()
    with pytest.raises(ValidationError, match='frozen'):
        loaded.topics[0].header = 'Other'


def test_wrong_topics(tmp_path: Path) -> None:
    changes: list[Change] = [
        lambda content: content['topics'].pop(3),
        lambda content: content['topics'].append(content['topics'][1]),
        put('quests', 'topics', 0, 'id'),
        put([], 'topics'),
        drop('topics'),
        put('all', 'topics'),
        put(['npcs'], 'topics'),
        put(2, 'topics', 2, 'shair'),
        put('Read {{zon}}.', 'topics', 2, 'instructions', 'report'),
        put('Read {{zone.', 'topics', 2, 'instructions', 'gather'),
        put('   ', 'topics', 2, 'instructions', 'gather'),
        drop('topics', 2, 'instructions', 'report'),
        put('Look and write.', 'topics', 2, 'instructions'),
        put('## Lore', 'topics', 0, 'header'),
        put(1999, 'topics', 0, 'header'),
        put([], 'topics', 4, 'preserve'),
        put(['quest giver'], 'topics', 1, 'keywords'),
        put(0, 'topics', 1, 'share'),
        put(float('inf'), 'topics', 1, 'share'),
        put(0, 'limits', 'requests'),
        put(True, 'limits', 'requests'),
        put(-1, 'limits', 'cost'),
        put(5, 'limits', 'x' * 500),
        put([{}] * 9, 'topics'),
    ]
    assert [problem(load_topics, changed('research_topics.yml', tmp_path, change)) for change in changes] == snapshot(
        [
            'research_topics.yml: topics: lore is missing',
            "research_topics.yml: topics: 'npcs' stands twice, 'Characters' stands twice",
            "research_topics.yml: topics[0].id: must be 'zone_overview', 'npcs', 'factions', 'lore' or 'narrative_items'",
            'research_topics.yml: topics: zone_overview is missing, npcs is missing, factions is missing, lore is missing, narrative_items is missing',
            'research_topics.yml: topics: is missing',
            'research_topics.yml: topics: must be a list',
            'research_topics.yml: topics[0]: must be a mapping',
            'research_topics.yml: topics[2].shair: is none of the keys',
            "research_topics.yml: topics[2].instructions.report: has '{{zon}}'; {{zone}} is the only placeholder, without spaces",
            "research_topics.yml: topics[2].instructions.gather: has '{{'; {{zone}} is the only placeholder, without spaces",
            'research_topics.yml: topics[2].instructions.gather: is empty',
            'research_topics.yml: topics[2].instructions.report: is missing',
            'research_topics.yml: topics[2].instructions: must be a mapping',
            "research_topics.yml: topics[0].header: must match pattern '^[^#\\n][^\\n]*$'",
            'research_topics.yml: topics[0].header: must be text, in quotes where it looks like something else',
            'research_topics.yml: topics[4].preserve: is empty',
            "research_topics.yml: topics[1].keywords[0]: must match pattern '^\\w+$'; topics[1].keywords: is empty",
            'research_topics.yml: topics[1].share: must be greater than 0',
            'research_topics.yml: topics[1].share: must be a finite number',
            'research_topics.yml: limits.requests: must be greater than 0',
            'research_topics.yml: limits.requests: must be a valid integer',
            'research_topics.yml: limits.cost: must be greater than 0',
            "research_topics.yml: limits['xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…]: is none of the keys",
            'research_topics.yml: topics[0].id: is missing; topics[0].header: is missing; topics[0].instructions: is missing; and 51 more',
        ]
    )


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    contents: dict[str, bytes] = {
        'empty': b'',
        'not UTF-8': 'topics:\n- id: lore\n  header: Märchen'.encode('latin-1'),
        'not YAML': b'topics:\n  - id: lore\n   header: Lore\n',
        'a tab': b'topics:\n\t- id: lore\n',
        'a control character': b'topics: \x07\n',
        'a list': b'- lore\n',
        'two documents': b'topics: []\n---\ntopics: []\n',
        'a key twice': b'topics: []\nlimits:\n  requests: 5\n  cost: 1\n  requests: 500\n',
        'an object of Python': b'topics: !!python/object/apply:os.system [true]\n',
        'no such date': b'topics: 2024-13-45\n',
        'a long number': b'topics: ' + b'9' * 5000,
        'depth': b'[' * 5_000,
    }
    messages: dict[str, str] = {}
    for name, content in contents.items():
        (tmp_path / 'topics.yml').write_bytes(content)
        messages[name] = problem(load_topics, tmp_path / 'topics.yml')
    assert messages == snapshot(
        {
            'empty': 'topics.yml: is empty',
            'not UTF-8': 'topics.yml: is not UTF-8',
            'not YAML': "topics.yml: line 3: is not YAML: while parsing a block collection expected <block end>, but found '<block mapping start>'",
            'a tab': "topics.yml: line 2: is not YAML: while scanning for the next token found character '\\t' that cannot start any token",
            'a control character': 'topics.yml: is not YAML: unacceptable character #x0007: special characters are not allowed in "<unicode string>", position 8',
            'a list': 'topics.yml: must be a mapping',
            'two documents': 'topics.yml: line 2: is not YAML: expected a single document in the stream but found another document',
            'a key twice': "topics.yml: line 5: the key 'requests' stands twice",
            'an object of Python': "topics.yml: line 1: is not YAML: could not determine a constructor for the tag 'tag:yaml.org,2002:python/object/apply:os.system'",
            'no such date': 'topics.yml: is not YAML: month must be in 1..12',
            'a long number': 'topics.yml: is not YAML: Exceeds the limit (4300 digits) for integer string conversion: value has 5000 digits; use sys.set_int_max_str_digits() to increase the limit',
            'depth': 'topics.yml: is nested too deeply',
        }
    )
    (tmp_path / 'folder').mkdir()
    assert [problem(load_tiers, tmp_path / name) for name in ('nowhere.yml', 'folder')] == snapshot(
        ['nowhere.yml: cannot be read: No such file or directory', 'folder: cannot be read: Is a directory']
    )


def test_a_byte_order_mark_is_no_part_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / 'sources.yml'
    path.write_bytes(b'\xef\xbb\xbf' + (FOLDER / 'sources.yml').read_bytes())
    assert load_tiers(path) == load_tiers()
